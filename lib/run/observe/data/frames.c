/* lib/run/observe/data/frames.c - finds the function frame, and the variable in it, of an address on the stack (--data).
 *
 *   a miss at 7ffe1040, at 401150 in f, rsp = 7ffe0fc0, rbp = 7ffe1000
 *   collector: at 401150   CFA = rbp + 16, i.e. 7ffe1010; the caller's rbp at CFA - 16, its address at CFA - 8     -> not in f's frame
 *   memory:    401234, 7ffe1080;    collector: at 401233 in main   CFA = rbp + 16, i.e. 7ffe1090; `buf` CFA - 96 to CFA - 32
 *   -> buf, byte 16
 *
 * At each miss the stack is unwound, from the innermost frame to the one that holds the address.  So calls need not be tracked, and
 * longjmp, exceptions, tail calls and signal handlers need no special handling.  Memory below the stack pointer belongs to the innermost
 * frame (its red zone, data that an instruction is about to push).
 *
 * The result is object 0, without a function, in these cases: code without unwind information on the way, another stack than the current
 * one, memory above the outermost frame (arguments, environment) or more than FOLLOWED_MAX frames out, and references in batches, because
 * these are simulated when the stack has changed.
 *
 * The check of a reference may be emitted before an earlier instruction: rsp and rbp are those at the check (`at`), the variables in scope
 * are those of the reference's own instruction.
 */
#include "base/ready.h"
#include "decode/decode.h"
#include "run/kernel/signal.h"
#include "run/observe/data/data.h"
#include "run/run.h"
#include "sim/contract.h"

#define INDEX_FIRST 1024u
#define WORD 8u
#define FOLLOWED_MAX 4096u  /* frames: 40 us; limits the time of a miss in a deep recursion */

struct place {
    uint64_t pc, at;
};

static struct place *places;  /* by site; pc 0: a reference that a helper makes, arg_pc says whose */
static uint32_t *frame_index, index_size; /* record + 1 by the hash of its pc, 0 = free; size: a power of two */
static uint64_t ready;

/* Where one has come to, on the way out; `low` to `end` is the stack, where parts may be unmapped or protected since it was first seen. */
struct cursor {
    uint64_t pc, sp, bp, cfa, low, end;
};

void qn_frames_note(uint32_t site, uint64_t pc, uint64_t at)
{
    if (!places)
        places = qn_engine_alloc(QN_ARENA_COUNTERS_SIZE / sizeof(uint64_t) * sizeof *places);
    places[site] = (struct place){pc, at};
}

/* ---- what the collector knows ---- */

static struct qn_frame_rec *record(uint64_t i) { return (struct qn_frame_rec *)(QN_ARENA_ALIAS_BASE + QN_ARENA_FRAMES_OFF) + i; }

static uint32_t place_of(uint64_t pc)
{
    uint32_t at = (uint32_t)((pc * 0x9e3779b97f4a7c15ull) >> 32) & (index_size - 1);

    while (frame_index[at] && record(frame_index[at] - 1)->pc != pc)
        at = (at + 1) & (index_size - 1);
    return at;
}

static void fill_index(void)
{
    for (uint32_t i = 0; i < qn_arena->n_frames; i++)
        if (record(i)->pc) /* else it is of code that is gone */
            frame_index[place_of(record(i)->pc)] = i + 1;
}

static void enlarge_index(void)
{
    index_size = index_size ? 2 * index_size : INDEX_FIRST;
    frame_index = qn_engine_alloc(index_size * sizeof *frame_index);
    fill_index();
}

void qn_frames_forget(uint64_t start, uint64_t end)
{
    if (!index_size)
        return;
    for (uint32_t i = 0; i < qn_arena->n_frames; i++)
        if (record(i)->pc - start < end - start)
            record(i)->pc = 0;
    __builtin_memset(frame_index, 0, index_size * sizeof *frame_index);
    fill_index();
}

static __attribute__((noinline, cold)) const struct qn_frame_rec *ask(uint64_t pc)
{
    uint64_t n = qn_arena->n_frames;
    struct qn_frame_rec *r = record(n);

    if (n == QN_FRAMES_MAX)
        return NULL;
    if (n >= index_size / 2)
        enlarge_index();
    qn_ready_until(&ready, r + 1);
    *r = (struct qn_frame_rec){.pc = pc, .map = qn_arena_map_of(pc)};
    qn_arena->n_frames = n + 1;
    qn_message_frame((uint32_t)n);
    frame_index[place_of(pc)] = (uint32_t)n + 1;
    return r;
}

/* NULL: nothing is known, or there is no room. */
static const struct qn_frame_rec *frame_at(uint64_t pc)
{
    uint32_t i = index_size ? frame_index[place_of(pc)] : 0;
    const struct qn_frame_rec *r = i ? record(i - 1) : ask(pc);

    return r && r->cfa_from ? r : NULL;
}

/* ---- on the way out ---- */

static bool load(const struct cursor *c, uint64_t address, uint64_t *word)
{
    return address - c->low < c->end - c->low && c->end - address >= WORD && qn_peek(address, word);
}

static uint64_t slot(const struct cursor *c, unsigned from, int32_t offset)
{
    return (from == QN_FRAME_RSP ? c->sp : from == QN_FRAME_RBP ? c->bp : c->cfa) + (uint64_t)(int64_t)offset;
}

/* false: it cannot be one. */
static bool find_cfa(struct cursor *c, const struct qn_frame_rec *f)
{
    uint64_t cfa = slot(c, f->cfa_from, f->cfa);

    if (f->stored && !load(c, cfa, &cfa))
        return false;
    c->cfa = cfa;
    return cfa > c->sp && cfa <= c->end;
}

static bool go_out(struct cursor *c, const struct qn_frame_rec *f)
{
    uint64_t pc, bp = c->bp;

    if (!f->ret_from || !load(c, slot(c, f->ret_from, f->ret), &pc) || (f->rbp_from && !load(c, slot(c, f->rbp_from, f->rbp), &bp)))
        return false;
    c->pc = f->interrupted ? pc : pc - 1; /* the call, which may be the last instruction of its function */
    c->bp = bp;
    c->sp = c->cfa;
    return true;
}

/* The frame's variable that holds the byte so far from the CFA; QN_NO_OBJECT: none. */
static uint32_t find_variable(const struct qn_frame_rec *f, int64_t at, uint64_t *offset)
{
    const struct qn_frame_variable *v = (const struct qn_frame_variable *)(QN_ARENA_ALIAS_BASE + QN_ARENA_FRAME_VARIABLES_OFF) + f->first;

    for (uint32_t i = 0; i < f->count; i++, v++)
        if (at >= v->start && at < v->end) {
            *offset = (uint64_t)(at - v->start);
            return v->object;
        }
    return QN_NO_OBJECT;
}

uint32_t qn_frames_find(uint64_t address, uint32_t site, uint64_t end, uint64_t *offset)
{
    const struct place *p = places && places[site].pc ? &places[site] : NULL;
    struct cursor c = {.pc = p ? p->at : qn_ctx.arg_pc, .sp = qn_ctx.guest_sp, .bp = qn_ctx.gpr[QN_RBP], .low = qn_ctx.guest_sp, .end = end};
    const struct qn_frame_rec *f = frame_at(c.pc), *scope = p && p->pc != p->at ? frame_at(p->pc) : f;

    *offset = 0;
    for (unsigned n = 0; n < FOLLOWED_MAX && f && scope && find_cfa(&c, f); n++) {
        int64_t at = (int64_t)(address - c.cfa);
        uint32_t object = find_variable(scope, at, offset);

        if (object != QN_NO_OBJECT || at < 0)
            return object != QN_NO_OBJECT ? object : scope->object;
        if (!go_out(&c, f))
            break;
        scope = f = frame_at(c.pc);
    }
    return 0;
}
