/* lib/debug/demangle_v0_text.c - reading letters and numbers of Rust's v0 names, and printing: see demangle_v0.h. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "debug/demangle_v0.h"

void qn_v0_put_bytes(struct qn_v0 *s, const char *text, size_t n)
{
    if (s->silent || s->bad)
        return;
    if (n >= QN_V0_OUTPUT_MAX - s->size) {
        s->bad = true;
        return;
    }
    memcpy(s->out + s->size, text, n);
    s->size += n;
}

void qn_v0_put(struct qn_v0 *s, const char *text)
{
    qn_v0_put_bytes(s, text, strlen(text));
}

void qn_v0_put_number(struct qn_v0 *s, uint64_t n)
{
    char text[24];

    snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    qn_v0_put(s, text);
}

bool qn_v0_eat(struct qn_v0 *s, char c)
{
    if (s->bad || *s->p != c)
        return false;
    s->p++;
    return true;
}

char qn_v0_next(struct qn_v0 *s)
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

uint64_t qn_v0_base62(struct qn_v0 *s)
{
    uint64_t n = 0;

    if (qn_v0_eat(s, '_'))
        return 0;
    while (!s->bad && !qn_v0_eat(s, '_')) {
        char c = qn_v0_next(s);

        if (!isalnum((unsigned char)c) || __builtin_mul_overflow(n, 62, &n)
            || __builtin_add_overflow(n, digit62(c), &n))
            s->bad = true;
    }
    if (__builtin_add_overflow(n, 1, &n))
        s->bad = true;
    return s->bad ? 0 : n;
}

uint64_t qn_v0_optional62(struct qn_v0 *s, char tag)
{
    return qn_v0_eat(s, tag) ? qn_v0_base62(s) + 1 : 0;
}

struct qn_v0_name qn_v0_identifier(struct qn_v0 *s, bool numbered)
{
    struct qn_v0_name n = { "", 0, numbered ? qn_v0_optional62(s, 's') : 0 };

    qn_v0_eat(s, 'u'); /* punycode */
    if (!isdigit((unsigned char)*s->p))
        s->bad = true;
    while (!s->bad && isdigit((unsigned char)*s->p)) {
        n.length = n.length * 10 + (size_t)(*s->p++ - '0');
        if (n.length == 0)
            break;
        s->bad = n.length > QN_V0_OUTPUT_MAX;
    }
    qn_v0_eat(s, '_');
    if (s->bad || strnlen(s->p, n.length) < n.length) {
        s->bad = true;
        return (struct qn_v0_name){ "", 0, 0 };
    }
    n.text = s->p;
    s->p += n.length;
    return n;
}

bool qn_v0_enter(struct qn_v0 *s)
{
    if (++s->steps > QN_V0_STEPS_MAX || ++s->depth > QN_V0_DEPTH_MAX)
        s->bad = true;
    return !s->bad;
}

void qn_v0_back(struct qn_v0 *s, void (*print)(struct qn_v0 *))
{
    const char *here = s->p - 1;
    uint64_t at = qn_v0_base62(s);
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

unsigned qn_v0_list(struct qn_v0 *s, const char *separator, void (*item)(struct qn_v0 *))
{
    unsigned n = 0;

    while (!s->bad && !qn_v0_eat(s, 'E')) {
        if (n++)
            qn_v0_put(s, separator);
        item(s);
    }
    return n;
}
