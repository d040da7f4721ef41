/* lib/debug/scopes.c - finds what is in scope at an address of code, and where variables are there.  See memory.h.
 *
 *   401150   ->   main, a block in it, an inlined call of make_node in that
 *   `node` at 401150   ->   register 0 (rax); at 40115a: 16 bytes below register 5 (rbp)
 *
 * Only variables in one register, at one address, or at an offset from a register are found; directly behind a call nearly all are such.
 */
#include <dwarf.h>
#include <stdlib.h>

#include "debug/memory.h"

#define OPERATIONS_MAX 4 /* location expressions for one address; several are alternatives */

/* The processor's numbers of the registers of the System V ABI (DWARF Register Number Mapping). */
static bool number_register(unsigned dwarf, unsigned *reg)
{
    static const uint8_t numbers[16] = {0, 2, 1, 3, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15};

    if (dwarf >= sizeof numbers)
        return false;
    *reg = numbers[dwarf];
    return true;
}

/* ---- what is in scope ---- */

static bool holds_code(int tag)
{
    return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* Adds the child of the innermost entry that has the address.  false: none has. */
static bool go_down(struct qn_scopes *s, uint64_t address)
{
    Dwarf_Die die;

    if (dwarf_child(&s->die[s->n - 1], &die))
        return false;
    do {
        if (holds_code(dwarf_tag(&die)) && dwarf_haspc(&die, address) == 1) {
            s->die[s->n++] = die;
            return true;
        }
    } while (!dwarf_siblingof(&die, &die));
    return false;
}

bool qn_debug_find_scopes(struct qn_debug *d, uint64_t address, struct qn_scopes *s)
{
    s->debug = d;
    s->n = 0;
    if (!qn_debug_find_code(d, address, &s->unit, &s->die[0]))
        return false;
    s->n = 1;
    while (s->n < QN_DEBUG_SCOPES && go_down(s, address))
        continue;
    return true;
}

bool qn_debug_each_variable(struct qn_scopes *s, qn_debug_take_variable *take, void *data)
{
    for (int i = s->n; i-- > 0;) {
        Dwarf_Die die;

        if (dwarf_child(&s->die[i], &die))
            continue;
        do {
            int tag = dwarf_tag(&die);

            if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) && take(data, s, &die))
                return true;
        } while (!dwarf_siblingof(&die, &die));
    }
    return false;
}

/* ---- where it is ---- */

static bool from_register(const Dwarf_Op *op, struct qn_where *w)
{
    unsigned number = op->atom == DW_OP_bregx ? (unsigned)op->number : (unsigned)op->atom - DW_OP_breg0;

    if ((op->atom < DW_OP_breg0 || op->atom > DW_OP_breg31) && op->atom != DW_OP_bregx)
        return false;
    w->kind = QN_WHERE_MEMORY;
    w->offset = (int64_t)(op->atom == DW_OP_bregx ? op->number2 : op->number);
    return number_register(number, &w->reg);
}

static Dwarf_CFI *frames_of(struct qn_debug *d)
{
    struct qn_memory *m = qn_debug_memory(d);

    if (m && !m->frames_tried) {
        m->frames_tried = true;
        m->frames = dwarf_getcfi_elf(d->main.elf);
    }
    return m ? m->frames : NULL;
}

static Dwarf_Frame *frame_by(Dwarf_CFI *frames, uint64_t pc)
{
    Dwarf_Frame *frame = NULL;

    return frames && !dwarf_cfi_addrframe(frames, pc, &frame) ? frame : NULL;
}

Dwarf_Frame *qn_debug_open_frame(struct qn_debug *d, uint64_t pc)
{
    Dwarf_Frame *frame = frame_by(frames_of(d), pc);
    Dwarf *dwarf = frame ? NULL : qn_debug_open_dwarf(d);

    return dwarf ? frame_by(dwarf_getcfi(dwarf), pc) : frame;
}

bool qn_debug_frame(struct qn_debug *d, uint64_t pc, struct qn_where *w)
{
    Dwarf_Frame *frame = qn_debug_open_frame(d, pc);
    Dwarf_Op *ops;
    size_t n;
    bool found = frame && !dwarf_frame_cfa(frame, &ops, &n) && n == 1 && from_register(ops, w);

    free(frame);
    return found;
}

/* The function's frame base, from which fbreg counts. */
static bool find_base(struct qn_scopes *s, uint64_t pc, struct qn_where *w)
{
    Dwarf_Attribute at;
    Dwarf_Op *ops[OPERATIONS_MAX];
    size_t n[OPERATIONS_MAX];

    if (dwarf_getlocation_addr(dwarf_attr(&s->die[0], DW_AT_frame_base, &at), pc, ops, n, OPERATIONS_MAX) != 1 || n[0] != 1)
        return false;
    if (ops[0]->atom == DW_OP_call_frame_cfa)
        return qn_debug_frame(s->debug, pc, w);
    if (ops[0]->atom >= DW_OP_reg0 && ops[0]->atom <= DW_OP_reg31) {
        w->kind = QN_WHERE_MEMORY;
        w->offset = 0;
        return number_register((unsigned)ops[0]->atom - DW_OP_reg0, &w->reg);
    }
    return from_register(ops[0], w);
}

bool qn_debug_locate(struct qn_scopes *s, Dwarf_Die *variable, uint64_t pc, struct qn_where *w)
{
    Dwarf_Attribute at;
    Dwarf_Op *ops[OPERATIONS_MAX];
    size_t n[OPERATIONS_MAX];

    *w = (struct qn_where){.kind = QN_WHERE_NOT};
    if (dwarf_getlocation_addr(dwarf_attr(variable, DW_AT_location, &at), pc, ops, n, OPERATIONS_MAX) != 1 || n[0] != 1)
        return false;
    if (ops[0]->atom >= DW_OP_reg0 && ops[0]->atom <= DW_OP_reg31) {
        w->kind = QN_WHERE_REGISTER;
        return number_register((unsigned)ops[0]->atom - DW_OP_reg0, &w->reg);
    }
    if (ops[0]->atom == DW_OP_addr) {
        w->kind = QN_WHERE_ADDRESS;
        w->address = ops[0]->number;
        return true;
    }
    if (ops[0]->atom != DW_OP_fbreg)
        return from_register(ops[0], w);
    if (!find_base(s, pc, w))
        return false;
    w->offset += (int64_t)ops[0]->number;
    return true;
}
