/*
 * Search and replace on names, by PCRE2. See subst.h.
 *
 * In:  "s/a(b)/<$1>/g" on "ab-ab"
 * Out: "<b>-<b>"
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/subst.h"

#include <ctype.h>
#include <limits.h>
#include <pcre2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "text/escape.h"

enum { LITERAL = -1 };

enum { HEAP_KIB_MAX = 1 << 16 };

/* The limit: how many items of the pattern are tried on a name of n bytes, in all searches of it together. A name of 100 bytes usually
 * takes some hundreds. */
#define STEPS(n) (2000000L + 100L * (long)(n))

struct qn_text_subst {
    pcre2_code *characters, *bytes; /* the pattern for texts in UTF-8, NULL where it is not UTF-8 itself; and for others */
    pcre2_match_data *data;
    pcre2_match_context *context;
    struct qn_text_buffer new;      /* as pcre2_substitute wants it: $$ for a dollar, ${1} for a group */
    uint32_t options;
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

/* ---- the pattern ---- */

/* The length of a set with its brackets, []a] and [^[:alpha:]] included; what is left where it is not closed. */
static size_t length_of_set(const char *p, size_t n)
{
    size_t i = n > 1 && p[1] == '^' ? 2 : 1;
    for (i += i < n && p[i] == ']'; i < n && p[i] != ']'; i++) {
        if (p[i] == '\\')
            i++;
        else if (p[i] == '[' && i + 1 < n && p[i + 1] == ':')
            while (i + 2 < n && p[i + 2] != ']')
                i++;
    }
    return i < n ? i + 1 : n;
}

/* Copies the pattern with {,n} as {0,n}, which Perl, Python and PCRE2 since 10.43 take it for; `to` has room for
 * 2n bytes. Returns the new length. */
static size_t put_lower_bounds(const char *p, size_t n, char *to)
{
    size_t length = 0;
    for (size_t i = 0, part; i < n; i += part) {
        part = p[i] == '\\' && i + 1 < n ? 2 : p[i] == '[' ? length_of_set(p + i, n - i) : 1;
        memcpy(to + length, p + i, part);
        length += part;
        if (p[i] == '{' && i + 1 < n && p[i + 1] == ',')
            to[length++] = '0';
    }
    return length;
}

static pcre2_code *compile(const char *pattern, size_t n, uint32_t options, int *error)
{
    size_t offset;
    return pcre2_compile((PCRE2_SPTR)pattern, n, options | PCRE2_AUTO_CALLOUT | PCRE2_NEVER_BACKSLASH_C, error,
                         &offset, NULL);
}

/* Both forms of the pattern. Returns PCRE2's number of what is wrong with it, or 0. */
static int compile_both(struct qn_text_subst *s, const char *pattern, size_t n, uint32_t options)
{
    int error = 0;
    s->characters = compile(pattern, n, options | PCRE2_UTF | PCRE2_UCP, &error);
    if (!s->characters && error > 0)
        return error;
    s->bytes = compile(pattern, n, options | PCRE2_NEVER_UTF, &error);
    return s->bytes ? 0 : error;
}

static int refuse(int error, struct qn_text_error *err)
{
    char text[256] = "";
    pcre2_get_error_message(error, (PCRE2_UCHAR *)text, sizeof text);
    qn_text_fail(err, QN_TEXT_BAD, "%s", text);
    return -1;
}

static int compile_old(struct qn_text_subst *s, const struct qn_text_buffer *old, int ignore_case, struct qn_text_error *err)
{
    char *bounded = QN_NEEDED(malloc(2 * old->length + 1));
    int error = compile_both(s, bounded, put_lower_bounds(old->text, old->length, bounded), ignore_case ? PCRE2_CASELESS : 0);
    free(bounded);
    if (error)
        return refuse(error, err);
    s->data = QN_NEEDED(pcre2_match_data_create_from_pattern(s->bytes, NULL));
    s->context = QN_NEEDED(pcre2_match_context_create(NULL));
    pcre2_set_heap_limit(s->context, HEAP_KIB_MAX);
    return 0;
}

/* ---- s/old/new/flags ---- */

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

static int take_flags(struct qn_text_subst *s, const char *flags, int *ignore_case, struct qn_text_error *err)
{
    for (; *flags; flags++) {
        if (*flags == 'g')
            s->options |= PCRE2_SUBSTITUTE_GLOBAL;
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

/* Puts the next literal byte, or group, of the new text at the end of `new`. */
static int take_part(const char **at, struct qn_text_buffer *new, int groups, struct qn_text_error *err)
{
    char text[16];
    int group = **at == '\\' || **at == '$' ? take_group(at) : LITERAL, c = 0;
    if (group > groups)
        return qn_text_fail(err, QN_TEXT_BAD, "group %d does not exist", group), -1;
    if (group == LITERAL && **at == '\\') {
        (*at)++;
        c = escaped_char(at);
        if (c <= 0)
            return qn_text_fail(err, QN_TEXT_BAD, "an escape in the new text that is not known"), -1;
    } else if (group == LITERAL) {
        c = (unsigned char)*(*at)++;
    }
    if (group != LITERAL)
        snprintf(text, sizeof text, "${%d}", group);
    else
        snprintf(text, sizeof text, c == '$' ? "$$" : "%c", c);
    qn_text_append(new, text, strlen(text));
    return 0;
}

static int parse_new(struct qn_text_subst *s, const char *text, struct qn_text_error *err)
{
    uint32_t groups = 0;
    pcre2_pattern_info(s->bytes, PCRE2_INFO_CAPTURECOUNT, &groups);
    qn_text_append(&s->new, "", 0);
    while (*text)
        if (take_part(&text, &s->new, (int)groups, err) != 0)
            return -1;
    return 0;
}

struct qn_text_subst *qn_text_parse_subst(const char *expression, struct qn_text_error *err)
{
    struct qn_text_buffer old = {0}, new = {0};
    struct qn_text_subst *s = QN_NEEDED(calloc(1, sizeof *s));
    int ignore_case = 0;
    const char *flags = cut(expression, &old, &new, err);
    int ok = flags && take_flags(s, flags, &ignore_case, err) == 0 && compile_old(s, &old, ignore_case, err) == 0 &&
             parse_new(s, new.text, err) == 0;
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
    pcre2_code_free(s->characters);
    pcre2_code_free(s->bytes);
    pcre2_match_data_free(s->data);
    pcre2_match_context_free(s->context);
    free(s->new.text);
    free(s);
}

/* ---- a name ---- */

/* PCRE2 calls this before each item of the pattern. Its own limit holds for one search; this one for all searches of a name. */
static int take_step(pcre2_callout_block *block, void *steps)
{
    (void)block;
    return --*(long *)steps < 0 ? PCRE2_ERROR_MATCHLIMIT : 0;
}

static int fail(int error, size_t n, struct qn_text_error *err)
{
    if (error == PCRE2_ERROR_MATCHLIMIT || error == PCRE2_ERROR_HEAPLIMIT || error == PCRE2_ERROR_DEPTHLIMIT)
        qn_text_fail(err, QN_TEXT_BAD, "a regular expression needs more than %ld steps, or %d MiB, on one name", STEPS(n), HEAP_KIB_MAX / 1024);
    else if (error == PCRE2_ERROR_BADSUBSPATTERN)
        qn_text_fail(err, QN_TEXT_BAD, "\\K puts the start of a match outside of it");
    else
        refuse(error, err);
    return -1;
}

int qn_text_apply_subst(const struct qn_text_subst *s, const char *name, size_t n,
                        struct qn_text_buffer *out, struct qn_text_error *err)
{
    const pcre2_code *code = s->characters && qn_text_is_utf8(name, n) && qn_text_is_utf8(s->new.text, s->new.length) ? s->characters : s->bytes;
    size_t room = 2 * n + s->new.length + 1;
    int found;
    do {
        long steps = STEPS(n);
        pcre2_set_callout(s->context, take_step, &steps);
        if (out->room < room)
            out->text = QN_NEEDED(realloc(out->text, out->room = room));
        out->length = room = out->room;
        found = pcre2_substitute(code, (PCRE2_SPTR)name, n, 0,
                                 s->options | PCRE2_NO_UTF_CHECK | PCRE2_SUBSTITUTE_UNSET_EMPTY | PCRE2_SUBSTITUTE_OVERFLOW_LENGTH, s->data,
                                 s->context, (PCRE2_SPTR)s->new.text, s->new.length, (PCRE2_UCHAR *)out->text, &room);
    } while (found == PCRE2_ERROR_NOMEMORY && room > out->room);
    out->length = found < 0 ? 0 : room;
    return found < 0 ? fail(found, n, err) : 0;
}
