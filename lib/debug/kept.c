/* lib/debug/kept.c - line tables that took time to read, kept on disk.
 *
 * In:  .debug_line as a distribution packs it: to be unpacked, then read from end to end to find its sequences
 * Out: DIRECTORY/BUILD-ID.lines, which is mapped instead the next time:
 *
 *        header      who wrote it, which debug file it is from (size and time), how much of each follows, a checksum
 *        sequences   struct kept_sequence, sorted by start
 *        line        .debug_line, unpacked
 *        line_str    .debug_line_str, unpacked
 *
 * The C library's takes 7 of the 10 ms that reading its debug information takes: as long as /bin/true runs under quern.
 *
 * Invariants: a file is used only if it is the user's own, nobody else may write to it, and all that it says is possible; it
 * is written under another name first.  Whatever goes wrong, the tables are read as if there was none.  When one is written,
 * those that nobody has used for KEPT_DAYS are removed, and of the others those used last stay, KEPT_MOST bytes of them.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/ready.h"
#include "debug/internal.h"

#define KEPT_MAGIC "quern lines 1\n\0" /* 16 bytes; another number when anything here or in struct qn_sequence means something else */
#define KEPT_SUFFIX ".lines"
#define KEPT_LEAST (64u << 10)     /* bytes of .debug_line: less is quickly read */
#define KEPT_MOST ((off_t)256 << 20) /* bytes of all files together */
#define KEPT_DAYS 60
#define DAY (24 * 60 * 60)

struct kept_header {
    char magic[16];
    uint64_t checksum; /* of all that follows */
    uint64_t debug_size, debug_seconds, debug_nanoseconds;
    uint64_t sequences, line, line_str; /* how many; bytes */
};

struct kept_sequence {
    uint64_t start, end;
    uint32_t program; /* offset in .debug_line */
    uint32_t unit, count, zero;
};

static size_t padded(size_t bytes) { return qn_round_up(bytes, sizeof(uint64_t)); }

static size_t file_size(const struct kept_header *h)
{
    return sizeof *h + h->sequences * sizeof(struct kept_sequence) + padded(h->line) + padded(h->line_str);
}

static uint64_t checksum_header(const struct kept_header *h)
{
    size_t from = offsetof(struct kept_header, debug_size);

    return qn_hash_words(QN_HASH_NONE, (const char *)h + from, sizeof *h - from);
}

/* The ELF file that has the line tables.  false: it is none on disk. */
static bool stat_debug(struct qn_debug *d, struct stat *st)
{
    int fd = qn_debug_dwarf_file(d) == d->main.elf ? d->main.fd : d->separate.fd;

    return fd >= 0 && !fstat(fd, st);
}

static bool name_file(const struct qn_debug *d, char *path)
{
    return qn_debug_settings.kept && d->build_id[0] &&
           snprintf(path, PATH_MAX, "%s/%s" KEPT_SUFFIX, qn_debug_settings.kept, d->build_id) < PATH_MAX;
}

/* ---- reading ---- */

/* The file, mapped; NULL: none that may be used. */
static const struct kept_header *map_file(const char *path, size_t *bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    void *at = MAP_FAILED;
    struct stat st;

    if (fd < 0)
        return NULL;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH)) &&
        st.st_size >= (off_t)sizeof(struct kept_header)) {
        *bytes = (size_t)st.st_size;
        at = mmap(NULL, *bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    close(fd);
    if (at == MAP_FAILED)
        return NULL;
    qn_ready_to_read(at, *bytes);
    return at;
}

static bool is_right(const struct kept_header *h, size_t bytes, const struct stat *debug)
{
    return !memcmp(h->magic, KEPT_MAGIC, sizeof h->magic) && h->debug_size == (uint64_t)debug->st_size &&
           h->debug_seconds == (uint64_t)debug->st_mtim.tv_sec && h->debug_nanoseconds == (uint64_t)debug->st_mtim.tv_nsec &&
           h->sequences <= bytes && h->line <= bytes && h->line_str <= bytes && file_size(h) == bytes &&
           h->checksum == qn_hash_words(checksum_header(h), h + 1, bytes - sizeof *h);
}

/* false: they cannot be what was written. */
static bool take_sequences(struct qn_lines *l, const struct kept_sequence *from, size_t count)
{
    l->sequences = reallocarray(NULL, count + 1, sizeof *l->sequences);
    if (!l->sequences)
        return false;
    l->sequence_room = count + 1;
    for (; l->nsequences < count; l->nsequences++) {
        const struct kept_sequence *s = &from[l->nsequences];
        const struct qn_unit *u = s->unit < l->nunits ? &l->units[s->unit] : NULL;
        const uint8_t *program = l->line.bytes + s->program;

        if (!u || s->program > l->line.size || program < u->program || program >= u->end || s->count > u->end - program ||
            s->start >= s->end)
            return false;
        l->sequences[l->nsequences] = (struct qn_sequence){ s->start, s->end, program, s->unit, s->count, 0, NULL };
    }
    return true;
}

bool qn_debug_take_kept_lines(struct qn_debug *d)
{
    struct qn_lines *l = &d->lines;
    const struct kept_header *h;
    const bool damaged = d->damaged;
    const char *at;
    char path[PATH_MAX];
    struct stat debug;
    size_t bytes;

    if (!name_file(d, path) || !stat_debug(d, &debug) || !(h = map_file(path, &bytes)))
        return false;
    l->mapped = (void *)(uintptr_t)h;
    l->mapped_bytes = bytes;
    if (is_right(h, bytes, &debug)) {
        at = (const char *)(h + 1) + h->sequences * sizeof(struct kept_sequence);
        l->line = (struct qn_section){ (const uint8_t *)at, h->line, NULL };
        l->line_str = (struct qn_section){ (const uint8_t *)at + padded(h->line), h->line_str, NULL };
        qn_debug_list_units(d, NULL);
        if (take_sequences(l, (const struct kept_sequence *)(h + 1), h->sequences))
            return true;
    }
    qn_debug_free_lines(l);
    d->damaged = damaged;
    return false;
}

/* ---- writing ---- */

static void make_directory(const char *path)
{
    char above[PATH_MAX];
    char *slash;

    if (!mkdir(path, 0700) || snprintf(above, sizeof above, "%s", path) >= (int)sizeof above)
        return;
    slash = strrchr(above, '/');
    if (!slash || slash == above)
        return;
    *slash = 0;
    if (!mkdir(above, 0700))
        mkdir(path, 0700);
}

struct kept_file {
    char name[2 * QN_BUILD_ID_MAX + 20];
    time_t used;
    off_t size;
};

static int compare_use(const void *left, const void *right)
{
    const struct kept_file *a = left, *b = right;

    return a->used > b->used ? -1 : a->used < b->used;
}

/* All of the directory, those first that were used last. */
static struct kept_file *list_files(DIR *directory, size_t *count)
{
    struct kept_file *list = NULL;
    size_t room = 0;
    struct dirent *e;
    struct stat st;

    *count = 0;
    while ((e = readdir(directory)))
        if (strstr(e->d_name, KEPT_SUFFIX) && strlen(e->d_name) < sizeof list->name &&
            !fstatat(dirfd(directory), e->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
            QN_GROW(list, *count, room, QN_DEBUG_ROOM)) {
            struct kept_file *f = &list[(*count)++];

            strcpy(f->name, e->d_name);
            f->used = st.st_atime > st.st_mtime ? st.st_atime : st.st_mtime;
            f->size = st.st_size;
        }
    if (*count)
        qsort(list, *count, sizeof *list, compare_use);
    return list;
}

static void remove_old(const char *path)
{
    DIR *directory = opendir(path);
    time_t oldest = time(NULL) - (time_t)KEPT_DAYS * DAY;
    struct kept_file *list;
    size_t count;
    off_t sum = 0;

    if (!directory)
        return;
    list = list_files(directory, &count);
    for (size_t i = 0; i < count; i++) {
        sum += list[i].size;
        if (list[i].used < oldest || sum > KEPT_MOST)
            unlinkat(dirfd(directory), list[i].name, 0);
    }
    free(list);
    closedir(directory);
}

static struct kept_sequence *list_sequences(const struct qn_lines *l)
{
    struct kept_sequence *list = calloc(l->nsequences + 1, sizeof *list);

    for (size_t i = 0; list && i < l->nsequences; i++) {
        const struct qn_sequence *s = &l->sequences[i];

        list[i] = (struct kept_sequence){ s->start, s->end, (uint32_t)(s->program - l->line.bytes), s->unit, s->scanned, 0 };
    }
    return list;
}

static bool write_parts(int fd, const struct kept_header *h, const struct kept_sequence *sequences, const struct qn_lines *l)
{
    static char zeros[8];
    size_t wanted = file_size(h);
    struct iovec parts[] = {
        { (void *)(uintptr_t)h, sizeof *h },
        { (void *)(uintptr_t)sequences, h->sequences * sizeof *sequences },
        { (void *)(uintptr_t)l->line.bytes, l->line.size },
        { zeros, padded(l->line.size) - l->line.size },
        { (void *)(uintptr_t)l->line_str.bytes, l->line_str.size },
        { zeros, padded(l->line_str.size) - l->line_str.size },
    };

    return writev(fd, parts, sizeof parts / sizeof parts[0]) == (ssize_t)wanted;
}

static bool write_file(const char *path, const struct kept_header *h, const struct kept_sequence *sequences,
                       const struct qn_lines *l)
{
    char made[PATH_MAX];
    bool written;
    int fd;

    if (snprintf(made, sizeof made, "%s.XXXXXX", path) >= (int)sizeof made)
        return false;
    fd = mkostemp(made, O_CLOEXEC);
    if (fd < 0)
        return false;
    written = write_parts(fd, h, sequences, l);
    written = !close(fd) && written && !rename(made, path);
    if (!written)
        unlink(made);
    return written;
}

void qn_debug_keep_lines(struct qn_debug *d)
{
    const struct qn_lines *l = &d->lines;
    struct kept_header h = { .magic = KEPT_MAGIC };
    struct kept_sequence *sequences;
    char path[PATH_MAX];
    struct stat debug;

    if (!l->line.owned || l->mapped || d->damaged || !l->nsequences || l->line.size < KEPT_LEAST || l->line.size > UINT32_MAX ||
        !name_file(d, path) || !stat_debug(d, &debug) || !(sequences = list_sequences(l)))
        return;
    h.debug_size = (uint64_t)debug.st_size;
    h.debug_seconds = (uint64_t)debug.st_mtim.tv_sec;
    h.debug_nanoseconds = (uint64_t)debug.st_mtim.tv_nsec;
    h.sequences = l->nsequences;
    h.line = l->line.size;
    h.line_str = l->line_str.size;
    h.checksum = qn_hash_words(checksum_header(&h), sequences, l->nsequences * sizeof *sequences);
    h.checksum = qn_hash_words(h.checksum, l->line.bytes, l->line.size);
    h.checksum = qn_hash_words(h.checksum, l->line_str.bytes, l->line_str.size);
    make_directory(qn_debug_settings.kept);
    if (write_file(path, &h, sequences, l))
        remove_old(qn_debug_settings.kept);
    free(sequences);
}
