/* tools/valgrind/valgrind.c - `quern valgrind`, quern-valgrind: Cachegrind's and Callgrind's command lines for scripts that call `valgrind`.
 *
 * In:  quern-valgrind --tool=cachegrind --cache-sim=yes --cachegrind-out-file=x.out ./prog arg
 * Out: what `quern run --counting=cachegrind --cache-sim=yes --cachegrind-out-file=x.out -- ./prog arg` does
 *
 * Exit status: that of the program; 1 for a command that is refused, 127 and 126 for a program that cannot be run: Valgrind's.
 */
#include <stdio.h>
#include <string.h>

#include "../tools.h"
#include "valgrind.h"

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
    qn_valgrind_print_options();
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

static bool has(const struct qn_words *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++)
        if (!strcmp(words->list[i], word))
            return true;
    return false;
}

/* 0: none of quern's. */
static enum qn_valgrind_tool find_tool(const char *name)
{
    return !strcmp(name, "cachegrind") ? QN_VALGRIND_CACHEGRIND : !strcmp(name, "callgrind") ? QN_VALGRIND_CALLGRIND : 0;
}

static int refuse_tool(const char *tool)
{
    qn_text_complain("valgrind: failed to start tool '%s': quern has only cachegrind and callgrind%s", tool,
                     strcmp(tool, DEFAULT_TOOL) ? "" : " (memcheck is what --tool= is if nothing is said)");
    return FAILED;
}

/* Help and version come before any complaint. */
static bool is_answered(const struct qn_words *words, int *status)
{
    if (has(words, "-h") || has(words, "--help") || has(words, "--help-debug") || has(words, "--help-dyn-options"))
        *status = print_help();
    else if (has(words, "--version"))
        *status = puts(LIKE) < 0 || ((has(words, "-v") || has(words, "--verbose")) && puts("quern " QN_VERSION) < 0);
    else
        return false;
    return true;
}

/* The command line of `quern run`. */
static bool translate(struct qn_words *run, enum qn_valgrind_tool tool, const struct qn_words *words, char **program)
{
    bool good = qn_words_add(run, "run") && qn_words_add(run, "--counting=cachegrind");

    good = good && qn_words_add(run, tool == QN_VALGRIND_CALLGRIND ? "--requests=callgrind" : "--requests=cachegrind");
    if (tool == QN_VALGRIND_CALLGRIND) /* which simulates caches only if it is asked to */
        good = good && qn_words_add(run, "--profile-format=callgrind") && qn_words_add(run, "--cache-sim=no");

    for (size_t i = 0; i < words->count && good; i++)
        good = qn_valgrind_translate(run, tool, words->list[i]);
    if (good && !*program) {
        qn_text_complain("valgrind: no program specified; `quern valgrind --help` describes it");
        return false;
    }
    good = good && qn_words_add(run, "--");
    for (; *program && good; program++)
        good = qn_words_add(run, *program);
    return good;
}

int qn_tool_valgrind(int argc, char **argv)
{
    struct qn_words words = { NULL, 0 }, run = { NULL, 0 };
    size_t options = count_options(argv), program = options + (argv[options] && !strcmp(argv[options], "--"));
    const char *tool = DEFAULT_TOOL;
    int status;

    (void)argc;
    for (size_t i = 1; i < options; i++)
        if (!strncmp(argv[i], "--tool=", 7))
            tool = argv[i] + 7;
    if (!qn_valgrind_gather(&words, tool, argv, options))
        return perror("valgrind"), FAILED;
    if (is_answered(&words, &status))
        return status;
    if (!find_tool(tool))
        return refuse_tool(tool);
    if (!translate(&run, find_tool(tool), &words, argv + program))
        return FAILED;
    status = qn_tool_run((int)run.count, run.list);
    return status == QN_EXIT_USAGE ? FAILED : status;
}
