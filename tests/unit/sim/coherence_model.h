/* tests/unit/sim/coherence_model.h - a coherence protocol on random references of several cores, beside a slow model.
 *
 *   #define PROTOCOL 'e'                     'i' msi, 'e' mesi, 'o' moesi, 'd' dragon: for the model
 *   #define COHERENCE_FILE "sim/coherence/mesi.c"
 *   #include "coherence_model.h"
 *
 * The model shares no code and no form with the module: caches are lists in order of use, states are letters, transitions are written down as
 * sentences of the papers; a byte has the time and the core of its last write, and a miss is of true sharing if the core refers, while it
 * has the line, to a byte that another core has written last, since its last miss that was not of false sharing.  With L2s, a core has a line
 * that is in its D1 or its L2; fetches, which miss an I1 that is not here, are looked up in the L2, and an inclusive LL takes lines away.
 * References that hit under the module's filter are not given to the module, as in emitted code. */
#define _GNU_SOURCE /* service.c */
#define QN_SIM_HOSTED 1
#define QN_SLOT D1
#define QN_SLOT_FILE COHERENCE_FILE
#define sim_count_for count_for /* by site, below */
#include "sim/unit.c"
#undef sim_count_for

#include "alone.h"

#include <sys/mman.h>

struct qn_ctx qn_ctx;

enum { CORES = 5, LINES = 40, SITES = 64, LINE = 64 };

/* ---- the model ---- */

static struct {
    int line[CORES][16][16]; /* by set: in order of use, newest first; -1: none */
    int second[CORES][16][16]; /* the same of the L2s */
    char state[CORES][LINES]; /* I: not there */
    int open[CORES][LINES];   /* site of a miss that is not known yet, + 1 */
    bool used[CORES][LINES], taken[CORES][LINES];
    int lost_site[CORES][LINES];
    long useful[CORES][LINES]; /* the time of the last miss that was not of false sharing */
    long time, written[LINES][LINE];
    int writer[LINES][LINE];
    int sets, ways, second_sets, second_ways, asker;
    long from[CORES][CORES]; /* lines that one core took from another */
    long is_true[SITES], is_false[SITES], lost[SITES], upgrades, updates, taken_away, supplied, supplied_second, written_back, write_backs;
} m;

static void model_close(int core, int line)
{
    if (m.open[core][line])
        m.is_false[m.open[core][line] - 1]++;
    m.open[core][line] = 0;
}

static bool model_in(const int *set, int ways, int line)
{
    int n = 0;

    for (int i = 0; i < ways; i++)
        n += set[i] == line;
    return n;
}

static bool model_in_D1(int core, int line) { return model_in(m.line[core][line % m.sets], m.ways, line); }
static bool model_in_L2(int core, int line) { return m.second_ways && model_in(m.second[core][line % m.second_sets], m.second_ways, line); }

static void model_take_out(int *set, int ways, int line)
{
    int left[16], n = 0;

    for (int i = 0; i < ways; i++)
        if (set[i] != line)
            left[n++] = set[i];
    while (n < ways)
        left[n++] = -1;
    memcpy(set, left, (size_t)ways * sizeof *set);
}

/* The line becomes the newest of the set, and the oldest is lost, if it was not there. */
static void model_use(int *set, int ways, int line)
{
    model_take_out(set, ways, line);
    memmove(set + 1, set, (size_t)(ways - 1) * sizeof *set);
    set[0] = line;
}

static void model_drop(int core, int line)
{
    model_take_out(m.line[core][line % m.sets], m.ways, line);
    if (m.second_ways)
        model_take_out(m.second[core][line % m.second_sets], m.second_ways, line);
    m.state[core][line] = 'I';
    model_close(core, line);
}

/* The core gives the line up by itself. */
static void model_give_up(int core, int line)
{
    m.write_backs += m.state[core][line] == 'M' || m.state[core][line] == 'O';
    model_drop(core, line);
}

static void model_supply(int core, int line)
{
    if (model_in_D1(core, line))
        m.supplied++;
    else
        m.supplied_second++;
}

static void model_take(int core, int line)
{
    m.taken_away++;
    m.from[m.asker][core]++;
    m.lost[m.lost_site[core][line]]++;
    model_drop(core, line);
    m.taken[core][line] = true;
}

/* Another core wants to read the line. */
static void model_other_reads(int core, int line)
{
    char *s = &m.state[core][line];

    if (*s == 'S')
        return; /* memory, or the owner, supplies it */
    model_supply(core, line);
    if (*s == 'M' && (PROTOCOL == 'i' || PROTOCOL == 'e'))
        m.written_back++;
    if (PROTOCOL == 'o' && (*s == 'M' || *s == 'O'))
        *s = 'O';
    else if (PROTOCOL == 'd' && (*s == 'M' || *s == 'O')) /* Sm */
        *s = 'O';
    else
        *s = 'S';
}

/* Another core writes the line, and does not have it or (has) has it. */
static void model_other_writes(int core, int line, bool has)
{
    char *s = &m.state[core][line];

    if (!has && *s != 'S')
        model_supply(core, line);
    if (PROTOCOL == 'd')
        *s = 'S'; /* Sc */
    else
        model_take(core, line);
}

static bool model_shared(int core, int line)
{
    bool any = false;

    for (int other = 0; other < CORES; other++)
        any |= other != core && m.state[other][line] != 'I';
    return any;
}

static void model_ask(int core, int line, bool writes, bool has)
{
    m.asker = core;
    for (int other = 0; other < CORES; other++) {
        if (other == core || m.state[other][line] == 'I')
            continue;
        if (writes)
            model_other_writes(other, line, has);
        else
            model_other_reads(other, line);
    }
}

/* The core, which does not have the line, has asked for it. */
static void model_begin(int core, int line, int site)
{
    m.open[core][line] = m.used[core][line] && m.taken[core][line] ? site + 1 : 0;
    if (!m.open[core][line])
        m.useful[core][line] = m.time;
    m.used[core][line] = true;
    m.taken[core][line] = false;
}

static void model_use_bytes(int core, int line, int first, int last)
{
    for (int b = first; b <= last; b++) {
        if (m.open[core][line] && m.written[line][b] > m.useful[core][line] && m.writer[line][b] != core) {
            m.is_true[m.open[core][line] - 1]++;
            m.open[core][line] = 0;
            m.useful[core][line] = m.time;
        }
    }
}

/* What has missed the D1 or I1 is looked up in the L2.  Returns whether it misses that. */
static bool model_second(int core, int line, int first, int last, int site)
{
    int *set = m.second[core][line % m.second_sets], victim = set[m.second_ways - 1];
    bool miss = !model_in_L2(core, line), shared;

    m.time++;
    model_use(set, m.second_ways, line);
    if (miss && victim >= 0 && !model_in_D1(core, victim))
        model_give_up(core, victim);
    if (!model_in_D1(core, line))
        m.lost_site[core][line] = site;
    if (m.state[core][line] != 'I')
        return miss;
    shared = model_shared(core, line);
    model_ask(core, line, false, false);
    model_begin(core, line, site);
    m.state[core][line] = shared || PROTOCOL == 'i' ? 'S' : 'E';
    model_use_bytes(core, line, first, last);
    return miss;
}

/* One reference within a line.  Returns whether it missed the D1. */
static bool model_refer(int core, int line, int first, int last, bool writes, int site)
{
    int *set = m.line[core][line % m.sets];
    char *s = &m.state[core][line];
    bool miss = !model_in_D1(core, line), has = *s != 'I', shared;

    m.time++;
    if (miss) {
        int victim = set[m.ways - 1];

        if (victim >= 0 && model_in_L2(core, victim))
            model_take_out(set, m.ways, victim);
        else if (victim >= 0)
            model_give_up(core, victim);
    }
    shared = model_shared(core, line);
    if (!has) {
        model_ask(core, line, writes, false);
        m.updates += writes && PROTOCOL == 'd' && shared;
        model_begin(core, line, site);
        if (writes)
            *s = PROTOCOL == 'd' && shared ? 'O' : 'M';
        else
            *s = shared || PROTOCOL == 'i' ? 'S' : 'E';
    } else if (writes && (*s == 'S' || *s == 'O')) {
        m.upgrades += PROTOCOL != 'd';
        m.updates += PROTOCOL == 'd';
        model_ask(core, line, true, true);
        *s = PROTOCOL == 'd' && shared ? 'O' : 'M';
    } else if (writes) {
        *s = 'M';
    }
    model_use(set, m.ways, line);
    model_use_bytes(core, line, first, last);
    for (int b = first; writes && b <= last; b++) {
        m.written[line][b] = m.time;
        m.writer[line][b] = core;
    }
    return miss;
}

/* ---- both ---- */

static uint32_t draw_below(uint32_t n)
{
    static uint64_t state = 88172645463325252ull;

    return sim_random_below(&state, n);
}

static long of_site[SIM_EVENTS_MAX][SITES];

void count_for(uint32_t site, unsigned event, uint64_t n) { of_site[event][site] += (long)n; }

static int event_of(const char *name)
{
    unsigned i = 0;

    while (i < event_count && strcmp(event_names[i], name))
        i++;
    return (int)i;
}

static long counted(const char *name) { return (long)sim_event_new[event_of(name)]; }

/* Sites of which the module says something else than the model. */
static int sites_wrong(const char *name, const long *model)
{
    int n = 0;

    for (int i = 0; i < SITES; i++)
        n += of_site[event_of(name)][i] != model[i];
    return n;
}

static long sum(const long *of)
{
    long n = 0;

    for (int i = 0; i < SITES; i++)
        n += of[i];
    return n;
}

/* turn: references of a core before another one runs.  second_ways 0: no L2s. */
static void play(int sets, int ways, int second_sets, int second_ways, int turn, int references)
{
    struct sim_config config = {.slot = "D1", .size = (uint32_t)(sets * ways * LINE), .ways = (uint32_t)ways, .line = LINE, .sets = (uint32_t)sets,
                                .line_bits = 6, .seed = 1, .cores = CORES,
                                .L2_sets = (uint32_t)second_sets, .L2_ways = (uint32_t)second_ways};
    struct qn_unit_facts facts = {.name = NULL};
    static uint8_t *tables;
    static struct qn_table_head head;
    int core = 0, wrong = 0, passed = 0, pairs_wrong = 0, second_wrong = 0, second_misses = 0;

    memset(&m, 0, sizeof m);
    memset(m.line, -1, sizeof m.line);
    memset(m.second, -1, sizeof m.second);
    memset(m.state, 'I', sizeof m.state);
    m.sets = sets;
    m.ways = ways;
    m.second_sets = second_sets;
    m.second_ways = second_ways;
    core_pages = NULL;
    core_pages_size = core_pages_used = running = 0;
    core_sums.write_backs = event_count = 0;
    memset(sim_event_new, 0, sizeof sim_event_new);
    memset(of_site, 0, sizeof of_site);
    if (!tables)
        tables = mmap(NULL, QN_TABLE_SETS_OFF, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    head = (struct qn_table_head){.cells = head.cells};
    qn_sim_rows_init(tables, &head);
    UNIT_OBJECT.init(&config, &facts);
    for (int i = 0; i < references; i++) {
        int line = (int)draw_below(3) ? (int)draw_below(6) : (int)draw_below(LINES), size = 1 << draw_below(4), first = (int)draw_below((uint32_t)(LINE - size + 1)), site = (int)draw_below(SITES);
        uint64_t addr = (uint64_t)(line * LINE + first);
        bool writes = !draw_below(3), miss = false;
        int drawn = second_ways ? (int)draw_below(100) : 99;

        if (i % turn == 0)
            UNIT_OBJECT.turn((uint32_t)(core = (int)draw_below(CORES)));
        sim_reference.site = (uint64_t)site;
        if (drawn == 0) { /* the LL takes the line from all */
            UNIT_OBJECT.drop((uint64_t)line * LINE);
            for (int c = 0; c < CORES; c++)
                if (m.state[c][line] != 'I')
                    model_give_up(c, line);
            continue;
        }
        if (drawn < 20) { /* a fetch */
            miss = UNIT_OBJECT.L2(addr, (uint32_t)size, SIM_FETCH);
            second_wrong += miss != model_second(core, line, first, first + size - 1, site);
            second_misses += miss;
            continue;
        }
        if (qn_filter_passes(&facts.filter, addr, (uint32_t)size, writes, &qn_ctx.now))
            passed++;
        else {
            miss = UNIT_OBJECT.ref(addr, (uint32_t)size, writes ? SIM_WRITE : SIM_READ) & QN_UNIT_MISS;
            m.lost_site[core][line] = site;
        }
        first = (int)(addr % LINE);
        wrong += miss != model_refer(core, line, first, first + size - 1, writes, site);
        if (second_ways && miss) {
            bool missed = UNIT_OBJECT.L2(addr, (uint32_t)size, writes ? SIM_WRITE : SIM_READ);

            second_wrong += missed != model_second(core, line, first, first + size - 1, site);
            second_misses += missed;
        }
    }
    for (int c = 0; c < CORES; c++)
        for (int l = 0; l < LINES; l++)
            model_close(c, l);
    core_end_copies();
    if (second_ways) {
        is_int(second_wrong, 0, "L2s of %d sets of %d ways: hits and misses as the model says (%d misses)", second_sets, second_ways, second_misses);
        is_int(counted("L2.supplied"), m.supplied_second, "  lines supplied by an L2 alone: %ld", m.supplied_second);
    }
    is_int(wrong, 0, "%d sets of %d ways, turns of %d: as the model says, each hit and miss of %d", sets, ways, turn, references);
    ok(passed > references / 50, "  %d of them needed no call", passed);
    is_int(sites_wrong("D1.true", m.is_true), 0, "  misses of true sharing, by site: %ld", sum(m.is_true));
    is_int(sites_wrong("D1.false", m.is_false), 0, "  of false sharing, by site: %ld", sum(m.is_false));
    is_int(counted("D1.upgrades"), m.upgrades, "  upgrades: %ld", m.upgrades);
    is_int(counted("D1.updates"), m.updates, "  updates: %ld", m.updates);
    is_int(counted("D1.taken"), m.taken_away, "  copies taken away: %ld", m.taken_away);
    for (int a = 0; a < CORES; a++)
        for (int b = 0; b < CORES; b++)
            pairs_wrong += (long)taken_from[a * CORES + b] != m.from[a][b];
    is_int(pairs_wrong, 0, "  ... by each core from each other one");
    is_int(sites_wrong("D1.lost", m.lost), 0, "  ... and lost, by the site that used them last");
    is_int(counted("D1.supplied"), m.supplied, "  lines supplied: %ld", m.supplied);
    is_int(counted("D1.written"), m.written_back, "  write-backs forced: %ld", m.written_back);
    is_int((int64_t)core_sums.write_backs, m.write_backs, "  dirty lines evicted: %ld", m.write_backs);
}

/* ---- each sequence of four references of two cores to two lines: the states of both, and what must hold in each ---- */

static char letter(int core, uint64_t line)
{
    uint32_t unused, at = core_find(&cores[core], line, &unused);
    char c = at == slots ? 'I' : COHERENCE_LETTERS[cores[core].state[at] & CORE_STATE];

    return c == 'c' ? 'S' : c == 'm' ? 'O' : c;
}

static void enumerate(void)
{
    enum { LENGTH = 4, CHOICES = 8, SEQUENCES = CHOICES * CHOICES * CHOICES * CHOICES };
    int differ = 0, broken = 0;

    for (int sequence = 0; sequence < SEQUENCES; sequence++) {
        uint64_t base = (LINES + 2 * (uint64_t)sequence) * LINE;

        memset(m.line, -1, sizeof m.line);
        memset(m.state, 'I', sizeof m.state);
        for (int i = 0, left = sequence; i < LENGTH; i++, left /= CHOICES) {
            int core = left & 1, line = left >> 1 & 1;
            bool writes = left >> 2 & 1;

            UNIT_OBJECT.turn((uint32_t)core);
            UNIT_OBJECT.ref(base + (uint64_t)line * LINE, 8, writes ? SIM_WRITE : SIM_READ);
            model_refer(core, line, 0, 7, writes, 0);
            for (int c = 0; c < 2; c++)
                for (int l = 0; l < 2; l++)
                    differ += letter(c, base + (uint64_t)l * LINE) != m.state[c][l];
            for (int l = 0; l < 2; l++) {
                char a = letter(0, base + (uint64_t)l * LINE), b = letter(1, base + (uint64_t)l * LINE);

                broken += a != 'I' && b != 'I' && (strchr("ME", a) || strchr("ME", b) || (a == 'O' && b == 'O'));
            }
        }
    }
    is_int(differ, 0, "%d sequences of %d references of two cores to two lines: all states as the model has them", SEQUENCES, LENGTH);
    is_int(broken, 0, "  nobody else has a line that is modified or exclusive, and no line has two owners");
}

int main(void)
{
    play(2, 2, 4, 2, 1, 100000);
    play(1, 1, 2, 4, 3, 100000);
    play(4, 4, 1, 8, 20, 100000); /* the D1 holds more than the L2 */
    play(2, 1, 3, 6, 10, 100000);
    play(2, 2, 0, 0, 1, 100000);
    play(1, 1, 0, 0, 3, 100000);
    play(4, 4, 0, 0, 20, 100000);
    play(8, 8, 0, 0, 100, 100000); /* nothing is evicted */
    enumerate();
    return done_testing();
}
