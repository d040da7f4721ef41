/*
 * A profile from its first line to its last: header, body, regions. See read.h.
 *
 * In:  a path, and which region was chosen
 * Out: items, in the order of the file; the end only if all announced regions and tables are there
 */
#define _GNU_SOURCE
#include "prof/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/grow.h"
#include "prof/counts.h"
#include "prof/kind.h"
#include "prof/tables/records.h"
#include "text/digits.h"
#include "text/input.h"
#include "text/source.h"

enum qn_prof_stage { QN_PROF_NEED_FILE, QN_PROF_NEED_COUNTS, QN_PROF_SUMMED };

struct qn_prof_reader {
    struct qn_text_lines lines;
    struct qn_prof_header header;
    char *path;
    enum qn_prof_stage stage;
    int is_strict, has_insns; /* by #positions: no other comments; instructions follow */
    int in_line;     /* counts of a line came last: its instructions may follow */
    uint32_t line;   /* of the counts last handed out */
    int64_t *counts; /* of the current item */
    int64_t *totals;
    int64_t *left;
    struct qn_prof_regions regions;
    int64_t promised[QN_PROF_SCHEMAS][QN_PROF_COUNTED_MAX], seen[QN_PROF_SCHEMAS][QN_PROF_COUNTED_MAX];
};

/* ---- the header ----
 *
 * In:  desc: A / cmd: ./p / events: Ir Dr
 * Out: descs {"A"}, cmd "./p", events {"Ir", "Dr"}
 *
 * Invariant: `events` points into `words`, a copy of the events line cut at its blanks.
 */

static const char blanks[] = " \t\v\f\r";

/* The text after `key` and blanks, or NULL where the line does not begin with `key`. */
static const char *value_of(const char *line, const char *key)
{
    size_t n = strlen(key);
    if (strncmp(line, key, n) != 0)
        return NULL;
    return line + n + strspn(line + n, blanks);
}

/* Copies the line. */
static void keep(struct qn_prof_field *field, const char *line, const char *value)
{
    field->raw = QN_NEEDED(strdup(line));
    field->text = field->raw + (value - line);
}

/* If a region was chosen, the description names it instead of all regions. */
static void add_desc(struct qn_prof_header *h, const char *line, const char *value)
{
    const char *region = qn_prof_names_regions(value) ? qn_prof_chosen_region() : NULL;
    h->descs = QN_NEEDED(realloc(h->descs, ((size_t)h->desc_count + 1) * sizeof *h->descs));
    struct qn_prof_field *field = &h->descs[h->desc_count++];
    if (!region)
        keep(field, line, value);
    else if (asprintf(&field->raw, "desc: Region:           %s", region) < 0)
        qn_no_memory();
    else
        field->text = value_of(field->raw, "desc:");
}

static int count_words(const char *text)
{
    int n = 0;
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        text += strcspn(text, blanks);
        n++;
    }
    return n;
}

static enum qn_text_status check_event_count(int n, const struct qn_text_lines *l,
                                             struct qn_text_error *err)
{
    if (n == 0)
        return qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: no events, got an empty `events:` line, "
                            "wanted at least one name", l->path, l->number);
    if (n > QN_PROF_EVENTS_MAX)
        return qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: too many events, got %d, wanted at most %d",
                            l->path, l->number, n, QN_PROF_EVENTS_MAX);
    return QN_TEXT_OK;
}

/* events[0] owns the copy that all names point into. */
static enum qn_text_status split_events(struct qn_prof_header *h, const struct qn_text_lines *l,
                                        struct qn_text_error *err)
{
    int n = count_words(h->events_line.text);
    if (check_event_count(n, l, err) != QN_TEXT_OK)
        return err->status;
    h->events = QN_NEEDED(calloc((size_t)n, sizeof *h->events));
    char *words = QN_NEEDED(strdup(h->events_line.text)), *rest = words;
    for (int i = 0; i < n; i++)
        h->events[i] = strtok_r(i ? NULL : words, blanks, &rest);
    h->event_count = n;
    return QN_TEXT_OK;
}

static enum qn_text_status missing(const struct qn_prof_header *h, const struct qn_text_lines *l,
                                   const char *line, long number, struct qn_text_error *err)
{
    int has_cmd = h->cmd.raw != NULL;
    enum qn_text_status status =
        qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: missing %s line", l->path, number,
                     has_cmd ? "an `events:`" : "a `command:`");
    qn_text_fail_more(err, ", got %s%.*s%s, wanted `%s`", line ? "`" : "", QN_PROF_QUOTE_MAX,
                      line ? line : "the end of the file", line ? "`" : "",
                      has_cmd ? "events: A B ..." : "cmd: COMMAND");
    return status;
}

static enum qn_text_status second_cmd(const struct qn_text_lines *l, const char *line,
                                      struct qn_text_error *err)
{
    return qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: second command, got `%.*s`, wanted one `cmd:` line",
                        l->path, l->number, QN_PROF_QUOTE_MAX, line);
}

/* 1: the header is complete; 0: more lines follow; -1: failed. */
static int take_line(struct qn_prof_header *h, const struct qn_text_lines *l, const char *line,
                     struct qn_text_error *err)
{
    const char *value;
    if (line[strspn(line, blanks)] == '\0' || line[0] == '#')
        return 0;
    if ((value = value_of(line, "desc:")) != NULL)
        return add_desc(h, line, value), 0;
    if ((value = value_of(line, "cmd:")) != NULL && h->cmd.raw)
        return second_cmd(l, line, err), -1;
    if (value)
        return keep(&h->cmd, line, value), 0;
    if ((value = value_of(line, "events:")) == NULL || !h->cmd.raw)
        return missing(h, l, line, l->number, err), -1;
    keep(&h->events_line, line, value);
    return split_events(h, l, err) == QN_TEXT_OK ? 1 : -1;
}

static enum qn_text_status read_header(struct qn_prof_header *h, struct qn_text_lines *l,
                                        struct qn_text_error *err)
{
    for (;;) {
        char *line;
        size_t length;
        int got = qn_text_next_line(l, &line, &length, err);
        if (got == 0)
            missing(h, l, NULL, l->number + 1, err);
        if (got <= 0)
            return err->status;
        if (strlen(line) != length)
            return qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: not text, got a NUL byte, wanted a profile",
                                l->path, l->number);
        int taken = take_line(h, l, line, err);
        if (taken != 0)
            return err->status;
    }
}

static void free_header(struct qn_prof_header *h)
{
    for (int i = 0; i < h->desc_count; i++)
        free(h->descs[i].raw);
    free(h->descs);
    free(h->cmd.raw);
    free(h->events_line.raw);
    if (h->events)
        free(h->events[0]);
    free(h->events);
    memset(h, 0, sizeof *h);
}

/* Cachegrind 3.5 and earlier called the last level the second. */
static const char *const second_levels[][2] = { { "ILmr", "I2mr" }, { "DLmr", "D2mr" }, { "DLmw", "D2mw" } };

static int find_named(const struct qn_prof_header *h, const char *name, size_t length)
{
    for (int i = h->event_count - 1; i >= 0; i--)
        if (strncmp(h->events[i], name, length) == 0 && h->events[i][length] == '\0')
            return i;
    return -1;
}

int qn_prof_find_event(const struct qn_prof_header *h, const char *name, size_t length)
{
    int found = find_named(h, name, length);
    for (size_t i = 0; found < 0 && i < QN_ARRAY_LEN(second_levels); i++)
        if (strlen(second_levels[i][0]) == length && memcmp(second_levels[i][0], name, length) == 0)
            found = find_named(h, second_levels[i][1], length);
    return found;
}

int qn_prof_has_L2(const struct qn_prof_header *h)
{
    return find_named(h, "I2mr", strlen("I2mr")) >= 0 && find_named(h, "ILmr", strlen("ILmr")) >= 0;
}

const char *qn_prof_modern_event(const struct qn_prof_header *h, const char *event)
{
    for (size_t i = 0; i < QN_ARRAY_LEN(second_levels) && !qn_prof_has_L2(h); i++)
        if (strcmp(second_levels[i][1], event) == 0)
            return second_levels[i][0];
    return event;
}

/* ---- the chosen region ----
 *
 * In:  lines behind the summary
 * Out: which of them belong to what was chosen
 */

static const char *chosen;
static char chosen_thread[sizeof QN_PROF_THREAD + 10], chosen_text[QN_PROF_REGIONS_TEXT]; /* "": none */

void qn_prof_choose_region(const char *name)
{
    chosen = name;
}

void qn_prof_choose_thread(uint32_t number)
{
    snprintf(chosen_thread, sizeof chosen_thread, QN_PROF_THREAD "%u", number);
}

const char *qn_prof_chosen_region(void)
{
    if (!chosen_thread[0])
        return chosen;
    snprintf(chosen_text, sizeof chosen_text, "%s%s%.300s", chosen_thread, chosen ? ", " : "", chosen ? chosen : "");
    return chosen_text;
}

static int matches(const char *path, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = path; n > 0 && (at = strstr(at, name)) != NULL; at++)
        if ((at == path || at[-1] == '/') && (at[n] == '\0' || at[n] == '/'))
            return 1;
    return 0;
}

/* Is the path one that was chosen, if anything was? */
static int is_chosen(const char *path)
{
    size_t n = strlen(chosen_thread);
    return (!n || (strncmp(path, chosen_thread, n) == 0 && (path[n] == '\0' || path[n] == '/'))) && (!chosen || matches(path, chosen));
}

int qn_prof_names_regions(const char *desc)
{
    return strncmp(desc, "Regions:", 8) == 0;
}

static void remember(struct qn_prof_regions *r, const char *path)
{
    size_t n = strlen(r->names);
    snprintf(r->names + n, sizeof r->names - n, "%s%s", n ? ", " : "", path);
}

static int begin_region(struct qn_prof_regions *r, const char *path, const char **what)
{
    if (r->reading) {
        *what = "a region without its summary";
        return -1;
    }
    r->seen++;
    remember(r, path);
    r->reading = r->chosen && is_chosen(path);
    if (r->each) {
        free(r->path);
        r->path = QN_NEEDED(strdup(path));
    }
    r->matched += r->reading;
    return 0;
}

/* "#regions: N" */
static int promise_regions(struct qn_prof_regions *r, const char *digits, const char **what)
{
    uint64_t n;
    const char *end = qn_text_parse_digits(digits, INT32_MAX, &n);
    if (!end || *end != '\0') {
        *what = "malformed number of regions";
        return -1;
    }
    r->promised = (int)n;
    return 0;
}

int qn_prof_region_line(struct qn_prof_regions *r, const char *text, const char **what)
{
    static const char count[] = "#regions: ", region[] = "#region: ";
    if (r->promised < 0)
        return strncmp(text, count, sizeof count - 1) == 0 ? promise_regions(r, text + sizeof count - 1, what) : 0;
    if (text[0] != '#') {
        *what = "text behind the summary";
        return -1;
    }
    if (strncmp(text, region, sizeof region - 1) == 0)
        return begin_region(r, text + sizeof region - 1, what);
    return r->reading;
}

/* ---- one line of the body: fl=, fn=, counts, instructions, summary ----
 *
 * In:  "12 3 1"
 * Out: COUNTS line 12 {3, 1}; the sum of all counts is checked against the summary before that is handed out, and the
 *      instructions of a line against the line before the next one is
 */

static int bad_line(const struct qn_prof_reader *r, const char *what, const char *got, const char *wanted,
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
        return bad_line(r, "malformed line number", text, "a number below 2^32 and counts", err);
    if (r->stage == QN_PROF_NEED_FILE)
        return bad_line(r, "counts outside a function", text, "`fl=` and `fn=` lines first", err);
    if (parse_counts(r, p, end) != 0)
        return bad_counts(r, p + strspn(p, " \t"), err);
    if (qn_prof_add_counts(r->totals, r->counts, r->header.event_count) != 0)
        return bad_line(r, "sum out of range", p + strspn(p, " \t"), "sums within 64 bits", err);
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
    return bad_line(r, "malformed instruction", text, "`#0xADDRESS BYTES` and counts", err);
}

/* Takes an instruction's counts off what is left of its line's. */
static int cover(struct qn_prof_reader *r, const char *text, struct qn_text_error *err)
{
    for (int i = 0; i < r->header.event_count; i++)
        if (__builtin_sub_overflow(r->left[i], qn_prof_count(r->counts[i]), &r->left[i]))
            return bad_line(r, "sum out of range", text, "sums within 64 bits", err);
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
        return bad_line(r, "instruction without its line", text, "the counts of the line first", err);
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
        return bad_line(r, "positions not known", text, "`object line` or `object line instruction`", err);
    if (r->is_strict || r->stage != QN_PROF_NEED_FILE)
        return bad_line(r, "`#positions:` too late", text, "it once, before the first function", err);
    r->is_strict = 1;
    r->has_insns = insns;
    return 0;
}

/* ---- tables behind the summary: tables.c reads them; here only their rows are counted ---- */

/* What follows "KEY: ", or NULL. */
static const char *after_key(const char *text, const char *key)
{
    size_t n = strlen(key);
    return strncmp(text, key, n) == 0 && strncmp(text + n, ": ", 2) == 0 ? text + n + 2 : NULL;
}

static void promise(int64_t promised[QN_PROF_COUNTED_MAX], const char *p)
{
    uint64_t n;
    for (int k = 0; k < QN_PROF_COUNTED_MAX && (p = qn_text_parse_digits(p, INT64_MAX, &n)); k++) {
        promised[k] = (int64_t)n;
        p += *p == ' ';
    }
}

/* A line without a newline is cut. */
static void note_table(struct qn_prof_reader *r, const char *text)
{
    for (int i = 0; qn_prof_schemas[i]; i++) {
        const struct qn_prof_schema *s = qn_prof_schemas[i];
        if (after_key(text, s->name))
            promise(r->promised[i], after_key(text, s->name));
        for (int k = 0; s->counted[k] != QN_PROF_SET && r->lines.is_whole; k++)
            r->seen[i][k] += after_key(text, qn_prof_line_of(s, s->counted[k])->key) != NULL;
    }
}

static int check_tables(const struct qn_prof_reader *r, struct qn_text_error *err)
{
    for (int i = 0; qn_prof_schemas[i]; i++)
        for (int k = 0; k < QN_PROF_COUNTED_MAX; k++)
            if (r->seen[i][k] < r->promised[i][k]) {
                const struct qn_prof_schema *s = qn_prof_schemas[i];
                qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: the tables of %s are not whole, got %lld %s, wanted %lld", r->path, r->lines.number, s->name,
                             (long long)r->seen[i][k], s->lists[s->counted[k]].rows_name, (long long)r->promised[i][k]);
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
    return bad_line(r, "comment not known", text, "`#ob=`, or `#0x` where instructions were promised", err);
}

static int take_name(struct qn_prof_reader *r, enum qn_prof_kind kind, const char *name,
                     const char *end, struct qn_prof_item *item, struct qn_text_error *err)
{
    item->kind = kind;
    item->name = name;
    item->length = (size_t)(end - name);
    if (strlen(name) != item->length)
        return bad_line(r, "malformed name", name, "a name without NUL bytes", err);
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
    return bad_line(r, "malformed line", text, "`fl=`, `fn=`, counts or `summary:`", err);
}

static int qn_prof_take_line(struct qn_prof_reader *r, const char *text, size_t length, struct qn_prof_item *item,
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
                                      : bad_line(r, "malformed line", text, "text without NUL bytes", err);
    if (r->stage == QN_PROF_SUMMED)
        return bad_line(r, "text after the summary", text, "the end of the file", err);
    return take_keyword(r, text, end, item, err);
}

static enum qn_text_status open_parts(struct qn_prof_reader *r, struct qn_text_error *err)
{
    if (qn_prof_open_lines(&r->lines, r->path, err) != QN_TEXT_OK ||
        read_header(&r->header, &r->lines, err) != QN_TEXT_OK)
        return err->status;
    size_t n = (size_t)r->header.event_count;
    r->counts = QN_NEEDED(calloc(n, sizeof *r->counts));
    r->totals = QN_NEEDED(calloc(n, sizeof *r->totals));
    r->left = QN_NEEDED(calloc(n, sizeof *r->left));
    r->regions.sum = QN_NEEDED(calloc(n, sizeof *r->regions.sum));
    return QN_TEXT_OK;
}

struct qn_prof_reader *qn_prof_open_reader(const char *path, struct qn_text_error *err)
{
    struct qn_prof_reader *r = QN_NEEDED(calloc(1, sizeof *r));
    r->lines.window.fd = -1;
    r->path = QN_NEEDED(strdup(path));
    r->regions = (struct qn_prof_regions){.chosen = qn_prof_chosen_region(), .promised = -1};
    if (open_parts(r, err) == QN_TEXT_OK)
        return r;
    qn_prof_close_reader(r);
    return NULL;
}

struct qn_prof_reader *qn_prof_open_regions(const char *path, struct qn_text_error *err)
{
    struct qn_prof_reader *r = qn_prof_open_reader(path, err);
    if (r) {
        r->regions.each = 1;
        r->regions.chosen = r->regions.chosen ? r->regions.chosen : "";
    }
    return r;
}

void qn_prof_close_reader(struct qn_prof_reader *r)
{
    if (!r)
        return;
    qn_text_close_lines(&r->lines);
    free_header(&r->header);
    free(r->counts);
    free(r->totals);
    free(r->left);
    free(r->regions.sum);
    free(r->regions.path);
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
/* A region's own summary was right: the next one begins as a file does. */
static int finish_region(struct qn_prof_reader *r, struct qn_prof_item *item, struct qn_text_error *err)
{
    if (qn_prof_add_counts(r->regions.sum, r->counts, r->header.event_count) != 0)
        return bad_line(r, "sum out of range", "#summary:", "sums within 64 bits", err);
    memset(r->totals, 0, (size_t)r->header.event_count * sizeof *r->totals);
    r->regions.reading = 0;
    r->stage = QN_PROF_NEED_FILE;
    r->is_strict = r->in_line = 0;
    if (!r->regions.each)
        return 0;
    item->kind = QN_PROF_REGION;
    item->name = r->regions.path;
    item->counts = r->counts;
    return 1;
}

/* Behind the summary, or with a region chosen: most lines are skipped. */
static int take_region_line(struct qn_prof_reader *r, const char *text, size_t length,
                            struct qn_prof_item *item, struct qn_text_error *err)
{
    const char *what;
    int wanted;
    if (r->stage == QN_PROF_SUMMED && r->regions.promised < 0 && strncmp(text, "#regions: ", 10) != 0)
        return qn_prof_take_line(r, text, length, item, err);
    wanted = qn_prof_region_line(&r->regions, text, &what);
    if (wanted < 0)
        return bad_line(r, what, text, "`#region: PATH` and its counts, each behind a #", err);
    if (!wanted)
        return 0;
    wanted = qn_prof_take_line(r, text + 1, length - 1, item, err);
    return wanted == 1 && item->kind == QN_PROF_SUMMARY ? finish_region(r, item, err) : wanted;
}

/* The sum of the regions chosen, once; then the end. */
static int end_regions(struct qn_prof_reader *r, struct qn_prof_item *item, struct qn_text_error *err)
{
    const struct qn_prof_regions *g = &r->regions;
    if (r->stage == QN_PROF_SUMMED)
        return 0;
    if (g->reading || g->seen < g->promised) {
        qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: regions cut short, got %d, wanted %d and their summaries", r->path,
                     r->lines.number + 1, g->seen, g->promised);
        return -1;
    }
    if (!g->matched && !g->each) {
        qn_text_fail(err, QN_TEXT_BAD, "%s: no region `%s`, it has %s", r->path, g->chosen,
                     g->seen ? g->names : "none");
        return -1;
    }
    r->stage = QN_PROF_SUMMED;
    item->kind = QN_PROF_SUMMARY;
    item->counts = g->sum;
    return 1;
}

static int at_end(struct qn_prof_reader *r, struct qn_prof_item *item, struct qn_text_error *err)
{
    if (r->regions.chosen)
        return end_regions(r, item, err);
    if (r->stage == QN_PROF_SUMMED && r->regions.seen == (r->regions.promised < 0 ? 0 : r->regions.promised))
        return check_tables(r, err);
    if (r->stage == QN_PROF_SUMMED) {
        qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: regions cut short, got %d, wanted %d", r->path, r->lines.number + 1,
                     r->regions.seen, r->regions.promised);
        return -1;
    }
    qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: missing `summary:` line, aborting", r->path,
                 r->lines.number + 1);
    qn_text_fail_more(err, ", got the end of the file, wanted `summary: COUNTS`");
    return -1;
}

int qn_prof_read_next(struct qn_prof_reader *r, struct qn_prof_item *item,
                      struct qn_text_error *err)
{
    for (;;) {
        char *text;
        size_t length;
        int got = qn_text_next_line(&r->lines, &text, &length, err);
        if (got <= 0)
            return got < 0 ? -1 : at_end(r, item, err);
        item->keeps_function = 0;
        got = r->stage == QN_PROF_SUMMED || r->regions.chosen ? take_region_line(r, text, length, item, err)
                                                              : qn_prof_take_line(r, text, length, item, err);
        if (got != 0)
            return got;
    }
}
