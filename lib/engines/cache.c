/* lib/engines/cache.c - the user's folder of compiled simulators, and its limits.
 *
 * Out: ~/.cache/quern/sims, if it is there or can be made, is ours alone, and programs may be run from it
 *
 * Of what is marked as ours, what was used longest ago goes when there are more than KEPT_FILES or KEPT_BYTES.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "engines/engines.h"
#include "text/cache.h"
#include "text/complain.h"
#include "text/output.h"

#define FOLDER "sims"
#define KEPT_FILES 64
#define KEPT_BYTES (256ll << 20)

char *qn_engines_cache(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *path;

    if (cache && cache[0] == '/')
        return asprintf(&path, "%s/quern", cache) < 0 ? NULL : path;
    return !home || home[0] != '/' || asprintf(&path, "%s/.cache/quern", home) < 0 ? NULL : path;
}

char *qn_engines_cache_folder(void)
{
    char *cache = qn_engines_cache(), *path = NULL;
    struct statvfs fs;
    int fd = -1;

    if (cache && (asprintf(&path, "%s/" FOLDER, cache) < 0 || (fd = qn_text_open_cache(path)) < 0 || access(path, W_OK) ||
                  fstatvfs(fd, &fs) || (fs.f_flag & ST_NOEXEC))) {
        free(path);
        path = NULL;
    }
    if (fd >= 0)
        close(fd);
    free(cache);
    return path;
}

char *qn_engines_scratch(const char *tool)
{
    const char *tmp = getenv("TMPDIR");
    char *path;

    if (asprintf(&path, "%s/quern-sim.XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0)
        return NULL;
    if (qn_text_make_scratch(path))
        return path;
    qn_text_complain("quern: %s: %s: %s", tool, path, strerror(errno));
    free(path);
    return NULL;
}

/* ---- what has become too much ---- */

static bool is_ours(const char *name, int fd)
{
    char mark[sizeof QN_ENGINES_TABLE_MARK] = "";

    if (!strncmp(name, QN_ENGINES_TABLE, strlen(QN_ENGINES_TABLE)))
        return qn_text_is_cache_name(name + strlen(QN_ENGINES_TABLE), QN_ENGINES_KEPT_DIGITS, ".h") &&
               pread(fd, mark, sizeof mark - 1, 0) > 0 && !strcmp(mark, QN_ENGINES_TABLE_MARK);
    return qn_text_is_cache_name(name, QN_ENGINES_KEPT_DIGITS, "") && qn_engines_is_kept(fd);
}

void qn_engines_remove_old(const char *cache)
{
    qn_text_trim_cache(cache, &(struct qn_text_cache_limits){ KEPT_FILES, KEPT_BYTES, 0, QN_ENGINES_NEW, is_ours });
}
