/* lib/debug/allocated.c - finds the type of the heap block that a call has allocated.  See debug.h.
 *
 *   call malloc
 *   401150: mov %rax,%rbx             rax and rbx hold the block
 *   401153: mov %rbx,0x8(%rbp)        rbp holds `list`, a struct list *; at 8 in that is `first`, a struct node *
 *                                     -> struct node
 *
 * The type is that of the first of these that receives the result: the parameter of an inlined allocator template; a variable in the
 * register that holds the result, followed through moves; a variable, or a member of the structure behind a pointer, that it is stored to;
 * the parameter of a function that it is passed to; the function's return value.  For a call that returns nothing (std::vector's growth) it
 * is a template argument of the function, or of those that it was inlined with.  void * is no answer, and char * only the last one.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "debug/internal.h"
#include "decode/decode.h"

#define STEPS_MAX 48      /* instructions behind the call */
#define CALL_BYTES 5u     /* of a direct call */
#define REGISTERS 16u
#define ARGUMENTS 6u

static const uint8_t arguments[ARGUMENTS] = {QN_RDI, QN_RSI, QN_RDX, QN_RCX, QN_R8, QN_R9};
#define KEPT_BY_CALLS (1u << QN_RBX | 1u << QN_RBP | 1u << QN_RSP | 1u << QN_R12 | 1u << QN_R13 | 1u << QN_R14 | 1u << QN_R15)

struct follow {
    struct qn_debug *debug;
    struct qn_scopes scopes;
    uint64_t pc;
    uint32_t held;            /* registers that hold the block's address, a bit each */
    uint32_t known;           /* registers that hold a pointer of a known type: */
    uint32_t addressed;       /* registers that hold the address of a global variable: */
    uint64_t address[REGISTERS];
    Dwarf_Die pointer[REGISTERS];
    Dwarf_Die found, perhaps; /* perhaps: char, the answer if there is no other */
    bool has_perhaps;
    struct qn_where wanted;   /* the place whose variable find_at looks for */
    Dwarf_Die type;
};

/* ---- answers ---- */

/* `type` is that of the receiver of the block's address.  true: the block's type follows from it. */
static bool answer(struct follow *f, Dwarf_Die type)
{
    Dwarf_Die pointee;

    if (!qn_debug_pointee(type, &pointee))
        return false;
    if (qn_debug_is_char(pointee)) {
        f->perhaps = pointee;
        f->has_perhaps = true;
        return false;
    }
    f->found = pointee;
    return true;
}

static bool is_holder(void *data, struct qn_scopes *s, Dwarf_Die *variable)
{
    struct follow *f = data;
    struct qn_where w;
    Dwarf_Die type;

    return qn_debug_locate(s, variable, f->pc, &w) && w.kind == QN_WHERE_REGISTER && (f->held >> w.reg & 1)
           && qn_debug_type_of(variable, &type) && answer(f, type);
}

static bool is_wanted(void *data, struct qn_scopes *s, Dwarf_Die *variable)
{
    struct follow *f = data;
    struct qn_where w;

    if (!qn_debug_locate(s, variable, f->pc, &w) || w.kind != f->wanted.kind || w.reg != f->wanted.reg || w.offset != f->wanted.offset)
        return false;
    return qn_debug_type_of(variable, &f->type);
}

/* Puts the type of the variable in that place into f->type.  false: there is none. */
static bool find_at(struct follow *f, const struct qn_where *w)
{
    f->wanted = *w;
    return qn_debug_each_variable(&f->scopes, is_wanted, f);
}

/* ---- memory operands ---- */

static bool find_global(struct follow *f, uint64_t address, Dwarf_Die *type)
{
    struct qn_global *g = qn_debug_find_global(f->debug, address);
    Dwarf_Die whole;

    return g && qn_debug_type_of(&g->die, &whole) && qn_debug_type_at(f->debug, whole, address - g->start, type);
}

/* The type that the pointer in a register points to. */
static bool find_pointee(struct follow *f, unsigned reg, Dwarf_Die *pointee)
{
    struct qn_where w = {.kind = QN_WHERE_REGISTER, .reg = reg};

    if (f->known >> reg & 1)
        return qn_debug_pointee(f->pointer[reg], pointee);
    return find_at(f, &w) && qn_debug_pointee(f->type, pointee);
}

/* The type of a memory operand.  The first element of an array stands for all, also where the compiler has added the array's offset in its
 * structure to the index. */
static bool find_operand(struct follow *f, const struct qn_insn *in, Dwarf_Die *type)
{
    const struct qn_mem *m = &in->mem[0];
    struct qn_where w = {.kind = QN_WHERE_MEMORY, .reg = m->base, .offset = m->disp};
    Dwarf_Die pointee, element;

    if (m->seg != QN_SEG_NONE)
        return false;
    if (m->base == QN_RIP)
        return find_global(f, f->pc + in->len + (uint64_t)m->disp, type);
    if (m->base == QN_REG_NONE)
        return find_global(f, (uint64_t)m->disp, type);
    if (m->index == QN_REG_NONE && find_at(f, &w)) {
        *type = f->type;
        return true;
    }
    if (f->addressed >> m->base & 1)
        return find_global(f, f->address[m->base] + (uint64_t)m->disp, type);
    if (m->index < REGISTERS && m->scale == 1 && (f->addressed >> m->index & 1))
        return find_global(f, f->address[m->index] + (uint64_t)m->disp, type);
    if (!find_pointee(f, m->base, &pointee))
        return false;
    if (qn_debug_type_at(f->debug, pointee, (uint64_t)m->disp, type) && (m->index == QN_REG_NONE || qn_debug_pointee(*type, &element)))
        return true;
    return m->index != QN_REG_NONE && qn_debug_pointers_in(f->debug, pointee, type);
}

/* ---- instructions ---- */

/* lea 0x2f00(%rip),%rdx */
static bool is_address(const struct qn_insn *in)
{
    return in->encoding == QN_ENC_LEGACY && in->map == 0 && in->opcode == 0x8d && in->n_mem && in->mem[0].base == QN_RIP;
}

static bool is_move(const struct qn_insn *in)
{
    return in->encoding == QN_ENC_LEGACY && in->map == 0 && (in->opcode == 0x89 || in->opcode == 0x8b) && in->opsize == 8;
}

static void forget(struct follow *f, uint32_t registers)
{
    f->held &= ~registers;
    f->known &= ~registers;
    f->addressed &= ~registers;
}

static void copy(struct follow *f, unsigned to, unsigned from)
{
    uint32_t held = f->held >> from & 1, known = f->known >> from & 1, addressed = f->addressed >> from & 1;

    forget(f, 1u << to);
    f->held |= held << to;
    f->known |= known << to;
    f->addressed |= addressed << to;
    f->pointer[to] = f->pointer[from];
    f->address[to] = f->address[from];
}

/* Follows a move.  true: the block's type follows from it. */
static bool move(struct follow *f, const struct qn_insn *in)
{
    Dwarf_Die type;

    if (!in->n_mem) {
        unsigned to = in->opcode == 0x89 ? in->rm : in->reg, from = in->opcode == 0x89 ? in->reg : in->rm;

        copy(f, to, from);
        return false;
    }
    if (in->opcode == 0x89)
        return (f->held >> in->reg & 1) && find_operand(f, in, &type) && answer(f, type);
    if (find_operand(f, in, &type)) {
        forget(f, 1u << in->reg);
        f->pointer[in->reg] = type;
        f->known |= 1u << in->reg;
    } else {
        forget(f, 1u << in->reg);
    }
    return false;
}

static bool hand_on(struct follow *f, uint64_t target)
{
    const struct qn_code_range *callee = qn_debug_find_code(f->debug, target);
    Dwarf_Die code, die, type;
    unsigned n = 0;

    if (!callee)
        return false;
    code = callee->die;
    QN_DEBUG_EACH_CHILD(&code, &die) {
        if (dwarf_tag(&die) != DW_TAG_formal_parameter)
            continue;
        if ((f->held >> arguments[n] & 1) && qn_debug_type_of(&die, &type) && answer(f, type))
            return true;
        if (++n == ARGUMENTS)
            break;
    }
    return false;
}

/* Follows one instruction.  1: the type is found; -1: it cannot be found any more; 0: go on. */
static int step(struct follow *f, const struct qn_insn *in)
{
    Dwarf_Die type;

    switch (in->cls) {
    case QN_CLS_RET:
        return (f->held >> QN_RAX & 1) && qn_debug_type_of(&f->scopes.die[0], &type) && answer(f, type) ? 1 : -1;
    case QN_CLS_CALL:
        if (hand_on(f, qn_decode_target(in, f->pc)))
            return 1;
        forget(f, ~KEPT_BY_CALLS);
        break;
    case QN_CLS_CALL_IND:
        forget(f, ~KEPT_BY_CALLS);
        break;
    case QN_CLS_JMP:
        f->pc = qn_decode_target(in, f->pc) - in->len;
        break;
    case QN_CLS_JCC:
        break;
    case QN_CLS_OTHER:
        if (is_move(in)) {
            if (move(f, in))
                return 1;
        } else {
            forget(f, in->writes);
            if (is_address(in)) {
                f->addressed |= 1u << in->reg;
                f->address[in->reg] = f->pc + in->len + (uint64_t)in->mem[0].disp;
            }
        }
        break;
    default:
        return -1;
    }
    return f->held ? 0 : -1;
}

static bool read_instruction(struct qn_debug *d, uint64_t address, struct qn_insn *in)
{
    uint64_t offset;
    size_t count;
    const uint8_t *bytes = qn_debug_offset(d, address, &offset) ? qn_debug_bytes(d, offset, &count) : NULL;

    return bytes && qn_decode_insn(bytes, count < QN_INSN_MAX_LEN ? count : QN_INSN_MAX_LEN, in) == QN_DEC_OK;
}

static bool follow_result(struct follow *f, uint64_t returns_to)
{
    struct qn_insn in;

    f->pc = returns_to;
    f->held = 1u << QN_RAX;
    for (int i = 0; i < STEPS_MAX; i++) {
        int said;

        if (!qn_debug_find_scopes(f->debug, f->pc, &f->scopes))
            return false;
        if (qn_debug_each_variable(&f->scopes, is_holder, f))
            return true;
        if (!read_instruction(f->debug, f->pc, &in))
            return false;
        said = step(f, &in);
        if (said)
            return said > 0;
        f->pc += in.len;
    }
    return false;
}

/* ---- templates ---- */

/* C++: _Tp of std::vector, std::allocator and so on; Rust: T of Vec, RawVec, Box. */
static bool template_parameter(Dwarf_Die *of, Dwarf_Die *type)
{
    Dwarf_Die die;

    QN_DEBUG_EACH_CHILD(of, &die) {
        const char *name = dwarf_tag(&die) == DW_TAG_template_type_parameter ? dwarf_diename(&die) : NULL;

        if (name && (!strcmp(name, "_Tp") || !strcmp(name, "T")))
            return qn_debug_type_of(&die, type);
    }
    return false;
}

static bool begins(const char *text, const char *with) { return text && !strncmp(text, with, strlen(with)); }

/* Templates that allocate objects of their parameter's type; trees and hash tables allocate nodes, which are larger. */
static bool allocates_its_parameter(const char *name)
{
    static const char *const classes[] = {"vector<", "_Vector_base<", "allocator<", "__new_allocator<", "new_allocator<", "RawVec<", "Vec<", "Box<"};

    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (begins(name, classes[i]))
            return true;
    return false;
}

/* The template parameter of a function's class, or of the function itself. */
static bool by_template(struct qn_debug *d, Dwarf_Die function, Dwarf_Die *type)
{
    Dwarf_Die said = qn_debug_declaration(function), scope;
    const char *name = qn_debug_parent(d, &said, &scope) ? dwarf_diename(&scope) : NULL;

    if (!name)
        return false;
    if (allocates_its_parameter(name))
        return template_parameter(&scope, type) || template_parameter(&said, type);
    return begins(name, "{impl") && template_parameter(&said, type);
}

static bool is_call(Dwarf_Die *die)
{
    return dwarf_tag(die) == DW_TAG_inlined_subroutine || dwarf_tag(die) == DW_TAG_subprogram;
}

/* By the functions that are inlined around the call, the innermost first. */
static bool by_scopes(struct qn_debug *d, uint64_t call, Dwarf_Die *type)
{
    struct qn_scopes s;

    if (!qn_debug_find_scopes(d, call, &s))
        return false;
    for (int i = s.n; i-- > 0;)
        if (is_call(&s.die[i]) && by_template(d, s.die[i], type))
            return true;
    return false;
}

/* For a direct call of a function with debug information: whether it returns nothing, and the type by its template. */
static bool by_callee(struct qn_debug *d, uint64_t returns_to, bool *returns_nothing, Dwarf_Die *type)
{
    const struct qn_code_range *callee;
    struct qn_insn in;
    Dwarf_Die code, result;

    *returns_nothing = false;
    if (!read_instruction(d, returns_to - CALL_BYTES, &in) || in.cls != QN_CLS_CALL || in.len != CALL_BYTES
        || !(callee = qn_debug_find_code(d, qn_decode_target(&in, returns_to - CALL_BYTES))))
        return false;
    code = callee->die;
    *returns_nothing = !qn_debug_type_of(&code, &result);
    return by_template(d, code, type);
}

const struct qn_debug_type *qn_debug_allocated(struct qn_debug *d, uint64_t returns_to)
{
    struct follow f = {.debug = d};
    bool returns_nothing;

    if (!qn_debug_open_dwarf(d))
        return NULL;
    if (by_callee(d, returns_to, &returns_nothing, &f.type) || by_scopes(d, returns_to - 1, &f.type))
        return qn_debug_make_type(d, f.type, true);
    if (returns_nothing)
        return NULL;
    if (follow_result(&f, returns_to))
        return qn_debug_make_type(d, f.found, true);
    return f.has_perhaps ? qn_debug_make_type(d, f.perhaps, true) : NULL;
}
