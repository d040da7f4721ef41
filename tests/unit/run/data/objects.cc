/* objects.cc - operator new and delete in their forms; see notes.h. */
#include "notes.h"

#include <new>
#include <string>
#include <vector>

#define FUNCTION __attribute__((noinline)) static

struct big { char bytes[700]; };
struct alignas(256) wide { char bytes[256]; };

FUNCTION big *by_new(void) { big *p = new big; ADD(p, sizeof *p, "heap:by_new()"); return p; }
FUNCTION char *by_array(size_t n) { char *p = new char[n]; ADD(p, n, "heap:by_array(unsigned long)"); return p; }
FUNCTION wide *by_wide(void) { wide *p = new wide; ADD(p, sizeof *p, "heap:by_wide()"); return p; }
FUNCTION big *by_nothrow(void) { big *p = new (std::nothrow) big; ADD(p, sizeof *p, "heap:by_nothrow()"); return p; }

/* It fails and is left by an exception: what is allocated next belongs to who allocates it. */
FUNCTION void too_much(void)
{
    try {
        volatile size_t n = (size_t)1 << 60;
        char *p = new char[n];

        ADD(p, n, "heap:too_much");
    } catch (const std::bad_alloc &) {
    }
}

int main()
{
    for (int i = 0; i < 200; i++) {
        big *a = by_new(), *b = by_nothrow();
        char *c = by_array(i * 10 + 1);
        wide *w = by_wide();

        touch(a, sizeof *a);
        touch(b, sizeof *b);
        touch(c, i * 10 + 1);
        touch(w, sizeof *w);
        too_much();
        GONE(a);
        delete a;
        GONE(c);
        delete[] c;
        if (i % 2) {
            GONE(w);
            delete w;
        }
    }
    write_notes();
    return 0;
}
