/*
 * The body of a profile: fl=, fn=, count lines, summary. See read.h.
 *
 * In:  lines after events:
 * Out: items; the sum of all counts is checked against the summary before it is handed out
 *
 * Invariants: `totals` is the sum of every COUNTS item handed out so far; `stage` only grows; `left` is
 * what the last line has more than its instructions so far.
 */
#include "prof/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof/counts.h"
#include "prof/digits.h"
#include "prof/header.h"
#include "prof/region.h"

enum stage { NEED_FILE, NEED_COUNTS, SUMMED };

struct qn_prof_reader {
    struct qn_prof_lines lines;
    struct qn_prof_header header;
    char *path;
    enum stage stage;
    int is_strict, has_insns; /* as #positions: said */
    int in_line;     /* counts of a line came last: its instructions may follow */
    uint32_t line;   /* of the counts last handed out */
    int64_t *counts; /* of the current item */
    int64_t *totals;
    int64_t *left;
    struct qn_prof_regions regions;
};

static enum qn_prof_status open_parts(struct qn_prof_reader *r, struct qn_prof_error *err)
{
    if (qn_prof_open_lines(&r->lines, r->path, err) != QN_PROF_OK ||
        qn_prof_read_header(&r->header, &r->lines, err) != QN_PROF_OK)
        return err->status;
    size_t n = (size_t)r->header.event_count;
    r->counts = calloc(n, sizeof *r->counts);
    r->totals = calloc(n, sizeof *r->totals);
    r->left = calloc(n, sizeof *r->left);
    r->regions.sum = calloc(n, sizeof *r->regions.sum);
    return r->counts && r->totals && r->left && r->regions.sum ? QN_PROF_OK : qn_prof_fail_memory(err);
}

struct qn_prof_reader *qn_prof_open_reader(const char *path, struct qn_prof_error *err)
{
    struct qn_prof_reader *r = calloc(1, sizeof *r);
    if (r) {
        r->lines.fd = -1;
        r->path = strdup(path);
        r->regions = (struct qn_prof_regions){.chosen = qn_prof_chosen_region(), .promised = -1};
    }
    if (!r || !r->path)
        qn_prof_fail_memory(err);
    else if (open_parts(r, err) == QN_PROF_OK)
        return r;
    qn_prof_close_reader(r);
    return NULL;
}

void qn_prof_close_reader(struct qn_prof_reader *r)
{
    if (!r)
        return;
    qn_prof_close_lines(&r->lines);
    qn_prof_free_header(&r->header);
    free(r->counts);
    free(r->totals);
    free(r->left);
    free(r->regions.sum);
    free(r->path);
    free(r);
}

const struct qn_prof_header *qn_prof_reader_header(const struct qn_prof_reader *r)
{
    return &r->header;
}

int qn_prof_reader_has_insns(const struct qn_prof_reader *r)
{
    return r->has_insns;
}

/* "FILE:LINE: what, got `text`, wanted ..." */
static int bad(struct qn_prof_reader *r, const char *what, const char *got, const char *wanted,
               struct qn_prof_error *err)
{
    qn_prof_fail(err, QN_PROF_BAD, "%s:%ld: %s, got `%.*s`, wanted %s", r->path, r->lines.number,
                 what, QN_PROF_QUOTE_MAX, got, wanted);
    return -1;
}

static int bad_counts(struct qn_prof_reader *r, const char *got, struct qn_prof_error *err)
{
    qn_prof_fail(err, QN_PROF_BAD, "%s:%ld: malformed or too many event counts", r->path,
                 r->lines.number);
    qn_prof_fail_more(err, ", got `%.*s`, wanted at most %d 64-bit numbers or `.`",
                      QN_PROF_QUOTE_MAX, got, r->header.event_count);
    return -1;
}

/* One count: an integer or a dot, ended by a blank or the end. NULL where it is neither. */
static inline const char *parse_count(const char *p, int64_t *out)
{
    if (*p == '.') {
        *out = QN_PROF_NONE;
        p++;
    } else if ((p = qn_prof_parse_integer(p, out)) == NULL) {
        return NULL;
    }
    return *p == '\0' || qn_prof_is_blank(*p) ? p : NULL;
}

/* All counts up to `end`; missing ones become QN_PROF_NONE. 0, or -1 where one is malformed. */
static int parse_counts(struct qn_prof_reader *r, const char *p, const char *end)
{
    int n = 0, events = r->header.event_count;
    for (;;) {
        while (qn_prof_is_blank(*p))
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
                       struct qn_prof_item *item, struct qn_prof_error *err)
{
    uint64_t line;
    const char *p = qn_prof_parse_digits(text, UINT32_MAX, &line);
    if (!p || (*p != '\0' && !qn_prof_is_blank(*p)))
        return bad(r, "malformed line number", text, "a number below 2^32 and counts", err);
    if (r->stage == NEED_FILE)
        return bad(r, "counts outside a function", text, "`fl=` and `fn=` lines first", err);
    if (parse_counts(r, p, end) != 0)
        return bad_counts(r, p + strspn(p, " \t"), err);
    if (qn_prof_add_counts(r->totals, r->counts, r->header.event_count) != 0)
        return bad(r, "sum out of range", p + strspn(p, " \t"), "sums within 64 bits", err);
    for (int i = 0; i < r->header.event_count && r->has_insns; i++)
        r->left[i] = qn_prof_count(r->counts[i]);
    r->in_line = 1;
    item->kind = QN_PROF_COUNTS;
    item->line = r->line = (uint32_t)line;
    item->counts = r->counts;
    return 1;
}

static int bad_insn(struct qn_prof_reader *r, const char *text, struct qn_prof_error *err)
{
    return bad(r, "malformed instruction", text, "`#0xADDRESS BYTES` and counts", err);
}

/* Takes an instruction's counts off what is left of its line's. */
static int cover(struct qn_prof_reader *r, const char *text, struct qn_prof_error *err)
{
    for (int i = 0; i < r->header.event_count; i++)
        if (__builtin_sub_overflow(r->left[i], qn_prof_count(r->counts[i]), &r->left[i]))
            return bad(r, "sum out of range", text, "sums within 64 bits", err);
    return 1;
}

/* "0x401136 488b45f8 c1 c2 ..." */
static int take_insn(struct qn_prof_reader *r, const char *text, const char *end,
                     struct qn_prof_item *item, struct qn_prof_error *err)
{
    const char *p = qn_prof_parse_address(text, &item->insn.address);
    if (!p || *p != ' ' || !(p = qn_prof_parse_bytes(p + 1, &item->insn)) || (*p && !qn_prof_is_blank(*p)))
        return bad_insn(r, text, err);
    if (!r->in_line)
        return bad(r, "instruction without its line", text, "the counts of the line first", err);
    if (parse_counts(r, p, end) != 0)
        return bad_counts(r, p + strspn(p, " \t"), err);
    item->kind = QN_PROF_INSN;
    item->line = r->line;
    item->counts = r->counts;
    return cover(r, text, err);
}

/* 0 where the instructions since the last line add up to it. */
static int check_covered(struct qn_prof_reader *r, struct qn_prof_error *err)
{
    for (int i = 0; i < r->header.event_count && r->has_insns; i++)
        if (r->left[i] != 0) {
            qn_prof_fail(err, QN_PROF_BAD, "%s:%ld: instructions do not add up to line %u, got a "
                         "difference of %lld %s, wanted none", r->path, r->lines.number, r->line,
                         (long long)r->left[i], r->header.events[i]);
            return -1;
        }
    return 0;
}

/* "#positions: object line [instruction]" */
static int take_positions(struct qn_prof_reader *r, const char *text, struct qn_prof_error *err)
{
    int insns = strcmp(text, " object line instruction") == 0;
    if (!insns && strcmp(text, " object line") != 0)
        return bad(r, "positions not known", text, "`object line` or `object line instruction`", err);
    if (r->is_strict || r->stage != NEED_FILE)
        return bad(r, "`#positions:` too late", text, "it once, before the first function", err);
    r->is_strict = 1;
    r->has_insns = insns;
    return 0;
}

/* A line that begins with #: an item (1), nothing (0), failed (-1). */
static int take_comment(struct qn_prof_reader *r, const char *text, const char *end,
                        struct qn_prof_item *item, struct qn_prof_error *err)
{
    static const char positions[] = "positions:";
    if (strncmp(text, positions, sizeof positions - 1) == 0)
        return take_positions(r, text + sizeof positions - 1, err);
    if (r->has_insns && strncmp(text, "0x", 2) == 0)
        return take_insn(r, text, end, item, err);
    if (!r->is_strict)
        return 0;
    return bad(r, "comment not known", text, "`#ob=`, or `#0x` where instructions were promised", err);
}

static int take_name(struct qn_prof_reader *r, enum qn_prof_kind kind, const char *name,
                     const char *end, struct qn_prof_item *item, struct qn_prof_error *err)
{
    item->kind = kind;
    item->name = name;
    item->length = (size_t)(end - name);
    if (strlen(name) != item->length)
        return bad(r, "malformed name", name, "a name without NUL bytes", err);
    if (kind != QN_PROF_OBJECT)
        r->stage = NEED_COUNTS;
    r->in_line = 0;
    return check_covered(r, err) == 0 ? 1 : -1;
}

/* "[1, 2, 3]", cut short where it does not fit. */
static void list_counts(char *to, size_t room, const int64_t *counts, int n)
{
    size_t at = 0;
    for (int i = 0; i < n && at < room; i++)
        at += (size_t)snprintf(to + at, room - at, "%s%lld", i ? ", " : "[",
                               (long long)qn_prof_count(counts[i]));
    if (at + 1 < room)
        memcpy(to + at, "]", 2);
}

static int mismatch(struct qn_prof_reader *r, struct qn_prof_error *err)
{
    char stated[QN_PROF_TEXT_MAX / 3], computed[QN_PROF_TEXT_MAX / 3];
    list_counts(stated, sizeof stated, r->counts, r->header.event_count);
    list_counts(computed, sizeof computed, r->totals, r->header.event_count);
    qn_prof_fail(err, QN_PROF_BAD,
                 "%s:%ld: `summary:` line doesn't match computed total\n- summary:  %s\n"
                 "- computed: %s", r->path, r->lines.number, stated, computed);
    return -1;
}

static int take_summary(struct qn_prof_reader *r, const char *text, const char *end,
                        struct qn_prof_item *item, struct qn_prof_error *err)
{
    if (check_covered(r, err) != 0)
        return -1;
    if (parse_counts(r, text, end) != 0)
        return bad_counts(r, text + strspn(text, " \t"), err);
    for (int i = 0; i < r->header.event_count; i++)
        if (qn_prof_count(r->counts[i]) != qn_prof_count(r->totals[i]))
            return mismatch(r, err);
    r->stage = SUMMED;
    item->kind = QN_PROF_SUMMARY;
    item->counts = r->counts;
    return 1;
}

static int take_keyword(struct qn_prof_reader *r, const char *text, const char *end,
                        struct qn_prof_item *item, struct qn_prof_error *err)
{
    if (strncmp(text, "fn=", 3) == 0)
        return take_name(r, QN_PROF_FN, text + 3, end, item, err);
    if (strncmp(text, "fl=", 3) == 0)
        return take_name(r, QN_PROF_FILE, text + 3, end, item, err);
    if (strncmp(text, "fi=", 3) == 0 || strncmp(text, "fe=", 3) == 0) {
        item->keeps_function = r->stage != NEED_FILE;
        return take_name(r, QN_PROF_FILE, text + 3, end, item, err);
    }
    if (strncmp(text, "ob=", 3) == 0)
        return take_name(r, QN_PROF_OBJECT, text + 3, end, item, err);
    if (strncmp(text, "summary:", 8) == 0)
        return take_summary(r, text + 8, end, item, err);
    return bad(r, "malformed line", text, "`fl=`, `fn=`, counts or `summary:`", err);
}

/* 1 and an item, 0 where the line means nothing, -1 failed. */
static int take_line(struct qn_prof_reader *r, const char *text, size_t length,
                     struct qn_prof_item *item, struct qn_prof_error *err)
{
    const char *end = text + length;
    if (qn_prof_is_digit(text[0]) && r->stage != SUMMED)
        return check_covered(r, err) == 0 ? take_counts(r, text, end, item, err) : -1;
    if (strncmp(text, "#ob=", 4) == 0 && r->stage != SUMMED)
        return take_name(r, QN_PROF_OBJECT, text + 4, end, item, err);
    if (text[0] == '#')
        return take_comment(r, text + 1, end, item, err);
    if (text[strspn(text, " \t\v\f\r")] == '\0')
        return strlen(text) == length ? 0 : bad(r, "malformed line", text, "text without NUL bytes", err);
    if (r->stage == SUMMED)
        return bad(r, "text after the summary", text, "the end of the file", err);
    return take_keyword(r, text, end, item, err);
}

/* A region's own summary was right: the next one begins as a file does. */
static int finish_region(struct qn_prof_reader *r, struct qn_prof_error *err)
{
    if (qn_prof_add_counts(r->regions.sum, r->counts, r->header.event_count) != 0)
        return bad(r, "sum out of range", "#summary:", "sums within 64 bits", err);
    memset(r->totals, 0, (size_t)r->header.event_count * sizeof *r->totals);
    r->regions.reading = 0;
    r->stage = NEED_FILE;
    r->is_strict = r->in_line = 0;
    return 0;
}

/* Behind the summary, or with a region chosen: most lines are passed over. */
static int take_region_line(struct qn_prof_reader *r, const char *text, size_t length,
                            struct qn_prof_item *item, struct qn_prof_error *err)
{
    const char *what;
    int wanted;
    if (r->stage == SUMMED && r->regions.promised < 0 && strncmp(text, "#regions: ", 10) != 0)
        return take_line(r, text, length, item, err);
    wanted = qn_prof_region_line(&r->regions, text, &what);
    if (wanted < 0)
        return bad(r, what, text, "`#region: PATH` and its counts, each behind a #", err);
    if (!wanted)
        return 0;
    wanted = take_line(r, text + 1, length - 1, item, err);
    return wanted == 1 && item->kind == QN_PROF_SUMMARY ? finish_region(r, err) : wanted;
}

/* The sum of the regions chosen, once; then the end. */
static int end_regions(struct qn_prof_reader *r, struct qn_prof_item *item, struct qn_prof_error *err)
{
    const struct qn_prof_regions *g = &r->regions;
    if (r->stage == SUMMED)
        return 0;
    if (g->reading || g->seen < g->promised) {
        qn_prof_fail(err, QN_PROF_BAD, "%s:%ld: regions cut short, got %d, wanted %d and their summaries", r->path,
                     r->lines.number + 1, g->seen, g->promised);
        return -1;
    }
    if (!g->matched) {
        qn_prof_fail(err, QN_PROF_BAD, "%s: no region `%s`, it has %s", r->path, g->chosen, g->seen ? g->names : "none");
        return -1;
    }
    r->stage = SUMMED;
    item->kind = QN_PROF_SUMMARY;
    item->counts = g->sum;
    return 1;
}

static int at_end(struct qn_prof_reader *r, struct qn_prof_item *item, struct qn_prof_error *err)
{
    if (r->regions.chosen)
        return end_regions(r, item, err);
    if (r->stage == SUMMED && r->regions.seen == (r->regions.promised < 0 ? 0 : r->regions.promised))
        return 0;
    if (r->stage == SUMMED) {
        qn_prof_fail(err, QN_PROF_BAD, "%s:%ld: regions cut short, got %d, wanted %d", r->path, r->lines.number + 1,
                     r->regions.seen, r->regions.promised);
        return -1;
    }
    qn_prof_fail(err, QN_PROF_BAD, "%s:%ld: missing `summary:` line, aborting", r->path,
                 r->lines.number + 1);
    qn_prof_fail_more(err, ", got the end of the file, wanted `summary: COUNTS`");
    return -1;
}

int qn_prof_read_next(struct qn_prof_reader *r, struct qn_prof_item *item,
                      struct qn_prof_error *err)
{
    for (;;) {
        char *text;
        size_t length;
        int got = qn_prof_next_line(&r->lines, &text, &length, err);
        if (got <= 0)
            return got < 0 ? -1 : at_end(r, item, err);
        item->keeps_function = 0;
        got = r->stage == SUMMED || r->regions.chosen ? take_region_line(r, text, length, item, err)
                                                      : take_line(r, text, length, item, err);
        if (got != 0)
            return got;
    }
}
