/* lib/cost/watch.c - notes of the arena to CSV.  See watch.h.
 *
 * Invariant: notes are not trusted: nonsense is written as it stands, never a crash. */
#include "cost/watch.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cost/sites.h"
#include "prof/write.h"

#define TEXT_MAX 1000

struct watch {
    const struct qn_cost_store *store;
    struct qn_cost_modules *modules;
    struct qn_prof_writer *w;
    struct qn_cost_sites sites;
    struct qn_explain_output head; /* a copy */
    uint64_t maps;
};

static void put(struct watch *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct watch *o, const char *format, ...)
{
    char text[TEXT_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    qn_prof_put_text(o->w, text);
}

/* ",text", quoted as RFC 4180 has it. */
static void put_cell(struct watch *o, const char *text)
{
    char one[2] = "";

    put(o, ",\"");
    for (; text && *text; text++) {
        one[0] = *text;
        put(o, *text == '"' ? "\"\"" : "%s", one);
    }
    put(o, "\"");
}

/* The variable at an address. */
static const char *object_at(struct watch *o, uint64_t address)
{
    const char *name = NULL;

    for (uint32_t map = 0; map < o->maps && !name; map++) {
        uint64_t bias;
        struct qn_debug *d = qn_cost_open_map(o->modules, map, &bias);

        name = d ? qn_debug_name_object(d, address + bias) : NULL;
    }
    return name;
}

/* ---- a row ---- */

static void put_reference(struct watch *o, const struct qn_note *n)
{
    static const char *const kinds[] = { "read", "write", "modify" };
    struct qn_cost_place place = { 0 };
    uint64_t pc = 0;
    uint32_t map;

    if (qn_cost_find_site(&o->sites, n->site, &map, &pc))
        qn_cost_find_place(o->modules, map, pc, &place);
    put(o, "%" PRIu64 ",0x%" PRIx64, n->number, pc);
    put_cell(o, place.file);
    put(o, ",%" PRIu32, place.file ? place.line : 0);
    put_cell(o, place.function);
    put(o, ",%s,0x%" PRIx64 ",%" PRIu32 ",%u", n->kind < sizeof kinds / sizeof *kinds ? kinds[n->kind] : "?", n->addr, n->size, n->outcome);
}

static void put_geometry(struct watch *o)
{
    const struct qn_geometry *g = &qn_cost_header(o->store)->config.D1;
    uint64_t set = (uint64_t)g->assoc * g->line;

    put(o, ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%s,%.*s,%.*s", set ? g->size / set : 0, g->assoc, g->line,
        o->head.order == QN_SHOW_RECENT ? "recent" : o->head.order == QN_SHOW_WAYS ? "way" : "", QN_STATE_NAME, o->head.way_state, QN_STATE_NAME,
        o->head.set_state);
}

static void put_address(struct watch *o, uint64_t line)
{
    if (line == QN_NOTE_NONE)
        put(o, "-");
    else
        put(o, "0x%" PRIx64, line);
}

static void put_line(struct watch *o, const struct qn_note_line *l, uint64_t address)
{
    static const char *const classes[QN_MISS_CLASSES] = { "compulsory", "capacity", "conflict" };
    uint32_t ways = l->ways < QN_NOTE_WAYS ? l->ways : QN_NOTE_WAYS;

    put(o, ",0x%" PRIx64 ",%u,%s,", l->line, l->hit, l->hit || l->class >= QN_MISS_CLASSES ? "" : classes[l->class]);
    if (l->victim != QN_NOTE_NONE)
        put_address(o, l->victim);
    put(o, ",");
    for (uint32_t i = 0; i < ways; i++) {
        put(o, i ? " " : "");
        put_address(o, l->set[i]);
    }
    put(o, ",");
    for (uint32_t i = 0; i < ways && o->head.way_state[0]; i++)
        put(o, "%s%" PRIu64, i ? " " : "", l->state[i]);
    if (o->head.set_state[0])
        put(o, ",%" PRIu64, l->set_state);
    else
        put(o, ",");
    put_cell(o, object_at(o, address > l->line ? address : l->line));
    put(o, "\n");
}

/* ---- all ---- */

static void put_note(struct watch *o, const struct qn_note *n)
{
    for (uint32_t i = 0; i < n->lines && i < QN_NOTE_LINES; i++) {
        put_reference(o, n);
        put_geometry(o);
        put_line(o, &n->line[i], n->addr);
    }
}

enum qn_text_status qn_cost_write_watch(const char *path, const struct qn_cost_store *store, struct qn_cost_modules *modules,
                                        struct qn_text_error *err)
{
    static struct watch o;
    struct qn_cost_extent e;

    o = (struct watch){ .store = store, .modules = modules, .w = qn_prof_open_writer(path, err) };
    if (!o.w)
        return err->status;
    if (!qn_cost_index_sites(&o.sites, store)) {
        qn_prof_abandon_writer(o.w);
        return qn_text_fail_memory(err);
    }
    memcpy(&o.head, store->base + QN_ARENA_EXPLAIN_OFF, sizeof o.head);
    qn_cost_get_extent(store, &e);
    o.maps = e.maps;
    put(&o, "number,pc,file,source_line,function,kind,address,size,outcome,sets,ways,line_bytes,order,way_shows,set_shows,line,hit,class,victim,"
            "before,state,set_state,object\n");
    for (uint64_t i = 0; i < e.notes; i++) {
        struct qn_note n;

        memcpy(&n, store->base + QN_ARENA_EXPLAIN_OFF + QN_NOTES_OFF + i * sizeof n, sizeof n);
        put_note(&o, &n);
    }
    qn_cost_free_sites(&o.sites);
    return qn_prof_close_writer(o.w, err);
}
