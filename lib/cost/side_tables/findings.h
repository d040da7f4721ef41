/* lib/cost/side_tables/findings.h - writes the findings of analysis modules about instructions as CSV.
 *
 *   object,address,file,function,line,what,rank,value,other,count,of,share,of_rows
 *   /bin/prog,0x401136,/src/a.c,main,12,rax,1,0x7,,950,1000,95.00,1
 *
 * There is a row for each finding (sim_find in sim/module.h), sorted by object and address; those of an instruction are in the order of the
 * module's calls.  address, other: addresses of the object's symbol table; other is empty if there is none, and may belong to another
 * object.  rank: from 1 for each `what` of an instruction.  share: count / of in percent, with two decimals.  of_rows: the number of rows of the file.
 */
#ifndef QN_COST_FINDINGS_H
#define QN_COST_FINDINGS_H

#include "cost/places/places.h"
#include "cost/store.h"
#include "text/error.h"

enum qn_text_status qn_cost_write_findings(const char *path, const struct qn_cost_store *store, struct qn_cost_modules *modules,
                                           struct qn_text_error *err);

/* There is anything to write. */
bool qn_cost_has_findings(const struct qn_cost_store *store);

/* There was no more room for findings. */
bool qn_cost_findings_full(const struct qn_cost_store *store);

/* ---- findings of lists of frequent values (sim_keep_values in sim/module.h) ----
 *
 *   a list of 1000 values in which 0 was counted 940 times and 7 twice     ->   rax 0x0 940 of 1000, rax 0x7 2 of 1000
 */

/* One for each value that is frequent, the most frequent first; one with a count of 0 if none is.  Returns how many; list has so many entries, and is sorted. */
size_t qn_cost_estimate_values(struct qn_value_list *list, size_t entries, struct qn_finding rows[QN_VALUE_ENTRIES_MAX]);

/* Appends those of all lists to `count` rows that come from malloc. */
void qn_cost_add_values(const struct qn_cost_store *store, struct qn_finding **rows, uint64_t *count);

/* ---- the level that served each load, computed from the counters of a run (sim_keep_loads in sim/module.h) ----
 *
 *   an instruction that read 1000 times, missed the D1 57 times and the LL 21 times
 *   ->  D 943 of 1000, L 36 of 1000, M 21 of 1000, cycles 9412 of 1000
 */

#define QN_COST_OF_COUNTERS 2 /* `kept` of these findings */

/* A list from malloc, four findings for each instruction that loads, by map and address. */
struct qn_finding *qn_cost_find_loads(const struct qn_cost_store *store, size_t *count);

/* Sorts keys {pc, number}, by maps[number] and pc; those of equal ones keep their order. */
struct qn_text_key;
void qn_cost_sort_insns(struct qn_text_key *keys, const uint32_t *maps, size_t n);

/* ---- the places of instructions that were looked for last: tables of findings name the same ones again and again ----
 *
 *   struct qn_cost_recent *r = calloc(1, sizeof *r)     NULL works, too: nothing is remembered
 *   place = qn_cost_recent_place(r, modules, map, pc)
 */

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
