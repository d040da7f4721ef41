/* lib/block/block.c - from bytes to a basic block, and which flags are live in it.  See block.h. */
#include "block/block.h"

#include "base/format.h"
#include "guest/exec_map.h"

enum qn_machine qn_block_machine;

bool qn_block_hides_state;

#define XGETBV_MODRM 0xd0

/* Reads XCR0: xgetbv and the xsave family. */
static bool tells_state(const struct qn_insn *in)
{
    return in->attr & QN_ATTR_XSAVE ? !(in->attr & QN_ATTR_PRIV)
                                    : in->map == 1 && in->opcode == 0x01 && in->modrm == XGETBV_MODRM && in->encoding == QN_ENC_LEGACY;
}

/* Does the engine run this instruction itself?  Then it ends its block. */
static bool engine_runs(const struct qn_insn *in)
{
    bool stores_fpu16 = (in->attr & QN_ATTR_FPUIP) && in->map == 0 && in->opsize == 2; /* fnstenv, fnsave */

    return (in->attr & QN_ATTR_CPUID) || stores_fpu16 || (qn_block_hides_state && tells_state(in));
}

/* Refused outright: the engine could not keep control of what follows.  Near branches of 16 bits (66h on AMD's processors)
 * would go below 64 KiB, where Linux lets no program have code; only the jumps that are not taken go on. */
bool qn_block_refuses(const struct qn_insn *in)
{
    if (in->map == 1 && in->cls == QN_CLS_FAR) /* uiret: Linux does not enable user interrupts, so that the processor refuses it */
        return false;
    if ((in->attr & QN_ATTR_IP16) && in->cls != QN_CLS_JCC && in->cls != QN_CLS_JMP)
        return true;
    return in->cls == QN_CLS_FAR || in->cls == QN_CLS_SYSENTER || (in->cls == QN_CLS_INT && (in->imm & 0xff) == 0x80);
}

static enum qn_block_end end_of(const struct qn_insn *in)
{
    if (in->attr & QN_ATTR_UD)
        return QN_END_TRAP; /* lock jmp: it is copied, and the processor refuses it */
    if (engine_runs(in))
        return QN_END_EMULATE;
    if (in->attr & (QN_ATTR_FPUIP | QN_ATTR_FSGSBASE))
        return QN_END_AFTER;
    switch (in->cls) {
    case QN_CLS_JCC: return QN_END_JCC;
    case QN_CLS_LOOP:
    case QN_CLS_JRCXZ: return QN_END_LOOP;
    case QN_CLS_JMP: return QN_END_JMP;
    case QN_CLS_CALL: return QN_END_CALL;
    case QN_CLS_JMP_IND: return QN_END_JMP_IND;
    case QN_CLS_CALL_IND: return QN_END_CALL_IND;
    case QN_CLS_RET: return QN_END_RET;
    case QN_CLS_SYSCALL: return QN_END_SYSCALL;
    case QN_CLS_XBEGIN: return QN_END_XBEGIN;
    case QN_CLS_INT:
    case QN_CLS_INT3:
    case QN_CLS_UD:
    case QN_CLS_FAR:
    case QN_CLS_HLT: return QN_END_TRAP;
    default: return QN_END_FALL;
    }
}

static bool enough_free(uint16_t used, unsigned keep_free)
{
    unsigned free = 0;

    for (uint32_t left = QN_BORROWABLE & ~(uint32_t)used; left; left &= left - 1)
        free++;
    return free >= keep_free;
}

/* Decode instruction number b->n; false if the block ends before it. */
static bool add_insn(struct qn_block *b, unsigned keep_free)
{
    struct qn_insn *in = &b->insn[b->n];
    uint64_t avail = qn_exec_avail(b->next, QN_INSN_MAX_LEN);
    uint16_t used;

    b->bad = qn_block_decode((const uint8_t *)(uintptr_t)b->next, avail, in);
    if (b->bad == QN_DEC_OK && qn_block_refuses(in))
        b->bad = QN_DEC_INVALID;
    if (b->bad != QN_DEC_OK) {
        b->end = b->n ? QN_END_FALL : QN_END_BAD;
        return false;
    }
    used = b->used | in->reads | in->writes;
    if (b->n && !enough_free(used, keep_free))
        return false;
    b->used = used;
    b->at[b->n] = b->next;
    b->next += in->len;
    b->n++;
    return true;
}

/* A store that may reach code: it must take effect at the next instruction, so the block ends and the next one looks. */
static bool stores(const struct qn_insn *in, bool stack_has_code)
{
    for (unsigned k = 0; k < in->n_mem; k++)
        if ((in->mem[k].access & QN_ACC_WRITE) && (stack_has_code || in->mem[k].base != QN_RSP))
            return true;
    return false;
}

/* Does it set the stack pointer to something else than a place nearby? */
static bool moves_stack(const struct qn_insn *in) { return in->writes >> QN_RSP & ~in->reads >> QN_RSP & 1; }

static bool ends_behind(const struct qn_block *b, const struct qn_block_rules *rules, bool stack_has_code)
{
    const struct qn_insn *last = &b->insn[b->n - 1];

    return b->end != QN_END_FALL || (last->attr & QN_ATTR_POPF) /* it may set the trap flag */ || (b->volatile_code && stores(last, stack_has_code)) || (rules->end_at_repeats && qn_is_repeated(last));
}

/* Does a client request stand here? */
static bool is_marker(uint64_t pc)
{
    static const uint8_t marker[QN_MARKER_BYTES] = {0x48, 0xc1, 0xc7, 0x03, 0x48, 0xc1, 0xc7, 0x0d, 0x48, 0xc1,
                                                    0xc7, 0x3d, 0x48, 0xc1, 0xc7, 0x33, 0x48, 0x87, 0xdb};

    return qn_exec_avail(pc, QN_MARKER_BYTES) == QN_MARKER_BYTES &&
           !__builtin_memcmp((const uint8_t *)(uintptr_t)pc, marker, QN_MARKER_BYTES);
}

/* It has no length that an instruction may have; event/event.c knows that its fetch is longer. */
static void take_marker(struct qn_block *b, const struct qn_block_rules *rules)
{
    b->end = QN_END_REQUEST;
    b->next += QN_MARKER_BYTES;
    if (!rules->count_requests)
        return;
    b->at[0] = b->pc;
    b->insn[0] = (struct qn_insn){.len = QN_INSN_MAX_LEN};
    b->n = 1;
}

void qn_block_build(struct qn_block *b, uint64_t pc, const struct qn_block_rules *rules)
{
    const struct qn_tree_node *range = qn_exec_find(pc);
    bool stack_has_code = rules->sp && qn_exec_overlaps(rules->sp - QN_PAGE, rules->sp + QN_PAGE);

    b->pc = b->next = pc;
    b->target = 0;
    b->n = 0;
    b->used = 0;
    b->probe = 0;
    b->calls = (struct qn_block_calls){0};
    b->end = QN_END_FALL;
    b->volatile_code = range && range->flag;
    b->exact_flags = rules->exact_flags;
    if (is_marker(pc))
        take_marker(b, rules);
    while (b->end != QN_END_REQUEST && b->n < rules->max && add_insn(b, rules->keep_free)) {
        const struct qn_insn *last = &b->insn[b->n - 1];

        b->end = end_of(last);
        b->target = qn_decode_target(last, b->at[b->n - 1]);
        stack_has_code |= moves_stack(last);
        if (ends_behind(b, rules, stack_has_code) || is_marker(b->next) || (rules->begins && rules->begins(b->next)))
            break;
    }
    b->at[b->n] = b->next;
}

/* ---- liveness of status flags ----
 *
 * Instrumentation compares and so destroys the flags.  Where they are dead (written before they are read
 * again) it may do so freely.  At the end of a block the successors decide: direct ones are peeked at
 * for a few instructions; behind an indirect branch everything counts as live.  So the dead flags are those that are certainly
 * written within a few instructions, before anything that leaves translated code; run/core/precise.c builds on that.
 */

#define PEEK_INSNS 16

static bool goes_on(const struct qn_insn *in)
{
    return in->cls == QN_CLS_OTHER && !(in->attr & QN_ATTR_FPUIP) && !engine_runs(in); /* these end a block */
}

struct look {
    enum qn_look how;
    unsigned left; /* instructions */
};

/* Flags of `unknown` that code at pc may read before writing them. */
static uint8_t peek(uint64_t pc, uint8_t unknown, struct look *look);

/* Each way may take half of the instructions that are left, and the second what the first has not needed. */
static uint8_t peek_both(const struct qn_insn *jcc, uint64_t pc, uint8_t unknown, struct look *look)
{
    unsigned half = look->left / 2;
    uint8_t live;

    look->left -= half;
    live = peek(pc + jcc->len, unknown, look);
    look->left += half;
    return live | peek(qn_decode_target(jcc, pc), (uint8_t)(unknown & ~live), look);
}

static uint8_t peek(uint64_t pc, uint8_t unknown, struct look *look)
{
    uint8_t live = 0;
    struct qn_insn in;

    for (; unknown && look->left; look->left--) {
        const struct qn_tree_node *range = qn_exec_find(pc);

        if (!range || range->flag ||
            qn_block_decode((const uint8_t *)(uintptr_t)pc, qn_exec_avail(pc, QN_INSN_MAX_LEN), &in) != QN_DEC_OK)
            break;
        live |= in.flags_read & unknown;
        unknown &= (uint8_t)~(in.flags_written | live);
        if (in.cls == QN_CLS_JMP || in.cls == QN_CLS_CALL) {
            pc = qn_decode_target(&in, pc);
        } else if (in.cls == QN_CLS_JCC && look->how == QN_LOOK_AT_TARGET) {
            look->left--;
            return live | peek_both(&in, pc, unknown, look);
        } else if (goes_on(&in)) {
            pc += in.len;
        } else {
            break;
        }
    }
    return live | unknown;
}

static uint8_t live_at(uint64_t pc, enum qn_look how)
{
    struct look look = {how, PEEK_INSNS};

    return peek(pc, QN_FLAGS_STATUS, &look);
}

static uint8_t live_out(struct qn_block *b, enum qn_look look)
{
    if (b->volatile_code || look == QN_LOOK_NOWHERE)
        return QN_FLAGS_STATUS;
    switch (b->end) {
    case QN_END_JCC:
    case QN_END_LOOP: /* this one is counted down at its entry, where both ways matter */
        if (look != QN_LOOK_AT_TARGET || b->end == QN_END_LOOP)
            b->live_arm[0] = live_at(b->next, look);
        b->live_arm[1] = live_at(b->target, look);
        return b->live_arm[0] | b->live_arm[1];
    case QN_END_JMP:
    case QN_END_CALL: return live_at(b->target, look);
    case QN_END_FALL: return live_at(b->next, look);
    default: return QN_FLAGS_STATUS;
    }
}

void qn_block_liveness(struct qn_block *b, enum qn_look look)
{
    uint8_t live;

    b->live_arm[0] = b->live_arm[1] = QN_FLAGS_STATUS;
    if (b->exact_flags) {
        __builtin_memset(b->live, QN_FLAGS_STATUS, b->n + 1u);
        return;
    }
    live = live_out(b, look);
    b->live[b->n] = live;
    for (unsigned i = b->n; i-- > 0;) {
        live = (uint8_t)(((live & ~b->insn[i].flags_written) | b->insn[i].flags_read) & QN_FLAGS_STATUS);
        b->live[i] = live;
    }
}

/* ---- text, for --trace=block and the goldens ---- */

static void dump_insn(const struct qn_block *b, unsigned i, void (*out)(const char *))
{
    static const char names[] = "CPAZSO";
    char text[160], line[256], live[8];
    unsigned n = 0;

    for (unsigned f = 0; f < 6; f++)
        if (b->live[i] & (1u << f))
            live[n++] = names[f];
    live[n] = 0;
    qn_decode_print((const uint8_t *)(uintptr_t)b->at[i], &b->insn[i], b->at[i], text, sizeof text);
    qn_format(line, sizeof line, "  %lx: %s  [live %s]", b->at[i], text, n ? live : "-");
    out(line);
}

void qn_block_dump(const struct qn_block *b, void (*out)(const char *))
{
    char line[128];

    qn_format(line, sizeof line, "block %lx: %u instructions, next %lx", b->pc, b->n, b->next);
    out(line);
    for (unsigned i = 0; i < b->n; i++)
        dump_insn(b, i, out);
}
