/* lib/cost/notes/watch.c - writes notes of the arena as CSV.  See watch.h.
 *
 * Invariant: notes are not trusted.  Values that make no sense are written as they are; they cause no crash. */
#include "cost/notes/watch.h"

#include <string.h>

#include "cost/notes/steps.h"
#include "cost/places/places.h"
#include "prof/write.h"

struct watch {
    struct qn_cost_modules *modules;
    struct qn_prof_writer *w;
    struct qn_cost_sites sites;
    struct qn_explain_output head; /* a copy */
    struct qn_cost_steps steps;
    uint64_t maps;
};

static void put_text(void *data, const char *text)
{
    struct watch *o = data;

    qn_prof_put_text(o->w, text);
}

/* The variable at an address; NULL: no symbol table names one. */
static const char *object_at(void *data, uint64_t address)
{
    struct watch *o = data;
    const char *name = NULL;

    for (uint32_t map = 0; map < o->maps && !name; map++) {
        uint64_t bias;
        struct qn_debug *d = qn_cost_open_map(o->modules, map, &bias);

        name = d ? qn_debug_name_object(d, address + bias) : NULL;
    }
    return name;
}

static void put_note(struct watch *o, const struct qn_note *n)
{
    struct qn_cost_place place = { 0 };
    struct qn_cost_step by = { 0 };
    uint32_t map;

    if (qn_cost_find_site(&o->sites, n->site, &map, &by.pc))
        qn_cost_find_place(o->modules, map, by.pc, &place);
    by.file = place.file;
    by.function = place.function;
    by.line = place.line;
    qn_cost_put_step(&o->steps, n, &by);
}

enum qn_text_status qn_cost_write_watch(const char *path, const struct qn_cost_store *store, struct qn_cost_modules *modules,
                                        struct qn_text_error *err)
{
    static struct watch o;
    struct qn_cost_extent e;

    o = (struct watch){ .modules = modules, .w = qn_prof_open_writer(path, err) };
    if (!o.w)
        return err->status;
    qn_cost_index_sites(&o.sites, store);
    if (qn_cost_has(store, QN_SECTION_EXPLAIN))
        memcpy(&o.head, store->base + QN_ARENA_EXPLAIN_OFF, sizeof o.head);
    o.steps = (struct qn_cost_steps){ put_text, object_at, &o, &qn_cost_header(store)->config.D1, &o.head };
    e = qn_cost_get_extent(store);
    o.maps = e.maps;
    qn_cost_put_step_names(&o.steps);
    for (uint64_t i = 0; i < e.notes; i++) {
        struct qn_note n;

        memcpy(&n, store->base + QN_ARENA_EXPLAIN_OFF + QN_NOTES_OFF + i * sizeof n, sizeof n);
        put_note(&o, &n);
    }
    qn_cost_free_sites(&o.sites);
    return qn_prof_close_writer(o.w, err);
}
