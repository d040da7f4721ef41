/* lib/cost/side_tables/branches.c - see branches.h. */
#include "cost/side_tables/branches.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cost/side_tables/columns.h"

static void put_branch(struct qn_prof_writer *w, struct qn_cost_modules *modules, uint32_t map, uint64_t pc)
{
    struct qn_cost_place place = { 0 };
    char text[40];

    qn_cost_find_place(modules, map, pc, &place);
    snprintf(text, sizeof text, "0x%" PRIx64 ",", pc);
    qn_prof_put_text(w, text);
    qn_cost_put_csv_name(w, place.file ? place.file : "");
    snprintf(text, sizeof text, ",%" PRIu32 ",", place.file ? place.line : 0);
    qn_prof_put_text(w, text);
    qn_cost_put_csv_name(w, place.function ? place.function : "");
    qn_prof_put_text(w, "\n");
}

static void put_block(struct qn_prof_writer *w, const struct qn_cost_store *store, struct qn_cost_modules *modules, const struct qn_block_rec *b,
                      uint64_t insns)
{
    const volatile qn_insn_desc *insn = (const qn_insn_desc *)(store->base + QN_ARENA_INSNS_OFF);
    uint64_t pc = b->pc;

    for (uint32_t i = 0; i < b->ninsns && (uint64_t)b->first_insn + i < insns; i++) {
        uint32_t d = insn[b->first_insn + i];

        if (d & (QN_INSN_BC | QN_INSN_BI | QN_INSN_STACK))
            put_branch(w, modules, b->map, pc);
        pc += QN_INSN_LEN(d);
    }
}

enum qn_text_status qn_cost_write_branches(const char *path, const struct qn_cost_store *store, struct qn_cost_modules *modules,
                                           struct qn_text_error *err)
{
    struct qn_prof_writer *w = qn_prof_open_writer(path, err);
    struct qn_cost_extent e;

    if (!w)
        return err->status;
    e = qn_cost_get_extent(store);
    qn_prof_put_text(w, "pc,file,source_line,function\n");
    for (uint64_t i = 0; i < e.blocks; i++) {
        struct qn_block_rec b;

        memcpy(&b, store->base + QN_ARENA_BLOCKS_OFF + i * sizeof b, sizeof b);
        put_block(w, store, modules, &b, e.insns);
    }
    return qn_prof_close_writer(w, err);
}
