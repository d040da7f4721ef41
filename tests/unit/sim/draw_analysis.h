/* tests/unit/sim/draw_analysis.h - an analysis module on its own: references go in, what it counts and says comes out.
 *
 *   #define ANALYSIS_FILE "sim/analysis/3c.c"
 *   #include "draw_analysis.h"
 *
 *   begin(256, "sets=1");                 a D1 of 256 bytes, lines of 64; options of the module
 *   data('A', true);                      a read of line A, which the D1 missed
 *   computes(0x401000, 7);                in place of that, where it observes instructions (ANALYSIS_OBSERVES)
 *   says("AN: line 40: 2 conflict misses\n")      what analysis_finish prints
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
#include "sim/cells.c"
#undef puts
#include "cost/side_tables/cells.h"

void qn_up_refer(uint32_t site) { (void)site; }
void qn_up_charge(uint32_t site) { (void)site; }

/* Here each miss is told. */
void sim_miss_to(uint64_t *address) { (void)address; }

#ifdef ANALYSIS_LINES
/* Here each reference is told (analysis_ref), and nobody keeps times of last use; see recency.c. */
uint32_t sim_older_places(uint64_t time, uint32_t enough)
{
    (void)time, (void)enough;
    abort();
}

uint32_t sim_count_places(uint64_t time, uint32_t shift, uint32_t counts[SIM_PLACE_COUNTS])
{
    (void)time, (void)shift, (void)counts;
    abort();
}
#endif

#if defined(ANALYSIS_MISSES) && !defined(ANALYSIS_LINES) && !defined(ANALYSIS_LOADS)
/* The module asks for misses only: of references it is told those of data that missed the D1. */
static void analysis_ref(const struct sim_ref *ref)
{
    bool data = ref->kind == SIM_READ || ref->kind == SIM_WRITE || ref->kind == SIM_MODIFY;

    if (data && (ref->outcome & SIM_L1_MISS))
        analysis_miss(&(struct sim_miss){.addr = ref->addr, .pc = ref->pc, .size = ref->size, .kind = ref->kind, .outcome = ref->outcome});
}
#endif

#ifdef ANALYSIS_FAR
uint64_t sim_lines_touched(void) { abort(); } /* each reference is told */
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
    static const int64_t none[QN_COST_EVENTS];

    *said = 0;
    analysis_finish();
    hosted_print_kept();
    qn_cost_print_rows(tables, &table_head, none, put_row, NULL);
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
    analysis_init(&config);
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
