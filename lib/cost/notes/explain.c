/* lib/cost/notes/explain.c - notes of the arena to text.  See explain.h. */
#define _GNU_SOURCE
#include "cost/notes/explain.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "cost/places/places.h"
#include "json/write.h"
#include "prof/write.h"
#include "text/escape.h"
#include "text/output.h"
#include "text/source.h"

#define EXPLAIN_PLACE_MAX 300

struct explain_notes {
    const struct qn_cost_explanation *x;
    struct qn_cost_sites sites;
    struct qn_explain_output notes; /* a copy */
    uint32_t line_bits, set_bits;
};

/* The source lines that had evicted what the accesses of `which` then missed, the most frequent first.  list: room for QN_EVICTORS_MAX.
 * Returns their number. */
struct explain_culprit {
    uint64_t count;
    char name[EXPLAIN_PLACE_MAX];
};
extern const char *const explain_classes[QN_MISS_CLASSES];

/* ---- explain notes ---- */

const char *const explain_classes[QN_MISS_CLASSES] = { "compulsory", "capacity", "conflict" };

/* "demo.c:12", or as much as is known */
static const char *describe(const struct qn_cost_place *p, uint64_t pc, char text[EXPLAIN_PLACE_MAX])
{
    if (p->file && p->line)
        snprintf(text, EXPLAIN_PLACE_MAX, "%.200s:%" PRIu32, basename(p->file), p->line);
    else if (p->function)
        snprintf(text, EXPLAIN_PLACE_MAX, "%.250s()", p->function);
    else
        snprintf(text, EXPLAIN_PLACE_MAX, "code at 0x%" PRIx64, pc);
    return text;
}

static const char *explain_place_of(struct explain_notes *o, uint32_t site, char text[EXPLAIN_PLACE_MAX], uint64_t *pc)
{
    struct qn_cost_place p = { 0 };
    uint32_t map;

    *pc = 0;
    if (!qn_cost_find_site(&o->sites, site, &map, pc))
        return snprintf(text, EXPLAIN_PLACE_MAX, "an unknown instruction"), text;
    qn_cost_find_place(o->x->modules, map, *pc, &p);
    return describe(&p, *pc, text);
}

static bool explain_first_point(struct explain_notes *o, const struct qn_cost_named *n, struct qn_probe *p)
{
    struct qn_cost_extent e = qn_cost_get_extent(o->x->store);

    for (uint64_t i = 0; i < e.probes; i++) {
        memcpy(p, o->x->store->base + QN_ARENA_PROBES_OFF + i * sizeof *p, sizeof *p);
        if (p->what == n->what && p->which == n->which)
            return true;
    }
    return false;
}

static int compare_counts(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return a > b ? -1 : a < b;
}

static size_t explain_gather_culprits(struct explain_notes *o, uint32_t which, struct explain_culprit *list)
{
    size_t n = 0;

    for (uint32_t i = 0; i < o->notes.evictors && i < QN_EVICTORS_MAX; i++) {
        char name[EXPLAIN_PLACE_MAX];
        size_t k = 0;
        uint64_t pc;

        if (o->notes.evictor[i].which != which)
            continue;
        explain_place_of(o, o->notes.evictor[i].site, name, &pc);
        while (k < n && strcmp(list[k].name, name))
            k++;
        if (k == n) {
            list[n].count = 0;
            memcpy(list[n++].name, name, sizeof name);
        }
        list[k].count += o->notes.evictor[i].count;
    }
    qsort(list, n, sizeof *list, compare_counts);
    return n;
}

static uint64_t explain_set_of(const struct explain_notes *o, uint64_t line)
{
    return line >> o->line_bits & ((1ull << o->set_bits) - 1);
}

static uint64_t explain_tag_of(const struct explain_notes *o, uint64_t line) { return line >> (o->line_bits + o->set_bits); }

static unsigned bits_of(uint32_t n)
{
    unsigned bits = 0;

    while (bits < 31 && 1u << (bits + 1) <= n)
        bits++;
    return bits;
}

static void explain_begin(struct explain_notes *o, const struct qn_cost_explanation *x)
{
    const struct qn_geometry *g = &x->config->D1;

    o->x = x;
    if (qn_cost_has(x->store, QN_SECTION_EXPLAIN))
        memcpy(&o->notes, x->store->base + QN_ARENA_EXPLAIN_OFF, sizeof o->notes);
    o->line_bits = bits_of(g->line);
    o->set_bits = bits_of(g->size / (g->assoc * g->line));
    qn_cost_index_sites(&o->sites, x->store);
}

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

/* ---- notes as JSON; doc/json.md has the schema, quern-explanation ---- */

static json_t *hex(const char *prefix, uint64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "%s%" PRIx64, prefix, value);
    return json_string(text);
}

static json_t *number(uint64_t value) { return json_integer((json_int_t)value); }

/* The reference that used or evicted a line; null: there was none. */
static json_t *use(struct explain_notes *o, const struct qn_note_use *u)
{
    char name[EXPLAIN_PLACE_MAX];
    uint64_t pc;

    return u->number ? json_pack("{s:o, s:o}", "reference", number(u->number), "place", qn_json_text(explain_place_of(o, u->site, name, &pc))) : json_null();
}

/* The tags of the set; null: a free way. */
static json_t *held(const struct explain_notes *o, const struct qn_note_line *l)
{
    uint32_t ways = l->ways < QN_NOTE_WAYS ? l->ways : QN_NOTE_WAYS;
    json_t *list = json_array();

    for (uint32_t i = 0; i < ways; i++)
        json_array_append_new(list, l->set[i] == QN_NOTE_NONE ? json_null() : hex("", explain_tag_of(o, l->set[i])));
    return list;
}

static json_t *line_of_cache(struct explain_notes *o, const struct qn_note_line *l)
{
    json_t *all = json_pack("{s:o, s:o, s:b, s:o}", "set", number(explain_set_of(o, l->line)), "tag", hex("", explain_tag_of(o, l->line)), "hit", l->hit != 0,
                            "held", held(o, l));

    if (l->hit)
        json_object_set_new(all, "last_used", use(o, &l->used));
    else {
        json_object_set_new(all, "class", l->class < QN_MISS_CLASSES ? json_string(explain_classes[l->class]) : json_null());
        json_object_set_new(all, "evicted", use(o, &l->out));
    }
    if (l->victim != QN_NOTE_NONE)
        json_object_set_new(all, "victim", json_pack("{s:o, s:o}", "tag", hex("", explain_tag_of(o, l->victim)), "last_used", use(o, &l->victim_used)));
    return all;
}

static json_t *access_of(struct explain_notes *o, const struct qn_note *n)
{
    static const char *const kinds[] = { "read", "write", "modify" };
    uint32_t lines = n->lines < QN_NOTE_LINES ? n->lines : QN_NOTE_LINES;
    char name[EXPLAIN_PLACE_MAX];
    json_t *list = json_array(), *all;
    uint64_t pc;

    for (uint32_t i = 0; i < lines; i++)
        json_array_append_new(list, line_of_cache(o, &n->line[i]));
    explain_place_of(o, n->site, name, &pc);
    all = json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:o}", "nth", number(n->nth), "reference", number(n->number), "kind",
                    n->kind < sizeof kinds / sizeof kinds[0] ? kinds[n->kind] : "?", "bytes", number(n->size), "address", hex("0x", n->addr), "pc", hex("0x", pc),
                    "place", qn_json_text(name));
    json_object_set_new(all, "D1_miss", json_boolean(n->outcome & 1));
    json_object_set_new(all, "LL_miss", json_boolean((n->outcome & 3) == 3));
    json_object_set_new(all, "lines", list);
    return all;
}

static json_t *accesses(struct explain_notes *o, uint32_t which)
{
    json_t *list = json_array();
    struct qn_cost_extent e = qn_cost_get_extent(o->x->store);

    for (uint64_t i = 0; i < e.notes; i++) {
        struct qn_note n;

        memcpy(&n, o->x->store->base + QN_ARENA_EXPLAIN_OFF + QN_NOTES_OFF + i * sizeof n, sizeof n);
        if (n.which == which)
            json_array_append_new(list, access_of(o, &n));
    }
    return list;
}

static json_t *evictors(struct explain_notes *o, uint32_t which)
{
    struct explain_culprit *found = QN_NEEDED(calloc(QN_EVICTORS_MAX, sizeof *found));
    size_t n = explain_gather_culprits(o, which, found);
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_pack("{s:o, s:o}", "place", qn_json_text(found[i].name), "lines", number(found[i].count)));
    free(found);
    return list;
}

/* What was named by one --explain. */
static json_t *named(struct explain_notes *o, const struct qn_cost_named *n)
{
    uint64_t all = o->notes.tally[n->which].accesses, misses = o->notes.tally[n->which].misses;
    json_t *classes = json_object(), *one = json_pack("{s:o, s:o, s:o}", "file", qn_json_text(n->name), "first", number(n->first), "last", number(n->last));
    struct qn_cost_place place = { 0 };
    struct qn_probe p;

    for (int i = 0; i < QN_MISS_CLASSES; i++)
        json_object_set_new(classes, explain_classes[i], number(o->notes.tally[n->which].classes[i]));
    if (explain_first_point(o, n, &p))
        qn_cost_find_place(o->x->modules, p.map, p.start, &place);
    json_object_set_new(one, "function", place.function ? qn_json_text(place.function) : json_null());
    json_object_set_new(one, "references", number(all));
    json_object_set_new(one, "hits", number(all - misses));
    json_object_set_new(one, "misses", number(misses));
    json_object_set_new(one, "LL_misses", number(o->notes.tally[n->which].ll_misses));
    json_object_set_new(one, "classes", classes);
    json_object_set_new(one, "evicted_by", evictors(o, n->which));
    json_object_set_new(one, "accesses", accesses(o, n->which));
    return one;
}

static json_t *document(struct explain_notes *o)
{
    const struct qn_cost_explanation *x = o->x;
    const struct qn_geometry *g = &x->config->D1;
    json_t *list = json_array();

    for (int i = 0; i < x->count; i++)
        if (x->named[i].what == QN_PROBE_EXPLAIN && x->named[i].which < QN_EXPLAIN_MAX)
            json_array_append_new(list, named(o, &x->named[i]));
    return json_pack("{s:s, s:i, s:{s:o, s:o, s:o}, s:s, s:o, s:o, s:o}", "schema", "quern-explanation", "version", QN_JSON_VERSION, "D1", "size", number(g->size),
                     "ways", number(g->assoc), "line", number(g->line), "order", o->notes.order == QN_SHOW_RECENT ? "recent" : "ways", "first",
                     number(x->config->explain_first), "every", number(x->config->explain_every), "explained", list);
}

static bool put_document(FILE *f, const struct qn_cost_explanation *x)
{
    static struct explain_notes o;
    bool good;

    o = (struct explain_notes){ .x = x };
    explain_begin(&o, x);
    good = !qn_json_put(f, document(&o)) && putc('\n', f) != EOF;
    qn_cost_free_sites(&o.sites);
    return good;
}

enum qn_text_status qn_cost_write_explanation_json(const char *path, const struct qn_cost_explanation *x, struct qn_text_error *err)
{
    struct qn_text_output o;

    if (qn_text_open_output(&o, path, QN_TEXT_PRIVATE, err) != QN_TEXT_OK)
        return err->status;
    if (put_document(qn_text_stream_output(&o), x))
        return qn_text_close_output(&o, err);
    qn_text_drop_output(&o);
    return qn_text_fail(err, QN_TEXT_IO, "%s: cannot write", path);
}
