/* lib/run/observe/trace.c - trace output of the engine: whole lines to the descriptor that the collector opened. */
#include "base/format.h"
#include "block/block.h"
#include "run/run.h"
#include "tcache/tcache.h"

bool qn_tracing(uint32_t what) { return (qn_cfg()->trace & what) != 0; }

void qn_trace_line(const char *line)
{
    char buf[512];
    size_t n = qn_format(buf, sizeof buf, "%s\n", line);

    if (qn_cfg()->trace_fd >= 0)
        qn_sys3(__NR_write, qn_cfg()->trace_fd, (long)buf, (long)n);
}

static void trace_code(const char *what, uint64_t from, uint64_t to)
{
    char line[256], text[160];
    struct qn_insn in;

    qn_format(line, sizeof line, "%s %lx-%lx", what, from, to);
    qn_trace_line(line);
    while (from < to) {
        const uint8_t *bytes = (const uint8_t *)(uintptr_t)from;

        if (qn_block_decode(bytes, to - from, &in) != QN_DEC_OK)
            return;
        qn_decode_print(bytes, &in, from, text, sizeof text);
        qn_format(line, sizeof line, "    %lx: %s", from, text);
        qn_trace_line(line);
        from += in.len;
    }
}

/* Host code of a block, disassembled. */
void qn_trace_emit(uint32_t index)
{
    const struct qn_tblock *b = qn_tcache_block(index);
    char line[160];

    qn_format(line, sizeof line, "emitted for %lx: entry2 %lx", b->pc, (uint64_t)qn_tblock_entry2(b));
    qn_trace_line(line);
    trace_code("  hot", b->hot, qn_tblock_end(b));
    trace_code("  cold", b->cold, qn_tblock_cold_end(b));
}

void qn_format_syscall(char *line, size_t size, long nr, const long *a, long r)
{
    qn_format(line, size, "syscall %ld (%lx, %lx, %lx, %lx, %lx, %lx) = %ld", (int64_t)nr, a[0], a[1], a[2], a[3], a[4], a[5],
              (int64_t)r);
}
