/* lib/cost/places/jit.c - see jit.h. */
#define _GNU_SOURCE
#include "cost/places/jit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/base.h"
#include "cost/places/jit_parts.h"

#define FILE_MAX (1ll << 30)

static const char *parse_hex(const char *s, uint64_t *value)
{
    const char *begin = s;

    if (s[0] == '0' && (s[1] | 32) == 'x')
        begin = s += 2;
    for (*value = 0; (*s >= '0' && *s <= '9') || ((*s | 32) >= 'a' && (*s | 32) <= 'f'); s++) {
        if (*value >> 60)
            return NULL;
        *value = *value << 4 | (uint64_t)(*s <= '9' ? *s - '0' : (*s | 32) - 'a' + 10);
    }
    return s > begin ? s : NULL;
}

/* "START SIZE NAME"; false: it is damaged. */
static bool take_line(struct qn_cost_jit *j, char *line)
{
    struct qn_cost_jit_range r = { .start = 0 };
    uint64_t size;
    const char *s = parse_hex(line, &r.start);

    s = s && *s == ' ' ? parse_hex(s + 1, &size) : NULL;
    if (!s || *s != ' ' || !s[1] || r.start + size < r.start)
        return false;
    r.end = r.start + size;
    qn_cost_split_jit_name(&r, line + (s + 1 - line));
    return qn_cost_add_jit(j, &r);
}

static int compare(const void *left, const void *right)
{
    const struct qn_cost_jit_range *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static void sort(struct qn_cost_jit *j)
{
    if (j->count)
        qsort(j->list, j->count, sizeof *j->list, compare);
}

static void take_map(struct qn_cost_jit *j, char *text, size_t size)
{
    for (char *line = text, *end; line < text + size; line = end + 1) {
        end = memchr(line, '\n', size - (size_t)(line - text));
        end = end ? end : text + size;
        *end = 0;
        take_line(j, line);
    }
}

/* Takes over the text, which has room for one byte more, and adds its ranges, which count more than those added before. */
static struct qn_cost_jit *add(struct qn_cost_jit *j, char *text, size_t size, void (*take)(struct qn_cost_jit *, char *, size_t))
{
    if (!j)
        j = QN_NEEDED(calloc(1, sizeof *j));
    if (j->texts == QN_COST_JIT_TEXTS) {
        free(text);
        return j;
    }
    j->text[j->texts++] = text;
    text[size] = 0;
    take(j, text, size);
    return j;
}

static struct qn_cost_jit *parse(const void *text, size_t size, void (*take)(struct qn_cost_jit *, char *, size_t))
{
    char *copy = QN_NEEDED(malloc(size + 1));
    struct qn_cost_jit *j;

    memcpy(copy, text, size);
    j = add(NULL, copy, size, take);
    sort(j);
    return j;
}

struct qn_cost_jit *qn_cost_parse_jit(const char *text, size_t size) { return parse(text, size, take_map); }

struct qn_cost_jit *qn_cost_parse_dump(const void *dump, size_t size) { return parse(dump, size, qn_cost_take_dump); }

static bool is_good(int fd, uint64_t since, struct stat *st)
{
    return !fstat(fd, st) && S_ISREG(st->st_mode) && (st->st_uid == geteuid() || !st->st_uid) && st->st_size > 0 && st->st_size <= FILE_MAX
           && (uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec >= since;
}

/* What is in a file, with room for one byte more; NULL: see qn_cost_read_jit. */
static char *read_file(const char *path, uint64_t since, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;
    char *text;
    ssize_t n;

    *size = 0;
    if (fd < 0)
        return NULL;
    text = is_good(fd, since, &st) ? malloc((size_t)st.st_size + 1) : NULL;
    while (text && *size < (size_t)st.st_size && (n = read(fd, text + *size, (size_t)st.st_size - *size)) > 0)
        *size += (size_t)n;
    close(fd);
    return text;
}

struct qn_cost_jit *qn_cost_read_jit(int32_t pid, uint64_t since)
{
    static const struct {
        const char *path;
        void (*take)(struct qn_cost_jit *, char *, size_t);
    } files[] = {{"/tmp/perf-%d.map", take_map}, {"/tmp/jit-%d.dump", qn_cost_take_dump}, {"jit-%d.dump", qn_cost_take_dump}};
    struct qn_cost_jit *j = NULL;
    char path[64], *text;
    size_t size;

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, files[i].path, (int)pid);
        text = read_file(path, since, &size);
        j = text ? add(j, text, size, files[i].take) : j;
    }
    if (j)
        sort(j);
    return j;
}

void qn_cost_free_jit(struct qn_cost_jit *j)
{
    if (!j)
        return;
    for (int i = 0; i < j->texts; i++)
        free(j->text[i]);
    free(j->list);
    free(j);
}

bool qn_cost_find_jit(const struct qn_cost_jit *j, uint64_t address, struct qn_cost_jit_place *place)
{
    size_t at = QN_COUNT_WHILE(i, j->count, j->list[i].start <= address);
    const struct qn_cost_jit_range *found = NULL;

    *place = (struct qn_cost_jit_place){ .end = at < j->count ? j->list[at].start : UINT64_MAX };
    for (size_t i = at; i-- > 0 && address - j->list[i].start < j->longest;) {
        const struct qn_cost_jit_range *r = &j->list[i];

        if (address < r->end && r->end < place->end)
            place->end = r->end;
        if (address < r->end && (!found || r->order > found->order))
            found = r;
    }
    if (!found)
        return false;
    place->function = found->function;
    place->file = found->file;
    place->line = found->line;
    return true;
}
