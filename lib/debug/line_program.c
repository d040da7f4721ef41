/* lib/debug/line_program.c - reads the line tables of .debug_line (DWARF 2 to 5, section 6.2).
 *
 * In:  a header and opcodes such as  set_address 401000, copy, special (address +4, line +1), ...,
 *      advance_pc 8, end_sequence
 * Out: the sequence 401000..401040, and when asked its rows  401000 line 1, 401004 line 2, ...
 *
 * Scanning a unit follows the addresses only and finds the sequences, at about a nanosecond per
 * byte; then only the rows of functions that ran are decoded.  Both use the same function, step().
 *
 * Not modelled: is_stmt, columns, discriminators, views; several operations per instruction (VLIW);
 * files that the program itself defines (DW_LNE_define_file).  Unknown opcodes are skipped as the
 * header says.
 */
#include <dwarf.h>
#include <stdlib.h>

#include "debug/internal.h"

#define DWARF64_ESCAPE 0xffffffffu
#define FIXED_ADVANCE_BYTES 2

struct machine {
    uint64_t address;
    uint32_t file, line;
};

enum step { STEP_NONE, STEP_ROW, STEP_END };

static bool check_header(struct qn_unit *u, struct qn_reader *r)
{
    uint64_t header;

    u->version = (uint16_t)qn_debug_read(r, 2);
    if (u->version < 2 || u->version > 5)
        return false;
    if (u->version == 5 && qn_debug_read(r, 1) != sizeof(uint64_t)) /* size of addresses */
        return false;
    if (u->version == 5)
        qn_debug_skip(r, 1); /* size of segment selectors */
    header = qn_debug_read(r, u->dwarf64 ? 8 : 4);
    if (header > (uint64_t)(r->end - r->at))
        return false;
    u->program = r->at + header;
    u->instruction = (uint8_t)qn_debug_read(r, 1);
    if (u->version >= 4)
        qn_debug_skip(r, 1); /* operations per instruction */
    qn_debug_skip(r, 1);     /* is_stmt */
    u->line_base = (int8_t)qn_debug_read(r, 1);
    u->line_range = (uint8_t)qn_debug_read(r, 1);
    u->opcode_base = (uint8_t)qn_debug_read(r, 1);
    if (u->line_range == 0 || u->opcode_base == 0)
        return false;
    u->lengths = r->at;
    qn_debug_skip(r, u->opcode_base - 1u);
    u->names = r->at;
    return !r->bad && u->names <= u->program;
}

/* Reads the header at `offset`.  A unit that cannot be read is `bad` and has no program; one without bytes is
 * padding.  false: the section ends, or cannot be read further. */
bool qn_debug_read_unit(const struct qn_section *line, uint64_t offset, struct qn_unit *u, uint64_t *next)
{
    struct qn_reader r;
    uint64_t length;

    if (offset >= line->size)
        return false;
    r = (struct qn_reader){ line->bytes + offset, line->bytes + line->size, false };
    *u = (struct qn_unit){ .offset = offset };
    length = qn_debug_read(&r, 4);
    if (length == DWARF64_ESCAPE) {
        u->dwarf64 = true;
        length = qn_debug_read(&r, 8);
    }
    if (r.bad || length > (uint64_t)(r.end - r.at))
        return false;
    r.end = r.at + length;
    *next = (uint64_t)(r.end - line->bytes);
    u->end = r.end;
    if (!check_header(u, &r)) {
        u->program = u->end;
        u->bad = length > 0;
    }
    return true;
}

static enum step step_extended(struct qn_reader *r, struct machine *m)
{
    uint64_t length = qn_debug_read_uleb(r);
    struct qn_reader body = *r;
    enum step result = STEP_NONE;

    qn_debug_skip(r, length);
    body.end = r->at;
    switch (qn_debug_read(&body, 1)) {
    case DW_LNE_end_sequence:
        result = STEP_END;
        break;
    case DW_LNE_set_address:
        m->address = qn_debug_read(&body, sizeof m->address);
        break;
    }
    r->bad |= body.bad;
    return result;
}

static inline __attribute__((always_inline)) enum step step_standard(const struct qn_unit *u, uint8_t opcode,
                                                                     struct qn_reader *r, struct machine *m)
{
    switch (opcode) {
    case DW_LNS_copy:
        return STEP_ROW;
    case DW_LNS_advance_pc:
        m->address += u->instruction * qn_debug_read_uleb(r);
        break;
    case DW_LNS_advance_line:
        m->line += (uint32_t)qn_debug_read_sleb(r);
        break;
    case DW_LNS_set_file:
        m->file = (uint32_t)qn_debug_read_uleb(r);
        break;
    case DW_LNS_const_add_pc:
        m->address += (uint64_t)((255 - u->opcode_base) / u->line_range) * u->instruction;
        break;
    case DW_LNS_fixed_advance_pc:
        m->address += qn_debug_read(r, FIXED_ADVANCE_BYTES);
        break;
    default: /* no effect on address, file or line, or not known */
        for (unsigned n = u->lengths[opcode - 1]; n; n--)
            qn_debug_read_uleb(r);
    }
    return STEP_NONE;
}

#define USUAL_RANGE 14 /* what gas, GCC and LLVM write: a division by a constant is cheap */

static inline unsigned quotient(unsigned opcode, unsigned range)
{
    return range == USUAL_RANGE ? opcode / USUAL_RANGE : opcode / range;
}

/* Executes one opcode.  Inlined, so scanning keeps the machine in registers and the compiler drops the lines. */
static inline __attribute__((always_inline)) enum step step(const struct qn_unit *u, struct qn_reader *r,
                                                            struct machine *m)
{
    uint8_t opcode = *r->at++;

    if (opcode >= u->opcode_base) {
        opcode = (uint8_t)(opcode - u->opcode_base);
        m->address += (uint64_t)quotient(opcode, u->line_range) * u->instruction;
        m->line += (uint32_t)(u->line_base + opcode % u->line_range);
        return STEP_ROW;
    }
    return opcode ? step_standard(u, opcode, r, m) : step_extended(r, m);
}

bool qn_debug_scan_unit(const struct qn_unit *u, qn_debug_take_sequence *take, void *data)
{
    struct qn_reader r = { u->program, u->end, false };
    struct qn_sequence s = { .program = u->program };
    struct machine m = { 0, 1, 1 };
    bool any = false;

    while (r.at < r.end && !r.bad) {
        enum step what = step(u, &r, &m);

        if (what == STEP_NONE)
            continue;
        if (what == STEP_ROW) {
            if (!any)
                s.start = m.address;
            any = true;
            s.scanned++;
            continue;
        }
        s.end = m.address;
        if (any && s.start < s.end)
            take(data, &s);
        s = (struct qn_sequence){ .program = r.at };
        m = (struct machine){ 0, 1, 1 };
        any = false;
    }
    return !r.bad && !any;
}

/* Fills s->rows.  A row that a later one at the same address replaces is left out.  false: no memory. */
bool qn_debug_decode_sequence(const struct qn_unit *u, struct qn_sequence *s)
{
    struct qn_reader r = { s->program, u->end, false };
    struct machine m = { 0, 1, 1 };
    uint32_t n = 0, room = s->scanned;

    s->rows = malloc((room + 1) * sizeof *s->rows);
    if (!s->rows)
        return false;
    while (r.at < r.end && !r.bad) {
        enum step what = step(u, &r, &m);

        if (what == STEP_NONE)
            continue;
        if (what == STEP_END || n == room)
            break;
        if (n && s->rows[n - 1].address >= m.address)
            n--;
        s->rows[n++] = (struct qn_row){ m.address, m.line, m.file };
    }
    s->rows[n++] = (struct qn_row){ s->end, QN_ROW_END, 0 };
    s->count = n;
    return true;
}
