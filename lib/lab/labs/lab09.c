/* lib/lab/labs/lab09.c - the tests of lab 9: counters, a queue and a lock that threads share, run under quern with several cores, and a protocol.
 *
 * share.c is linked with labs/host/threads.c, and quern counts what its lines cost: misses on lines that another core has taken, and writes that
 * have to take a line away. The threads' turns depend on instructions only, so the counts repeat. Results are compared with those computed here.
 * Of msi.c the check gets the two tables, and makes the references of several cores to a line by them, beside a model.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "lab/host.h"
#include "lab/internal.h"
#include "lab/kernels.h"
#include "lab/models/models.h"
#include "lab/module.h"

/* As in labs/host/workers.h and threads.c. */
#define COUNTERS 16u
#define AMOUNTS 256u
#define INSIDE 40u
#define OUTSIDE_OF_ALL 512u
#define OUT_WORDS 16384u
#define OUT_OF_THREAD 1024u
#define THREADS_MAX 15u
#define DONE "done"
#define STUCK "stuc"

#define SMALL_TURNS 2 /* runs */
#define LOCK_TURNS 6  /* with these: a leaver who forgets whom he did not see yet fails 7 runs of 10 of the last four */
#define D1 "32768,8,64"
#define SMALL_D1 "1024,4,64"
#define COPIED (2 * OUT_WORDS * 4 / 64) /* lines: threads.c copies its results at the end */
#define RESULTS "results"

static unsigned rule(struct qn_lab_check *c, enum qn_lab_parameter which) { return qn_lab_rules(c)->value[which]; }
static uint32_t hash(uint32_t h, uint32_t word) { return (h ^ word) * 16777619u; } /* FNV */

/* ---- running ---- */

enum job { COUNT, QUEUE, LOCK };
static const char *const job_names[] = { "counters", "queue", "lock" };

struct trial {
    enum job job;
    unsigned threads, rounds, quantum;
    const char *d1;
    uint64_t seed;
    uint32_t *out;                     /* of the threads; free() it */
    /* out */
    unsigned long coherence;           /* misses on lines that were taken, and writes that took some */
    unsigned long misses, instructions;
};

static bool build_threads(struct qn_lab_check *c, const char *output)
{
    char *object = qn_lab_format("%s.o", output), *driver = qn_lab_format("%s.driver.o", output), *source = qn_lab_format("%s/threads.c", qn_lab_host(c));
    const char *const words[] = { "-std=gnu11", "-O1", "-ffreestanding", "-fno-pie", "-fno-stack-protector", "-I", qn_lab_starter(c), "-c", "-o", driver,
                                  source, NULL };
    bool good = qn_lab_compile_kernel(c, object)
                && (qn_lab_has_atomic(c, object)
                    || qn_lab_say(c, "share.c has no atomic instruction: two threads that come at the same time would both get in (__atomic_exchange_n?)"))
                && qn_lab_compile(c, words) && qn_lab_link_kernel(c, driver, object, output);

    free(object);
    free(driver);
    free(source);
    return good;
}

/* The last level is one that ends the run where the program refers to quern's memory. */
static bool build_simulator(struct qn_lab_check *c, const char *output)
{
    char *last = qn_lab_format("--LL=%s/nostack.c", qn_lab_host(c));
    const char *argv[] = { qn_lab_quern(c), "sim", "build", last, "-o", output, NULL };
    bool good = qn_lab_run_tool(c, argv, "nostack.c");

    free(last);
    return good;
}

static bool take_results(struct qn_lab_check *c, struct trial *t)
{
    size_t size = 0, bytes = OUT_WORDS * sizeof *t->out;
    char *results = qn_lab_read_out(c, RESULTS, &size);
    bool whole = results && size >= bytes + 4, good = whole && !memcmp(results + bytes, DONE, 4);

    if (!good && whole && !memcmp(results + bytes, STUCK, 4))
        qn_lab_say(c, "%s, %u threads: they do not come to an end: one waits for ever", job_names[t->job], t->threads);
    else if (!good)
        qn_lab_say(c, "%s, %u threads: they did not come to their end", job_names[t->job], t->threads);
    t->out = (uint32_t *)(void *)results;
    return good;
}

static bool run(struct qn_lab_check *c, struct trial *t)
{
    const char *program = qn_lab_made(c, "share.c", "share", build_threads), *simulator = program ? qn_lab_made(c, "share.c", "cores", build_simulator) : NULL;
    char *coherence = qn_lab_format("--coherence=%s/sim/coherence/mesi.c", qn_lab_library(c));
    char cores[32], quantum[32], d1[48], job[8], threads[16], rounds[16], depth[16], seed[24], *sim;
    const char *out = simulator ? qn_lab_out(c, RESULTS) : NULL, *const writable[] = { out, NULL };
    const char *argv[24] = { qn_lab_quern(c), "run", NULL, coherence, cores, quantum, d1, "--LL=1048576,16,64", "--I1=32768,8,64", "--out-file=/dev/null", "--",
                             program, job, threads, rounds, depth, seed, out, NULL };
    struct qn_lab_job work = { .argv = argv, .paths = { NULL, writable }, .ends_by = SIGILL };
    bool good;

    if (!simulator) {
        free(coherence);
        return false;
    }
    argv[2] = sim = qn_lab_format("--sim=%s", simulator);
    snprintf(cores, sizeof cores, "--cores=%u", t->threads + 1);
    snprintf(quantum, sizeof quantum, "--quantum=%u", t->quantum);
    snprintf(d1, sizeof d1, "--D1=%s", t->d1);
    snprintf(job, sizeof job, "%u", (unsigned)t->job);
    snprintf(threads, sizeof threads, "%u", t->threads);
    snprintf(rounds, sizeof rounds, "%u", t->rounds);
    snprintf(depth, sizeof depth, "%u", rule(c, QN_LAB_LOCK_DEPTH));
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)t->seed);
    good = qn_lab_run_quern(c, &work) && take_results(c, t);
    if (good) {
        t->coherence = qn_lab_find_count(work.errors, "D1.true ") + qn_lab_find_count(work.errors, "D1.false ")
                       + qn_lab_find_count(work.errors, "D1.upgrades ");
        t->misses = qn_lab_find_count(work.errors, "D1  misses:") - COPIED;
        t->instructions = qn_lab_find_count(work.errors, "I   refs:");
    }
    qn_lab_free_job(&work);
    free(sim);
    free(coherence);
    return good;
}

/* For --keep. */
static void tell(struct qn_lab_check *c, const struct trial *t)
{
    char *words = qn_lab_format("%s %u %u %llu", job_names[t->job], t->threads, t->rounds, (unsigned long long)t->seed);

    qn_lab_why(c, "The same call:\n    cc -O1 -g -pthread -o share driver.c share.c && ./share %s\nWhat its lines cost:\n"
                  "    quern run --cores=%u --quantum=%u --D1=%s --LL=1048576,16,64 --out-file=share.out -- ./share %s\n"
                  "    quern annotate --show=D1.true,D1.false,D1.upgrades,D1.lost share.out\nIn a debugger:\n"
                  "    gdb -ex 'break %s' -ex run --args ./share %s", words, t->threads + 1, t->quantum, t->d1, words,
               t->job == COUNT ? "counter_add" : t->job == QUEUE ? "queue_put" : "lock_enter", words);
    free(words);
}

/* Runs it, compares its results, and what it costs for each of `units`, in hundredths; frees the results. */
static bool judge(struct qn_lab_check *c, struct trial *t, bool (*right)(struct qn_lab_check *c, const struct trial *t), unsigned long most,
                  unsigned long instructions, unsigned long units, const char *unit)
{
    bool good = run(c, t) && right(c, t);
    bool small = !strcmp(t->d1, SMALL_D1);
    unsigned long got = small ? t->misses : t->coherence;

    if (good && got * 100 > most * units)
        good = qn_lab_say(c, "%s, %u threads, %u rounds: got %.2f %s for each %s, wanted at most %.2f", job_names[t->job], t->threads, t->rounds,
                          (double)got / (double)units, small ? "misses in a small D1" : "misses on taken lines and upgrades", unit, (double)most / 100);
    if (good && t->instructions > instructions * units)
        good = qn_lab_say(c, "%s, %u threads, %u rounds: got %.0f instructions of all threads for each %s, wanted at most %lu: who waits too long, or "
                             "without __builtin_ia32_pause()?", job_names[t->job], t->threads, t->rounds, (double)t->instructions / (double)units, unit,
                          instructions);
    if (!good)
        tell(c, t);
    free(t->out);
    return good;
}

/* In turns so small that a thread loses its turn everywhere, then in some that are longer than a call of lock_leave, which the other thread, stopped
 * within lock_enter, does not see: only the results are judged. */
static bool right_in_turns(struct qn_lab_check *c, struct trial t, unsigned turns, bool (*right)(struct qn_lab_check *c, const struct trial *t))
{
    bool good = true;

    for (unsigned i = 0; i < turns && good; i++) {
        t.quantum = i < SMALL_TURNS ? 4 + qn_lab_below(c, 8) * (1 + 4 * i) : qn_lab_between(c, 50, 100);
        t.seed = qn_lab_draw(c) >> 1;
        good = run(c, &t) && right(c, &t);
        free(t.out);
        t.out = NULL;
    }
    if (!good)
        tell(c, &t);
    return good;
}

/* ---- counters ---- */

static bool right_sums(struct qn_lab_check *c, const struct trial *t)
{
    uint32_t sum[COUNTERS] = { 0 };

    for (unsigned me = 0; me < t->threads; me++) {
        uint64_t seed = t->seed + me;

        for (unsigned i = 0; i < t->rounds; i++) {
            unsigned counter = (unsigned)qn_lab_next_number(&seed, COUNTERS);

            sum[(counter + rule(c, QN_LAB_COUNT_SHIFT)) % COUNTERS] += (uint32_t)qn_lab_next_number(&seed, AMOUNTS) / rule(c, QN_LAB_COUNT_UNIT);
        }
    }
    for (unsigned i = 0; i < COUNTERS; i++)
        if (t->out[i] != sum[i])
            return qn_lab_say(c, "counters, %u threads, %u rounds: the sum of counter %u is %u, wanted %u", t->threads, t->rounds, i, t->out[i], sum[i]);
    return true;
}

static struct trial draw_trial(struct qn_lab_check *c, enum job job, unsigned threads, unsigned rounds)
{
    return (struct trial){ .job = job, .threads = threads, .rounds = rounds, .quantum = qn_lab_between(c, 70, 90), .d1 = D1, .seed = qn_lab_draw(c) >> 1 };
}

static bool count(struct qn_lab_check *c, const char *d1, unsigned most)
{
    struct trial t = draw_trial(c, COUNT, qn_lab_between(c, 5, 8), qn_lab_between(c, 400, 600));

    t.d1 = d1;
    return judge(c, &t, right_sums, most, 150, t.threads * t.rounds, "add");
}

static bool counters_apart(struct qn_lab_check *c) { return count(c, D1, 10); }
static bool counters_small(struct qn_lab_check *c) { return count(c, SMALL_D1, 20); }

/* ---- the queue ---- */

static bool right_queue(struct qn_lab_check *c, const struct trial *t)
{
    unsigned capacity = rule(c, QN_LAB_QUEUE_CAPACITY), low = rule(c, QN_LAB_QUEUE_LOW);

    if (t->out[0] != capacity)
        return qn_lab_say(c, "queue: an empty one takes %u values, wanted %u", t->out[0], capacity);
    if (t->out[1] != low)
        return qn_lab_say(c, "queue: a full one takes another when %u are left, wanted %u", t->out[1], low);
    if (!t->out[2])
        return qn_lab_say(c, "queue: filled and emptied by one thread: wrong values, or not as many as were put");
    return t->out[3] == t->rounds || qn_lab_say(c, "queue: %u of %u values are right", t->out[3], t->rounds);
}

static bool queue(struct qn_lab_check *c, unsigned most)
{
    struct trial t = draw_trial(c, QUEUE, 2, qn_lab_between(c, 1500, 2000));

    t.quantum = qn_lab_between(c, 65, 71); /* two values a turn; at least the longest block */
    return judge(c, &t, right_queue, most, 250, t.rounds, "value");
}

static bool queue_half(struct qn_lab_check *c) { return right_in_turns(c, draw_trial(c, QUEUE, 2, 300), SMALL_TURNS, right_queue) && queue(c, 180); }
static bool queue_few(struct qn_lab_check *c) { return queue(c, 90); }

/* ---- the lock ---- */

#define OVERTAKES 3u /* so often may another thread come in while one waits: each has some instructions before it waits */

struct entrant {
    uint64_t seed;
    unsigned entries;
    unsigned overtaken[THREADS_MAX];
};

/* Whose entry is this?  The threads have written down how many had come in before them. */
static unsigned who(const struct trial *t, const struct entrant *e, unsigned entry)
{
    unsigned me = 0;

    while (me < t->threads && (e[me].entries == t->rounds || t->out[OUT_OF_THREAD * (me + 1) + e[me].entries] != entry))
        me++;
    return me;
}

static bool right_lock(struct qn_lab_check *c, const struct trial *t)
{
    struct entrant e[THREADS_MAX] = { { .entries = 0 } };
    uint32_t h = 0, numbers = 0, returned = 0, all = t->threads * t->rounds;

    for (unsigned me = 0; me < t->threads; me++)
        e[me].seed = t->seed + me;
    for (unsigned entry = 0; entry < all; entry++) {
        unsigned me = who(t, e, entry);

        if (me == t->threads)
            return qn_lab_say(c, "lock, %u threads: two were in at the same time, after %u entries", t->threads, entry);
        e[me].entries++;
        for (uint64_t deep = 1 + qn_lab_next_number(&e[me].seed, rule(c, QN_LAB_LOCK_DEPTH)); deep > 0; deep--)
            numbers = hash(numbers, rule(c, QN_LAB_LOCK_TIMES) * returned++);
        qn_lab_next_number(&e[me].seed, OUTSIDE_OF_ALL / t->threads);
        for (unsigned k = 0; k < INSIDE; k++)
            h = hash(h, me + k);
        for (unsigned other = 0; other < t->threads; other++)
            if (other != me && e[other].entries < t->rounds && ++e[other].overtaken[me] > OVERTAKES)
                return qn_lab_say(c, "lock, %u threads: thread %u came in %u times while thread %u waited: wanted by turns", t->threads, me, OVERTAKES + 1,
                                  other);
        memset(e[me].overtaken, 0, sizeof e[me].overtaken);
    }
    if (t->out[0] != all || t->out[1] != h)
        return qn_lab_say(c, "lock, %u threads: two were in at the same time: what the lock guards is wrong", t->threads);
    return t->out[2] == numbers || qn_lab_say(c, "lock, %u threads: lock_enter has returned wrong numbers", t->threads);
}

static bool lock(struct qn_lab_check *c, unsigned threads, unsigned most)
{
    struct trial t = draw_trial(c, LOCK, threads, qn_lab_between(c, 18, 22));

    return judge(c, &t, right_lock, most, 800, t.threads * t.rounds, "entry");
}

static bool lock_turns(struct qn_lab_check *c) { return right_in_turns(c, draw_trial(c, LOCK, 2, 100), LOCK_TURNS, right_lock) && lock(c, 8, 1400); }
static bool lock_own(struct qn_lab_check *c) { return lock(c, THREADS_MAX, 1250); }

/* ---- msi: the tables ---- */

#define LINE_REFS 400
#define LINES 6
#define TOLD 8 /* events before a wrong one, in why.txt */

enum { HELLO, TABLES }; /* what is waited for */

struct asked {
    struct qn_lab_dialogue d;
    struct host_tables tables;
};

static bool take(void *asked)
{
    struct asked *a = asked;
    uint64_t variables;

    if (a->d.waits_for == HELLO && qn_lab_take_text(&a->d.heard, &variables, sizeof variables)) {
        qn_lab_add_text(&a->d.said, &(struct host_message){ .op = HOST_STRICT }, sizeof(struct host_message));
        qn_lab_add_text(&a->d.said, &(struct host_message){ .op = HOST_TABLES }, sizeof(struct host_message));
        a->d.waits_for = TABLES;
        return true;
    }
    if (a->d.waits_for == TABLES && qn_lab_take_text(&a->d.heard, &a->tables, sizeof a->tables))
        a->d.waits_for = QN_LAB_OVER;
    return false;
}

static bool table_is_possible(struct qn_lab_check *c, const struct host_tables *t)
{
    if (t->states < 2 || t->states > HOST_STATES_MAX)
        return qn_lab_say(c, "msi.c has %u states", t->states);
    for (unsigned s = 0; s < t->states; s++) {
        for (unsigned writes = 0; writes < 2; writes++)
            if (t->access[s][writes].request >= HOST_REQUESTS || t->access[s][writes].shared >= t->states || t->access[s][writes].alone >= t->states)
                return qn_lab_say(c, "coherence_access: state %u, a %s: a request or a state that there is not", s, writes ? "write" : "read");
        for (unsigned r = 0; r < HOST_REQUESTS; r++)
            if (t->reply[s][r].state >= t->states)
                return qn_lab_say(c, "coherence_reply: state %u, request %u: a state that there is not", s, r);
    }
    return true;
}

static struct asked asked;

static bool ask_tables(struct qn_lab_check *c)
{
    const char *program = qn_lab_module(c, "msi.c", false);

    asked = (struct asked){ .d = { .take = take, .waits_for = HELLO } };
    return program && qn_lab_hold_dialogue(c, program, &asked.d, false)
           && (asked.d.waits_for == QN_LAB_OVER || qn_lab_say(c, "msi.c: the module ended")) && table_is_possible(c, &asked.tables);
}

/* One line of several cores, by the tables. */
struct tabled {
    unsigned cores, state[QN_LAB_CORES_MAX];
    bool miss;
    unsigned request, supplied, written;
};

static void refer(struct tabled *m, const struct host_tables *t, unsigned core, bool writes)
{
    unsigned before = m->state[core];
    bool shared = false;

    *m = (struct tabled){ .cores = m->cores, .miss = before == 0, .request = t->access[before][writes].request,
                          .state = { m->state[0], m->state[1], m->state[2], m->state[3], m->state[4], m->state[5], m->state[6], m->state[7] } };
    for (unsigned other = 0; other < m->cores; other++) {
        unsigned s = m->state[other];

        if (other == core || !s)
            continue;
        if (m->request) {
            m->supplied += t->reply[s][m->request].does & 1;       /* SIM_SUPPLIES */
            m->written += t->reply[s][m->request].does >> 1 & 1;   /* SIM_WRITES_BACK */
            m->state[other] = t->reply[s][m->request].state;
        }
        shared |= m->state[other] != 0;
    }
    m->state[core] = shared ? t->access[before][writes].shared : t->access[before][writes].alone;
}

static void evict(struct tabled *m, const struct host_tables *t, unsigned core)
{
    m->miss = false;
    m->request = m->supplied = 0;
    m->written = t->dirty >> m->state[core] & 1;
    m->state[core] = 0;
}

enum compared { ASKED = 1, STATES = 2, MOVED = 4 };

/* "0: S, 1: I" */
static const char *states_of(const struct tabled *m, const struct host_tables *t, const char *letters)
{
    static char texts[2][8 * QN_LAB_CORES_MAX];
    static unsigned next;
    char *text = texts[next++ % 2], *to = text;

    for (unsigned core = 0; core < m->cores; core++)
        to += snprintf(to, (size_t)(texts[0] + sizeof texts - to), "%s%u: %c", core ? ", " : "", core, letters ? letters[core] : t->letters[m->state[core]]);
    return text;
}

static bool agrees(struct qn_lab_check *c, const struct tabled *got, const struct qn_lab_msi *wanted, unsigned what, const char *event)
{
    static const char *const requests[] = { "nothing", "SIM_BUS_READ", "SIM_BUS_READ_OWN", "SIM_BUS_READ_UPDATE", "SIM_BUS_UPGRADE", "SIM_BUS_UPDATE" };
    static const unsigned asks[] = { [QN_LAB_ASKS_NOTHING] = 0, [QN_LAB_ASKS_READ] = 1, [QN_LAB_ASKS_OWN] = 2, [QN_LAB_ASKS_UPGRADE] = 4 };

    if (what & ASKED && got->miss != wanted->miss)
        return qn_lab_say(c, "%s: got a %s, wanted a %s", event, got->miss ? "miss" : "hit", wanted->miss ? "miss" : "hit");
    if (what & ASKED && got->request != asks[wanted->asks])
        return qn_lab_say(c, "%s: it asks with %s, wanted %s", event, requests[got->request], requests[asks[wanted->asks]]);
    for (unsigned core = 0; what & STATES && core < got->cores; core++)
        if (asked.tables.letters[got->state[core]] != wanted->state[core])
            return qn_lab_say(c, "%s: got %s, wanted %s", event, states_of(got, &asked.tables, NULL), states_of(got, &asked.tables, wanted->state));
    if (what & MOVED && got->supplied != wanted->supplied)
        return qn_lab_say(c, "%s: %u cores supply the line, wanted %u", event, got->supplied, wanted->supplied);
    return !(what & MOVED) || got->written == wanted->written
           || qn_lab_say(c, "%s: it is written back %u times, wanted %u", event, got->written, wanted->written);
}

/* In a variant all is compared. */
static bool msi(struct qn_lab_check *c, unsigned what)
{
    if (!qn_lab_once(c, ask_tables))
        return false;
    what = qn_lab_is_variant(c) ? ASKED | STATES | MOVED : what;
    for (unsigned line = 0; line < LINES; line++) {
        unsigned cores = qn_lab_between(c, 2, 5);
        struct qn_lab_msi model = qn_lab_new_msi(qn_lab_rules(c), cores);
        struct tabled m = { .cores = cores };
        char told[TOLD][160] = { "" };

        for (unsigned i = 0; i < LINE_REFS; i++) {
            static const char *const does[] = { "reads", "writes", "evicts" };
            unsigned core = qn_lab_below(c, cores), k = qn_lab_below(c, 20), how = k < 9 ? 0 : k < 17 ? 1 : 2;
            const char *before = states_of(&m, &asked.tables, model.state);
            char *event = told[i % TOLD];

            snprintf(event, sizeof told[0], "%s; core %u %s the line", before, core, does[how]);
            if (how == 2)
                evict(&m, &asked.tables, core), qn_lab_msi_evict(&model, core);
            else
                refer(&m, &asked.tables, core, how == 1), (how ? qn_lab_msi_write : qn_lab_msi_read)(&model, core);
            if (agrees(c, &m, &model, what, event))
                continue;
            qn_lab_why(c, "The states of a right protocol before each of the last events, of which the last one goes wrong:");
            for (unsigned k = i < TOLD ? 0 : i - TOLD + 1; k <= i; k++)
                qn_lab_why(c, "    %s", told[k % TOLD]);
            return false;
        }
    }
    return true;
}

static bool msi_asks(struct qn_lab_check *c) { return msi(c, ASKED); }
static bool msi_states(struct qn_lab_check *c) { return msi(c, STATES); }
static bool msi_moves(struct qn_lab_check *c) { return msi(c, MOVED); }

static const struct qn_lab_test tests[] = {
    { "counters: right, and next to no lines travel", 10, counters_apart },
    { "counters: in a small cache, too", 15, counters_small },
    { "queue: right, with fewer lines that travel", 10, queue_half },
    { "queue: few lines travel", 15, queue_few },
    { "lock: one at a time, by turns; who waits takes nothing away", 10, lock_turns },
    { "lock: fifteen threads cost no more than eight", 15, lock_own },
    { "msi: hits, misses and requests", 5, msi_asks },
    { "msi: the states of all copies", 10, msi_states },
    { "msi: who supplies the line, and what is written back", 10, msi_moves },
};

static const char *const files[] = { "share.c", "msi.c", NULL };
static const char *const given[] = { "workers.h", NULL };

const struct qn_lab qn_lab_09 = { 9, "09-sharing", "False sharing and coherence", files, tests, QN_ARRAY_LEN(tests), given };
