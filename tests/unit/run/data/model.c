/* model.c - on which object is each miss?  Slowly: a table of all ranges, asked at each miss of a trace.
 *
 *   model TRACE events.txt SIZE,WAYS,LINE         ->   "heap:by_malloc READS WRITES" ...: misses of a D1, least recently used
 *   model TRACE events.txt SIZE,WAYS,LINE classes ->   "heap:by_malloc COMPULSORY CAPACITY CONFLICT"
 *   model TRACE events.txt SIZE,WAYS,LINE pairs   ->   "heap:by_malloc heap:by_calloc MISSES CONFLICTS": whose lines had been evicted for whose
 *
 * The trace is quern's own (lib/sim/record.h tells its form); events.txt says what lies where (notes.h).  Nothing of what quern does to
 * find objects is used.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/record.h"

#define RANGES 100000
#define KEYS 64

struct range {
    uint64_t start, end;
    unsigned key;
};

struct event {
    char what;
    uint64_t start, size;
    unsigned key;
};

static struct range ranges[RANGES]; /* the newest last */
static struct event events[RANGES];
static unsigned nranges, nevents, next_event;
static char keys[KEYS][100];
static uint64_t sums[KEYS][2], classes[KEYS][3];
static unsigned nkeys;

static void fail(const char *what) { fprintf(stderr, "model: %s\n", what), exit(2); }

static unsigned key_of(const char *text)
{
    unsigned k = 0;

    while (k < nkeys && strcmp(keys[k], text))
        k++;
    if (k == KEYS)
        fail("too many keys");
    if (k == nkeys)
        snprintf(keys[nkeys++], sizeof keys[0], "%s", text);
    return k;
}

/* ---- what lies where ---- */

static void add(const struct event *e)
{
    if (nranges == RANGES)
        fail("too many ranges");
    ranges[nranges++] = (struct range){e->start, e->start + e->size, e->key};
}

/* What begins there, and all that lies in it. */
static void take_away(uint64_t start)
{
    unsigned kept = 0;
    uint64_t end = start;

    for (unsigned i = 0; i < nranges; i++)
        if (ranges[i].start == start && ranges[i].end > end)
            end = ranges[i].end;
    for (unsigned i = 0; i < nranges; i++)
        if (ranges[i].start < start || ranges[i].end > end)
            ranges[kept++] = ranges[i];
    nranges = kept;
}

static uint64_t read_events(const char *path)
{
    FILE *f = fopen(path, "r");
    char line[300], what, key[100];
    unsigned long long mark, start, size;

    if (!f || fscanf(f, "mark %llx\n", &mark) != 1)
        fail("no events");
    while (fgets(line, sizeof line, f)) {
        int n = sscanf(line, "%c %llx %llu %99[^\n]", &what, &start, &size, key);
        struct event e = {what, start, n == 4 ? size : 0, n == 4 ? key_of(key) : 0};

        if (n != (what == '-' ? 2 : 4) || nevents == RANGES)
            fail("bad event");
        events[nevents++] = e;
        if (what == '=')
            add(&e);
    }
    fclose(f);
    return mark;
}

#define NOBODY KEYS

/* Of the newest range that holds it, looked for among all. */
static unsigned key_at(uint64_t address)
{
    for (unsigned i = nranges; i-- > 0;)
        if (address >= ranges[i].start && address < ranges[i].end)
            return ranges[i].key;
    return NOBODY;
}

static void count(uint64_t address, bool write, unsigned class)
{
    unsigned key = key_at(address);

    if (key == NOBODY)
        return;
    sums[key][write]++;
    classes[key][class]++;
}

static void happen(void)
{
    const struct event *e = &events[next_event++];

    if (next_event > nevents)
        fail("more marks than events");
    if (e->what == '+')
        add(e);
    if (e->what == '-')
        take_away(e->start);
}

/* ---- the cache: each line's time of last use ---- */

static unsigned sets, ways, line_bytes;
static struct {
    uint64_t line, used;
} *cache;
static uint64_t now;

/* Lines that were evicted, and for whom the last time. */
#define LOST (1u << 20)
static struct {
    uint64_t line;
    unsigned by; /* key + 1; 0: free */
} lost[LOST];
static uint64_t pairs[KEYS + 1][KEYS + 1][2];

static unsigned lost_at(uint64_t line)
{
    unsigned at = (unsigned)(line % LOST);

    while (lost[at].by && lost[at].line != line)
        at = (at + 1) % LOST;
    return at;
}

/* All lines of a reference on `key` that misses; touched and evicted by touch_line, which is told who comes. */
static unsigned coming, evicted_for; /* evicted_for: of the first line that was evicted before; 0: none */

static bool touch_line(uint64_t line)
{
    unsigned oldest = 0, set = (unsigned)(line % sets) * ways;

    for (unsigned w = 0; w < ways; w++) {
        if (cache[set + w].used && cache[set + w].line == line) {
            cache[set + w].used = ++now;
            return false;
        }
        if (cache[set + w].used < cache[set + oldest].used)
            oldest = w;
    }
    if (!evicted_for)
        evicted_for = lost[lost_at(line)].by;
    if (cache[set + oldest].used) {
        unsigned at = lost_at(cache[set + oldest].line);

        lost[at].line = cache[set + oldest].line;
        lost[at].by = coming + 1;
    }
    cache[set + oldest].line = line;
    cache[set + oldest].used = ++now;
    return true;
}

/* ---- classes: all lines, the newest first ---- */

static uint64_t *recent;
static unsigned nrecent, recent_room;

/* How many other lines were touched since; the number of all of them and more where it never was. */
static unsigned distance_of(uint64_t line)
{
    unsigned d = 0;

    while (d < nrecent && recent[d] != line)
        d++;
    if (nrecent == recent_room && !(recent = realloc(recent, (recent_room += 100000) * sizeof *recent)))
        fail("no memory");
    memmove(recent + 1, recent, d * sizeof *recent);
    recent[0] = line;
    if (d < nrecent)
        return d;
    nrecent++;
    return UINT32_MAX;
}

/* Of the line that was away longest. */
static unsigned class_of(uint64_t address, uint64_t size)
{
    unsigned longest = 0;

    for (uint64_t l = address / line_bytes; l <= (address + size - 1) / line_bytes; l++) {
        unsigned d = distance_of(l);

        longest = d > longest ? d : longest;
    }
    return longest == UINT32_MAX ? 0 : longest >= sets * ways ? 1 : 2;
}

static bool misses(uint64_t address, uint64_t size)
{
    bool missed = false;

    coming = key_at(address);
    evicted_for = 0;
    for (uint64_t l = address / line_bytes; l <= (address + size - 1) / line_bytes; l++)
        missed |= touch_line(l);
    return missed;
}

/* ---- the trace ---- */

static FILE *trace;

static uint64_t varint(void)
{
    uint64_t value = 0;
    int c;

    for (unsigned shift = 0; (c = getc(trace)) != EOF; shift += 7) {
        value |= (uint64_t)(c & 127) << shift;
        if (!(c & 128))
            return value;
    }
    fail("the trace ends early");
    return 0;
}

static void read_trace(uint64_t mark, bool wants_classes)
{
    uint64_t last[RECORD_KINDS] = {0}, size;
    int c;

    while ((c = getc(trace)) != EOF && c & 7) {
        enum record_kind kind = (enum record_kind)(c & 7);
        unsigned code = (unsigned)c >> 3, class;

        size = kind <= RECORD_MODIFY && !code ? varint() : code;
        last[kind] += record_unzigzag(varint());
        if (kind >= RECORD_INDIRECT)
            varint();
        if (kind < RECORD_READ || kind > RECORD_MODIFY)
            continue;
        class = wants_classes ? class_of(last[kind], size) : 0;
        if (misses(last[kind], size)) {
            count(last[kind], kind == RECORD_WRITE, class);
            if (evicted_for)
                pairs[coming][evicted_for - 1][0]++, pairs[coming][evicted_for - 1][1] += class == 2;
        }
        if (kind == RECORD_WRITE && last[kind] == mark)
            happen();
    }
}

int main(int argc, char **argv)
{
    char magic[RECORD_MAGIC_BYTES];
    unsigned bytes;

    if (argc < 4 || sscanf(argv[3], "%u,%u,%u", &bytes, &ways, &line_bytes) != 3)
        fail("usage: model TRACE EVENTS SIZE,WAYS,LINE");
    sets = bytes / ways / line_bytes;
    cache = calloc(sets * ways, sizeof *cache);
    trace = fopen(argv[1], "rb");
    if (!trace || fread(magic, 1, sizeof magic, trace) != sizeof magic || memcmp(magic, RECORD_MAGIC, sizeof magic))
        fail("no trace");
    read_trace(read_events(argv[2]), argc > 4);
    for (unsigned k = 0; k < nkeys && argc == 4; k++)
        printf("%s %llu %llu\n", keys[k], (unsigned long long)sums[k][0], (unsigned long long)sums[k][1]);
    for (unsigned k = 0; k < nkeys * nkeys && argc > 4 && !strcmp(argv[4], "pairs"); k++)
        printf("%s %s %llu %llu\n", keys[k / nkeys], keys[k % nkeys], (unsigned long long)pairs[k / nkeys][k % nkeys][0],
               (unsigned long long)pairs[k / nkeys][k % nkeys][1]);
    for (unsigned k = 0; k < nkeys && argc > 4 && strcmp(argv[4], "pairs"); k++)
        printf("%s %llu %llu %llu\n", keys[k], (unsigned long long)classes[k][0], (unsigned long long)classes[k][1],
               (unsigned long long)classes[k][2]);
    return next_event == nevents ? 0 : (fail("marks are missing"), 1);
}
