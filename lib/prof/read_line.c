/*
 * One line of a profile's body: fl=, fn=, counts, instructions, summary. See read.h and reader.h.
 *
 * In:  "12 3 1"
 * Out: COUNTS line 12 {3, 1}; the sum of all counts is checked against the summary before that is handed out, and the
 *      instructions of a line against the line before the next one is
 */
#include "prof/reader.h"

#include <stdio.h>
#include <string.h>

#include "prof/counts.h"
#include "text/digits.h"
#include "text/source.h"
#include "prof/header.h"

int qn_prof_bad_line(const struct qn_prof_reader *r, const char *what, const char *got, const char *wanted,
                     struct qn_text_error *err)
{
    qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: %s, got `%.*s`, wanted %s", r->path, r->lines.number,
                 what, QN_PROF_QUOTE_MAX, got, wanted);
    return -1;
}

static int bad_counts(struct qn_prof_reader *r, const char *got, struct qn_text_error *err)
{
    qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: malformed or too many event counts", r->path,
                 r->lines.number);
    qn_text_fail_more(err, ", got `%.*s`, wanted at most %d 64-bit numbers or `.`",
                      QN_PROF_QUOTE_MAX, got, r->header.event_count);
    return -1;
}

/* One count: an integer or a dot, ended by a blank or the end. NULL where it is neither. */
static inline const char *parse_count(const char *p, int64_t *out)
{
    if (*p == '.') {
        *out = QN_PROF_NONE;
        p++;
    } else if ((p = qn_text_parse_integer(p, out)) == NULL) {
        return NULL;
    }
    return *p == '\0' || qn_text_is_blank(*p) ? p : NULL;
}

/* All counts up to `end`; missing ones become QN_PROF_NONE. 0, or -1 where one is malformed. */
static int parse_counts(struct qn_prof_reader *r, const char *p, const char *end)
{
    int n = 0, events = r->header.event_count;
    for (;;) {
        while (qn_text_is_blank(*p))
            p++;
        if (*p == '\0')
            break;
        if (n == events || (p = parse_count(p, &r->counts[n])) == NULL)
            return -1;
        n++;
    }
    while (n < events)
        r->counts[n++] = QN_PROF_NONE;
    return p == end ? 0 : -1;
}

static int take_counts(struct qn_prof_reader *r, const char *text, const char *end,
                       struct qn_prof_item *item, struct qn_text_error *err)
{
    uint64_t line;
    const char *p = qn_text_parse_digits(text, UINT32_MAX, &line);
    if (!p || (*p != '\0' && !qn_text_is_blank(*p)))
        return qn_prof_bad_line(r, "malformed line number", text, "a number below 2^32 and counts", err);
    if (r->stage == QN_PROF_NEED_FILE)
        return qn_prof_bad_line(r, "counts outside a function", text, "`fl=` and `fn=` lines first", err);
    if (parse_counts(r, p, end) != 0)
        return bad_counts(r, p + strspn(p, " \t"), err);
    if (qn_prof_add_counts(r->totals, r->counts, r->header.event_count) != 0)
        return qn_prof_bad_line(r, "sum out of range", p + strspn(p, " \t"), "sums within 64 bits", err);
    for (int i = 0; i < r->header.event_count && r->has_insns; i++)
        r->left[i] = qn_prof_count(r->counts[i]);
    r->in_line = 1;
    item->kind = QN_PROF_COUNTS;
    item->line = r->line = (uint32_t)line;
    item->counts = r->counts;
    return 1;
}

static int bad_insn(struct qn_prof_reader *r, const char *text, struct qn_text_error *err)
{
    return qn_prof_bad_line(r, "malformed instruction", text, "`#0xADDRESS BYTES` and counts", err);
}

/* Takes an instruction's counts off what is left of its line's. */
static int cover(struct qn_prof_reader *r, const char *text, struct qn_text_error *err)
{
    for (int i = 0; i < r->header.event_count; i++)
        if (__builtin_sub_overflow(r->left[i], qn_prof_count(r->counts[i]), &r->left[i]))
            return qn_prof_bad_line(r, "sum out of range", text, "sums within 64 bits", err);
    return 1;
}

/* "0x401136 488b45f8 c1 c2 ..." */
static int take_insn(struct qn_prof_reader *r, const char *text, const char *end,
                     struct qn_prof_item *item, struct qn_text_error *err)
{
    const char *p = qn_prof_parse_address(text, &item->insn.address);
    if (!p || *p != ' ' || !(p = qn_prof_parse_bytes(p + 1, &item->insn)) || (*p && !qn_text_is_blank(*p)))
        return bad_insn(r, text, err);
    if (!r->in_line)
        return qn_prof_bad_line(r, "instruction without its line", text, "the counts of the line first", err);
    if (parse_counts(r, p, end) != 0)
        return bad_counts(r, p + strspn(p, " \t"), err);
    item->kind = QN_PROF_INSN;
    item->line = r->line;
    item->counts = r->counts;
    return cover(r, text, err);
}

/* 0 where the instructions since the last line add up to it. */
static int check_covered(struct qn_prof_reader *r, struct qn_text_error *err)
{
    for (int i = 0; i < r->header.event_count && r->has_insns; i++)
        if (r->left[i] != 0) {
            qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: instructions do not add up to line %u, got a "
                         "difference of %lld %s, wanted none", r->path, r->lines.number, r->line,
                         (long long)r->left[i], r->header.events[i]);
            return -1;
        }
    return 0;
}

/* "#positions: object line [instruction]" */
static int take_positions(struct qn_prof_reader *r, const char *text, struct qn_text_error *err)
{
    int insns = strcmp(text, " object line instruction") == 0;
    if (!insns && strcmp(text, " object line") != 0)
        return qn_prof_bad_line(r, "positions not known", text, "`object line` or `object line instruction`", err);
    if (r->is_strict || r->stage != QN_PROF_NEED_FILE)
        return qn_prof_bad_line(r, "`#positions:` too late", text, "it once, before the first function", err);
    r->is_strict = 1;
    r->has_insns = insns;
    return 0;
}

/* ---- tables behind the summary: calls.c and data.c read them; here only their rows are counted ---- */

static const struct table {
    const char *head, *name, *row[QN_PROF_TABLE_ROWS], *what[QN_PROF_TABLE_ROWS];
} tables[QN_PROF_TABLES] = {
    {"calls: ", "calls", {"fn: ", "edge: ", "node: "}, {"functions", "edges", "nodes"}},
    {"data: ", "data", {"object: ", "miss: ", NULL}, {"objects", "rows", NULL}},
};

static int begins(const char *text, const char *with) { return with && strncmp(text, with, strlen(with)) == 0; }

static void promise(int64_t promised[QN_PROF_TABLE_ROWS], const char *p)
{
    uint64_t n;
    for (int k = 0; k < QN_PROF_TABLE_ROWS && (p = qn_text_parse_digits(p, INT64_MAX, &n)); k++) {
        promised[k] = (int64_t)n;
        p += *p == ' ';
    }
}

/* A line without a newline is cut. */
static void note_table(struct qn_prof_reader *r, const char *text)
{
    for (int i = 0; i < QN_PROF_TABLES; i++) {
        if (begins(text, tables[i].head))
            promise(r->promised[i], text + strlen(tables[i].head));
        for (int k = 0; k < QN_PROF_TABLE_ROWS && r->lines.is_whole; k++)
            r->seen[i][k] += begins(text, tables[i].row[k]);
    }
}

int qn_prof_check_tables(const struct qn_prof_reader *r, struct qn_text_error *err)
{
    for (int i = 0; i < QN_PROF_TABLES; i++)
        for (int k = 0; k < QN_PROF_TABLE_ROWS; k++)
            if (r->seen[i][k] < r->promised[i][k]) {
                qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: the tables of %s are not whole, got %lld %s, wanted %lld", r->path, r->lines.number,
                             tables[i].name, (long long)r->seen[i][k], tables[i].what[k], (long long)r->promised[i][k]);
                return -1;
            }
    return 0;
}

/* A line that begins with #: an item (1), nothing (0), failed (-1). */
static int take_comment(struct qn_prof_reader *r, const char *text, const char *end,
                        struct qn_prof_item *item, struct qn_text_error *err)
{
    static const char positions[] = "positions:";
    if (strncmp(text, positions, sizeof positions - 1) == 0)
        return take_positions(r, text + sizeof positions - 1, err);
    if (r->has_insns && strncmp(text, "0x", 2) == 0)
        return take_insn(r, text, end, item, err);
    if (r->stage == QN_PROF_SUMMED)
        note_table(r, text);
    if (!r->is_strict || r->stage == QN_PROF_SUMMED)
        return 0;
    return qn_prof_bad_line(r, "comment not known", text, "`#ob=`, or `#0x` where instructions were promised", err);
}

static int take_name(struct qn_prof_reader *r, enum qn_prof_kind kind, const char *name,
                     const char *end, struct qn_prof_item *item, struct qn_text_error *err)
{
    item->kind = kind;
    item->name = name;
    item->length = (size_t)(end - name);
    if (strlen(name) != item->length)
        return qn_prof_bad_line(r, "malformed name", name, "a name without NUL bytes", err);
    if (kind == QN_PROF_FILE)
        item->name = qn_text_map_source(name, &item->length);
    if (kind != QN_PROF_OBJECT)
        r->stage = QN_PROF_NEED_COUNTS;
    r->in_line = 0;
    return check_covered(r, err) == 0 ? 1 : -1;
}

/* "[1, 2, 3]", cut if it does not fit. */
static void list_counts(char *to, size_t room, const int64_t *counts, int n)
{
    size_t at = 0;
    for (int i = 0; i < n && at < room; i++)
        at += (size_t)snprintf(to + at, room - at, "%s%lld", i ? ", " : "[",
                               (long long)qn_prof_count(counts[i]));
    if (at + 1 < room)
        memcpy(to + at, "]", 2);
}

static int mismatch(struct qn_prof_reader *r, struct qn_text_error *err)
{
    char stated[QN_TEXT_MAX / 3], computed[QN_TEXT_MAX / 3];
    list_counts(stated, sizeof stated, r->counts, r->header.event_count);
    list_counts(computed, sizeof computed, r->totals, r->header.event_count);
    qn_text_fail(err, QN_TEXT_BAD,
                 "%s:%ld: `summary:` line doesn't match computed total\n- summary:  %s\n"
                 "- computed: %s", r->path, r->lines.number, stated, computed);
    return -1;
}

static int take_summary(struct qn_prof_reader *r, const char *text, const char *end,
                        struct qn_prof_item *item, struct qn_text_error *err)
{
    if (check_covered(r, err) != 0)
        return -1;
    if (parse_counts(r, text, end) != 0)
        return bad_counts(r, text + strspn(text, " \t"), err);
    for (int i = 0; i < r->header.event_count; i++)
        if (qn_prof_count(r->counts[i]) != qn_prof_count(r->totals[i]))
            return mismatch(r, err);
    r->stage = QN_PROF_SUMMED;
    item->kind = QN_PROF_SUMMARY;
    item->counts = r->counts;
    return 1;
}

static int take_keyword(struct qn_prof_reader *r, const char *text, const char *end,
                        struct qn_prof_item *item, struct qn_text_error *err)
{
    if (strncmp(text, "fn=", 3) == 0)
        return take_name(r, QN_PROF_FN, text + 3, end, item, err);
    if (strncmp(text, "fl=", 3) == 0)
        return take_name(r, QN_PROF_FILE, text + 3, end, item, err);
    if (strncmp(text, "fi=", 3) == 0 || strncmp(text, "fe=", 3) == 0) {
        item->keeps_function = r->stage != QN_PROF_NEED_FILE;
        return take_name(r, QN_PROF_FILE, text + 3, end, item, err);
    }
    if (strncmp(text, "ob=", 3) == 0)
        return take_name(r, QN_PROF_OBJECT, text + 3, end, item, err);
    if (strncmp(text, "summary:", 8) == 0)
        return take_summary(r, text + 8, end, item, err);
    return qn_prof_bad_line(r, "malformed line", text, "`fl=`, `fn=`, counts or `summary:`", err);
}

int qn_prof_take_line(struct qn_prof_reader *r, const char *text, size_t length, struct qn_prof_item *item,
                      struct qn_text_error *err)
{
    const char *end = text + length;
    if (qn_text_is_digit(text[0]) && r->stage != QN_PROF_SUMMED)
        return check_covered(r, err) == 0 ? take_counts(r, text, end, item, err) : -1;
    if (strncmp(text, "#ob=", 4) == 0 && r->stage != QN_PROF_SUMMED)
        return take_name(r, QN_PROF_OBJECT, text + 4, end, item, err);
    if (text[0] == '#')
        return take_comment(r, text + 1, end, item, err);
    if (text[strspn(text, " \t\v\f\r")] == '\0')
        return strlen(text) == length ? 0
                                      : qn_prof_bad_line(r, "malformed line", text, "text without NUL bytes", err);
    if (r->stage == QN_PROF_SUMMED)
        return qn_prof_bad_line(r, "text after the summary", text, "the end of the file", err);
    return take_keyword(r, text, end, item, err);
}
