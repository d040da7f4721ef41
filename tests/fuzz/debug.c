/* tests/fuzz/debug.c - any bytes as an ELF file with debug information: whatever the answers are, asking ends, reads nothing
 * outside the file, and gives each answer a range of its own. */
#include "fuzz.h"

#include "debug/debug.h"

enum { QUESTIONS = 60, NAME_MAX_BYTES = 1 << 20 };

static void ask(struct qn_debug *d, uint64_t address)
{
    struct qn_debug_place p;
    uint64_t offset;
    qn_debug_find(d, address, &p);
    must(p.end > address, "an answer ends behind its question");
    must(!p.file || strlen(p.file) < NAME_MAX_BYTES, "a file's name ends");
    must(!p.function || strlen(p.function) < NAME_MAX_BYTES, "a function's name ends");
    qn_debug_offset(d, address, &offset);
}

static void take_range(void *data, uint64_t start, uint64_t end)
{
    uint64_t *last = data;
    must(start < end && start >= *last, "ranges rise");
    *last = end;
}

static void take_function(void *data, uint64_t start, bool chooses)
{
    (void)chooses;
    *(uint64_t *)data += start;
}

static void ask_all(struct qn_debug *d, size_t size)
{
    struct qn_debug_lines_asked lines = {.file = "a.c", .first = 2, .last = 4};
    uint64_t last = 0, sum = 0, address;
    size_t bytes;
    for (size_t i = 0; i < QUESTIONS; i++)
        ask(d, qn_debug_address(d, i * size / QUESTIONS, &address) ? address : 0x1000 + 4 * i);
    ask(d, UINT64_MAX - 1);
    qn_debug_find_lines(d, &lines, take_range, &last);
    qn_debug_find_functions(d, "main", take_function, &sum);
    if (qn_debug_bytes(d, size / 2, &bytes))
        must(bytes <= size - size / 2, "bytes up to the end");
    must(strlen(qn_debug_build_id(d)) <= 2 * size, "a build id");
    qn_debug_is_damaged(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char why[100] = "";
    uint8_t *image = malloc(size + 1);
    must(image, "memory");
    memcpy(image, data, size);
    struct qn_debug *d = qn_debug_open_memory(image, size, why, sizeof why);
    must(d || why[0], "a refusal says why");
    if (d)
        ask_all(d, size);
    qn_debug_close(d);
    free(image);
    return 0;
}
