/* tests/unit/trace/full.c - does a trace for which there is no room keep what fits, whole: at every size around the end of a part? */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/format.h"
#include "tap.h"
#include "trace/trace.h"

#define PAIRS 600000u /* six parts */
#define PARTS_SEEN 32

static uint64_t word[2 * PAIRS]; /* pairs */
static uint8_t *full;                                        /* the file when there is room */
static uint64_t ends[PARTS_SEEN], instructions[PARTS_SEEN];  /* behind the first n parts; until there */
static unsigned parts;

/* An instruction of four bytes, and a reference of eight to where none was before, in turn. */
static void make_words(void)
{
    uint64_t x = 1;

    for (unsigned i = 0; i < PAIRS; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        word[2 * i] = (QN_LOG_PAIR | QN_LOG_FROM_C | (i % 2 ? QN_LOG_READ : QN_LOG_FETCH)) * (1ull << QN_LOG_KIND_SHIFT) | (i % 2 ? 8 : 4);
        word[2 * i + 1] = i % 2 ? x : 0x400000 + 2 * i;
    }
}

static void limit(uint64_t bytes)
{
    struct rlimit r;

    getrlimit(RLIMIT_FSIZE, &r);
    r.rlim_cur = bytes;
    if (setrlimit(RLIMIT_FSIZE, &r))
        bail("setrlimit");
}

static FILE *make_file(void)
{
    int fd = memfd_create("trace", 0);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w+");

    if (!f)
        bail("memfd_create");
    return f;
}

/* The first n pairs with room for `before` bytes, the others with room for `bytes`.  The descriptor; *error: of the writer, 0: none. */
static int write_limited(unsigned n, uint64_t before, uint64_t bytes, struct qn_trace_counts *counts, int *error)
{
    FILE *f = make_file();
    struct qn_trace_writer *w = qn_trace_open_writer(f, QN_TRACE_PLAIN, 0, UINT64_MAX);
    int fd = dup(fileno(f));
    bool good;

    limit(before);
    good = w && qn_trace_write(w, word, 2 * n) == 2 * n;
    limit(bytes);
    good = good && qn_trace_write(w, word + 2 * n, 2 * (PAIRS - n)) == 2 * (PAIRS - n) && qn_trace_good(w);
    good = qn_trace_close_writer(w, counts) && good;
    *error = good ? 0 : errno;
    fclose(f);
    limit(RLIM_INFINITY);
    return fd;
}

static uint64_t size_of(int fd)
{
    struct stat st;

    return fstat(fd, &st) ? 0 : (uint64_t)st.st_size;
}

static void walk_parts(uint64_t size)
{
    struct part_head h;

    ends[0] = PARTS_MAGIC_BYTES;
    for (parts = 0; parts + 1 < PARTS_SEEN && ends[parts] + sizeof h <= size; parts++) {
        memcpy(&h, full + ends[parts], sizeof h);
        if (h.kind == PART_INDEX)
            return;
        ends[parts + 1] = ends[parts] + sizeof h + h.packed;
        instructions[parts + 1] = instructions[parts] + h.instructions;
    }
}

static void read_full(void)
{
    struct qn_trace_counts counts;
    int error, fd = write_limited(0, RLIM_INFINITY, RLIM_INFINITY, &counts, &error);
    uint64_t size = size_of(fd);

    full = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (full == MAP_FAILED)
        bail("mmap");
    close(fd);
    walk_parts(size);
    is_int(error, 0, "with room: no error");
    ok(counts.whole && counts.instructions == PAIRS / 2, "and all of it is there");
    ok(parts >= 4, "in %u parts", parts);
}

static uint64_t with_end(unsigned n) { return ends[n] + sizeof(struct part_head) + n * sizeof(struct part_entry) + PARTS_TRAILER_BYTES; }

/* As many parts as fit with an index and an end behind them. */
static unsigned most(uint64_t bytes)
{
    unsigned n = parts;

    while (n && with_end(n) > bytes)
        n--;
    return n;
}

static bool begins_as_full(int fd, uint64_t bytes)
{
    uint8_t *is = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    bool same = is != MAP_FAILED && !memcmp(is, full, bytes);

    if (is != MAP_FAILED)
        munmap(is, bytes);
    return same;
}

static bool is_whole(int fd, unsigned n)
{
    struct qn_trace_facts facts;

    return qn_trace_measure_parts(fd, &facts) && facts.ended && facts.parts == n && facts.instructions == instructions[n] &&
           size_of(fd) == with_end(n) && begins_as_full(fd, ends[n]);
}

static void try_size(uint64_t bytes)
{
    struct qn_trace_counts counts;
    unsigned n = most(bytes);
    int error, fd = write_limited(0, bytes, bytes, &counts, &error);

    if (n)
        ok(counts.whole && counts.instructions == instructions[n] && counts.bytes == with_end(n) && is_whole(fd, n),
           "%lu bytes: %u parts", (unsigned long)bytes, n);
    else
        ok(!counts.whole && counts.instructions == (bytes >= ends[1] ? instructions[1] : 0), "%lu bytes: no whole trace", (unsigned long)bytes);
    is_int(error, bytes >= with_end(parts) ? 0 : EFBIG, "error");
    close(fd);
}

static void try_sizes(void)
{
    for (unsigned n = 0; n <= parts; n++) {
        try_size(ends[n] ? ends[n] - 1 : 0);
        try_size(ends[n]);
        try_size(ends[n] + 1);
        try_size(with_end(n) - 1);
        try_size(with_end(n));
        try_size(ends[n] + 5000);
    }
}

/* Nothing can be written any more, not even over what is there. */
static void try_shut(void)
{
    struct qn_trace_counts counts;
    struct qn_trace_facts facts;
    int error, fd = write_limited(PAIRS / 2, RLIM_INFINITY, PARTS_MAGIC_BYTES, &counts, &error);

    ok(!counts.whole && counts.instructions && counts.instructions < PAIRS / 4, "no room for anything more: no end");
    is_int(error, EFBIG, "which is told");
    ok(qn_trace_measure_parts(fd, &facts) && !facts.ended && facts.instructions == counts.instructions, "the parts are there");
    ok(qn_trace_end_parts(fd, &facts) && qn_trace_measure_parts(fd, &facts) && facts.ended && facts.instructions == counts.instructions,
       "and get an end when there is room again");
    ok(is_whole(fd, (unsigned)facts.parts), "and are what they were");
    close(fd);
}

int main(void)
{
    signal(SIGXFSZ, SIG_IGN);
    make_words();
    read_full();
    try_sizes();
    try_shut();
    return done_testing();
}
