/* lib/cost/places/jit.c - see jit.h. */
#define _GNU_SOURCE
#include "cost/places/jit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/grow.h"

struct qn_cost_jit_range {
    uint64_t start, end;
    size_t order;          /* in which it was told */
    const char *function, *file;
    uint32_t line;
};

#define QN_COST_JIT_TEXTS 4

struct qn_cost_jit {
    struct qn_cost_jit_range *list; /* by start, then by order */
    size_t count, room;
    uint64_t longest;      /* bytes */
    char *text[QN_COST_JIT_TEXTS]; /* what the names lie in, each ended by a NUL */
    int texts;
};

/* ---- ranges of code made at run time, and the places that their names hold ---- */

#define SIZE_MAX_CODE (1ull << 30) /* bytes of one function; more is damage */

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

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

static const char *plain_file(char *file)
{
    char *path = strncmp(file, "file://", 7) ? NULL : strchr(file + 7, '/'), *to = path;

    if (!path)
        return file;
    for (const char *from = path; *from; from++) {
        int high = *from == '%' ? hex_digit(from[1]) : -1, low = high < 0 ? -1 : hex_digit(from[2]);

        *to++ = low < 0 || !(high | low) ? *from : (char)(high << 4 | low);
        from += low < 0 || !(high | low) ? 0 : 2;
    }
    *to = 0;
    return path;
}

/* Does a path or a URL begin here? */
static bool begins_file(const char *text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");

    return *text == '/' || !strncmp(text, "node:", 5) || (n && !strncmp(text + n, "://", 3));
}

/* The blank before the file: the first that a whole path or a URL follows, because names of folders may have blanks; else the last one. */
static char *find_file(char *name)
{
    for (char *blank = strchr(name, ' '); blank; blank = strchr(blank + 1, ' '))
        if (begins_file(blank + 1))
            return blank;
    return strrchr(name, ' ');
}

/* "JS:*sum /home/me/sum.js:3:13": function, file, line and column, as V8 writes them. */
static void split_jit_name(struct qn_cost_jit_range *r, char *name)
{
    char *blank = find_file(name);
    uint32_t column;

    r->function = name;
    if (!blank || blank == name || !take_number(blank + 1, &column))
        return;
    if (!take_number(blank + 1, &r->line)) {
        blank[1 + strlen(blank + 1)] = ':'; /* one number is no place: as it was */
        return;
    }
    *blank = 0;
    r->file = plain_file(blank + 1);
}

static bool add_jit(struct qn_cost_jit *j, const struct qn_cost_jit_range *r)
{
    uint64_t size = r->end - r->start;

    if (!size || size > SIZE_MAX_CODE || !QN_GROW(j->list, j->count, j->room, 1024))
        return false;
    j->list[j->count] = *r;
    j->list[j->count].order = j->count;
    j->count++;
    if (size > j->longest)
        j->longest = size;
    return true;
}

static bool find_jit_now(const struct qn_cost_jit *j, uint64_t address, struct qn_cost_jit_place *place)
{
    for (size_t i = j->count; i-- > 0;)
        if (address - j->list[i].start < j->list[i].end - j->list[i].start) {
            *place = (struct qn_cost_jit_place){j->list[i].function, j->list[i].file, j->list[i].line, j->list[i].end};
            return true;
        }
    return false;
}

/* ---- names of code that a program has generated at run time, from jit-PID.dump, perf's format. ----
 *
 *   header   "DTiJ", version 1, its size, ...
 *   record   2, size, time: addresses of code and their lines; for the next
 *   record   0, size, time: pid, tid, address, address, 6 bytes, number, "sum", the code      -> 7f00..., 6 bytes: sum, /src/sum.js:3
 *   record   1, size, time: ... from 7f00... to 7f10...                                       -> it lies there, too
 *
 * Numbers are in the machine's byte order.  V8 adds 64, the size of the ELF header that perf makes, to the addresses of lines.  Not used:
 * times (as in perf's maps, the last entry counts) and unwind information.
 * Source: Linux, tools/perf/Documentation/jitdump-specification.txt.
 */

#define MAGIC 0x4a695444u
#define HEADER_MIN 40u
#define V8_SHIFT 64u

enum { LOAD, MOVE, LINES };

struct record { /* what all begin with */
    uint32_t what, size;
    uint64_t time;
};

struct load {
    struct record record;
    uint32_t pid, tid;
    uint64_t vma, start, size, number; /* then the name, then the code */
};

struct move {
    struct record record;
    uint32_t pid, tid;
    uint64_t vma, from, to, size, number;
};

struct lines {
    struct record record;
    uint64_t start, count; /* then the entries */
};

struct entry {
    uint64_t address;
    uint32_t line, column; /* then the file */
};

static uint64_t shift_of(const char *function)
{
    static const char *const v8[] = {"JS:", "Script:", "Function:", "LazyCompile:", "Eval:"};

    for (size_t i = 0; i < sizeof v8 / sizeof v8[0]; i++)
        if (!strncmp(function, v8[i], strlen(v8[i])))
            return V8_SHIFT;
    return 0;
}

/* The entry at `at`, its file, and where the next one is; NULL: it is damaged. */
static char *take_entry(char *at, const char *end, struct entry *e, char **file)
{
    char *nul;

    if (end - at < (ptrdiff_t)sizeof *e)
        return NULL;
    memcpy(e, at, sizeof *e);
    *file = at + sizeof *e;
    nul = memchr(*file, 0, (size_t)(end - *file));
    return nul ? nul + 1 : NULL;
}

/* The function's code, cut where its lines change. */
static void add_lines(struct qn_cost_jit *j, const struct load *l, char *name, char *lines, const char *lines_end)
{
    struct qn_cost_jit_range r = {.start = l->start, .end = l->start + l->size};
    uint64_t shift = shift_of(name);
    struct lines head;
    struct entry e;
    const char *before = "";
    char *file, *at = lines ? lines + sizeof head : NULL;

    split_jit_name(&r, name);
    add_jit(j, &r); /* what no entry holds */
    if (!lines)
        return;
    memcpy(&head, lines, sizeof head);
    for (uint64_t i = 0; i < head.count && head.start == l->start && (at = take_entry(at, lines_end, &e, &file)); i++) {
        r.start = e.address - shift;
        r.end = l->start + l->size;
        r.file = !strcmp(file, "\xff") ? before : plain_file(file); /* as the one before */
        r.line = e.line;
        before = r.file;
        if (r.start >= l->start && r.start < r.end)
            add_jit(j, &r);
    }
}

static void take_load(struct qn_cost_jit *j, char *record, const char *end, char *lines, const char *lines_end)
{
    struct load l;
    char *name = record + sizeof l;

    if (end - record < (ptrdiff_t)sizeof l)
        return;
    memcpy(&l, record, sizeof l);
    if (memchr(name, 0, (size_t)(end - name)) && name[0])
        add_lines(j, &l, name, lines, lines_end);
}

static void take_move(struct qn_cost_jit *j, const char *record, const char *end)
{
    struct qn_cost_jit_place p;
    struct qn_cost_jit_range r;
    struct move m;

    if (end - record < (ptrdiff_t)sizeof m)
        return;
    memcpy(&m, record, sizeof m);
    if (!find_jit_now(j, m.from, &p))
        return;
    r = (struct qn_cost_jit_range){.start = m.to, .end = m.to + m.size, .function = p.function, .file = p.file, .line = p.line};
    add_jit(j, &r);
}

static void take_dump(struct qn_cost_jit *j, char *dump, size_t size)
{
    uint32_t header[3];
    char *lines = NULL;
    const char *lines_end = NULL;
    struct record r;

    if (size < HEADER_MIN)
        return;
    memcpy(header, dump, sizeof header);
    if (header[0] != MAGIC || header[2] < HEADER_MIN)
        return;
    for (size_t at = header[2]; at < size && size - at >= sizeof r; at += r.size) {
        char *record = dump + at;

        memcpy(&r, record, sizeof r);
        if (r.size < sizeof r || r.size > size - at)
            return; /* the rest is damaged, or not written yet */
        if (r.what == LINES && r.size >= sizeof(struct lines)) {
            lines = record;
            lines_end = record + r.size;
            continue;
        }
        if (r.what == LOAD)
            take_load(j, record, record + r.size, lines, lines_end);
        if (r.what == MOVE)
            take_move(j, record, record + r.size);
        lines = NULL;
    }
}

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
    split_jit_name(&r, line + (s + 1 - line));
    return add_jit(j, &r);
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

struct qn_cost_jit *qn_cost_parse_dump(const void *dump, size_t size) { return parse(dump, size, take_dump); }

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
    } files[] = {{"/tmp/perf-%d.map", take_map}, {"/tmp/jit-%d.dump", take_dump}, {"jit-%d.dump", take_dump}};
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
