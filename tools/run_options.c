/* tools/run_options.c - parses the command line of `quern run`.  See run_options.h. */
#define _GNU_SOURCE
#include "run_options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "tools.h"

enum kind { YESNO, TEXT, LIST, NAMES, NUMBER, SIZE, GEOMETRY, COUNTING, BATCH, VECTORS, INLINES, TRACE, RANGE, SAMPLE };

struct option {
    enum kind kind;
    const char *name;
    size_t field; /* offset in struct qn_run_options */
    const char *argument, *help;
};

static const struct option options[] = {
#define X(kind, name, field, argument, help) { kind, name, offsetof(struct qn_run_options, field), argument, help },
    QN_RUN_OPTION_LIST(X)
#undef X
};

#define OPTIONS (sizeof options / sizeof options[0])

/* Kinds whose values are words: the number of a word is what it stands for. */
static const struct words {
    const char *wanted, *word[7]; /* NULL ends them */
} words[] = {
    [COUNTING] = { "exact or cachegrind", { [QN_COUNTING_EXACT] = "exact", [QN_COUNTING_CACHEGRIND] = "cachegrind" } },
    [BATCH] = { "auto, never, always or often",
                { [QN_BATCH_AUTO] = "auto", [QN_BATCH_NEVER] = "never", [QN_BATCH_ALWAYS] = "always", [QN_BATCH_OFTEN] = "often" } },
    [VECTORS] = { "auto, scalar, avx2 or avx512", { [QN_VECTORS_AUTO] = "auto", [QN_VECTORS_SCALAR] = "scalar",
                                                    [QN_VECTORS_AVX2] = "avx2", [QN_VECTORS_AVX512] = "avx512" } },
    [INLINES] = { "no, yes or chains", { [QN_DEBUG_NO_INLINES] = "no", [QN_DEBUG_INLINES] = "yes", [QN_DEBUG_CHAINS] = "chains" } },
    [TRACE] = { "decode, block, event, emit, syscall or signal", /* bits: QN_TRACE_DECODE and so on */
                { "decode", "block", "event", "emit", "syscall", "signal" } },
};

static bool bad_value(const struct option *o, const char *got, const char *wanted)
{
    qn_run_complain("--%s: got '%s', wanted %s", o->name, got, wanted);
    return false;
}

static bool parse_number(const char *text, char **end, uint64_t *number)
{
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *number = strtoull(text, end, text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10);
    return errno == 0;
}

static bool set_yesno(const struct option *o, void *field, const char *value)
{
    if (strcmp(value, "yes") && strcmp(value, "no"))
        return bad_value(o, value, "yes or no");
    *(bool *)field = value[0] == 'y';
    return true;
}

static bool set_list(void *field, const char *value)
{
    char **list = field, *joined;

    if (asprintf(&joined, "%s%s%s", *list ? *list : "", *list ? "," : "", value) < 0)
        return false;
    *list = joined;
    return true;
}

static bool set_names(const struct option *o, void *field, char *value)
{
    struct qn_run_names *names = field;

    if (names->count == QN_RUN_NAMES_MAX)
        return bad_value(o, value, "at most 16 of them");
    names->text[names->count++] = value;
    return true;
}

static bool set_number(const struct option *o, void *field, const char *value)
{
    char *end;

    if (!parse_number(value, &end, field) || *end)
        return bad_value(o, value, "a number");
    return true;
}

static bool set_size(const struct option *o, void *field, const char *value)
{
    static const char suffixes[] = "kmg";
    uint64_t *size = field;
    const char *suffix;
    char *end;

    if (!parse_number(value, &end, size))
        return bad_value(o, value, "a size in bytes");
    if (*end && (suffix = strchr(suffixes, tolower((unsigned char)*end)))) {
        unsigned shift = 10 * (unsigned)(suffix - suffixes + 1);

        if (*size >> (64 - shift))
            return bad_value(o, value, "a size in bytes");
        *size <<= shift;
        end++;
    }
    return *end ? bad_value(o, value, "a size in bytes, K, M or G") : true;
}

static bool set_geometry(const struct option *o, void *field, const char *value)
{
    uint64_t n[3];
    const char *p = value;

    for (int i = 0; i < 3; i++) {
        char *end;

        if (!parse_number(p, &end, &n[i]) || *end != (i < 2 ? ',' : 0))
            return bad_value(o, value, "SIZE,ASSOC,LINE");
        if (n[i] > UINT32_MAX)
            return bad_value(o, value, "numbers below 2^32");
        p = end + 1;
    }
    *(struct qn_geometry *)field = (struct qn_geometry){ (uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2] };
    return qn_run_check_geometry(o->name, field);
}

/* The number of the word that `text` begins with, `length` bytes of it; -1: a line was printed. */
static int find_word(const struct option *o, const char *text, size_t length, const char *value)
{
    const struct words *w = &words[o->kind];

    for (int i = 0; w->word[i]; i++)
        if (strlen(w->word[i]) == length && !strncmp(w->word[i], text, length))
            return i;
    bad_value(o, value, w->wanted);
    return -1;
}

static bool set_word(const struct option *o, void *field, const char *value)
{
    int word = find_word(o, value, strlen(value), value);

    if (word >= 0)
        *(uint64_t *)field = (uint64_t)word;
    return word >= 0;
}

static bool set_vectors(const struct option *o, void *field, const char *value)
{
    const uint64_t *vectors = field;

    if (!set_word(o, field, value))
        return false;
    if (*vectors == QN_VECTORS_AVX2 ? __builtin_cpu_supports("avx2")
        : *vectors != QN_VECTORS_AVX512 || (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")))
        return true;
    qn_run_complain("--%s=%s: this processor has none", o->name, value);
    return false;
}

/* Several, separated by commas. */
static bool set_trace(const struct option *o, void *field, const char *value)
{
    for (const char *p = value; *p;) {
        size_t n = strcspn(p, ",");
        int word = find_word(o, p, n, value);

        if (word < 0)
            return false;
        *(uint32_t *)field |= 1u << word;
        p += n + (p[n] == ',');
    }
    return true;
}

static bool set_range(const struct option *o, void *field, const char *value)
{
    uint64_t *range = field;
    char *end;

    if (!parse_number(value, &end, &range[0]) || *end != '-' || !parse_number(end + 1, &end, &range[1]) || *end)
        return bad_value(o, value, "FIRST-LAST");
    return true;
}

#define SAMPLE_MAX (1ull << 32) /* of how many */

static bool set_sample(struct qn_run_options *all, const struct option *o, const char *value)
{
    uint64_t count = 0, of = 0;
    char *end;

    all->sample.given = true;
    if (strcmp(value, "all")
        && (!parse_number(value, &end, &count) || *end != '/' || !parse_number(end + 1, &end, &of) || *end))
        return bad_value(o, value, "N/M or all");
    if (of && (count < 1 || count > of || of >= SAMPLE_MAX))
        return bad_value(o, value, "N of at least 1, M of at least N and below 2^32");
    if (!of && count)
        return bad_value(o, value, "M of at least 1");
    all->sample.count = count;
    all->sample.of = of;
    return true;
}

static bool set(struct qn_run_options *all, const struct option *o, char *value)
{
    void *field = (char *)all + o->field;

    all->vdso_given |= !strcmp(o->name, "vdso");
    all->log_fd_given |= !strcmp(o->name, "log-fd");
    all->interval_given |= !strcmp(o->name, "interval");
    switch (o->kind) {
    case YESNO:
        return set_yesno(o, field, value);
    case TEXT:
        *(char **)field = value;
        return true;
    case LIST:
        return set_list(field, value);
    case NAMES:
        return set_names(o, field, value);
    case NUMBER:
        return set_number(o, field, value);
    case SIZE:
        return set_size(o, field, value);
    case GEOMETRY:
        return set_geometry(o, field, value);
    case COUNTING:
    case BATCH:
    case INLINES:
        return set_word(o, field, value);
    case VECTORS:
        return set_vectors(o, field, value);
    case TRACE:
        return set_trace(o, field, value);
    case RANGE:
        return set_range(o, field, value);
    case SAMPLE:
        return set_sample(all, o, value);
    }
    return false;
}

static const struct option *find(const char *name, size_t length)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if (strlen(options[i].name) == length && !strncmp(options[i].name, name, length))
            return &options[i];
    return NULL;
}

static bool unknown(const char *text)
{
    qn_run_complain("%s: unknown option; `quern run --help` lists them", text);
    return false;
}

/* One --option; `next` is the argument behind it, and is set to NULL if it was used. */
static bool parse_long(struct qn_run_options *all, char *text, char **next)
{
    static char yes[] = "yes", no[] = "no";
    char *name = text + 2, *value = strchr(name, '=');
    size_t length = value ? (size_t)(value - name) : strlen(name);
    const struct option *o = find(name, length);

    if (!o && !value && !strncmp(name, "no-", 3)) {
        o = find(name + 3, length - 3);
        return o && o->kind == YESNO ? set(all, o, no) : unknown(text);
    }
    if (!o)
        return unknown(text);
    if (value)
        return set(all, o, value + 1);
    if (o->kind == YESNO)
        return set(all, o, yes);
    if (!*next) {
        qn_run_complain("--%s: no value given, wanted %s", o->name, o->argument);
        return false;
    }
    value = *next;
    *next = NULL;
    return set(all, o, value);
}

static int print_help(void)
{
    puts("usage: quern run [OPTIONS] [--] PROGRAM [ARGUMENTS]\n"
         "Runs PROGRAM, simulates its caches, prints a summary and writes a profile.\n\noptions:\n"
         "  -h, --help                           show this text\n"
         "  --version                            show the version\n"
         "  -q, -v                               the same as --quiet, --verbose");
    for (size_t i = 0; i < OPTIONS; i++) {
        int n = printf("  --%s=%s", options[i].name, options[i].argument);

        printf("%*s %s\n", n < 38 ? 38 - n : 0, "", options[i].help);
    }
    puts("\nA yes|no option also has the forms --x and --no-x; any other value may be its own argument.\n"
         "Exit status: that of PROGRAM; 127 not found, 126 cannot be executed, 2 bad usage,\n"
         "70 the engine had to give up, 1 PROGRAM succeeded but its profile could not be written.");
    return 0;
}

static void set_defaults(struct qn_run_options *o)
{
    *o = (struct qn_run_options){ .cache_sim = true, .instr_at_start = true, .filter = true, .demangle = true, .keep_lines = true, .seed = 1,
                                  .log_fd = 2, .explain_first = 20, .explain_every = 1000 };
    o->trace_blocks.last = UINT64_MAX;
}

/* 1: used one argument, 2: two; 0: failed. */
static int parse_one(struct qn_run_options *o, char *text, char *next)
{
    char *left = next;

    if (!strcmp(text, "-q"))
        return o->quiet = true;
    if (!strcmp(text, "-v"))
        return o->verbose = true;
    if (strncmp(text, "--", 2))
        return unknown(text);
    if (!parse_long(o, text, &left))
        return 0;
    return left == next ? 1 : 2;
}

int qn_run_parse(struct qn_run_options *o, int argc, char **argv)
{
    int at = 1;

    set_defaults(o);
    while (at < argc && argv[at][0] == '-' && argv[at][1] && strcmp(argv[at], "--")) {
        int used;

        if (!strcmp(argv[at], "-h") || !strcmp(argv[at], "--help"))
            return print_help();
        if (!strcmp(argv[at], "--version"))
            return puts("quern " QN_VERSION) < 0;
        if (!(used = parse_one(o, argv[at], argv[at + 1])))
            return QN_EXIT_USAGE;
        at += used;
    }
    at += at < argc && !strcmp(argv[at], "--");
    if (at >= argc) {
        fputs("quern: run: no program given; usage: quern run [OPTIONS] [--] PROGRAM [ARGUMENTS]\n", stderr);
        return QN_EXIT_USAGE;
    }
    o->argv = argv + at;
    if (!o->vdso_given)
        o->vdso = o->aslr;
    return -1;
}
