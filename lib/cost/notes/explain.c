/* lib/cost/notes/explain.c - notes of the arena to text.  See explain.h. */
#include "cost/notes/explain.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "cost/notes/explain_notes.h"
#include "prof/write.h"
#include "text/escape.h"
#include "text/source.h"

#define SOURCE_LINES 20  /* of a range that are shown */
#define SOURCE_WIDTH 900 /* bytes of a line */
#define SHOWN_EVICTORS 10

struct output {
    struct explain_notes n;
    struct qn_prof_writer *w;
};

static __attribute__((format(printf, 2, 3))) void put(struct output *o, const char *format, ...)
{
    char text[1000];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    qn_prof_put_text(o->w, text);
}

/* ---- the heading of a line ---- */

static void put_source(struct output *o, const char *path, uint32_t first, uint32_t last)
{
    struct qn_text_source source;
    const char *text;
    size_t n;

    if (!path || qn_text_open_source(&source, path))
        return;
    for (uint32_t line = 1; line <= last && line < first + SOURCE_LINES && qn_text_next_source_line(&source, &text, &n); line++) {
        char shown[SOURCE_WIDTH + QN_TEXT_ESCAPE_MAX + 1];
        size_t to = 0;

        for (size_t taken; line >= first && n && to < SOURCE_WIDTH; text += taken, n -= taken)
            if (*text == '\t')
                shown[to++] = '\t', taken = 1;
            else
                to += qn_text_escape(shown + to, text, n, &taken);
        if (line >= first)
            put(o, "    %" PRIu32 "  %.*s\n", line, (int)to, shown);
    }
    qn_text_close_source(&source);
}

/* false: there is nothing to tell. */
static bool put_heading(struct output *o, const struct qn_cost_named *n)
{
    struct qn_cost_place place = { 0 };
    struct qn_probe p;

    put(o, "\n%s:%" PRIu32, n->name, n->first);
    if (n->last != n->first)
        put(o, "-%" PRIu32, n->last);
    if (!explain_first_point(&o->n, n, &p)) {
        put(o, "\n    No code that was executed belongs to it by its debug information.\n");
        return false;
    }
    qn_cost_find_place(o->n.x->modules, p.map, p.start, &place);
    put(o, " in %.300s of %.300s\n", place.function ? place.function : "an unknown function", place.file ? place.file : "?");
    put_source(o, place.file, n->first, n->last);
    return true;
}

/* ---- the sums ---- */

static void put_culprits(struct output *o, uint32_t which)
{
    struct explain_culprit *list = QN_NEEDED(calloc(QN_EVICTORS_MAX, sizeof *list));
    size_t n = explain_gather_culprits(&o->n, which, list);

    if (n)
        put(o, "What it missed and had been in the D1 before was evicted by\n");
    for (size_t i = 0; i < n && i < SHOWN_EVICTORS; i++)
        put(o, "    %12" PRIu64 "  %s\n", list[i].count, list[i].name);
    free(list);
}

static void put_tally(struct output *o, uint32_t which)
{
    uint64_t all = o->n.notes.tally[which].accesses, misses = o->n.notes.tally[which].misses;

    put(o, "%" PRIu64 " references: %" PRIu64 " hits, %" PRIu64 " misses (%" PRIu64 " of them miss the LL, too)", all,
        all - misses, misses, o->n.notes.tally[which].ll_misses);
    for (int i = 0; i < QN_MISS_CLASSES; i++)
        put(o, "%s %" PRIu64 " %s", i ? "," : ":", o->n.notes.tally[which].classes[i], explain_classes[i]);
    put(o, ".\n");
    put_culprits(o, which);
}

/* ---- one access ---- */

static const char *const verbs[] = { "reads", "writes", "reads and writes" };

static void put_use(struct output *o, const char *what, const struct qn_note_use *use)
{
    char name[EXPLAIN_PLACE_MAX];
    uint64_t pc;

    if (use->number)
        put(o, "%s at reference %" PRIu64 " of the run by %s", what, use->number, explain_place_of(&o->n, use->site, name, &pc));
}

static void put_reason(struct output *o, const struct qn_note_line *l)
{
    static const char *const reasons[QN_MISS_CLASSES] = {
        "the program has not used this line before",
        "a fully associative cache of this size would miss it, too",
        "a fully associative cache of this size would have the line",
    };

    if (l->class < QN_MISS_CLASSES)
        put(o, "%s: %s.", explain_classes[l->class], reasons[l->class]);
    put_use(o, "\n        It was evicted", &l->out);
    put(o, "%s\n", l->out.number ? "." : "");
}

/* The tags of the set before the access: a dot for a free way, brackets around the tag of the line itself. */
static void put_set(struct output *o, const struct qn_note_line *l)
{
    uint32_t ways = l->ways < QN_NOTE_WAYS ? l->ways : QN_NOTE_WAYS;

    if (!ways)
        return;
    put(o, "        The set held");
    for (uint32_t i = 0; i < ways; i++) {
        if (l->set[i] == QN_NOTE_NONE)
            put(o, " .");
        else
            put(o, l->set[i] == l->line ? " [%" PRIx64 "]" : " %" PRIx64, explain_tag_of(&o->n, l->set[i]));
    }
    if (o->n.x->config->D1.assoc > ways)
        put(o, " ...");
    if (ways > 1)
        put(o, o->n.notes.order == QN_SHOW_RECENT ? " (the one used last first)" : " (by way)");
    if (l->victim != QN_NOTE_NONE) {
        put(o, "; %" PRIx64 " leaves", explain_tag_of(&o->n, l->victim));
        put_use(o, ", last used", &l->victim_used);
    }
    put(o, ".\n");
}

static void put_line(struct output *o, const struct qn_note *n, const struct qn_note_line *l)
{
    put(o, "        set %" PRIu64 ", tag %" PRIx64 ": ", explain_set_of(&o->n, l->line), explain_tag_of(&o->n, l->line));
    if (l->hit) {
        put(o, "a hit");
        put_use(o, "; last used", &l->used);
        put(o, ".\n");
        if (o->n.x->config->D1.assoc > 1)
            put_set(o, l);
        return;
    }
    put(o, n->outcome & 1 ? "a miss, " : "not there, but no miss: the module found it elsewhere; ");
    put_reason(o, l);
    put_set(o, l);
}

static void put_note(struct output *o, const struct qn_note *n, const struct qn_cost_named *named)
{
    uint32_t lines = n->lines < QN_NOTE_LINES ? n->lines : QN_NOTE_LINES;
    char name[EXPLAIN_PLACE_MAX];
    uint64_t pc;

    explain_place_of(&o->n, n->site, name, &pc);
    put(o, "\n    reference %" PRIu64 " of %s, %" PRIu64 " of the run: ", n->nth,
        named->first == named->last ? "this line" : "these lines", n->number);
    if (named->first != named->last)
        put(o, "%s ", name);
    put(o, "%s %" PRIu32 " bytes at 0x%" PRIx64 ", by the instruction at 0x%" PRIx64 "\n",
        n->kind < sizeof verbs / sizeof verbs[0] ? verbs[n->kind] : "?", n->size, n->addr, pc);
    if (n->lines > 1)
        put(o, "        It reaches over %" PRIu32 " lines of the cache%s.\n", n->lines,
            n->lines > QN_NOTE_LINES ? "; the first two are shown" : ", and is one miss at most");
    for (uint32_t i = 0; i < lines; i++)
        put_line(o, n, &n->line[i]);
    if (n->outcome & 1)
        put(o, "        %s\n", n->outcome & 2 ? "The LL misses it, too." : "The LL has it.");
}

static void put_notes(struct output *o, const struct qn_cost_named *named)
{
    struct qn_cost_extent e = qn_cost_get_extent(o->n.x->store);

    put(o, "The first %" PRIu64 " of them", o->n.x->config->explain_first);
    if (o->n.x->config->explain_every)
        put(o, ", then one of %" PRIu64, o->n.x->config->explain_every);
    put(o, ":\n");
    for (uint64_t i = 0; i < e.notes; i++) {
        struct qn_note n;

        memcpy(&n, o->n.x->store->base + QN_ARENA_EXPLAIN_OFF + QN_NOTES_OFF + i * sizeof n, sizeof n);
        if (n.which == named->which)
            put_note(o, &n, named);
    }
    if (e.notes == QN_NOTES_MAX)
        put(o, "\n    There was no room for more.\n");
}

/* ---- all ---- */

static void put_preface(struct output *o)
{
    const struct qn_geometry *g = &o->n.x->config->D1;

    put(o, "What became of data references in the D1, and why.\n\n"
        "The D1 has %" PRIu32 " bytes: %" PRIu32 " sets, %" PRIu32 " %s of %" PRIu32 " bytes in each. ", g->size,
        1u << o->n.set_bits, g->assoc, g->assoc == 1 ? "line" : "lines", g->line);
    put(o, "Of an address the low %u bits are the\nplace in the line, the next %u the set, the rest is the tag (hexadecimal below).\n",
        o->n.line_bits, o->n.set_bits);
}

enum qn_text_status qn_cost_write_explanation(const char *path, const struct qn_cost_explanation *x, struct qn_text_error *err)
{
    static struct output o;

    o = (struct output){ .w = qn_prof_open_writer(path, err) };
    if (!o.w)
        return err->status;
    explain_begin(&o.n, x);
    put_preface(&o);
    for (int i = 0; i < x->count; i++) {
        if (x->named[i].what != QN_PROBE_EXPLAIN || x->named[i].which >= QN_EXPLAIN_MAX)
            continue;
        if (put_heading(&o, &x->named[i])) {
            put_tally(&o, x->named[i].which);
            put_notes(&o, &x->named[i]);
        }
    }
    qn_cost_free_sites(&o.n.sites);
    return qn_prof_close_writer(o.w, err);
}
