/* lib/engines/keep.c - keeps simulators that were compiled for a run: the next run with the same files begins at once.
 *
 * In:  a recipe (build.c)
 * Out: ~/.cache/quern/sims/50b34235a5a88360, a program with a text behind it:
 *
 *          gcc -std=gnu11 ... -DQN_SIM_D1_NAME="mine:..." ...     words of the recipe, compiler and archive: the key
 *                                                                an empty line
 *          0f3a5c... /home/me/mine.c                             all files that the compiler read, and hashes of their bytes
 *          0123 quern-sim-kept                                   how long the text is
 *
 * The name is a hash of the key; the key and all files are compared, so that a change of any of them, or of the compiler or the
 * engine, compiles again.
 *
 * Invariants: a file has its name only when it is whole (made in a folder beside it, then renamed), so several quern need no lock;
 * what was used longest ago goes when there are too many (cache.c); a signal leaves nothing behind.  Where there is no
 * cache, or it is not ours alone, the program is made in $TMPDIR (or where programs may be executed), and goes when it has run.
 */
#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/hash.h"
#include "engines/engines.h"
#include "text/error.h"
#include "text/output.h"
#include "text/version.h"

#define FOOTER "%08x quern-sim-kept\n"
#define FOOTER_BYTES 24
#define TEXT_MOST (8u << 20)     /* bytes */

/* ---- the key ---- */

static void put_words(FILE *key, const struct qn_engines_words *w)
{
    for (int i = 0; i < w->n; i++)
        fprintf(key, "%s\n", w->word[i]);
    putc('\n', key);
}

/* The key of a build: everything that it depends on except the contents of source files.  NULL: there is no compiler, and a line says so. */
static char *make_key(const struct qn_engines_recipe *r)
{
    static const char *const variables[] = { "CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH" };
    char *text = NULL, folder[PATH_MAX];
    size_t size;
    FILE *key = open_memstream(&text, &size);
    bool compiler = qn_engines_find_compiler(r, key);

    if (key) {
        fprintf(key, "quern " QN_VERSION "\n");
        put_words(key, &r->compile);
        put_words(key, &r->files);
        put_words(key, &r->link);
        put_words(key, &r->behind);
        qn_engines_identify(key, r->archive);
        for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
            fprintf(key, "%s\n", getenv(variables[i]) ? getenv(variables[i]) : "");
        if (r->build->cflags && getcwd(folder, sizeof folder)) /* -I. */
            fprintf(key, "%s\n", folder);
        fclose(key);
    }
    if (compiler)
        return text;
    free(text);
    return NULL;
}

/* ---- files that the compiler read ---- */

static bool hash_contents(const char *path, uint64_t *hash)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    char *bytes = NULL;
    bool good = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && (bytes = malloc((size_t)st.st_size + 1))
                && read(fd, bytes, (size_t)st.st_size) == st.st_size;

    if (good)
        *hash = qn_hash_words(qn_hash_add(QN_HASH_NONE, (uint64_t)st.st_size), bytes, (uint64_t)st.st_size);
    free(bytes);
    if (fd >= 0)
        close(fd);
    return good;
}

/* Adds a file to a list that has each file once. */
struct files {
    char **at;
    size_t count, room;
};

static bool add_file(struct files *f, const char *name, size_t n)
{
    for (size_t i = 0; i < f->count; i++)
        if (strlen(f->at[i]) == n && !memcmp(f->at[i], name, n))
            return true;
    return QN_GROW(f->at, f->count, f->room, 64) && (f->at[f->count++] = strndup(name, n));
}

/* "0.o: /home/me/a\ file.c \<newline> /usr/include/stdint.h": what stands behind the colon. */
static bool read_depends(struct files *f, const char *path)
{
    char *text = qn_engines_read_source(path), *colon = text ? strstr(text, ": ") : NULL, *to, *word;
    bool good = colon != NULL;

    for (char *p = good ? colon + 2 : ""; *p && good;) {
        p += strspn(p, " \n");
        if (p[0] == '\\' && p[1] == '\n') {
            p += 2;
            continue;
        }
        for (word = to = p; *p && *p != ' ' && *p != '\n'; *to++ = *p++)
            if ((p[0] == '\\' && p[1] && strchr(" #\\", p[1])) || (p[0] == '$' && p[1] == '$'))
                p++;
        good = to == word || add_file(f, word, (size_t)(to - word));
    }
    free(text);
    return good;
}

/* Writes a line with hash and name for each file.  false: a file cannot be read, or it has changed since `start`. */
static bool put_files(FILE *out, const struct qn_engines_recipe *r, const char *folder, const struct timespec *start)
{
    struct files f = { NULL, 0, 0 };
    bool good = true;
    uint64_t hash;

    for (int i = 0; i < r->files.n && good; i++) {
        char *path;

        good = asprintf(&path, "%s/%d.d", folder, i) >= 0 && read_depends(&f, path);
        free(path);
    }
    for (size_t i = 0; i < f.count; i++) {
        struct stat st;

        good = good && hash_contents(f.at[i], &hash) && !stat(f.at[i], &st) && !strchr(f.at[i], '\n')
               && (st.st_mtim.tv_sec < start->tv_sec || (st.st_mtim.tv_sec == start->tv_sec && st.st_mtim.tv_nsec <= start->tv_nsec));
        if (good)
            fprintf(out, "%016" PRIx64 " %s\n", hash, f.at[i]);
        free(f.at[i]);
    }
    free(f.at);
    return good;
}

static bool files_are_same(const char *lines)
{
    uint64_t hash;
    char path[PATH_MAX];

    for (const char *end; *lines; lines = end + 1) {
        end = strchr(lines, '\n');
        if (!end || end - lines < 18 || end - lines - 17 >= PATH_MAX)
            return false;
        memcpy(path, lines + 17, (size_t)(end - lines - 17));
        path[end - lines - 17] = 0;
        if (!hash_contents(path, &hash) || hash != strtoull(lines, NULL, 16))
            return false;
    }
    return true;
}

/* ---- looking up ---- */

/* Reads the length of the text at the end of a kept program. */
static bool read_footer(int fd, off_t *size, size_t *n)
{
    char footer[FOOTER_BYTES + 1] = "", expected[FOOTER_BYTES + 1];
    struct stat st;

    if (fstat(fd, &st) || st.st_size <= FOOTER_BYTES || pread(fd, footer, FOOTER_BYTES, st.st_size - FOOTER_BYTES) != FOOTER_BYTES)
        return false;
    *size = st.st_size;
    *n = strtoul(footer, NULL, 16);
    snprintf(expected, sizeof expected, FOOTER, (unsigned)*n);
    return !strcmp(footer, expected) && *n <= TEXT_MOST && (off_t)*n + FOOTER_BYTES < st.st_size;
}

/* Does the file end as a kept program does? */
static bool is_kept(int fd)
{
    off_t size;
    size_t n;

    return read_footer(fd, &size, &n);
}

/* The text at the end of a kept program.  NULL: there is no program that may be used. */
static char *read_text(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    char *text = NULL;
    struct stat st;
    off_t size;
    size_t n;

    if (fd < 0)
        return NULL;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH)) &&
        read_footer(fd, &size, &n) && (text = malloc(n + 1))) {
        text[n] = 0;
        if (pread(fd, text, n, size - FOOTER_BYTES - (off_t)n) != (ssize_t)n) {
            free(text);
            text = NULL;
        }
    }
    close(fd);
    return text;
}

/* Is there a program made from the same files?  If so its time of last use becomes now. */
static bool is_there(const char *path, const char *key)
{
    char *text = read_text(path);
    size_t n = strlen(key);
    bool same = text && !strncmp(text, key, n) && text[n] == '\n' && files_are_same(text + n + 1);

    free(text);
    if (same)
        utimensat(AT_FDCWD, path, NULL, 0);
    return same;
}

/* ---- making ---- */

/* The text to append to the program.  NULL: a file has changed since `start`. */
static char *make_text(const struct qn_engines_recipe *r, const char *folder, const char *key, const struct timespec *start)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    bool good;

    if (!f)
        return NULL;
    fprintf(f, "%s\n", key);
    good = put_files(f, r, folder, start);
    fclose(f);
    if (good && size <= TEXT_MOST)
        return text;
    free(text);
    return NULL;
}

static bool append(const char *program, const char *text)
{
    FILE *f = fopen(program, "ab");
    bool good = f && fprintf(f, "%s" FOOTER, text, (unsigned)strlen(text)) > 0;

    return f && !fclose(f) && good;
}

/* The path of the program: in the cache, or in `folder` if the cache cannot be used.  NULL: a line was printed, or a signal came. */
static char *make(struct qn_engines_guard *g, const struct qn_engines_recipe *r, const char *folder, const char *kept, const char *key)
{
    struct timespec start;
    char *program, *text;

    clock_gettime(CLOCK_REALTIME, &start);
    if (qn_engines_compile(g, r, folder) || asprintf(&program, "%s/program", folder) < 0)
        return NULL;
    text = make_text(r, folder, key, &start);
    if (!text) {
        qn_text_complain("quern: %s: a source file was changed while it was compiled; try again", r->build->tool);
        free(program);
        return NULL;
    }
    if (kept && append(program, text) && !rename(program, kept)) {
        free(program);
        program = strdup(kept);
    }
    free(text);
    return program;
}

static void remove_old(const char *path);

static char *keep(const struct qn_engines_recipe *r, const char *key, const char *cache, char **scratch)
{
    struct qn_engines_guard g;
    char *kept = NULL, *folder = NULL, *program = NULL;

    if (cache && asprintf(&kept, "%s/%016" PRIx64, cache, qn_hash_bytes(QN_HASH_NONE, key, strlen(key))) < 0)
        return NULL;
    if (kept && is_there(kept, key))
        return kept;
    qn_engines_guard(&g);
    if (cache && asprintf(&folder, "%s/" QN_ENGINES_NEW ".XXXXXX", cache) >= 0 && !qn_text_make_scratch(folder)) {
        free(folder);
        free(kept);
        folder = kept = NULL;
    }
    if (!folder)
        folder = qn_engines_scratch(r->build->tool);
    if (folder)
        program = make(&g, r, folder, kept, key);
    if (program && (!kept || strcmp(program, kept))) {
        *scratch = folder;
    } else if (folder) {
        qn_text_remove_scratch(folder);
        free(folder);
    }
    if (program && kept)
        remove_old(cache);
    free(kept);
    qn_engines_unguard(&g);
    return program;
}

char *qn_engines_keep(const struct qn_engines_build *b, char **scratch)
{
    struct qn_engines_recipe r;
    char *key = qn_engines_write_recipe(b, &r) ? NULL : make_key(&r), *cache = key ? qn_engines_cache_folder() : NULL, *program = NULL;

    *scratch = NULL;
    if (key)
        program = keep(&r, key, cache, scratch);
    free(cache);
    free(key);
    qn_engines_free_recipe(&r);
    return program;
}

/* ---- the user's folder of compiled simulators, and its limits ----
 *
 * Out: ~/.cache/quern/sims, if it is there or can be made, is ours alone, and programs may be run from it
 *
 * Invariants: the folder is no link, the user owns it, and nobody else may enter it (mode 0700); it is made so.  Only files are removed
 * that the user owns and whose name and contents both say that quern wrote them; what was used longest ago goes when there are more than
 * KEPT_FILES or KEPT_BYTES.  No link is followed.
 */

#define FOLDER "sims"
#define KEPT_FILES 64
#define KEPT_BYTES (256ll << 20)
#define LEFT_AGE 3600 /* seconds: no command builds for longer */

/* ---- the folder ---- */

/* Parents may be links: users move their ~/.cache to another disk. */
static bool is_users(const char *path)
{
    struct stat st;

    return !stat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static bool make_folder(char *path)
{
    char *slash = strrchr(path, '/');
    bool above;

    if (is_users(path))
        return true;
    if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || !slash || slash == path)
        return false;
    *slash = 0;
    above = make_folder(path);
    *slash = '/';
    return above && (!mkdir(path, 0700) || errno == EEXIST);
}

/* -1: there is none that may be used. */
static int open_cache(const char *path)
{
    char *made = QN_NEEDED(strdup(path));
    int fd = make_folder(made) ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    struct stat st;

    free(made);
    if (fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & (S_IRWXG | S_IRWXO)))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* The user's cache folder (XDG Base Directory Specification 0.8); free() it.  NULL: there is none. */
static char *qn_engines_cache(void)
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

    if (cache && (asprintf(&path, "%s/" FOLDER, cache) < 0 || (fd = open_cache(path)) < 0 || access(path, W_OK) ||
                  fstatvfs(fd, &fs) || (fs.f_flag & ST_NOEXEC))) {
        free(path);
        path = NULL;
    }
    if (fd >= 0)
        close(fd);
    free(cache);
    return path;
}

/* Can a folder be made there, and a program in it be executed? */
static bool is_for_programs(const char *folder)
{
    struct statvfs fs;

    return folder && *folder && !access(folder, W_OK | X_OK) && !statvfs(folder, &fs) && !(fs.f_flag & ST_NOEXEC);
}

char *qn_engines_scratch(const char *tool)
{
    const char *tmp = getenv("TMPDIR"), *usual = tmp && *tmp ? tmp : "/tmp", *const folders[] = {usual, "/tmp", "/var/tmp", "/dev/shm", "."}, *found = usual;
    char *path;

    for (size_t i = 0; i < QN_ARRAY_LEN(folders) && !is_for_programs(found); i++)
        found = folders[i];
    if (!is_for_programs(found) && !access(usual, W_OK)) {
        qn_text_complain("quern: %s: %s: no program may be executed there (noexec); TMPDIR=FOLDER names another folder", tool, usual);
        return NULL;
    }
    if (asprintf(&path, "%s/quern-sim.XXXXXX", is_for_programs(found) ? found : usual) < 0)
        return NULL;
    if (qn_text_make_scratch(path))
        return path;
    qn_text_complain("quern: %s: %s: %s", tool, path, strerror(errno));
    free(path);
    return NULL;
}

/* ---- what has become too much ---- */

struct kept {
    char name[NAME_MAX + 1];
    time_t used;
    off_t size;
};

static int compare_use(const void *left, const void *right)
{
    const struct kept *a = left, *b = right;

    return a->used > b->used ? -1 : a->used < b->used;
}

static bool is_key(const char *name, const char *suffix)
{
    return strspn(name, "0123456789abcdef") == QN_ENGINES_KEPT_DIGITS && !strcmp(name + QN_ENGINES_KEPT_DIGITS, suffix);
}

static bool is_marked(const char *name, int fd)
{
    char mark[sizeof QN_ENGINES_TABLE_MARK] = "";

    if (!strncmp(name, QN_ENGINES_TABLE, strlen(QN_ENGINES_TABLE)))
        return is_key(name + strlen(QN_ENGINES_TABLE), ".h") && pread(fd, mark, sizeof mark - 1, 0) > 0 && !strcmp(mark, QN_ENGINES_TABLE_MARK);
    if (strstr(name, ".c"))
        return pread(fd, mark, sizeof mark - 1, 0) > 0 && !strncmp(mark, QN_ENGINES_COMPOSED_MARK, sizeof mark - 1);
    return is_key(name, "") && is_kept(fd);
}

/* Looks into the file without a change of its time of use. */
static bool is_ours(int folder, const char *name, struct stat *st)
{
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOATIME | O_CLOEXEC);
    bool ours = fd >= 0 && !fstat(fd, st) && S_ISREG(st->st_mode) && st->st_uid == geteuid() && is_marked(name, fd);

    if (fd >= 0)
        close(fd);
    return ours;
}

/* A folder in which a command was killed while it built. */
static bool is_left(int folder, const char *name)
{
    size_t n = strlen(QN_ENGINES_NEW);
    struct stat st;

    return !strncmp(name, QN_ENGINES_NEW, n) && strlen(name + n) == strlen(".XXXXXX") && name[n] == '.' &&
           !fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
           time(NULL) - st.st_mtime > LEFT_AGE;
}

/* Lists what is ours, the most recently used first; removes folders that were left. */
static struct kept *list_files(DIR *directory, const char *path, size_t *count)
{
    struct kept *list = NULL;
    size_t room = 0;
    struct dirent *e;
    struct stat st;
    char *left;

    while ((e = readdir(directory))) {
        if (is_left(dirfd(directory), e->d_name) && asprintf(&left, "%s/%s", path, e->d_name) >= 0) {
            qn_text_remove_scratch(left);
            free(left);
        } else if (is_ours(dirfd(directory), e->d_name, &st) && QN_GROW(list, *count, room, 64)) {
            struct kept *k = &list[(*count)++];

            strcpy(k->name, e->d_name);
            k->used = st.st_atime > st.st_mtime ? st.st_atime : st.st_mtime;
            k->size = st.st_size;
        }
    }
    if (*count)
        qsort(list, *count, sizeof *list, compare_use);
    return list;
}

static void remove_old(const char *path)
{
    int fd = open_cache(path);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    struct kept *list;
    size_t count = 0;
    off_t sum = 0;

    if (!directory)
        return;
    list = list_files(directory, path, &count);
    for (size_t i = 0; i < count; i++) {
        sum += list[i].size;
        if (i >= KEPT_FILES || (i && sum > KEPT_BYTES))
            unlinkat(dirfd(directory), list[i].name, 0);
    }
    free(list);
    closedir(directory);
}
