/* tests/fuzz/trace.c - any bytes as a trace: references up to the end, or a message with file and line.
 *
 * What was read is written as text, and must read the same again; the last byte says whether the whole is packed by zstd before
 * that.
 */
#include "fuzz.h"

#include <ctype.h>
#include <inttypes.h>
#include <zstd.h>

#include "sim/module.h"
#include "trace/trace.h"

enum { REFS_MAX = 512, LINE = 64, WHY = 600 };

struct written {
    char at[REFS_MAX * LINE + 1];
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
    struct qn_trace_reader *t = qn_trace_open(path, why, sizeof why);
    size_t count = 0;
    int got = 0;
    if (!t) {
        check_message(why, path);
        return 0;
    }
    while (count < REFS_MAX && (got = qn_trace_next(t, &refs[count])) > 0) {
        const struct sim_ref *r = &refs[count++];
        must(r->kind > SIM_REF_FETCH ? r->size == 0 : r->size >= 1 && r->size <= UINT16_MAX, "a size that can be");
    }
    if (got < 0)
        check_message(qn_trace_error(t), path);
    else
        must(!*qn_trace_error(t), "no message without a failure");
    qn_trace_close(t);
    return count;
}

/* As `quern replay --format=text` writes it. */
static void put(struct written *b, const struct sim_ref *r)
{
    char *to = b->at + b->count;
    int n;
    if (r->kind == SIM_REF_COND)
        n = snprintf(to, LINE, "b 0x%" PRIx64 " %s %s\n", r->addr, r->backward ? "backward" : "forward", r->outcome ? "taken" : "not");
    else if (r->kind > SIM_REF_COND)
        n = snprintf(to, LINE, "%c 0x%" PRIx64 " 0x%" PRIx64 " taken\n", "jct"[r->kind - SIM_REF_INDIRECT], r->addr, r->target);
    else
        n = snprintf(to, LINE, "%c 0x0 0x%" PRIx64 " %u\n", r->kind == SIM_REF_FETCH ? 'i' : "rwm"[r->kind], r->addr, r->size);
    b->count += (size_t)n;
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
    size_t count = read_refs(fuzz_file(0, data, size), refs);
    own.count = 0;
    for (size_t i = 0; i < count; i++)
        put(&own, &refs[i]);
    if (!count)
        return 0;
    const char *path;
    if (size && data[size - 1] % 8 == 1) {
        static uint8_t packed[2 * sizeof own.at];
        size_t n = ZSTD_compress(packed, sizeof packed, own.at, own.count, 1);
        must(!ZSTD_isError(n), "a packed file");
        path = fuzz_file(1, packed, n);
    } else {
        path = fuzz_file(1, (const uint8_t *)own.at, own.count);
    }
    must(read_refs(path, again) == count, "as many references again");
    for (size_t i = 0; i < count; i++)
        must(is_same(&refs[i], &again[i]), "the same reference again");
    return 0;
}
