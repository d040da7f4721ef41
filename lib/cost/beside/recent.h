/* lib/cost/beside/recent.h - the places of instructions that were looked for last: tables of findings name the same ones again and again.
 *
 *   struct qn_cost_recent *r = calloc(1, sizeof *r)     NULL works, too: nothing is remembered
 *   place = qn_cost_recent_place(r, modules, map, pc)
 */
#ifndef QN_COST_RECENT_H
#define QN_COST_RECENT_H

#include "cost/places/modules.h"

#define QN_COST_RECENT 4096u

struct qn_cost_recent {
    struct {
        uint64_t pc;
        uint32_t map;
        bool known;
        struct qn_cost_place place;
    } at[QN_COST_RECENT];
};

static inline struct qn_cost_place qn_cost_recent_place(struct qn_cost_recent *r, struct qn_cost_modules *modules, uint32_t map, uint64_t pc)
{
    struct qn_cost_place place;
    unsigned i = (unsigned)(pc * 0x9e3779b97f4a7c15ull >> 52);

    if (r && r->at[i].known && r->at[i].pc == pc && r->at[i].map == map)
        return r->at[i].place;
    qn_cost_find_place(modules, map, pc, &place);
    if (r) {
        r->at[i].pc = pc;
        r->at[i].map = map;
        r->at[i].known = true;
        r->at[i].place = place;
    }
    return place;
}

#endif
