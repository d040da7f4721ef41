/* tools/main.c - the `quern` command: picks the tool and hands the arguments on.
 *
 * In:  quern annotate cachegrind.out.12
 * Out: qn_tool_annotate(2, { "annotate", "cachegrind.out.12" })
 *
 * Called as valgrind or quern-valgrind it is `quern valgrind`.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "text/output.h"
#include "tools.h"

static const struct {
    const char *name;
    int (*run)(int, char **);
    const char *help;
} tools[] = {
#define X(name, help) { #name, qn_tool_##name, help },
    QN_TOOL_LIST(X)
#undef X
};

#define TOOLS (sizeof tools / sizeof tools[0])

static int print_help(void)
{
    puts("usage: quern COMMAND [ARGUMENTS]\n\ncommands:");
    for (size_t i = 0; i < TOOLS; i++)
        printf("  %-10s %s\n", tools[i].name, tools[i].help);
    puts("\n`quern COMMAND --help`, or `quern help COMMAND`, describes a command.\n"
         "  -h, --help  show this text\n"
         "  --version   show the version");
    return 0;
}

/* Links to quern: bin/quern-valgrind and libexec/quern/valgrind/valgrind. */
static bool is_valgrind(const char *own)
{
    const char *name = basename(own);

    return !strcmp(name, "valgrind") || !strcmp(name, "quern-valgrind");
}

/* argv[0]: the command */
static int run_tool(int argc, char **argv)
{
    for (size_t i = 0; i < TOOLS; i++)
        if (!strcmp(argv[0], tools[i].name))
            return tools[i].run(argc, argv);
    qn_text_complain("quern: %s: no such command; `quern --help` lists them", argv[0]);
    return QN_EXIT_USAGE;
}

static int run(int argc, char **argv)
{
    static char help[] = "--help";

    if (argc > 0 && is_valgrind(argv[0]))
        return qn_tool_valgrind(argc, argv);
    if (argc < 2) {
        fputs("quern: no command given. To begin with:\n"
              "  gcc -g -O2 -o prog prog.c           with line numbers\n"
              "  quern run --out-file=prof ./prog    counts instructions, cache misses, branches\n"
              "  quern annotate prof                 by file, function and line; quern top prof: with keys\n"
              "  quern report ./prog                 a page with what to look at first\n"
              "  quern doctor                        what is missing on this machine\n"
              "`quern --help` lists all commands\n", stderr);
        return QN_EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || (!strcmp(argv[1], "help") && argc == 2))
        return print_help();
    if (!strcmp(argv[1], "--version"))
        return puts("quern " QN_VERSION), 0;
    if (!strcmp(argv[1], "help"))
        return run_tool(2, (char *[]){argv[2], help, NULL});
    return run_tool(argc - 1, argv + 1);
}

/* A standard descriptor that is closed would become the next file that is opened, and get what is printed.  A program that is started still
 * finds it closed. */
static void hold_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC) < 0)
            return;
}

/* A command need not look whether what it printed has arrived. */
int main(int argc, char **argv)
{
    const char *command = argc > 1 && argv[1][0] != '-' && strcmp(argv[1], "help") ? argv[1] : "";
    int status;

    hold_standard_descriptors();
    qn_text_pass_over_file_limit();
    status = run(argc, argv);

    if (status || (!fflush(stdout) && !ferror(stdout)))
        return status;
    qn_text_complain("quern%s%s: standard output: cannot write: %s", *command ? " " : "", command, strerror(errno));
    return 1;
}
