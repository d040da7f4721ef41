/* lib/sim/stream.c - the stream of records of data references (contract.h): what C writes to it, and how it is read.
 *
 *   a reference to two lines        use A, more ; use B, L1 miss
 *   deliver                         analyses are called for what belongs to executions of blocks that have ended; the rest waits
 *   a fault                         what is taken back is marked: the lines were used, but nothing counts
 */
#include "sim/stream.h"

#include "sim/observers.h"
#include "sim/service.h"

struct qn_sim_stream qn_sim_stream;
struct qn_sim_users qn_sim_users;

static void (*read_first)(const struct sim_record *first, uint32_t n); /* --explain; it has read up to read_first_to */
static struct sim_record *read_first_to;
static struct sim_record *counted_to; /* with at_once: up to there analyses that count events have read */
static struct sim_record *pending; /* the last record of the reference that is being simulated; NULL: it has none yet */
static uint64_t *looked_at;        /* a cell: the misses that analyses were called for */
static unsigned wanted;
static uint32_t line_bytes;
static uint64_t latest;            /* with by_reference: the only recent line, if there is one */
static bool is_latest;
_Static_assert(sizeof(struct sim_record) == 64, "see init_rows");

/* What a collector says if the program is killed. */
static void init_rows(void)
{
    const struct sim_term terms[] = {{.cells = (const uint64_t *)(const void *)qn_sim_stream.next, .n = 1, .times = 1, .shift = 6, .plus = true},
                                     {.cells = qn_sim_stream.read_to, .n = 1, .times = -1, .shift = 6, .needed = true},
                                     {.of = SIM_SUM_MISSES, .times = 1, .plus = true},
                                     {.cells = looked_at, .n = 1, .times = -1}};

    sim_row(terms, 4, "AN: the program was killed before %%U records were looked at, of %%U misses");
}

void qn_stream_init(unsigned what, bool tells_lines, uint32_t line, bool analysed)
{
    struct qn_sim_stream *s = &qn_sim_stream;
    uint64_t *cells = analysed ? sim_cells(3) : qn_engine_alloc_low(3 * sizeof *cells);

    wanted = what;
    line_bytes = line;
    s->first = qn_engine_alloc_low(QN_RECORDS_ROOM * sizeof *s->first);
    s->by_reference = !tells_lines;
    s->victims = tells_lines && (what & SIM_VICTIMS);
    s->uses = tells_lines && (what & SIM_USES);
    s->closed = s->first;
    s->batch = QN_RECORDS;
    s->full = s->first + s->batch;
    s->next = (struct sim_record **)(void *)&cells[0];
    s->read_to = &cells[1];
    looked_at = &cells[2];
    *s->next = s->first;
    *s->read_to = (uintptr_t)s->first;
    read_first_to = counted_to = s->first;
    if (analysed)
        init_rows();
}

void qn_stream_be_at_once(void)
{
    qn_sim_stream.at_once = true;
    if (qn_sim_stream.first)
        qn_sim_stream.full = qn_sim_stream.first + 1;
}

/* ---- from C ---- */

static void record_use(const struct sim_ref *ref, uint64_t line, unsigned what, uint64_t victim)
{
    struct sim_record *r = *qn_sim_stream.next;

    if (pending)
        pending->what |= SIM_MORE;
    *r = (struct sim_record){.addr = ref->addr, .line = line, .victim = victim, .execution = qn_sim_execution(ref->site), .pc = ref->pc, .site = ref->site,
                             .size = (uint16_t)ref->size, .kind = ref->kind, .what = (uint8_t)what, .user = qn_sim_users.me,
                             .last_user = qn_sim_users.was};
    pending = r;
    __atomic_store_n(qn_sim_stream.next, r + 1, __ATOMIC_RELEASE); /* when it is complete: if the program is killed, others read it */
}

void qn_stream_line(const struct qn_line_use *l, uint64_t addr, uint32_t size, unsigned kind, uint32_t site)
{
    bool recent = qn_sim_stream.uses && l->recent;

    if (l->used && !qn_sim_stream.uses)
        return;
    record_use(&(struct sim_ref){.addr = addr, .pc = sim_pc, .size = size, .kind = (uint8_t)kind, .site = site}, l->line,
        (l->used ? 0 : SIM_FILLED) | (recent ? SIM_RECENT : 0), l->victim);
}

/* One line is recent, the latest. */
void qn_stream_reference(const struct sim_ref *ref)
{
    const uint64_t bytes = line_bytes, last = (ref->addr + ref->size - 1) & ~(bytes - 1);
    bool all = (wanted & SIM_HITS) != 0, missed = ref->outcome & SIM_L1_MISS;

    for (uint64_t line = ref->addr & ~(bytes - 1);; line += bytes) {
        bool recent = is_latest && line == latest, several = last != (ref->addr & ~(bytes - 1));

        if (!(wanted & SIM_USES) && !missed && !all)
            return;
        if ((wanted & SIM_USES) && !recent && is_latest)
            qn_stream_left(latest);
        if (!recent || several || missed || all)
            record_use(ref, line, recent ? SIM_RECENT : 0, SIM_NO_LINE);
        latest = line;
        is_latest = true;
        if (line == last || !(wanted & SIM_USES))
            return;
    }
}

void qn_stream_end_reference(unsigned outcome)
{
    if (!pending)
        return;
    pending->what |= (uint8_t)outcome;
    pending = NULL;
    if (*qn_sim_stream.next >= qn_sim_stream.full)
        qn_sim_stream_full();
}

/* ---- reading ---- */

/* The records from there on belong to an execution that may still be taken back: that of the block that was executed last. */
static struct sim_record *find_open(void)
{
    struct sim_record *r = *qn_sim_stream.next, *open = r;
    uint32_t block = 0; /* where its executions are counted */

    for (uint32_t n = 0; r-- > qn_sim_stream.closed && n < QN_SIM_MISSES; open = r) {
        uint32_t site = r->site & QN_SITE_COUNTER_MASK;

        if (r->what & SIM_LEFT)
            continue;
        if (!r->execution || r->execution != qn_sim_execution(site) || (block && qn_sim_executions[site] != block))
            break;
        block = qn_sim_executions[site];
        n++;
    }
    return open;
}

void qn_stream_read_first(void (*read)(const struct sim_record *first, uint32_t n)) { read_first = read; }

void qn_stream_catch_up(void)
{
    struct sim_record *from = read_first_to;

    read_first_to = *qn_sim_stream.next;
    if (read_first)
        read_first(from, (uint32_t)(read_first_to - from));
}

void qn_stream_count(void)
{
    struct sim_record *from = counted_to;

    counted_to = *qn_sim_stream.next;
    qn_observers_complete(from, (uint32_t)(counted_to - from));
    qn_observers_count(from, (uint32_t)(counted_to - from));
}

void qn_stream_read(struct sim_record *first, uint32_t n)
{
    uint64_t misses = qn_observers_complete(first, n);

    if (qn_sim_stream.at_once)
        qn_stream_count();
    else
        qn_observers_count(first, n);
    qn_observers_read(first, n);
    *looked_at += misses;
}

/* Moves the records from `open` on to `to`, the buffer's new begin. */
static void keep_open(struct sim_record *open, struct sim_record *to)
{
    struct sim_record *end = *qn_sim_stream.next;
    uint64_t left = 0;

    for (struct sim_record *r = open; r < end; r++) {
        left += r->what & SIM_LEFT ? sizeof *r : 0;
        to[r - open] = *r;
    }
    *qn_sim_stream.read_to = (uintptr_t)to + left;
    qn_sim_stream.closed = to;
    read_first_to = counted_to = to + (end - open);
    __atomic_store_n(qn_sim_stream.next, counted_to, __ATOMIC_RELEASE); /* the last, for qn_stream_read_rest */
}

void qn_stream_deliver(bool all)
{
    struct qn_sim_stream *s = &qn_sim_stream;
    struct sim_record *first = s->first, *open = all ? *s->next : find_open();

    qn_stream_catch_up();
    if (!s->beside) {
        qn_stream_read(first, (uint32_t)(open - first));
    } else if (open > first) {
        s->beside->hand_on(first, (uint32_t)(open - first));
        s->first = s->other;
        s->other = first;
    }
    keep_open(open, s->first);
    if (s->beside && all)
        s->beside->wait();
}

void qn_stream_be_beside(const struct qn_stream_beside *beside)
{
    qn_sim_stream.other = qn_engine_alloc_low(QN_RECORDS_ROOM * sizeof *qn_sim_stream.other);
    qn_sim_stream.batch = QN_RECORDS_BESIDE;
    qn_sim_stream.beside = beside;
}

void qn_stream_be_alone(void)
{
    qn_sim_stream.batch = QN_RECORDS;
    qn_sim_stream.beside = NULL;
}

void qn_stream_read_rest(struct sim_record *handed_on, uint32_t n)
{
    struct sim_record *first = qn_sim_stream.first, *next = *qn_sim_stream.next, *open;

    if (first == handed_on || next < first || next > first + QN_RECORDS_ROOM) /* killed before what is behind the batch was moved: that is open */
        open = first = handed_on + n;
    else
        open = find_open();
    qn_stream_read(first, (uint32_t)(open - first));
    keep_open(open, open);
}

void qn_stream_take_back(const struct qn_sim_part *part)
{
    for (struct sim_record *r = qn_sim_stream.first; r && r < *qn_sim_stream.next; r++)
        if (!(r->what & SIM_LEFT) && qn_sim_is_part(part, r->site & QN_SITE_COUNTER_MASK, r->execution))
            r->what = (uint8_t)((r->what & ~(SIM_L1_MISS | SIM_LL_MISS)) | SIM_UNDONE);
}
