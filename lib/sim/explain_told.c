/* lib/sim/explain_told.c - --explain with the default D1.  Emitted code writes a time stamp and the last user of each line
 * (contract.h, struct qn_sim_users), so hits of other source lines cost no call.
 *
 *   site 4711 misses 0x601040 in a set that is full       -> qn_explain_line: 0x601040 was filled; victim 0x605040, last used by
 *                                                            reference 17, site 12
 *   the victim                                            -> its record: used by 17 of site 12, evicted by 20 of site 4711
 *   an access that is explained                           -> `touched`, from the record of its line or from the D1
 *
 * The class of a miss comes from analysis/recency.h.  Misses of other source lines have no class, so emitted code writes them down (struct
 * qn_sim_passed), and they are processed many at a time, before the next reference that calls C.
 */
#include "sim/explain.h"

enum { USED = 1, OUT }; /* words after the time of an evicted line: its last user, and its evictor; 0 = none */
#define RECENCY_WORDS 4u /* none lies in two lines of the processor's cache */
#include "sim/analysis/recency_later.h"
#include "sim/service.h"

#define NUMBER_MAX (1ull << 63) /* of the word: half of its range */
#define REFERENCE_MAX 4096u     /* bytes: no reference is larger; as Cachegrind counts, none is larger than a line */

_Static_assert(QN_PASSED <= RECENCY_MORE, "the list of evicted lines has room for all");

struct qn_sim_passed *qn_sim_passed;

static struct recency recency;

static struct qn_explain_state *const x = &qn_explain_state;
static bool explained;         /* the current reference is of a source line that is explained */
static uint64_t me;

/* The lines of one reference must lie in different sets, so that none of them evicts another.  --watch observes each reference. */
bool qn_explain_can_be_told(const struct qn_config *c)
{
    uint32_t all_sets = c->D1.size / c->D1.assoc; /* bytes of a line in each */

    return x->shows.set && !x->watch_count && all_sets >= (c->counting == QN_COUNTING_CACHEGRIND ? 2 * c->D1.line : REFERENCE_MAX);
}

void qn_explain_begin_told(const struct qn_config *c)
{
    const struct sim_config d1 = {.size = c->D1.size, .line = c->D1.line, .line_bits = qn_log2(c->D1.line)};

    recency_init(&recency, &d1);
    qn_sim_passed = qn_engine_alloc_low(QN_PASSED * sizeof *qn_sim_passed);
    qn_sim_users.next = (uintptr_t)qn_sim_passed;
}

static inline struct qn_note_use use_of(uint64_t word)
{
    return (struct qn_note_use){.number = word >> QN_USER_SITE_BITS, .site = word ? (uint32_t)word & (QN_USER_ONE - 1) : 0};
}

/* The number of the current reference is known. */
QN_SIM_NCSR void qn_explain_numbered(uint64_t user)
{
    if (QN_UNLIKELY(user >= NUMBER_MAX))
        qn_engine_module_failed("--explain: the run makes more data references than can be numbered");
    me = user;
}

static inline void note_victim(uint64_t user, uint64_t evictor)
{
    recency.at_victim[USED] = user;
    recency.at_victim[OUT] = evictor;
}

static inline void check_room(void)
{
    if (QN_UNLIKELY(recency.groups > QN_EXPLAIN_GROUPS_MAX))
        qn_engine_module_failed("--explain: the program uses more memory than the records of lines have room for");
}

QN_SIM_NCSR void qn_sim_passed_tell(void)
{
    const struct qn_sim_passed *end = (const struct qn_sim_passed *)(uintptr_t)qn_sim_users.next;

    for (const struct qn_sim_passed *p = qn_sim_passed; p < end; p++) {
        uint64_t used = recency_exchange(&recency, &(struct sim_line){.line = p->line, .victim = p->victim, .victim_used = p->victim_used});

        if (used <= recency.hopeless)
            recency_missed(&recency);
        if (p->victim_used)
            note_victim(p->user, p->me);
    }
    qn_sim_users.next = (uintptr_t)qn_sim_passed;
    recency_told(&recency);
    check_room();
}

QN_SIM_NCSR uint64_t qn_explain_next(uint32_t site)
{
    if (qn_sim_users.next != (uintptr_t)qn_sim_passed)
        qn_sim_passed_tell();
    qn_explain_numbered((qn_sim_users.now += QN_USER_ONE) + site);
    return me;
}

static inline uint8_t class_of(uint64_t distance)
{
    return distance == RECENCY_FIRST ? QN_MISS_COMPULSORY : distance >= x->capacity ? QN_MISS_CAPACITY : QN_MISS_CONFLICT;
}

static void touch(const struct sim_line *l, uint64_t user)
{
    struct qn_explain_touched *t = &x->touched[(l->line - x->touched[0].line) / x->line_bytes];
    uint8_t class = class_of(recency_line(&recency, l));
    const uint64_t *line = recency.at_line;

    t->class = class;
    t->hit = l->used;
    t->used = use_of(l->used ? user : line[USED]);
    t->out = use_of(line[OUT]);
    if (l->victim_used) {
        t->victim = l->victim;
        t->victim_used = use_of(user);
    }
}

QN_SIM_NCSR void qn_explain_line(const struct sim_line *l, uint64_t user)
{
    if (QN_UNLIKELY(explained))
        touch(l, user);
    else
        recency_pass(&recency, l);
    if (l->victim_used)
        note_victim(user, me);
    check_room();
}

/* Begins an access as a hit; qn_explain_line may change that. */
static inline void begin(uint64_t line, bool shown)
{
    struct qn_explain_touched *t = &x->touched[x->ntouched++];

    t->line = line;
    t->class = QN_MISS_CONFLICT;
    t->hit = true;
    t->used = t->out = t->victim_used = (struct qn_note_use){.number = 0};
    t->victim = QN_NOTE_NONE;
    t->ways = shown ? x->shows.set(line, t->before) : 0;
}

QN_SIM_NCSR void qn_explain_before_told(const struct qn_explained *e)
{
    uint64_t line = e->addr & ~(uint64_t)(x->line_bytes - 1), last = (e->addr + e->size - 1) & ~(uint64_t)(x->line_bytes - 1);
    bool shown = qn_explain_wants_note(e->which);

    explained = true;
    x->ntouched = 0;
    for (; x->ntouched < QN_EXPLAIN_LINES_MAX; line += x->line_bytes) {
        begin(line, shown);
        if (line == last)
            return;
    }
}

QN_SIM_NCSR void qn_explain_after_told(const struct qn_explained *e, uint64_t user)
{
    uint64_t number = qn_sim_users.now >> QN_USER_SITE_BITS;

    explained = false;
    x->output->references = number;
    if (!(e->outcome & 1) && x->ntouched == 1) {
        x->touched[0].used = use_of(user);
        x->touched[0].out = use_of(recency_of(&recency, x->touched[0].line)[OUT]);
    }
    qn_explain_tell(e, number);
}
