/* lib/sim/explain_seen.c - --explain by observing every data reference of the run: works with any module in slot D1, and for --watch.
 *
 *   before an access   the lines in its set of the D1; the last use and the last eviction of each line of the access
 *   after it           the lines in the set again: the one that is gone is the victim
 *
 * A miss is compulsory if its line is referenced for the first time, a conflict if a fully associative LRU cache of the same size
 * would hit, else a capacity miss (as in analysis/3c.c; Hill, Smith 1989).  That cache is a list of the records of lines, the line
 * used last first.  Each line of memory has one record, which is never freed.
 */
#include "sim/explain.h"

#include "sim/service.h"

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

static struct qn_explain_state *const x = &qn_explain_state;
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
    if (listed > x->capacity)
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
    struct qn_explain_touched *t = &x->touched[x->ntouched];

    record_of[x->ntouched++] = r;
    t->line = line;
    t->class = classify(r);
    t->used = r->used;
    t->out = r->out;
    t->victim = QN_NOTE_NONE;
    t->victim_used = (struct qn_note_use){.number = 0};
    t->ways = x->shows.set ? x->shows.set(line, t->before) : 0;
    if (x->watch_count && x->shows.state)
        x->shows.state(line, t->state, QN_NOTE_WAYS, &t->set_state);
    use(r);
}

QN_SIM_NCSR void qn_explain_before(const struct qn_explained *e)
{
    uint64_t line = e->addr & ~(uint64_t)(x->line_bytes - 1), last = (e->addr + e->size - 1) & ~(uint64_t)(x->line_bytes - 1);

    sim_undoable(&number);
    number++;
    x->ntouched = 0;
    for (; x->ntouched < QN_EXPLAIN_LINES_MAX; line += x->line_bytes) {
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
static QN_SIM_NCSR void find_victim(struct qn_explain_touched *t, uint32_t site)
{
    static uint64_t after[QN_EXPLAIN_WAYS_MAX];
    uint32_t n = t->ways ? x->shows.set(t->line, after) : 0;

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
    x->output->references = number;
    for (unsigned i = 0; i < x->ntouched; i++) {
        struct qn_explain_touched *t = &x->touched[i];

        if (e->which || x->watch_count)
            t->hit = t->ways ? has(t->before, t->ways, t->line) : !(e->outcome & 1);
        if (e->outcome & 1)
            find_victim(t, e->site);
    }
    if (e->which)
        qn_explain_tell(e, number);
    if (x->watch_count)
        qn_explain_watch(e, number);
    for (unsigned i = 0; i < x->ntouched; i++)
        record_of[i]->used = (struct qn_note_use){.number = number, .site = e->site};
}
