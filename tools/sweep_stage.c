/* tools/sweep_stage.c - `quern sweep --on=... --stage=FOLDER`: files of a sweep for nodes that see FOLDER, but not the files.
 *
 *   FOLDER/50b34235a5a88360              a program, an input, a module, an experiment: once for each content
 *   FOLDER/sweep.1f.../files             cwd /home/ada/work
 *                                        quern /usr/local/bin/quern
 *                                        0a5c1d9db82d3b6f /usr/local/bin/quern
 *                                        50b34235a5a88360 /home/ada/work/prog
 *   FOLDER/sweep.1f.../job.sh, 1.csv     what is in OUTPUT.parts otherwise
 *
 * On a node each file that is not there, or is another one, is mounted where it was, in a mount namespace of the job's own: so the program has the
 * same path, argv[0], AT_EXECFN, /proc/self/exe and folder as anywhere, and thus the same counts.  Folders that the node lacks are made in that
 * namespace, and nowhere else.  quern and its engine are staged, too: a job begins as the copy of quern in FOLDER, and goes on as quern in its own place.
 * What is named by no option and no argument is not staged: libraries, and files that a program opens of itself.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "engines/engines.h"
#include "sweep.h"
#include "text/output.h"
#include "tools.h"

#define BLOCK (1u << 20) /* bytes */
#define LINE_BYTES (PATH_MAX + 64)
#define FOLDERS_MAX 64   /* that are made on a node */

static bool complain(const char *what) { return qn_text_complain("quern: sweep: --stage: %s: %s", what, strerror(errno)), false; }

/* ---- where the sweep begins ---- */

struct stage {
    struct qn_exp_memory *m;
    const char *folder;      /* of content */
    FILE *list;
    const char **known;      /* paths, each once */
    int count;
    unsigned long long bytes;
};

/* Whole or not there.  Mode and time are those of the file, since a program may look at them, and so that what nobody else may read stays so. */
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
        complain(to);
        unlink(temporary);
        n = -1;
    } else if (n) {
        complain(from);
    }
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return n == 0;
}

/* Is it what was copied?  Another disk error or hand may have changed it since. */
static bool is_whole(const char *path, uint64_t hash) { return access(path, R_OK) == 0 && qn_engines_hash_file(path) == hash; }

/* A file that is not there needs no staging; who needs it says so. */
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
        return errno = EINVAL, complain(whole);
    g->known = qn_exp_grow(g->m, g->known, (size_t)g->count, sizeof *g->known);
    g->known[g->count++] = whole;
    g->bytes += (unsigned long long)st.st_size;
    hash = qn_engines_hash_file(whole);
    to = qn_exp_format(g->m, "%s/%016llx", g->folder, (unsigned long long)hash);
    fprintf(g->list, "%s %s\n", strrchr(to, '/') + 1, whole);
    return is_whole(to, hash) || copy(whole, &st, to);
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

static bool write_list(struct stage *g, struct qn_sweep *s, const char *list)
{
    const char *temporary = qn_exp_format(g->m, "%s.new", list); /* jobs of the same sweep may be reading the old one */
    char *cwd = getcwd(NULL, 0), *engine = qn_engines_default_engine();
    bool good;

    g->list = fopen(temporary, "we");
    if (!g->list || !cwd)
        return complain(temporary);
    fprintf(g->list, "cwd %s\nquern %s\n", cwd, s->self);
    free(cwd);
    good = add(g, s->self) && (!engine || add(g, engine)) && (!s->options.experiment || add(g, s->options.experiment));
    free(engine);
    for (int i = 0; i < s->runs.count && good; i++)
        good = add_run(g, s, i);
    return (fclose(g->list) == 0 || complain(temporary)) && good && (rename(temporary, list) == 0 || complain(list));
}

const char *qn_sweep_stage(struct qn_sweep *s)
{
    struct stage g = { .m = &s->options.exp.memory };
    char *folder, *output = realpath(s->work, NULL); /* which is beside the output, and there */
    const char *parts;
    char host[HOST_NAME_MAX + 1] = "";
    uint64_t hash = QN_HASH_NONE;

    if ((mkdir(s->options.stage, 0777) && errno != EEXIST) || !output || !(folder = realpath(s->options.stage, NULL)))
        return complain(s->options.stage), NULL;
    g.folder = qn_exp_copy(g.m, folder);
    free(folder);
    gethostname(host, sizeof host - 1); /* another host may have another sweep at the same path */
    hash = qn_hash_bytes(qn_hash_bytes(hash, host, strlen(host) + 1), output, strlen(output));
    free(output);
    parts = qn_exp_format(g.m, "%s/sweep.%016llx", g.folder, (unsigned long long)hash);
    if (mkdir(parts, 0777) && errno != EEXIST)
        return complain(parts), NULL;
    if (!write_list(&g, s, qn_exp_format(g.m, "%s/files", parts)))
        return NULL;
    s->staged_self = qn_exp_format(g.m, "%s/%016llx", g.folder, (unsigned long long)qn_engines_hash_file(s->self));
    if (!s->options.quiet)
        qn_text_complain("quern sweep: %d files with %llu bytes are in %s; libraries, and what programs open besides, are those of the nodes", g.count,
                         g.bytes, g.folder);
    return parts;
}

/* ---- on a node ---- */

static bool write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    if (fd >= 0)
        close(fd);
    return good;
}

/* As the same user; where that is not root, in a user namespace, too. */
static bool enter_namespace(void)
{
    char map[64];
    uid_t uid = geteuid();
    gid_t gid = getegid();

    if (unshare(CLONE_NEWNS | (uid ? CLONE_NEWUSER : 0)))
        return complain("no mount namespace");
    if (uid) {
        snprintf(map, sizeof map, "%u %u 1", uid, uid);
        if (!write_file("/proc/self/setgroups", "deny") || !write_file("/proc/self/uid_map", map))
            return complain("/proc/self/uid_map");
        snprintf(map, sizeof map, "%u %u 1", gid, gid);
        if (!write_file("/proc/self/gid_map", map))
            return complain("/proc/self/gid_map");
    }
    return mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 || complain("/");
}

/* What a folder holds, shown again in a new one: target/name. */
static bool show_entry(int old, const struct dirent *e, const char *target)
{
    char from[NAME_MAX + 64], to[PATH_MAX + NAME_MAX], link[PATH_MAX];
    ssize_t n;
    int fd;

    snprintf(from, sizeof from, "/proc/self/fd/%d/%s", old, e->d_name);
    snprintf(to, sizeof to, "%s/%s", target, e->d_name);
    if ((n = readlink(from, link, sizeof link - 1)) >= 0)
        return link[n] = 0, symlink(link, to) == 0;
    if (e->d_type == DT_DIR)
        return mkdir(to, 0755) == 0 && mount(from, to, NULL, MS_BIND | MS_REC, NULL) == 0;
    fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    return fd >= 0 && close(fd) == 0 && mount(from, to, NULL, MS_BIND, NULL) == 0;
}

/* The folder becomes one in which this namespace can make files, and shows what it has shown. */
static bool own_folder(const char *path)
{
    int old = strcmp(path, "/") ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    DIR *d = old >= 0 ? fdopendir(old) : NULL;
    struct dirent *e;
    bool good = d && mount("quern", path, "tmpfs", 0, "mode=755") == 0;

    if (!strcmp(path, "/"))
        return qn_text_complain("quern: sweep: --stage: this node lacks a folder of /, where none can be made"), false;
    if (!good)
        return complain(path);
    while (good && (e = readdir(d)))
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && !show_entry(dirfd(d), e, path))
            good = complain(e->d_name);
    closedir(d);
    return good;
}

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Is it a folder of ours, or one that was made in such a one? */
static bool is_ours(const char *path, bool from_now_on)
{
    static dev_t ours[FOLDERS_MAX];
    static int count;
    struct stat st;

    if (stat(path, &st))
        return false;
    for (int i = 0; i < count; i++)
        if (ours[i] == st.st_dev)
            return true;
    if (from_now_on && count < FOLDERS_MAX)
        ours[count++] = st.st_dev;
    return from_now_on;
}

/* Makes `path`, a folder or an empty file, where the node may have nothing of it. */
static bool make(const char *path, bool folder)
{
    char *up = strdup(path), *slash = up ? strrchr(up, '/') : NULL;
    bool good = slash != NULL;
    int fd;

    if (good)
        slash[slash == up] = 0;
    good = good && (is_folder(up) || make(up, true)) && (is_ours(up, false) || (own_folder(up) && is_ours(up, true)));
    if (good && access(path, F_OK)) {
        fd = folder ? mkdir(path, 0755) : open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
        good = fd >= 0 || complain(path);
        if (good && !folder)
            close(fd);
    }
    free(up);
    return good;
}

/* 1: the node has it already; 0: it has not; -1: what was staged is not whole. */
static int look(const char *folder, const char *hash, const char *path, char *staged)
{
    uint64_t wanted = strtoull(hash, NULL, 16);

    snprintf(staged, PATH_MAX + LINE_BYTES, "%s/%s", folder, hash);
    if (is_whole(path, wanted))
        return 1;
    if (is_whole(staged, wanted))
        return 0;
    return qn_text_complain("quern: sweep: --stage: %s is not there as it was staged, for %s", staged, path), -1;
}

static bool show(const char *staged, const char *path, bool *entered)
{
    if (!*entered && !(*entered = enter_namespace()))
        return false;
    return (access(path, F_OK) == 0 || make(path, false)) && (mount(staged, path, NULL, MS_BIND, NULL) == 0 || complain(path));
}

struct stay { /* what a list says: where a job is */
    char cwd[PATH_MAX], quern[PATH_MAX];
    bool entered; /* the namespace of its own */
};

static bool take_line(struct stay *y, const char *folder, char *line)
{
    char staged[PATH_MAX + LINE_BYTES], *path = strchr(line, ' ');
    int there;

    line[strcspn(line, "\n")] = 0;
    if (!path)
        return true;
    *path++ = 0;
    if (!strcmp(line, "cwd") || !strcmp(line, "quern"))
        return snprintf(*line == 'c' ? y->cwd : y->quern, PATH_MAX, "%s", path) < PATH_MAX;
    there = look(folder, line, path, staged);
    return there > 0 || (there == 0 && show(staged, path, &y->entered));
}

/* The copy in the folder has done its part. */
static bool go_on_as(const char *quern, const char *folder, char **argv)
{
    const char *own = qn_engines_own_path("sweep");

    if (!own || strncmp(own, folder, strlen(folder)) || !*quern)
        return own;
    setenv(QN_SWEEP_STAGED, "", 1);
    argv[-1] = (char *)quern; /* of main's: quern sweep ... */
    execv(quern, argv - 1);
    return complain(quern);
}

bool qn_sweep_enter_stage(char **argv)
{
    const char *list = getenv(QN_SWEEP_STAGED);
    char folder[PATH_MAX], line[LINE_BYTES];
    struct stay y = { .cwd = "/" };
    bool good = true;
    FILE *f;

    if (!list || !*list)
        return true;
    if (!(f = fopen(list, "re")))
        return complain(list);
    snprintf(folder, sizeof folder, "%s", list);
    for (int i = 0; i < 2 && strrchr(folder, '/'); i++) /* "/sweep.1f.../files" */
        *strrchr(folder, '/') = 0;
    while (good && fgets(line, sizeof line, f))
        good = take_line(&y, folder, line);
    fclose(f);
    if (good && !is_folder(y.cwd))
        good = (y.entered || enter_namespace()) && make(y.cwd, true);
    return good && (chdir(y.cwd) == 0 || complain(y.cwd)) && go_on_as(y.quern, folder, argv);
}
