/* tools/sweep/sweep_stage.c - `quern sweep --on=... --stage=FOLDER`: files of a sweep for nodes that see FOLDER, but not the files (sweep_staged.c).
 *
 *   FOLDER/50b34235a5a88360              a program, an input, a module, an experiment: once for each content
 *   FOLDER/sweep.1f.../files             cwd /home/ada/work
 *                                        quern /usr/local/bin/quern
 *                                        0a5c1d9db82d3b6f /usr/local/bin/quern
 *                                        50b34235a5a88360 /home/ada/work/prog
 *                                        engine 7f2ac6ed31b8a0f4 mine.c
 *   FOLDER/sweep.1f.../job.sh, 1.csv     what is in OUTPUT.parts otherwise
 *
 * quern and its engine are staged, too, and engines with modules of the user's own, compiled here.  What is named by no option and no argument is not
 * staged: libraries, and files that a program opens of itself.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../tools.h"
#include "base/hash.h"
#include "engines/engines.h"
#include "sweep.h"
#include "text/output.h"

#define BLOCK (1u << 20) /* bytes */

bool qn_sweep_fail_stage(const char *what) { return qn_text_complain("quern: sweep: --stage: %s: %s", what, strerror(errno)), false; }

/* ---- where the sweep begins ---- */

struct stage {
    struct qn_exp_memory *m;
    const char *folder;      /* of content */
    FILE *list;
    const char **known;      /* paths, each once */
    int count;
    unsigned long long bytes;
};

/* Makes a complete copy or none.  It has the mode and times of the file, because a program may read them, and a private file must stay private. */
static bool copy(const char *from, const struct stat *st, const char *to)
{
    const struct timespec times[2] = { st->st_atim, st->st_mtim };
    int in = open(from, O_RDONLY | O_CLOEXEC), out = -1;
    char temporary[PATH_MAX];
    ssize_t n = -1;

    snprintf(temporary, sizeof temporary, "%s.XXXXXX", to);
    if (in >= 0 && (out = mkstemp(temporary)) >= 0)
        while ((n = sendfile(out, in, NULL, BLOCK)) > 0)
            ;
    if (out >= 0 && (n || fchmod(out, (st->st_mode & 0777) | 0400) || futimens(out, times) || rename(temporary, to))) {
        qn_sweep_fail_stage(to);
        unlink(temporary);
        n = -1;
    } else if (n) {
        qn_sweep_fail_stage(from);
    }
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return n == 0;
}

/* Is the copy still what was copied?  A disk error or a user may have changed it since. */
bool qn_sweep_is_whole(const char *path, uint64_t hash) { return access(path, R_OK) == 0 && qn_engines_hash_file(path) == hash; }

/* A file that does not exist is not staged; whatever needs it reports that. */
static bool add(struct stage *g, const char *path)
{
    char *cwd = getcwd(NULL, 0);
    const char *whole = *path == '/' || !cwd ? path : qn_exp_format(g->m, "%s/%s", cwd, path + 2 * !strncmp(path, "./", 2)), *to;
    struct stat st;
    uint64_t hash;

    free(cwd);
    for (int i = 0; i < g->count; i++)
        if (!strcmp(g->known[i], whole))
            return true;
    if (stat(whole, &st) || !S_ISREG(st.st_mode))
        return true;
    if (strchr(whole, '\n'))
        return errno = EINVAL, qn_sweep_fail_stage(whole);
    g->known = qn_exp_grow(g->m, g->known, (size_t)g->count, sizeof *g->known);
    g->known[g->count++] = qn_exp_copy(g->m, whole); /* the caller may free its own */
    g->bytes += (unsigned long long)st.st_size;
    hash = qn_engines_hash_file(whole);
    to = qn_exp_format(g->m, "%s/%016llx", g->folder, (unsigned long long)hash);
    fprintf(g->list, "%s %s\n", strrchr(to, '/') + 1, whole);
    return qn_sweep_is_whole(to, hash) || copy(whole, &st, to);
}

static bool add_run(struct stage *g, struct qn_sweep *s, int i)
{
    const struct qn_exp_run *run = &s->runs.at[i];
    const struct qn_exp_sim *sim = s->sims[i];
    const char *program = qn_sweep_find_program(g->m, run->argv[0]);
    bool good = !program || add(g, program);

    for (int k = 1; run->argv[k] && good; k++)
        good = add(g, run->argv[k]);
    for (int k = 0; k < QN_EXP_SLOTS && good; k++)
        good = !sim->file[k] || add(g, sim->file[k]);
    return good && (!run->input || add(g, run->input)) && (!sim->engine || add(g, sim->engine));
}

/* Of a module of the user's own: compiled here, so that nodes need no compiler.  Behind what jobs look for where it was. */
static bool add_engine(struct stage *g, struct qn_sweep *s, struct qn_exp_sim *sim)
{
    const char *to;
    struct stat st;
    uint64_t hash;

    if (sim->engine || strchr(sim->text, '\n'))
        return true;
    if (qn_sweep_build_sim(s, sim))
        return false;
    if (!strchr(sim->engine, '/')) /* it is in the default engine */
        return true;
    if (stat(sim->engine, &st))
        return qn_sweep_fail_stage(sim->engine);
    hash = qn_engines_hash_file(sim->engine);
    to = qn_exp_format(g->m, "%s/%016llx", g->folder, (unsigned long long)hash);
    fprintf(g->list, "engine %s %s\n", strrchr(to, '/') + 1, sim->text);
    return qn_sweep_is_whole(to, hash) || copy(sim->engine, &st, to);
}

/* Where a module that ships is looked for (qn_engines_library). */
static bool add_library(struct stage *g)
{
    const char *library = qn_engines_library("sweep");

    return !library || add(g, qn_exp_format(g->m, "%s/sim/engine.c", library));
}

static bool write_list(struct stage *g, struct qn_sweep *s, const char *list)
{
    const char *temporary = qn_exp_format(g->m, "%s.new", list); /* jobs of the same sweep may be reading the old one */
    char *cwd = getcwd(NULL, 0), *engine = qn_engines_default_engine();
    bool good;

    g->list = fopen(temporary, "we");
    if (!g->list || !cwd)
        return qn_sweep_fail_stage(temporary);
    fprintf(g->list, "cwd %s\nquern %s\n", cwd, s->self);
    free(cwd);
    good = add(g, s->self) && (!engine || add(g, engine)) && (!s->options.experiment || add(g, s->options.experiment));
    free(engine);
    good = good && add_library(g);
    for (int i = 0; i < s->runs.count && good; i++)
        good = add_run(g, s, i);
    for (int i = 0; i < s->known_count && good; i++)
        good = add_engine(g, s, s->known[i]);
    return (fclose(g->list) == 0 || qn_sweep_fail_stage(temporary)) && good && (rename(temporary, list) == 0 || qn_sweep_fail_stage(list));
}

const char *qn_sweep_stage(struct qn_sweep *s)
{
    struct stage g = { .m = &s->options.exp.memory };
    char *folder, *output = realpath(s->work, NULL); /* which is beside the output, and there */
    const char *parts;
    char host[HOST_NAME_MAX + 1] = "";
    uint64_t hash = QN_HASH_NONE;

    if ((mkdir(s->options.stage, 0777) && errno != EEXIST) || !output || !(folder = realpath(s->options.stage, NULL)))
        return qn_sweep_fail_stage(s->options.stage), NULL;
    g.folder = qn_exp_copy(g.m, folder);
    free(folder);
    gethostname(host, sizeof host - 1); /* another host may have another sweep at the same path */
    hash = qn_hash_bytes(qn_hash_bytes(hash, host, strlen(host) + 1), output, strlen(output));
    free(output);
    parts = qn_exp_format(g.m, "%s/sweep.%016llx", g.folder, (unsigned long long)hash);
    if (mkdir(parts, 0777) && errno != EEXIST)
        return qn_sweep_fail_stage(parts), NULL;
    if (!write_list(&g, s, qn_exp_format(g.m, "%s/files", parts)))
        return NULL;
    s->staged_self = qn_exp_format(g.m, "%s/%016llx", g.folder, (unsigned long long)qn_engines_hash_file(s->self));
    if (!s->options.quiet)
        qn_text_complain("quern sweep: %d files with %llu bytes are in %s; libraries, and what programs open besides, are those of the nodes", g.count,
                         g.bytes, g.folder);
    return parts;
}
