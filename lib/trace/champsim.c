/* lib/trace/champsim.c - writes a recorded trace in ChampSim's format (trace.h).
 *
 * In:  the bytes e8 0b 00 00 00; a fetch of 5 bytes at 401000; a write of 8 bytes at 7ffe0ff8
 * Out: ip 401000, branch, taken, writes 26 6, reads 6 26, written address 7ffe0ff8          (a direct call)
 *
 * An instruction is decoded when the trace gives its bytes; the registers of its record are then kept in a table by address.
 * A repeated string instruction has one fetch and the references of all its steps; each step becomes a record.
 */
#define _GNU_SOURCE

#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode/decode.h"

/* ---- records ---- */

static bool is_code(uint8_t head) { return head == (RECORD_STACK | RECORD_CODE << 3); }

static size_t measure_code(const uint8_t *p, size_t left)
{
    size_t n = left > 1 ? 2u + p[1] : 0;

    return n > 2 && n <= left && n <= 2 + RECORD_CODE_MAX ? n : 0;
}

/* Bytes of the record at p; 0: there is no whole one. */
static size_t measure_record(const uint8_t *p, size_t left)
{
    unsigned kind = left ? p[0] & 7 : RECORD_END, varints = 1u + (kind < RECORD_COND && !(p[0] >> 3)) + (kind >= RECORD_INDIRECT);
    size_t n = 1;

    if (kind != RECORD_END && is_code(p[0]))
        return measure_code(p, left);
    while (kind != RECORD_END && varints--)
        do
            if (n == left)
                return 0;
        while (p[n++] & 128);
    return kind == RECORD_END ? 0 : n;
}

static uint64_t get_varint(const uint8_t **p)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t c = *(*p)++;

        value |= (uint64_t)(c & 127) << shift;
        if (c < 128)
            break;
    }
    return value;
}

bool qn_trace_next_record(struct qn_trace_records *r, struct qn_trace_record *ref)
{
    const uint8_t *p = r->at;
    size_t n = measure_record(p, (size_t)(r->end - p));

    if (!n)
        return false;
    *ref = (struct qn_trace_record){ .kind = p[0] & 7, .code = p[0] >> 3 };
    if (is_code(*p++)) {
        ref->size = *p++;
        ref->bytes = p;
    } else {
        if (ref->kind < RECORD_COND)
            ref->size = ref->code ? ref->code : (uint32_t)get_varint(&p);
        ref->addr = r->last[ref->kind] += record_unzigzag(get_varint(&p));
        if (ref->kind >= RECORD_INDIRECT)
            ref->target = ref->addr + record_unzigzag(get_varint(&p));
    }
    r->at += n;
    return true;
}

static struct record_sum add_up(const uint8_t *p, size_t left)
{
    struct record_sum s = { 0, 0, 0 };

    for (size_t n; (n = measure_record(p, left)) > 0; p += n, left -= n)
        for (size_t i = 0; i < n; i++)
            record_add(&s, p[i]);
    return s;
}

/* The recorder cannot write the end itself: it may be killed at any point. */
bool qn_trace_end_records(int fd, size_t size)
{
    uint8_t *bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0), trailer[RECORD_TRAILER_BYTES] = { RECORD_END };
    struct record_sum s;
    off_t end;

    if (bytes == MAP_FAILED)
        return false;
    s = add_up(bytes + RECORD_MAGIC_BYTES, size - RECORD_MAGIC_BYTES);
    munmap(bytes, size);
    memcpy(trailer + 1, &s, sizeof s);
    end = (off_t)(RECORD_MAGIC_BYTES + s.bytes);
    return pwrite(fd, trailer, sizeof trailer, end) == sizeof trailer && ftruncate(fd, end + (off_t)sizeof trailer) == 0;
}

enum { STACK_POINTER = 6, FLAGS = 25, INSTRUCTION_POINTER = 26, OTHER = 27, VECTORS = 64, MASKS = 96, FLOATS = 104 };
enum { WRITTEN = 2, READ = 4 }; /* registers in a record, and addresses */

struct record {
    uint64_t ip;
    uint8_t is_branch, taken, writes[WRITTEN], reads[READ];
    uint64_t written[WRITTEN], read[READ];
    uint64_t load_type; /* of the long form */
};

_Static_assert(sizeof(struct record) == QN_CHAMPSIM_LONG, "ChampSim's record");

/* What the record of the instruction at an address holds of the instruction itself. */
struct known {
    uint64_t pc;
    uint8_t is_there, branch, writes[WRITTEN], reads[READ]; /* branch: 1 + enum qn_champsim_branch, 0 none */
    uint8_t step; /* references of a step of a repeated string instruction; 0: another instruction */
};

struct writer {
    struct qn_trace_pack *to;
    unsigned bytes;
    struct qn_champsim_counts *counts;
    struct known *table; /* hashed by address, linear probing; size: a power of two */
    size_t size, used;
    struct record now;
    unsigned written, read, next; /* addresses in `now`; length of its instruction */
    unsigned references, step;    /* of `now`; after `step` of them the next step begins (see struct known) */
    bool is_open, is_decided;     /* `now` is in use; the trace said whether its branch is taken */
    struct known decoded;         /* of the next fetch; is_there: 0 if nothing was decoded */
};

/* ---- registers ---- */

static const uint8_t general[16] = { 10, 9, 8, 7, STACK_POINTER, 5, 4, 3, 11, 12, 13, 14, 15, 16, 17, 18 };

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
        add(k->writes, WRITTEN, FLAGS);
    add_general(k->reads, READ, in->reads);
    if (in->flags_read)
        add(k->reads, READ, FLAGS);
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
    add(k->writes, WRITTEN, INSTRUCTION_POINTER);
    if (is_call || kind == QN_CHAMPSIM_RETURN) {
        add(k->writes, WRITTEN, STACK_POINTER);
        add(k->reads, READ, STACK_POINTER);
    }
    if (kind != QN_CHAMPSIM_RETURN && kind != QN_CHAMPSIM_INDIRECT)
        add(k->reads, READ, INSTRUCTION_POINTER);
    if (kind == QN_CHAMPSIM_INDIRECT || kind == QN_CHAMPSIM_INDIRECT_CALL)
        add_target(k, in);
    if (kind != QN_CHAMPSIM_CONDITIONAL)
        return;
    if (in->flags_read)
        add(k->reads, READ, FLAGS);
    add_general(k->reads, READ, in->reads);
    add_general(k->writes, WRITTEN, in->writes);
}

static struct known decode(const uint8_t *bytes, size_t n)
{
    struct known k = { .is_there = 1 };
    struct qn_insn in;
    int kind;

    if (qn_decode_insn(bytes, n, &in) != QN_DEC_OK)
        return k;
    k.step = in.attr & (QN_ATTR_REP | QN_ATTR_REPNE) ? in.n_mem : 0;
    kind = kind_of(&in);
    if (kind >= 0)
        list_branch(&k, &in, kind);
    else
        list_registers(&k, &in);
    return k;
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
static const struct known *know(struct writer *w, uint64_t pc)
{
    struct known *k;

    if (2 * w->used >= w->size && !grow(w))
        return NULL;
    k = place(w->table, w->size, pc);
    if (w->decoded.is_there || !k->is_there) {
        w->used += !k->is_there;
        *k = w->decoded; /* zeros, so no registers, for code whose bytes the trace does not have (vsyscall) */
        k->is_there = 1;
        k->pc = pc;
        w->decoded.is_there = 0;
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
    const struct known *k = know(w, pc);

    if (!k)
        return false;
    w->now = (struct record){ .ip = pc };
    memcpy(w->now.writes, k->writes, sizeof k->writes);
    memcpy(w->now.reads, k->reads, sizeof k->reads);
    w->written = w->read = w->references = 0;
    w->step = k->step;
    w->next = bytes;
    w->is_open = true;
    w->is_decided = false;
    return true;
}

static bool add_reference(struct writer *w, const struct qn_trace_record *ref)
{
    bool reads = ref->kind != RECORD_WRITE, writes = ref->kind != RECORD_READ;
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

static bool take(struct writer *w, const struct qn_trace_record *ref)
{
    switch (ref->kind) {
    case RECORD_FETCH: return close_record(w, ref->addr, false) && open_record(w, ref->addr, ref->size);
    case RECORD_READ:
    case RECORD_WRITE:
    case RECORD_MODIFY: return add_reference(w, ref);
    case RECORD_COND:
        w->is_decided = true;
        w->now.taken = ref->code & 1;
        break;
    case RECORD_STACK:
        if (ref->bytes)
            w->decoded = decode(ref->bytes, ref->size);
        break;
    default: break;
    }
    return true;
}

bool qn_trace_write_champsim(struct qn_trace_pack *to, struct qn_trace_records *from, unsigned bytes, struct qn_champsim_counts *counts)
{
    struct writer w = { .to = to, .bytes = bytes, .counts = counts };
    struct qn_trace_record ref;
    bool good = true;

    *counts = (struct qn_champsim_counts){ 0 };
    while (good && qn_trace_next_record(from, &ref))
        good = take(&w, &ref);
    good = good && close_record(&w, 0, true);
    free(w.table);
    return good;
}
