/* lib/cost/notes/explain_json.c - notes of the arena to JSON.  See explain.h; doc/json.md has the schema, quern-explanation. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "cost/notes/explain_notes.h"
#include "json/write.h"
#include "text/output.h"


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

