/* lib/engines/places.c - finds the sources of simulators, modules and archives, and gives a module its name.
 *
 * In:  "srrip"
 * Out: /usr/local/share/quern/lib/sim/policy/srrip.c, and as profiles name it "srrip:50b34235a5a88360"
 */
#define _GNU_SOURCE
#include "engines/engines.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "text/error.h"

const char *const qn_engines_slot_names[QN_ENGINES_SLOTS] = { "I1", "D1", "LL", "BC", "BI", "AN" };

int qn_engines_find_slot(const char *name, unsigned length)
{
    for (int i = 0; i < QN_ENGINES_SLOTS; i++)
        if (strlen(qn_engines_slot_names[i]) == length && !strncmp(qn_engines_slot_names[i], name, length))
            return i;
    return -1;
}

/* ---- where things are ---- */

static bool exists(const char *path) { return access(path, R_OK) == 0; }

static char *read_own_path(void)
{
    static char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

    path[n < 0 ? 0 : n] = 0;
    return path;
}

char *qn_engines_own_path(const char *tool)
{
    char *path = read_own_path();

    if (!*path)
        qn_text_complain("quern: %s: /proc/self/exe: %s", tool, strerror(errno));
    return *path ? path : NULL;
}

const char *qn_engines_own_folder(void)
{
    static char folder[PATH_MAX];

    snprintf(folder, sizeof folder, "%s", read_own_path());
    if (strrchr(folder, '/'))
        *strrchr(folder, '/') = 0;
    return folder;
}

/* The folder DIRECTORY + rest, if it holds the simulators' sources; else NULL.  closed: the first that is there, but not for this user. */
static const char *try_library(const char *directory, const char *rest, char closed[PATH_MAX])
{
    static char found[PATH_MAX];
    char *path, *probe = NULL;
    bool good = false;

    if (!directory || asprintf(&path, "%s%s", directory, rest) < 0)
        return NULL;
    if (asprintf(&probe, "%s/sim/engine.c", path) >= 0)
        good = exists(probe) && realpath(path, found);
    if (!good && errno == EACCES && !*closed)
        snprintf(closed, PATH_MAX, "%s", probe);
    free(path);
    free(probe);
    return good ? found : NULL;
}

#ifndef QN_TOP_SRCDIR
#define QN_TOP_SRCDIR NULL
#endif
#ifndef QN_PKGDATADIR
#define QN_PKGDATADIR NULL
#endif

const char *qn_engines_library(const char *tool)
{
    char closed[PATH_MAX] = "";
    const char *own = qn_engines_own_folder(), *found = try_library(getenv("QUERN_SIM_DIR"), "", closed);

    if (!found)
        found = try_library(own, "/../share/quern/lib", closed);
    if (!found) /* of the tree that quern was built in, which may have been copied since */
        found = try_library(own, "/../lib", closed);
    if (!found)
        found = try_library(QN_TOP_SRCDIR, "/lib", closed);
    if (!found)
        found = try_library(QN_PKGDATADIR, "/lib", closed);
    if (!found && *closed)
        qn_text_complain("quern: %s: the sources of the simulators, %s: %s", tool, closed, strerror(EACCES));
    else if (!found)
        qn_text_complain("quern: %s: the sources of the simulators are not in %s/../share/quern/lib", tool, own);
    return found;
}

char *qn_engines_find_archive(const char *name)
{
    const char *const places[][2] = {
        { qn_engines_own_folder(), "" }, { qn_engines_own_folder(), "/../libexec/quern" },
#ifdef QN_PKGLIBEXECDIR
        { QN_PKGLIBEXECDIR, "" },
#endif
    };
    char *path;

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (asprintf(&path, "%s%s/%s", places[i][0], places[i][1], name) < 0)
            return NULL;
        if (exists(path))
            return path;
        free(path);
    }
    return NULL;
}

/* Is this the name of a file?  Else it names a module that ships with quern. */
static bool is_file_name(const char *name)
{
    size_t n = strlen(name);

    return strchr(name, '/') || (n > 2 && !strcmp(name + n - 2, ".c"));
}

char *qn_engines_find_module(const char *tool, const char *library, enum qn_engines_slot slot, const char *name)
{
    char *pattern, *path = NULL;
    struct stat st;
    glob_t g;

    if (is_file_name(name)) {
        path = realpath(name, NULL);
        if (path && !access(path, R_OK) && !stat(path, &st) && S_ISREG(st.st_mode))
            return path;
        qn_text_complain("quern: %s: %s=%s: %s", tool, qn_engines_slot_names[slot], name,
                         path && !access(path, R_OK) ? "not a regular file" : strerror(errno));
        free(path);
        return NULL;
    }
    if (asprintf(&pattern, "%s/sim/[!h]*/%s.c", library, name) < 0)
        return NULL;
    if (*name && !name[strcspn(name, "*?[\\")] && glob(pattern, 0, NULL, &g) == 0) {
        path = strdup(g.gl_pathv[0]);
        globfree(&g);
    } else {
        qn_text_complain("quern: %s: %s=%s: no such module; `quern sim list` shows them", tool, qn_engines_slot_names[slot], name);
    }
    free(pattern);
    return path;
}

uint64_t qn_engines_hash_file(const char *path)
{
    uint64_t hash = QN_HASH_NONE;
    FILE *f = fopen(path, "rb");
    int c;

    while (f && (c = getc_unlocked(f)) != EOF)
        hash = qn_hash_add(hash, (unsigned)c);
    if (f)
        fclose(f);
    return hash;
}

/* A name must be one word, because profiles separate names by blanks. */
char *qn_engines_name_module(const char *file)
{
    const char *base = basename(file);
    char *name = NULL;

    if (asprintf(&name, "%.*s:%016llx", (int)strcspn(base, "."), base, (unsigned long long)qn_engines_hash_file(file)) < 0)
        return NULL;
    for (char *p = name; *p; p++)
        if (*p <= ' ' || *p > '~' || strchr("\"\\,+=", *p))
            *p = '_';
    return name;
}
