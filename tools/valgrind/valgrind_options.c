/* tools/valgrind/valgrind_options.c - Valgrind's options, and what becomes of each.
 *
 *   TO      `quern run` has it, under this name
 *   NONE    it is about what quern has not (gdbserver, suppressions, Valgrind's own tables): no count depends on it
 *   ONLY    quern can do only the first of the values: any other is refused by name
 *
 * A value is one of the words between bars, or, if it is in capitals, a NUMBER, a TEXT or a geometry.
 * Names, values and tools: `valgrind --help-debug --tool=TOOL` of Valgrind 3.19.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tools.h"
#include "collect/options.h"
#include "valgrind.h"

enum fate { TO, NONE, ONLY };

struct entry {
    const char *name, *value; /* no value: the option is a word by itself */
    enum fate fate;
    const char *run; /* of TO: its name in `quern run` */
    unsigned tools;
};

#define ALL QN_VALGRIND_ALL
#define CG QN_VALGRIND_CACHEGRIND
#define CT QN_VALGRIND_CALLGRIND

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
    { "--trace-jump", "no|yes", ONLY, NULL, CT },

    { "--dump-line", "yes|no", ONLY, NULL, CT },
    { "--dump-instr", "no|yes", ONLY, NULL, CT },
    { "--dump-every-bb", "0|NUMBER", ONLY, NULL, CT },
    { "--collect-jumps", "no|yes", ONLY, NULL, CT },
    { "--collect-bus", "no|yes", ONLY, NULL, CT },
    { "--collect-systime", "no|yes|msec|usec|nsec", ONLY, NULL, CT },
    { "--separate-callers", "0|NUMBER", ONLY, NULL, CT },
    { "--fn-skip", "", ONLY, NULL, CT },
    { "--simulate-wb", "no|yes", ONLY, NULL, CT },
    { "--simulate-hwpref", "no|yes", ONLY, NULL, CT },
    { "--cacheuse", "no|yes", ONLY, NULL, CT },
    { "--compress-strings", "no|yes", NONE, NULL, CT },
    { "--compress-pos", "no|yes", NONE, NULL, CT },
    { "--combine-dumps", "no|yes", NONE, NULL, CT },
    { "--separate-recs", "NUMBER", NONE, NULL, CT },
    { "--skip-plt", "no|yes", NONE, NULL, CT },
    { "--skip-direct-rec", "no|yes", NONE, NULL, CT },
    { "--ct-verbose", "NUMBER", NONE, NULL, CT },
    { "--ct-vstart", "NUMBER", NONE, NULL, CT },

    { "--child-silent-after-fork", "no|yes", ONLY, NULL, ALL },
    { "--trace-children-skip", "", ONLY, NULL, ALL },
    { "--trace-children-skip-by-arg", "", ONLY, NULL, ALL },
    { "--track-fds", "no|yes|all", ONLY, NULL, ALL },
    { "--time-stamp", "no|yes", ONLY, NULL, ALL },
    { "--log-socket", "", ONLY, NULL, ALL },
    { "--xml", "no|yes", ONLY, NULL, ALL },
    { "--input-fd", "NUMBER", NONE, NULL, ALL },
    { "--main-stacksize", "0|NUMBER", ONLY, NULL, ALL },
    { "--require-text-symbol", "", ONLY, NULL, ALL },
    { "--trace-syscalls", "no|yes", ONLY, NULL, ALL },
    { "--trace-signals", "no|yes", ONLY, NULL, ALL },
    { "--trace-symtab", "no|yes", ONLY, NULL, ALL },
    { "--trace-cfi", "no|yes", ONLY, NULL, ALL },
    { "--trace-redir", "no|yes", ONLY, NULL, ALL },
    { "--trace-sched", "no|yes", ONLY, NULL, ALL },
    { "--profile-heap", "no|yes", ONLY, NULL, ALL },
    { "--wait-for-gdb", "no|yes", ONLY, NULL, ALL },
    { "--progress-interval", "0|NUMBER", ONLY, NULL, ALL },

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
};

#define ENTRIES (sizeof entries / sizeof entries[0])

static const struct entry *find(enum qn_valgrind_tool tool, const char *word)
{
    size_t n = strcspn(word, "=");

    for (const struct entry *e = entries; e < entries + ENTRIES; e++)
        if ((e->tools & tool) && strlen(e->name) == n && !strncmp(e->name, word, n) && !e->value == !word[n])
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

static bool refuse(const char *what, const char *word, const char *why)
{
    qn_text_complain("valgrind: %s: %s%s%s", what, word, *why ? ": " : "", why);
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

    if (sscanf(value, "%u,%u,%u", &g.size, &g.assoc, &g.line) == 3 && qn_collect_check_geometry(e->run + 2, &g))
        return true;
    return refuse("Bad option", word, "");
}

bool qn_valgrind_translate(struct qn_words *run, enum qn_valgrind_tool tool, const char *word)
{
    const struct entry *e = find(tool, word);
    const char *value = e && e->value ? strchr(word, '=') + 1 : NULL;
    char *own;
    bool added;

    if (!e)
        return refuse("Unknown option", word, "");
    if (value && *e->value && !fits(value, e->value))
        return refuse_value(e, word);
    if (e->fate == ONLY && !is_first(value, e->value))
        return refuse("Not supported by quern", word, "");
    if (value && *e->value == 'G' && !check_geometry(e, word, value))
        return false;
    if (e->fate != TO)
        return true;
    if (!strcmp(e->name, "--separate-threads"))
        value = *value == 'y' ? "callgrind-threads" : "callgrind";
    if (asprintf(&own, "%s%s%s", e->run, value ? "=" : "", value ? value : "") < 0)
        return refuse("No memory", word, "");
    added = qn_words_add(run, own);
    free(own);
    if (tool == CT && value && *e->value == 'G') /* as Callgrind: a cache that is named is simulated */
        added = added && qn_words_add(run, "--cache-sim=yes");
    if (!strcmp(e->name, "--toggle-collect")) /* the same: --collect-atstart=yes behind it is another matter */
        added = added && qn_words_add(run, "--instr-at-start=no");
    return added;
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

void qn_valgrind_print_options(void)
{
    for (const struct entry *e = entries; e < entries + ENTRIES; e++)
        if (e->fate == TO)
            printf("  %s%s%s\n", e->name, e->value ? "=" : "", !e->value ? "" : *e->value == 'G' ? "SIZE,ASSOC,LINE" : e->value);
    printf("\nTaken, and without effect on what quern counts:");
    print_names(NONE);
    printf("\nTaken with their default values only:");
    print_names(ONLY);
}
