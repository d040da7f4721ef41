/* lib/event/event.c - from a block to its event list, and that as text.  See event.h.
 *
 * Merging rules, all exact:
 * - A fetch makes an event only if it touches a code line that the block has not just touched: another
 *   fetch from the line used last in its set hits and leaves LRU order as it was.  Not so for every policy: rules.i1_every.
 * - A read-modify-write is one read: the write follows at once and cannot miss.
 */
#include "event/event.h"

#include "base/format.h"
#include "cost/count.h"

#define RECENT 8 /* code lines remembered per block */
#define FXSAVE_BYTES 512

struct collector {
    struct qn_event_list *list;
    const struct qn_event_rules *rules;
    uint64_t recent[RECENT]; /* newest line of each set touched by the block, by set modulo */
    uint8_t recent_valid;
    uint32_t next;           /* next free counter */
};

static struct qn_event *add(struct collector *c, enum qn_event_kind kind, unsigned insn)
{
    struct qn_event *e = &c->list->ev[c->list->n++];

    *e = (struct qn_event){.kind = (uint8_t)kind, .insn = (uint8_t)insn, .counter = c->next};
    return e;
}

/* True if line was the last one that this block touched in its set. */
static bool fresh(struct collector *c, uint64_t line)
{
    unsigned slot = (unsigned)(line % c->rules->i1_sets % RECENT);
    bool known = (c->recent_valid >> slot & 1) && c->recent[slot] == line;

    c->recent[slot] = line;
    c->recent_valid |= (uint8_t)(1u << slot);
    return !known || c->rules->i1_every;
}

static unsigned clamp(const struct collector *c, unsigned size)
{
    return c->rules->clamp && size > c->rules->clamp ? c->rules->clamp : size;
}

static void add_fetch(struct collector *c, const struct qn_block *b, unsigned i)
{
    unsigned len = clamp(c, b->end == QN_END_REQUEST ? QN_MARKER_BYTES : b->insn[i].len);
    uint64_t first = b->at[i] / c->rules->i1_line, last = (b->at[i] + len - 1) / c->rules->i1_line;
    bool touched = false;
    struct qn_event *e;

    for (uint64_t line = first; line <= last; line++)
        touched |= fresh(c, line);
    if (!touched && !c->rules->check)
        return;
    e = add(c, QN_EV_FETCH, i);
    e->addr = b->at[i];
    e->size = (uint16_t)len;
    e->repeat = !touched;
    if (touched) {
        c->list->desc[i] |= QN_INSN_IMISS;
        c->next += 2;
    }
}

static void add_data(struct collector *c, const struct qn_mem *m, unsigned i, bool write)
{
    struct qn_event *e = add(c, QN_EV_DATA, i);

    e->mem = *m;
    e->size = (uint16_t)clamp(c, m->size);
    e->write = write;
    c->list->desc[i] += 1u << (write ? QN_INSN_NWRITE_SHIFT : QN_INSN_NREAD_SHIFT);
    c->next += 2;
}

/* A lock prefix, xchg with memory; lfence, mfence, sfence: 0f ae /5, /6 and /7 with a register. */
static unsigned ordering_of(const struct qn_insn *in)
{
    bool fence = in->encoding == QN_ENC_LEGACY && in->map == 1 && in->opcode == 0xae && in->modrm >> 6 == 3 && (in->modrm >> 3 & 7) >= 5
                 && !in->rep_prefix && !in->opsz_prefix;

    return (in->attr & (QN_ATTR_LOCK | QN_ATTR_XCHGMEM) ? QN_INSN_LOCKS : 0) | (fence ? QN_INSN_FENCES : 0);
}

static bool is_complex(const struct qn_insn *in)
{
    return (in->attr & (QN_ATTR_MASKED | QN_ATTR_GATHER | QN_ATTR_SCATTER | QN_ATTR_XSAVE)) != 0;
}

/* fxsave, fxrstor: 0f ae /0 and /1.  Valgrind makes many references of them. */
static bool is_fxsave(const struct qn_insn *in)
{
    return in->encoding == QN_ENC_LEGACY && in->map == 1 && in->opcode == 0xae && in->n_mem && in->mem[0].size == FXSAVE_BYTES;
}

/* xsave, xrstor: 0f ae /4 and /5.  Of these Valgrind makes references as of fxsave, and some to the header. */
static bool is_xsave(const struct qn_insn *in)
{
    return in->encoding == QN_ENC_LEGACY && in->map == 1 && in->opcode == 0xae && (in->attr & QN_ATTR_XSAVE) &&
           ((in->modrm >> 3 & 7) == 4 || (in->modrm >> 3 & 7) == 5);
}

/* One descriptor for references whose number is known only at run time. */
static void add_variable(struct collector *c, enum qn_event_kind kind, const struct qn_insn *in, unsigned i)
{
    struct qn_event *e = add(c, kind, i);
    unsigned reads = 0, writes = 0;

    for (unsigned k = 0; k < in->n_mem; k++) {
        reads += (in->mem[k].access & QN_ACC_READ) != 0;
        writes += in->mem[k].access == QN_ACC_WRITE;
    }
    e->mem = in->mem[0];
    c->list->desc[i] |= QN_INSN_VARIABLE | reads << QN_INSN_NREAD_SHIFT | writes << QN_INSN_NWRITE_SHIFT;
    c->next += 2 * (reads + writes) + 3;
}

/* xsave as Valgrind sees it writes many times, and reads once, in the header. */
static void add_vex_xsave(struct collector *c, const struct qn_insn *in, unsigned i)
{
    add_variable(c, QN_EV_COMPLEX, in, i);
    if (in->mem[0].access == QN_ACC_WRITE) {
        c->list->desc[i] |= QN_INSN_READS_ONCE | 1u << QN_INSN_NREAD_SHIFT;
        c->next += 2;
    }
}

/* Cachegrind sees a locked read-modify-write as a load, a compare-and-swap and a loop branch. */
static bool cas_loop(const struct collector *c, const struct qn_insn *in)
{
    bool locked = (in->attr & (QN_ATTR_LOCK | QN_ATTR_XCHGMEM)) != 0;

    return c->rules->cachegrind && locked && !(in->attr & QN_ATTR_CMPXCHG);
}

#define VEX_TABLE_BYTES 6 /* of ten: what a descriptor table's limit and base are in 32-bit mode */

/* sgdt, sidt m: 0f 01 /0 and /1. */
static bool stores_table(const struct qn_insn *in)
{
    return in->encoding == QN_ENC_LEGACY && in->map == 1 && in->opcode == 0x01 && in->n_mem && in->mem[0].access == QN_ACC_WRITE &&
           in->mem[0].size > VEX_TABLE_BYTES;
}

/* `times` references of `size` bytes to the operand, each `step` bytes behind the one before. */
static void add_parts(struct collector *c, const struct qn_insn *in, unsigned i, unsigned times, unsigned size, unsigned step, unsigned access)
{
    struct qn_mem part = in->mem[0];

    part.size = (uint16_t)size;
    part.access = (uint8_t)access;
    for (; times; times--, part.disp += step)
        add_data(c, &part, i, access == QN_ACC_WRITE);
}

/* Reads come before writes in the cost centre, so add them in two passes when both occur. */
static void add_plain(struct collector *c, const struct qn_insn *in, unsigned i)
{
    for (unsigned k = 0; k < in->n_mem; k++) {
        bool twice = (in->mem[k].access & QN_ACC_WRITE) && cas_loop(c, in);

        for (unsigned times = twice ? 2 : 1; times && (in->mem[k].access & QN_ACC_READ); times--)
            add_data(c, &in->mem[k], i, false);
    }
    for (unsigned k = 0; k < in->n_mem; k++)
        if (in->mem[k].access == QN_ACC_WRITE)
            add_data(c, &in->mem[k], i, true);
}

#define VEX_SPILL (-288) /* bytes below rsp: where Valgrind puts a register to pick a bit from it */

static bool is_bit_of_register(const struct qn_insn *in)
{
    return in->encoding == QN_ENC_LEGACY && in->map == 1 && (in->opcode & 0xe7) == 0xa3 && in->modrm >= 0xc0;
}

/* bt r,r: Valgrind stores the register, reads the byte with the bit, and reads the register back if it changed. */
static void add_vex_bit(struct collector *c, const struct qn_insn *in, unsigned i)
{
    struct qn_mem spill = {.base = QN_RSP, .index = QN_REG_NONE, .scale = 1, .disp = VEX_SPILL, .size = in->opsize};
    struct qn_mem byte = spill;

    unsigned first = c->list->n, reads = 1 + (in->opcode != 0xa3);

    byte.size = 1;
    add_data(c, &spill, i, true);
    for (unsigned k = 0; k < reads; k++)
        add_data(c, k == 0 ? &byte : &spill, i, false);
    /* In the cost centre reads come before writes. */
    for (unsigned k = 0; k < reads; k++)
        c->list->ev[first + 1 + k].counter -= 2;
    c->list->ev[first].counter += 2 * reads;
}

/* What Cachegrind counts otherwise than the architecture would.  false: nothing of that. */
static bool add_vex_references(struct collector *c, const struct qn_block *b, unsigned i)
{
    const struct qn_insn *in = &b->insn[i];
    struct qn_pieces pieces = qn_event_pieces(in, (const uint8_t *)(uintptr_t)b->at[i]);

    if (in->map == 1 && in->opcode == 0xf7 && (in->attr & QN_ATTR_MASKED)) /* maskmovq, maskmovdqu: reads all, merges, and writes it back */
        add_parts(c, in, i, 1, in->mem[0].size, 0, QN_ACC_READ | QN_ACC_WRITE);
    else if (is_bit_of_register(in))
        add_vex_bit(c, in, i);
    else if (in->attr & QN_ATTR_BT_REG)
        add_parts(c, in, i, cas_loop(c, in) ? 2 : 1, 1, 0, in->mem[0].access); /* the byte that has the bit; see add_bit_offset() in emit/check.c */
    else if (stores_table(in))
        add_parts(c, in, i, 1, VEX_TABLE_BYTES, 0, QN_ACC_WRITE);
    else if (is_xsave(in))
        add_vex_xsave(c, in, i);
    else if (is_fxsave(in) || pieces.n > QN_PIECES_PLAIN)
        add_variable(c, QN_EV_COMPLEX, in, i);
    else if (pieces.n)
        add_parts(c, in, i, pieces.n, pieces.size, pieces.step, QN_ACC_READ);
    else
        return false;
    return true;
}

static void add_references(struct collector *c, const struct qn_block *b, unsigned i)
{
    const struct qn_insn *in = &b->insn[i];

    if (qn_is_repeated(in))
        add_variable(c, QN_EV_STRING, in, i);
    else if (c->rules->cachegrind && add_vex_references(c, b, i))
        return;
    else if (is_complex(in))
        add_variable(c, QN_EV_COMPLEX, in, i);
    else
        add_plain(c, in, i);
}

/* The indirect branch of a call comes after, with its counter before: the layout of arena.h. */
static bool add_stack(struct collector *c, const struct qn_insn *in, uint64_t next, unsigned i)
{
    bool call = in->cls == QN_CLS_CALL || in->cls == QN_CLS_CALL_IND;
    struct qn_event *e;

    if (!c->rules->returns || (!call && in->cls != QN_CLS_RET))
        return false;
    e = add(c, call ? QN_EV_CALL : QN_EV_RETURN, i);
    e->addr = next;
    e->counter += in->cls == QN_CLS_CALL_IND;
    c->list->desc[i] |= QN_INSN_STACK;
    return true;
}

static void add_branch(struct collector *c, const struct qn_insn *in, uint64_t next, unsigned i)
{
    bool stack = add_stack(c, in, next, i);
    bool cond = in->cls == QN_CLS_JCC || in->cls == QN_CLS_LOOP || in->cls == QN_CLS_JRCXZ;
    bool indirect = in->cls == QN_CLS_JMP_IND || in->cls == QN_CLS_CALL_IND;

    if (cond) {
        add(c, QN_EV_COND, i);
    } else if (cas_loop(c, in)) {
        add(c, QN_EV_COND, i)->fixed = 1;
        cond = true;
    } else if (c->rules->cachegrind && qn_is_repeated(in)) {
        cond = true; /* the string helper predicts */
    } else if (indirect) {
        add(c, QN_EV_INDIRECT, i);
    }
    if (cond || indirect) {
        c->list->desc[i] |= cond ? QN_INSN_BC : QN_INSN_BI;
        c->next++;
    }
    c->next += stack;
}

void qn_event_collect(struct qn_event_list *list, const struct qn_block *b, const struct qn_event_rules *rules)
{
    struct collector c = {.list = list, .rules = rules, .next = 1};

    list->n = 0;
    for (unsigned i = 0; i < b->n; i++) {
        list->desc[i] = (qn_insn_desc)(b->insn[i].len | ordering_of(&b->insn[i]));
        if (rules->caches)
            add_fetch(&c, b, i);
        if (b->insn[i].attr & QN_ATTR_UD)
            continue; /* raises #UD before it does anything */
        if (rules->caches) {
            add_references(&c, b, i);
        } else if (qn_is_repeated(&b->insn[i])) {
            add_variable(&c, QN_EV_STRING, &b->insn[i], i);
        }
        if (rules->branches)
            add_branch(&c, &b->insn[i], b->at[i] + b->insn[i].len, i);
    }
    list->ncounters = c.next;
}

/* ---- operands in memory that Valgrind loads in pieces; without those that it loads under a condition (masks) ---- */

enum { NP, P66, PF3, PF2 }; /* mandatory prefixes, as VEX.pp has them */

static const struct rule {
    uint8_t encoding, map, opcode, pp, size, step;
    uint8_t operand; /* bytes of the operand, 0: any */
} rules[] = {
    {QN_ENC_LEGACY, 1, 0x2c, NP, 4, 4, 0},   /* cvttps2pi */
    {QN_ENC_LEGACY, 1, 0x2c, P66, 8, 8, 0},  /* cvttpd2pi */
    {QN_ENC_LEGACY, 1, 0x2d, NP, 4, 4, 0},   /* cvtps2pi */
    {QN_ENC_LEGACY, 1, 0x2d, P66, 8, 8, 0},  /* cvtpd2pi */
    {QN_ENC_LEGACY, 1, 0x5a, NP, 4, 4, 0},   /* cvtps2pd */
    {QN_ENC_LEGACY, 3, 0x08, P66, 4, 4, 0},  /* roundps */
    {QN_ENC_LEGACY, 3, 0x09, P66, 8, 8, 0},  /* roundpd */
    {QN_ENC_LEGACY, 1, 0x60, NP, 8, 8, 4},   /* punpcklbw mm: more than the half that it uses */
    {QN_ENC_LEGACY, 1, 0x61, NP, 8, 8, 4},   /* punpcklwd mm */
    {QN_ENC_LEGACY, 1, 0x62, NP, 8, 8, 4},   /* punpckldq mm */
    {QN_ENC_VEX, 1, 0x12, PF2, 8, 16, 32},   /* vmovddup ymm: the even elements */
    {QN_ENC_VEX, 1, 0x5a, NP, 4, 4, 0},      /* vcvtps2pd */
    {QN_ENC_VEX, 3, 0x06, P66, 16, 16, 0},   /* vperm2f128 */
    {QN_ENC_VEX, 3, 0x46, P66, 16, 16, 0},   /* vperm2i128 */
};

#define SHIFT_COUNT 8 /* bytes */

/* W vvvv L pp, the last byte before the opcode: C5 has no W, but R in its place. */
static unsigned vex_fields(const struct qn_insn *in, const uint8_t *code)
{
    unsigned fields = code[in->opcode_off - 1u];

    return code[in->vex_off] == 0xc5 ? fields & 0x7f : fields;
}

static unsigned mandatory_prefix(const struct qn_insn *in, const uint8_t *code)
{
    if (in->encoding == QN_ENC_VEX)
        return vex_fields(in, code) & 3;
    return in->rep_prefix == 0xf2 ? PF2 : in->rep_prefix == 0xf3 ? PF3 : in->opsz_prefix;
}

/* vfmadd132ps and all its kin: one element at a time. */
static bool is_fma(const struct qn_insn *in)
{
    return in->encoding == QN_ENC_VEX && in->map == 2 && in->opcode >= 0x96 && in->opcode <= 0xbf && (in->opcode & 15) >= 6;
}

/* vpsrlw and its kin: the count in memory is the lower half of 16 bytes. */
static bool is_shift(const struct qn_insn *in)
{
    unsigned group = in->opcode >> 4, which = in->opcode & 15;

    return in->encoding == QN_ENC_VEX && in->map == 1 && group >= 0xd && which >= 1 && which <= 3 && in->opcode != 0xe3;
}

struct qn_pieces qn_event_pieces(const struct qn_insn *in, const uint8_t *code)
{
    const struct qn_pieces whole = {0, 0, 0}, half = {1, SHIFT_COUNT, SHIFT_COUNT};

    if (in->n_mem != 1 || in->mem[0].access != QN_ACC_READ)
        return whole;
    if (is_fma(in)) {
        uint8_t element = vex_fields(in, code) & 0x80 ? 8 : 4;

        return (struct qn_pieces){(uint8_t)(in->mem[0].size / element), element, element};
    }
    if (is_shift(in))
        return half;
    for (unsigned k = 0; k < QN_ARRAY_LEN(rules); k++) {
        const struct rule *r = &rules[k];

        if (r->encoding == in->encoding && r->map == in->map && r->opcode == in->opcode &&
            r->pp == mandatory_prefix(in, code) && (!r->operand || r->operand == in->mem[0].size))
            return (struct qn_pieces){(uint8_t)((in->mem[0].size + r->step - 1) / r->step), r->size, r->step};
    }
    return whole;
}

/* ---- text, for --trace=event and the goldens ---- */

const char *qn_event_kind_name(enum qn_event_kind kind)
{
    static const char *const names[] = {"I", "D", "string", "complex", "Bc", "Bi", "call", "ret"};

    return names[kind];
}

static const char *reg_name(uint8_t r)
{
    static const char *const names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8",
                                        "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rip"};

    return r < QN_ARRAY_LEN(names) ? names[r] : "";
}

static size_t put_address(char *line, size_t size, const struct qn_mem *m)
{
    size_t n = qn_format(line, size, "%s%ld(%s", m->seg == QN_SEG_FS ? "fs:" : m->seg == QN_SEG_GS ? "gs:" : "",
                         m->disp, reg_name(m->base));

    if (m->index != QN_REG_NONE)
        n += qn_format(line + n, size - n, ",%s%s,%u", m->vsib ? "v" : "", m->vsib ? "" : reg_name(m->index),
                       (unsigned)m->scale);
    return n + qn_format(line + n, size - n, ")");
}

static void dump_one(const struct qn_event *e, const struct qn_block *b, void (*out)(const char *))
{
    char line[160];
    size_t n = qn_format(line, sizeof line, "  %lx: %s cc+%u", b->at[e->insn], qn_event_kind_name(e->kind), e->counter);

    if (e->kind == QN_EV_FETCH)
        n += qn_format(line + n, sizeof line - n, " %lx,%u", e->addr, (unsigned)e->size);
    if (e->kind == QN_EV_DATA) {
        n += qn_format(line + n, sizeof line - n, " %s %u ", e->write ? "w" : "r", (unsigned)e->size);
        put_address(line + n, sizeof line - n, &e->mem);
    }
    out(line);
}

void qn_event_dump(const struct qn_event_list *list, const struct qn_block *b, void (*out)(const char *))
{
    char line[96];

    qn_format(line, sizeof line, "events of block %lx: %u, cost centre of %u counters", b->pc, list->n,
              list->ncounters);
    out(line);
    for (unsigned i = 0; i < list->n; i++)
        dump_one(&list->ev[i], b, out);
}
