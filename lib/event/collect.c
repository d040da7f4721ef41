/* lib/event/collect.c - from a block to its event list.  See event.h.
 *
 * Merging rules, all exact:
 * - A fetch makes an event only if it touches a code line that the block has not just touched: another
 *   fetch from the line used last in its set hits and leaves LRU order as it was.  Not so for every policy: rules.i1_every.
 * - A read-modify-write is one read: the write follows at once and cannot miss.
 */
#include "event/event.h"
#include "event/pieces.h"

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

static bool is_rep(const struct qn_insn *in)
{
    return (in->attr & QN_ATTR_STRING) && (in->attr & (QN_ATTR_REP | QN_ATTR_REPNE));
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

/* An operand that Valgrind loads in a few pieces, or in part. */
static void add_pieces(struct collector *c, const struct qn_insn *in, struct qn_pieces pieces, unsigned i)
{
    struct qn_mem piece = in->mem[0];

    piece.size = pieces.size;
    for (unsigned k = 0; k < pieces.n; k++, piece.disp += pieces.step)
        add_data(c, &piece, i, false);
}

/* bt, bts, btr, btc m,r: Valgrind reads the one byte that has the bit; see add_bit_offset() in emit/check.c. */
static void add_bit_of_memory(struct collector *c, const struct qn_insn *in, unsigned i)
{
    struct qn_mem byte = in->mem[0];

    byte.size = 1;
    for (unsigned times = cas_loop(c, in) ? 2 : 1; times; times--)
        add_data(c, &byte, i, false);
}

#define VEX_TABLE_BYTES 6 /* of ten: what a descriptor table's limit and base are in 32-bit mode */

/* sgdt, sidt m: 0f 01 /0 and /1. */
static bool stores_table(const struct qn_insn *in)
{
    return in->encoding == QN_ENC_LEGACY && in->map == 1 && in->opcode == 0x01 && in->n_mem && in->mem[0].access == QN_ACC_WRITE &&
           in->mem[0].size > VEX_TABLE_BYTES;
}

static void add_table(struct collector *c, const struct qn_insn *in, unsigned i)
{
    struct qn_mem part = in->mem[0];

    part.size = VEX_TABLE_BYTES;
    add_data(c, &part, i, true);
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

/* maskmovq, maskmovdqu, with VEX or without: Valgrind reads the whole operand, merges, and writes it back. */
static bool is_byte_mask(const struct qn_insn *in)
{
    return in->map == 1 && in->opcode == 0xf7 && (in->attr & QN_ATTR_MASKED);
}

static void add_merged(struct collector *c, const struct qn_insn *in, unsigned i)
{
    struct qn_mem whole = in->mem[0];

    whole.access = QN_ACC_READ | QN_ACC_WRITE;
    add_data(c, &whole, i, false);
}

/* What Cachegrind counts otherwise than the architecture would.  false: nothing of that. */
static bool add_vex_references(struct collector *c, const struct qn_block *b, unsigned i)
{
    const struct qn_insn *in = &b->insn[i];
    struct qn_pieces pieces = qn_event_pieces(in, (const uint8_t *)(uintptr_t)b->at[i]);

    if (is_byte_mask(in))
        add_merged(c, in, i);
    else if (is_bit_of_register(in))
        add_vex_bit(c, in, i);
    else if (in->attr & QN_ATTR_BT_REG)
        add_bit_of_memory(c, in, i);
    else if (stores_table(in))
        add_table(c, in, i);
    else if (is_xsave(in))
        add_vex_xsave(c, in, i);
    else if (is_fxsave(in) || pieces.n > QN_PIECES_PLAIN)
        add_variable(c, QN_EV_COMPLEX, in, i);
    else if (pieces.n)
        add_pieces(c, in, pieces, i);
    else
        return false;
    return true;
}

static void add_references(struct collector *c, const struct qn_block *b, unsigned i)
{
    const struct qn_insn *in = &b->insn[i];

    if (is_rep(in))
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
    } else if (c->rules->cachegrind && is_rep(in)) {
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
        list->desc[i] = b->insn[i].len;
        if (rules->caches)
            add_fetch(&c, b, i);
        if (b->insn[i].attr & QN_ATTR_UD)
            continue; /* raises #UD before it does anything */
        if (rules->caches) {
            add_references(&c, b, i);
        } else if (is_rep(&b->insn[i])) {
            add_variable(&c, QN_EV_STRING, &b->insn[i], i);
        }
        if (rules->branches)
            add_branch(&c, &b->insn[i], b->at[i] + b->insn[i].len, i);
    }
    list->ncounters = c.next;
}
