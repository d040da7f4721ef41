/* lib/run/kernel/space_limits.c - limits of the address space and of data (RLIMIT_AS, RLIMIT_DATA): only what the program maps counts.
 *
 * The kernel would count the engine's memory, too.  So these limits are kept here, and the kernel's stay as they were; a program that is
 * executed untraced gets its own back.  How much the program has is what the kernel counts less what the engine has; if that says that there
 * is no room, the list of mappings is read, which is exact.
 *
 * Not limited: growth of the stack, and memory that mprotect makes writable.
 */
#include "run/kernel/space_limits.h"

#include "base/format.h"
#include "run/kernel/maps.h"
#include "run/kernel/thread.h"

enum { RLIMIT_DATA_ = 2, RLIMIT_AS_ = 9, ADDRESS_SPACE = 0, DATA = 1, FIELD_TOTAL = 0, FIELD_DATA = 5 };
#define NO_LIMIT (~0ull)

static uint64_t engine_has[2]; /* bytes, when the list was last read */

struct qn_limit *qn_space_limit(int which)
{
    struct qn_limit *both = qn_self->shares ? qn_self->space : qn_cfg()->space;

    return which == RLIMIT_AS_ ? &both[ADDRESS_SPACE] : which == RLIMIT_DATA_ ? &both[DATA] : NULL;
}

/* What the kernel counts, the engine's included; data: with the stack. */
static uint64_t counted(unsigned what)
{
    char text[128];
    const char *p = text;
    uint64_t pages = 0;
    long fd = qn_sys4(__NR_openat, -100, (long)"/proc/self/statm", 02000000, 0), n = 0;

    if (!qn_sys_failed(fd)) {
        n = qn_sys3(__NR_read, fd, (long)text, sizeof text - 1);
        qn_sys1(__NR_close, fd);
    }
    text[n > 0 ? n : 0] = 0;
    for (unsigned i = 0; i <= (what ? FIELD_DATA : FIELD_TOTAL); i++) {
        p = qn_parse_decimal(p, &pages);
        while (*p == ' ')
            p++;
    }
    return pages * QN_PAGE;
}

struct usage {
    unsigned what;
    uint64_t from, to; /* does not count */
    uint64_t bytes;
};

static uint64_t common(uint64_t a, uint64_t b, uint64_t from, uint64_t to)
{
    uint64_t low = a > from ? a : from, high = b < to ? b : to;

    return low < high ? high - low : 0;
}

static bool take_mapping(void *data, const struct qn_mapping *m)
{
    struct usage *u = data;
    bool counts = u->what == ADDRESS_SPACE || ((m->flags & (QN_MAPS_WRITE | QN_MAPS_SHARED)) == QN_MAPS_WRITE && !qn_streq(m->path, "[stack]"));

    if (counts && (int64_t)m->start >= 0 && !qn_is_engine_range(m->start, m->end - m->start))
        u->bytes += m->end - m->start - common(m->start, m->end, u->from, u->to);
    return true;
}

static bool allows(unsigned what, uint64_t bytes, uint64_t at, bool over)
{
    uint64_t limit = (qn_self->shares ? qn_self->space : qn_cfg()->space)[what].soft, all;
    struct usage u = {.what = what, .from = over ? at : 0, .to = over ? at + bytes : 0};

    if (limit == NO_LIMIT)
        return true;
    all = counted(what);
    if (engine_has[what] && all - engine_has[what] + bytes <= limit)
        return true;
    if (!qn_maps_each(take_mapping, &u))
        return true;
    if (!over)
        engine_has[what] = all - u.bytes;
    return u.bytes + bytes <= limit;
}

bool qn_space_allows(uint64_t bytes, bool data, uint64_t at, bool over)
{
    bytes = qn_round_up(bytes, QN_PAGE);
    return allows(ADDRESS_SPACE, bytes, at, over) && (!data || allows(DATA, bytes, at, over));
}

void qn_space_limits_exec(bool before)
{
    static const int which[] = {RLIMIT_AS_, RLIMIT_DATA_};
    static struct qn_limit ours[2];

    for (unsigned i = 0; i < 2; i++) {
        const struct qn_limit *its = qn_space_limit(which[i]);

        if (its->soft == NO_LIMIT && its->hard == NO_LIMIT)
            continue;
        if (before)
            qn_sys4(__NR_prlimit64, 0, which[i], (long)its, (long)&ours[i]);
        else
            qn_sys4(__NR_prlimit64, 0, which[i], (long)&ours[i], 0);
    }
}
