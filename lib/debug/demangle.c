/* lib/debug/demangle.c - readable names of C++ and Rust functions, by libiberty.
 *
 * In:  _ZN3foo3barEi                                Out: foo::bar(int)
 *      _ZN4core3fmt5write17h0123456789abcdefE       Out: core::fmt::write
 *      _RNvMs_NtCs4fqI2P2rA04_5alloc6stringNtB4_6String4push     Out: <alloc::string::String>::push
 *
 * Rust's older names have C++'s form with a hash at the end, so Rust is tried first.  For Rust, hashes and what compilers append
 * behind a dot are not shown.
 *
 * Invariant: a Rust name that would become longer than QN_DEBUG_SHOWN_MAX bytes, through references to its own parts, is not demangled.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "debug/internal.h"

#define BINDER_DIGITS_MAX 3

struct shown {
    const char *name;
    char *read; /* the name that libiberty gets; see hide_binders */
    jmp_buf *too_long;
    size_t length, last; /* bytes of all, of the last piece */
    char text[QN_DEBUG_SHOWN_MAX + 1];
};

/* libiberty up to that of 2023 (binutils 2.40) takes a constant of more than 16 digits from one byte too late in the name. */
static bool is_late(const struct shown *s, const char *piece, size_t length)
{
    return s->last == 2 && !memcmp(s->text + s->length - 2, "0x", 2) && piece[length - 1] == '_';
}

static void take_piece(const char *piece, size_t length, void *data)
{
    struct shown *s = data;
    size_t at = (size_t)(piece - s->read);

    if (length > QN_DEBUG_SHOWN_MAX - s->length)
        longjmp(*s->too_long, 1);
    if (length == 0) /* `piece` may be NULL */
        return;
    if (piece > s->read && piece < s->read + strlen(s->read))
        piece = s->name + at - is_late(s, piece, length);
    memcpy(s->text + s->length, piece, length);
    s->length += length;
    s->last = length;
}

/* "G", a number and "_" declare so many lifetimes, and libiberty loops over them all, even if it shows nothing.  No compiler writes a
 * number of three digits or more; such a G becomes a "g", which begins no type.  Inside an identifier that makes no difference, because
 * identifiers are shown from the original name. */
static void hide_binders(char *name)
{
    for (; *name; name++)
        if (*name == 'G') {
            size_t digits = strspn(name + 1, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

            if (digits >= BINDER_DIGITS_MAX && name[1 + digits] == '_')
                *name = 'g';
        }
}

/* NULL if the name is not Rust's. */
static char *demangle_rust(const char *name)
{
    static struct shown s;
    char *volatile shown = NULL;
    jmp_buf too_long;

    s.name = name;
    s.read = strdup(name);
    if (!s.read)
        return NULL;
    hide_binders(s.read);
    s.too_long = &too_long;
    s.length = s.last = 0;
    if (!setjmp(too_long) && rust_demangle_callback(s.read, 0, take_piece, &s))
        shown = strndup(s.text, s.length);
    free(s.read);
    return shown;
}

char *qn_debug_demangle(const char *name)
{
    char *shown;

    if (strncmp(name, "_R", 2) && strncmp(name, "_Z", 2))
        return NULL;
    shown = demangle_rust(name);
    return shown ? shown : cplus_demangle_v3(name, DMGL_PARAMS);
}
