/* tools/sim_pack.c - `quern sim pack MODULE -o FILE` and `quern sim test FILE`: modules handed on (engines/pack.h). */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engines/engines.h"
#include "engines/pack.h"
#include "options.h"
#include "tools.h"

#define OPTION(names, argument, help, take, field) QN_OPTION(names, argument, help, take, struct qn_engines_pack_request, field)
static const struct qn_option pack_options[] = {
    OPTION("-o", "FILE", "the pack", qn_option_text, output),
    OPTION("--slot", "SLOT", "where it stands [the usual slot of such a module]", qn_option_text, slot),
    OPTION("--origin", "TEXT", "who made it, where it comes from [not said]", qn_option_text, origin),
    OPTION("--reference", "TEXT", "what describes it [what its comment has behind \"Source:\"]", qn_option_text, reference),
    OPTION("--trace", "FILE", "the test trace, any that quern replay reads [40000 instructions of /bin/true]", qn_option_text, trace),
    OPTION("--options", "WORDS", "of the replay [--I1=4096,2,64 --D1=4096,4,64 --LL=65536,8,64]", qn_option_text, options),
    QN_OPTION_HELP, QN_OPTION_VERSION, QN_OPTIONS_END };
static const struct qn_options pack_command = { "sim pack", "quern: sim pack",
    "usage: quern sim pack MODULE -o FILE [OPTIONS]\n\n"
    "Writes a module, its hash, origin and reference, a trace and what the module makes of it into one file.\n\n", NULL, pack_options, NULL, false, NULL };

static const struct qn_option test_options[] = { QN_OPTION_HELP, QN_OPTION_VERSION, QN_OPTIONS_END };
static const struct qn_options test_command = { "sim test", "quern: sim test",
    "usage: quern sim test FILE\n\n"
    "Is the module in a pack, or in a C file, what doc/modules.md asks for?  A line for each check; exit status 0\n"
    "if all are ok.\n\n", NULL, test_options, NULL, false, NULL };

int qn_sim_tool_pack(char **argv)
{
    struct qn_engines_pack_request q = { .module = NULL };
    char **words;
    int status = qn_options_take(&pack_command, &q, argv, &words);
    const char *own = qn_engines_own_path("sim");

    if (status >= 0)
        return status;
    if (!words[0] || words[1])
        return qn_options_wrong(&pack_command, words[0] ? words[1] : "", "wanted one module, a name or a C file");
    if (!q.output)
        return qn_options_wrong(&pack_command, words[0], "no output given: -o FILE");
    q.module = words[0];
    return own ? qn_engines_write_pack(&q, own) : 1;
}

int qn_sim_tool_test(char **argv)
{
    char **words, none;
    int status = qn_options_take(&test_command, &none, argv, &words);
    const char *own = qn_engines_own_path("sim");

    if (status >= 0)
        return status;
    if (!words[0] || words[1])
        return qn_options_wrong(&test_command, words[0] ? words[1] : "", "wanted one pack, or a C file");
    return own ? qn_engines_test_module(words[0], own) : 1;
}
