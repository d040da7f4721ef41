/* tools/tools.h - the commands of `quern`, declared once.
 *
 * A command NAME is a function  int qn_tool_NAME(int argc, char **argv)  in tools/NAME.c, with
 * argv[0] the command's name.  It returns the exit status: 0, 1 (failure), 2 (usage, one line on
 * stderr); -h, --help and --version print on stdout and return 0.  To add one, add a line here.
 */
#ifndef QN_TOOLS_H
#define QN_TOOLS_H

#include "text/options.h"
#include "text/error.h"
#include "text/version.h"

#define QN_TOOL_LIST(X)                                                                            \
    X(run, "run a program under the simulators and write its profile")                             \
    X(annotate, "show a profile by file, function and source line")                                \
    X(top, "show a profile on the whole terminal, with keys to walk through it")                        \
    X(diff, "subtract one profile from another")                                                   \
    X(merge, "add profiles")                                                                       \
    X(convert, "make a profile of a file of Callgrind's, or files of other tools")                                               \
    X(csv, "write profiles as comma-separated values, or read them back")                          \
    X(json, "write a profile or a sweep as JSON")                                                  \
    X(trace, "record the references of a program")                                                 \
    X(replay, "feed a recorded trace to simulators")                                               \
    X(sim, "build simulators out of modules, list, compare and test them")                                 \
    X(machine, "list and show the machines whose caches can be simulated")                         \
    X(sweep, "run many programs, simulators and caches into one CSV file")                         \
    X(lab, "list the labs, begin one, check and mark what is handed in")                                     \
    X(demo, "run a demonstration for a lecture")                                                    \
    X(plot, "draw pictures of sweeps, profiles, intervals and tables")                               \
    X(report, "run a program and write a page about it")                                           \
    X(valgrind, "take the command lines of Valgrind's cachegrind and callgrind")                                     \
    X(page, "write a profile as one HTML file to explore")                                         \
    X(watch, "write a page that plays what a cache did, reference by reference")                  \
    X(ctl, "ask a run that is going on, or have it write a profile")                               \
    X(serve, "edit and run C programs in the browser, with their counts")                        \
    X(doctor, "tell what is missing on this machine, and what that costs")                         \
    X(dis, "disassemble an ELF file or bytes")

#define X(name, help) int qn_tool_##name(int argc, char **argv);
QN_TOOL_LIST(X)
#undef X

/* For `quern run`, which has most of Valgrind's options under the same name: qn_options_foreign (options.h). */
enum qn_option_foreign qn_valgrind_take_foreign(const char *word, char ***words);

#endif
