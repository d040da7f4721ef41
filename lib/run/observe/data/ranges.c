/* lib/run/observe/data/ranges.c - the object at an address outside of allocated blocks: a variable, the rest of an ELF file, or a mapping.
 *
 *   from the collector   ->  symbols 404040..404440 (object 5), segments 404000..405000 (object 4)
 *   /proc/self/maps      ->  7ffff7c00000..7ffff7d00000 /data/file (object 9), read when an address is in no known range
 *
 * A range is removed when it is unmapped or replaced by another mapping.
 */
#include "base/format.h"
#include "run/observe/data/blocks.h"
#include "run/observe/data/data.h"
#include "run/run.h"

#define MAPPINGS_MAX 4096u

struct range {
    uint64_t start, end;
    uint32_t object;
};

struct table {
    struct range *list;      /* by start; ranges do not overlap */
    uint32_t n, room;
};

static struct table symbols, segments;
static struct range mappings[MAPPINGS_MAX]; /* as the kernel lists them: by start */
static uint32_t nmappings;
static uint64_t taken;       /* objects of the arena that were looked at */

/* ---- tables ---- */

static uint32_t count_until(const struct range *list, uint32_t n, uint64_t address)
{
    return QN_COUNT_WHILE(i, n, list[i].start <= address);
}

static const struct range *search(const struct range *list, uint32_t n, uint64_t address)
{
    uint32_t at = count_until(list, n, address);

    return at && address < list[at - 1].end ? &list[at - 1] : NULL;
}

static void insert(struct table *t, const struct range *r)
{
    uint32_t at = count_until(t->list, t->n, r->start);

    if (t->n == t->room) {
        uint32_t room = t->room ? 2 * t->room : 4096;
        struct range *list = qn_engine_alloc(room * sizeof *list);

        for (uint32_t i = 0; i < t->n; i++)
            list[i] = t->list[i];
        t->list = list;
        t->room = room;
    }
    for (uint32_t i = t->n++; i > at; i--)
        t->list[i] = t->list[i - 1];
    t->list[at] = *r;
}

static void forget(struct table *t, uint64_t start, uint64_t end)
{
    uint32_t from = count_until(t->list, t->n, start), to = count_until(t->list, t->n, end - 1);

    if (from && t->list[from - 1].end > start)
        from--;
    if (from == to)
        return;
    for (uint32_t i = to; i < t->n; i++)
        t->list[from + i - to] = t->list[i];
    t->n -= to - from;
}

/* They come by falling address, so that none has to be moved for another of the same file.  What the dynamic linker has mapped for the
 * file is no block of its. */
void qn_ranges_learn(void)
{
    qn_stamps_change_all();
    for (; taken < qn_arena->n_objects; taken++) {
        const struct qn_object *o = qn_data_object((uint32_t)taken);
        const struct range r = {o->start, o->start + o->size, (uint32_t)taken};

        if (o->kind == QN_OBJECT_SYMBOL)
            insert(&symbols, &r);
        if (o->kind != QN_OBJECT_SEGMENT)
            continue;
        insert(&segments, &r);
        qn_blocks_remove_range(qn_round_down(r.start, QN_PAGE), qn_round_up(r.end, QN_PAGE));
    }
}

uint32_t qn_ranges_find_symbol(uint64_t address)
{
    const struct range *r = search(symbols.list, symbols.n, address);

    return r ? r->object : QN_NO_OBJECT;
}

void qn_ranges_clip(uint64_t address, uint64_t *start, uint64_t *end)
{
    uint32_t at = count_until(symbols.list, symbols.n, address);

    if (at && symbols.list[at - 1].end > *start)
        *start = symbols.list[at - 1].end;
    if (at < symbols.n && symbols.list[at].start < *end)
        *end = symbols.list[at].start;
}

/* ---- mappings ---- */

/* An object of that kind, of the same file or the same beginning, if there is one. */
static uint32_t mapping_object(enum qn_object_kind kind, const char *path, uint64_t start, uint64_t end)
{
    struct qn_object new = {.kind = (uint8_t)kind};

    for (uint64_t i = 0; i < qn_arena->n_objects; i++) {
        struct qn_object *o = qn_data_object((uint32_t)i);

        if (o->kind != kind || (kind == QN_OBJECT_FILE && !qn_streq(qn_arena_text(o->name), path)) ||
            (kind == QN_OBJECT_ANONYMOUS && o->start != start))
            continue;
        if (kind == QN_OBJECT_ANONYMOUS && end - start > o->size)
            o->size = end - start;
        return (uint32_t)i;
    }
    if (kind == QN_OBJECT_FILE)
        new.name = qn_arena_string(path);
    if (kind == QN_OBJECT_ANONYMOUS) {
        new.start = start;
        new.size = end - start;
    }
    return qn_data_add_object(&new);
}

/* "start-end perms offset dev inode   path"; the object is made when a miss is on it. */
static struct range parse_line(const char *line, const char **path)
{
    struct range r = {.object = QN_NO_OBJECT};
    const char *s = qn_parse_hex(line, &r.start);

    s = qn_parse_hex(s + 1, &r.end);
    for (unsigned field = 0; field < 4; field++) { /* perms, offset, device, inode */
        while (*s == ' ')
            s++;
        while (*s && *s != ' ')
            s++;
    }
    while (*s == ' ')
        s++;
    *path = s;
    return r;
}

static uint32_t object_of(const struct range *r, const char *path)
{
    if (path[0] == '/')
        return mapping_object(QN_OBJECT_FILE, path, r->start, r->end);
    if (path[0] == '[' && path[1] == 's' && path[2] == 't')
        return 0;
    if (qn_streq(path, "[heap]") || qn_is_brk(r->start))
        return mapping_object(QN_OBJECT_HEAP_REST, "", r->start, r->end);
    return mapping_object(QN_OBJECT_ANONYMOUS, "", r->start, r->end);
}

static void forget_mappings(uint64_t start, uint64_t end)
{
    struct table t = {mappings, nmappings, MAPPINGS_MAX};

    forget(&t, start, end);
    nmappings = t.n;
}

/* The line that holds the address becomes known; false: none does. */
static bool take_line(const char *line, uint64_t address)
{
    const char *path;
    struct range r = parse_line(line, &path);
    uint32_t at;

    if (address < r.start || address >= r.end)
        return false;
    forget_mappings(r.start, r.end);
    if (nmappings == MAPPINGS_MAX)
        nmappings = 0;
    r.object = object_of(&r, path);
    at = count_until(mappings, nmappings, r.start);
    for (uint32_t i = nmappings++; i > at; i--)
        mappings[i] = mappings[i - 1];
    mappings[at] = r;
    return true;
}

static void learn_mapping(uint64_t address)
{
    static char buf[16384];
    long fd = qn_sys4(__NR_openat, -100, (long)"/proc/self/maps", 02000000, 0), n;
    size_t have = 0;
    bool found = false;

    while (!found && !qn_sys_failed(fd) && (n = qn_sys3(__NR_read, fd, (long)buf + (long)have, (long)(sizeof buf - 1 - have))) > 0) {
        char *line = buf;

        have += (size_t)n;
        buf[have] = 0;
        for (char *end = line; *end && !found; end++) {
            if (*end != '\n')
                continue;
            *end = 0;
            found = take_line(line, address);
            line = end + 1;
        }
        have -= (size_t)(line - buf);
        __builtin_memmove(buf, line, have);
    }
    if (!qn_sys_failed(fd))
        qn_sys1(__NR_close, fd);
}

static uint32_t unknown(void)
{
    static uint32_t object = QN_NO_OBJECT;

    if (object == QN_NO_OBJECT)
        object = mapping_object(QN_OBJECT_UNKNOWN, "", 0, 0);
    return object;
}

uint32_t qn_ranges_find_mapping(uint64_t address, uint64_t *start, uint64_t *end)
{
    const struct range *r = search(segments.list, segments.n, address);

    if (!r)
        r = search(mappings, nmappings, address);
    if (!r) {
        learn_mapping(address);
        r = search(mappings, nmappings, address);
    }
    *start = r ? r->start : address;
    *end = r ? r->end : address;
    return r && r->object != QN_NO_OBJECT ? r->object : unknown();
}

void qn_ranges_forget(uint64_t start, uint64_t end)
{
    qn_stamps_change_all();
    forget(&symbols, start, end);
    forget(&segments, start, end);
    forget_mappings(start, end);
}
