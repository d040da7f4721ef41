/* lib/lab/sandbox/paths.c - see paths.h. */
#define _GNU_SOURCE
#include "lab/sandbox/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/internal.h"
#include "lab/sandbox/confine.h"

/* Paths that programs need, and further ones that compilers need. */
static const char *const run_paths[] = { "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib",
                                         "/etc/ld.so.cache", "/dev/urandom" };
static const char *const compile_paths[] = { "/bin", "/usr/bin", "/usr/local/bin", "/usr/libexec", "/usr/include",
                                             "/usr/local/include" };

void qn_lab_add_path(struct qn_lab_path_list *p, const char *path)
{
    if (p->n < QN_LAB_PATHS_MAX)
        p->at[p->n++] = path;
}

void qn_lab_add_system(struct qn_lab_path_list *p, bool compile)
{
    for (size_t i = 0; i < QN_ARRAY_LEN(run_paths); i++)
        qn_lab_add_path(p, run_paths[i]);
    for (size_t i = 0; compile && i < QN_ARRAY_LEN(compile_paths); i++)
        qn_lab_add_path(p, compile_paths[i]);
    if (compile && QN_LAB_SANITIZED)
        qn_lab_add_path(p, "/proc"); /* AddressSanitizer reads its options there */
}

/* All adapters except that of prefetchers, which is most of a lab's solution. */
void qn_lab_add_library(struct qn_lab_path_list *p, const char *library)
{
    static const char *const patterns[] = { "%s/sim/*.[ch]", "%s/sim/fast", "%s/sim/adapt/[!p]*.h", "%s/sim/adapt/po*.h",
                                            "%s/sim/adapt/pred*.h", "%s/sim/hosted", "%s/base", "%s/cost", "%s/text/escape.[ch]", "%s/lab/host.h",
                                            "%s/../config.h" };

    for (size_t i = 0; i < QN_ARRAY_LEN(patterns); i++) {
        char *pattern = qn_lab_format(patterns[i], library);

        glob(pattern, i ? GLOB_APPEND : 0, NULL, &p->library);
        free(pattern);
    }
    for (size_t i = 0; i < p->library.gl_pathc; i++)
        qn_lab_add_path(p, p->library.gl_pathv[i]);
}

void qn_lab_add_quern(struct qn_lab_path_list *p, const char *quern)
{
    static const char *const places[] = { "%.*s/quern-engine", "%.*s/libquern-engine.a", "%.*s/libquern-replay.a", "%.*s/../libexec/quern" };
    int length = (int)(strrchr(quern, '/') - quern);

    qn_lab_add_path(p, quern);
    for (size_t i = 0; i < QN_ARRAY_LEN(places); i++) {
        char *path = qn_lab_format(places[i], length, quern);

        qn_lab_add_path(p, p->own[i] = path);
    }
}

char *qn_lab_find_command(const char *name)
{
    const char *path = getenv("PATH"), *end;

    if (strchr(name, '/'))
        return strdup(name);
    for (; path && *path; path = end + (*end == ':')) {
        char *full;

        end = strchrnul(path, ':');
        full = qn_lab_format("%.*s/%s", (int)(end - path), path, name);
        if (access(full, X_OK) == 0)
            return full;
        free(full);
    }
    return NULL;
}

void qn_lab_free_paths(struct qn_lab_path_list *p)
{
    for (size_t i = 0; i < QN_ARRAY_LEN(p->own); i++)
        free(p->own[i]);
    globfree(&p->library);
}
