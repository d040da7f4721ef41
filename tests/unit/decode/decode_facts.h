/* tests/unit/decode/decode_facts.h - facts of an instruction in the form in which two decoders are compared. */
#ifndef QN_TEST_DECODE_FACTS_H
#define QN_TEST_DECODE_FACTS_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "decode/decode.h"
#include "zydis_registers.h"

struct facts {
    bool accepted;
    unsigned len;
    unsigned reads, writes;
    struct qn_registers other_reads, other_writes;
    unsigned flags_read, flags_written, flags_undef, flags_may;
    unsigned n_mem;
    struct qn_mem mem[3];
    const char *branch;
    uint64_t target;
    bool privileged;
    char features[48];
    bool wrong_base; /* see add_memory of zydis_facts.h */
};

static const char *branch_of_quern(const struct qn_insn *insn)
{
    static const char *const names[] = {
        [QN_CLS_OTHER] = "",          [QN_CLS_JCC] = "conditional",   [QN_CLS_LOOP] = "conditional",
        [QN_CLS_JRCXZ] = "conditional", [QN_CLS_JMP] = "jump",        [QN_CLS_JMP_IND] = "indirect jump",
        [QN_CLS_CALL] = "call",       [QN_CLS_CALL_IND] = "indirect call", [QN_CLS_RET] = "return",
        [QN_CLS_SYSCALL] = "system call", [QN_CLS_SYSENTER] = "system call", [QN_CLS_INT] = "interrupt",
        [QN_CLS_INT3] = "interrupt",  [QN_CLS_UD] = "",               [QN_CLS_FAR] = "far",
        [QN_CLS_XBEGIN] = "conditional", [QN_CLS_HLT] = ""};

    return names[insn->cls];
}

static void features_of_quern(const struct qn_insn *insn, char *text)
{
    const struct qn_feature *list[QN_FEATURES_MAX];
    size_t n = qn_decode_features(insn, list);

    for (size_t i = 0; i < n; i++)
        text += sprintf(text, "%s%s", i ? " " : "", list[i]->name);
}

static void facts_of_quern(const struct qn_insn *insn, struct facts *f)
{
    f->accepted = !(insn->attr & QN_ATTR_UD);
    f->len = insn->len;
    f->reads = insn->reads;
    f->writes = insn->writes;
    qn_decode_registers(insn, &f->other_reads, &f->other_writes);
    f->flags_read = insn->flags_read;
    f->flags_written = insn->flags_written | insn->flags_maywrite;
    f->flags_undef = insn->flags_undef;
    f->flags_may = insn->flags_maywrite;
    f->n_mem = insn->n_mem;
    memcpy(f->mem, insn->mem, sizeof f->mem);
    f->branch = branch_of_quern(insn);
    if (insn->target_rel || insn->cls == QN_CLS_JMP || insn->cls == QN_CLS_CALL || !strcmp(f->branch, "conditional"))
        f->target = qn_decode_target(insn, 0);
    f->privileged = insn->attr & QN_ATTR_PRIV;
    features_of_quern(insn, f->features);
}

/* Memory that is only named (lea, nop, prefetch): Zydis calls it a read or gives another size.  Sizes of gathers:
 * Zydis gives one element. */
static bool same_memory(const struct qn_mem *q, const struct qn_mem *z)
{
    if (q->access && q->access != z->access)
        return false;
    if (q->access && q->size && !q->vsib && q->size != z->size)
        return false;
    if (q->base != z->base || q->is_modrm != z->is_modrm || (q->access && q->seg != z->seg))
        return false;
    return !q->is_modrm || (q->index == z->index && q->disp == z->disp && q->scale == z->scale &&
                            q->addr32 == z->addr32 && q->addr16 == z->addr16 && !q->vsib == !z->vsib);
}

static bool same_memories(const struct facts *q, const struct facts *z)
{
    for (unsigned i = 0; i < q->n_mem; i++) {
        bool found = false;
        for (unsigned k = 0; k < z->n_mem; k++)
            found = found || same_memory(&q->mem[i], &z->mem[k]);
        if (!found)
            return false;
    }
    return true;
}

/* What differs first after place *at of the list, as a word for the report; NULL = nothing more. */
static const char *difference(const struct facts *q, const struct facts *z, unsigned *at)
{
    const struct {
        bool same;
        const char *what;
    } list[] = {
        {q->accepted == z->accepted, z->accepted ? "only Zydis" : "only quern"},
        {!q->accepted || q->len == z->len, "length"},
        {q->n_mem == z->n_mem, "number of memory operands"},
        {!z->wrong_base, "SIB without base"},
        {q->n_mem != z->n_mem || same_memories(q, z), "memory operand"},
        {q->reads == z->reads, "registers read"},
        {q->writes == z->writes, "registers written"},
        {same_registers(&q->other_reads, &z->other_reads), "other registers read"},
        {same_registers(&q->other_writes, &z->other_writes), "other registers written"},
        {q->flags_read == z->flags_read, "flags read"},
        {q->flags_written == z->flags_written, "flags written"},
        {q->flags_may || q->flags_undef == z->flags_undef, "flags undefined"}, /* what may stay cannot be undefined */
        {!strcmp(q->branch, z->branch), "branch"},
        {q->target == z->target, "target"},
        {q->privileged == z->privileged, "privilege"},
        {!strcmp(q->features, z->features), "features"},
    };

    for (; *at < sizeof list / sizeof *list; ++*at) {
        if (*at && (!q->accepted || !z->accepted))
            return NULL;
        if (!list[*at].same)
            return list[(*at)++].what;
    }
    return NULL;
}

#endif
