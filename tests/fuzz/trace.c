/* tests/fuzz/trace.c - any bytes as a trace: references up to the end, or a message with file and line.
 *
 * What was read is written in quern's own format, and must read the same again; the last byte says whether the whole is
 * packed by zstd before that.
 */
#include "fuzz.h"

#include <ctype.h>
#include <zstd.h>

#include "sim/hosted/trace.h"
#include "sim/record.h"

enum { REFS_MAX = 512, WHY = 600 };

struct written {
    uint8_t at[RECORD_MAGIC_BYTES + REFS_MAX * RECORD_BYTES_MAX + 1];
    size_t count;
};

/* "PATH:NUMBER: ..." */
static void check_message(const char *message, const char *path)
{
    size_t n = strlen(path);
    must(strncmp(message, path, n) == 0 && message[n] == ':', "the message names the file");
}

static size_t read_refs(const char *path, struct sim_ref refs[REFS_MAX])
{
    char why[WHY] = "";
    struct trace *t = trace_open(path, why, sizeof why);
    size_t count = 0;
    int got = 0;
    if (!t) {
        check_message(why, path);
        return 0;
    }
    while (count < REFS_MAX && (got = trace_next(t, &refs[count])) > 0) {
        const struct sim_ref *r = &refs[count++];
        must(r->kind > SIM_REF_FETCH ? r->size == 0 : r->size >= 1 && r->size <= UINT16_MAX, "a size that can be");
    }
    if (got < 0)
        check_message(trace_error(t), path);
    else
        must(!*trace_error(t), "no message without a failure");
    trace_close(t);
    return count;
}

static void put_varint(struct written *b, uint64_t value)
{
    for (; value > 127; value >>= 7)
        b->at[b->count++] = (uint8_t)(value | 128);
    b->at[b->count++] = (uint8_t)value;
}

/* record.h says what a record is. */
static void put(struct written *b, const struct sim_ref *r, uint64_t last[RECORD_KINDS])
{
    enum record_kind kind = r->kind == SIM_REF_FETCH      ? RECORD_FETCH
                            : r->kind == SIM_READ         ? RECORD_READ
                            : r->kind == SIM_WRITE        ? RECORD_WRITE
                            : r->kind == SIM_MODIFY       ? RECORD_MODIFY
                            : r->kind == SIM_REF_COND     ? RECORD_COND
                            : r->kind == SIM_REF_INDIRECT ? RECORD_INDIRECT
                                                          : RECORD_STACK;
    unsigned code = kind == RECORD_COND    ? (r->outcome ? 1u : 0) | (unsigned)r->backward << 1
                    : kind == RECORD_STACK ? r->kind == SIM_REF_RETURN
                    : r->size < 32         ? r->size
                                           : 0;
    b->at[b->count++] = (uint8_t)(kind | code << 3);
    if (kind < RECORD_COND && !code)
        put_varint(b, r->size);
    put_varint(b, record_zigzag(r->addr - last[kind]));
    last[kind] = r->addr;
    if (kind == RECORD_INDIRECT || kind == RECORD_STACK)
        put_varint(b, record_zigzag(r->target - r->addr));
}

static int is_same(const struct sim_ref *a, const struct sim_ref *b)
{
    return a->kind == b->kind && a->addr == b->addr && a->size == b->size && a->target == b->target
           && a->outcome == b->outcome && a->backward == b->backward;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sim_ref refs[REFS_MAX], again[REFS_MAX];
    static struct written own;
    uint64_t last[RECORD_KINDS] = {0};
    size_t count = read_refs(fuzz_file(0, data, size), refs);
    memcpy(own.at, RECORD_MAGIC, RECORD_MAGIC_BYTES);
    own.count = RECORD_MAGIC_BYTES;
    for (size_t i = 0; i < count; i++)
        put(&own, &refs[i], last);
    own.at[own.count++] = RECORD_END;
    const char *path;
    if (size && data[size - 1] % 8 == 1) {
        static uint8_t packed[2 * sizeof own.at];
        size_t n = ZSTD_compress(packed, sizeof packed, own.at, own.count, 1);
        must(!ZSTD_isError(n), "a packed file");
        path = fuzz_file(1, packed, n);
    } else {
        path = fuzz_file(1, own.at, own.count);
    }
    must(read_refs(path, again) == count, "as many references again");
    for (size_t i = 0; i < count; i++)
        must(is_same(&refs[i], &again[i]), "the same reference again");
    return 0;
}
