/* lib/debug/demangle_v0.c - Rust's names since 2021 ("v0", Rust RFC 2603): paths and constants.
 *
 * In:  _RNvMs_NtCs4fqI2P2rA04_5alloc6stringNtB4_6String4push     Out: <alloc::string::String>::push
 *
 *   path   C crate root | M inherent impl | X impl of a trait | Y trait | N nested | I generic | B back
 *   type   letters for basic types, R Q P O references and pointers, A S T F D, or a path
 *
 * A recursive descent over the grammar that prints as it goes.  Hashes of crates and types of
 * constants are not shown.  Not modelled: punycode (shown as it is) and structured constants.
 *
 * Invariants: every step consumes input or goes back by a B, whose number and depth are bounded, as
 * is the output; what does not fit the grammar gives NULL.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/demangle_v0.h"
#include "debug/internal.h"

static void path_in_type(struct qn_v0 *s)
{
    qn_v0_path(s, false);
}

static void path_in_value(struct qn_v0 *s)
{
    qn_v0_path(s, true);
}

void qn_v0_generic_argument(struct qn_v0 *s)
{
    if (qn_v0_eat(s, 'L'))
        qn_v0_lifetime(s, qn_v0_base62(s));
    else if (qn_v0_eat(s, 'K'))
        qn_v0_constant(s);
    else
        qn_v0_type(s);
}

static void nested(struct qn_v0 *s, bool value)
{
    char space = qn_v0_next(s), text[2] = { space, 0 };
    struct qn_v0_name n;

    qn_v0_path(s, value);
    n = qn_v0_identifier(s, true);
    if (isupper((unsigned char)space)) {
        qn_v0_put(s, "::{");
        qn_v0_put(s, space == 'C' ? "closure" : space == 'S' ? "shim" : text);
        qn_v0_put(s, n.length ? ":" : "");
        qn_v0_put_bytes(s, n.text, n.length);
        qn_v0_put(s, "#");
        qn_v0_put_number(s, n.number);
        qn_v0_put(s, "}");
    } else if (n.length) {
        qn_v0_put(s, "::");
        qn_v0_put_bytes(s, n.text, n.length);
    }
}

static void impl(struct qn_v0 *s, char tag)
{
    bool silent = s->silent;

    if (tag != 'Y') { /* where the impl stands is not shown */
        qn_v0_optional62(s, 's');
        s->silent = true;
        qn_v0_path(s, false);
        s->silent = silent;
    }
    qn_v0_put(s, "<");
    qn_v0_type(s);
    if (tag != 'M') {
        qn_v0_put(s, " as ");
        qn_v0_path(s, false);
    }
    qn_v0_put(s, ">");
}

void qn_v0_path(struct qn_v0 *s, bool value)
{
    struct qn_v0_name n;
    char tag;

    if (!qn_v0_enter(s))
        return;
    switch (tag = qn_v0_next(s)) {
    case 'C':
        n = qn_v0_identifier(s, true);
        qn_v0_put_bytes(s, n.text, n.length);
        break;
    case 'N':
        nested(s, value);
        break;
    case 'M':
    case 'X':
    case 'Y':
        impl(s, tag);
        break;
    case 'I':
        qn_v0_path(s, value);
        qn_v0_put(s, value ? "::<" : "<");
        qn_v0_list(s, ", ", qn_v0_generic_argument);
        qn_v0_put(s, ">");
        break;
    case 'B':
        qn_v0_back(s, value ? path_in_value : path_in_type);
        break;
    default:
        s->bad = true;
    }
    s->depth--;
}

/* Hexadecimal digits up to "_". */
static void number(struct qn_v0 *s, bool is_bool, bool is_char)
{
    const char *start = s->p;
    uint64_t n = strtoull(start, NULL, 16);
    char text[32];

    s->p += strspn(s->p, "0123456789abcdef");
    if (!qn_v0_eat(s, '_'))
        s->bad = true;
    if (s->p - start - 1 > 16) {
        qn_v0_put(s, "0x");
        qn_v0_put_bytes(s, start, (size_t)(s->p - start - 1));
    } else if (is_bool) {
        qn_v0_put(s, n ? "true" : "false");
    } else if (is_char && n >= 0x20 && n < 0x7f) {
        snprintf(text, sizeof text, "'%s%c'", n == '\'' || n == '\\' ? "\\" : "", (char)n);
        qn_v0_put(s, text);
    } else if (is_char) {
        snprintf(text, sizeof text, "'\\u{%llx}'", (unsigned long long)n);
        qn_v0_put(s, text);
    } else {
        qn_v0_put_number(s, n);
    }
}

void qn_v0_constant(struct qn_v0 *s)
{
    char tag;

    if (!qn_v0_enter(s))
        return;
    tag = qn_v0_next(s);
    if (tag == 'B') {
        qn_v0_back(s, qn_v0_constant);
    } else if (tag == 'p') {
        qn_v0_put(s, "_");
    } else if (tag && strchr("htmyojbc", tag)) {
        number(s, tag == 'b', tag == 'c');
    } else if (tag && strchr("aslxni", tag)) {
        if (qn_v0_eat(s, 'n'))
            qn_v0_put(s, "-");
        number(s, false, false);
    } else {
        s->bad = true;
    }
    s->depth--;
}

char *qn_debug_demangle_v0(const char *name)
{
    struct qn_v0 s = { 0 };

    if (strncmp(name, "_R", 2) || !(s.out = malloc(QN_V0_OUTPUT_MAX)))
        return NULL;
    s.text = s.p = name + 2;
    qn_v0_path(&s, true);
    if (!s.bad && isupper((unsigned char)*s.p)) { /* the crate that it was made for */
        s.silent = true;
        qn_v0_path(&s, false);
    }
    if (s.bad || (*s.p && *s.p != '.' && *s.p != '$')) {
        free(s.out);
        return NULL;
    }
    s.out[s.size] = 0;
    return realloc(s.out, s.size + 1);
}
