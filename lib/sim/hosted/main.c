/* sim/hosted/main.c - a hosted simulator: the modules of a build, fed from a trace.
 *
 * In:  mysim --D1=1024,1,32 TRACE
 * Out: the summary of `quern run`, events of the modules, what they print.  Exit status 0; 1 the trace cannot be read;
 *      2 usage; 70 a module made a mistake.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/grow.h"
#include "cost/side_tables/cells.h"
#include "cost/summary.h"
#include "sim/service.h"
#include "sim/hosted/hosted.h"
#include "trace/trace.h"
#include "sim/module.h"
#include "sim/option.h"
#include "sim/slots.h"
#include "sim/shadow.h"
#include "text/options.h"

/* ---- the command line ----
 *
 *   mysim --D1=1024,1,32 --sim-opt=key=value --check TRACE
 */

static const char *take_geometry(const struct qn_option *o, void *field, char **value)
{
    unsigned long long size, ways, line;
    bool any_sets = !strcmp(o->names, "--LL") || !strcmp(o->names, "--L2");
    char rest;

    if (sscanf(*value, "%llu,%llu,%llu%c", &size, &ways, &line, &rest) != 3 || size > UINT32_MAX || ways > UINT32_MAX || line > UINT32_MAX)
        return "SIZE,ASSOC,LINE";
    if (!line || !qn_is_pow2(line) || !ways || size % (ways * line) || !size || (!any_sets && !qn_is_pow2(size / (ways * line))))
        return "a line of a power of two, and SIZE = sets * ASSOC * line with a power of two of sets, of L2 and LL any number";
    *(struct qn_geometry *)field = (struct qn_geometry){(uint32_t)size, (uint32_t)ways, (uint32_t)line};
    return NULL;
}

static const char *take_sim_option(const struct qn_option *o, void *field, char **value)
{
    char *joined = malloc(strlen(hosted_options) + strlen(*value) + 2);

    (void)o, (void)field;
    if (!joined)
        abort();
    sprintf(joined, "%s%s%s", hosted_options, *hosted_options ? "," : "", *value);
    hosted_options = joined;
    return NULL;
}

static const char *take_cores(const struct qn_option *o, void *field, char **value)
{
    uint64_t cores = 0;
    const char *wanted = qn_option_number(o, &cores, value);

    *(uint32_t *)field = (uint32_t)cores;
    return wanted ? wanted : cores >= 1 && cores <= QN_CORES_MAX ? NULL : "1 to 64";
}

static const char *take_at_L2(const struct qn_option *o, void *field, char **value)
{
    (void)field;
    return qn_option_yesno(o, &qn_sim_hosted_at_L2, value);
}

static const char *take_watch_of(const struct qn_option *o, void *field, char **value)
{
    static const enum sim_slot slots[] = {SLOT_D1, SLOT_BC, SLOT_BI};
    int number = 0;
    const char *wanted = qn_option_word(o, &number, value);

    *(enum sim_slot *)field = slots[number];
    return wanted;
}

static const char *const formats[] = {"outcomes", "text", "lackey", "din", NULL}; /* enum hosted_format */
static const char *const watched[] = {"D1", "BC", "BI", NULL};

#define OPTION(names, argument, help, take, field) QN_OPTION(names, argument, help, take, struct hosted_options, field)
#define OPTION_OF(words, names, argument, help, take, field) QN_OPTION_OF(words, names, argument, help, take, struct hosted_options, field)

static const struct qn_option options[] = {
    OPTION("--I1", "SIZE,ASSOC,LINE", "geometry, lines of 1 byte and more [65536,2,64]", take_geometry, config.I1),
    OPTION("--D1", "SIZE,ASSOC,LINE", "the same of the D1 [65536,2,64]", take_geometry, config.D1),
    OPTION("--LL", "SIZE,ASSOC,LINE", "the same of the LL, with any number of sets [262144,8,64]", take_geometry, config.LL),
    OPTION("--L2", "SIZE,ASSOC,LINE", "a level between them and --LL; without --LL its older name [none]", take_geometry, config.L2),
    QN_OPTION_PLAIN("--sim-opt", "KEY=VALUE", "option of a module; may be repeated; SLOT.KEY=VALUE for one slot", take_sim_option),
    OPTION("--seed", "N", "of random policies [1]", qn_option_number, config.seed),
    OPTION("--cores", "N", "with a coherence protocol in slot D1: the cores that the trace tells of, each with caches of its own [one for all]", take_cores, config.cores),
    OPTION("--branch-sim", "yes|no", "simulate the branches that the trace has [yes]", qn_option_yesno, branch_sim),
    OPTION("--split-modify", "yes|no", "a modify is a read and then a write [no]", qn_option_yesno, split_modify),
    OPTION("--filter", "yes|no", "use the hit filter, as emitted code does [no]", qn_option_yesno, filter),
    OPTION("--check", "yes|no", "compare filtered and unfiltered simulation [no]", qn_option_yesno, check),
    OPTION("--from", "N", "leave out the first N instructions [0]", qn_option_number, from),
    OPTION("--count", "N", "feed N instructions [all]", qn_option_number, count),
    QN_OPTION_PLAIN("--at-L2", "yes|no", "the module of slot LL stands at the L2, above the default LL [no]", take_at_L2),
    OPTION("--outcomes", "FILE", "a line per reference: kind, 0 hit, 1 miss, 3 LL miss (with an L2: 1 L2 hit, 5 LL hit, 7 LL miss); B, J, R: 1 if mispredicted",
           qn_option_text, outcomes),
    OPTION_OF(formats, "--format", "outcomes|text|lackey|din",
              "of this file: text has pc, address, bytes, and hit or miss of each level; lackey and din have the references alone [outcomes]", qn_option_word, format),
    OPTION("--tables", "PREFIX", "tables of modules, PREFIX.NAME.csv; PREFIX.totals.csv has all totals", qn_option_text, tables),
    OPTION("--watch", "N", "N data references with what the D1 held, as CSV (quern watch --trace)", qn_option_number, config.watch_count),
    OPTION("--watch-file", "FILE", "the file for them", qn_option_text, watch_file),
    OPTION_OF(watched, "--watch-of", "D1|BC|BI", "or N conditional (BC) or indirect branches (BI) with what the predictor held [D1]", take_watch_of, watch_of),
    OPTION("--watch-from", "N", "from the Nth of them on [1]", qn_option_number, config.watch_from),
    OPTION("--watch-at", "ADDRESS,...", "from the first of them on that the instruction at one of these addresses makes", qn_option_text, watch_at),
    QN_OPTION_HELP,
    QN_OPTIONS_END
};

static const struct qn_option_rule rules[] = {
    { "--watch-of", false, "--watch", NULL },
    { "--watch-from", false, "--watch", NULL },
    { "--watch-file", false, "--watch", NULL },
    { "--watch-at", true, "--watch-from", "which tells where to begin, too" },
    { "--watch-at", false, "--watch-of=BC or --watch-of=BI", NULL },
    { "--watch-of=BC", true, "--branch-sim=no", NULL },
    { "--watch-of=BI", true, "--branch-sim=no", NULL },
    { "--watch", false, "--watch-file", NULL },
    { NULL, false, NULL, NULL },
};

static const struct qn_options command = {
    .tool = "replay", .prefix = "quern: replay", .own = options, .rules = rules,
    .begin = "usage: quern replay [OPTIONS] TRACE        (or the program that `quern sim build --replay` made)\n"
             "Feeds the references of TRACE (\"-\": standard input) to the simulators and prints a summary.\n\n",
};

/* false: a line was printed. */
static bool check_watch(struct qn_config *c)
{
    c->watch_from += !c->watch_from && qn_options_met("--watch");
    if (!qn_options_met("--watch") || (c->watch_count && c->watch_count <= QN_NOTES_MAX))
        return true;
    hosted_complain("--watch: got %llu, wanted 1 to %llu data references", (unsigned long long)c->watch_count, (unsigned long long)QN_NOTES_MAX);
    return false;
}

static bool check_options(void)
{
    const char *option = sim_option_unasked(hosted_options, hosted_options_asked);

    if (option)
        hosted_complain("--sim-opt=%.*s: no module has this option", (int)strcspn(option, ","), option);
    return !option;
}

static int parse(struct hosted_options *o, char **argv)
{
    char **words;
    int status;

    *o = (struct hosted_options){.watch_of = SLOT_D1,
                                 .config = {.I1 = {65536, 2, 64}, .D1 = {65536, 2, 64}, .LL = {262144, 8, 64}, .seed = 1, .cache_sim = 1, .branch_sim = 1},
                                 .branch_sim = true,
                                 .count = UINT64_MAX};
    status = qn_options_take(&command, o, argv, &words);
    if (status >= 0)
        return status;
    if (!words[0])
        return hosted_complain("no trace given; --help tells how"), HOSTED_EXIT_USAGE;
    if (words[1])
        return hosted_complain("%s: one trace only", words[1]), HOSTED_EXIT_USAGE;
    o->trace = words[0];
    if (!check_watch(&o->config))
        return HOSTED_EXIT_USAGE;
    if (o->config.L2.line && !qn_options_met("--LL")) { /* its older name, as of quern run */
        o->config.LL = o->config.L2;
        o->config.L2 = (struct qn_geometry){0, 0, 0};
    }
    o->filter |= o->check;
    return -1;
}

/* ---- references: the hit filter in C, the same as in emitted code ----
 *
 * Hits under the filter must change nothing: `quern replay --check` verifies that on a trace, without the engine. */

static uint64_t touched = ~0ull; /* code line fetched last */

static bool passes(uint64_t addr, uint32_t size, unsigned kind)
{
    const struct qn_filter *f = &qn_sim_d1_filter;

    return !(f->writes_call && sim_writes(kind)) && qn_filter_passes(f, addr, size, sim_writes(kind), &qn_ctx.now);
}

static unsigned refer(uint64_t addr, uint32_t size, unsigned kind, bool filter, uint64_t *misses)
{
    if (filter && passes(addr, size, kind))
        return 0;
    return qn_sim_data_kind(addr, size, kind, misses);
}

/* Every line of the range present and settled: stamps are written, in order. */
static unsigned fetch(uint64_t addr, uint32_t size, bool filter, uint64_t *misses)
{
    uint64_t mask = ~(uint64_t)(qn_sim_i1_line - 1), first = addr & mask, last = (addr + size - 1) & mask;
    bool pass = filter && qn_sim_i1_hit != QN_HIT_CALL;

    if (filter && qn_sim_i1_repeat_is_noop && first == last && first == touched)
        return 0;
    touched = last;
    for (uint64_t line = first; pass; line += qn_sim_i1_line) {
        pass = qn_sim_code_line(line)->stamp != 0;
        if (line == last)
            break;
    }
    if (!pass)
        return qn_sim_fetch(addr, size, misses);
    for (uint64_t line = first; qn_sim_i1_hit == QN_HIT_STAMP; line += qn_sim_i1_line) {
        qn_sim_code_line(line)->stamp = ++qn_ctx.now;
        if (line == last)
            break;
    }
    return 0;
}

/* ---- --outcomes: a line per reference and branch, with its outcome, or for other programs ----
 *
 *   outcomes   D1                                    kind, outcome
 *   text       r 0x401136 0x7ffe10 8 miss hit        kind, pc, address, bytes, level 1, LL; with an L2, it stands between them
 *   lackey      L 7ffe10,8
 *   din        0 7ffe10
 */

enum { OUTCOME_L2_MISS = 4 }; /* beside SIM_L1_MISS and SIM_LL_MISS */

static FILE *file; /* NULL: nothing is written */
static int format; /* enum hosted_format */

#define OUTCOMES_HEAD \
    "# kind pc address bytes L1 %sLL: i fetch, r read, w write, m modify; hit or miss of level 1, and of the %sLL where it was asked\n" \
    "# kind pc target taken predicted: b conditional branch (of its target only whether it lies backward or forward), j indirect branch, c call (the target is its return address), t return\n"

static bool begin_outcomes(const struct hosted_options *o)
{
    format = o->format;
    if (!o->outcomes)
        return true;
    file = fopen(o->outcomes, "w");
    if (!file)
        return hosted_complain("%s: %s", o->outcomes, strerror(errno)), false;
    if (format == HOSTED_TEXT)
        fprintf(file, OUTCOMES_HEAD, o->config.L2.line ? "L2 " : "", o->config.L2.line ? "L2 and the " : "");
    return true;
}

static void put_text(char kind, uint64_t pc, const struct sim_ref *ref, unsigned outcome)
{
    const unsigned above = qn_sim_has_L2() ? OUTCOME_L2_MISS : SIM_L1_MISS;

    fprintf(file, "%c 0x%" PRIx64 " 0x%" PRIx64 " %u %s", kind, pc, ref->addr, ref->size, outcome & SIM_L1_MISS ? "miss" : "hit");
    if (qn_sim_has_L2())
        fputs(!(outcome & SIM_L1_MISS) ? " -" : outcome & OUTCOME_L2_MISS ? " miss" : " hit", file);
    fputs(!(outcome & above) ? " -\n" : outcome & SIM_LL_MISS ? " miss\n" : " hit\n", file);
}

static void put_fetch(const struct sim_ref *ref, unsigned outcome)
{
    if (!file)
        return;
    switch (format) {
    case HOSTED_OUTCOMES: fprintf(file, "I%u\n", outcome); break;
    case HOSTED_TEXT: put_text('i', ref->addr, ref, outcome); break;
    case HOSTED_LACKEY: fprintf(file, "I  %08" PRIx64 ",%u\n", ref->addr, ref->size); break;
    case HOSTED_DIN: fprintf(file, "2 %" PRIx64 "\n", ref->addr); break;
    }
}

/* din knows no modify: it is a read and a write. */
static void put_din(const struct sim_ref *ref, unsigned kind)
{
    if (kind != SIM_WRITE)
        fprintf(file, "0 %" PRIx64 "\n", ref->addr);
    if (kind != SIM_READ)
        fprintf(file, "1 %" PRIx64 "\n", ref->addr);
}

static void put_data(const struct sim_ref *ref, unsigned kind, unsigned outcome)
{
    unsigned i = kind == SIM_READ ? 0 : kind == SIM_WRITE ? 1 : 2;

    if (!file)
        return;
    switch (format) {
    case HOSTED_OUTCOMES: fprintf(file, "D%u\n", outcome); break;
    case HOSTED_TEXT: put_text("rwm"[i], qn_ctx.arg_pc, ref, outcome); break;
    case HOSTED_LACKEY: fprintf(file, " %c %08" PRIx64 ",%u\n", "LSM"[i], ref->addr, ref->size); break;
    case HOSTED_DIN: put_din(ref, kind); break;
    }
}

static void put_branch(const struct sim_ref *ref, bool is_predicted, bool wrong)
{
    bool cond = ref->kind == SIM_REF_COND, call = ref->kind == SIM_REF_CALL, back = ref->kind == SIM_REF_RETURN;
    const char *said = !is_predicted ? "-" : wrong ? "wrong" : "right";

    if (!file)
        return;
    if (format == HOSTED_OUTCOMES && is_predicted)
        fprintf(file, "%c%u\n", cond ? 'B' : back ? 'R' : 'J', wrong);
    else if (format == HOSTED_TEXT && cond)
        fprintf(file, "b 0x%" PRIx64 " %s %s %s\n", ref->addr, ref->backward ? "backward" : "forward", ref->outcome & SIM_TAKEN ? "taken" : "not", said);
    else if (format == HOSTED_TEXT)
        fprintf(file, "%c 0x%" PRIx64 " 0x%" PRIx64 " taken %s\n", call ? 'c' : back ? 't' : 'j', ref->addr, ref->target, said);
}

static bool end_outcomes(const struct hosted_options *o)
{
    if (!file || !(ferror(file) | fclose(file)))
        return true;
    return hosted_complain("%s: cannot write: %s", o->outcomes, strerror(errno)), false;
}

/* ---- the next use of each line, for policies that look ahead (opt) ----
 *
 * There are two sequences: the lines of fetches, and the lines of data references, each in the order in which a level sees them.
 * next[i] = index of the next use of the same line, UINT64_MAX = never.  The trace is read once in advance to compute them.
 */

struct sequence {
    uint64_t *value;      /* lines first, then the index of the next touch */
    uint64_t n, room, at;
    uint32_t line;
};

static struct sequence sequences[2]; /* I, D */

static void append(struct sequence *s, uint64_t line)
{
    if (!QN_GROW(s->value, s->n, s->room, 65536))
        sim_fail("?", "opt", "future", 0, "not enough memory for the whole trace");
    s->value[s->n++] = line;
}

static void append_range(struct sequence *s, uint64_t addr, uint32_t size)
{
    uint64_t mask = ~(uint64_t)(s->line - 1);

    for (uint64_t line = addr & mask;; line += s->line) {
        append(s, line);
        if (line == ((addr + size - 1) & mask))
            return;
    }
}

/* Open addressing from lines to the index of their latest touch, from the end of the sequence to its beginning. */
static void find_next_uses(struct sequence *s)
{
    uint64_t slots = 1024, *keys, *touch;

    while (slots < 2 * s->n + 2)
        slots *= 2;
    keys = malloc(slots * sizeof *keys);
    touch = malloc(slots * sizeof *touch);
    if (!keys || !touch)
        sim_fail("?", "opt", "future", 0, "not enough memory for the whole trace");
    memset(touch, 0xff, slots * sizeof *touch);
    for (uint64_t i = s->n; i-- > 0;) {
        uint64_t line = s->value[i], h = line * 0x9e3779b97f4a7c15ull >> 20 & (slots - 1);

        while (touch[h] != UINT64_MAX && keys[h] != line)
            h = (h + 1) & (slots - 1);
        s->value[i] = touch[h];
        keys[h] = line;
        touch[h] = i;
    }
    free(keys);
    free(touch);
}

static bool look_ahead(const struct hosted_options *o)
{
    char why[512];
    struct qn_trace_reader *t = strcmp(o->trace, "-") ? qn_trace_open(o->trace, why, sizeof why) : NULL;
    struct sim_ref ref;

    sequences[0].line = o->config.I1.line;
    sequences[1].line = o->config.D1.line;
    if (!t)
        return false;
    while (qn_trace_next(t, &ref) == 1) {
        if (ref.kind >= SIM_REF_COND)
            continue;
        append_range(&sequences[ref.kind != SIM_REF_FETCH], ref.addr, ref.size);
        if (o->split_modify && ref.kind == SIM_MODIFY)
            append_range(&sequences[1], ref.addr, ref.size);
    }
    qn_trace_close(t);
    find_next_uses(&sequences[0]);
    find_next_uses(&sequences[1]);
    return true;
}

uint64_t sim_next_use_in(const char *slot)
{
    struct sequence *s = &sequences[slot[0] != 'I'];

    if (slot[0] == 'L')
        sim_fail(slot, "opt", "sim_next_use", 0, "the future is known in I1 and D1 only; make the D1 as large as the LL");
    if (s->at >= s->n)
        sim_fail(slot, "opt", "sim_next_use", s->at, "asked more often than lines are touched");
    return s->value[s->at++];
}

static int64_t totals[QN_COST_EVENTS];
uint64_t hosted_references;
static struct qn_table_head table_head;
static uint8_t *tables;

static uint64_t L2_misses(void) { return qn_sim_has_L2() ? sim_event_counts[0] + sim_event_counts[1] + sim_event_counts[2] : 0; }

static void feed_data(const struct hosted_options *o, const struct sim_ref *ref, unsigned kind)
{
    bool write = kind == SIM_WRITE;
    uint64_t misses[2] = {0, 0}, L2 = L2_misses();
    unsigned outcome;

    hosted_watch_reference(ref->addr, ref->size, kind);
    outcome = refer(ref->addr, ref->size, kind, o->filter, misses);
    hosted_watch_outcome(outcome);
    sim_pc = qn_ctx.arg_pc;
    if (o->check)
        qn_sim_shadow_data(ref->addr, ref->size, kind, outcome, 0);
    totals[write ? QN_COST_DW : QN_COST_DR]++;
    totals[write ? QN_COST_D1MW : QN_COST_D1MR] += (int64_t)misses[0];
    totals[write ? QN_COST_DLMW : QN_COST_DLMR] += (int64_t)misses[1];
    put_data(ref, kind, outcome | (L2_misses() > L2 ? OUTCOME_L2_MISS : 0));
}

static void feed_fetch(const struct hosted_options *o, const struct sim_ref *ref)
{
    uint64_t misses[2] = {0, 0}, L2 = L2_misses();
    unsigned outcome = fetch(ref->addr, ref->size, o->filter, misses);

    qn_ctx.arg_pc = ref->addr; /* the data references that follow are this instruction's */
    if (o->check)
        qn_sim_shadow_fetch(ref->addr, ref->size, outcome, 0);
    totals[QN_COST_IR]++;
    totals[QN_COST_I1MR] += (int64_t)misses[0];
    totals[QN_COST_ILMR] += (int64_t)misses[1];
    put_fetch(ref, outcome | (L2_misses() > L2 ? OUTCOME_L2_MISS : 0));
}

static void feed_branch(const struct hosted_options *o, const struct sim_ref *ref)
{
    bool wrong;

    if (ref->kind == SIM_REF_CALL) {
        qn_sim_predict_call(ref->addr, ref->target);
        if (o->check)
            qn_sim_shadow_call(ref->addr, ref->target);
        put_branch(ref, false, false);
        return;
    }
    hosted_watch_branch(ref);
    if (ref->kind == SIM_REF_RETURN) {
        wrong = qn_sim_predict_return(ref->addr, ref->target);
        if (o->check)
            qn_sim_shadow_return(ref->addr, ref->target, wrong, 0);
        if (qn_sim_returns)
            hosted_watch_predicted(ref, wrong);
        put_branch(ref, qn_sim_returns, wrong);
        return;
    }
    if (ref->kind == SIM_REF_COND) {
        wrong = qn_sim_predict_cond_to(ref->addr, ref->outcome & SIM_TAKEN, ref->backward);
        totals[QN_COST_BC]++;
        totals[QN_COST_BCM] += wrong;
    } else {
        wrong = qn_sim_predict_indirect(ref->addr, ref->target);
        totals[QN_COST_BI]++;
        totals[QN_COST_BIM] += wrong;
    }
    hosted_watch_predicted(ref, wrong);
    put_branch(ref, true, wrong);
}

static void feed(const struct hosted_options *o, const struct sim_ref *ref)
{
    hosted_references++;
    if (ref->kind == SIM_REF_FETCH) {
        feed_fetch(o, ref);
    } else if (ref->kind >= SIM_REF_COND) {
        if (o->branch_sim)
            feed_branch(o, ref);
    } else if (ref->kind == SIM_MODIFY && o->split_modify) {
        feed_data(o, ref, SIM_READ);
        feed_data(o, ref, SIM_WRITE);
    } else {
        feed_data(o, ref, ref->kind);
    }
}

static void put_line(void *data, const char *line)
{
    (void)data;
    puts(line);
}

static uint64_t instructions; /* that have come up, this one too */

/* Of a window by instructions: it has begun; it has been fed. */
static bool has_begun(const struct hosted_options *o) { return instructions > o->from || o->from == 0; }

static bool is_over(const struct hosted_options *o, const struct sim_ref *ref)
{
    instructions += ref->kind == SIM_REF_FETCH;
    return instructions > o->from && instructions - o->from > o->count;
}

/* As qn_trace_next.  What is counted beyond fetches belongs to the instruction before. */
static int next(const struct hosted_options *o, struct qn_trace_reader *t, struct sim_ref *ref)
{
    int got = qn_trace_next(t, ref);
    uint64_t beyond = qn_trace_take_more(t);

    if (has_begun(o)) {
        totals[QN_COST_IR] += (int64_t)beyond;
        sim_repetitions += beyond;
    }
    return got;
}

/* Another core may run from this reference on.  false: a line was printed. */
static bool turn(const struct hosted_options *o, const struct qn_trace_reader *t)
{
    uint32_t thread, core = o->config.cores ? qn_trace_core(t, &thread) : 0;

    if (core == qn_sim_core)
        return true;
    if (core >= o->config.cores)
        return hosted_complain("%s: core %u runs, wanted --cores of as many as in the recorded run", o->trace, core), false;
    qn_sim_turn(thread, core);
    touched = ~0ull; /* by the core before */
    if (file && format == HOSTED_TEXT)
        fprintf(file, "# core %u, thread %u\n", core, thread);
    return true;
}

static int run(const struct hosted_options *o)
{
    char why[512];
    struct qn_trace_reader *t = qn_trace_open(o->trace, why, sizeof why);
    struct sim_ref ref;
    int more;

    if (!t)
        return hosted_complain("%s", why), 1;
    hosted_guard();
    qn_sim_shown_slots = o->watch_file ? 1u << o->watch_of : 0;
    qn_sim_init(&o->config, NULL);
    if (qn_sim_wants_thread)
        return hosted_complain("%s: traces do not say which thread runs, which a module wants to know; use quern run", o->trace), qn_trace_close(t), 1;
    if (!check_options())
        return qn_trace_close(t), HOSTED_EXIT_USAGE;
    if (!hosted_watch_begin(o))
        return qn_trace_close(t), 1;
    if (o->check)
        qn_sim_shadow_init(&o->config, NULL);
    if (o->from)
        instructions = qn_trace_seek(t, o->from);
    while ((more = next(o, t, &ref)) == 1 && !is_over(o, &ref)) {
        if (!turn(o, t))
            return qn_trace_close(t), 1;
        if (has_begun(o))
            feed(o, &ref);
    }
    if (more < 0)
        hosted_complain("%s", qn_trace_error(t));
    qn_trace_close(t);
    return more < 0;
}

/* ---- --tables ---- */

static bool write_table(const char *prefix, const struct qn_cost_rows *rows, const struct qn_cost_module_table *table)
{
    char path[PATH_MAX];
    FILE *file;
    bool bad;

    snprintf(path, sizeof path, "%s.%s.csv", prefix, table->name);
    file = fopen(path, "we");
    if (!file)
        return hosted_complain("%s: %s", path, strerror(errno)), false;
    qn_cost_put_table(file, rows, table);
    bad = ferror(file);
    return !fclose(file) && !bad ? true : (hosted_complain("%s: cannot write: %s", path, strerror(errno)), false);
}

/* The totals are those of the summary, then those of the modules. */
static bool write_tables(const struct hosted_options *o)
{
#define X(id, name) { name, "", totals[QN_COST_##id] },
    struct qn_cost_total named[QN_COST_EVENTS + SIM_EVENTS_MAX] = { QN_EVENT_LIST(X) };
#undef X
    struct qn_cost_rows rows = { tables, &table_head, totals, named, totals[QN_COST_BC] + totals[QN_COST_BI] ? QN_COST_EVENTS : QN_COST_BC };
    struct qn_cost_module_table table = { .id = 0 };

    if (!o->tables)
        return true;
    rows.named_count += hosted_list_events(named + rows.named_count);
    while (qn_cost_next_table(&rows, &table))
        if (!write_table(o->tables, &rows, &table))
            return false;
    return true;
}

static void print_events(const struct hosted_options *o)
{
    struct qn_cost_total events[SIM_EVENTS_MAX];
    size_t count = hosted_list_events(events), first = qn_sim_has_L2() ? QN_L2_EVENTS : 0;
    const struct qn_cost_rows rows = {.totals = totals, .named = events + first, .named_count = count - first};

    qn_cost_print_named(&rows, o->config.LL.line, put_line, NULL);
}

static int replay(char **argv)
{
    struct hosted_options o;
    int status = parse(&o, argv);

    if (status >= 0)
        return status;
    if (!begin_outcomes(&o))
        return 1;
    if (qn_sim_looks_ahead && o.check)
        return hosted_complain("--check: a policy that looks ahead cannot be run twice"), HOSTED_EXIT_USAGE;
    if (qn_sim_looks_ahead && !look_ahead(&o))
        return hosted_complain("%s: cannot be read twice, as a policy that looks ahead needs", o.trace), 1;
    if (!(tables = calloc(1, QN_TABLE_SETS_OFF)))
        return hosted_complain("no memory"), 1;
    qn_sim_rows_init(tables, &table_head);
    status = run(&o);
    if (status)
        return status;
    qn_sim_stream_sync();
    qn_cost_print_summary(totals, o.config.L2.line ? (const int64_t *)sim_event_counts : NULL, true, totals[QN_COST_BC] + totals[QN_COST_BI] > 0, true, put_line, NULL);
    if (o.config.cores) /* a protocol has events that are known only at the end */
        qn_sim_finish();
    print_events(&o);
    if (!o.config.cores)
        qn_sim_finish();
    hosted_print_kept();
    qn_cost_print_rows(tables, &table_head, totals, put_line, NULL);
    status = !write_tables(&o) || !hosted_watch_write(&o) || !end_outcomes(&o);
    free(tables);
    return status;
}

int main(int argc, char **argv)
{
    (void)argc;
    int status = replay(argv);

    if (status || (!fflush(stdout) && !ferror(stdout)))
        return status;
    return hosted_complain("standard output: cannot write: %s", strerror(errno)), 1;
}
