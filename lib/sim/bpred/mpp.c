/* bpred/mpp.c - multiperspective perceptron: sixteen tables of weights, each indexed by the address and another view of what happened before.
 *
 * As in hashed, the sum of one weight of each table predicts. The views are the branch alone, pieces of the history of outcomes, outcomes together with
 * addresses, the branch's own last outcomes, the iteration of a loop, the branches that came last, and where among these this one is:
 *
 *   one that copies the 30th before it     outcomes 21 to 64, among which are none of the 20 that came last
 *   one that depends on who called         addresses of the last 7 and 11
 *
 * The rules:
 *   weights      a size of 5 bits (4 in the last table), two signs; a hash of the address takes one. Added are 1 to 106, growing, times 1 to 2.53
 *   sum          of these and of -5, 5, -1 or 1 if the branch's last 11 outcomes were all N, all T, N but the oldest, T but the oldest; times 0.245;
 *                taken from 1 on
 *   training     when wrong, or at most at the threshold, which rises when wrong and falls when right and below it, each for the 9th time
 *   histories    outcomes, and 16 bits of addresses; even: of branches with an even hash. Calls, returns and indirect jumps enter the first two
 * Otherwise than published: no direct jumps; no second training of a weight that is drawn; other hashes; outcomes are folded by exclusive or.
 *
 * Options: `mpp-entries` (587; 16 to 2^20), of each table.
 * Storage: 587 * (15 * 7 + 6) + 150 + 31 * 16 + 7 * (16 + 1) + 48 * 11 + 31 * 16 + 2 * 16 + 10 + 5 = 66,993.
 * Source: D. A. Jiménez, Multiperspective perceptron predictor, 5th Championship Branch Prediction, 2016; tables, factors and sizes of the 8 KiB. */
#include "sim/bpred/folded.h"

#define PREDICTOR "mpp"
#define PREDICTOR_INIT 1
#define PREDICTOR_PATH 1
#define PREDICTOR_BITS (uint64_t)entries * (15 * 7 + 6) + OUTCOMES + PATH * 16 + EVEN * 17 + LOCALS * LOCAL_BITS + RECENT * 16 + 2 * 16 + 10 + 5

enum { TABLES = 16, OUTCOMES = 150, PATH = 31, EVEN = 7, LOCALS = 48, LOCAL_BITS = 11, RECENT = 31, BLOCK = 21, ADAPT = 9, BACKWARD = 1, FORWARD = 2, PLACE = 4 };
enum view { BIAS, GLOBAL, LOOP, LOCAL, POSITION, WAY, EVEN_WAY, ORDER };
static const struct {
    enum view view;
    unsigned factor, from, to, shift, with; /* factor: of 32; with: what else is in the index: loop counters, the position */
} views[TABLES] = {
    {BIAS, 77, 0, 0, 0, 0},          {GLOBAL, 46, 0, 19, 0, BACKWARD}, {GLOBAL, 32, 0, 65, 0, BACKWARD}, {GLOBAL, 32, 21, 64, 0, 0},
    {GLOBAL, 34, 75, 150, 0, PLACE}, {EVEN_WAY, 52, 0, 7, 3, 0},       {WAY, 40, 0, 11, 2, 0},           {WAY, 36, 0, 15, 4, PLACE},
    {WAY, 45, 0, 31, 1, 0},          {WAY, 48, 0, 7, 1, 0},            {LOOP, 41, 0, 0, 0, FORWARD},     {LOCAL, 50, 0, 0, 0, 0},
    {ORDER, 40, 0, 14, 4, 0},        {POSITION, 60, 0, 0, 0, 0},       {WAY, 53, 0, 4, 3, FORWARD},      {WAY, 81, 1, 2, 5, 0}};
static const uint8_t steps[32] = {1, 3, 4, 5, 7, 8, 9, 11, 12, 14, 15, 17, 19, 21, 23, 25, 27, 29, 32, 34, 37, 41, 45, 49, 53, 58, 63, 69, 76, 85, 94, 106};
static const uint8_t steps_last[16] = {0, 4, 5, 7, 9, 11, 12, 14, 16, 17, 19, 22, 28, 33, 39, 45};
static struct weight {
    uint8_t size, minus[2];
} *weights, *found[TABLES];
static unsigned entries, folded[TABLES], newest, position, place; /* newest: of path[]; position: in recent[], RECENT: nowhere; place: in a table */
static uint16_t locals[LOCALS], backward_loop, forward_loop;
static uint32_t path[PATH + 1], even[EVEN], recent[RECENT]; /* 16 bits of the address, and the outcome, but in recent[]; the newest first */
static unsigned __int128 sums[TABLES], inverse; /* of WAY: each of from ... to, shifted by as many `shift` as come behind it; 2^64 / entries, rounded up */
static int sum, threshold = 10, doubt;

static void branchsim_BC_init(const struct sim_config *config)
{
    (void)config;
    entries = (unsigned)sim_option_within(sim.slot, PREDICTOR, "mpp-entries", 587, 16, 1 << 20);
    inverse = ~0ull / entries + 1;
    weights = sim_alloc((uint64_t)TABLES * entries * sizeof *weights);
    for (unsigned i = 0; i < TABLES * entries; i++)
        weights[i] = (struct weight){0, {i / entries % 2, true}};
}

static unsigned sign_of(uint64_t pc) { return (uint32_t)pc * 0x9e3779b1u >> 16 & 1; }
static void to_front(uint32_t *row, unsigned at, uint32_t value)
{
    for (; at > 0; at--)
        row[at] = row[at - 1];
    row[0] = value;
}

static uint32_t view_of(unsigned t, uint64_t pc)
{
    const uint32_t known[] = {0, folded[t], forward_loop, locals[pc % LOCALS], place, (uint32_t)sums[t]};
    uint32_t x = 0;

    if (views[t].view <= WAY)
        return known[views[t].view];
    for (unsigned i = views[t].from; i < views[t].to; i++)
        x = (x << views[t].shift) + (views[t].view == ORDER ? recent[i] : even[i]);
    return x;
}

static unsigned branchsim_BC_predict(uint64_t pc)
{
    const unsigned all = (1u << LOCAL_BITS) - 1, old = 1u << (LOCAL_BITS - 1), own = locals[pc % LOCALS];

    sum = own == 0 ? -5 : own == all ? 5 : own == old ? -1 : own == old - 1 ? 1 : 0;
    for (position = 0; position < RECENT && recent[position] != (uint16_t)pc;)
        position++;
    place = position < RECENT ? position * entries / RECENT : entries - 1;
    for (unsigned t = 0; t < TABLES; t++) {
        uint64_t h = (uint64_t)view_of(t, pc) << 6 ^ (uint16_t)pc ^ (views[t].with & PLACE ? place : 0);

        h ^= (views[t].with & BACKWARD ? backward_loop : 0) ^ (views[t].with & FORWARD ? forward_loop : 0);
        found[t] = &weights[t * entries + (h - (uint64_t)((unsigned __int128)h * (uint64_t)inverse >> 64) * entries)]; /* h % entries */
        int size = (int)(views[t].factor * (t == TABLES - 1 ? steps_last[found[t]->size] : steps[found[t]->size]) / 32);
        sum += size * (1 - 2 * found[t]->minus[sign_of(pc)]); /* no jump, which would often go wrong */
    }
    return (sum = sum * 245 / 1000) >= 1;
}

static void train(unsigned sign, bool taken)
{
    bool right = (sum >= 1) == taken;
    int size = sum < 0 ? -sum : sum;

    if (right && size > threshold)
        return;
    doubt += right ? -(size < threshold) : 1;
    if (doubt == ADAPT || doubt == -ADAPT)
        threshold += doubt / ADAPT, doubt = 0;
    for (unsigned t = 0; t < TABLES; t++) {
        uint8_t *minus = &found[t]->minus[sign];

        if (*minus != taken)
            found[t]->size += found[t]->size < (t == TABLES - 1 ? 15 : 31);
        else if (found[t]->size)
            found[t]->size--;
        else
            *minus = !*minus;
    }
}

static void remember(uint64_t pc, unsigned outcome)
{
    history_add(outcome);
    path[newest = (newest + PATH) % (PATH + 1)] = (uint32_t)(uint16_t)pc << 1 | outcome;
    for (unsigned t = 0; t < TABLES; t++) {
        const unsigned turned = folded[t] << 1 | folded[t] >> (BLOCK - 1), from = views[t].from, to = views[t].to, shift = views[t].shift;

        if (views[t].view == GLOBAL)
            folded[t] = (turned ^ history_bit(from) ^ history_bit(to) << (to - from) % BLOCK) & (unsigned)low_bits(BLOCK);
        if (views[t].view == WAY)
            sums[t] = ((sums[t] - path[(newest + to) % (PATH + 1)]) >> shift) + ((unsigned __int128)path[(newest + from) % (PATH + 1)] << shift * (to - from - 1));
    }
}

static void branchsim_BC_path(uint64_t pc, uint64_t target, enum sim_ref_kind kind)
{
    (void)target, (void)kind;
    remember(pc, !(pc >> 2 & 1));
}

static void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    uint16_t *loop = sim_branch_backward ? &backward_loop : &forward_loop, *own = &locals[pc % LOCALS];

    train(sign_of(pc), taken);
    *loop = sim_branch_backward == (taken != 0) ? (uint16_t)(*loop + 1) : 0;
    remember(pc, taken);
    if (!sign_of(pc))
        to_front(even, EVEN - 1, (uint32_t)(uint16_t)pc << 1 | taken);
    to_front(recent, position < RECENT ? position : RECENT - 1, (uint16_t)pc);
    *own = (uint16_t)((*own << 1 | taken) & low_bits(LOCAL_BITS));
}
