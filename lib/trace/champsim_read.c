/* lib/trace/champsim_read.c - references from ChampSim's records, one for each instruction (64 or 72 bytes; layout: trace.h).
 *
 *   ip 401000, branch, taken, registers: writes 26 6, reads 6 26; written address 7ffe0ff8; the next ip is 402000
 *   -> a fetch of 401000, a write of 7ffe0ff8, a call that will return to 401005
 *
 * A record does not have: sizes (every fetch and reference is one byte); the target of a branch that is not taken (backward is false until
 * it has been taken); the length of a call (5 bytes, as of a direct call, until a return from it has been seen).
 */
#include "trace/format.h"

#include <stdlib.h>
#include <string.h>

#define LOOKED_AT 32u      /* records that must look like some */
#define QUEUE 12u          /* references of an instruction: a fetch, 4 reads, 2 writes, 2 of a branch */
#define CALLS 4096u        /* calls of which the length is known, by address */
#define DEPTH 1024u        /* of calls that have not returned */
#define CALL_BYTES 5u      /* e8 and four bytes */
#define INSTRUCTION_MAX 15u
#define NONE (-1) /* no branch */

struct known {
    uint64_t pc;
    uint8_t bytes;    /* of a call */
    uint8_t backward; /* of a conditional branch, when it was last taken */
};

struct champsim {
    unsigned bytes;
    struct qn_champsim_record now, next;
    uint64_t records; /* that are whole */
    uint64_t last;    /* address of the record before `now` */
    uint64_t more;    /* steps of repeated string instructions after the first that were not taken yet */
    bool has_next, begun;
    struct sim_ref queue[QUEUE];
    unsigned at, n;
    struct known known[CALLS];
    uint64_t calls[DEPTH]; /* addresses of calls, a ring */
    unsigned depth;
};

static bool looks_right(const unsigned char *bytes, size_t n, unsigned size)
{
    for (size_t i = 0; i < LOOKED_AT && (i + 1) * size <= n; i++) {
        struct qn_champsim_record r = {0};

        memcpy(&r, bytes + i * size, size);
        if (r.is_branch > 1 || r.taken > 1 || !r.ip || (r.ip >> 48 && r.ip >> 48 != 0xffff))
            return false;
    }
    return n >= size;
}

unsigned champsim_record_bytes(const unsigned char *bytes, size_t n)
{
    return looks_right(bytes, n, QN_CHAMPSIM_SHORT) ? QN_CHAMPSIM_SHORT : looks_right(bytes, n, QN_CHAMPSIM_LONG) ? QN_CHAMPSIM_LONG : 0;
}

struct champsim *champsim_open(unsigned record_bytes)
{
    struct champsim *c = calloc(1, sizeof *c);

    if (c)
        c->bytes = record_bytes;
    return c;
}

/* 1, 0 at the end, -1 if it is in the middle of a record. */
static int read_record(struct champsim *c, struct bytes *from, struct qn_champsim_record *r)
{
    unsigned char *to = (unsigned char *)r;

    *r = (struct qn_champsim_record){0};
    for (unsigned i = 0; i < c->bytes; i++) {
        int byte = bytes_get(from);

        if (byte == EOF)
            return i || from->error[0] ? -1 : 0;
        to[i] = (unsigned char)byte;
    }
    c->records++;
    return 1;
}

uint64_t champsim_records(const struct champsim *c) { return c->records; }

uint64_t champsim_take_more(struct champsim *c)
{
    uint64_t more = c->more;

    c->more = 0;
    return more;
}

static bool lists(const uint8_t *list, unsigned n, unsigned number)
{
    while (n--)
        if (list[n] == number)
            return true;
    return false;
}

static bool reads_other(const struct qn_champsim_record *r)
{
    for (unsigned i = 0; i < 4; i++)
        if (r->reads[i] && r->reads[i] != QN_CHAMPSIM_STACK_POINTER && r->reads[i] != QN_CHAMPSIM_FLAGS && r->reads[i] != QN_CHAMPSIM_INSTRUCTION_POINTER)
            return true;
    return false;
}

/* ---- branches: the kind follows from the registers, by the rules of ChampSim's inc/instruction.h ---- */

/* enum qn_champsim_branch, or NONE. */
static int kind_of(const struct qn_champsim_record *r)
{
    bool sp = lists(r->reads, 4, QN_CHAMPSIM_STACK_POINTER), ip = lists(r->reads, 4, QN_CHAMPSIM_INSTRUCTION_POINTER), flags = lists(r->reads, 4, QN_CHAMPSIM_FLAGS);
    bool sets_sp = lists(r->writes, 2, QN_CHAMPSIM_STACK_POINTER), other = reads_other(r);

    if (!lists(r->writes, 2, QN_CHAMPSIM_INSTRUCTION_POINTER))
        return NONE;
    if (!sp)
        return !flags && !other ? QN_CHAMPSIM_JUMP : !ip && !flags ? QN_CHAMPSIM_INDIRECT : ip && !sets_sp ? QN_CHAMPSIM_CONDITIONAL : NONE;
    if (!sets_sp || (ip && flags))
        return NONE;
    return !ip ? QN_CHAMPSIM_RETURN : other ? QN_CHAMPSIM_INDIRECT_CALL : QN_CHAMPSIM_CALL;
}

static struct sim_ref *add(struct champsim *c, unsigned kind, uint64_t addr, uint64_t target)
{
    struct sim_ref *ref = &c->queue[c->n++];

    *ref = (struct sim_ref){.kind = (uint8_t)kind, .addr = addr, .target = target, .size = kind <= SIM_REF_FETCH ? 1 : 0};
    return ref;
}

static struct known *known(struct champsim *c, uint64_t pc)
{
    struct known *k = &c->known[(pc ^ pc >> 12) % CALLS];

    if (k->pc != pc)
        *k = (struct known){.pc = pc, .bytes = CALL_BYTES};
    return k;
}

static void add_call(struct champsim *c)
{
    uint64_t pc = c->now.ip;

    c->calls[c->depth++ % DEPTH] = pc;
    add(c, SIM_REF_CALL, pc, pc + known(c, pc)->bytes);
}

static void add_return(struct champsim *c, uint64_t to)
{
    uint64_t call = c->depth ? c->calls[--c->depth % DEPTH] : 0;

    if (call && to > call && to - call <= INSTRUCTION_MAX)
        known(c, call)->bytes = (uint8_t)(to - call);
    add(c, SIM_REF_RETURN, c->now.ip, to);
}

static void add_conditional(struct champsim *c, uint64_t to)
{
    struct sim_ref *ref = add(c, SIM_REF_COND, c->now.ip, 0);
    struct known *k = known(c, c->now.ip);

    if (c->now.taken && to)
        k->backward = to < c->now.ip;
    ref->outcome = c->now.taken ? SIM_TAKEN : 0;
    ref->backward = k->backward;
}

static void add_branch(struct champsim *c)
{
    uint64_t to = c->has_next ? c->next.ip : 0;

    switch (kind_of(&c->now)) {
    case QN_CHAMPSIM_CONDITIONAL: add_conditional(c, to); break;
    case QN_CHAMPSIM_INDIRECT: add(c, SIM_REF_INDIRECT, c->now.ip, to); break;
    case QN_CHAMPSIM_INDIRECT_CALL: add(c, SIM_REF_INDIRECT, c->now.ip, to); add_call(c); break;
    case QN_CHAMPSIM_CALL: add_call(c); break;
    case QN_CHAMPSIM_RETURN: add_return(c, to); break;
    default: break;
    }
}

/* An address that is read and written is one that is modified.  Only a repeated string instruction follows itself without a branch: it was fetched
 * once. */
static void add_references(struct champsim *c)
{
    struct qn_champsim_record *r = &c->now;

    if (r->ip == c->last && kind_of(r) == NONE)
        c->more++;
    else
        add(c, SIM_REF_FETCH, r->ip, 0);
    for (unsigned i = 0; i < 4; i++) {
        unsigned kind = SIM_READ;

        for (unsigned j = 0; j < 2 && r->read[i]; j++)
            if (r->written[j] == r->read[i]) {
                kind = SIM_MODIFY;
                r->written[j] = 0;
                break;
            }
        if (r->read[i])
            add(c, kind, r->read[i], 0);
    }
    for (unsigned j = 0; j < 2; j++)
        if (r->written[j])
            add(c, SIM_WRITE, r->written[j], 0);
}

int champsim_next(struct champsim *c, struct bytes *from, struct sim_ref *ref)
{
    int more;

    while (c->at == c->n) {
        if (!c->begun && (more = read_record(c, from, &c->next)) <= 0)
            return more;
        if (c->begun && !c->has_next)
            return 0;
        c->last = c->now.ip;
        c->now = c->next;
        if ((more = read_record(c, from, &c->next)) < 0)
            return -1;
        c->begun = true;
        c->has_next = more;
        c->at = c->n = 0;
        add_references(c);
        add_branch(c);
    }
    *ref = c->queue[c->at++];
    return 1;
}
