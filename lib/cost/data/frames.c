/* lib/cost/data/frames.c - see frames.h. */
#define _GNU_SOURCE
#include "cost/data/frames.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "debug/debug.h"

/* A function, or a variable in it: its frames are one object. */
struct met {
    uint32_t map, object;
    const char *function; /* as it is shown; "" = not known */
    uint64_t id;          /* of the variable; of the function QN_NO_ID */
};

#define QN_NO_ID UINT64_MAX

struct qn_cost_frames {
    void *met; /* a tree (tsearch) */
};

struct search {
    struct qn_cost_frames *known;
    const struct qn_cost_store *store;
    struct qn_debug *debug;
    struct qn_frame_rec *rec;
    const char *function;
    uint64_t bias, start; /* of code: the address for which the function was first met */
};

struct qn_cost_frames *qn_cost_new_frames(void) { return calloc(1, sizeof(struct qn_cost_frames)); }

void qn_cost_free_frames(struct qn_cost_frames *f)
{
    if (f)
        tdestroy(f->met, free);
    free(f);
}

static int compare(const void *left, const void *right)
{
    const struct met *a = left, *b = right;

    if (a->map != b->map)
        return a->map < b->map ? -1 : 1;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return a->id == QN_NO_ID ? strcmp(a->function, b->function) : 0;
}

/* The number of the object, which becomes one of the arena if it is new; 0: there is no room. */
static uint32_t object_of(struct search *s, uint64_t id, const struct qn_object *fresh)
{
    struct met *m = malloc(sizeof *m), **found;
    uint64_t *count = &qn_cost_header(s->store)->n_objects, n = *count;

    if (!m || n >= QN_ARENA_OBJECTS_SIZE / sizeof *fresh)
        return free(m), 0;
    *m = (struct met){.map = s->rec->map, .object = (uint32_t)n, .function = s->function, .id = id};
    found = tsearch(m, &s->known->met, compare);
    if (!found || *found != m) {
        free(m);
        return found ? (*found)->object : 0;
    }
    ((struct qn_object *)(s->store->base + QN_ARENA_OBJECTS_OFF))[n] = *fresh;
    *count = n + 1;
    return (uint32_t)n;
}

static bool fits(int64_t n) { return n >= INT32_MIN && n <= INT32_MAX; }

static void take_local(void *data, const struct qn_debug_local *local)
{
    struct search *s = data;
    uint64_t *count = &qn_cost_header(s->store)->n_frame_variables, n = *count;
    struct qn_object fresh = {.kind = QN_OBJECT_LOCAL, .asked = 1, .map = s->rec->map, .start = s->start,
                              .size = (uint64_t)(local->end - local->start), .inner = {[QN_LOCAL_ID] = local->id, [QN_LOCAL_PC] = s->rec->pc}};
    struct qn_debug_variable v;
    uint32_t object;

    if (!fits(local->start) || !fits(local->end) || n >= QN_FRAME_VARIABLES_MAX)
        return;
    if (qn_debug_find_local(s->debug, s->rec->pc - s->bias, local->id, &v) && v.type)
        fresh.element = qn_debug_type_element(v.type);
    object = object_of(s, local->id, &fresh);
    if (!object)
        return;
    ((struct qn_frame_variable *)(s->store->base + QN_ARENA_FRAME_VARIABLES_OFF))[n] =
        (struct qn_frame_variable){(int32_t)local->start, (int32_t)local->end, object};
    *count = n + 1;
    s->rec->count++;
}

static uint8_t from(const struct qn_debug_slot *slot) { return (uint8_t)slot->from; }

static bool take_rule(struct qn_frame_rec *r, const struct qn_debug_frame *f)
{
    _Static_assert(QN_FRAME_RSP == (int)QN_DEBUG_FROM_RSP && QN_FRAME_RBP == (int)QN_DEBUG_FROM_RBP && QN_FRAME_CFA == (int)QN_DEBUG_FROM_CFA, "same order");
    if (!fits(f->cfa.offset) || !fits(f->ret.offset) || !fits(f->rbp.offset))
        return false;
    r->cfa = (int32_t)f->cfa.offset;
    r->ret = (int32_t)f->ret.offset;
    r->rbp = (int32_t)f->rbp.offset;
    r->ret_from = from(&f->ret);
    r->rbp_from = from(&f->rbp);
    r->stored = f->stored;
    r->interrupted = f->interrupted;
    r->cfa_from = from(&f->cfa);
    return true;
}

void qn_cost_find_frame(struct qn_cost_frames *known, const struct qn_cost_store *store, struct qn_cost_library *library, uint32_t number)
{
    struct qn_map_rec map;
    struct qn_debug_frame frame;
    struct qn_debug_place place;
    struct search s = {.known = known, .store = store};
    uint64_t at;

    if (number >= QN_FRAMES_MAX || !qn_cost_has(store, QN_SECTION_DATA))
        return;
    s.rec = (struct qn_frame_rec *)(store->base + QN_ARENA_FRAMES_OFF) + number;
    s.debug = qn_cost_open_number(library, store, s.rec->map, &map);
    if (!s.debug || !qn_cost_find_bias(s.debug, &map, &s.bias))
        return;
    at = s.rec->pc - s.bias;
    s.rec->first = (uint32_t)qn_cost_header(store)->n_frame_variables;
    if (!qn_debug_find_frame(s.debug, at, &frame) || !take_rule(s.rec, &frame))
        return;
    qn_debug_find(s.debug, at, &place);
    s.function = place.function ? place.function : "";
    s.rec->object = object_of(&s, QN_NO_ID, &(struct qn_object){.kind = QN_OBJECT_STACK, .map = s.rec->map, .start = s.rec->pc});
    s.start = s.rec->pc;
    qn_debug_list_locals(s.debug, at, &frame, take_local, &s);
}
