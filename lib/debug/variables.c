/* lib/debug/variables.c - where variables are: global ones by address; in scope at an address of code; on the stack.  See debug.h.
 *
 * Global variables: DW_TAG_variable { name "table", type, location: DW_OP_addr 404040 }, also inside functions, namespaces and classes
 *                   -> 404040..404440, its entry; sorted.  symbols.c finds the name by the symbol tables; this finds the type.
 *                   Thread-local variables are left out in both.
 */
#include <dwarf.h>
#include <stdlib.h>

#include "base/grow.h"
#include "debug/internal.h"

/* ---- global variables ---- */

static void take_global(struct qn_debug *d, Dwarf_Die *die)
{
    Dwarf_Attribute at;
    Dwarf_Op *ops;
    size_t n;
    Dwarf_Die type;
    uint64_t size;

    if (dwarf_getlocation(dwarf_attr(die, DW_AT_location, &at), &ops, &n) || n != 1 || !qn_debug_type_of(die, &type))
        return;
    if (ops[0].atom != DW_OP_addr && ops[0].atom != DW_OP_addrx && ops[0].atom != DW_OP_GNU_addr_index)
        return;
    size = qn_debug_size(&type);
    if (ops[0].atom != DW_OP_addr) {
        Dwarf_Attribute found;
        Dwarf_Word address;

        if (dwarf_getlocation_attr(dwarf_attr(die, DW_AT_location, &at), ops, &found) || dwarf_formaddr(&found, &address))
            return;
        ops[0].number = address;
    }
    if (size && ops[0].number && QN_GROW(d->globals, d->nglobals, d->global_room, QN_DEBUG_ROOM))
        d->globals[d->nglobals++] = (struct qn_global){.start = ops[0].number, .end = ops[0].number + size, .die = *die};
}

static bool visit(void *data, Dwarf_Die *die, int tag)
{
    if (tag == DW_TAG_variable)
        take_global(data, die);
    return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type
           || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_module || tag == DW_TAG_inlined_subroutine;
}

static int compare(const void *left, const void *right)
{
    const struct qn_global *a = left, *b = right;

    return QN_COMPARE(a->start, b->start) ?: QN_COMPARE(b->end, a->end);
}

struct qn_global *qn_debug_find_global(struct qn_debug *d, uint64_t address)
{
    size_t n;

    if (!d->globals_read) {
        d->globals_read = true;
        qn_debug_walk_units(d, visit, d);
        if (d->nglobals)
            qsort(d->globals, d->nglobals, sizeof *d->globals, compare);
    }
    n = QN_COUNT_WHILE(i, d->nglobals, d->globals[i].start <= address);
    while (n > 1 && d->globals[n - 2].start == d->globals[n - 1].start)
        n--; /* the largest of those that begin there */
    return n && address < d->globals[n - 1].end ? &d->globals[n - 1] : NULL;
}

/* Fills in file and line of the declaration that an entry names. */
static void find_declaration(struct qn_debug_variable *v, Dwarf_Die die)
{
    Dwarf_Die said = qn_debug_declaration(die);
    int line = 0;

    v->file = qn_debug_named_file(&die, DW_AT_decl_file) ?: qn_debug_named_file(&said, DW_AT_decl_file);
    if (!dwarf_decl_line(&die, &line) || !dwarf_decl_line(&said, &line))
        v->line = line > 0 ? (uint32_t)line : 0;
}

bool qn_debug_find_variable(struct qn_debug *d, uint64_t address, struct qn_debug_variable *v)
{
    struct qn_global *g = qn_debug_find_global(d, address);
    Dwarf_Die type;

    if (!g)
        return false;
    if (!g->type && qn_debug_type_of(&g->die, &type))
        g->type = qn_debug_make_type(d, type, false);
    *v = (struct qn_debug_variable){.name = dwarf_diename(&g->die), .start = g->start, .size = g->end - g->start, .type = g->type};
    find_declaration(v, g->die);
    return true;
}

/* ---- what is in scope ----
 *
 *   401150   ->   main, a block in it, an inlined call of make_node in that
 */

static bool holds_code(int tag)
{
    return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* Adds the child of the innermost entry that has the address.  false: none has. */
static bool go_down(struct qn_scopes *s, uint64_t address)
{
    Dwarf_Die die;

    QN_DEBUG_EACH_CHILD(&s->die[s->n - 1], &die)
        if (holds_code(dwarf_tag(&die)) && dwarf_haspc(&die, address) == 1) {
            s->die[s->n++] = die;
            return true;
        }
    return false;
}

bool qn_debug_find_scopes(struct qn_debug *d, uint64_t address, struct qn_scopes *s)
{
    const struct qn_code_range *function = qn_debug_find_code(d, address);

    s->debug = d;
    s->n = 0;
    if (!function)
        return false;
    s->die[s->n++] = function->die;
    while (s->n < QN_DEBUG_SCOPES && go_down(s, address))
        continue;
    return true;
}

bool qn_debug_each_variable(struct qn_scopes *s, qn_debug_take_variable *take, void *data)
{
    for (int i = s->n; i-- > 0;) {
        Dwarf_Die die;

        QN_DEBUG_EACH_CHILD(&s->die[i], &die) {
            int tag = dwarf_tag(&die);

            if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) && take(data, s, &die))
                return true;
        }
    }
    return false;
}

/* ---- where it is ----
 *
 *   `node` at 401150   ->   register 0 (rax); at 40115a: 16 bytes below register 5 (rbp)
 *
 * Only variables in one register, at one address, or at an offset from a register are found; directly behind a call nearly all are such.
 */

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

static bool from_register(const Dwarf_Op *op, struct qn_where *w)
{
    unsigned number = op->atom == DW_OP_bregx ? (unsigned)op->number : (unsigned)op->atom - DW_OP_breg0;

    if ((op->atom < DW_OP_breg0 || op->atom > DW_OP_breg31) && op->atom != DW_OP_bregx)
        return false;
    w->kind = QN_WHERE_MEMORY;
    w->offset = (int64_t)(op->atom == DW_OP_bregx ? op->number2 : op->number);
    return number_register(number, &w->reg);
}

static Dwarf_Frame *frame_by(Dwarf_CFI *frames, uint64_t pc)
{
    Dwarf_Frame *frame = NULL;

    return frames && !dwarf_cfi_addrframe(frames, pc, &frame) ? frame : NULL;
}

/* The unwind rules at pc; free() them.  NULL: none. */
static Dwarf_Frame *open_frame(struct qn_debug *d, uint64_t pc)
{
    Dwarf_Frame *frame;
    Dwarf *dwarf;

    if (!d->frames_tried)
        d->frames = dwarf_getcfi_elf(d->main.elf);
    d->frames_tried = true;
    frame = frame_by(d->frames, pc);
    dwarf = frame ? NULL : qn_debug_open_dwarf(d);
    return dwarf ? frame_by(dwarf_getcfi(dwarf), pc) : frame;
}

/* The frame's address (CFA) at pc. */
static bool find_frame_address(struct qn_debug *d, uint64_t pc, struct qn_where *w)
{
    Dwarf_Frame *frame = open_frame(d, pc);
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
        return find_frame_address(s->debug, pc, w);
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

/* ---- frames: where the caller's frame begins ----
 *
 *   401150 in f, by .eh_frame    ->   CFA = rsp + 48; rbp is saved 16 bytes below it, the return address 8 bytes below it
 *
 * Not modelled: unwind rules that are expressions, other than those of PLT entries and signal frames.
 */

enum { RSP = 4, RBP = 5 }; /* the processor's numbers */
enum { DWARF_RBP = 6, DWARF_RSP = 7, DWARF_RETURN = 16 };

#define PLT_OPERATIONS 9 /* rsp + 8 + ((rip & 15) >= 11) * 8: in an entry of 16 bytes, the push ends at byte 11 */
#define PLT_PUSHED 11

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
    Dwarf_Frame *frame = open_frame(d, pc);
    bool found;

    *f = (struct qn_debug_frame){.stored = false};
    if (!frame)
        return false;
    dwarf_frame_info(frame, NULL, NULL, &f->interrupted);
    found = find_cfa(frame, pc, f) && find_kept(frame, DWARF_RETURN, &f->ret) && find_kept(frame, DWARF_RBP, &f->rbp);
    free(frame);
    return found;
}

/* ---- variables in a frame ----
 *
 *   `buf` at 401150: fbreg -48   ->   -48..-16, its entry
 *
 * Variables in scope come first, the innermost before others; then those of other blocks of the function that overlap no other variable.
 * Variables in several pieces, and variables whose size is known only at run time, are left out.
 */

#define LOCALS_MAX 512

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
        || where.reg != (by_rsp ? RSP : RBP))
        return false;
    *start = where.offset - l->frame->cfa.offset;
    return true;
}

static bool take_local(void *data, struct qn_scopes *s, Dwarf_Die *variable)
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

static bool take_rest(void *data, Dwarf_Die *die, int tag)
{
    struct locals *l = data;

    if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
        take_local(l, &l->scopes, die);
    return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
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
    qn_debug_each_variable(&l->scopes, take_local, l);
    l->in_scope = l->n;
    qn_debug_walk(&l->scopes.die[0], take_rest, l);
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
        find_declaration(v, l->die[i]);
    }
    free(l);
    return found;
}
