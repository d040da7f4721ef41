/* lib/debug/demangle_v0.c - Rust's names since 2021 ("v0", Rust RFC 2603).
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

#include "debug/internal.h"

#define OUTPUT_MAX 65536
#define DEPTH_MAX 200
#define STEPS_MAX 100000

struct parser {
    const char *text, *p; /* text: behind "_R", where back references count from */
    char *out;
    size_t size;
    unsigned depth, steps, lifetimes;
    bool silent, bad;
};

struct name {
    const char *text;
    size_t length;
    uint64_t number; /* disambiguator */
};

static void path(struct parser *s, bool value);
static void type(struct parser *s);
static void constant(struct parser *s);

static void put_bytes(struct parser *s, const char *text, size_t n)
{
    if (s->silent || s->bad)
        return;
    if (n >= OUTPUT_MAX - s->size) {
        s->bad = true;
        return;
    }
    memcpy(s->out + s->size, text, n);
    s->size += n;
}

static void put(struct parser *s, const char *text)
{
    put_bytes(s, text, strlen(text));
}

static void put_number(struct parser *s, uint64_t n)
{
    char text[24];

    snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    put(s, text);
}

static bool eat(struct parser *s, char c)
{
    if (s->bad || *s->p != c)
        return false;
    s->p++;
    return true;
}

static char next(struct parser *s)
{
    if (s->bad || !*s->p) {
        s->bad = true;
        return 0;
    }
    return *s->p++;
}

static unsigned digit62(char c)
{
    if (isdigit((unsigned char)c))
        return (unsigned)(c - '0');
    return (unsigned)(islower((unsigned char)c) ? c - 'a' + 10 : c - 'A' + 36);
}

/* "_" is 0, "0_" is 1, digits are 0-9a-zA-Z. */
static uint64_t base62(struct parser *s)
{
    uint64_t n = 0;

    if (eat(s, '_'))
        return 0;
    while (!s->bad && !eat(s, '_')) {
        char c = next(s);

        if (!isalnum((unsigned char)c) || __builtin_mul_overflow(n, 62, &n)
            || __builtin_add_overflow(n, digit62(c), &n))
            s->bad = true;
    }
    if (__builtin_add_overflow(n, 1, &n))
        s->bad = true;
    return s->bad ? 0 : n;
}

static uint64_t optional62(struct parser *s, char tag)
{
    return eat(s, tag) ? base62(s) + 1 : 0;
}

static struct name identifier(struct parser *s, bool numbered)
{
    struct name n = { "", 0, numbered ? optional62(s, 's') : 0 };

    eat(s, 'u'); /* punycode */
    if (!isdigit((unsigned char)*s->p))
        s->bad = true;
    while (!s->bad && isdigit((unsigned char)*s->p)) {
        n.length = n.length * 10 + (size_t)(*s->p++ - '0');
        if (n.length == 0)
            break;
        s->bad = n.length > OUTPUT_MAX;
    }
    eat(s, '_');
    if (s->bad || strnlen(s->p, n.length) < n.length) {
        s->bad = true;
        return (struct name){ "", 0, 0 };
    }
    n.text = s->p;
    s->p += n.length;
    return n;
}

static bool enter(struct parser *s)
{
    if (++s->steps > STEPS_MAX || ++s->depth > DEPTH_MAX)
        s->bad = true;
    return !s->bad;
}

/* Goes back to an earlier place and prints from there.  The tag has been read. */
static void back(struct parser *s, void (*print)(struct parser *))
{
    const char *here = s->p - 1;
    uint64_t at = base62(s);
    const char *after = s->p;

    if (s->bad || at >= (uint64_t)(here - s->text)) {
        s->bad = true;
        return;
    }
    if (s->silent)
        return;
    s->p = s->text + at;
    print(s);
    s->p = after;
}

static void path_in_type(struct parser *s)
{
    path(s, false);
}

static void path_in_value(struct parser *s)
{
    path(s, true);
}

static void lifetime(struct parser *s, uint64_t index)
{
    uint64_t depth = s->lifetimes - index;
    char letter = (char)('a' + depth);

    put(s, "'");
    if (index == 0) {
        put(s, "_");
    } else if (index > s->lifetimes) {
        s->bad = true;
    } else if (depth < 26) {
        put_bytes(s, &letter, 1);
    } else {
        put(s, "_");
        put_number(s, depth);
    }
}

/* Prints "for<'a, 'b> "; returns how many lifetimes were bound. */
static unsigned binder(struct parser *s)
{
    uint64_t n = optional62(s, 'G');

    if (n > DEPTH_MAX)
        s->bad = true;
    for (uint64_t i = 0; i < n && !s->bad; i++) {
        put(s, i ? ", " : "for<");
        s->lifetimes++;
        lifetime(s, 1);
    }
    if (n && !s->bad)
        put(s, "> ");
    return s->bad ? 0 : (unsigned)n;
}

static void generic_argument(struct parser *s)
{
    if (eat(s, 'L'))
        lifetime(s, base62(s));
    else if (eat(s, 'K'))
        constant(s);
    else
        type(s);
}

/* Items up to E; returns their number. */
static unsigned list(struct parser *s, const char *separator, void (*item)(struct parser *))
{
    unsigned n = 0;

    while (!s->bad && !eat(s, 'E')) {
        if (n++)
            put(s, separator);
        item(s);
    }
    return n;
}

static void nested(struct parser *s, bool value)
{
    char space = next(s), text[2] = { space, 0 };
    struct name n;

    path(s, value);
    n = identifier(s, true);
    if (isupper((unsigned char)space)) {
        put(s, "::{");
        put(s, space == 'C' ? "closure" : space == 'S' ? "shim" : text);
        put(s, n.length ? ":" : "");
        put_bytes(s, n.text, n.length);
        put(s, "#");
        put_number(s, n.number);
        put(s, "}");
    } else if (n.length) {
        put(s, "::");
        put_bytes(s, n.text, n.length);
    }
}

static void impl(struct parser *s, char tag)
{
    bool silent = s->silent;

    if (tag != 'Y') { /* where the impl stands is not shown */
        optional62(s, 's');
        s->silent = true;
        path(s, false);
        s->silent = silent;
    }
    put(s, "<");
    type(s);
    if (tag != 'M') {
        put(s, " as ");
        path(s, false);
    }
    put(s, ">");
}

static void path(struct parser *s, bool value)
{
    struct name n;
    char tag;

    if (!enter(s))
        return;
    switch (tag = next(s)) {
    case 'C':
        n = identifier(s, true);
        put_bytes(s, n.text, n.length);
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
        path(s, value);
        put(s, value ? "::<" : "<");
        list(s, ", ", generic_argument);
        put(s, ">");
        break;
    case 'B':
        back(s, value ? path_in_value : path_in_type);
        break;
    default:
        s->bad = true;
    }
    s->depth--;
}

static const char *basic_type(char tag)
{
    static const char *const names[26] = {
        ['a' - 'a'] = "i8", ['b' - 'a'] = "bool", ['c' - 'a'] = "char", ['d' - 'a'] = "f64", ['e' - 'a'] = "str",
        ['f' - 'a'] = "f32", ['h' - 'a'] = "u8", ['i' - 'a'] = "isize", ['j' - 'a'] = "usize", ['l' - 'a'] = "i32",
        ['m' - 'a'] = "u32", ['n' - 'a'] = "i128", ['o' - 'a'] = "u128", ['p' - 'a'] = "_", ['s' - 'a'] = "i16",
        ['t' - 'a'] = "u16", ['u' - 'a'] = "()", ['v' - 'a'] = "...", ['x' - 'a'] = "i64", ['y' - 'a'] = "u64",
        ['z' - 'a'] = "!",
    };

    return tag >= 'a' && tag <= 'z' ? names[tag - 'a'] : NULL;
}

static void reference(struct parser *s, bool mutable)
{
    put(s, "&");
    if (eat(s, 'L')) {
        uint64_t index = base62(s);

        if (index) {
            lifetime(s, index);
            put(s, " ");
        }
    }
    put(s, mutable ? "mut " : "");
    type(s);
}

static void abi(struct parser *s)
{
    struct name n = { "C", 1, 0 };

    if (!eat(s, 'C'))
        n = identifier(s, false);
    put(s, "extern \"");
    for (size_t i = 0; i < n.length; i++)
        put_bytes(s, n.text[i] == '_' ? "-" : n.text + i, 1);
    put(s, "\" ");
}

static void function(struct parser *s)
{
    unsigned bound = binder(s);

    if (eat(s, 'U'))
        put(s, "unsafe ");
    if (eat(s, 'K'))
        abi(s);
    put(s, "fn(");
    list(s, ", ", type);
    put(s, ")");
    if (!eat(s, 'u')) {
        put(s, " -> ");
        type(s);
    }
    s->lifetimes -= bound;
}

/* The path of a trait; true: "<" is left open for more arguments. */
static bool open_path(struct parser *s)
{
    const char *here = s->p, *after;
    bool open;

    if (!enter(s))
        return false;
    if (eat(s, 'B')) {
        uint64_t at = base62(s);

        after = s->p;
        if (s->bad || at >= (uint64_t)(here - s->text)) {
            s->bad = true;
            return false;
        }
        s->p = s->text + at;
        open = open_path(s);
        s->p = after;
    } else if ((open = eat(s, 'I'))) {
        path(s, false);
        put(s, "<");
        list(s, ", ", generic_argument);
    } else {
        path(s, false);
    }
    s->depth--;
    return open;
}

static void trait(struct parser *s)
{
    bool open = open_path(s);

    while (eat(s, 'p')) {
        struct name n = identifier(s, false);

        put(s, open ? ", " : "<");
        open = true;
        put_bytes(s, n.text, n.length);
        put(s, " = ");
        type(s);
    }
    if (open)
        put(s, ">");
}

static void dynamic(struct parser *s)
{
    unsigned bound;
    uint64_t index;

    put(s, "dyn ");
    bound = binder(s);
    list(s, " + ", trait);
    s->lifetimes -= bound;
    if (!eat(s, 'L'))
        s->bad = true;
    index = base62(s);
    if (index) {
        put(s, " + ");
        lifetime(s, index);
    }
}

static void array(struct parser *s, bool sized)
{
    put(s, "[");
    type(s);
    if (sized) {
        put(s, "; ");
        constant(s);
    }
    put(s, "]");
}

static void tuple(struct parser *s)
{
    put(s, "(");
    if (list(s, ", ", type) == 1)
        put(s, ",");
    put(s, ")");
}

static void pointer(struct parser *s, bool mutable)
{
    put(s, mutable ? "*mut " : "*const ");
    type(s);
}

static void compound_type(struct parser *s, char tag)
{
    switch (tag) {
    case 'R':
    case 'Q':
        reference(s, tag == 'Q');
        break;
    case 'P':
    case 'O':
        pointer(s, tag == 'O');
        break;
    case 'A':
    case 'S':
        array(s, tag == 'A');
        break;
    case 'T':
        tuple(s);
        break;
    case 'F':
        function(s);
        break;
    case 'D':
        dynamic(s);
        break;
    case 'B':
        back(s, type);
        break;
    default:
        s->p--;
        path(s, false);
    }
}

static void type(struct parser *s)
{
    char tag;

    if (!enter(s))
        return;
    tag = next(s);
    if (basic_type(tag))
        put(s, basic_type(tag));
    else if (!s->bad)
        compound_type(s, tag);
    s->depth--;
}

/* Hexadecimal digits up to "_". */
static void number(struct parser *s, bool is_bool, bool is_char)
{
    const char *start = s->p;
    uint64_t n = strtoull(start, NULL, 16);
    char text[32];

    s->p += strspn(s->p, "0123456789abcdef");
    if (!eat(s, '_'))
        s->bad = true;
    if (s->p - start - 1 > 16) {
        put(s, "0x");
        put_bytes(s, start, (size_t)(s->p - start - 1));
    } else if (is_bool) {
        put(s, n ? "true" : "false");
    } else if (is_char && n >= 0x20 && n < 0x7f) {
        snprintf(text, sizeof text, "'%s%c'", n == '\'' || n == '\\' ? "\\" : "", (char)n);
        put(s, text);
    } else if (is_char) {
        snprintf(text, sizeof text, "'\\u{%llx}'", (unsigned long long)n);
        put(s, text);
    } else {
        put_number(s, n);
    }
}

static void constant(struct parser *s)
{
    char tag;

    if (!enter(s))
        return;
    tag = next(s);
    if (tag == 'B') {
        back(s, constant);
    } else if (tag == 'p') {
        put(s, "_");
    } else if (tag && strchr("htmyojbc", tag)) {
        number(s, tag == 'b', tag == 'c');
    } else if (tag && strchr("aslxni", tag)) {
        if (eat(s, 'n'))
            put(s, "-");
        number(s, false, false);
    } else {
        s->bad = true;
    }
    s->depth--;
}

char *qn_debug_demangle_v0(const char *name)
{
    struct parser s = { 0 };

    if (strncmp(name, "_R", 2) || !(s.out = malloc(OUTPUT_MAX)))
        return NULL;
    s.text = s.p = name + 2;
    path(&s, true);
    if (!s.bad && isupper((unsigned char)*s.p)) { /* the crate that it was made for */
        s.silent = true;
        path(&s, false);
    }
    if (s.bad || (*s.p && *s.p != '.' && *s.p != '$')) {
        free(s.out);
        return NULL;
    }
    s.out[s.size] = 0;
    return realloc(s.out, s.size + 1);
}
