/* lib/lab/models/box.c - see models.h. */
#define _GNU_SOURCE
#include "lab/models/models.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"

#define LINE_MAX 128            /* bytes of a line of the program's */
#define HISTORY_MAX 12
#define PLACES 64               /* branches that are told apart */

static const char *const policies[] = { "lru", "fifo", "plru", "nru" };
static const enum qn_lab_policy models[] = { QN_LAB_LRU, QN_LAB_FIFO, QN_LAB_PLRU, QN_LAB_NRU };

struct qn_lab_box {
    struct qn_lab_box_shape shape, answer;
    bool answered;
    struct qn_lab_cache *cache;
    uint8_t counters[PLACES << HISTORY_MAX];
    unsigned history;
    unsigned long questions;
    char line[LINE_MAX], nonsense[LINE_MAX];
    unsigned used;              /* of line */
};

/* ---- what is in it ---- */

struct qn_lab_box_shape qn_lab_draw_box(uint64_t seed)
{
    uint64_t z = qn_hash_mix(seed + 0x9e3779b97f4a7c15ull);
    unsigned ways = 2u << z % 3, sets = 4u << (z >> 8) % 6, line = 16u << (z >> 16) % 4;
    unsigned policy = (unsigned)(z >> 24) % (ways == 2 ? 2 : 4); /* of two ways plru and nru are lru */
    struct qn_lab_box_shape s = { sets * ways * line, ways, line, 2 + (unsigned)(z >> 32) % (HISTORY_MAX - 1), "" };

    snprintf(s.policy, sizeof s.policy, "%s", policies[policy]);
    return s;
}

static void reset(struct qn_lab_box *b)
{
    unsigned policy = 0;

    while (strcmp(policies[policy], b->shape.policy))
        policy++;
    if (b->cache)
        qn_lab_free_cache(b->cache);
    b->cache = qn_lab_new_cache(models[policy], b->shape.size / b->shape.ways / b->shape.line, b->shape.ways);
    memset(b->counters, 0, sizeof b->counters);
    b->history = 0;
}

struct qn_lab_box *qn_lab_new_box(const struct qn_lab_box_shape *shape)
{
    struct qn_lab_box *b = QN_NEEDED(calloc(1, sizeof *b));

    b->shape = *shape;
    reset(b);
    return b;
}

void qn_lab_free_box(struct qn_lab_box *b)
{
    qn_lab_free_cache(b->cache);
    free(b);
}

/* ---- questions ---- */

static bool reads(struct qn_lab_box *b, uint64_t addr)
{
    return qn_lab_touch_line(b->cache, addr / b->shape.line, 0).hit;
}

/* Two-bit counters, indexed by the branch and the last outcomes of all branches. */
static bool predicts(struct qn_lab_box *b, uint64_t pc, bool taken)
{
    uint8_t *counter = &b->counters[pc % PLACES << HISTORY_MAX | b->history];
    bool right = (*counter >= 2) == taken;

    if (taken)
        *counter += *counter < 3;
    else
        *counter -= *counter > 0;
    b->history = (2 * b->history + taken) % (1u << b->shape.history);
    return right;
}

static bool take_answer(struct qn_lab_box *b)
{
    struct qn_lab_box_shape *a = &b->answer;
    int used = 0;
    int fields = sscanf(b->line, "answer size=%u ways=%u line=%u policy=%15s history=%u %n", &a->size, &a->ways,
                        &a->line, a->policy, &a->history, &used);

    return b->answered = fields == 5 && !b->line[used];
}

static char reply_to(struct qn_lab_box *b)
{
    uint64_t addr;
    char taken;
    int used = 0;

    b->questions++;
    if (sscanf(b->line, "r %" SCNx64 " %n", &addr, &used) == 1 && used && !b->line[used])
        return reads(b, addr) ? 'h' : 'm';
    if (sscanf(b->line, "b %" SCNx64 " %c %n", &addr, &taken, &used) == 2 && used && !b->line[used]
        && (taken == 'T' || taken == 'N'))
        return predicts(b, addr, taken == 'T') ? 'c' : 'w';
    if (!strcmp(b->line, "reset"))
        return reset(b), '.';
    if (take_answer(b))
        return 0;
    if (!*b->nonsense)
        snprintf(b->nonsense, sizeof b->nonsense, "%s", *b->line ? b->line : "an empty line");
    return '?';
}

bool qn_lab_box_talk(void *data, const char *said, size_t size, char **reply, size_t *reply_size)
{
    struct qn_lab_box *b = data;
    char *text = *reply = QN_NEEDED((char *)malloc(2 * size + 1));

    *reply_size = 0;
    for (size_t i = 0; i < size && !b->answered && b->questions < QN_LAB_BOX_QUESTIONS_MAX; i++) {
        char answer;

        if (said[i] != '\n') {
            if (b->used + 1 < LINE_MAX && said[i])
                b->line[b->used++] = said[i];
            continue;
        }
        b->line[b->used] = 0;
        b->used = 0;
        answer = reply_to(b);
        if (answer) {
            text[(*reply_size)++] = answer;
            text[(*reply_size)++] = '\n';
        }
    }
    return !b->answered && b->questions < QN_LAB_BOX_QUESTIONS_MAX;
}

/* ---- afterwards ---- */

bool qn_lab_box_answer(const struct qn_lab_box *b, struct qn_lab_box_shape *answer)
{
    *answer = b->answer;
    return b->answered;
}

unsigned long qn_lab_box_questions(const struct qn_lab_box *b) { return b->questions; }
const char *qn_lab_box_nonsense(const struct qn_lab_box *b) { return *b->nonsense ? b->nonsense : NULL; }
