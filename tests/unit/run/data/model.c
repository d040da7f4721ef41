/* model.c - on which object is each miss?  Slowly: a table of all ranges, asked at each miss of a trace.
 *
 *   model TRACE events.txt SIZE,WAYS,LINE         ->   "heap:by_malloc READS WRITES" ...: misses of a D1, least recently used
 *   model TRACE events.txt SIZE,WAYS,LINE classes ->   "heap:by_malloc COMPULSORY CAPACITY CONFLICT"
 *   model TRACE events.txt SIZE,WAYS,LINE pairs   ->   "heap:by_malloc heap:by_calloc MISSES CONFLICTS": whose lines had been evicted for whose
 *   model TRACE events.txt SIZE,WAYS,LINE used    ->   "heap:by_malloc FILLED USED": bytes of lines that came for it and left, at the end all;
 *                                                      "part:TYPE:MEMBER FILLED USED": of these lines' bytes of the same object, by member
 *
 * The trace is that of `quern trace --format=lackey`; events.txt says what lies where (notes.h).  Nothing of what quern does to
 * find objects is used.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


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
static bool wants_uses;
static uint64_t sums[KEYS][2], classes[KEYS][3], used[KEYS + 1][2];
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

#define LINE_MAX_ 128

static unsigned sets, ways, line_bytes;
static struct {
    uint64_t line, used;
    unsigned key, parts[LINE_MAX_]; /* when it came: of what it came for, of its bytes that are of the same object */
    bool byte[LINE_MAX_];           /* used since */
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

static bool is_part(unsigned key) { return !strncmp(keys[key], "part:", 5); }

/* The newest object, not a part of one, that holds the byte; -1: none. */
static int object_at(uint64_t address)
{
    for (unsigned i = nranges; i-- > 0;)
        if (address >= ranges[i].start && address < ranges[i].end && !is_part(ranges[i].key))
            return (int)i;
    return -1;
}

static void leave(unsigned place)
{
    if (!cache[place].used)
        return;
    for (unsigned b = 0; b < line_bytes; b++) {
        used[cache[place].key][0]++;
        used[cache[place].key][1] += cache[place].byte[b];
        used[cache[place].parts[b]][0]++;
        used[cache[place].parts[b]][1] += cache[place].byte[b];
    }
}

static void come(unsigned place, uint64_t line, uint64_t address)
{
    int object = object_at(address);

    cache[place].key = object < 0 ? NOBODY : ranges[object].key;
    for (unsigned b = 0; b < line_bytes; b++) {
        uint64_t byte = line * line_bytes + b;
        unsigned key = object < 0 ? NOBODY : key_at(byte);

        cache[place].byte[b] = false;
        cache[place].parts[b] = key != NOBODY && is_part(key) && byte >= ranges[object].start && byte < ranges[object].end ? key : NOBODY;
    }
}

static void use(unsigned place, uint64_t line, uint64_t address, uint64_t size)
{
    for (uint64_t i = address; i < address + size; i++)
        if (i / line_bytes == line)
            cache[place].byte[i % line_bytes] = true;
}

static bool touch_line(uint64_t line, uint64_t address, uint64_t size)
{
    unsigned oldest = 0, set = (unsigned)(line % sets) * ways;

    for (unsigned w = 0; w < ways; w++) {
        if (cache[set + w].used && cache[set + w].line == line) {
            cache[set + w].used = ++now;
            use(set + w, line, address, size);
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
    if (wants_uses) {
        leave(set + oldest);
        come(set + oldest, line, address > line * line_bytes ? address : line * line_bytes);
    }
    cache[set + oldest].line = line;
    cache[set + oldest].used = ++now;
    use(set + oldest, line, address, size);
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
        missed |= touch_line(l, address, size);
    return missed;
}

/* ---- the trace ---- */

static FILE *trace;

/* " L 1ffe,8": L load, S store, M both, I fetch */
static void read_trace(uint64_t mark, bool wants_classes)
{
    char line[64], kind;
    uint64_t addr, size;

    while (fgets(line, sizeof line, trace)) {
        unsigned class;

        if (sscanf(line, " %c %" SCNx64 ",%" SCNu64, &kind, &addr, &size) != 3)
            fail("no reference");
        if (kind == 'I')
            continue;
        class = wants_classes ? class_of(addr, size) : 0;
        if (misses(addr, size)) {
            count(addr, kind == 'S', class);
            if (evicted_for)
                pairs[coming][evicted_for - 1][0]++, pairs[coming][evicted_for - 1][1] += class == 2;
        }
        if (kind == 'S' && addr == mark)
            happen();
    }
}

int main(int argc, char **argv)
{
    unsigned bytes;

    if (argc < 4 || sscanf(argv[3], "%u,%u,%u", &bytes, &ways, &line_bytes) != 3)
        fail("usage: model TRACE EVENTS SIZE,WAYS,LINE");
    sets = bytes / ways / line_bytes;
    cache = calloc(sets * ways, sizeof *cache);
    trace = fopen(argv[1], "r");
    if (!trace)
        fail("no trace");
    wants_uses = argc > 4 && !strcmp(argv[4], "used");
    read_trace(read_events(argv[2]), argc > 4 && !wants_uses);
    for (unsigned i = 0; i < sets * ways && wants_uses; i++)
        leave(i);
    for (unsigned k = 0; k < nkeys && wants_uses; k++)
        printf("%s %llu %llu\n", keys[k], (unsigned long long)used[k][0], (unsigned long long)used[k][1]);
    for (unsigned k = 0; k < nkeys && argc == 4; k++)
        printf("%s %llu %llu\n", keys[k], (unsigned long long)sums[k][0], (unsigned long long)sums[k][1]);
    for (unsigned k = 0; k < nkeys * nkeys && argc > 4 && !strcmp(argv[4], "pairs"); k++)
        printf("%s %s %llu %llu\n", keys[k / nkeys], keys[k % nkeys], (unsigned long long)pairs[k / nkeys][k % nkeys][0],
               (unsigned long long)pairs[k / nkeys][k % nkeys][1]);
    for (unsigned k = 0; k < nkeys && argc > 4 && !strcmp(argv[4], "classes"); k++)
        printf("%s %llu %llu %llu\n", keys[k], (unsigned long long)classes[k][0], (unsigned long long)classes[k][1],
               (unsigned long long)classes[k][2]);
    return next_event == nevents ? 0 : (fail("marks are missing"), 1);
}
