/*
 * Search and replace on names. See subst.h.
 *
 * In:  "s/a(b)/<$1>/g" on "ab-ab"
 * Out: "<b>-<b>"
 *
 * Invariant: `parts` holds the replacement as literal texts and group numbers, checked against the
 * pattern's groups when it was parsed.
 */
#include "text/subst.h"

#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "text/regex.h"

enum { LITERAL = -1 };

struct part {
    int group; /* LITERAL: the byte `c` */
    char c;
};

struct qn_text_subst {
    struct qn_text_regex *regex;
    struct part *parts;
    size_t part_count;
    int global;
};

void qn_text_append(struct qn_text_buffer *out, const char *bytes, size_t n)
{
    if (out->length + n + 1 > out->room) {
        out->room = (out->length + n + 1) * 2;
        out->text = QN_NEEDED(realloc(out->text, out->room));
    }
    memcpy(out->text + out->length, bytes, n);
    out->length += n;
    out->text[out->length] = '\0';
}

/* Copies the piece up to its `close`; returns what follows that, or NULL. A close behind a backslash does not end the
 * piece; that backslash is dropped if open and close are the same byte. If they differ, they nest. */
static const char *take_piece(const char *at, char open, char close, struct qn_text_buffer *piece,
                              struct qn_text_error *err)
{
    int nested = 0;
    qn_text_append(piece, "", 0);
    for (; *at && (*at != close || nested > 0); at++) {
        if (*at == '\\' && at[1] == close && open == close)
            at++;
        else if (*at == '\\' && at[1])
            qn_text_append(piece, at++, 1);
        else if (open != close)
            nested += *at == open ? 1 : *at == close ? -1 : 0;
        qn_text_append(piece, at, 1);
    }
    if (*at)
        return at + 1;
    qn_text_fail(err, QN_TEXT_BAD, "a closing %c is missing", close);
    return NULL;
}

static char closing(char open)
{
    switch (open) {
    case '(': return ')';
    case '[': return ']';
    case '{': return '}';
    case '<': return '>';
    default: return open;
    }
}

/* Cuts s/old/new/flags, s{old}{new}flags. Returns the flags, or NULL. */
static const char *cut(const char *text, struct qn_text_buffer *old, struct qn_text_buffer *new,
                       struct qn_text_error *err)
{
    if (text[0] != 's' || !ispunct((unsigned char)text[1]) || text[1] == '\\' || text[1] == '_') {
        qn_text_fail(err, QN_TEXT_BAD, "it is not of the form s/old/new/");
        return NULL;
    }
    char open = text[1], close = closing(open);
    const char *at = take_piece(text + 2, open, close, old, err);
    if (at && open != close) {
        if (*at != open) {
            qn_text_fail(err, QN_TEXT_BAD, "no second %c after the first piece", open);
            return NULL;
        }
        at++;
    }
    return at ? take_piece(at, open, close, new, err) : NULL;
}

static int take_flags(const char *flags, int *global, int *ignore_case, struct qn_text_error *err)
{
    for (; *flags; flags++) {
        if (*flags == 'g')
            *global = 1;
        else if (*flags == 'i')
            *ignore_case = 1;
        else
            return qn_text_fail(err, QN_TEXT_BAD, "a flag that is neither g nor i"), -1;
    }
    return 0;
}

/* \1, $1, ${1}, $&, \0, \g<1>: the group; LITERAL where the text at *at is none of them. A number may have several
 * digits. */
static int take_group(const char **at)
{
    const char *p = *at;
    char lead = *p++;
    const char *close = lead == '$' && *p == '{' ? "}" : strncmp(p, "g<", 2) == 0 ? ">" : "";
    if (lead == '$' && *p == '&') {
        *at = p + 1;
        return 0;
    }
    p += *close == '}' ? 1 : *close == '>' ? 2 : 0;
    char *end;
    if (!isdigit((unsigned char)*p) || (lead == '$' && *p == '0'))
        return LITERAL;
    unsigned long group = strtoul(p, &end, 10);
    if (strncmp(end, close, strlen(close)) != 0)
        return LITERAL;
    *at = end + strlen(close);
    return group < INT_MAX ? (int)group : INT_MAX;
}

/* The byte that \t, \x41 or \. stands for; *at is behind the backslash and is moved past the escape. -1: not known. */
static int escaped_char(const char **at)
{
    static const char letters[] = "tnrfvae", bytes[] = "\t\n\r\f\v\a\x1b";
    char c = **at, digits[3] = "";
    const char *known = c ? strchr(letters, c) : NULL;
    if (c == 'x' && isxdigit((unsigned char)(*at)[1]) && isxdigit((unsigned char)(*at)[2])) {
        memcpy(digits, *at + 1, 2);
        return *at += 3, (int)strtoul(digits, NULL, 16);
    }
    if (!known && (!c || isalnum((unsigned char)c)))
        return -1;
    (*at)++;
    return known ? bytes[known - letters] : (unsigned char)c;
}

static int take_part(const char **at, struct part *part, int groups, struct qn_text_error *err)
{
    part->group = LITERAL;
    if (**at == '\\' || **at == '$')
        part->group = take_group(at);
    if (part->group > groups)
        return qn_text_fail(err, QN_TEXT_BAD, "group %d does not exist", part->group), -1;
    if (part->group != LITERAL)
        return 0;
    if (**at != '\\') {
        part->c = *(*at)++;
        return 0;
    }
    (*at)++;
    int c = escaped_char(at);
    if (c <= 0)
        return qn_text_fail(err, QN_TEXT_BAD, "an escape in the new text that is not known"), -1;
    part->c = (char)c;
    return 0;
}

static int parse_new(struct qn_text_subst *s, const char *text, struct qn_text_error *err)
{
    s->parts = QN_NEEDED(calloc(strlen(text) + 1, sizeof *s->parts));
    int groups = qn_text_regex_groups(s->regex);
    while (*text)
        if (take_part(&text, &s->parts[s->part_count++], groups, err) != 0)
            return -1;
    return 0;
}

struct qn_text_subst *qn_text_parse_subst(const char *expression, struct qn_text_error *err)
{
    struct qn_text_buffer old = {0}, new = {0};
    struct qn_text_subst *s = QN_NEEDED(calloc(1, sizeof *s));
    int ignore_case = 0, ok = 0;
    const char *flags = cut(expression, &old, &new, err);
    if (flags && take_flags(flags, &s->global, &ignore_case, err) == 0) {
        s->regex = qn_text_compile_regex(old.text, old.length, ignore_case, err);
        ok = s->regex && parse_new(s, new.text, err) == 0;
    }
    free(old.text);
    free(new.text);
    if (ok)
        return s;
    qn_text_free_subst(s);
    return NULL;
}

void qn_text_free_subst(struct qn_text_subst *s)
{
    if (!s)
        return;
    qn_text_free_regex(s->regex);
    free(s->parts);
    free(s);
}

static void put_new(const struct qn_text_subst *s, const char *name, const size_t *spans, struct qn_text_buffer *out)
{
    for (size_t i = 0; i < s->part_count; i++) {
        const struct part *part = &s->parts[i];
        const size_t *span = spans + 2 * part->group;
        if (part->group == LITERAL)
            qn_text_append(out, &part->c, 1);
        else if (span[0] != SIZE_MAX)
            qn_text_append(out, name + span[0], span[1] - span[0]);
    }
}

int qn_text_apply_subst(const struct qn_text_subst *s, const char *name, size_t n,
                        struct qn_text_buffer *out, struct qn_text_error *err)
{
    struct qn_text_search search = {.re = s->regex, .text = name, .n = n};
    const size_t *spans;
    size_t at = 0;
    int found;
    out->length = 0;
    while ((found = qn_text_next_match(&search, &spans, err)) == 1) {
        qn_text_append(out, name + at, spans[0] - at);
        put_new(s, name, spans, out);
        at = spans[1];
        if (!s->global)
            break;
    }
    if (found < 0)
        return -1;
    qn_text_append(out, name + at, n - at);
    return 0;
}
