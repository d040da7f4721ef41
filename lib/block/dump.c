/* lib/block/dump.c - a block as text, for --trace=block and the goldens. */
#include "base/format.h"
#include "block/block.h"

static void dump_insn(const struct qn_block *b, unsigned i, void (*out)(const char *))
{
    static const char names[] = "CPAZSO";
    char text[160], line[256], live[8];
    unsigned n = 0;

    for (unsigned f = 0; f < 6; f++)
        if (b->live[i] & (1u << f))
            live[n++] = names[f];
    live[n] = 0;
    qn_decode_print((const uint8_t *)(uintptr_t)b->at[i], &b->insn[i], b->at[i], text, sizeof text);
    qn_format(line, sizeof line, "  %x: %s  [live %s]", b->at[i], text, n ? live : "-");
    out(line);
}

void qn_block_dump(const struct qn_block *b, void (*out)(const char *))
{
    char line[128];

    qn_format(line, sizeof line, "block %x: %u instructions, next %x", b->pc, b->n, b->next);
    out(line);
    for (unsigned i = 0; i < b->n; i++)
        dump_insn(b, i, out);
}
