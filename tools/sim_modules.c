/* tools/sim_modules.c - which files a simulator was built from.
 *
 *   "quern-sim-build: I1=lru D1=mine:50b34235a5a88360 LL=lru BC=gshare:... BI=cachegrind"
 *   "quern-sim-sources: \nD1=/home/me/mine.c\nBC=/usr/share/quern/lib/sim/bpred/gshare.c"
 *   ->  module[D1] = "/home/me/mine.c", module[BC] = ..., the others NULL
 *
 * A file that is no longer what was compiled is refused: its hash is in the description.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim_build.h"
#include "tools.h"

#define SOURCES_MARK "quern-sim-sources: "
#define SOURCES_MAX 32768 /* bytes of six paths */

/* The hash that the description has for a slot, 0 = none. */
static uint64_t hash_in(const char *description, const char *slot)
{
    char key[16];
    const char *at, *colon;

    snprintf(key, sizeof key, "%s=", slot);
    at = strstr(description, key);
    colon = at ? strchr(at, ':') : NULL;
    return colon && colon < at + strcspn(at, " ") ? strtoull(colon + 1, NULL, 16) : 0;
}

/* Paths of a build tree are relative to the folder that holds lib/. */
static char *complete(const char *library, const char *path)
{
    char *whole = NULL;

    if (path[0] == '/')
        return strdup(path);
    return asprintf(&whole, "%s/../%s", library, path) < 0 ? NULL : whole;
}

static bool take_line(const char *tool, const char *library, const char *engine, const char *description, const char *line,
                      char *module[QN_SIM_SLOTS])
{
    const char *equals = strchr(line, '=');
    int slot = equals ? qn_sim_find_slot(line, (unsigned)(equals - line)) : -1;
    uint64_t hash = slot < 0 ? 0 : hash_in(description, qn_sim_slot_names[slot]);

    if (slot < 0)
        return true;
    module[slot] = complete(library, equals + 1);
    if (access(module[slot], R_OK) == 0 && (!hash || hash == qn_sim_hash_file(module[slot])))
        return true;
    qn_tool_complain("quern: %s: %s: slot %s was built from %s, which has changed since; build it again", tool, engine,
                     qn_sim_slot_names[slot], module[slot]);
    return false;
}

bool qn_sim_read_modules(const char *tool, const char *path, char *module[QN_SIM_SLOTS])
{
    const char *library = qn_sim_library(tool);
    char *description = library ? qn_sim_describe(tool, path) : NULL;
    char *sources = description ? qn_sim_find_text(path, SOURCES_MARK, SOURCES_MAX) : NULL, *rest = sources, *line;
    bool good = description != NULL;

    if (description && !sources)
        qn_tool_complain("quern: %s: %s does not say what it was built from; build it again", tool, path);
    while (good && (line = strsep(&rest, "\n")))
        good = take_line(tool, library, path, description, line, module);
    free(description);
    good = good && sources;
    free(sources);
    return good;
}
