/* tools/sim_describe.c - what is in a simulator.
 *
 *   "quern-sim-build: I1=lru D1=srrip:50b34235a5a88360 LL=lru BC=cachegrind BI=cachegrind"
 *
 * An engine carries such a line about itself (lib/sim/engine.c), and so does a replay, with another mark.  Only an ELF file that
 * has one is a simulator.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_build.h"

#define ENGINE_MARK "quern-sim-build: "
#define REPLAY_MARK "quern-sim-replay: "
#define FIRST_SLOT "I1=" /* follows the mark in a simulator, but not in quern, which has the mark, too */
#define DESCRIPTION_MAX 250
#define ENGINE_BYTES_MAX (64u << 20)

/* What follows `mark` and begins with `first`. */
static char *find_text(const char *path, const char *mark, const char *first, unsigned size)
{
    FILE *f = fopen(path, "rb");
    char *bytes = f ? malloc(ENGINE_BYTES_MAX) : NULL, *at = bytes, *text = NULL;
    size_t n = 0;

    if (bytes) {
        n = fread(bytes, 1, ENGINE_BYTES_MAX, f);
        errno = ferror(f) ? errno : 0;
    }
    if (n < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG))
        at = NULL;
    while (at && !text && (at = memmem(at, n - (size_t)(at - bytes), mark, strlen(mark)))) {
        at += strlen(mark);
        if ((size_t)(bytes + n - at) > strlen(first) && !memcmp(at, first, strlen(first)))
            text = strndup(at, size - 1 < (size_t)(bytes + n - at) ? size - 1 : (size_t)(bytes + n - at));
    }
    free(bytes);
    if (f) {
        int error = errno;

        fclose(f);
        errno = error;
    }
    return text;
}

char *qn_sim_find_text(const char *path, const char *mark, unsigned size) { return find_text(path, mark, "", size); }

char *qn_sim_read_description(const char *path, bool replay)
{
    return find_text(path, replay ? REPLAY_MARK : ENGINE_MARK, FIRST_SLOT, DESCRIPTION_MAX + 1);
}

char *qn_sim_describe(const char *tool, const char *path)
{
    char *text = qn_sim_read_description(path, false);

    if (!text)
        fprintf(stderr, "quern: %s: %s: %s\n", tool, path, errno ? strerror(errno) : "not a simulator");
    return text;
}
