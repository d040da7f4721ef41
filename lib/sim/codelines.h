/* lib/sim/codelines.h - records of code lines, found by address.  Included by engine.c and twin.c, so that the twin has records of
 * its own. */
#ifndef QN_SIM_CODELINES_H
#define QN_SIM_CODELINES_H

#include "sim/contract.h"
#include "sim/service.h"

#define CODE_LINES_MAX (1u << 20)
#define CODE_LINE_BUCKETS (1u << 18)

static struct qn_code_line code_lines[CODE_LINES_MAX];
static uint32_t code_line_next[CODE_LINES_MAX], code_line_head[CODE_LINE_BUCKETS]; /* index + 1 */
static uint32_t code_line_count;

#define RECENT_LINES 4096u /* records found recently, by a hash: saves most look-ups in the table */
static struct qn_code_line *code_line_recent[RECENT_LINES];

static struct qn_code_line *code_line_look_up(uint64_t line);

static inline struct qn_code_line *code_line_find(uint64_t line)
{
    struct qn_code_line **recent = &code_line_recent[(line * 0x9e3779b97f4a7c15ull) >> 52];

    if (*recent && (*recent)->line == line)
        return *recent;
    return *recent = code_line_look_up(line);
}

static struct qn_code_line *code_line_look_up(uint64_t line)
{
    uint32_t bucket = (uint32_t)(line >> 6) % CODE_LINE_BUCKETS; /* adjacent lines use adjacent buckets, so few pages are touched */

    for (uint32_t i = code_line_head[bucket]; i; i = code_line_next[i - 1])
        if (code_lines[i - 1].line == line)
            return &code_lines[i - 1];
    if (code_line_count == CODE_LINES_MAX)
        qn_engine_die("more code lines than records", CODE_LINES_MAX, line);
    code_lines[code_line_count].line = line;
    code_line_next[code_line_count] = code_line_head[bucket];
    code_line_head[bucket] = ++code_line_count;
    return &code_lines[code_line_count - 1];
}

#endif
