/* tools/valgrind.c - `quern valgrind`, quern-valgrind: Cachegrind's and Callgrind's command lines for scripts that call `valgrind`.
 *
 * In:  quern-valgrind --tool=cachegrind --cache-sim=yes --cachegrind-out-file=x.out ./prog arg
 * Out: what `quern run --counting=cachegrind --cache-sim=yes --cachegrind-out-file=x.out -- ./prog arg` does
 *
 * Exit status: that of the program; 1 for a command that is refused, 127 and 126 for a program that cannot be run: Valgrind's.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text/options.h"
#include "tools.h"
#include "base/grow.h"
#include "collect/options.h"
#include "text/memory.h"

/* Tools whose options are known. */
enum tool { CG = 1, CT = 2, ALL = 255 }; /* cachegrind, callgrind */

/* ---- where Valgrind's options come from: ~/.valgrindrc, VALGRIND_OPTS, ./.valgrindrc, the command line ----
 *
 * In:  --cachegrind:branch-sim=yes --log-file='a b' --memcheck:leak-check=full       (a file's text; the tool is cachegrind)
 * Out: --branch-sim=yes   --log-file=a b
 *
 * Words end at white space; quotes, single and double, keep it, and go; a backslash is a letter like others.  A file counts only if
 * it is a regular file of this user that not everybody can write.  (Valgrind's manual, 2.6: Setting Default Options; its behaviour.)
 */

#define FILE_MAX (1u << 20) /* bytes of a .valgrindrc */
#define SPACE " \t\n\v\f\r"

static struct qn_text_memory memory; /* of all words */
#define ADD qn_text_add_word

/* --TOOL:NAME=VALUE is --NAME=VALUE for this tool, and nothing for others. */
static void add_plain(struct qn_text_words *words, const char *tool, const char *word)
{
    size_t name = strcspn(word, ":="), n = strlen(tool);

    if (strncmp(word, "--", 2) || word[name] != ':')
        ADD(words, "%s", word);
    else if (name == n + 2 && !strncmp(word + 2, tool, n))
        ADD(words, "--%s", word + name + 1);
}

/* The word that begins at text, without its quotes.  Returns where it ends. */
static const char *take_word(const char *text, char *word)
{
    char quote = 0;

    for (; *text && (quote || !isspace((unsigned char)*text)); text++) {
        if (*text == quote)
            quote = 0;
        else if (!quote && (*text == '\'' || *text == '"'))
            quote = *text;
        else
            *word++ = *text;
    }
    *word = 0;
    return text;
}

/* Words of a file or of VALGRIND_OPTS; "--" has no meaning there. */
static void add_text(struct qn_text_words *words, const char *tool, const char *text)
{
    char *word = QN_NEEDED(malloc(strlen(text) + 1));

    for (text += strspn(text, SPACE); *text; text += strspn(text, SPACE)) {
        text = take_word(text, word);
        if (strcmp(word, "--") != 0)
            add_plain(words, tool, word);
    }
    free(word);
}

/* NULL: there is none, or it is not to be trusted, and a line says so. */
static char *read_file(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *text = NULL;
    ssize_t n;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & S_IWOTH))
        qn_text_complain("valgrind: %s was not read: wanted a regular file of this user, not writable by all", path);
    else if (st.st_size <= FILE_MAX && (text = malloc((size_t)st.st_size + 1)) && (n = read(fd, text, (size_t)st.st_size)) >= 0 && !memchr(text, 0, (size_t)n))
        text[n] = 0;
    else {
        qn_text_complain("valgrind: %s was not read: wanted text, at most %u bytes", path, FILE_MAX);
        free(text);
        text = NULL;
    }
    close(fd);
    return text;
}

static void add_file(struct qn_text_words *words, const char *tool, const char *path)
{
    char *text = read_file(path);

    if (text)
        add_text(words, tool, text);
    free(text);
}

static bool is_here(const char *home)
{
    struct stat a, b;

    return home && !stat(home, &a) && !stat(".", &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static void add_defaults(struct qn_text_words *words, const char *tool)
{
    const char *home = getenv("HOME"), *text = getenv("VALGRIND_OPTS");

    if (home)
        add_file(words, tool, qn_text_format(&memory, "%s/.valgrindrc", home));
    if (text)
        add_text(words, tool, text);
    if (!is_here(home))
        add_file(words, tool, "./.valgrindrc");
}

/* All options for `tool`, in the order in which they count, without a tool's name before them. */
static void gather(struct qn_text_words *words, const char *tool, char **argv, size_t options)
{
    bool only = false;

    for (size_t i = 1; i < options; i++)
        if (!strncmp(argv[i], "--command-line-only=", 20))
            only = !strcmp(argv[i] + 20, "yes");
    if (!only)
        add_defaults(words, tool);
    for (size_t i = 1; i < options; i++)
        add_plain(words, tool, argv[i]);
}

/* ---- Valgrind's options, and what becomes of each ----
 *
 *   TO      `quern run` has it, under this name
 *   NONE    it is about what quern has not (gdbserver, suppressions, Valgrind's own tables): no count depends on it
 *   WARN    no count of quern's depends on it: any value but the first is taken with one line that says what is missing
 *   ONLY    only the first of the values: any other is refused by name
 *
 * A value is one of the words between bars, or, if it is in capitals, a NUMBER, a TEXT or a geometry.
 * Names, values and tools: `valgrind --help-debug --tool=TOOL` of Valgrind 3.19.
 */

enum fate { TO, NONE, WARN, ONLY };

struct entry {
    const char *name, *value; /* no value: the option is a word by itself; # in a name: a number */
    enum fate fate;
    const char *run; /* of TO: its name in `quern run`; of WARN: what is missing */
    unsigned tools;
};

static const struct entry entries[] = {
    { "-q", NULL, TO, "-q", ALL },
    { "--quiet", NULL, TO, "-q", ALL },
    { "-v", NULL, TO, "-v", ALL },
    { "--verbose", NULL, TO, "-v", ALL },
    { "--trace-children", "no|yes", TO, "--trace-children", ALL },
    { "--log-file", "TEXT", TO, "--log-file", ALL },
    { "--log-fd", "NUMBER", TO, "--log-fd", ALL },
    { "--demangle", "yes|no", TO, "--demangle", ALL },
    { "--extra-debuginfo-path", "TEXT", TO, "--extra-debuginfo-path", ALL },
    { "--stats", "no|yes", TO, "--stats", ALL },
    { "--I1", "GEOMETRY", TO, "--I1", ALL },
    { "--D1", "GEOMETRY", TO, "--D1", ALL },
    { "--LL", "GEOMETRY", TO, "--LL", ALL },
    { "--L2", "GEOMETRY", TO, "--LL", ALL },
    { "--cache-sim", "yes|no", TO, "--cache-sim", ALL },
    { "--branch-sim", "no|yes", TO, "--branch-sim", ALL },
    { "--cachegrind-out-file", "TEXT", TO, "--cachegrind-out-file", CG },
    { "--callgrind-out-file", "TEXT", TO, "--out-file", CT },
    { "--instr-atstart", "yes|no", TO, "--instr-at-start", CT },
    { "--collect-atstart", "yes|no", TO, "--instr-at-start", CT },
    { "--toggle-collect", "TEXT", TO, "--toggle-collect", CT },
    { "--dump-before", "TEXT", TO, "--dump-before", CT },
    { "--dump-after", "TEXT", TO, "--dump-after", CT },
    { "--zero-before", "TEXT", TO, "--zero-before", CT },
    { "--separate-threads", "no|yes", TO, "--profile-format", CT },
    { "--simulate-cache", "no|yes", TO, "--cache-sim", CT }, /* names of older versions */
    { "--dump-instr", "no|yes", TO, "--dump-instr", CT },

    { "--dump-line", "yes|no", WARN, "costs have their source lines", CT },
    { "--dump-every-bb", "0|NUMBER", WARN, "the profile is not divided by basic blocks", CT },
    { "--collect-jumps", "no|yes", WARN, "the profile has no jumps", CT },
    { "--trace-jump", "no|yes", WARN, "the profile has no jumps", CT },
    { "--collect-bus", "no|yes", WARN, "the event Ge is not counted", CT },
    { "--collect-systime", "no|yes|msec|usec|nsec", WARN, "system calls have no number and time", CT },
    { "--separate-callers", "0|NUMBER", WARN, "functions are not separated by callers; `quern run --calls=paths` counts call paths", CT },
    { "--separate-callers#", "TEXT", WARN, "functions are not separated by callers", CT },
    { "--separate-recs#", "TEXT", WARN, "recursive activations of a function are one function", CT },
    { "--fn-skip", "TEXT", WARN, "calls to and from the function are shown", CT },
    { "--simulate-wb", "no|yes", WARN, "write-backs are not counted; `quern run --sim=D1=writeback` counts them", CT },
    { "--simulate-hwpref", "no|yes", WARN, "the LL is simulated without a prefetcher, and has more misses than with it", CT },
    { "--cacheuse", "no|yes", WARN, "AcCost and SpLoss are not counted; `quern run --data=use` counts the bytes used of each line", CT },
    { "--compress-strings", "no|yes", NONE, NULL, CT },
    { "--compress-pos", "no|yes", NONE, NULL, CT },
    { "--combine-dumps", "no|yes", WARN, "each part of the profile has a file", CT },
    { "--separate-recs", "NUMBER", NONE, NULL, CT },
    { "--skip-plt", "no|yes", NONE, NULL, CT },
    { "--skip-direct-rec", "no|yes", NONE, NULL, CT },
    { "--ct-verbose", "NUMBER", NONE, NULL, CT },
    { "--ct-vstart", "NUMBER", NONE, NULL, CT },

    { "--child-silent-after-fork", "no|yes", WARN, "a child's messages are not left out", ALL },
    { "--trace-children-skip", "TEXT", WARN, "all children are profiled", ALL },
    { "--trace-children-skip-by-arg", "TEXT", WARN, "all children are profiled", ALL },
    { "--track-fds", "no|yes|all", WARN, "open descriptors are not listed", ALL },
    { "--time-stamp", "no|yes", WARN, "messages have no time", ALL },
    { "--log-socket", "TEXT", WARN, "messages go to stderr", ALL },
    { "--xml", "no|yes", ONLY, NULL, ALL },
    { "--input-fd", "NUMBER", NONE, NULL, ALL },
    { "--main-stacksize", "NUMBER", TO, NULL, ALL }, /* the limit that the program begins with */
    { "--require-text-symbol", "TEXT", WARN, "symbols are not required", ALL },
    { "--trace-syscalls", "no|yes", TO, "--trace=syscall", ALL },
    { "--trace-signals", "no|yes", TO, "--trace=signal", ALL },
    { "--trace-symtab", "no|yes", WARN, "symbol tables are not shown", ALL },
    { "--trace-symtab-patt", "TEXT", NONE, NULL, ALL },
    { "--trace-cfi", "no|yes", WARN, "unwind information is not shown", ALL },
    { "--trace-redir", "no|yes", WARN, "quern redirects no functions", ALL },
    { "--trace-sched", "no|yes", WARN, "the scheduler's events are not shown", ALL },
    { "--profile-heap", "no|yes", WARN, "quern's own heap is not profiled", ALL },
    { "--wait-for-gdb", "no|yes", WARN, "quern does not wait", ALL },
    { "--progress-interval", "0|NUMBER", TO, "--progress", ALL },

    { "-d", NULL, NONE, NULL, ALL },
    { "-s", NULL, NONE, NULL, ALL },
    { "--tool", "TEXT", NONE, NULL, ALL }, /* of a file or VALGRIND_OPTS: it has no effect there */
    { "--command-line-only", "no|yes", NONE, NULL, ALL },
    { "--vgdb", "no|yes|full", NONE, NULL, ALL },
    { "--vgdb-error", "NUMBER", NONE, NULL, ALL },
    { "--vgdb-stop-at", "TEXT", NONE, NULL, ALL },
    { "--vgdb-poll", "NUMBER", NONE, NULL, ALL },
    { "--vgdb-shadow-registers", "no|yes", NONE, NULL, ALL },
    { "--vgdb-prefix", "TEXT", NONE, NULL, ALL },
    { "--xml-fd", "NUMBER", NONE, NULL, ALL },
    { "--xml-file", "TEXT", NONE, NULL, ALL },
    { "--xml-socket", "TEXT", NONE, NULL, ALL },
    { "--xml-user-comment", "TEXT", NONE, NULL, ALL },
    { "--num-callers", "NUMBER", NONE, NULL, ALL },
    { "--error-limit", "no|yes", NONE, NULL, ALL },
    { "--exit-on-first-error", "no|yes", NONE, NULL, ALL },
    { "--error-exitcode", "NUMBER", NONE, NULL, ALL },
    { "--error-markers", "TEXT", NONE, NULL, ALL },
    { "--show-error-list", "no|yes", NONE, NULL, ALL },
    { "--keep-debuginfo", "no|yes", NONE, NULL, ALL },
    { "--show-below-main", "no|yes", NONE, NULL, ALL },
    { "--default-suppressions", "yes|no", NONE, NULL, ALL },
    { "--suppressions", "TEXT", NONE, NULL, ALL },
    { "--gen-suppressions", "no|yes|all", NONE, NULL, ALL },
    { "--dsymutil", "no|yes", NONE, NULL, ALL },
    { "--max-stackframe", "NUMBER", NONE, NULL, ALL },
    { "--fullpath-after", "TEXT", NONE, NULL, ALL },
    { "--debuginfo-server", "TEXT", NONE, NULL, ALL },
    { "--allow-mismatched-debuginfo", "no|yes", NONE, NULL, ALL },
    { "--smc-check", "none|stack|all|all-non-file", NONE, NULL, ALL },
    { "--read-inline-info", "yes|no", NONE, NULL, ALL },
    { "--read-var-info", "yes|no", NONE, NULL, ALL },
    { "--run-libc-freeres", "no|yes", NONE, NULL, ALL },
    { "--run-cxx-freeres", "no|yes", NONE, NULL, ALL },
    { "--sim-hints", "TEXT", NONE, NULL, ALL },
    { "--fair-sched", "no|yes|try", NONE, NULL, ALL },
    { "--kernel-variant", "TEXT", NONE, NULL, ALL },
    { "--merge-recursive-frames", "NUMBER", NONE, NULL, ALL },
    { "--num-transtab-sectors", "NUMBER", NONE, NULL, ALL },
    { "--avg-transtab-entry-size", "NUMBER", NONE, NULL, ALL },
    { "--aspace-minaddr", "TEXT", NONE, NULL, ALL },
    { "--valgrind-stacksize", "NUMBER", NONE, NULL, ALL },
    { "--show-emwarns", "no|yes", NONE, NULL, ALL },
    { "--soname-synonyms", "TEXT", NONE, NULL, ALL },
    { "--sigill-diagnostics", "yes|no", NONE, NULL, ALL },
    { "--unw-stack-scan-thresh", "NUMBER", NONE, NULL, ALL },
    { "--unw-stack-scan-frames", "NUMBER", NONE, NULL, ALL },
    { "--resync-filter", "no|yes|verbose", NONE, NULL, ALL },
    { "--max-threads", "NUMBER", NONE, NULL, ALL },
    { "--sanity-level", "NUMBER", NONE, NULL, ALL },
    { "--core-redzone-size", "NUMBER", NONE, NULL, ALL },
    { "--sym-offsets", "no|yes", NONE, NULL, ALL },
    { "--vex-iropt-verbosity", "NUMBER", NONE, NULL, ALL },
    { "--vex-iropt-level", "NUMBER", NONE, NULL, ALL },
    { "--vex-iropt-unroll-thresh", "NUMBER", NONE, NULL, ALL },
    { "--vex-guest-max-insns", "NUMBER", NONE, NULL, ALL },
    { "--vex-guest-chase", "no|yes", NONE, NULL, ALL },
    { "--vex-iropt-register-updates", "TEXT", NONE, NULL, ALL },
    { "--px-default", "TEXT", NONE, NULL, ALL },
    { "--px-file-backed", "TEXT", NONE, NULL, ALL },
    { "--vex-regalloc-version", "2|3", NONE, NULL, ALL },
    { "--redzone-size", "NUMBER", NONE, NULL, ALL },
    { "--debug-dump", "TEXT", NONE, NULL, ALL },
    { "--trace-flags", "TEXT", NONE, NULL, ALL },
    { "--trace-notabove", "NUMBER", NONE, NULL, ALL },
    { "--trace-notbelow", "NUMBER", NONE, NULL, ALL },
    { "--profile-flags", "TEXT", NONE, NULL, ALL },
    { "--profile-interval", "NUMBER", NONE, NULL, ALL },
    { "--dump-error", "NUMBER", NONE, NULL, ALL },
    { "--ct-verbose#", "TEXT", NONE, NULL, CT },
};

#define ENTRIES (sizeof entries / sizeof entries[0])

/* The name of an entry is that of the word, whose # is a number. */
static bool is_name(const char *name, const char *word)
{
    size_t n = strcspn(name, "#");

    if (strncmp(name, word, n))
        return false;
    word += n;
    return (name[n] ? (n = strspn(word, "0123456789")) && (word[n] == '=') : !*word || *word == '=');
}

static const struct entry *find(enum tool tool, const char *word)
{
    for (const struct entry *e = entries; e < entries + ENTRIES; e++)
        if ((e->tools & tool) && is_name(e->name, word) && !e->value == !strchr(word, '='))
            return e;
    return NULL;
}

static bool is_number(const char *text)
{
    char *end;

    errno = 0;
    (void)strtoll(text, &end, 0);
    return end != text && !*end && !errno;
}

static bool is_geometry(const char *text)
{
    unsigned n[3];
    int end = 0;

    return sscanf(text, "%u,%u,%u%n", &n[0], &n[1], &n[2], &end) == 3 && !text[end];
}

/* Is the value one of the words, or of the form that a word in capitals stands for? */
static bool fits(const char *value, const char *wanted)
{
    size_t n;

    for (;; wanted += n + 1) {
        n = strcspn(wanted, "|");
        if (!isupper((unsigned char)*wanted) ? strlen(value) == n && !strncmp(value, wanted, n)
            : *wanted == 'N' ? is_number(value) : *wanted == 'G' ? is_geometry(value) : true)
            return true;
        if (!wanted[n])
            return false;
    }
}

static bool is_first(const char *value, const char *words)
{
    size_t n = strcspn(words, "|");

    return n && strlen(value) == n && !strncmp(value, words, n);
}

static const char *prefix = "valgrind"; /* of messages */

static bool refuse(const char *what, const char *word, const char *why)
{
    qn_text_complain("%s: %s: %s%s%s", prefix, what, word, *why ? ": " : "", why);
    return false;
}

static bool refuse_value(const struct entry *e, const char *word)
{
    char why[80];

    snprintf(why, sizeof why, "got '%.30s', wanted %s", strchr(word, '=') + 1, *e->value == 'G' ? "SIZE,ASSOC,LINE" : e->value);
    return refuse("Bad option", word, why);
}

/* Checks a cache as quern does, before anything runs. */
static bool check_geometry(const struct entry *e, const char *word, const char *value)
{
    struct qn_geometry g;

    if (sscanf(value, "%u,%u,%u", &g.size, &g.assoc, &g.line) == 3 && qn_collect_check_geometry(e->run, &g))
        return true;
    return refuse("Bad option", word, "");
}

#define STACK_LEAST (1 << 20) /* bytes, as Valgrind has it */

/* The program begins with quern's own limit of its stack. */
static bool limit_stack(const char *value)
{
    struct rlimit limit;
    rlim_t wanted = (rlim_t)strtoll(value, NULL, 0);

    if (!wanted || getrlimit(RLIMIT_STACK, &limit))
        return true;
    if (wanted < STACK_LEAST)
        wanted = STACK_LEAST;
    limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    return setrlimit(RLIMIT_STACK, &limit) == 0;
}

/* Adds the option of `quern run` with its value. */
static void add_run_option(struct qn_text_words *run, const struct entry *e, const char *value)
{
    if (!value || strchr(e->run, '=')) { /* it has no value, or one already, that of yes */
        if (!value || strcmp(value, "no") != 0)
            ADD(run, "%s", e->run);
        return;
    }
    if (!strcmp(e->name, "--separate-threads"))
        value = *value == 'y' ? "callgrind-threads" : "callgrind";
    else if (!strcmp(e->name, "--progress-interval"))
        value = is_first(value, e->value) ? "no" : "yes";
    ADD(run, "%s=%s", e->run, value);
}

/* Adds what `quern run` calls this option.  false: it is refused, and a line says why. */
static bool translate_option(struct qn_text_words *run, enum tool tool, const char *word)
{
    const struct entry *e = find(tool, word);
    const char *value = e && e->value ? strchr(word, '=') + 1 : NULL;

    if (!e)
        return refuse("Unknown option", word, "");
    if (value && *e->value && !fits(value, e->value))
        return refuse_value(e, word);
    if (e->fate == ONLY && !is_first(value, e->value))
        return refuse("Not supported by quern", word, "");
    if (e->fate == WARN && *value && !is_first(value, e->value))
        qn_text_complain("%s: %s: %s", prefix, word, e->run);
    if (value && *e->value == 'G' && !check_geometry(e, word, value))
        return false;
    if (e->fate != TO)
        return true;
    if (!e->run)
        return limit_stack(value);
    add_run_option(run, e, value);
    if (tool == CT && value && *e->value == 'G') /* as Callgrind: a cache that is named is simulated */
        ADD(run, "--cache-sim=yes");
    return true;
}

enum qn_option_foreign qn_valgrind_take_foreign(const char *word, char ***words)
{
    struct qn_text_words run = { .memory = &memory };

    prefix = "quern: run";
    if (!find(ALL, word))
        return QN_OPTION_UNKNOWN;
    if (!strncmp(word, "--tool=", 7) && strcmp(word, "--tool=cachegrind"))
        return refuse("Not supported by quern", word, "`quern valgrind` has Valgrind's command line"), QN_OPTION_REFUSED;
    if (!strncmp(word, "--callgrind-out-file=", 21))
        ADD(&run, "--profile-format=callgrind");
    *words = NULL;
    if (!translate_option(&run, ALL, word))
        return QN_OPTION_REFUSED;
    *words = run.at;
    return QN_OPTION_TAKEN;
}

static void print_names(enum fate fate)
{
    int column = 0;

    for (const struct entry *e = entries; e < entries + ENTRIES; e++)
        if (e->fate == fate) {
            const char *name = e->name + strspn(e->name, "-");

            if (column + strlen(name) > 100)
                column = 0;
            column += printf("%s%s", column ? " " : "\n    ", name);
        }
    putchar('\n');
}

static void print_options(void)
{
    for (const struct entry *e = entries; e < entries + ENTRIES; e++)
        if (e->fate == TO)
            printf("  %s%s%s\n", e->name, e->value ? "=" : "", !e->value ? "" : *e->value == 'G' ? "SIZE,ASSOC,LINE" : e->value);
    printf("\nTaken, and without effect on what quern counts:");
    print_names(NONE);
    printf("\nTaken; a line says what the profile lacks:");
    print_names(WARN);
    printf("\nTaken with their default values only:");
    print_names(ONLY);
}

/* ---- the command ---- */

/* The version that the tests compare with.  Scripts read it to see whether it is new enough. */
#define LIKE "valgrind-3.19.0"
#define DEFAULT_TOOL "memcheck"
#define FAILED 1

static int print_help(void)
{
    puts("usage: quern valgrind --tool=cachegrind|callgrind [OPTIONS] [--] PROGRAM [ARGUMENTS]\n"
         "       quern-valgrind, or valgrind from quern's folder: the same\n"
         "Runs PROGRAM under quern as Valgrind's tool would: the same options, rules of counting, files and exit status.\n"
         "Options are also read from ~/.valgrindrc, VALGRIND_OPTS and ./.valgrindrc.\n\noptions:\n"
         "  --tool=cachegrind|callgrind");
    print_options();
    puts("\n  -h, --help    show this text\n"
         "  --version     show the version of Valgrind that this one is like");
    return 0;
}

/* The first word that is no option. */
static size_t count_options(char **argv)
{
    size_t i = 1;

    while (argv[i] && argv[i][0] == '-' && strcmp(argv[i], "--"))
        i++;
    return i;
}

static bool has(const struct qn_text_words *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++)
        if (!strcmp(words->at[i], word))
            return true;
    return false;
}

/* 0: none of quern's. */
static enum tool find_tool(const char *name)
{
    return !strcmp(name, "cachegrind") ? CG : !strcmp(name, "callgrind") ? CT : 0;
}

static int refuse_tool(const char *tool)
{
    qn_text_complain("valgrind: failed to start tool '%s': quern has only cachegrind and callgrind%s", tool,
                     strcmp(tool, DEFAULT_TOOL) ? "" : " (memcheck is what --tool= is if nothing is said)");
    return FAILED;
}

/* Help and version come before any complaint. */
static bool is_answered(const struct qn_text_words *words, int *status)
{
    if (has(words, "-h") || has(words, "--help") || has(words, "--help=all") || has(words, "--help-debug") || has(words, "--help-dyn-options"))
        *status = print_help();
    else if (has(words, "--version"))
        *status = puts(LIKE) < 0 || ((has(words, "-v") || has(words, "--verbose")) && puts("quern " QN_VERSION) < 0);
    else
        return false;
    return true;
}

/* The command line of `quern run`. */
static bool translate(struct qn_text_words *run, enum tool tool, const struct qn_text_words *words, char **program)
{
    ADD(run, "run");
    ADD(run, "--counting=cachegrind");
    ADD(run, tool == CT ? "--requests=callgrind" : "--requests=cachegrind");
    if (tool == CT) { /* which simulates caches only if it is asked to */
        ADD(run, "--profile-format=callgrind");
        ADD(run, "--cache-sim=no");
    }
    for (size_t i = 0; i < words->count; i++)
        if (!translate_option(run, tool, words->at[i]))
            return false;
    if (!*program) {
        qn_text_complain("valgrind: no program specified; `quern valgrind --help` describes it");
        return false;
    }
    ADD(run, "--");
    qn_text_add_words(run, program);
    return true;
}

int qn_tool_valgrind(int argc, char **argv)
{
    struct qn_text_words words = { .memory = &memory }, run = { .memory = &memory };
    size_t options = count_options(argv), program = options + (argv[options] && !strcmp(argv[options], "--"));
    const char *tool = DEFAULT_TOOL;
    int status;

    (void)argc;
    for (size_t i = 1; i < options; i++)
        if (!strncmp(argv[i], "--tool=", 7))
            tool = argv[i] + 7;
    gather(&words, tool, argv, options);
    if (is_answered(&words, &status))
        return status;
    if (!find_tool(tool))
        return refuse_tool(tool);
    if (!translate(&run, find_tool(tool), &words, argv + program))
        return FAILED;
    status = qn_tool_run((int)run.count, run.at);
    return status == QN_EXIT_USAGE ? FAILED : status;
}
