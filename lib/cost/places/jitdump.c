/* lib/cost/places/jitdump.c - names of code that a program has generated at run time, from jit-PID.dump, perf's format.  See jit.h.
 *
 *   header   "DTiJ", version 1, its size, ...
 *   record   2, size, time: addresses of code and their lines; for the next
 *   record   0, size, time: pid, tid, address, address, 6 bytes, number, "sum", the code      -> 7f00..., 6 bytes: sum, /src/sum.js:3
 *   record   1, size, time: ... from 7f00... to 7f10...                                       -> it lies there, too
 *
 * Numbers are in the machine's byte order.  V8 adds 64, the size of the ELF header that perf makes, to the addresses of lines.  Not used:
 * times (as in perf's maps, the last entry counts) and unwind information.
 * Source: Linux, tools/perf/Documentation/jitdump-specification.txt. */
#include <string.h>

#include "cost/places/jit_parts.h"

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

    qn_cost_split_jit_name(&r, name);
    qn_cost_add_jit(j, &r); /* what no entry holds */
    if (!lines)
        return;
    memcpy(&head, lines, sizeof head);
    for (uint64_t i = 0; i < head.count && head.start == l->start && (at = take_entry(at, lines_end, &e, &file)); i++) {
        r.start = e.address - shift;
        r.end = l->start + l->size;
        r.file = !strcmp(file, "\xff") ? before : qn_cost_plain_file(file); /* as the one before */
        r.line = e.line;
        before = r.file;
        if (r.start >= l->start && r.start < r.end)
            qn_cost_add_jit(j, &r);
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
    if (!qn_cost_find_jit_now(j, m.from, &p))
        return;
    r = (struct qn_cost_jit_range){.start = m.to, .end = m.to + m.size, .function = p.function, .file = p.file, .line = p.line};
    qn_cost_add_jit(j, &r);
}

void qn_cost_take_dump(struct qn_cost_jit *j, char *dump, size_t size)
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
