/* lib/cost/places/named.c - points of the arena, from debug information.  See named.h. */
#include "cost/places/named.h"

#include <string.h>

#include "cost/places/library.h"

struct search {
    const struct qn_cost_store *store;
    const struct qn_cost_named *named;
    struct qn_debug *debug;
    struct qn_map_rec map;
    uint32_t number; /* of the map */
    uint64_t points;
};

static void add(struct search *s, uint64_t start, uint64_t end, enum qn_probe_what what)
{
    struct qn_probe *to = (struct qn_probe *)(s->store->base + QN_ARENA_PROBES_OFF) + s->points;

    if (s->points < QN_ARENA_PROBES_SIZE / sizeof *to) {
        *to = (struct qn_probe){ start, end, s->number, (uint16_t)what, s->named->which };
        s->points++;
    }
}

/* The guest's address of one of the file's own; 0: it is not in this map. */
static uint64_t guest_address(const struct search *s, uint64_t address)
{
    uint64_t offset;

    if (!qn_debug_offset(s->debug, address, &offset) || offset < s->map.offset
        || offset - s->map.offset >= s->map.end - s->map.start)
        return 0;
    return s->map.start + (offset - s->map.offset);
}

/* The part of a range that is mapped. */
static void take_line(void *data, uint64_t start, uint64_t end)
{
    struct search *s = data;
    uint64_t guest = guest_address(s, start);

    if (guest)
        add(s, guest, guest + (end - start) < s->map.end ? guest + (end - start) : s->map.end, QN_PROBE_EXPLAIN);
}

static void take_function(void *data, uint64_t start, bool chooses)
{
    struct search *s = data;
    uint64_t guest = guest_address(s, start);

    if (guest && !(chooses && s->named->what != QN_PROBE_TOGGLE))
        add(s, guest, guest + 1, chooses ? QN_PROBE_CHOOSER : s->named->what);
}

static void find_one(struct search *s)
{
    struct qn_debug_lines_asked asked = { .file = s->named->name, .first = s->named->first, .last = s->named->last };

    if (s->named->what == QN_PROBE_EXPLAIN)
        qn_debug_find_lines(s->debug, &asked, take_line, s);
    else
        qn_debug_find_functions(s->debug, s->named->name, take_function, s);
}

void qn_cost_find_named(const struct qn_cost_store *store, struct qn_cost_library *library, uint32_t map,
                        const struct qn_cost_named *named, int count)
{
    struct search s = { .store = store, .number = map };
    struct qn_cost_extent e = qn_cost_get_extent(store);

    s.debug = qn_cost_open_number(library, store, map, &s.map);
    s.points = e.points;
    for (int i = 0; i < count && s.debug; i++) {
        s.named = &named[i];
        find_one(&s);
    }
    if (s.debug)
        qn_cost_header(store)->n_probes = s.points;
}

bool qn_cost_has_probes(const struct qn_cost_store *store, const struct qn_cost_named *named)
{
    const volatile struct qn_probe *points = (const struct qn_probe *)(store->base + QN_ARENA_PROBES_OFF);
    struct qn_cost_extent e = qn_cost_get_extent(store);

    for (uint64_t i = 0; i < e.points; i++)
        if ((points[i].what == QN_PROBE_CHOOSER ? QN_PROBE_TOGGLE : points[i].what) == named->what && points[i].which == named->which)
            return true;
    return false;
}

const char *qn_cost_name_entry(const struct qn_cost_store *store, struct qn_cost_library *library, uint64_t pc)
{
    const volatile struct qn_probe *points = (const struct qn_probe *)(store->base + QN_ARENA_PROBES_OFF);
    struct qn_cost_extent e = qn_cost_get_extent(store);
    struct qn_map_rec map;
    uint64_t bias;

    for (uint64_t i = e.points; i > 0; i--)
        if (points[i - 1].start == pc) {
            struct qn_debug *d = qn_cost_open_number(library, store, points[i - 1].map, &map);

            return d && qn_cost_find_bias(d, &map, &bias) ? qn_debug_name_function(d, pc - bias) : NULL;
        }
    return NULL;
}
