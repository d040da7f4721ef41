/* lib/trace/champsim_write.c - writes a recorded trace in ChampSim's format (trace.h).
 *
 * In:  a fetch of 5 bytes at 401000, of the code e8 0b 00 00 00; a write of 8 bytes at 7ffe0ff8
 * Out: ip 401000, branch, taken, writes 26 6, reads 6 26, written address 7ffe0ff8          (a direct call)
 *
 * An instruction is decoded when it is first fetched, and when its bytes have changed; the registers of its record are kept in a table by address.
 * A repeated string instruction has one fetch and the references of all its steps; each step becomes a record.
 */
#define _GNU_SOURCE

#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "sim/module.h"

enum { OTHER = 27, VECTORS = 64, MASKS = 96, FLOATS = 104 }; /* registers */
enum { WRITTEN = QN_CHAMPSIM_WRITTEN, READ = QN_CHAMPSIM_READ };

_Static_assert(sizeof(struct qn_champsim_record) == QN_CHAMPSIM_LONG, "ChampSim's record");

/* What the record of the instruction at an address holds of the instruction itself. */
struct known {
    uint64_t pc;
    uint8_t is_there, branch, writes[WRITTEN], reads[READ]; /* branch: 1 + enum qn_champsim_branch, 0 none */
    uint8_t step; /* references of a step of a repeated string instruction; 0: another instruction */
    uint8_t bytes, code[QN_INSN_MAX_LEN]; /* from which this was decoded */
};

struct writer {
    struct qn_trace_pack *to;
    struct qn_trace_reader *from;
    unsigned bytes;
    struct qn_champsim_counts *counts;
    struct known *table; /* hashed by address, linear probing; size: a power of two */
    size_t size, used;
    struct qn_champsim_record now;
    unsigned written, read, next; /* addresses in `now`; length of its instruction */
    unsigned references, step;    /* of `now`; after `step` of them the next step begins (see struct known) */
    bool is_open, is_decided;     /* `now` is in use; the trace said whether its branch is taken */
};

/* ---- registers ---- */

static const uint8_t general[16] = { 10, 9, 8, 7, QN_CHAMPSIM_STACK_POINTER, 5, 4, 3, 11, 12, 13, 14, 15, 16, 17, 18 };

static void add(uint8_t *list, unsigned room, unsigned number)
{
    for (unsigned i = 0; i < room; i++)
        if (!list[i] || list[i] == number) {
            list[i] = (uint8_t)number;
            return;
        }
}

static void add_mask(uint8_t *list, unsigned room, uint32_t mask, unsigned from)
{
    for (; mask; mask &= mask - 1)
        add(list, room, from + (unsigned)__builtin_ctz(mask));
}

static void add_general(uint8_t *list, unsigned room, uint16_t mask)
{
    for (unsigned r = 0; r < 16; r++)
        if (mask >> r & 1)
            add(list, room, general[r]);
}

static void add_others(uint8_t *list, unsigned room, const struct qn_registers *r)
{
    add_mask(list, room, r->of[QN_KIND_VECTOR], VECTORS);
    add_mask(list, room, r->of[QN_KIND_MASK], MASKS);
    add_mask(list, room, r->of[QN_KIND_X87] | r->of[QN_KIND_MMX], FLOATS);
}

static void list_registers(struct known *k, const struct qn_insn *in)
{
    struct qn_registers reads, writes;

    qn_decode_registers(in, &reads, &writes);
    add_general(k->writes, WRITTEN, in->writes);
    add_others(k->writes, WRITTEN, &writes);
    if (in->flags_written | in->flags_maywrite)
        add(k->writes, WRITTEN, QN_CHAMPSIM_FLAGS);
    add_general(k->reads, READ, in->reads);
    if (in->flags_read)
        add(k->reads, READ, QN_CHAMPSIM_FLAGS);
    add_others(k->reads, READ, &reads);
}

/* ---- branches: ChampSim tells their kind by these registers ---- */

static int kind_of(const struct qn_insn *in)
{
    switch (in->cls) {
    case QN_CLS_JCC:
    case QN_CLS_LOOP:
    case QN_CLS_JRCXZ: return QN_CHAMPSIM_CONDITIONAL;
    case QN_CLS_JMP: return QN_CHAMPSIM_JUMP;
    case QN_CLS_JMP_IND: return QN_CHAMPSIM_INDIRECT;
    case QN_CLS_CALL: return QN_CHAMPSIM_CALL;
    case QN_CLS_CALL_IND: return QN_CHAMPSIM_INDIRECT_CALL;
    case QN_CLS_RET: return QN_CHAMPSIM_RETURN;
    default: return -1;
    }
}

/* Adds the registers that form the branch's target.  If there is none but the stack pointer, ChampSim needs another register: OTHER. */
static void add_target(struct known *k, const struct qn_insn *in)
{
    uint16_t reads = in->reads & (uint16_t)~(1u << QN_RSP);

    if (reads)
        add_general(k->reads, READ, reads);
    else
        add(k->reads, READ, OTHER);
}

static void list_branch(struct known *k, const struct qn_insn *in, int kind)
{
    bool is_call = kind == QN_CHAMPSIM_CALL || kind == QN_CHAMPSIM_INDIRECT_CALL;

    k->branch = (uint8_t)(kind + 1);
    add(k->writes, WRITTEN, QN_CHAMPSIM_INSTRUCTION_POINTER);
    if (is_call || kind == QN_CHAMPSIM_RETURN) {
        add(k->writes, WRITTEN, QN_CHAMPSIM_STACK_POINTER);
        add(k->reads, READ, QN_CHAMPSIM_STACK_POINTER);
    }
    if (kind != QN_CHAMPSIM_RETURN && kind != QN_CHAMPSIM_INDIRECT)
        add(k->reads, READ, QN_CHAMPSIM_INSTRUCTION_POINTER);
    if (kind == QN_CHAMPSIM_INDIRECT || kind == QN_CHAMPSIM_INDIRECT_CALL)
        add_target(k, in);
    if (kind != QN_CHAMPSIM_CONDITIONAL)
        return;
    if (in->flags_read)
        add(k->reads, READ, QN_CHAMPSIM_FLAGS);
    add_general(k->reads, READ, in->reads);
    add_general(k->writes, WRITTEN, in->writes);
}

static void decode(struct known *k)
{
    struct qn_insn in;
    int kind;

    if (qn_decode_insn(k->code, k->bytes, &in) != QN_DEC_OK)
        return;
    k->step = in.attr & (QN_ATTR_REP | QN_ATTR_REPNE) ? in.n_mem : 0;
    kind = kind_of(&in);
    if (kind >= 0)
        list_branch(k, &in, kind);
    else
        list_registers(k, &in);
}

/* ---- the table by address ---- */

static struct known *place(struct known *table, size_t size, uint64_t pc)
{
    size_t at = (size_t)(pc * 0x9e3779b97f4a7c15ull >> 20) & (size - 1);

    while (table[at].is_there && table[at].pc != pc)
        at = (at + 1) & (size - 1);
    return &table[at];
}

static bool grow(struct writer *w)
{
    size_t size = w->size ? 2 * w->size : 4096;
    struct known *table = calloc(size, sizeof *table);

    if (!table)
        return false;
    for (size_t i = 0; i < w->size; i++)
        if (w->table[i].is_there)
            *place(table, size, w->table[i].pc) = w->table[i];
    free(w->table);
    w->table = table;
    w->size = size;
    return true;
}

/* NULL: no memory. */
static const struct known *know(struct writer *w, uint64_t pc, uint32_t size)
{
    const uint8_t *code;
    struct known *k;
    size_t n;

    if (2 * w->used >= w->size && !grow(w))
        return NULL;
    k = place(w->table, w->size, pc);
    w->used += !k->is_there;
    code = qn_trace_code(w->from, pc, !k->is_there, &n);
    n = n < size ? n : size;
    n = n < sizeof k->code ? n : sizeof k->code;
    if (!k->is_there || (code && (k->bytes != n || memcmp(k->code, code, n)))) {
        *k = (struct known){ .pc = pc, .is_there = 1, .bytes = (uint8_t)(code ? n : 0) }; /* no registers where there is no code (vsyscall) */
        if (code)
            memcpy(k->code, code, n);
        decode(k);
    }
    return k;
}

/* ---- records ---- */

/* next: the address of the instruction that follows.  It decides whether the branch was taken if no record of the trace did. */
static bool close_record(struct writer *w, uint64_t next, bool is_last)
{
    struct qn_champsim_counts *c = w->counts;
    const struct known *k;

    if (!w->is_open)
        return true;
    k = place(w->table, w->size, w->now.ip);
    if (k->branch) {
        if (!w->is_decided)
            w->now.taken = k->branch != QN_CHAMPSIM_CONDITIONAL + 1 || (!is_last && next != w->now.ip + w->next);
        w->now.is_branch = 1;
        c->branches[k->branch - 1]++;
        c->taken += k->branch == QN_CHAMPSIM_CONDITIONAL + 1 && w->now.taken;
    }
    c->instructions++;
    w->is_open = false;
    return qn_trace_pack(w->to, &w->now, w->bytes);
}

static bool open_record(struct writer *w, uint64_t pc, uint32_t bytes)
{
    const struct known *k = know(w, pc, bytes);

    if (!k)
        return false;
    w->now = (struct qn_champsim_record){ .ip = pc };
    memcpy(w->now.writes, k->writes, sizeof k->writes);
    memcpy(w->now.reads, k->reads, sizeof k->reads);
    w->written = w->read = w->references = 0;
    w->step = k->step;
    w->next = bytes;
    w->is_open = true;
    w->is_decided = false;
    return true;
}

static bool add_reference(struct writer *w, const struct sim_ref *ref)
{
    bool reads = ref->kind != SIM_WRITE, writes = ref->kind != SIM_READ;
    uint64_t pc = w->now.ip;

    if (w->step && w->references == w->step && !(close_record(w, pc, false) && open_record(w, pc, w->next)))
        return false;
    w->references++;
    w->counts->reads += reads;
    w->counts->writes += writes;
    if (reads && w->read < READ)
        w->now.read[w->read++] = ref->addr;
    else
        w->counts->left_out += reads;
    if (writes && w->written < WRITTEN)
        w->now.written[w->written++] = ref->addr;
    else
        w->counts->left_out += writes;
    return true;
}

static bool take(struct writer *w, const struct sim_ref *ref)
{
    switch (ref->kind) {
    case SIM_REF_FETCH: return close_record(w, ref->addr, false) && open_record(w, ref->addr, ref->size);
    case SIM_READ:
    case SIM_WRITE:
    case SIM_MODIFY: return add_reference(w, ref);
    case SIM_REF_COND:
        w->is_decided = true;
        w->now.taken = ref->outcome & SIM_TAKEN;
        break;
    default: break;
    }
    return true;
}

bool qn_trace_write_champsim(struct qn_trace_pack *to, struct qn_trace_reader *from, unsigned bytes, struct qn_champsim_counts *counts)
{
    struct writer w = { .to = to, .from = from, .bytes = bytes, .counts = counts };
    struct sim_ref ref;
    bool good = true;
    int more = 0;

    *counts = (struct qn_champsim_counts){ 0 };
    while (good && (more = qn_trace_next(from, &ref)) == 1)
        good = take(&w, &ref);
    good = good && more == 0 && close_record(&w, 0, true);
    free(w.table);
    return good;
}
