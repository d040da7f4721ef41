/* lib/cost/jit.c - see jit.h. */
#define _GNU_SOURCE
#include "cost/jit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"

#define SIZE_MAX_CODE (1ull << 30) /* bytes of one function; more is damage */
#define FILE_MAX (1ll << 30)

struct range {
    uint64_t start, end;
    size_t order;          /* in the file */
    const char *function, *file;
    uint32_t line;
};

struct qn_cost_jit {
    struct range *list;    /* by start, then by order */
    size_t count, room;
    uint64_t longest;      /* bytes */
    char *text;            /* what the names lie in, each ended by a NUL */
};

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

/* Takes ":123" off the end of text; false: there is none. */
static bool take_number(char *text, uint32_t *number)
{
    char *colon = strrchr(text, ':'), *end;
    unsigned long n;

    if (!colon || colon == text || colon[1] < '0' || colon[1] > '9')
        return false;
    n = strtoul(colon + 1, &end, 10);
    if (*end || n > UINT32_MAX)
        return false;
    *colon = 0;
    *number = (uint32_t)n;
    return true;
}

/* "JS:*sum /home/me/sum.js:3:13": function, file, line and column, as V8 writes them. */
static void split_name(struct range *r, char *name)
{
    char *blank = strrchr(name, ' ');
    uint32_t column;

    r->function = name;
    if (!blank || blank == name || !take_number(blank + 1, &column))
        return;
    if (!take_number(blank + 1, &r->line)) {
        blank[1 + strlen(blank + 1)] = ':'; /* one number is no place: as it was */
        return;
    }
    *blank = 0;
    r->file = blank + 1;
    if (!strncmp(r->file, "file://", 7))
        r->file += 7;
}

/* "START SIZE NAME"; false: it is damaged. */
static bool take_line(struct qn_cost_jit *j, char *line)
{
    struct range r = { .order = j->count };
    uint64_t size;
    const char *s = parse_hex(line, &r.start);

    s = s && *s == ' ' ? parse_hex(s + 1, &size) : NULL;
    if (!s || *s != ' ' || !s[1] || !size || size > SIZE_MAX_CODE || r.start + size < r.start)
        return false;
    r.end = r.start + size;
    split_name(&r, line + (s + 1 - line));
    if (!QN_GROW(j->list, j->count, j->room, 1024))
        return false;
    if (size > j->longest)
        j->longest = size;
    j->list[j->count++] = r;
    return true;
}

static int compare(const void *left, const void *right)
{
    const struct range *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* Takes over the text, which has room for one byte more. */
static struct qn_cost_jit *parse(char *text, size_t size)
{
    struct qn_cost_jit *j = calloc(1, sizeof *j);

    if (!j) {
        free(text);
        return NULL;
    }
    j->text = text;
    text[size] = 0;
    for (char *line = text, *end; line < text + size; line = end + 1) {
        end = memchr(line, '\n', size - (size_t)(line - text));
        end = end ? end : text + size;
        *end = 0;
        take_line(j, line);
    }
    if (j->count)
        qsort(j->list, j->count, sizeof *j->list, compare);
    return j;
}

struct qn_cost_jit *qn_cost_parse_jit(const char *text, size_t size)
{
    char *copy = malloc(size + 1);

    if (!copy)
        return NULL;
    memcpy(copy, text, size);
    return parse(copy, size);
}

static bool is_good(int fd, uint64_t since, struct stat *st)
{
    return !fstat(fd, st) && S_ISREG(st->st_mode) && (st->st_uid == geteuid() || !st->st_uid) && st->st_size > 0 && st->st_size <= FILE_MAX
           && (uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec >= since;
}

struct qn_cost_jit *qn_cost_read_jit(const char *path, uint64_t since)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;
    char *text;
    ssize_t n;
    size_t have = 0;

    if (fd < 0)
        return NULL;
    text = is_good(fd, since, &st) ? malloc((size_t)st.st_size + 1) : NULL;
    while (text && have < (size_t)st.st_size && (n = read(fd, text + have, (size_t)st.st_size - have)) > 0)
        have += (size_t)n;
    close(fd);
    return text ? parse(text, have) : NULL;
}

void qn_cost_free_jit(struct qn_cost_jit *j)
{
    if (!j)
        return;
    free(j->list);
    free(j->text);
    free(j);
}

/* How many begin at or before the address. */
static size_t count_until(const struct qn_cost_jit *j, uint64_t address)
{
    size_t low = 0, high = j->count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (j->list[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool qn_cost_find_jit(const struct qn_cost_jit *j, uint64_t address, struct qn_cost_jit_place *place)
{
    size_t at = count_until(j, address);
    const struct range *found = NULL;

    *place = (struct qn_cost_jit_place){ .end = at < j->count ? j->list[at].start : UINT64_MAX };
    for (size_t i = at; i-- > 0 && address - j->list[i].start < j->longest;) {
        const struct range *r = &j->list[i];

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
