/* lib/sim/explain.c - run --explain: counts the accesses of the source lines that are explained.  The first accesses, and later a
 * sample, get a note in the arena, from which the collector makes sentences (cost/notes/explain.c).
 *
 *   a miss on 0x601040; it was evicted by site 4711; its set held ...      -> counts: a miss, a conflict; evictor 4711
 *                                                                             -> a note, if it is one of the first
 *
 * The history of the lines of an access, in `touched`, comes from one of two:
 *
 *   every data reference of the run is observed (qn_sim_sees): works with any module in slot D1, and for --watch
 *   the default D1 reports fills, victims and the last user of each line, so that hits of other source lines cost no call
 *
 * If the access never happens, because of a fault, all this is taken back (sim_undoable); only the names of evictors and what is known of lines stay.
 */
#include "sim/explain.h"

#include "sim/module.h"
#include "sim/service.h"

#define QN_EXPLAIN_WAYS_MAX 1024u  /* victims are found in sets of at most so many ways */
#define QN_EXPLAIN_LINES_MAX 256u  /* lines of one access: more than the largest access has */
#define QN_EXPLAIN_RECORDS_MAX (1u << 23) /* different lines: 512 MiB of lines of 64 bytes */
#define QN_EXPLAIN_GROUPS_MAX (1u << 19)  /* groups of 64 adjacent lines: 2 GiB of guest memory, 1 GiB of records */

/* A line of an access. */
struct touched {
    uint64_t line;                         /* address of its first byte */
    uint64_t before[QN_EXPLAIN_WAYS_MAX], state[QN_NOTE_WAYS], set_state;
    uint32_t ways;                         /* in `before` */
    uint8_t class;
    bool hit;
    struct qn_note_use used, out;          /* last use and last eviction before this access */
    uint64_t victim;                       /* QN_NOTE_NONE: there is none */
    struct qn_note_use victim_used;
};

static struct {
    struct qn_explain_output *output;
    struct qn_explain_shows shows;
    uint64_t watch_count;
    bool watch_now;          /* --watch begins at the next reference, unless it has begun */
    uint32_t line_bytes, capacity;         /* bytes; lines of the D1 */
    struct touched touched[QN_EXPLAIN_LINES_MAX];
    unsigned ntouched;
} explain;

static struct qn_note *notes;
static uint64_t first_notes, every_note, watch_from;

static void copy_name(char to[QN_STATE_NAME], const char *name)
{
    for (unsigned i = 0; name && name[i] && i < QN_STATE_NAME - 1; i++)
        to[i] = name[i];
}

void qn_explain_init(const struct qn_config *config, struct qn_explain_output *where, const struct qn_explain_shows *what)
{
    explain.output = where;
    notes = (struct qn_note *)((uintptr_t)where + QN_NOTES_OFF);
    explain.shows = *what;
    if (what->order == QN_SHOW_NOTHING || config->D1.assoc > QN_EXPLAIN_WAYS_MAX)
        explain.shows.set = NULL;
    explain.output->order = explain.shows.set ? what->order : QN_SHOW_NOTHING;
    copy_name(explain.output->way_state, what->way_state);
    copy_name(explain.output->set_state, what->set_state);
    watch_from = config->watch_from;
    explain.watch_count = config->watch_count;
    first_notes = config->explain_first;
    every_note = config->explain_every;
    explain.line_bytes = config->D1.line;
    explain.capacity = config->D1.size / config->D1.line;
}

/* An access to several lines has the class of its worst line. */
static uint8_t worst_class(void)
{
    uint8_t class = explain.touched[0].class;

    for (unsigned i = 1; i < explain.ntouched; i++)
        class = explain.touched[i].class < class ? explain.touched[i].class : class;
    return class;
}

static void add(uint64_t *word, uint64_t n)
{
    sim_undoable(word);
    *word += n;
}

static QN_SIM_NCSR void blame(uint32_t site, uint32_t which)
{
    struct qn_explain_output *output = explain.output;
    uint32_t i = 0;

    while (i < output->evictors && (output->evictor[i].site != site || output->evictor[i].which != which))
        i++;
    if (i == output->evictors && i < QN_EVICTORS_MAX - 1) {
        output->evictor[i].site = site;
        output->evictor[i].which = which;
        output->evictors++;
    }
    add(&output->evictor[i].count, 1);
}

static QN_SIM_NCSR void note_line(struct qn_note_line *to, const struct touched *t)
{
    uint32_t shown = t->ways < QN_NOTE_WAYS ? t->ways : QN_NOTE_WAYS;

    *to = (struct qn_note_line){.line = t->line, .used = t->used, .out = t->out, .class = t->class, .ways = shown, .hit = t->hit,
                                .victim = t->victim, .victim_used = t->victim_used};
    for (uint32_t i = 0; i < shown; i++) {
        to->set[i] = t->before[i];
        to->state[i] = t->state[i];
    }
    to->set_state = t->set_state;
}

static QN_SIM_NCSR void note(const struct qn_explained *e, uint64_t number, uint64_t nth, uint8_t class)
{
    struct qn_note *n = &notes[explain.output->notes];

    if (explain.output->notes == QN_NOTES_MAX)
        return;
    *n = (struct qn_note){.number = number, .nth = nth, .addr = e->addr, .site = e->site, .size = e->size,
                          .kind = (uint8_t)e->kind, .outcome = (uint8_t)e->outcome, .class = class,
                          .which = (uint8_t)(e->which - 1), .lines = explain.ntouched}; /* --watch: of no line that is explained: 255 */
    for (unsigned i = 0; i < explain.ntouched && i < QN_NOTE_LINES; i++)
        note_line(&n->line[i], &explain.touched[i]);
    add(&explain.output->notes, 1);
}

static bool is_noted(uint64_t nth)
{
    return !explain.watch_count && (nth <= first_notes || (every_note && (nth - first_notes) % every_note == 0));
}

static QN_SIM_NCSR void tell(const struct qn_explained *e, uint64_t number)
{
    uint32_t which = e->which - 1;
    uint64_t nth = explain.output->tally[which].accesses + 1;
    uint8_t class = worst_class();

    add(&explain.output->tally[which].accesses, 1);
    if (e->outcome & 1) {
        add(&explain.output->tally[which].misses, 1);
        add(&explain.output->tally[which].ll_misses, e->outcome >> 1);
        add(&explain.output->tally[which].classes[class], 1);
        for (unsigned i = 0; i < explain.ntouched; i++)
            if (explain.touched[i].out.number && !explain.touched[i].hit && explain.shows.set)
                blame(explain.touched[i].out.site, which);
    }
    if (is_noted(nth))
        note(e, number, nth, class);
}

/* --watch: notes every reference of a part of the run.  Unless a start is given, it begins at the first access that is explained. */
static QN_SIM_NCSR void note_watched(const struct qn_explained *e, uint64_t number)
{
    if (!watch_from && (e->which || explain.watch_now))
        watch_from = number;
    if (watch_from && number >= watch_from && number - watch_from < explain.watch_count)
        note(e, number, e->which, worst_class());
}

void qn_explain_watch_now(void) { explain.watch_now = true; }

/* ---- by observing every data reference ----
 *
 *   before an access   the lines in its set of the D1; the last use and the last eviction of each line of the access
 *   after it           the lines in the set again: the one that is gone is the victim
 *
 * A miss is compulsory if its line is referenced for the first time, a conflict if a fully associative LRU cache of the same size
 * would hit, else a capacity miss (as in analysis/3c.c; Hill, Smith 1989).  That cache is a list of the records of lines, the line
 * used last first.  Each line of memory has one record, which is never freed. */

#define BUCKETS (1u << 20)

struct record {
    uint64_t line;                    /* address of its first byte */
    struct qn_note_use used, out;
    uint32_t next;                    /* in the bucket; this and the next two: number + 1, 0 = none */
    uint32_t newer, older;            /* in the list */
    uint8_t listed, fresh;
};

static struct record *records;
static uint32_t *buckets, nrecords;
static uint32_t newest, oldest, listed;
static uint64_t number;

static struct record *record_of[QN_EXPLAIN_LINES_MAX]; /* of the lines of this access */

void qn_explain_begin_seen(void)
{
    records = qn_engine_alloc((uint64_t)QN_EXPLAIN_RECORDS_MAX * sizeof *records);
    buckets = qn_engine_alloc(BUCKETS * sizeof *buckets);
}

/* ---- records ---- */

static QN_SIM_NCSR struct record *new_record(uint64_t line, uint32_t *bucket)
{
    if (nrecords == QN_EXPLAIN_RECORDS_MAX)
        qn_engine_module_failed("--explain: the program uses more memory than the records of lines have room for");
    records[nrecords] = (struct record){.line = line, .next = *bucket, .fresh = 1};
    *bucket = ++nrecords;
    return &records[nrecords - 1];
}

static inline struct record *find(uint64_t line)
{
    uint32_t *bucket = &buckets[(line * 0x9e3779b97f4a7c15ull >> 40) % BUCKETS];

    for (uint32_t i = *bucket; i; i = records[i - 1].next)
        if (records[i - 1].line == line)
            return &records[i - 1];
    return new_record(line, bucket);
}

/* ---- the fully associative cache ---- */

static inline void unlist(struct record *r)
{
    *(r->newer ? &records[r->newer - 1].older : &newest) = r->older;
    *(r->older ? &records[r->older - 1].newer : &oldest) = r->newer;
    r->listed = 0;
    listed--;
}

static inline void list_first(struct record *r)
{
    uint32_t me = (uint32_t)(r - records) + 1;

    r->newer = 0;
    r->older = newest;
    *(newest ? &records[newest - 1].newer : &oldest) = me;
    newest = me;
    r->listed = 1;
    listed++;
}

static inline void use(struct record *r)
{
    if (r->listed)
        unlist(r);
    list_first(r);
    if (listed > explain.capacity)
        unlist(&records[oldest - 1]);
    r->fresh = 0;
}

static inline uint8_t classify(const struct record *r)
{
    return r->fresh ? QN_MISS_COMPULSORY : r->listed ? QN_MISS_CONFLICT : QN_MISS_CAPACITY;
}

/* ---- before and after ---- */

static inline void look(uint64_t line)
{
    struct record *r = find(line);
    struct touched *t = &explain.touched[explain.ntouched];

    record_of[explain.ntouched++] = r;
    t->line = line;
    t->class = classify(r);
    t->used = r->used;
    t->out = r->out;
    t->victim = QN_NOTE_NONE;
    t->victim_used = (struct qn_note_use){.number = 0};
    t->ways = explain.shows.set ? explain.shows.set(line, t->before) : 0;
    if (explain.watch_count && explain.shows.state)
        explain.shows.state(line, t->state, QN_NOTE_WAYS, &t->set_state);
    use(r);
}

QN_SIM_NCSR void qn_explain_before(const struct qn_explained *e)
{
    uint64_t line = e->addr & ~(uint64_t)(explain.line_bytes - 1), last = (e->addr + e->size - 1) & ~(uint64_t)(explain.line_bytes - 1);

    sim_undoable(&number);
    number++;
    explain.ntouched = 0;
    for (; explain.ntouched < QN_EXPLAIN_LINES_MAX; line += explain.line_bytes) {
        look(line);
        if (line == last)
            return;
    }
}

static bool has(const uint64_t *lines, uint32_t n, uint64_t line)
{
    for (uint32_t i = 0; i < n; i++)
        if (lines[i] == line)
            return true;
    return false;
}

/* The line that the set had before the access and has no longer. */
static QN_SIM_NCSR void find_victim(struct touched *t, uint32_t site)
{
    static uint64_t after[QN_EXPLAIN_WAYS_MAX];
    uint32_t n = t->ways ? explain.shows.set(t->line, after) : 0;

    for (uint32_t i = 0; i < t->ways; i++) {
        struct record *victim;

        if (t->before[i] == QN_NOTE_NONE || has(after, n, t->before[i]))
            continue;
        victim = find(t->before[i]);
        t->victim = victim->line;
        t->victim_used = victim->used;
        victim->out = (struct qn_note_use){.number = number, .site = site};
    }
}

QN_SIM_NCSR void qn_explain_after(const struct qn_explained *e)
{
    explain.output->references = number;
    for (unsigned i = 0; i < explain.ntouched; i++) {
        struct touched *t = &explain.touched[i];

        if (e->which || explain.watch_count)
            t->hit = t->ways ? has(t->before, t->ways, t->line) : !(e->outcome & 1);
        if (e->outcome & 1)
            find_victim(t, e->site);
    }
    if (e->which)
        tell(e, number);
    if (explain.watch_count)
        note_watched(e, number);
    for (unsigned i = 0; i < explain.ntouched; i++)
        record_of[i]->used = (struct qn_note_use){.number = number, .site = e->site};
}

#ifndef QN_SIM_HOSTED

/* ---- with the default D1 ----
 *
 * Emitted code writes a time stamp and the last user of each line (contract.h, struct qn_sim_users).
 *
 *   site 4711 misses 0x601040 in a set that is full       -> qn_explain_line: 0x601040 was filled; victim 0x605040, last used by
 *                                                            reference 17, site 12
 *   the victim                                            -> its record: used by 17 of site 12, evicted by 20 of site 4711
 *   an access that is explained                           -> `touched`, from the record of its line or from the D1
 *
 * The class of a miss comes from recency.h.  Misses of other source lines have no class, so emitted code writes them down (struct
 * qn_sim_passed), and they are processed many at a time, before the next reference that calls C. */

enum { USED = 1, OUT }; /* words after the time of an evicted line: its last user, and its evictor; 0 = none */
#define RECENCY_WORDS 4u /* none lies in two lines of the processor's cache */
#include "sim/recency.h"

#define NUMBER_MAX (1ull << 63) /* of the word: half of its range */
#define REFERENCE_MAX 4096u     /* bytes: no reference is larger; as Cachegrind counts, none is larger than a line */

_Static_assert(QN_PASSED <= RECENCY_MORE, "the list of evicted lines has room for all");

struct qn_sim_passed *qn_sim_passed;

static struct recency recency;

static bool explained;         /* the current reference is of a source line that is explained */
static uint64_t me;              /* the word of the current reference */

/* The lines of one reference must lie in different sets, so that none of them evicts another.  --watch observes each reference. */
bool qn_explain_can_be_told(const struct qn_config *c)
{
    uint32_t all_sets = c->D1.size / c->D1.assoc; /* bytes of a line in each */

    return explain.shows.set && !explain.watch_count && all_sets >= (c->counting == QN_COUNTING_CACHEGRIND ? 2 * c->D1.line : REFERENCE_MAX);
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
        uint64_t used = recency_exchange(&recency, &(struct qn_line_use){.line = p->line, .victim = p->victim, .victim_used = p->victim_used});

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
    return distance == RECENCY_FIRST ? QN_MISS_COMPULSORY : distance >= explain.capacity ? QN_MISS_CAPACITY : QN_MISS_CONFLICT;
}

static void touch(const struct qn_line_use *l, uint64_t user)
{
    struct touched *t = &explain.touched[(l->line - explain.touched[0].line) / explain.line_bytes];
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

QN_SIM_NCSR void qn_explain_line(const struct qn_line_use *l, uint64_t user)
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
    struct touched *t = &explain.touched[explain.ntouched++];

    t->line = line;
    t->class = QN_MISS_CONFLICT;
    t->hit = true;
    t->used = t->out = t->victim_used = (struct qn_note_use){.number = 0};
    t->victim = QN_NOTE_NONE;
    t->ways = shown ? explain.shows.set(line, t->before) : 0;
}

QN_SIM_NCSR void qn_explain_before_told(const struct qn_explained *e)
{
    uint64_t line = e->addr & ~(uint64_t)(explain.line_bytes - 1), last = (e->addr + e->size - 1) & ~(uint64_t)(explain.line_bytes - 1);
    bool shown = is_noted(explain.output->tally[e->which - 1].accesses + 1);

    explained = true;
    explain.ntouched = 0;
    for (; explain.ntouched < QN_EXPLAIN_LINES_MAX; line += explain.line_bytes) {
        begin(line, shown);
        if (line == last)
            return;
    }
}

QN_SIM_NCSR void qn_explain_after_told(const struct qn_explained *e, uint64_t user)
{
    uint64_t number = qn_sim_users.now >> QN_USER_SITE_BITS;

    explained = false;
    explain.output->references = number;
    if (!(e->outcome & 1) && explain.ntouched == 1) {
        explain.touched[0].used = use_of(user);
        explain.touched[0].out = use_of(recency_of(&recency, explain.touched[0].line)[OUT]);
    }
    tell(e, number);
}
#endif
