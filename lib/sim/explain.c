/* lib/sim/explain.c - run --explain: what becomes of the accesses of a source line, and why.
 *
 *   before   the set of the D1 as it is; when each line of the access was used last and thrown out last
 *   after    the set again: what is gone is the victim
 *
 * Every data reference of the run comes here, so that the reasons are known: a miss is compulsory if its line is
 * referenced for the first time, a conflict if a fully associative cache of the same size, least recently used, would
 * still have it, else a capacity miss (as analysis/3c.c; Hill, Smith 1989).  That cache is a list through the records of
 * lines, the one used last first; a record has one line of memory and lives for ever.
 *
 * Accesses of the lines asked for are tallied, and the first ones and then a sample leave a note in the arena, which the
 * collector turns into sentences (cost/explain.c).  What a fault takes back elsewhere stays here: the access was tried.
 */
#include "sim/explain.h"

#include "sim/service.h"

#define RECORDS_MAX (1u << 23) /* different lines: 512 MiB of lines of 64 bytes */
#define BUCKETS (1u << 20)
#define WAYS_MAX 1024u         /* of a set whose victims are known */

struct record {
    uint64_t line;                    /* address of its first byte */
    struct qn_note_use used, out;
    uint32_t next;                    /* in the bucket; this and the next two: number + 1, 0 = none */
    uint32_t newer, older;            /* in the list */
    uint8_t listed, fresh;
};

struct touched {
    struct record *r;
    uint64_t before[WAYS_MAX], state[QN_NOTE_WAYS], set_state;
    uint32_t ways;
    uint8_t class;
    struct qn_note_use used, out; /* of r, before this access */
    const struct record *victim;
    struct qn_note_use victim_used;
};

static struct qn_explain_output *output;
static struct qn_note *notes;
static struct qn_explain_shows shows;
static uint64_t first_notes, every_note, number;
static uint64_t watch_from, watch_count;
static uint32_t line_bytes, capacity;

static struct record *records;
static uint32_t *buckets, nrecords;
static uint32_t newest, oldest, listed;

static struct touched touched[QN_NOTE_LINES];
static unsigned ntouched, nlines;

static void copy_name(char to[QN_STATE_NAME], const char *name)
{
    for (unsigned i = 0; name && name[i] && i < QN_STATE_NAME - 1; i++)
        to[i] = name[i];
}

void qn_explain_init(const struct qn_config *config, struct qn_explain_output *where, const struct qn_explain_shows *what)
{
    output = where;
    notes = (struct qn_note *)((uintptr_t)where + QN_NOTES_OFF);
    shows = *what;
    if (shows.order == QN_SHOW_NOTHING || config->D1.assoc > WAYS_MAX)
        shows.set = NULL;
    output->order = shows.set ? shows.order : QN_SHOW_NOTHING;
    copy_name(output->way_state, shows.way_state);
    copy_name(output->set_state, shows.set_state);
    watch_from = config->watch_from;
    watch_count = config->watch_count;
    first_notes = config->explain_first;
    every_note = config->explain_every;
    line_bytes = config->D1.line;
    capacity = config->D1.size / config->D1.line;
    records = qn_engine_alloc((uint64_t)RECORDS_MAX * sizeof *records);
    buckets = qn_engine_alloc(BUCKETS * sizeof *buckets);
}

/* ---- records ---- */

static QN_SIM_NCSR struct record *new_record(uint64_t line, uint32_t *bucket)
{
    if (nrecords == RECORDS_MAX)
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
    if (listed > capacity)
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
    uint8_t class = classify(r);

    if (ntouched < QN_NOTE_LINES) {
        struct touched *t = &touched[ntouched++];

        t->r = r;
        t->class = class;
        t->used = r->used;
        t->out = r->out;
        t->victim = NULL;
        t->ways = shows.set ? shows.set(line, t->before) : 0;
        if (watch_count && shows.state)
            shows.state(line, t->state, QN_NOTE_WAYS, &t->set_state);
    }
    use(r);
}

QN_SIM_NCSR void qn_explain_before(const struct qn_explained *e)
{
    uint64_t line = e->addr & ~(uint64_t)(line_bytes - 1), last = (e->addr + e->size - 1) & ~(uint64_t)(line_bytes - 1);

    number++;
    ntouched = nlines = 0;
    for (;; line += line_bytes) {
        nlines++;
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

/* What the set had before and has no longer. */
static QN_SIM_NCSR void find_victim(struct touched *t, uint32_t site)
{
    static uint64_t after[WAYS_MAX];
    uint32_t n = t->ways ? shows.set(t->r->line, after) : 0;

    for (uint32_t i = 0; i < t->ways; i++) {
        struct record *victim;

        if (t->before[i] == QN_NOTE_NONE || has(after, n, t->before[i]))
            continue;
        victim = find(t->before[i]);
        t->victim = victim;
        t->victim_used = victim->used;
        victim->out = (struct qn_note_use){.number = number, .site = site};
    }
}

/* Of an access to several lines the class of the worst decides. */
static uint8_t worst_class(void)
{
    uint8_t class = touched[0].class;

    for (unsigned i = 1; i < ntouched; i++)
        class = touched[i].class < class ? touched[i].class : class;
    return class;
}

/* ---- what is told ---- */

static QN_SIM_NCSR void blame(uint32_t site, uint32_t which)
{
    uint32_t i = 0;

    while (i < output->evictors && (output->evictor[i].site != site || output->evictor[i].which != which))
        i++;
    if (i == output->evictors && i < QN_EVICTORS_MAX - 1) {
        output->evictor[i].site = site;
        output->evictor[i].which = which;
        output->evictors++;
    }
    output->evictor[i].count++;
}

static QN_SIM_NCSR void note_line(struct qn_note_line *to, const struct touched *t, bool missed)
{
    uint32_t shown = t->ways < QN_NOTE_WAYS ? t->ways : QN_NOTE_WAYS;

    *to = (struct qn_note_line){.line = t->r->line, .used = t->used, .out = t->out, .class = t->class, .ways = shown,
                                .hit = t->ways ? has(t->before, t->ways, t->r->line) : !missed,
                                .victim = t->victim ? t->victim->line : QN_NOTE_NONE, .victim_used = t->victim_used};
    for (uint32_t i = 0; i < shown; i++) {
        to->set[i] = t->before[i];
        to->state[i] = t->state[i];
    }
    to->set_state = t->set_state;
}

static QN_SIM_NCSR void note(const struct qn_explained *e, uint64_t nth, uint8_t class)
{
    struct qn_note *n = &notes[output->notes];

    if (output->notes == QN_NOTES_MAX)
        return;
    *n = (struct qn_note){.number = number, .nth = nth, .addr = e->addr, .site = e->site, .size = e->size,
                          .kind = (uint8_t)e->kind, .outcome = (uint8_t)e->outcome, .class = class,
                          .which = (uint8_t)(e->which - 1), .lines = nlines}; /* --watch: of no line that is explained: 255 */
    for (unsigned i = 0; i < ntouched; i++)
        note_line(&n->line[i], &touched[i], e->outcome & 1);
    output->notes++;
}

static QN_SIM_NCSR void tell(const struct qn_explained *e)
{
    uint32_t which = e->which - 1;
    uint64_t nth = ++output->tally[which].accesses;
    uint8_t class = worst_class();

    if (e->outcome & 1) {
        output->tally[which].misses++;
        output->tally[which].ll_misses += e->outcome >> 1;
        output->tally[which].classes[class]++;
        for (unsigned i = 0; i < ntouched; i++)
            if (touched[i].out.number && touched[i].ways && !has(touched[i].before, touched[i].ways, touched[i].r->line))
                blame(touched[i].out.site, which);
    }
    if (!watch_count && (nth <= first_notes || (every_note && (nth - first_notes) % every_note == 0)))
        note(e, nth, class);
}

/* --watch: every reference of a stretch of the run; it begins with the first that is explained, where no other beginning is given. */
static inline void watch(const struct qn_explained *e)
{
    if (!watch_from && e->which)
        watch_from = number;
    if (watch_from && number >= watch_from && number - watch_from < watch_count)
        note(e, e->which, worst_class());
}

QN_SIM_NCSR void qn_explain_after(const struct qn_explained *e)
{
    output->references = number;
    if (e->outcome & 1)
        for (unsigned i = 0; i < ntouched; i++)
            find_victim(&touched[i], e->site);
    if (e->which)
        tell(e);
    if (watch_count)
        watch(e);
    for (unsigned i = 0; i < ntouched; i++)
        touched[i].r->used = (struct qn_note_use){.number = number, .site = e->site};
}
