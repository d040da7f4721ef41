/* lib/event/dump.c - an event list as text, for --trace=event and the goldens. */
#include "base/format.h"
#include "event/event.h"

const char *qn_event_kind_name(enum qn_event_kind kind)
{
    static const char *const names[] = {"I", "D", "string", "complex", "Bc", "Bi", "call", "ret"};

    return names[kind];
}

static const char *reg_name(uint8_t r)
{
    static const char *const names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8",
                                        "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rip"};

    return r < QN_ARRAY_LEN(names) ? names[r] : "";
}

static size_t put_address(char *line, size_t size, const struct qn_mem *m)
{
    size_t n = qn_format(line, size, "%s%D(%s", m->seg == QN_SEG_FS ? "fs:" : m->seg == QN_SEG_GS ? "gs:" : "",
                         m->disp, reg_name(m->base));

    if (m->index != QN_REG_NONE)
        n += qn_format(line + n, size - n, ",%s%s,%u", m->vsib ? "v" : "", m->vsib ? "" : reg_name(m->index),
                       (unsigned)m->scale);
    return n + qn_format(line + n, size - n, ")");
}

static void dump_one(const struct qn_event *e, const struct qn_block *b, void (*out)(const char *))
{
    char line[160];
    size_t n = qn_format(line, sizeof line, "  %x: %s cc+%u", b->at[e->insn], qn_event_kind_name(e->kind), e->counter);

    if (e->kind == QN_EV_FETCH)
        n += qn_format(line + n, sizeof line - n, " %x,%u", e->addr, (unsigned)e->size);
    if (e->kind == QN_EV_DATA) {
        n += qn_format(line + n, sizeof line - n, " %s %u ", e->write ? "w" : "r", (unsigned)e->size);
        put_address(line + n, sizeof line - n, &e->mem);
    }
    out(line);
}

void qn_event_dump(const struct qn_event_list *list, const struct qn_block *b, void (*out)(const char *))
{
    char line[96];

    qn_format(line, sizeof line, "events of block %x: %u, cost centre of %u counters", b->pc, list->n,
              list->ncounters);
    out(line);
    for (unsigned i = 0; i < list->n; i++)
        dump_one(&list->ev[i], b, out);
}
