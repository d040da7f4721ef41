/* lib/engines/engine.c - finds the engine to use.
 *
 *   --sim=./mysim, /tmp/mysim     that file
 *   --sim=mysim                   mysim or quern-engine-mysim, beside quern, then in libexec/quern; never in the current
 *                                 directory, so that what a name means does not depend on where one is
 *   no --sim                      quern-engine, in the same places
 *
 * In:  the option's value
 * Out: the file's real path; or one line `quern: run: --sim=VALUE: what`.  A file that does not carry a
 *      simulator's description (engines.h) is refused before anything is started.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/engines.h"
#include "text/error.h"

#define ENGINE_NAME "quern-engine"

/* Why it cannot be executed; NULL: it can. */
static const char *fault_of(const char *path)
{
    struct stat st;

    if (stat(path, &st))
        return strerror(errno);
    if (S_ISDIR(st.st_mode))
        return "is a directory";
    if (!S_ISREG(st.st_mode))
        return "not a regular file";
    return access(path, X_OK) ? strerror(errno) : NULL;
}

static char *closed; /* an engine that is there, but not for this user */

static char *try_engine(const char *directory, const char *below, const char *prefix, const char *name)
{
    char *path, *real = NULL;

    if (asprintf(&path, "%s%s/%s%s", directory, below, prefix, name) < 0)
        return NULL;
    errno = 0;
    if (!fault_of(path))
        real = realpath(path, NULL);
    else if (errno == EACCES && !closed)
        closed = strdup(path);
    free(path);
    return real;
}

/* First the libexec folder beside this quern, wherever it was moved to, then the one that configure was told. */
static char *search(const char *name)
{
    const char *const places[][2] = {
        { qn_engines_own_folder(), "" }, { qn_engines_own_folder(), "/../libexec/quern" },
#ifdef QN_PKGLIBEXECDIR
        { QN_PKGLIBEXECDIR, "" },
#endif
    };
    char *found = NULL;

    for (size_t i = 0; i < sizeof places / sizeof places[0] && !found; i++) {
        found = try_engine(places[i][0], places[i][1], "", name);
        if (!found)
            found = try_engine(places[i][0], places[i][1], ENGINE_NAME "-", name);
    }
    return found;
}

static char *refuse(const char *tool, const char *option, const char *name, const char *what, const char *more)
{
    qn_text_complain("quern: %s: %s=%s: %s%s%s", tool, option, name, what, more, *more ? name : "");
    return NULL;
}

char *qn_engines_search_engine(const char *tool, const char *option, const char *name)
{
    const char *fault;
    char *path;
    struct qn_engines_texts texts;

    if (strchr(name, '/')) {
        fault = fault_of(name);
        if (fault)
            return refuse(tool, option, name, fault, "");
        path = realpath(name, NULL);
    } else {
        path = search(name);
        if (!path && !option)
            return NULL;
        if (!path)
            return refuse(tool, option, name, "no such simulator beside quern or in its libexec, and no module",
                          access(name, F_OK) ? "" : "; a file of this directory is reached as ./");
    }
    if (path && qn_engines_read_texts(path, &texts)) {
        qn_engines_free_texts(&texts);
        return path;
    }
    free(path);
    return option ? refuse(tool, option, name, "not a simulator; `quern sim build` makes them", "") : NULL;
}

void qn_engines_tell_no_engine(const char *tool)
{
    char *path = qn_engines_default_engine();

    if (path)
        qn_text_complain("quern: %s: no engine: %s: %s", tool, path, access(path, R_OK) ? strerror(errno) : "not an engine of this quern");
    else if (closed)
        qn_text_complain("quern: %s: no engine: %s: %s", tool, closed, strerror(EACCES));
    else
        qn_text_complain("quern: %s: no engine: quern-engine is neither beside quern nor in its libexec", tool);
    free(path);
}

char *qn_engines_find_program(const char *name) { return search(name); }
char *qn_engines_default_engine(void) { return search(ENGINE_NAME); }
