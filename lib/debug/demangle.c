/* lib/debug/demangle.c - readable names of C++ and Rust functions.
 *
 * In:  _ZN3foo3barEi                                Out: foo::bar(int)
 *      _ZN4core3fmt5write17h0123456789abcdefE       Out: core::fmt::write
 *
 * C++ names go to the demangler of libiberty, the same as that of libstdc++; a quern that was built
 * without it looks for __cxa_demangle of libstdc++ at run time, and where there is none the names
 * stay as they are.  Rust's older scheme is C++'s form with a hash at the end and a few
 * escapes, and is read here; its newer one in demangle_v0.c.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <ctype.h>
#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#else
#include <dlfcn.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/internal.h"

#define LLVM_SUFFIX ".llvm." /* and a number: a local function that the compiler made visible */
#define RUST_HASH 17 /* h and 16 hexadecimal digits */

static const struct {
    const char *code, *text;
} rust_escapes[] = {
    { "$SP$", "@" }, { "$BP$", "*" }, { "$RF$", "&" }, { "$LT$", "<" }, { "$GT$", ">" },
    { "$LP$", "(" }, { "$RP$", ")" }, { "$C$", "," },  { "..", "::" },
};

#ifdef HAVE_LIBIBERTY
static char *demangle_cxx(const char *name)
{
    return cplus_demangle_v3(name, DMGL_PARAMS);
}
#else
typedef char *demangle_function(const char *name, char *buffer, size_t *length, int *status);

static demangle_function *find_demangler(void)
{
    static demangle_function *found;
    static bool tried;

    if (!tried) {
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);

        tried = true;
        if (library)
            *(void **)&found = dlsym(library, "__cxa_demangle");
    }
    return found;
}

static char *demangle_cxx(const char *name)
{
    demangle_function *demangle = find_demangler();
    int status;

    return demangle ? demangle(name, NULL, NULL, &status) : NULL;
}
#endif

/* One component "5write": sets its bytes, returns what follows; NULL if malformed. */
static const char *next_component(const char *p, const char **text, size_t *length)
{
    char *end;

    if (!isdigit((unsigned char)*p))
        return NULL;
    *length = strtoul(p, &end, 10);
    if (*length == 0 || strnlen(end, *length) < *length)
        return NULL;
    *text = end;
    return end + *length;
}

static bool is_rust_hash(const char *text, size_t length)
{
    return length == RUST_HASH && text[0] == 'h' && strspn(text + 1, "0123456789abcdef") >= RUST_HASH - 1;
}

/* $u7e$ and the like: one ASCII character. */
static size_t decode_code_point(const char *p, size_t left, char *c)
{
    char *end;
    unsigned long value;

    if (left < 4 || strncmp(p, "$u", 2))
        return 0;
    value = strtoul(p + 2, &end, 16);
    if (*end != '$' || end + 1 > p + left || value < 0x20 || value > 0x7e)
        return 0;
    *c = (char)value;
    return (size_t)(end + 1 - p);
}

static size_t decode_escape(const char *p, size_t left, char **out)
{
    size_t used = decode_code_point(p, left, *out);

    if (used) {
        (*out)++;
        return used;
    }
    for (size_t i = 0; i < sizeof rust_escapes / sizeof rust_escapes[0]; i++) {
        size_t n = strlen(rust_escapes[i].code);

        if (n <= left && !strncmp(p, rust_escapes[i].code, n)) {
            *out = stpcpy(*out, rust_escapes[i].text);
            return n;
        }
    }
    *(*out)++ = *p;
    return 1;
}

static char *decode_component(const char *p, size_t length, char *out)
{
    size_t at = length > 1 && p[0] == '_' && p[1] == '$'; /* the underscore only protects the escape */

    while (at < length)
        at += decode_escape(p + at, length - at, &out);
    return out;
}

/* NULL if the name is not of Rust's older scheme. */
static char *demangle_rust(const char *name)
{
    const char *p = name + 3, *text, *next;
    size_t length;
    char *shown, *out;

    if (strncmp(name, "_ZN", 3) || !(out = shown = malloc(2 * strlen(name) + 1)))
        return NULL;
    while ((next = next_component(p, &text, &length))) {
        p = next;
        if (*p == 'E' && (p[1] == 0 || !strncmp(p + 1, LLVM_SUFFIX, strlen(LLVM_SUFFIX)))
            && is_rust_hash(text, length) && out != shown) {
            *out = 0;
            return shown;
        }
        if (out != shown)
            out = stpcpy(out, "::");
        out = decode_component(text, length, out);
    }
    free(shown);
    return NULL;
}

char *qn_debug_demangle(const char *name)
{
    char *shown;

    if (!strncmp(name, "_R", 2))
        return qn_debug_demangle_v0(name);
    if (strncmp(name, "_Z", 2))
        return NULL;
    shown = demangle_rust(name);
    return shown ? shown : demangle_cxx(name);
}
