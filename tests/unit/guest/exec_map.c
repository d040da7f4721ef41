/* Ranges of code, and of shared memory, beside a byte for each page: added, removed, asked for at random. */
#include <stdlib.h>

#include "guest/exec_map.h"

#include "tap.h"

void *qn_engine_alloc(uint64_t bytes) { return calloc(1, bytes); }

#define PAGES 200u
#define FIRST 0x400000ull
#define STEPS 200000

static uint8_t model[2][PAGES]; /* of code: 0 = none, 1 = there, 2 = writable, too; of shared memory: 0 or 1 */
static uint64_t random_state = 1;

static uint32_t below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % n);
}

static uint64_t address(uint32_t page) { return FIRST + page * QN_PAGE; }

static bool any(const uint8_t *pages, uint32_t from, uint32_t to)
{
    for (; from < to; from++)
        if (pages[from])
            return true;
    return false;
}

static void change(uint32_t from, uint32_t to)
{
    switch (below(5)) {
    case 0: qn_exec_remove(address(from), address(to)), memset(&model[0][from], 0, to - from); break;
    case 1: qn_shared_set(address(from), address(to), true), memset(&model[1][from], 1, to - from); break;
    case 2: qn_shared_set(address(from), address(to), false), memset(&model[1][from], 0, to - from); break;
    case 3: qn_exec_add(address(from), address(to), true), memset(&model[0][from], 2, to - from); break;
    default: qn_exec_add(address(from), address(to), false), memset(&model[0][from], 1, to - from);
    }
}

static bool byte_is_right(uint32_t page, uint64_t most)
{
    uint64_t pc = address(page) + below(QN_PAGE), there = 0, end;
    const struct qn_tree_node *r = qn_exec_find(pc);

    for (uint32_t p = page; p < PAGES && model[0][p]; p++)
        there = address(p + 1) - pc;
    end = qn_shared_end(pc);
    return (r != NULL) == (model[0][page] != 0) && (!r || (r->start <= pc && pc < r->end && r->flag == (model[0][page] == 2))) &&
           qn_exec_avail(pc, most) == (there < most ? there : most) &&
           (model[1][page] ? end > pc && model[1][(end - 1 - FIRST) / QN_PAGE] : !end);
}

int main(void)
{
    long step;

    for (step = 0; step < STEPS; step++) {
        uint32_t from = below(PAGES), to = from + below(below(4) ? 8 : PAGES - from + 1), page = below(PAGES);

        to = to > PAGES ? PAGES : to;
        change(from, to);
        from = below(PAGES);
        if (!byte_is_right(page, 1 + below(20 * QN_PAGE)) ||
            qn_exec_overlaps(address(from), address(from + 1)) != any(model[0], from, from + 1) ||
            qn_exec_overlaps(address(page), address(PAGES)) != any(model[0], page, PAGES) ||
            qn_shared_overlaps(address(page), address(PAGES)) != any(model[1], page, PAGES))
            break;
    }
    is_int(step, STEPS, "each step left the ranges as the model has them");
    ok(qn_exec_all_writable(), "from now on all code may be written to by others");
    ok(!qn_exec_all_writable() && qn_exec_are_all_writable(), "which is known then");
    qn_exec_add(address(0), address(1), false);
    ok(qn_exec_find(address(0))->flag, "and holds for code that comes later");
    qn_exec_remove(0, ~0ull);
    ok(!qn_exec_overlaps(0, ~0ull) && !qn_exec_find(address(0)), "all can be removed at once");
    return done_testing();
}
