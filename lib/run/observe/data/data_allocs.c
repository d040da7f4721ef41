/* lib/run/observe/data/data_allocs.c - detects calls of allocators, by probes at their entry and at their return address.
 *
 *   block at malloc's entry     rdi = 64, returns to 401150          records the call in this thread's list
 *   block at 401150             rax = 7f00..., rsp matches           64 bytes at 7f00... have been allocated
 *
 * An allocator may call others (operator new calls malloc): a block belongs to the caller of the outermost one.  So for a function of
 * --alloc that calls malloc, no further information is needed.
 *
 * Library code that grows a vector and so on (GROWER) allocates for its caller, if it calls the allocator itself, or through another such
 * function.  Allocations of the program's own code in between, such as an element's constructor, do not belong to that caller.
 *
 * A call that ends in another way (an exception, longjmp) is dropped when the stack pointer is above the slot of its return address, or
 * the slot no longer holds it.  free() and similar functions end a block at their entry.
 */
#include "decode/decode.h"
#include "run/observe/data/data.h"
#include "run/run.h"

#define CALLS_MAX 64u
#define RETURNS_FIRST 1024u
#define PROBE_RETURN 0x10000u /* of what a probe hands on: a call may return here; below it, a point as QN_ALLOC_OF, + 1 */
#define ERROR_MIN 0xfffffffffffff001ull /* what mmap and mremap return from here on is an error */
enum { MAP_ANONYMOUS_ = 0x20 };

struct qn_alloc_calls {
    int32_t tid;
    uint32_t n;
    struct call {
        uint64_t sp, returns_to; /* address of the return address; that */
        uint64_t start, end;     /* GROWER: its code */
        uint64_t size, old;      /* bytes, 0 = not known; REALLOC, MREMAP: the block; POSIX: where the block will be put */
        uint32_t which;          /* as QN_ALLOC_OF */
        bool counted;            /* a block has been allocated inside */
    } call[CALLS_MAX];           /* the outermost first */
};

/* Addresses that calls return to, by hash; 0 = free; and the object that belongs to each, by what allocates there (`which`) and where
 * that returns to inside library code (`inner`; 0 = in none). */
static struct {
    uint64_t pc, inner;
    uint32_t which, object;
} *returns;
static uint32_t nreturns, returns_size;

/* ---- objects of callers ---- */

static uint32_t place_of(uint64_t pc, uint64_t inner, uint32_t which)
{
    uint32_t at = (uint32_t)((pc * 0x9e3779b97f4a7c15ull) >> 32) & (returns_size - 1);

    while (returns[at].pc && (returns[at].pc != pc || (which != QN_NO_OBJECT && (returns[at].which != which || returns[at].inner != inner))))
        at = (at + 1) & (returns_size - 1);
    return at;
}

static void enlarge_returns(void)
{
    uint32_t old = returns_size;
    __typeof__(returns) list = returns;

    returns_size = old ? 2 * old : RETURNS_FIRST;
    returns = qn_engine_alloc(returns_size * sizeof *returns);
    for (uint32_t i = 0; i < old; i++)
        if (list[i].pc)
            returns[place_of(list[i].pc, list[i].inner, list[i].which)] = list[i];
}

static bool is_return(uint64_t pc) { return returns_size && returns[place_of(pc, 0, QN_NO_OBJECT)].pc; }

/* What was translated there until now does not look for returns. */
static uint32_t note_return(uint64_t pc, uint64_t inner, uint32_t which)
{
    uint32_t at;
    bool known = is_return(pc);

    if (nreturns >= returns_size / 2)
        enlarge_returns();
    at = place_of(pc, inner, which);
    if (returns[at].pc)
        return at;
    returns[at].pc = pc;
    returns[at].inner = inner;
    returns[at].which = which;
    returns[at].object = QN_NO_OBJECT;
    nreturns++;
    if (!known)
        qn_code_changed(pc, pc + 1);
    return at;
}

static bool is_grower(const struct call *call) { return QN_ALLOC_KIND(call->which) == QN_ALLOC_GROWER; }

/* The call that the block belongs to: the outermost one, but of library functions only those that have called the next one themselves. */
static uint32_t owner_of(const struct qn_alloc_calls *c)
{
    uint32_t owner = c->n - 1;
    bool itself = true;

    for (uint32_t i = c->n - 1; i-- > 0;) {
        itself &= !is_grower(&c->call[i]) || c->call[i + 1].returns_to - 1 - c->call[i].start < c->call[i].end - c->call[i].start;
        if (!is_grower(&c->call[i]) || itself)
            owner = i;
    }
    return owner;
}

/* Where calls inside library functions return to, the innermost first, as far as it is code of the same file. */
static void note_inner(struct qn_object *o, const struct qn_alloc_calls *c, uint32_t owner)
{
    uint32_t n = 0;

    for (uint32_t i = c->n - 1; i > owner && n < QN_OBJECT_INNER; i--)
        if (is_grower(&c->call[i - 1]) && qn_arena_map_of(c->call[i].returns_to - 1) == o->map)
            o->inner[n++] = c->call[i].returns_to;
}

static uint32_t object_of(const struct qn_alloc_calls *c)
{
    uint32_t owner = owner_of(c), by = owner, at;
    const struct call *call = &c->call[owner];
    struct qn_object new = {.kind = QN_OBJECT_HEAP, .start = call->returns_to};

    while (by + 1 < c->n && is_grower(&c->call[by]))
        by++;
    at = note_return(call->returns_to, by > owner ? c->call[by].returns_to : 0, c->call[by].which);
    if (returns[at].object != QN_NO_OBJECT)
        return returns[at].object;
    new.map = qn_arena_map_of(call->returns_to - 1);
    new.name = c->call[by].which;
    note_inner(&new, c, owner);
    returns[at].object = qn_data_add_object(&new);
    return returns[at].object;
}

/* ---- the list of calls ---- */

static struct qn_alloc_calls *calls_of_thread(void)
{
    struct qn_alloc_calls *c = qn_self->alloc_calls;

    if (!c)
        c = qn_self->alloc_calls = qn_engine_alloc(sizeof *c);
    if (c->tid != qn_self->tid) {
        c->tid = qn_self->tid;
        c->n = 0;
    }
    return c;
}

static uint64_t word_at(uint64_t address) { return *(const uint64_t *)(uintptr_t)address; }

#define FRAMES_MAX (8u << 20) /* bytes of stack between an allocator and one that it calls; further away is another stack */

/* Drops calls that ended without a return: the stack pointer is above their slot, or the slot no longer holds the return address. */
static void drop_left(struct qn_alloc_calls *c, uint64_t sp)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < c->n; i++)
        if (c->call[i].sp - sp < FRAMES_MAX && word_at(c->call[i].sp) == c->call[i].returns_to)
            c->call[kept++] = c->call[i];
    c->n = kept;
}

/* ---- blocks ---- */

/* An allocator that is not the outermost one may be an older name of the same, or what it is made of. */
static void allocate(const struct qn_alloc_calls *c, uint64_t base, uint64_t size)
{
    uint32_t number = object_of(c);
    const struct qn_live_block *b = qn_blocks_find(base);
    struct qn_object *o;

    if (number == QN_NO_OBJECT || (b && b->base == base && b->object == number && b->end == base + size))
        return;
    qn_blocks_add(base, size, number);
    o = qn_data_object(number);
    o->blocks++;
    o->bytes += size;
    if (size > o->size)
        o->size = size;
}

static void reallocate(const struct qn_alloc_calls *c, const struct call *call, uint64_t base)
{
    if (call->old)
        qn_blocks_remove(call->old);
    if (base)
        allocate(c, base, call->size);
}

/* The user has named it: what was allocated inside has its name already. */
static void finish_custom(const struct qn_alloc_calls *c, const struct call *call, uint64_t base)
{
    if (base && call->size && !call->counted)
        allocate(c, base, call->size);
}

static void finish(struct qn_alloc_calls *c, const struct call *call)
{
    uint64_t base = qn_ctx.gpr[QN_RAX];

    switch (QN_ALLOC_KIND(call->which)) {
    case QN_ALLOC_GROWER:
        return;
    case QN_ALLOC_CUSTOM:
        finish_custom(c, call, base);
        return;
    case QN_ALLOC_MMAP:
    case QN_ALLOC_MREMAP:
        if (c->n == 1 && base < ERROR_MIN)
            reallocate(c, call, base);
        return;
    case QN_ALLOC_POSIX:
        base = (uint32_t)base ? 0 : word_at(call->old);
        if (base)
            allocate(c, base, call->size);
        break;
    case QN_ALLOC_REALLOC:
        if (base || !call->size)
            reallocate(c, call, base);
        break;
    default:
        if (base)
            allocate(c, base, call->size);
    }
    for (uint32_t i = 0; i < c->n; i++)
        c->call[i].counted = true;
}

/* ---- where a function begins ---- */

static uint64_t argument(unsigned n)
{
    static const uint8_t registers[QN_ALLOC_ARGS + 1] = {QN_RAX, QN_RDI, QN_RSI, QN_RDX, QN_RCX, QN_R8, QN_R9};

    return n ? qn_ctx.gpr[registers[n]] : 1;
}

/* false: nothing is allocated. */
static bool take_arguments(struct call *call)
{
    switch (QN_ALLOC_KIND(call->which)) {
    case QN_ALLOC_MALLOC: call->size = argument(1); return true;
    case QN_ALLOC_CALLOC: return !__builtin_mul_overflow(argument(1), argument(2), &call->size);
    case QN_ALLOC_ALIGNED: call->size = argument(2); return true;
    case QN_ALLOC_REALLOC: call->old = argument(1); call->size = argument(2); return true;
    case QN_ALLOC_POSIX: call->old = argument(1); call->size = argument(3); return true;
    case QN_ALLOC_MREMAP: call->old = argument(1); call->size = argument(3); return true;
    case QN_ALLOC_MMAP: call->size = argument(2); return argument(4) & MAP_ANONYMOUS_;
    case QN_ALLOC_GROWER: return true;
    case QN_ALLOC_CUSTOM:
        call->size = QN_ALLOC_BYTES(call->which) ? argument(QN_ALLOC_BYTES(call->which)) * argument(QN_ALLOC_TIMES(call->which)) : 0;
        return true;
    default: return false;
    }
}

static void enter(struct qn_alloc_calls *c, uint64_t pc, uint32_t which)
{
    struct call call = {.sp = qn_ctx.guest_sp, .returns_to = word_at(qn_ctx.guest_sp), .which = which};

    drop_left(c, call.sp);
    if (QN_ALLOC_KIND(which) == QN_ALLOC_FREE)
        qn_blocks_remove(argument(1));
    if (!take_arguments(&call) || c->n == CALLS_MAX)
        return;
    if (QN_ALLOC_KIND(which) == QN_ALLOC_GROWER) {
        call.start = pc;
        call.end = qn_probes_alloc_end(pc);
    }
    note_return(call.returns_to, 0, which);
    c->call[c->n++] = call;
}

/* ---- where it returns to ---- */

static void come_back(struct qn_alloc_calls *c, uint64_t pc)
{
    uint64_t sp = qn_ctx.guest_sp - 8;

    while (c->n && c->call[c->n - 1].sp < sp)
        c->n--;
    while (c->n && c->call[c->n - 1].sp == sp && c->call[c->n - 1].returns_to == pc) {
        const struct call call = c->call[c->n - 1];

        finish(c, &call);
        c->n--;
    }
}

/* ---- for translated code ---- */

uint32_t qn_allocs_probe(uint64_t pc)
{
    uint32_t which = qn_probes_alloc(pc);

    return which | (is_return(pc) ? PROBE_RETURN : 0);
}

bool qn_allocs_begins(uint64_t pc) { return qn_allocs_probe(pc) != 0; }

QN_NCSR void qn_allocs_see(void)
{
    struct qn_alloc_calls *c = calls_of_thread();

    qn_drain_logs();
    if (qn_ctx.arg_aux & PROBE_RETURN)
        come_back(c, qn_ctx.arg_pc);
    if (qn_ctx.arg_aux & (PROBE_RETURN - 1))
        enter(c, qn_ctx.arg_pc, (uint32_t)(qn_ctx.arg_aux & (PROBE_RETURN - 1)) - 1);
}
