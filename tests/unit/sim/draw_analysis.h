/* tests/unit/sim/draw_analysis.h - an analysis module on its own: references go in, what it counts and says comes out.
 *
 *   #define ANALYSIS_FILE "sim/analysis/3c.c"
 *   #include "draw_analysis.h"
 *
 *   begin(256, "sets=1");                 a D1 of 256 bytes, lines of 64; options of the module
 *   data('A', true);                      a read of line A, which the D1 missed
 *   computes(0x401000, 7);                in place of that, where it observes instructions (ANALYSIS_OBSERVES)
 *   says("AN: line 0x40: 2 conflict misses\n")      what analysis_finish prints
 */
#define _GNU_SOURCE /* service.c */
#define QN_SIM_HOSTED 1
#define QN_SLOT AN
#define QN_SLOT_FILE ANALYSIS_FILE
#include "sim/unit.c"

#include "tap.h"
static char said[1 << 18];

static int take_line(const char *line)
{
    return sprintf(said + strlen(said), "%s\n", line);
}

#define puts take_line
#include "alone.h"
#undef puts
#include "cost/side_tables/cells.h"

void qn_up_refer(uint32_t site) { (void)site; }
void qn_up_charge(uint32_t site) { (void)site; }

static int64_t totals[QN_COST_EVENTS]; /* of the run: data references */

#ifdef ANALYSIS_RECORDS
/* Each reference is told at once, by the records of a D1 that does not tell of its lines. */
#include "sim/stream.c"

uint32_t *qn_sim_executions;
bool qn_sim_is_old;
void qn_observers_read(struct sim_record *first, uint32_t n) { analysis_observe(first, n); }
uint64_t qn_observers_complete(struct sim_record *first, uint32_t n)
{
    uint64_t misses = 0;

    for (uint32_t i = 0; i < n; i++)
        misses += first[i].what & SIM_L1_MISS;
    return misses;
}
void qn_observers_count(struct sim_record *first, uint32_t n) { (void)first, (void)n; }
void qn_sim_stream_full(void) { qn_stream_deliver(true); }

static __attribute__((unused)) void analysis_ref(const struct sim_ref *ref)
{
    if (ref->kind > SIM_MODIFY)
        return;
    totals[QN_COST_DR]++;
    qn_stream_reference(ref);
    qn_stream_end_reference(ref->outcome);
    qn_stream_deliver(true);
}
#endif

#define LINE 64

bool sim_branch_backward;

static struct qn_table_head table_head;

/* Tables, from the start again; a test that does not call begin() calls it before analysis_init. */
static __attribute__((unused)) void begin_tables(void)
{
    static uint8_t *where;

    free(where);
    where = calloc(1, QN_TABLE_SETS_OFF);
    table_head = (struct qn_table_head){0};
    qn_sim_rows_init(where, &table_head);
}

static void put_row(void *data, const char *line)
{
    (void)data;
    take_line(line);
}

static __attribute__((unused)) void finish(void)
{
    *said = 0;
    analysis_finish();
    hosted_print_kept();
    qn_cost_print_rows(row_tables, &table_head, totals, put_row, NULL);
}

static void begin(uint32_t size, const char *options)
{
    struct sim_config config = {.slot = "AN", .size = size, .ways = 1, .line = LINE, .sets = size / LINE, .line_bits = 6, .seed = 1,
                                .LL_sets = 1, .LL_line_bits = 6};

    sim = config;
    event_count = 0; /* a test may begin again */
    kept = NULL;
    kept_values = 0;
    last_kept = &kept;
    hosted_options = options;
    begin_tables();
    totals[QN_COST_DR] = 0;
    analysis_init(&config);
#ifdef ANALYSIS_RECORDS
    free(qn_sim_stream.first);
    is_latest = false;
    qn_stream_init(ANALYSIS_RECORDS, false, LINE, true);
    qn_stream_be_at_once();
#endif
}

#ifdef ANALYSIS_OBSERVES
/* An instruction that leaves this in rax. */
static __attribute__((unused)) void computes(uint64_t pc, uint64_t value)
{
    analysis_insn(&(struct sim_insn){.pc = pc, .next = pc + 1, .reg = 0, .result = value});
}

/* One that accesses memory and writes no register. */
static __attribute__((unused)) void accesses(uint64_t pc, enum sim_kind kind, uint64_t addr, uint32_t size, uint64_t value)
{
    analysis_insn(&(struct sim_insn){.pc = pc, .next = pc + 1, .reg = SIM_NO_REG, .accesses = 1,
                                     .access = {{.addr = addr, .size = size, .kind = (uint8_t)kind, .value = value}}});
}
#else
static __attribute__((unused)) void data(char letter, bool missed)
{
    analysis_ref(&(struct sim_ref){.addr = (uint64_t)(letter - 'A') * LINE, .size = 8, .kind = SIM_READ, .outcome = missed});
}

#endif

static __attribute__((unused)) void says(const char *wanted)
{
    finish();
    is_str(said, wanted, "what it says in the end");
}

static __attribute__((unused)) uint64_t events_of(const char *name)
{
    for (unsigned i = 0; i < event_count; i++)
        if (!strcmp(event_names[i], name))
            return sim_counted(i);
    return UINT64_MAX;
}
