/* lib/trace/write.c - writes the parts of a trace into its file.
 *
 * Each part is flushed at once, so a process that is killed leaves whole parts, and at most one that is cut off.  If the file has no room
 * for a part, the index and the end mark are written over what there is of it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/grow.h"
#include "sim/record.h"
#include "trace/encode.h"
#include "trace/format.h"

struct qn_trace_writer *qn_trace_open_writer(FILE *to, enum qn_trace_packing how, uint64_t from, uint64_t count)
{
    struct qn_trace_writer *w = calloc(1, sizeof *w);

    if (!w || !(w->packer = qn_trace_open_packer(how)) || !QN_GROW(w->block, 0, w->block_room, 4096)) {
        qn_trace_close_packer(w ? w->packer : NULL);
        free(w);
        return NULL;
    }
    w->block[0] = (struct part_block){.pc = 0, .words = UINT16_MAX};
    w->blocks = w->generation = 1;
    w->to = to;
    w->how = how;
    w->from = from;
    w->end = count > UINT64_MAX - from ? UINT64_MAX : from + count;
    if (fwrite(PARTS_MAGIC, 1, PARTS_MAGIC_BYTES, to) != PARTS_MAGIC_BYTES)
        trace_fail(w);
    w->offset = PARTS_MAGIC_BYTES;
    return w;
}

static void put(struct qn_trace_writer *w, const void *bytes, size_t n)
{
    if (!w->failed && n && fwrite(bytes, 1, n, w->to) != n)
        trace_fail(w);
    w->offset += n;
}

static void note_entry(struct qn_trace_writer *w, const struct part_head *h)
{
    if (!QN_GROW(w->entry, w->entries, w->entry_room, 64))
        trace_fail(w);
    else
        w->entry[w->entries++] = (struct part_entry){.offset = w->offset, .first = h->first, .kind = h->kind};
}

/* head: kind, first, instructions and references of the part; the other fields are filled in here. */
static void write_part(struct qn_trace_writer *w, struct part_head head, const uint8_t *payload, size_t n)
{
    size_t packed;
    const uint8_t *bytes = qn_trace_pack_bytes(w->packer, payload, n, &packed);

    if (!bytes) {
        trace_fail(w);
        return;
    }
    if (head.kind != PART_INDEX)
        note_entry(w, &head);
    head.mark = PART_MARK;
    head.packing = (uint8_t)w->how;
    head.bytes = (uint32_t)n;
    head.packed = (uint32_t)packed;
    head.payload_crc = lzma_crc32(bytes, packed, 0);
    head.crc = lzma_crc32((const uint8_t *)&head, offsetof(struct part_head, crc), 0);
    put(w, &head, sizeof head);
    put(w, bytes, packed);
    if (fflush(w->to))
        trace_fail(w);
}

static void write_definitions(struct qn_trace_writer *w, uint64_t first)
{
    if (w->definitions.n)
        write_part(w, (struct part_head){.kind = PART_DEFINITIONS, .first = first}, w->definitions.at, w->definitions.n);
    if (w->code.n)
        write_part(w, (struct part_head){.kind = PART_CODE, .first = first}, w->code.at, w->code.n);
    w->definitions.n = w->code.n = 0;
}

static void append(struct qn_trace_writer *w, struct stream *to, const struct stream *from)
{
    if (!trace_room(w, to, to->n + from->n))
        return;
    if (from->n)
        memcpy(to->at + to->n, from->at, from->n);
    to->n += from->n;
}

static void write_references(struct qn_trace_writer *w, uint64_t first)
{
    struct stream *all = &w->payload;

    all->n = 0;
    trace_varint(w, all, w->control.n);
    trace_varint(w, all, w->heads.n);
    append(w, all, &w->control);
    append(w, all, &w->heads);
    append(w, all, &w->data);
    if (!w->failed)
        write_part(w, (struct part_head){.kind = PART_REFERENCES, .first = first, .instructions = w->part_instructions, .references = w->part_references},
                   all->at, all->n);
}

static void note_written(struct qn_trace_writer *w)
{
    if (w->failed)
        return;
    w->written_before = w->written;
    w->written = (struct written){w->entries, w->offset, w->counts.instructions, w->counts.references};
}

void trace_write_parts(struct qn_trace_writer *w)
{
    uint64_t first = w->counts.instructions;

    if (w->failed || (!w->control.n && !w->definitions.n))
        return;
    trace_end_streams(w);
    write_definitions(w, first);
    write_references(w, first);
    w->counts.instructions += w->part_instructions;
    w->counts.references += w->part_references;
    note_written(w);
    w->part_instructions = w->part_references = 0;
    w->control.n = w->heads.n = w->data.n = 0;
    w->before = 0;
    memset(w->last, 0, sizeof w->last);
    w->generation++;
    w->core_due = w->core || w->thread;
}

static void write_end(struct qn_trace_writer *w)
{
    uint64_t index = w->offset;

    write_part(w, (struct part_head){.kind = PART_INDEX, .first = w->counts.instructions}, (const uint8_t *)w->entry, w->entries * sizeof *w->entry);
    put(w, &index, sizeof index);
    put(w, PARTS_END, PARTS_MAGIC_BYTES);
}

/* Writes index and end mark behind the parts that `to` counts, over what lies there, and cuts off the rest. */
static bool end_at(struct qn_trace_writer *w, const struct written *to)
{
    w->failed = false;
    w->entries = to->entries;
    w->offset = to->bytes;
    w->counts.instructions = to->instructions;
    w->counts.references = to->references;
    __fpurge(w->to);
    clearerr(w->to);
    if (fseeko(w->to, (off_t)to->bytes, SEEK_SET))
        return false;
    write_end(w);
    return !w->failed && fflush(w->to) == 0 && ftruncate(fileno(w->to), (off_t)w->offset) == 0;
}

/* Ends the trace behind the last whole part of references.  First index and end mark overwrite what there is of the part that did not fit.
 * If that fails, the file is cut there before they are written: a copy-on-write file system needs the room that this frees.  If that fails,
 * too, they replace the last part of references. */
static bool end_short(struct qn_trace_writer *w)
{
    const struct written all = w->written, fewer = w->written_before;
    bool ended = all.entries && (end_at(w, &all) || (ftruncate(fileno(w->to), (off_t)all.bytes) == 0 && end_at(w, &all)) ||
                                (fewer.entries && end_at(w, &fewer)));

    if (!ended) {
        w->counts.instructions = all.instructions;
        w->counts.references = all.references;
        __fpurge(w->to);
    }
    w->failed = true;
    return ended;
}

static void release(struct qn_trace_writer *w)
{
    for (uint32_t i = 1; i < w->blocks; i++)
        free((void *)w->block[i].item);
    free(w->block);
    free(w->site);
    free(w->file_id);
    free(w->hash);
    free(w->now.group);
    free(w->control.at);
    free(w->heads.at);
    free(w->data.at);
    free(w->definitions.at);
    free(w->code.at);
    free(w->payload.at);
    qn_trace_close_packer(w->packer);
    free(w->entry);
    free(w);
}

bool qn_trace_close_writer(struct qn_trace_writer *w, struct qn_trace_counts *counts)
{
    int error;
    bool good;

    if (!w->bug)
        trace_finish(w);
    trace_write_parts(w);
    if (!w->failed)
        write_end(w);
    if (!w->failed && fflush(w->to))
        trace_fail(w);
    good = !w->failed && !w->bug;
    error = w->error;
    w->counts.whole = good || (!w->bug && end_short(w));
    w->counts.bytes = w->offset;
    w->counts.bug = w->bug;
    *counts = w->counts;
    release(w);
    errno = error;
    return good;
}

/* ---- the reader of the ring ---- */

enum { MEMORY, THEIRS, OURS, DONE, FDS };

struct qn_trace_recorder {
    int fd[FDS];          /* the ring's memory; the program's end of the socket; ours; an eventfd: the program has ended */
    struct ring *ring;
    struct qn_trace_writer *to;
    pthread_t thread;
    bool good;
};

#define RING_BYTES_TWICE (2 * RING_BYTES - RING_OFFSET)

static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Takes words up to `head`, at most an eighth of the ring; wakes the recorder.  false: the writer failed. */
static bool take(struct qn_trace_recorder *r, uint64_t head)
{
    uint64_t tail = r->ring->tail, n = smaller(head - tail, RING_WORDS / 8);

    n = qn_trace_write(r->to, ring_words(r->ring) + tail % RING_WORDS, n);
    if (!n && qn_trace_good(r->to))
        r->to->bug = "a block that is not whole";
    if (!qn_trace_good(r->to))
        return false;
    RING_STORE(r->ring->tail, tail + n);
    if (RING_LOAD(r->ring->recorder_waits) && RING_TAKE(r->ring->recorder_waits))
        send(r->fd[OURS], "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    return true;
}

/* Waits until there are more words (false) or the program has ended (true). */
static bool sleep_on(struct qn_trace_recorder *r)
{
    struct pollfd p[] = {{r->fd[OURS], POLLIN, 0}, {r->fd[DONE], POLLIN, 0}};
    char bytes[64];

    RING_STORE(r->ring->reader_sleeps, 1);
    if (RING_LOAD(r->ring->head) != r->ring->tail)
        return false;
    poll(p, 2, -1);
    if ((p[0].revents & POLLIN) && recv(r->fd[OURS], bytes, sizeof bytes, MSG_DONTWAIT) < 0)
        return false;
    return p[1].revents & POLLIN;
}

static void *read_ring(void *data)
{
    struct qn_trace_recorder *r = data;
    bool ended = false;

    r->good = true;
    for (;;) {
        uint64_t head = RING_LOAD(r->ring->head);

        if (head != r->ring->tail) {
            r->good = take(r, head);
            if (!r->good)
                break;
        } else if (ended) {
            break;
        } else {
            ended = sleep_on(r);
        }
    }
    if (!r->good)
        RING_STORE(r->ring->refused, 1);
    shutdown(r->fd[OURS], SHUT_RDWR); /* a recorder that waits for room wakes and sees that the reader has ended */
    return NULL;
}

static void release_recorder(struct qn_trace_recorder *r)
{
    for (unsigned i = 0; i < FDS; i++)
        if (r->fd[i] >= 0)
            close(r->fd[i]);
    if (r->ring && r->ring != MAP_FAILED)
        munmap(r->ring, RING_BYTES_TWICE);
    free(r);
}

/* The words lie there twice, one behind the other, so that no block is in two pieces. */
static void *map_ring(int memory)
{
    uint8_t *ring = mmap(NULL, RING_BYTES_TWICE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (ring != MAP_FAILED && (mmap(ring, RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory, 0) == MAP_FAILED ||
                               mmap(ring + RING_BYTES, RING_BYTES - RING_OFFSET, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory, RING_OFFSET) == MAP_FAILED)) {
        munmap(ring, RING_BYTES_TWICE);
        return MAP_FAILED;
    }
    return ring;
}

static bool open_all(struct qn_trace_recorder *r)
{
    int pair[2];

    r->fd[MEMORY] = memfd_create("quern-trace", 0);
    if (r->fd[MEMORY] < 0 || ftruncate(r->fd[MEMORY], RING_BYTES) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        return false;
    r->fd[THEIRS] = pair[0];
    r->fd[OURS] = pair[1];
    fcntl(pair[1], F_SETFD, FD_CLOEXEC);
    r->fd[DONE] = eventfd(0, EFD_CLOEXEC);
    r->ring = map_ring(r->fd[MEMORY]);
    return r->fd[OURS] >= 0 && r->fd[DONE] >= 0 && r->ring != MAP_FAILED;
}

struct qn_trace_recorder *qn_trace_open_recorder(struct qn_trace_writer *to)
{
    struct qn_trace_recorder *r = calloc(1, sizeof *r);
    int error;

    if (!r)
        return NULL;
    for (unsigned i = 0; i < FDS; i++)
        r->fd[i] = -1;
    r->to = to;
    if (open_all(r)) {
        errno = pthread_create(&r->thread, NULL, read_ring, r);
        if (!errno)
            return r;
    }
    error = errno;
    release_recorder(r);
    errno = error;
    return NULL;
}

const int *qn_trace_recorder_fds(const struct qn_trace_recorder *r) { return r->fd; }

bool qn_trace_close_recorder(struct qn_trace_recorder *r, bool *begun)
{
    bool good;

    eventfd_write(r->fd[DONE], 1);
    pthread_join(r->thread, NULL);
    good = r->good;
    *begun = RING_LOAD(r->ring->head) > 0;
    release_recorder(r);
    return good;
}

/* ---- the end of a trace that was cut off ---- */

static bool write_index(int fd, const struct part_entry *entry, uint32_t n, const struct qn_trace_facts *facts)
{
    uint32_t bytes = (uint32_t)(n * sizeof *entry);
    struct part_head h = {.mark = PART_MARK, .kind = PART_INDEX, .packing = PART_PLAIN, .bytes = bytes, .packed = bytes, .first = facts->instructions};
    off_t at = (off_t)facts->whole;
    uint64_t index = facts->whole;

    h.payload_crc = lzma_crc32((const uint8_t *)entry, bytes, 0);
    h.crc = lzma_crc32((const uint8_t *)&h, offsetof(struct part_head, crc), 0);
    return ftruncate(fd, at) == 0 && pwrite(fd, &h, sizeof h, at) == sizeof h && pwrite(fd, entry, bytes, at + (off_t)sizeof h) == bytes &&
           pwrite(fd, &index, sizeof index, at + (off_t)(sizeof h + bytes)) == sizeof index &&
           pwrite(fd, PARTS_END, PARTS_MAGIC_BYTES, at + (off_t)(sizeof h + bytes + sizeof index)) == PARTS_MAGIC_BYTES;
}

bool qn_trace_end_parts(int fd, struct qn_trace_facts *facts)
{
    struct part_entry *entry;
    uint32_t n;
    bool good = parts_measure(fd, facts, &entry, &n) && (facts->ended || (facts->cut && write_index(fd, entry, n, facts)));
    int error = errno;

    free(entry);
    errno = error;
    return good;
}
