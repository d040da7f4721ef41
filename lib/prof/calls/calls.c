/*
 * Reads the tables of calls behind a profile's summary. See calls.h.
 *
 * In:  the lines behind "#calls: 2 1 0"
 * Out: two functions, one edge
 */
#include "prof/calls/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/header.h"
#include "prof/kind.h"
#include "prof/read.h"
#include "prof/region.h"
#include "text/digits.h"
#include "text/input.h"
#include "text/source.h"

struct reading {
    struct qn_prof_calls *calls;
    struct qn_text_lines lines;
    struct qn_text_error *err;
    const char *path;
    char *object, *file;   /* of the next functions, of the next edges; NULL: none was named */
    int64_t promised[3];   /* numbers of functions, edges, nodes that `#calls:` announces */
    int inclusive_is_due;  /* the last line named a function */
};

static int bad(const struct reading *r, const char *what, const char *got, const char *wanted)
{
    qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: %s, got `%.*s`, wanted %s", r->path, r->lines.number, what, QN_PROF_QUOTE_MAX, got, wanted);
    return -1;
}

/* Reads `count` numbers with a blank between each two; returns where they end, NULL if they are malformed. */
static const char *take_numbers(const char *text, int64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i && *text++ != ' ')
            return NULL;
        text = qn_text_parse_integer(text, &numbers[i]);
        if (!text)
            return NULL;
    }
    return text;
}

/* The counts that end a line, one for each event. */
static int take_counts(const struct reading *r, const char *text, int64_t *counts, const char *line)
{
    size_t n = r->calls->event_count;
    const char *end = *text == ' ' ? take_numbers(text + 1, counts, n) : NULL;
    return end && !*end ? 0 : bad(r, "malformed counts", line, "a number for each of `#call-events:`");
}

/* Copies the text; NULL: none. */
static int take_text(char **to, const char *text)
{
    free(*to);
    *to = text ? QN_NEEDED(strdup(text)) : NULL;
    return 0;
}

/* ---- lines ---- */

static int take_events(struct reading *r, char *text)
{
    char *save, *names[QN_PROF_EVENTS_MAX];
    size_t n = 0;
    if (r->calls->event_count)
        return bad(r, "`#call-events:` again", text, "it once");
    for (char *name = strtok_r(text, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
        if (n == QN_PROF_EVENTS_MAX)
            return bad(r, "too many events", name, "at most 1024");
        names[n++] = name;
    }
    if (!n)
        return bad(r, "no events of calls", text, "their names");
    qn_prof_begin_calls(r->calls, (const char *const *)names, n);
    return 0;
}

/* "FILE<TAB>NAME" */
static int take_fn(struct reading *r, char *text)
{
    char *tab = strchr(text, '\t');
    size_t length;
    if (!tab || tab == text || !tab[1])
        return bad(r, "malformed function", text, "FILE, a tab, NAME");
    *tab = '\0';
    r->inclusive_is_due = 1;
    length = (size_t)(tab - text);
    qn_prof_add_call_fn(r->calls, r->object, qn_text_map_source(text, &length), tab + 1);
    return 0;
}

/* "CALLED COUNTS..." */
static int take_inclusive(struct reading *r, char *text)
{
    struct qn_prof_calls *c = r->calls;
    const char *end;
    if (!r->inclusive_is_due)
        return bad(r, "an inclusive cost of no function", text, "`#fn:` before it");
    r->inclusive_is_due = 0;
    end = take_numbers(text, &c->fns[c->fn_count - 1].called, 1);
    return end ? take_counts(r, end, qn_prof_inclusive(c, c->fn_count - 1), text) : bad(r, "malformed inclusive cost", text, "CALLED COUNTS");
}

/* "CALLER LINE CALLEE CALLS COUNTS..." */
static int take_edge(struct reading *r, char *text)
{
    struct qn_prof_calls *c = r->calls;
    int64_t n[4];
    uint32_t edge;
    const char *end = take_numbers(text, n, 4);
    if (!end || n[0] < 0 || n[0] >= (int64_t)c->fn_count || n[1] < 0 || n[1] > UINT32_MAX || n[2] < 0 || n[2] >= (int64_t)c->fn_count)
        return bad(r, "malformed edge", text, "CALLER LINE CALLEE CALLS COUNTS, functions by number");
    edge = qn_prof_add_call_edge(c, (uint32_t)n[0], r->file, (uint32_t)n[1], (uint32_t)n[2]);
    c->edges[edge].calls = n[3];
    return take_counts(r, end, qn_prof_edge_counts(c, edge), text);
}

/* "PARENT FUNCTION CALLS COUNTS..." */
static int take_node(struct reading *r, char *text)
{
    struct qn_prof_calls *c = r->calls;
    int64_t n[3];
    uint32_t node;
    const char *end = take_numbers(text, n, 3);
    if (!end || n[0] < -1 || n[0] >= (int64_t)c->node_count || n[1] < 0 || n[1] >= (int64_t)c->fn_count)
        return bad(r, "malformed node", text, "PARENT FUNCTION CALLS COUNTS, the parent before it");
    node = qn_prof_add_call_node(c, n[0] < 0 ? QN_PROF_NO_NODE : (uint32_t)n[0], (uint32_t)n[1]);
    c->nodes[node].calls = n[2];
    return take_counts(r, end, qn_prof_node_counts(c, node), text);
}

/* "WHAT N" */
static int take_lost(struct reading *r, char *text)
{
    char *blank = strrchr(text, ' ');
    int64_t n;
    const char *end = blank && blank > text ? take_numbers(blank + 1, &n, 1) : NULL;
    if (!end || *end)
        return bad(r, "malformed number of what was lost", text, "WHAT N");
    *blank = '\0';
    qn_prof_add_call_lost(r->calls, text, n);
    return 0;
}

static int take_object(struct reading *r, char *text) { return take_text(&r->object, strcmp(text, QN_PROF_NOT_KNOWN) ? text : NULL); }

static int take_file(struct reading *r, char *text)
{
    size_t length = strlen(text);
    return take_text(&r->file, qn_text_map_source(text, &length));
}

static const struct keyword {
    const char *text;
    int (*take)(struct reading *r, char *text);
} keywords[] = {
    {"call-events: ", take_events}, {"ob: ", take_object}, {"fn: ", take_fn},     {"inclusive: ", take_inclusive},
    {"edge: ", take_edge},          {"node: ", take_node}, {"call-file: ", take_file}, {"calls-lost: ", take_lost},
};

/* Takes one line of the tables, without its "#". 1: the tables have ended before it. */
static int take_line(struct reading *r, char *text)
{
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        const struct keyword *k = &keywords[i];
        size_t n = strlen(k->text);
        if (strncmp(text, k->text, n) != 0)
            continue;
        if (i && !r->calls->event_count)
            return bad(r, "calls without their events", text, "`#call-events:` first");
        if (r->inclusive_is_due && k->take != take_inclusive)
            return bad(r, "a function without its inclusive cost", text, "`#inclusive:` behind `#fn:`");
        return k->take(r, text + n);
    }
    return 1;
}

/* ---- the file ---- */

/* Reads up to and with "#calls: FUNCTIONS EDGES NODES". 0: there is no such line. */
static int find_tables(struct reading *r)
{
    static const char head[] = "#calls: ";
    char *text;
    size_t length;
    int got;
    while ((got = qn_text_next_line(&r->lines, &text, &length, r->err)) > 0) {
        const char *end;
        if (strncmp(text, "#regions: ", 10) == 0)
            return 0; /* of which each has a summary of its own, and no calls */
        if (strncmp(text, head, sizeof head - 1) != 0)
            continue;
        end = take_numbers(text + sizeof head - 1, r->promised, 3);
        if (!end || *end || r->promised[0] < 1 || r->promised[1] < 0 || r->promised[2] < 0)
            return bad(r, "malformed head of the calls", text, "`#calls: FUNCTIONS EDGES NODES`");
        return 1;
    }
    return got;
}

static int check_complete(const struct reading *r)
{
    static const char *const names[] = {"functions", "edges", "nodes"};
    const struct qn_prof_calls *c = r->calls;
    const size_t got[] = {c->fn_count, c->edge_count, c->node_count};
    if (r->inclusive_is_due)
        return bad(r, "cut short", "the end of the calls", "`#inclusive:` behind `#fn:`");
    for (int i = 0; i < 3; i++)
        if ((int64_t)got[i] != r->promised[i]) {
            qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: the tables of calls are not whole, got %zu %s, wanted %lld", r->path,
                         r->lines.number, got[i], names[i], (long long)r->promised[i]);
            return -1;
        }
    return 0;
}

static int read_tables(struct reading *r)
{
    char *text;
    size_t length;
    int got, taken = 0;
    while (!taken && (got = qn_text_next_line(&r->lines, &text, &length, r->err)) != 0) {
        if (got < 0)
            return -1;
        if (strlen(text) != length)
            return bad(r, "malformed line", text, "text without NUL bytes");
        taken = text[0] == '#' ? take_line(r, text + 1) : bad(r, "text behind the summary", text, "the end of the file");
    }
    return taken < 0 ? -1 : check_complete(r);
}

static int read_all(struct reading *r)
{
    int got = find_tables(r);
    if (got <= 0)
        return got;
    if (qn_prof_chosen_region()) {
        qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: calls are not told apart by region, got region `%s`, wanted none", r->path,
                     r->lines.number, qn_prof_chosen_region());
        return -1;
    }
    return read_tables(r);
}

enum qn_text_status qn_prof_read_calls(const char *path, struct qn_prof_calls *calls, struct qn_text_error *err)
{
    struct reading r = {.calls = calls, .err = err, .path = path};
    enum qn_text_status status = qn_prof_open_lines(&r.lines, path, err);
    *calls = (struct qn_prof_calls){0};
    if (status != QN_TEXT_OK)
        return status;
    if (read_all(&r) != 0) {
        status = err->status;
        qn_prof_free_calls(calls);
    }
    qn_text_close_lines(&r.lines);
    free(r.object);
    free(r.file);
    return status;
}
