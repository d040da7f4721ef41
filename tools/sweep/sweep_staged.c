/* tools/sweep/sweep_staged.c - a job of `quern sweep --stage=FOLDER`, on a node: what was staged (sweep_stage.c) is where it was.
 *
 * Each file that is not there, or is another one, is mounted where it was, in a mount namespace of the job's own: so the program has the
 * same path, argv[0], AT_EXECFN, /proc/self/exe and folder as anywhere, and thus the same counts.  Folders that the node lacks are made in that
 * namespace, and nowhere else.  The job begins as the copy of quern in FOLDER, and goes on as quern in its own place.
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
#include <sys/stat.h>
#include <unistd.h>

#include "../tools.h"
#include "engines/engines.h"
#include "sweep.h"

#define LINE_BYTES (PATH_MAX + 64)
#define FOLDERS_MAX 64 /* that are made on a node */
#define ENGINES "QUERN_SWEEP_ENGINES" /* of a job that goes on as quern in its own place: the list */

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
        return qn_sweep_fail_stage("no mount namespace");
    if (uid) {
        snprintf(map, sizeof map, "%u %u 1", uid, uid);
        if (!write_file("/proc/self/setgroups", "deny") || !write_file("/proc/self/uid_map", map))
            return qn_sweep_fail_stage("/proc/self/uid_map");
        snprintf(map, sizeof map, "%u %u 1", gid, gid);
        if (!write_file("/proc/self/gid_map", map))
            return qn_sweep_fail_stage("/proc/self/gid_map");
    }
    return mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 || qn_sweep_fail_stage("/");
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

/* Mounts a new folder at `path`, in which this namespace can make files, and shows the old contents in it. */
static bool own_folder(const char *path)
{
    int old = strcmp(path, "/") ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    DIR *d = old >= 0 ? fdopendir(old) : NULL;
    struct dirent *e;
    bool good = d && mount("quern", path, "tmpfs", 0, "mode=755") == 0;

    if (!strcmp(path, "/"))
        return qn_text_complain("quern: sweep: --stage: this node lacks a folder of /, where none can be made"), false;
    if (!good)
        return qn_sweep_fail_stage(path);
    while (good && (e = readdir(d)))
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && !show_entry(dirfd(d), e, path))
            good = qn_sweep_fail_stage(e->d_name);
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
        good = fd >= 0 || qn_sweep_fail_stage(path);
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
    if (qn_sweep_is_whole(path, wanted))
        return 1;
    if (qn_sweep_is_whole(staged, wanted))
        return 0;
    return qn_text_complain("quern: sweep: --stage: %s is not there as it was staged, for %s", staged, path), -1;
}

static bool show(const char *staged, const char *path, bool *entered)
{
    if (!*entered && !(*entered = enter_namespace()))
        return false;
    return (access(path, F_OK) == 0 || make(path, false)) && (mount(staged, path, NULL, MS_BIND, NULL) == 0 || qn_sweep_fail_stage(path));
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
    if (!strcmp(line, "engine"))
        return true;
    there = look(folder, line, path, staged);
    return there > 0 || (there == 0 && show(staged, path, &y->entered));
}

/* Executes quern in its own place; the copy in FOLDER is not needed any more. */
static bool go_on_as(const char *quern, const char *folder, char **argv)
{
    const char *own = qn_engines_own_path("sweep");
    size_t length = strlen(folder);

    if (!own || strncmp(own, folder, length) || own[length] != '/' || !*quern)
        return own;
    setenv(QN_SWEEP_STAGED, "", 1); /* qn_sweep_find_staged has the list still */
    argv[-1] = (char *)quern; /* of main's: quern sweep ... */
    execv(quern, argv - 1);
    return qn_sweep_fail_stage(quern);
}

const char *qn_sweep_find_staged(struct qn_exp_memory *m, const char *text)
{
    const char *list = getenv(ENGINES), *found = NULL;
    char line[LINE_BYTES], *name;
    FILE *f = list ? fopen(list, "re") : NULL;

    while (f && !found && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "engine ", 7) || !(name = strchr(line + 7, ' ')) || strcmp(name + 1, text))
            continue;
        *name = 0;
        found = qn_exp_format(m, "%.*s/../%s", (int)(strrchr(list, '/') - list), list, line + 7);
        if (!qn_sweep_is_whole(found, strtoull(line + 7, NULL, 16)))
            found = NULL;
    }
    if (f)
        fclose(f);
    return found;
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
        return qn_sweep_fail_stage(list);
    setenv(ENGINES, list, 1);
    snprintf(folder, sizeof folder, "%s", list);
    for (int i = 0; i < 2 && strrchr(folder, '/'); i++) /* "/sweep.1f.../files" */
        *strrchr(folder, '/') = 0;
    while (good && fgets(line, sizeof line, f))
        good = take_line(&y, folder, line);
    fclose(f);
    if (good && !is_folder(y.cwd))
        good = (y.entered || enter_namespace()) && make(y.cwd, true);
    return good && (chdir(y.cwd) == 0 || qn_sweep_fail_stage(y.cwd)) && go_on_as(y.quern, folder, argv);
}
