/* lib/debug/frames.c - frames of functions on the stack: where the caller's frame begins, and where variables are.  See types.h.
 *
 *   401150 in f, by .eh_frame    ->   CFA = rsp + 48; rbp is saved 16 bytes below it, the return address 8 bytes below it
 *   `buf` at 401150: fbreg -48   ->   -48..-16, its entry
 *
 * Variables in scope come first, the innermost before others; then those of other blocks of the function that overlap no other variable.
 *
 * Not modelled: unwind rules that are expressions, other than those of PLT entries and signal frames; variables in several pieces, and
 * variables whose size is known only at run time.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "debug/memory.h"

enum { DWARF_RBP = 6, DWARF_RSP = 7, DWARF_RETURN = 16 };

#define LOCALS_MAX 512
#define DEPTH_MAX 100
#define PLT_OPERATIONS 9 /* rsp + 8 + ((rip & 15) >= 11) * 8: in an entry of 16 bytes, the push ends at byte 11 */
#define PLT_PUSHED 11

/* ---- rules ---- */

static bool is_register(const Dwarf_Op *op, unsigned dwarf)
{
    return op->atom == DW_OP_breg0 + dwarf || (op->atom == DW_OP_bregx && op->number == dwarf);
}

static int64_t offset_of(const Dwarf_Op *op) { return (int64_t)(op->atom == DW_OP_bregx ? op->number2 : op->number); }

static bool take_register(const Dwarf_Op *op, struct qn_debug_slot *slot)
{
    slot->from = is_register(op, DWARF_RSP) ? QN_DEBUG_FROM_RSP : is_register(op, DWARF_RBP) ? QN_DEBUG_FROM_RBP : QN_DEBUG_FROM_NOTHING;
    slot->offset = offset_of(op);
    return slot->from != QN_DEBUG_FROM_NOTHING;
}

static bool find_cfa(Dwarf_Frame *frame, uint64_t pc, struct qn_debug_frame *f)
{
    Dwarf_Op *ops;
    size_t n;

    if (dwarf_frame_cfa(frame, &ops, &n) || !n || !take_register(ops, &f->cfa))
        return false;
    f->stored = n == 2 && ops[1].atom == DW_OP_deref;
    if (n == PLT_OPERATIONS && is_register(&ops[1], DWARF_RETURN) && ops[2].atom == DW_OP_lit15) {
        f->cfa.offset += (pc & 15) >= PLT_PUSHED ? 8 : 0;
        return true;
    }
    return n == 1 || f->stored;
}

/* Where the caller's register is saved; FROM_NOTHING: no rule says it is.  false: the rule is not followed here. */
static bool find_kept(Dwarf_Frame *frame, unsigned dwarf, struct qn_debug_slot *slot)
{
    Dwarf_Op space[3], *ops;
    size_t n;

    *slot = (struct qn_debug_slot){QN_DEBUG_FROM_NOTHING, 0};
    if (dwarf_frame_register(frame, (int)dwarf, space, &ops, &n))
        return false;
    if (!n)
        return true;
    if (ops[0].atom == DW_OP_call_frame_cfa && n == 2 && take_register(&ops[1], slot)) /* an expression begins with the CFA pushed */
        return true;
    if (ops[0].atom == DW_OP_call_frame_cfa) {
        slot->from = QN_DEBUG_FROM_CFA;
        slot->offset = n == 2 ? (int64_t)ops[1].number : 0;
        return n == 1 || (n == 2 && ops[1].atom == DW_OP_plus_uconst);
    }
    return n == 1 && take_register(ops, slot);
}

bool qn_debug_find_frame(struct qn_debug *d, uint64_t pc, struct qn_debug_frame *f)
{
    Dwarf_Frame *frame = qn_debug_open_frame(d, pc);
    bool found;

    *f = (struct qn_debug_frame){.stored = false};
    if (!frame)
        return false;
    dwarf_frame_info(frame, NULL, NULL, &f->interrupted);
    found = find_cfa(frame, pc, f) && find_kept(frame, DWARF_RETURN, &f->ret) && find_kept(frame, DWARF_RBP, &f->rbp);
    free(frame);
    return found;
}

/* ---- variables ---- */

struct locals {
    struct qn_scopes scopes;
    const struct qn_debug_frame *frame;
    uint64_t pc;
    bool base_is_cfa;
    struct qn_debug_local list[LOCALS_MAX];
    Dwarf_Die die[LOCALS_MAX];
    unsigned n, in_scope;
};

static bool base_is_cfa(struct qn_scopes *s, uint64_t pc)
{
    Dwarf_Attribute at;
    Dwarf_Op *ops[1];
    size_t n[1];

    return dwarf_getlocation_addr(dwarf_attr(&s->die[0], DW_AT_frame_base, &at), pc, ops, n, 1) == 1 && n[0] == 1
           && ops[0]->atom == DW_OP_call_frame_cfa;
}

/* The offset of the variable's first byte from the CFA. */
static bool find_place(struct locals *l, Dwarf_Die *variable, int64_t *start)
{
    Dwarf_Attribute at;
    Dwarf_Op *ops[1];
    size_t n[1];
    struct qn_where where;
    bool by_rsp = l->frame->cfa.from == QN_DEBUG_FROM_RSP;

    if (l->base_is_cfa && dwarf_getlocation_addr(dwarf_attr(variable, DW_AT_location, &at), l->pc, ops, n, 1) == 1 && n[0] == 1
        && ops[0]->atom == DW_OP_fbreg) {
        *start = (int64_t)ops[0]->number;
        return true;
    }
    if (l->frame->stored || !qn_debug_locate(&l->scopes, variable, l->pc, &where) || where.kind != QN_WHERE_MEMORY
        || where.reg != (by_rsp ? QN_DEBUG_RSP : QN_DEBUG_RBP))
        return false;
    *start = where.offset - l->frame->cfa.offset;
    return true;
}

static bool take(void *data, struct qn_scopes *s, Dwarf_Die *variable)
{
    struct locals *l = data;
    Dwarf_Die type;
    int64_t start;
    uint64_t size;

    (void)s;
    if (l->n == LOCALS_MAX || !qn_debug_type_of(variable, &type) || !(size = qn_debug_size(&type)) || size > INT32_MAX
        || !find_place(l, variable, &start))
        return false;
    l->die[l->n] = *variable;
    l->list[l->n++] = (struct qn_debug_local){.start = start, .end = start + (int64_t)size, .id = dwarf_dieoffset(variable)};
    return false;
}

static void take_rest(struct locals *l, Dwarf_Die *parent, int depth)
{
    Dwarf_Die die;

    if (depth > DEPTH_MAX || dwarf_child(parent, &die))
        return;
    do {
        int tag = dwarf_tag(&die);

        if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
            take(l, &l->scopes, &die);
        else if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
            take_rest(l, &die, depth + 1);
    } while (!dwarf_siblingof(&die, &die));
}

static bool overlap(const struct qn_debug_local *a, const struct qn_debug_local *b) { return a->start < b->end && b->start < a->end; }

/* Is variable i in scope, or without overlap with any other? */
static bool is_clear(const struct locals *l, unsigned i)
{
    for (unsigned k = 0; k < l->n && i >= l->in_scope; k++)
        if (k != i && overlap(&l->list[k], &l->list[i]))
            return false;
    return true;
}

static struct locals *find_locals(struct qn_debug *d, uint64_t pc, const struct qn_debug_frame *frame)
{
    struct locals *l = calloc(1, sizeof *l);

    if (!l || !qn_debug_find_scopes(d, pc, &l->scopes))
        return l;
    l->frame = frame;
    l->pc = pc;
    l->base_is_cfa = base_is_cfa(&l->scopes, pc);
    qn_debug_each_variable(&l->scopes, take, l);
    l->in_scope = l->n;
    take_rest(l, &l->scopes.die[0], 0);
    return l;
}

void qn_debug_list_locals(struct qn_debug *d, uint64_t pc, const struct qn_debug_frame *frame, qn_debug_take_local *to, void *data)
{
    struct locals *l = find_locals(d, pc, frame);

    for (unsigned i = 0; l && i < l->n; i++)
        if (is_clear(l, i))
            to(data, &l->list[i]);
    free(l);
}

bool qn_debug_find_local(struct qn_debug *d, uint64_t pc, uint64_t id, struct qn_debug_variable *v)
{
    struct qn_debug_frame frame;
    struct locals *l = qn_debug_find_frame(d, pc, &frame) ? find_locals(d, pc, &frame) : NULL;
    bool found = false;

    for (unsigned i = 0; l && i < l->n && !found; i++) {
        Dwarf_Die type;

        if (l->list[i].id != id || !qn_debug_type_of(&l->die[i], &type))
            continue;
        found = true;
        *v = (struct qn_debug_variable){.name = dwarf_diename(&l->die[i]), .size = (uint64_t)(l->list[i].end - l->list[i].start)};
        v->type = qn_debug_make_type(d, type, false);
        qn_debug_find_declaration(v, l->die[i]);
    }
    free(l);
    return found;
}
