/* lib/cost/notes/steps.c - see steps.h. */
#include "cost/notes/steps.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define TEXT_MAX 1000

static __attribute__((format(printf, 2, 3))) void put(const struct qn_cost_steps *s, const char *format, ...)
{
    char text[TEXT_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    s->put(s->data, text);
}

/* ",text", quoted as RFC 4180 has it. */
static void put_cell(const struct qn_cost_steps *s, const char *text)
{
    char one[2] = "";

    put(s, ",\"");
    for (; text && *text; text++) {
        one[0] = *text;
        put(s, *text == '"' ? "\"\"" : "%s", one);
    }
    put(s, "\"");
}

static void put_reference(const struct qn_cost_steps *s, const struct qn_note *n, const struct qn_cost_step *by)
{
    static const char *const kinds[] = { "read", "write", "modify" };

    put(s, "%" PRIu64 ",0x%" PRIx64, n->number, by->pc);
    put_cell(s, by->file);
    put(s, ",%" PRIu32, by->file ? by->line : 0);
    put_cell(s, by->function);
    put(s, ",%s,0x%" PRIx64 ",%" PRIu32 ",%u", n->kind < sizeof kinds / sizeof *kinds ? kinds[n->kind] : "?", n->addr, n->size, n->outcome);
}

static void put_geometry(const struct qn_cost_steps *s)
{
    const struct qn_geometry *g = s->D1;
    uint64_t set = (uint64_t)g->assoc * g->line;

    put(s, ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%s,%.*s,%.*s", set ? g->size / set : 0, g->assoc, g->line,
        s->head->order == QN_SHOW_RECENT ? "recent" : s->head->order == QN_SHOW_WAYS ? "way" : "", QN_STATE_NAME, s->head->way_state, QN_STATE_NAME,
        s->head->set_state);
}

static void put_address(const struct qn_cost_steps *s, uint64_t line)
{
    if (line == QN_NOTE_NONE)
        put(s, "-");
    else
        put(s, "0x%" PRIx64, line);
}

static void put_line(const struct qn_cost_steps *s, const struct qn_note_line *l, uint64_t address)
{
    static const char *const classes[QN_MISS_CLASSES] = { "compulsory", "capacity", "conflict" };
    uint32_t ways = l->ways < QN_NOTE_WAYS ? l->ways : QN_NOTE_WAYS;

    put(s, ",0x%" PRIx64 ",%u,%s,", l->line, l->hit, l->hit || l->class >= QN_MISS_CLASSES ? "" : classes[l->class]);
    if (l->victim != QN_NOTE_NONE)
        put_address(s, l->victim);
    put(s, ",");
    for (uint32_t i = 0; i < ways; i++) {
        put(s, i ? " " : "");
        put_address(s, l->set[i]);
    }
    put(s, ",");
    for (uint32_t i = 0; i < ways && s->head->way_state[0]; i++)
        put(s, "%s%" PRIu64, i ? " " : "", l->state[i]);
    if (s->head->set_state[0])
        put(s, ",%" PRIu64, l->set_state);
    else
        put(s, ",");
    put_cell(s, s->object ? s->object(s->data, address > l->line ? address : l->line) : NULL);
}

void qn_cost_put_step_names(const struct qn_cost_steps *s)
{
    put(s, "number,pc,file,source_line,function,kind,address,size,outcome,sets,ways,line_bytes,order,way_shows,set_shows,line,hit,class,victim,"
           "before,state,set_state,object,thread,core\n");
}

void qn_cost_put_step(const struct qn_cost_steps *s, const struct qn_note *n, const struct qn_cost_step *by)
{
    for (uint32_t i = 0; i < n->lines && i < QN_NOTE_LINES; i++) {
        put_reference(s, n, by);
        put_geometry(s);
        put_line(s, &n->line[i], n->addr);
        put(s, ",%" PRIu32 ",%" PRIu32 "\n", n->thread, n->core);
    }
}
