/* lib/run/kernel/maps.c - what the kernel says of this process's mappings, the engine's included.
 *
 *   "7f00-7f01 r-xp 00000000 fe:00 42   /bin/true"        a line of /proc/self/maps
 *
 * One mapping is asked for by its address (PROCMAP_QUERY, Linux 6.11), so that the answer takes no longer if there are many; older kernels
 * have only the list.
 */
#include "run/kernel/maps.h"

#include "base/format.h"
#include "run/run.h"

enum { O_CLOEXEC_ = 02000000 };
#define PROCMAP_QUERY_ 0xc0686611u

struct query { /* struct procmap_query */
    uint64_t size, flags, address, start, end, vma_flags, page_size, offset, ino;
    uint32_t major, minor, name_size, build_id_size;
    uint64_t name, build_id;
};
_Static_assert(sizeof(struct query) == 104, "linux/fs.h");

static long open_maps(void) { return qn_sys4(__NR_openat, -100, (long)"/proc/self/maps", O_CLOEXEC_, 0); }

static uint64_t device(uint64_t major, uint64_t minor) { return major << 20 | minor; }

/* ---- the list ---- */

static const char *skip_field(const char *s)
{
    while (*s && *s != ' ')
        s++;
    while (*s == ' ')
        s++;
    return s;
}

static void parse(const char *line, struct qn_mapping *m)
{
    uint64_t major, minor;
    const char *s = qn_parse_hex(line, &m->start);

    s = skip_field(qn_parse_hex(s + 1, &m->end));
    m->flags = (s[0] == 'r' ? QN_MAPS_READ : 0u) | (s[1] == 'w' ? QN_MAPS_WRITE : 0u) | (s[2] == 'x' ? QN_MAPS_EXEC : 0u) |
               (s[3] == 's' ? QN_MAPS_SHARED : 0u);
    s = qn_parse_hex(skip_field(s), &m->offset);
    s = qn_parse_hex(skip_field(s), &major);
    s = qn_parse_hex(s + 1, &minor);
    m->dev = device(major, minor);
    s = qn_parse_decimal(skip_field(s), &m->ino);
    while (*s == ' ')
        s++;
    qn_format(m->path, sizeof m->path, "%s", s);
}

bool qn_maps_each(bool (*see)(void *data, const struct qn_mapping *m), void *data)
{
    static char buf[65536];
    static struct qn_mapping m;
    long fd = open_maps(), n;
    size_t have = 0;
    bool more = !qn_sys_failed(fd);

    while (more && (n = qn_sys3(__NR_read, fd, (long)buf + (long)have, (long)(sizeof buf - 1 - have))) > 0) {
        char *line = buf, *end;

        have += (size_t)n;
        buf[have] = 0;
        for (end = line; more && *end; end++) {
            if (*end != '\n')
                continue;
            *end = 0;
            parse(line, &m);
            more = see(data, &m);
            line = end + 1;
        }
        have -= (size_t)(line - buf);
        __builtin_memmove(buf, line, have);
    }
    if (!qn_sys_failed(fd))
        qn_sys1(__NR_close, fd);
    return !qn_sys_failed(fd);
}

/* ---- one mapping ---- */

struct search {
    uint64_t address;
    struct qn_mapping *found;
    bool done;
};

static bool compare(void *data, const struct qn_mapping *m)
{
    struct search *s = data;

    s->done = m->start <= s->address && s->address < m->end;
    if (s->done)
        *s->found = *m;
    return m->end <= s->address;
}

/* 1: found; 0: there is none; -1: the kernel cannot be asked so. */
static int query(uint64_t address, struct qn_mapping *m)
{
    struct query q = {.size = sizeof q, .address = address, .name = (uint64_t)(uintptr_t)m->path, .name_size = sizeof m->path};
    long fd = open_maps(), r;

    if (qn_sys_failed(fd))
        return -1;
    r = qn_sys3(__NR_ioctl, fd, PROCMAP_QUERY_, (long)&q);
    qn_sys1(__NR_close, fd);
    if (r)
        return r == -2 ? 0 : -1; /* ENOENT */
    if (!q.name_size)
        m->path[0] = 0;
    m->start = q.start, m->end = q.end, m->offset = q.offset, m->ino = q.ino;
    m->dev = device(q.major, q.minor);
    m->flags = (unsigned)q.vma_flags & (QN_MAPS_READ | QN_MAPS_WRITE | QN_MAPS_EXEC | QN_MAPS_SHARED);
    return 1;
}

bool qn_maps_find(uint64_t address, struct qn_mapping *m)
{
    struct search s = {.address = address, .found = m};
    int found = query(address, m);

    if (found >= 0)
        return found;
    return qn_maps_each(compare, &s) && s.done;
}
