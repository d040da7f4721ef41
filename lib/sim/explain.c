/* lib/sim/explain.c - run --explain: counts the accesses of the source lines that are explained.  The first accesses, and later a
 * sample, get a note in the arena, from which the collector makes sentences (cost/notes/explain.c).
 *
 *   a miss on 0x601040; it was evicted by site 4711; its set held ...      -> counts: a miss, a conflict; evictor 4711
 *                                                                             -> a note, if it is one of the first
 *
 * The history of the lines of an access, in `touched`, comes from one of two:
 *
 *   every data reference of the run is observed (qn_sim_sees): works with any module in slot D1, and for --watch
 *   the stream of records (contract.h), from the default D1, so that hits of other source lines cost no call
 *
 * If the access never happens, because of a fault, all this is taken back (sim_undoable); only the names of evictors and what is known of lines stay.
 */
#include "sim/explain.h"

#include "sim/analysis/by_line.h"
#include "sim/module.h"
#include "sim/service.h"
#include "sim/stream.h"

#define QN_EXPLAIN_WAYS_MAX 1024u  /* victims are found in sets of at most so many ways */
#define QN_EXPLAIN_LINES_MAX 256u  /* lines of one access: more than the largest access has */
#define QN_EXPLAIN_RECORDS_MAX (1u << 25) /* different lines: 2 GiB of lines of 64 bytes */

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
    bool cores;              /* a reference may change the D1 that is shown though it hits, or is made on another core */
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
    explain.cores = config->cores > 0;
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
                          .which = (uint8_t)(e->which - 1), .lines = explain.ntouched, .thread = sim_thread, .core = qn_sim_core}; /* --watch: of no line that is explained: 255 */
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

/* ---- what is known of each line of memory ----
 *
 * A miss is compulsory if its line is referenced for the first time, a conflict if a fully associative LRU cache of the same size
 * would hit, else a capacity miss (as in analysis/3c.c; Hill, Smith 1989).  A line's record is never freed. */

#define RECORDS_TOGETHER 4096u /* are allocated at a time */
#define NUMBER_MAX (1ull << 63) /* of a word: half of its range */

struct line_record {
    uint64_t line;                      /* address of its first byte */
    uint64_t used, out;                 /* words (struct qn_sim_users) of its last use and of its last eviction; 0 = none */
    struct line_record *newer, *older;  /* in the list */
    bool listed, was_used;
};

static struct line_record *records[QN_EXPLAIN_RECORDS_MAX / RECORDS_TOGETHER];
static struct by_line number_of; /* of a line: that of its record + 1 */
static uint32_t nrecords;

static QN_SIM_NCSR struct line_record *new_record(uint64_t line)
{
    struct line_record **chunk = &records[nrecords / RECORDS_TOGETHER], *r;

    if (nrecords == QN_EXPLAIN_RECORDS_MAX)
        qn_engine_module_failed("--explain: the program uses more memory than the records of lines have room for");
    if (!*chunk)
        *chunk = qn_engine_alloc(RECORDS_TOGETHER * sizeof **chunk);
    r = *chunk + nrecords++ % RECORDS_TOGETHER;
    r->line = line;
    return r;
}

static inline struct line_record *find(uint64_t line)
{
    uint32_t *number = by_line(&number_of, line);

    if (QN_LIKELY(*number))
        return &records[(*number - 1) / RECORDS_TOGETHER][(*number - 1) % RECORDS_TOGETHER];
    *number = nrecords + 1;
    return new_record(line);
}

static inline struct qn_note_use use_of(uint64_t word)
{
    return (struct qn_note_use){.number = word >> QN_USER_SITE_BITS, .site = word ? (uint32_t)word & (QN_USER_ONE - 1) : 0};
}

static inline uint64_t check_word(uint64_t word)
{
    if (QN_UNLIKELY(word >= NUMBER_MAX))
        qn_engine_module_failed("--explain: the run makes more data references than can be numbered");
    return word;
}

/* ---- by observing every data reference ----
 *
 *   before an access   the lines in its set of the D1; the last use and the last eviction of each line of the access
 *   after it           the lines in the set again: the one that is gone is the victim
 *
 * The fully associative cache is a list of lines, the one used last first. */

static uint64_t number;
static struct line_record *newest, *oldest;
static uint32_t listed;

static struct line_record *record_of[QN_EXPLAIN_LINES_MAX]; /* of the lines of this access */

void qn_explain_begin_seen(void) { by_line_init(&number_of, qn_log2(explain.line_bytes)); }

static inline void unlist(struct line_record *r)
{
    *(r->newer ? &r->newer->older : &newest) = r->older;
    *(r->older ? &r->older->newer : &oldest) = r->newer;
    r->listed = false;
    listed--;
}

static inline void list_first(struct line_record *r)
{
    r->newer = NULL;
    r->older = newest;
    *(newest ? &newest->newer : &oldest) = r;
    newest = r;
    r->listed = true;
    listed++;
}

static inline void use(struct line_record *r)
{
    if (r->listed)
        unlist(r);
    list_first(r);
    if (listed > explain.capacity)
        unlist(oldest);
    r->was_used = true;
}

static inline uint8_t classify(const struct line_record *r)
{
    return !r->was_used ? QN_MISS_COMPULSORY : r->listed ? QN_MISS_CONFLICT : QN_MISS_CAPACITY;
}

static inline void look(uint64_t line)
{
    struct line_record *r = find(line);
    struct touched *t = &explain.touched[explain.ntouched];

    record_of[explain.ntouched++] = r;
    t->line = line;
    t->class = classify(r);
    t->used = use_of(r->used);
    t->out = use_of(r->out);
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
        struct line_record *victim;

        if (t->before[i] == QN_NOTE_NONE || has(after, n, t->before[i]))
            continue;
        victim = find(t->before[i]);
        t->victim = victim->line;
        t->victim_used = use_of(victim->used);
        victim->out = number << QN_USER_SITE_BITS | site;
    }
}

QN_SIM_NCSR void qn_explain_after(const struct qn_explained *e)
{
    explain.output->references = number;
    for (unsigned i = 0; i < explain.ntouched; i++) {
        struct touched *t = &explain.touched[i];

        if (e->which || explain.watch_count)
            t->hit = t->ways ? has(t->before, t->ways, t->line) : !(e->outcome & 1);
        if (e->outcome & 1 || explain.cores)
            find_victim(t, e->site);
    }
    if (e->which)
        tell(e, number);
    if (explain.watch_count)
        note_watched(e, number);
    for (unsigned i = 0; i < explain.ntouched; i++)
        record_of[i]->used = check_word(number << QN_USER_SITE_BITS | e->site);
}

#ifndef QN_SIM_HOSTED

/* ---- by the stream ----
 *
 * Emitted code numbers the references, and keeps the last user of each line of the D1 (contract.h, struct qn_sim_users).
 *
 *   site 4711 misses 0x601040 in a set that is full   -> a record: 0x601040 was filled; victim 0x605040, last used by reference 17, site 12
 *   the victim                                        -> its line_record: used by 17 of site 12, evicted by 20 of site 4711
 *   an access that is explained                       -> `touched`, from what is known of its lines, and the D1
 *
 * Records are read before each line that is explained, also those of executions that have not ended: what a fault takes back was used.
 *
 * Words have the order of the uses, and lines of one reference are used in the order of their addresses.  (A reference that a fault has taken back
 * shares its number with the next: of their two lines, that of the higher site counts as used later.)  So a line is held by the fully
 * associative cache if fewer lines than it has room for have later words, in the D1 or evicted.  Evicted lines that it may still hold are in the
 * list `evicted`.  When that is full, the word of the last line that it holds is looked for; earlier ones leave the list.
 *
 * Counting the lines is rarely needed.  Each miss of the fully associative cache evicts its oldest line, so if the words of its lines have been
 * sorted, they say what it has evicted after so many misses; hits only raise these bounds.  And while n lines more had room, it holds all lines
 * for n uses. */

#define REFERENCE_MAX 4096u     /* bytes: no reference is larger; as Cachegrind counts, none is larger than a line */
#define EVICTED_ROOM 2u         /* times the lines of the D1 */
#define UNFORESEEN 4u           /* after so many misses of the fully associative cache that were not foreseen, its words are sorted */
#define SURE 4u                 /* bounds that are kept */

static struct {
    const struct qn_filter_entry *line, *user; /* of the D1: n entries; user: `line` is the word */
    uint32_t n;
} d1;

static struct evicted {
    const struct line_record *of; /* as long as that has this word: else it has come back */
    uint64_t used;
} *evicted;
static uint32_t nevicted;
static uint64_t *words;           /* room for those of the D1 and of `evicted` */
static uint64_t first_held;       /* no line that was used before this word is held */
static uint32_t sorted, unforeseen; /* the first words are those of the lines that are held, the latest first, but for misses since then: so many are left */
static struct {
    uint64_t from, until;         /* lines used at this word or later are held, until so many uses of the run (uses_now) */
} sure[SURE];
static uint32_t next_sure;

static bool explained;         /* the current reference is of a source line that is explained */

/* The lines of one reference must lie in different sets, so that none of them evicts another.  --watch observes each reference. */
bool qn_explain_can_read(const struct qn_config *c)
{
    uint32_t all_sets = c->D1.size / c->D1.assoc; /* bytes of a line in each */

    return c->D1.assoc <= QN_EXPLAIN_WAYS_MAX && !c->watch_count &&
           all_sets >= (c->counting == QN_COUNTING_CACHEGRIND ? 2 * c->D1.line : REFERENCE_MAX);
}

/* ---- evicted lines ---- */

static inline bool is_away(const struct evicted *e) { return e->of->used == e->used; }

/* The n-th of the words, from 0, if they were sorted, the largest first.  C. A. R. Hoare, Algorithm 65: FIND, 1961. */
static uint64_t find_word(uint32_t all, uint32_t n)
{
    int64_t low = 0, high = (int64_t)all - 1;

    while (low < high) {
        uint64_t middle = words[(low + high) / 2];
        int64_t i = low, j = high;

        while (i <= j) {
            while (words[i] > middle)
                i++;
            while (words[j] < middle)
                j--;
            if (i <= j) {
                uint64_t word = words[i];

                words[i++] = words[j];
                words[j--] = word;
            }
        }
        low = n >= i ? i : low;
        high = n <= j ? j : high;
        if (n > j && n < i)
            break;
    }
    return words[n];
}

/* The largest first.  D. L. Shell, A high-speed sorting procedure, Communications of the ACM 2(7), 1959. */
static void sort_words(uint32_t n)
{
    for (uint32_t gap = n / 2; gap; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (uint32_t i = gap; i < n; i++) {
            uint64_t word = words[i];
            uint32_t k = i;

            for (; k >= gap && words[k - gap] < word; k -= gap)
                words[k] = words[k - gap];
            words[k] = word;
        }
}

static __attribute__((noinline)) void drop_evicted(void)
{
    uint32_t all = 0, kept = 0;

    for (uint32_t i = 0; i < d1.n; i++)
        words[all++] = d1.user[i].line;
    for (uint32_t i = 0; i < nevicted; i++)
        if (is_away(&evicted[i]))
            words[all++] = evicted[i].used;
    first_held = find_word(all, explain.capacity - 1);
    sorted = unforeseen >= UNFORESEEN ? explain.capacity : 0;
    sort_words(sorted);
    unforeseen = 0;
    for (uint32_t i = 0; i < nevicted; i++)
        if (is_away(&evicted[i]) && evicted[i].used >= first_held)
            evicted[kept++] = evicted[i];
    nevicted = kept;
}

/* The fully associative cache has missed. */
static inline void evict_oldest(void)
{
    if (sorted > 1)
        first_held = words[--sorted - 1];
}

static void read_records(const struct sim_record *r, uint32_t n)
{
    for (const struct sim_record *end = r + n; r < end; r++) {
        struct line_record *l, *victim;

        if (!(r->what & SIM_FILLED))
            continue;
        l = find(r->line);
        if (l->used < first_held) /* or it was never used */
            evict_oldest();
        l->used = 0; /* it is in the D1 */
        l->was_used = true;
        if (r->victim == SIM_NO_LINE)
            continue;
        victim = find(r->victim);
        victim->used = r->last_user;
        victim->out = check_word(r->user);
        evicted[nevicted++] = (struct evicted){victim, r->last_user};
    }
    if (QN_UNLIKELY(nevicted >= EVICTED_ROOM * explain.capacity || unforeseen >= UNFORESEEN) && !explained) /* else the D1 may be ahead of the records */
        drop_evicted();
}

void qn_explain_begin_read(const struct qn_filter_entry *lines, const struct qn_filter_entry *users, uint32_t n)
{
    uint64_t room = EVICTED_ROOM * explain.capacity + 2 * QN_RECORDS_ROOM;

    by_line_init(&number_of, qn_log2(explain.line_bytes));
    d1.line = lines;
    d1.user = users;
    d1.n = n;
    evicted = qn_engine_alloc(room * sizeof *evicted);
    words = qn_engine_alloc((n + room) * sizeof *words);
    qn_stream_read_first(read_records);
}

QN_SIM_NCSR uint64_t qn_explain_next(uint32_t site) { return check_word((qn_sim_users.now += QN_USER_ONE) + site); }

/* ---- the class ---- */

static inline bool is_later(uint64_t word, uint64_t line, uint64_t used, uint64_t than) { return word > used || (word == used && line > than); }

/* Lines used later than this one was before this use; the D1 has this use already, and lost the victim. */
static uint32_t count_later(const struct qn_line_use *l, uint64_t used, uint64_t victim_used)
{
    uint32_t later = l->victim_used && is_later(victim_used, l->victim, used, l->line), equal = 0;

    for (uint32_t i = 0; i < d1.n; i++) {
        later += d1.user[i].line > used;
        equal += d1.user[i].line == used;
    }
    later--; /* itself */
    for (uint32_t i = 0; i < d1.n && equal; i++)
        later += d1.user[i].line == used && (d1.line[i].line & ~(1ull << QN_FAR_BIT)) > l->line;
    for (uint32_t i = 0; i < nevicted; i++)
        later += is_later(evicted[i].used, evicted[i].of->line, used, l->line) && is_away(&evicted[i]);
    return later;
}

/* Uses of lines so far, or more. */
static inline uint64_t uses_now(void) { return (qn_sim_users.now >> QN_USER_SITE_BITS) + qn_sim_users.extra; }

static bool is_sure(uint64_t used)
{
    for (uint32_t i = 0; i < SURE; i++)
        if (used >= sure[i].from && uses_now() <= sure[i].until)
            return true;
    return false;
}

static uint8_t class_of(const struct qn_line_use *l, const struct line_record *r, uint64_t used)
{
    uint32_t later;

    if (!r->was_used)
        return QN_MISS_COMPULSORY;
    if (used < first_held)
        return QN_MISS_CAPACITY;
    if (is_sure(used))
        return QN_MISS_CONFLICT;
    later = count_later(l, used, qn_sim_users.was);
    if (later >= explain.capacity) {
        unforeseen++;
        return QN_MISS_CAPACITY;
    }
    sure[next_sure].from = used + 1; /* lines of the same reference may have been used before this one */
    sure[next_sure].until = uses_now() + explain.capacity - 1 - later;
    next_sure = (next_sure + 1) % SURE;
    return QN_MISS_CONFLICT;
}

/* ---- an access ---- */

QN_SIM_NCSR void qn_explain_line(const struct qn_line_use *l)
{
    const struct line_record *r;
    struct touched *t;

    if (QN_LIKELY(!explained))
        return;
    qn_stream_catch_up();
    r = find(l->line);
    t = &explain.touched[(l->line - explain.touched[0].line) / explain.line_bytes];
    t->hit = l->used;
    t->used = use_of(l->used ? qn_sim_users.was : r->used);
    t->out = use_of(r->out);
    if (!t->hit || l->several)
        t->class = class_of(l, r, l->used ? qn_sim_users.was : r->used);
    if (!l->victim_used)
        return;
    t->victim = l->victim;
    t->victim_used = use_of(qn_sim_users.was);
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

QN_SIM_NCSR void qn_explain_before_read(const struct qn_explained *e)
{
    uint64_t line = e->addr & ~(uint64_t)(explain.line_bytes - 1), last = (e->addr + e->size - 1) & ~(uint64_t)(explain.line_bytes - 1);
    bool shown = is_noted(explain.output->tally[e->which - 1].accesses + 1);

    qn_stream_catch_up();
    explained = true;
    explain.ntouched = 0;
    for (; explain.ntouched < QN_EXPLAIN_LINES_MAX; line += explain.line_bytes) {
        begin(line, shown);
        if (line == last)
            return;
    }
}

QN_SIM_NCSR void qn_explain_after_read(const struct qn_explained *e)
{
    uint64_t number = qn_sim_users.now >> QN_USER_SITE_BITS;

    explained = false;
    explain.output->references = number;
    if (!(e->outcome & 1) && explain.ntouched == 1) {
        explain.touched[0].used = use_of(qn_sim_users.was);
        explain.touched[0].out = use_of(find(explain.touched[0].line)->out);
    }
    tell(e, number);
}
#endif
