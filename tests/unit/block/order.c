/* The order of blocks, beside a list that is searched; and that no cycle leads through no anchor, in programs drawn at random. */
#include "block/order.c"
#include "tap.h"

#include <sys/mman.h>

#define MOST 4096u

void *qn_engine_alloc(uint64_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED)
        bail("no memory");
    return p;
}

static uint64_t random_state = 1;

static bool counted;
static bool is_counted(uint64_t pc)
{
    (void)pc;
    return counted;
}

static uint32_t below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % n);
}

static void begin(uint32_t max)
{
    static uint64_t bytes;

    if (bytes)
        munmap(addresses, bytes);
    bytes = max * sizeof *addresses;
    if (buckets)
        munmap(buckets, QN_ORDER_BUCKETS * sizeof *buckets);
    ready = 0;
    qn_order_init(max);
}

/* ---- the list ---- */

static uint64_t listed[MOST];
static uint32_t n_listed;

static void insert_at(uint32_t i, uint64_t pc)
{
    memmove(&listed[i + 1], &listed[i], (n_listed++ - i) * sizeof *listed);
    listed[i] = pc;
}

static bool same_order(void)
{
    uint32_t a = addresses[HEAD].next;

    for (uint32_t i = 0; i < n_listed; i++, a = addresses[a].next)
        if (a == HEAD || addresses[a].pc != listed[i] || (i && rank(a) <= rank(find(listed[i - 1]))))
            return false;
    return a == HEAD;
}

enum where { BEHIND_ANY, BEHIND_LAST, BEHIND_ONE, BEFORE_ALL };

/* All placed behind the last one leave no room there, all behind the first none there, ... */
static bool follows_list(enum where where)
{
    begin(MOST);
    n_listed = 0;
    counted = true;
    for (uint64_t pc = 1; pc < MOST; pc++) {
        uint32_t i = where == BEFORE_ALL || !n_listed ? 0 : where == BEHIND_LAST ? n_listed : where == BEHIND_ONE ? 1 : below(n_listed) + 1;

        if (where == BEHIND_ANY && i > 1 && below(2)) /* several lead there: the last counts */
            leads_back(find(listed[below(i - 1)]), pc);
        if (i && (leads_back(find(listed[i - 1]), pc) || !leads_back(find(listed[i - 1]), listed[below(i)])))
            return false;
        if (!position_of(pc, is_counted))
            return false;
        insert_at(i, pc);
    }
    return same_order();
}

static void lists(void)
{
    ok(follows_list(BEHIND_LAST), "each behind the last");
    ok(follows_list(BEHIND_ONE), "each behind the same one");
    ok(follows_list(BEFORE_ALL), "each before all");
    for (unsigned i = 0; i < 5; i++)
        ok(follows_list(BEHIND_ANY), "each behind any");
    begin(3);
    ok(position_of(7, is_counted) && position_of(8, is_counted), "two have room");
    is_int(position_of(9, is_counted), NOWHERE, "a third has not");
    ok(leads_back(position_of(7, is_counted), 9) && leads_back(NOWHERE, 7), "... and leads back, to it and from it");
    ok(!leads_back(position_of(8, is_counted), 7), "... others as before");
    ok(!is_source(position_of(7, is_counted)) && is_source(NOWHERE), "... and may come from anywhere");
}

/* ---- anchors ---- */

static enum qn_anchor anchor(enum qn_block_end end, uint64_t pc, uint64_t target)
{
    static struct qn_block b;

    b.pc = pc;
    b.next = pc + 1;
    b.target = target;
    b.end = end;
    return qn_block_anchor(&b, is_counted);
}

static void shapes(void)
{
    begin(MOST);
    counted = true;
    is_int(anchor(QN_END_JCC, 10, 90), QN_NO_ANCHOR, "10: jcc 90, moved out of the way");
    is_int(anchor(QN_END_FALL, 11, 0), QN_NO_ANCHOR, "11 goes on");
    is_int(anchor(QN_END_JCC, 12, 10), QN_ANCHOR_IF_TAKEN, "12: jcc 10, a loop");
    is_int(anchor(QN_END_JMP, 90, 11), QN_NO_ANCHOR, "90: jmp 11, the way back, is none");
    is_int(anchor(QN_END_CALL, 13, 5), QN_NO_ANCHOR, "13: call 5, at a lower address");
    is_int(anchor(QN_END_RET, 5, 0), QN_NO_ANCHOR, "5: ret");
    is_int(anchor(QN_END_CALL, 14, 50), QN_NO_ANCHOR, "14: call 50");
    is_int(anchor(QN_END_CALL, 50, 5), QN_NO_ANCHOR, "50: call 5, which others have called before");
    is_int(anchor(QN_END_CALL, 51, 50), QN_ANCHOR_IF_TAKEN, "51: call 50, recursion");
    is_int(anchor(QN_END_SYSCALL, 52, 0), QN_NO_ANCHOR, "52: syscall");
    is_int(anchor(QN_END_CALL_IND, 54, 0), QN_ANCHOR, "54: call *");
    is_int(anchor(QN_END_JMP_IND, 56, 0), QN_ANCHOR, "56: jmp *");
    is_int(anchor(QN_END_JMP, 16, 16), QN_ANCHOR_IF_TAKEN, "16: jmp 16");
    is_int(anchor(QN_END_LOOP, 15, 16), QN_ANCHOR, "15: loop 16, which goes on there, too");
    counted = false;
    is_int(anchor(QN_END_RET, 70, 0), QN_ANCHOR, "70: ret; a return that matches no call leads there");
    is_int(anchor(QN_END_RET, 55, 0), QN_NO_ANCHOR, "55: ret; to this one a return from a call");
    counted = true;
    is_int(anchor(QN_END_RET, 70, 0), QN_ANCHOR, "70 once more");
}

/* ---- programs ---- */

#define BLOCKS_MAX 300u

static struct program {
    struct qn_block block[BLOCKS_MAX];
    bool seen[BLOCKS_MAX], counted[BLOCKS_MAX][2]; /* [0]: its way on to next, [1]: to target */
    unsigned n;
} program;

/* Any of them may lead anywhere. */
static void draw_program(void)
{
    static const enum qn_block_end ends[] = {QN_END_JCC, QN_END_JCC, QN_END_JCC, QN_END_LOOP, QN_END_JMP, QN_END_JMP, QN_END_CALL, QN_END_CALL,
                                             QN_END_RET, QN_END_RET, QN_END_CALL_IND, QN_END_JMP_IND, QN_END_FALL, QN_END_SYSCALL};

    program.n = 1 + below(BLOCKS_MAX);
    for (unsigned i = 0; i < program.n; i++) {
        struct qn_block *b = &program.block[i];

        program.seen[i] = false;
        b->pc = i;
        b->next = i + 1 < program.n ? i + 1 : below(program.n);
        b->target = below(4) ? below(program.n) : (i + below(8)) % program.n;
        b->end = ends[below(sizeof ends / sizeof *ends)];
    }
}

static bool has(const struct qn_block *b, bool target)
{
    switch (b->end) {
    case QN_END_RET: case QN_END_JMP_IND: return false;
    case QN_END_CALL_IND: return !target;
    case QN_END_JMP: return target;
    case QN_END_FALL: case QN_END_SYSCALL: return !target;
    default: return true;
    }
}

/* Runs for a while, from one block to another that it may lead to; what is seen first is translated. */
static void run_program(void)
{
    unsigned at = 0, stack[64], depth = 0;

    for (unsigned steps = 0; steps < 20 * program.n; steps++) {
        struct qn_block *b = &program.block[at];

        if (!program.seen[at]) {
            enum qn_anchor a = qn_block_anchor(b, is_counted);

            program.seen[at] = true;
            program.counted[at][0] = a == QN_ANCHOR || (a == QN_ANCHOR_IF_TAKEN && b->end == QN_END_CALL);
            program.counted[at][1] = a != QN_NO_ANCHOR;
        }
        counted = false;
        if ((b->end == QN_END_CALL || b->end == QN_END_CALL_IND) && depth < 64)
            stack[depth++] = (unsigned)b->next;
        if (b->end == QN_END_RET) {
            at = depth ? stack[--depth] : below(program.n);
        } else if (b->end == QN_END_JMP_IND || b->end == QN_END_CALL_IND) {
            at = below(program.n);
            counted = true;
        } else {
            at = (unsigned)(b->end == QN_END_CALL || !has(b, false) || (has(b, true) && below(2)) ? b->target : b->next);
        }
    }
}

/* Is there a cycle of ways that are not counted?  A search in depth: 1 on the way, 2 done. */
static bool closes(unsigned at, uint8_t *state)
{
    state[at] = 1;
    for (unsigned k = 0; k < 2; k++) {
        const struct qn_block *b = &program.block[at];
        unsigned to = (unsigned)(k ? b->target : b->next);

        if (program.seen[at] && has(b, k) && !program.counted[at][k] && (state[to] == 1 || (!state[to] && closes(to, state))))
            return true;
    }
    state[at] = 2;
    return false;
}

static bool has_cycle(void)
{
    uint8_t state[BLOCKS_MAX] = {0};

    for (unsigned i = 0; i < program.n; i++)
        if (!state[i] && closes(i, state))
            return true;
    return false;
}

static void programs(uint32_t room, const char *text)
{
    unsigned cycles = 0;

    for (unsigned i = 0; i < 3000; i++) {
        begin(room);
        draw_program();
        run_program();
        cycles += has_cycle();
    }
    is_int(cycles, 0, "3000 programs%s: cycles without an anchor", text);
}

int main(void)
{
    lists();
    shapes();
    programs(BLOCKS_MAX + 1, "");
    programs(40, ", room for 39 addresses");
    return done_testing();
}
