/*
 * Regular expressions by PCRE2. See regex.h.
 *
 * In:  "x(a|b)+"
 * Out: the pattern compiled twice: for names in UTF-8, and for those that are not
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/regex.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { HEAP_KIB_MAX = 1 << 16 };

struct qn_text_regex {
    pcre2_code *characters, *bytes; /* the first is NULL where the pattern is not UTF-8 */
    pcre2_match_data *data;
    pcre2_match_context *context;
};

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
static int compile_both(struct qn_text_regex *re, const char *pattern, size_t n, uint32_t options)
{
    int error = 0;
    re->characters = compile(pattern, n, options | PCRE2_UTF | PCRE2_UCP, &error);
    if (!re->characters && error > 0)
        return error;
    re->bytes = compile(pattern, n, options | PCRE2_NEVER_UTF, &error);
    return re->bytes ? 0 : error;
}

static void refuse(int error, struct qn_text_error *err)
{
    char text[256] = "";
    pcre2_get_error_message(error, (PCRE2_UCHAR *)text, sizeof text);
    qn_text_fail(err, QN_TEXT_BAD, "%s", text);
}

struct qn_text_regex *qn_text_compile_regex(const char *pattern, size_t n, int ignore_case,
                                            struct qn_text_error *err)
{
    struct qn_text_regex *re = QN_NEEDED(calloc(1, sizeof *re));
    char *bounded = QN_NEEDED(malloc(2 * n + 1));
    int error = compile_both(re, bounded, put_lower_bounds(pattern, n, bounded), ignore_case ? PCRE2_CASELESS : 0);
    free(bounded);
    if (error) {
        refuse(error, err);
        qn_text_free_regex(re);
        return NULL;
    }
    re->data = QN_NEEDED(pcre2_match_data_create_from_pattern(re->bytes, NULL));
    re->context = QN_NEEDED(pcre2_match_context_create(NULL));
    pcre2_set_heap_limit(re->context, HEAP_KIB_MAX);
    return re;
}

void qn_text_free_regex(struct qn_text_regex *re)
{
    if (!re)
        return;
    pcre2_code_free(re->characters);
    pcre2_code_free(re->bytes);
    pcre2_match_data_free(re->data);
    pcre2_match_context_free(re->context);
    free(re);
}

int qn_text_regex_groups(const struct qn_text_regex *re)
{
    uint32_t groups = 0;
    pcre2_pattern_info(re->bytes, PCRE2_INFO_CAPTURECOUNT, &groups);
    return (int)groups;
}

/* PCRE2 calls this before each item of the pattern. Its own limit holds for one search; this one for all searches of a name. */
static int take_step(pcre2_callout_block *block, void *steps)
{
    (void)block;
    return --*(long *)steps < 0 ? PCRE2_ERROR_MATCHLIMIT : 0;
}

static int match(const struct qn_text_search *s)
{
    return pcre2_match(s->code, (PCRE2_SPTR)s->text, s->n, s->from, s->options, s->re->data, s->re->context);
}

/* The first match, which tests whether the text is UTF-8. */
static int begin(struct qn_text_search *s)
{
    s->begun = 1;
    s->steps = QN_TEXT_STEPS(s->n);
    s->code = s->re->characters;
    int found = s->code ? match(s) : PCRE2_ERROR_UTF8_ERR1;
    if (found <= PCRE2_ERROR_UTF8_ERR1 && found >= PCRE2_ERROR_UTF8_ERR21) {
        s->code = s->re->bytes;
        found = match(s);
    }
    s->options = PCRE2_NO_UTF_CHECK;
    return found;
}

static int fail(int error, size_t n, struct qn_text_error *err)
{
    if (error == PCRE2_ERROR_MATCHLIMIT || error == PCRE2_ERROR_HEAPLIMIT || error == PCRE2_ERROR_DEPTHLIMIT)
        qn_text_fail(err, QN_TEXT_BAD, "a regular expression needs more than %ld steps, or %d MiB, on one name",
                     QN_TEXT_STEPS(n), HEAP_KIB_MAX / 1024);
    else
        refuse(error, err);
    return -1;
}

int qn_text_next_match(struct qn_text_search *s, const size_t **spans, struct qn_text_error *err)
{
    pcre2_set_callout(s->re->context, take_step, &s->steps);
    int found = s->begun ? match(s) : begin(s);
    if (found < 0)
        return found == PCRE2_ERROR_NOMATCH ? 0 : fail(found, s->n, err);
    *spans = pcre2_get_ovector_pointer(s->re->data);
    if ((*spans)[0] > (*spans)[1] || (*spans)[0] < s->from)
        return qn_text_fail(err, QN_TEXT_BAD, "\\K puts the start of a match outside of it"), -1;
    s->from = (*spans)[1];
    /* After an empty match only one that is not empty may begin at the same place, as in Perl and Python. */
    s->options = PCRE2_NO_UTF_CHECK | ((*spans)[0] == (*spans)[1] ? PCRE2_NOTEMPTY_ATSTART : 0);
    return 1;
}
