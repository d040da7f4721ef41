/* tests/unit/sim/sharing.c - true and false sharing, step by step; against a model that knows times only; what threads share of many lines;
 * no room; references of any size at any address. */
#define ANALYSIS_FILE "sim/analysis/sharing.c"
#define SITES_BITS 12 /* room for 3072 lines */
#include "draw_analysis.h"

#undef sim_thread
uint32_t sim_thread;
bool qn_sim_wants_thread;

#include "slow/sharing.h"

static struct slow_line room[SLOW_LINES];

/* `thread` does this to bytes of line A; as many as there are letters from `first` on. */
static void does(uint32_t thread, enum sim_kind kind, uint64_t address, uint32_t size)
{
    sim_thread = thread;
    analysis_ref(&(struct sim_ref){.addr = address, .pc = 0x1000 + thread, .size = size, .kind = (uint8_t)kind, .site = thread});
    qn_sim_charge(0);
}

static void counted(uint64_t t, uint64_t f, uint64_t cold, uint64_t upgrades, const char *what)
{
    ok(events_of("AN.true") == t && events_of("AN.false") == f && events_of("AN.cold") == cold && events_of("AN.upgrades") == upgrades &&
           events_of("AN.transfers") >= t + f + cold + upgrades, "%s", what);
}

static void anew(uint32_t line)
{
    struct sim_config config = {.slot = "AN", .size = 4 * line, .ways = 1, .line = line, .sets = 4, .line_bits = qn_log2(line), .seed = 1};

    sim = config;
    lines = copies = rows = pairs = (struct sites){0};
    kept = NULL;
    last_kept = &kept;
    event_count = 0;
    memset(event_totals, 0, sizeof event_totals);
    kept_shared = NULL;
    last_kept_shared = &kept_shared;
    begin_tables();
    analysis_init(&config);
    memset(room, 0, sizeof room);
    memset(slow_total, 0, sizeof slow_total);
    slow_lines = room;
    slow_line_bytes = line;
}

static void step_by_step(void)
{
    anew(64);
    does(0, SIM_WRITE, 0, 64);
    does(0, SIM_READ, 8, 8);
    counted(0, 0, 0, 0, "one thread: nothing is transferred");
    does(1, SIM_READ, 0, 8);
    counted(0, 0, 1, 0, "another one reads it for the first time: cold");
    does(1, SIM_READ, 32, 8);
    counted(0, 0, 1, 0, "... and has it");
    does(1, SIM_WRITE, 8, 8);
    counted(0, 0, 1, 1, "it writes: thread 0 loses the line, an upgrade");
    does(0, SIM_READ, 0, 8);
    is_int((int64_t)events_of("AN.transfers"), 3, "thread 0 misses; of what use that is, is not known yet");
    does(0, SIM_READ, 8, 8);
    counted(1, 0, 1, 1, "... it reads what was written: true sharing");
    does(1, SIM_WRITE, 8, 8);
    does(0, SIM_READ, 0, 8);
    does(1, SIM_WRITE, 8, 8);
    counted(1, 1, 1, 3, "it reads something else until it loses the line again: false sharing");
    does(0, SIM_READ, 16, 8);
    does(0, SIM_MODIFY, 8, 1);
    counted(2, 1, 1, 4, "it changes a byte of what was written, after another upgrade: true sharing");
    does(1, SIM_WRITE, 8, 8);
    does(2, SIM_WRITE, 40, 8);
    does(0, SIM_READ, 48, 1);
    counted(3, 1, 2, 4, "thread 1 overwrites what it has not read: an access to it, true; thread 2 comes to write: cold");
    finish();
    counted(3, 2, 2, 4, "at the end what is open was false sharing");
}

static void says_lines(void)
{
    anew(64);
    for (uint32_t thread = 1; thread < 5; thread++)
        does(thread, SIM_MODIFY, 8 * thread, 8);
    does(0, SIM_READ, 8, 8);
    does(1, SIM_READ, 640, 8);
    does(2, SIM_READ, 640, 8);
    does(2, SIM_WRITE, 1280, 8);
    does(3, SIM_READ, 1280, 4);
    does(2, SIM_WRITE, 1920, 8);
    does(3, SIM_READ, 1928, 4);
    does(4, SIM_WRITE, 4096, 1);
    finish();
    ok(strstr(said, "AN: lines of 64 bytes: 1 of one thread only, 1 that several only read\n"
                    "AN: lines with bytes that threads share: 2; that threads share without sharing a byte: 2\n"), "lines by what threads have in common");
    ok(strstr(said, "0x0 0x1003 thread 3: 1 reads 0xff000000, 1 writes 0xff000000, true 0, false 0, cold 1, upgrades 0\n"), "a row of the table");
    ok(strstr(said, "0x0 0x1001 thread 1: 1 reads 0xff00, 1 writes 0xff00, true 0, false 0, cold 0, upgrades 0\n"), "... of who came first");
}

static uint64_t state = 1;

static uint64_t draw(uint64_t n) { return sim_random_next(&state) % n; }

/* threads, lines, largest reference; true: both say the same of each line. */
static bool agrees(uint32_t line, uint32_t threads, uint32_t lines, uint32_t size, unsigned steps)
{
    static const enum sim_kind kinds[] = {SIM_READ, SIM_READ, SIM_WRITE, SIM_MODIFY};
    uint64_t sums[SLOW_LINES][SLOW_KINDS] = {{0}}, taken[2] = {0};

    anew(line);
    for (unsigned i = 0; i < steps; i++) {
        enum sim_kind kind = kinds[draw(4)];
        uint32_t thread = (uint32_t)draw(threads), n = 1 + (uint32_t)draw(size);
        uint64_t address = draw(lines * line);

        for (uint64_t times = 1 + draw(3); times; times--, address = draw(2) ? address : draw(lines * line)) {
            does(thread, kind, address, n);
            slow_refer(thread, address, n, sim_writes(kind));
        }
    }
    finish();
    slow_end();
    for (const struct kept_shared *k = kept_shared; k; k = k->next) {
        uint64_t *sum = sums[k->row.line / line];

        sum[SLOW_TRUE] += k->row.misses_true;
        sum[SLOW_FALSE] += k->row.misses_false;
        sum[SLOW_COLD] += k->row.cold;
        sum[SLOW_UPGRADES] += k->row.upgrades;
    }
    for (const struct kept_finding *k = kept; k; k = k->next) /* who took lines from whom: each miss once, never of itself */
        if (k->row.pc != k->row.other)
            taken[!strcmp(k->row.what, "true")] += k->row.count;
    for (uint64_t i = 0; i < lines; i++)
        if (memcmp(sums[i], slow_find(i)->count, sizeof sums[i]))
            return false;
    return taken[false] == slow_total[SLOW_FALSE] && taken[true] == slow_total[SLOW_TRUE] && events_of("AN.true") == slow_total[SLOW_TRUE] && events_of("AN.false") == slow_total[SLOW_FALSE] &&
           events_of("AN.cold") == slow_total[SLOW_COLD] && events_of("AN.upgrades") == slow_total[SLOW_UPGRADES] &&
           events_of("AN.transfers") == slow_total[0] + slow_total[1] + slow_total[2] + slow_total[3] && slow_total[SLOW_FALSE] && slow_total[SLOW_TRUE];
}

static void against_model(void)
{
    ok(agrees(64, 2, 1, 8, 20000), "two threads, one line");
    ok(agrees(64, 16, 1, 8, 20000), "16 threads, one line");
    ok(agrees(64, 4, 50, 8, 20000), "four threads, 50 lines");
    ok(agrees(64, 3, 5, 200, 5000), "references over several lines");
    ok(agrees(16, 5, 40, 16, 20000), "short lines");
    for (unsigned seed = 2; seed < 12; seed++) {
        state = seed;
        ok(agrees(64, 2 + (uint32_t)draw(8), 1 + (uint32_t)draw(20), 1 + (uint32_t)draw(40), 3000), "drawn: seed %u", seed);
    }
}

static void hostile(void)
{
    anew(64);
    for (uint64_t i = 0; i < 4000; i++)
        does(0, SIM_WRITE, i * 64, 8);
    does(1, SIM_READ, 0, 8);
    finish();
    ok(strstr(said, "AN: there was no room for 928 references to further lines\n"), "more lines than there is room for: said in a line");
    ok(events_of("AN.cold") == 1, "... the others are counted");
    anew(64);
    for (uint32_t thread = 0; thread < 4000; thread++)
        does(thread, SIM_WRITE, 0, 1);
    kept_shared = NULL; /* too many to print */
    finish();
    ok(strstr(said, "AN: there was no room for 928 references to further lines\n"), "more threads than there is room for");
    anew(64);
    does(0, SIM_WRITE, UINT64_MAX - 7, 8);
    does(1, SIM_WRITE, UINT64_MAX - 15, 16);
    does(0, SIM_READ, UINT64_MAX - 3, 12);
    does(0, SIM_READ, 5, 0);
    counted(1, 0, 1, 0, "the last bytes of memory, around its end, and none");
    anew(4096);
    does(0, SIM_WRITE, 0, 64);
    does(1, SIM_WRITE, 64, 64);
    does(0, SIM_WRITE, 63, 1);
    does(1, SIM_WRITE, 127, 1);
    does(0, SIM_WRITE, 0, 4096);
    finish();
    counted(1, 2, 1, 0, "of lines of 4096 bytes 64 are one");
    anew(1);
    does(0, SIM_WRITE, 0, 8);
    does(1, SIM_WRITE, 4, 8);
    finish();
    counted(0, 0, 4, 0, "lines of one byte");
}

int main(void)
{
    step_by_step();
    says_lines();
    against_model();
    hostile();
    return done_testing();
}
