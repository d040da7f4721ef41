/* tools/run.c - `quern run`: parses the command line; lib/collect runs the program.
 *
 * In:  quern run --branch-sim=yes -- ./prog arg
 * Out: the guest's own output; a summary on stderr; cachegrind.out.PID; the guest's exit status
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#include "collect/collect.h"
#include "machine.h"
#include "text/options.h"
#include "text/source.h"
#include "tools.h"

/* ---- the command line: lib/collect/options.h has the list ---- */

#define WORDS_MAX 4 /* of one option */

static bool parse_number(const char *text, char **end, uint64_t *number)
{
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *number = strtoull(text, end, text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10);
    return errno == 0;
}

/* The settings that contain a field. */
static struct qn_collect_options *all_of(const struct qn_option *o, void *field)
{
    return (struct qn_collect_options *)((char *)field - o->field);
}

#define take_SOURCE_MAP qn_option_source_map
#define take_YESNO qn_option_yesno
#define take_TEXT qn_option_text
#define take_NUMBER qn_option_number

static const char *take_VDSO(const struct qn_option *o, void *field, char **value)
{
    all_of(o, field)->vdso_given = true;
    return qn_option_yesno(o, field, value);
}

static const char *take_BRANCH_SIM(const struct qn_option *o, void *field, char **value)
{
    all_of(o, field)->branch_sim_given = true;
    return qn_option_yesno(o, field, value);
}

static const char *take_LOG_FD(const struct qn_option *o, void *field, char **value)
{
    all_of(o, field)->log_fd_given = true;
    return qn_option_number(o, field, value);
}

static const char *take_INTERVAL(const struct qn_option *o, void *field, char **value)
{
    struct qn_collect_options *all = all_of(o, field);

    all->interval_given = true;
    all->interval_auto = !strcmp(*value, "auto");
    if (!all->interval_auto)
        return qn_option_number(o, field, value);
    all->interval = QN_COLLECT_INTERVAL_FIRST;
    return NULL;
}

static const char *take_LIST(const struct qn_option *o, void *field, char **value)
{
    char **list = field, *joined;

    (void)o;
    if (asprintf(&joined, "%s%s%s", *list ? *list : "", *list ? "," : "", *value) < 0)
        return "more memory";
    *list = joined;
    return NULL;
}

static const char *take_NAMES(const struct qn_option *o, void *field, char **value)
{
    struct qn_collect_names *names = field;

    (void)o;
    if (names->count == QN_COLLECT_NAMES_MAX)
        return "at most 16 of them";
    names->text[names->count++] = *value;
    return NULL;
}

/* As Callgrind's --toggle-collect: counting is off at first, unless an option behind it says otherwise. */
static const char *take_TURNS(const struct qn_option *o, void *field, char **value)
{
    all_of(o, field)->instr_at_start = false;
    return take_NAMES(o, field, value);
}

static const char *take_SIZE(const struct qn_option *o, void *field, char **value)
{
    static const char suffixes[] = "kmg";
    uint64_t *size = field;
    const char *suffix;
    char *end;

    (void)o;
    if (!parse_number(*value, &end, size))
        return "a size in bytes";
    if (*end && (suffix = strchr(suffixes, tolower((unsigned char)*end)))) {
        unsigned shift = 10 * (unsigned)(suffix - suffixes + 1);

        if (*size >> (64 - shift))
            return "a size in bytes";
        *size <<= shift;
        end++;
    }
    return *end ? "a size in bytes, K, M or G" : NULL;
}

static const char *take_GEOMETRY(const struct qn_option *o, void *field, char **value)
{
    uint64_t n[3];
    const char *p = *value;

    for (int i = 0; i < 3; i++) {
        char *end;

        if (!parse_number(p, &end, &n[i]) || *end != (i < 2 ? ',' : 0))
            return "SIZE,ASSOC,LINE in bytes, as 32768,8,64";
        if (n[i] > UINT32_MAX)
            return "numbers below 2^32";
        p = end + 1;
    }
    *(struct qn_geometry *)field = (struct qn_geometry){ (uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2] };
    return qn_collect_check_geometry(o->names, field) ? NULL : "";
}

/* The index of a word in the argument, "exact|cachegrind", is its value in the enum (exact: QN_COUNTING_EXACT). */
static const char *take_WORD(const struct qn_option *o, void *field, char **value)
{
    char *left = strdup(o->argument), *copy = left;
    const char *words[WORDS_MAX + 1] = { NULL }, *wanted;
    int number = 0;

    for (int i = 0; left && i < WORDS_MAX; i++)
        words[i] = strsep(&left, "|");
    wanted = copy ? qn_option_find_word(words, *value, &number) : "more memory";
    *(uint64_t *)field = (uint64_t)number;
    free(copy);
    return wanted;
}

static const char *take_VECTORS(const struct qn_option *o, void *field, char **value)
{
    const uint64_t *chosen = field;
    const char *wanted = take_WORD(o, field, value);

    if (wanted)
        return wanted;
    if (*chosen == QN_VECTORS_AVX2 ? __builtin_cpu_supports("avx2")
        : *chosen != QN_VECTORS_AVX512 || (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")))
        return NULL;
    qn_collect_complain("--%s=%s: this processor has none", o->names + 2, *value);
    return "";
}

/* Several, separated by commas. */
static const char *take_TRACE(const struct qn_option *o, void *field, char **value)
{
    static const char *const traces[] = { "decode", "block", "event", "emit", "syscall", "signal", NULL }; /* QN_TRACE_DECODE ... */
    const char *wanted = NULL;
    char *copy = strdup(*value), *left = copy, *part;

    (void)o;
    while (!wanted && left && *left && (part = strsep(&left, ","))) {
        int word = 0;

        wanted = qn_option_find_word(traces, part, &word);
        *(uint32_t *)field |= 1u << word;
    }
    free(copy);
    return copy ? wanted : "more memory";
}

static const char *take_RANGE(const struct qn_option *o, void *field, char **value)
{
    uint64_t *range = field;
    char *end;

    (void)o;
    if (!parse_number(*value, &end, &range[0]) || *end != '-' || !parse_number(end + 1, &end, &range[1]) || *end)
        return "FIRST-LAST";
    return NULL;
}

#define SAMPLE_MAX (1ull << 32) /* of how many */

static const char *take_SAMPLE(const struct qn_option *o, void *field, char **value)
{
    struct qn_collect_options *all = all_of(o, field);
    uint64_t count = 0, of = 0;
    char *end;

    all->sample.given = true;
    if (strcmp(*value, "all")
        && (!parse_number(*value, &end, &count) || *end != '/' || !parse_number(end + 1, &end, &of) || *end))
        return "N/M or all";
    if (of && (count < 1 || count > of || of >= SAMPLE_MAX))
        return "N of at least 1, M of at least N and below 2^32";
    if (!of && count)
        return "M of at least 1";
    all->sample.count = count;
    all->sample.of = of;
    return NULL;
}

static const char *take_CORES(const struct qn_option *o, void *field, char **value)
{
    struct qn_collect_options *all = all_of(o, field);

    all->core_for_each = !strcmp(*value, "threads");
    all->cores_of_machine = !strcmp(*value, "machine");
    all->cores = QN_COLLECT_CORES_OF_THREADS;
    return all->core_for_each || all->cores_of_machine ? NULL : qn_option_number(o, field, value) ? "N, threads or machine" : NULL;
}

static const char *take_QUANTUM(const struct qn_option *o, void *field, char **value)
{
    static const char each[] = "each:", refs[] = "refs:";
    struct qn_collect_options *all = all_of(o, field);
    const char *number = *value;
    char *end;

    all->quantum_each = !strncmp(number, each, sizeof each - 1);
    number += all->quantum_each ? sizeof each - 1 : 0;
    all->quantum_is_refs = !strncmp(number, refs, sizeof refs - 1);
    number += all->quantum_is_refs ? sizeof refs - 1 : 0;
    return parse_number(number, &end, &all->quantum) && !*end ? NULL : "N or refs:N, or each: before it";
}

static const char *take_PIN(const struct qn_option *o, void *field, char **value)
{
    struct qn_collect_options *all = all_of(o, field);
    uint64_t core;
    char *end = *value - 1;

    for (all->pin.count = 0; end < *value || *end; all->pin.core[all->pin.count++] = (uint8_t)core)
        if (all->pin.count == QN_PINS_MAX || !parse_number(end + 1, &end, &core) || (*end && *end != ',') || core >= QN_PINS_MAX)
            return "up to 64 numbers of cores, separated by commas";
    return NULL;
}

static const struct qn_option options[] = {
#define OPTION(names, argument, help, take, field) QN_OPTION(names, argument, help, take, struct qn_collect_options, field)
    OPTION("-q", NULL, "the same as --quiet", qn_option_set, quiet),
    OPTION("-v", NULL, "the same as --verbose", qn_option_set, verbose),
#define X(kind, name, field, argument, help) OPTION("--" name, argument, help, take_##kind, field),
    QN_COLLECT_OPTION_LIST(X)
#undef X
    QN_OPTION_HELP, QN_OPTION_VERSION, QN_OPTIONS_END };

static const struct qn_option_rule rules[] = {
    { "--calls-room", false, "--calls or --profile-format=callgrind", NULL },
    { "--calls-depth", false, "--calls or --profile-format=callgrind", NULL },
    { "--calls", true, "--sample", NULL },
    { "--profile-format=callgrind", true, "--sample", NULL },
    { "--dump-before", true, "--interval or --versus", NULL },
    { "--dump-after", true, "--interval or --versus", NULL },
    { "--zero-before", true, "--interval or --versus", NULL },
    { "--interval-file", false, "--interval", NULL },
    { "--explain-first", false, "--explain", NULL },
    { "--explain-every", false, "--explain", NULL },
    { "--explain-file", false, "--explain", NULL },
    { "--explain", true, "--cache-sim=no", NULL },
    { "--watch-from", false, "--watch", NULL },
    { "--watch-region", false, "--watch", NULL },
    { "--watch-file", false, "--watch", NULL },
    { "--watch", true, "--cache-sim=no", NULL },
    { "--toggle-collect", true, "--toggle", "which counts only inside its function" },
    { "--alloc", false, "--data", NULL },
    { "--data", true, "--cache-sim=no or --versus or --check", NULL },
    { "--trace-file", false, "--trace", NULL },
    { "--trace-blocks", false, "--trace", NULL },
    { "--versus", true, "--check or --explain or --watch", NULL },
    { "--analysis", true, "--check", NULL },
    { "--coherence", false, "--cores", NULL },
    { "--quantum", false, "--cores", NULL },
    { "--pin", false, "--cores", NULL },
    { "--cores=machine", false, "--machine", NULL },
    { "--cores", true, "--cache-sim=no or --versus or --interval", NULL },
    { "--merge-children", true, "--analysis or --versus or --interval or --separate-threads", NULL },
    { NULL, false, NULL, NULL } };

static const struct qn_option_group groups[] = {
    { "options that matter first",
      "--branch-sim --I1 --D1 --LL --machine --out-file --analysis --data --calls --interval --explain --sim --help" },
    { "what is simulated", "--L2 --cores --coherence --quantum --pin --cache-sim --counting --versus --sim-opt --sample --check" },
    { "what is counted, and when", "--toggle --toggle-collect --dump-before --dump-after --zero-before --requests --instr-at-start --dump-signal "
      "--trace-children --merge-children --separate-threads --alloc --calls-room --calls-depth" },
    { "what is written", "--cachegrind-out-file --profile-format --dump-objects --dump-instr --inline --demangle --source-map "
      "--extra-debuginfo-path --interval-file --explain-first --explain-every --explain-file --watch --watch-from --watch-region --watch-file "
      "--branches-file" },
    { "what is said", "-q -v --log-file --log-fd --quiet --verbose --progress --stats --local-rates --version" },
    { "what the program sees", "--aslr --vdso --cpu --processors --seed" },
    { "the engine", "--tcache-size --block-max --filter --batch --vectors --trace --trace-file --trace-blocks" },
    { NULL, NULL } };

static const struct qn_options command = {
    .tool = "run", .prefix = "quern: run", .own = options, .first = true, .rules = rules,
    .begin = "usage: quern run [OPTIONS] [--] PROGRAM [ARGUMENTS]\n"
             "Runs PROGRAM, simulates its caches, prints a summary and writes a profile.\n\n",
    .end = "\nA yes|no option also has the forms --x and --no-x; any other value may be its own argument.\n"
           "Options of Valgrind 3.19 that are not in this list are taken, too: `quern valgrind --help` has them.\n"
           "Exit status: that of PROGRAM; 127 not found, 126 cannot be executed, 2 bad usage,\n"
           "70 the engine had to give up, 1 PROGRAM succeeded but its profile could not be written.\n" };

#define CALLS_NOT_SAID UINT64_MAX /* the format of the profile decides */

static void set_defaults(struct qn_collect_options *o)
{
    *o = (struct qn_collect_options){ .cache_sim = true, .instr_at_start = true, .filter = true, .demangle = true, .seed = 1,
                                  .log_fd = 2, .explain_first = 20, .explain_every = 1000, .quantum = 10000, .calls = CALLS_NOT_SAID, .calls_room = 1000000, .calls_depth = 1000000 };
    o->trace_blocks.last = UINT64_MAX;
}

/* -1: go on; otherwise the exit status (help and version were printed, or a usage error). */
static int parse(struct qn_collect_options *o, int argc, char **argv)
{
    int status;

    (void)argc;
    set_defaults(o);
    qn_options_foreign = qn_valgrind_take_foreign;
    qn_options_groups = groups;
    status = qn_options_take(&command, o, argv, &o->argv);
    if (status >= 0)
        return status;
    if (!o->argv[0])
        return qn_options_wrong(&command, "", "no program given");
    if (o->machine && !qn_machine_take("run: --machine", o->machine, &o->from_machine))
        return QN_EXIT_USAGE;
    if (o->cores_of_machine && !(o->cores = o->from_machine.cores))
        return qn_options_wrong(&command, "--cores=machine", "--machine says of no cores");
    if (!o->vdso_given)
        o->vdso = o->aslr;
    if (o->calls == CALLS_NOT_SAID)
        o->calls = o->profile_format != QN_COLLECT_CACHEGRIND ? QN_CALLS_YES : QN_CALLS_NO;
    return -1;
}

/* ---- the command ---- */

static int run_command(int argc, char **argv)
{
    static struct qn_collect_options options; /* its lists last as long as the process */
    int status = parse(&options, argc, argv);

    return status >= 0 ? status : qn_collect_run(&options);
}

/* A stack of quern's own, if `ulimit -s` is small: the limit is meant for the program. */
#define STACK_ENOUGH (1u << 20) /* bytes */
#define STACK_OWN (8u << 20)

static struct {
    ucontext_t caller, own;
    int argc, status;
    char **argv;
} stack_change;

static void run_on_own_stack(void) { stack_change.status = run_command(stack_change.argc, stack_change.argv); }

int qn_tool_run(int argc, char **argv)
{
    struct rlimit limit;
    void *stack;

    if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= STACK_ENOUGH)
        return run_command(argc, argv);
    stack = mmap(NULL, STACK_OWN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED || getcontext(&stack_change.own))
        return run_command(argc, argv);
    stack_change.argc = argc;
    stack_change.argv = argv;
    stack_change.own.uc_stack = (stack_t){ .ss_sp = stack, .ss_size = STACK_OWN };
    stack_change.own.uc_link = &stack_change.caller;
    makecontext(&stack_change.own, run_on_own_stack, 0);
    swapcontext(&stack_change.caller, &stack_change.own);
    return stack_change.status;
}
