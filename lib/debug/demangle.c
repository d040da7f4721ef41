/* lib/debug/demangle.c - readable names of C++ and Rust functions, by libiberty.
 *
 * In:  _ZN3foo3barEi                                Out: foo::bar(int)
 *      _ZN4core3fmt5write17h0123456789abcdefE       Out: core::fmt::write
 *      _RNvMs_NtCs4fqI2P2rA04_5alloc6stringNtB4_6String4push     Out: <alloc::string::String>::push
 *
 * Rust's older names have C++'s form and a hash at the end, so Rust is tried first.  Hashes, and what compilers append behind
 * a dot, are not shown for Rust.
 *
 * Invariant: a Rust name whose references to itself make more than QN_DEBUG_SHOWN_MAX bytes of it stays as it is.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "debug/internal.h"

struct shown {
    const char *name;
    jmp_buf *too_long;
    size_t length, last; /* of all, of the last piece */
    char text[QN_DEBUG_SHOWN_MAX + 1];
};

/* libiberty up to that of 2023 (binutils 2.40) takes a constant of more than 16 digits one byte too late from the name. */
static const char *place_of_number(const struct shown *s, const char *piece, size_t length)
{
    bool of_name = piece > s->name && piece < s->name + strlen(s->name);
    bool number = s->last == 2 && !memcmp(s->text + s->length - 2, "0x", 2);

    return of_name && number && piece[length - 1] == '_' ? piece - 1 : piece;
}

static void take_piece(const char *piece, size_t length, void *data)
{
    struct shown *s = data;

    if (length > QN_DEBUG_SHOWN_MAX - s->length)
        longjmp(*s->too_long, 1);
    if (length == 0) /* `piece` may be NULL */
        return;
    memcpy(s->text + s->length, place_of_number(s, piece, length), length);
    s->length += length;
    s->last = length;
}

/* NULL if the name is not Rust's. */
static char *demangle_rust(const char *name)
{
    static struct shown s;
    jmp_buf too_long;

    s.name = name;
    s.too_long = &too_long;
    s.length = s.last = 0;
    if (setjmp(too_long) || !rust_demangle_callback(name, 0, take_piece, &s))
        return NULL;
    return strndup(s.text, s.length);
}

char *qn_debug_demangle(const char *name)
{
    char *shown;

    if (strncmp(name, "_R", 2) && strncmp(name, "_Z", 2))
        return NULL;
    shown = demangle_rust(name);
    return shown ? shown : cplus_demangle_v3(name, DMGL_PARAMS);
}
