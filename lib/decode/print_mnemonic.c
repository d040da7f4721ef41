/* lib/decode/print_mnemonic.c - mnemonics, with what prefixes, sizes and immediates make of them.
 *
 *   81 00 ..        "add+"        ->  addl       (Intel: add)
 *   0f b6           "movzb#|movzx" ->  movzbl     (Intel: movzx)
 *   0f c2 /r 01     "cmpps?"      ->  cmpltps
 *
 * Names in the tables are AT&T's; after a | comes Intel's if it is another than AT&T's without its marks.  Marks at
 * the end of a name:
 *   +  size suffix if there is a memory operand            addl $1,(%rax)
 *   &  suffix w with 66h: stack and branch instructions    pushw $1
 *   %  suffix by operand size: far control transfers       iretq
 *   #  suffix always                                       movzbl %al,%eax
 *   ~  suffix s with 66h (Intel w): x87 environments       fnstenvs
 *   =  outside 64-bit mode suffix l (Intel d), with 66h w  sgdtl
 *   @  movabs instead of mov for a 64-bit address          $  likewise for a 64-bit immediate
 *   !  in 64-bit mode suffix l or q with a memory operand  cvtsi2sdl (%rax),%xmm0
 *   *  suffix x, y, z with a memory operand                vcvtpd2psx (%rax),%xmm0
 *   ?  a predicate in the immediate becomes part of it     cmpltps
 *   ^  {evex} in front if VEX could have encoded it
 * In Intel syntax only those count that follow the Intel name; where there is none, all but + # ! *. */
#include "printer.h"

#define NAME_SIZE 24

static const char names[][NAME_SIZE] = {
    "",
#define OP(op, name, operands, when, flags, feature, traits) name,
#define ALT(name, operands, when, flags, feature, traits) name,
#include "decode/maps/maps.inc"
#undef OP
#undef ALT
};

static bool is_one_of(char c, const char *list)
{
    while (*list && *list != c)
        list++;
    return *list;
}

static bool is_mark(char c)
{
    return is_one_of(c, "+&%#~=@$!*?^");
}

static char size_letter(unsigned bytes)
{
    return bytes == 1 ? 'b' : bytes == 2 ? 'w' : bytes == 4 ? 'l' : 'q';
}

/* Bytes of the ModRM operand, which decides the suffix. */
static unsigned rm_bytes(struct printer *p)
{
    uint64_t operands = p->row->operands;

    for (; operands; operands >>= 16) {
        const struct operand_info *info = &qn_decode_operands[OPERAND_CODE(operands)];
        if (info->kind == K_RM || info->kind == K_MEM)
            return qn_decode_note_bytes(p, info->memsize);
    }
    return p->d->opsize;
}

/* Suffix w of a stack instruction, unless a register operand shows the size already. */
static void put_stack_suffix(struct printer *p)
{
    unsigned kind = qn_decode_operands[OPERAND_CODE(p->row->operands)].kind;
    bool pop_rm = p->insn->map == 0 && p->insn->opcode == 0x8f;
    bool shown = kind == K_GPR_OPCODE || ((kind == K_RM || pop_rm) && (p->d->mod == 3 || p->intel));

    if (!p->insn->opsz_prefix || shown || p->d->opsize != 2)
        return;
    p->data_used = true;
    qn_decode_put(p, "w");
}

static void put_far_suffix(struct printer *p)
{
    bool sysret = p->insn->map == 1;

    if (sysret)
        note_rex(p, 8);
    else
        qn_decode_note_bytes(p, SZ_V);
    if (p->insn->modrm_off && p->d->opsize == 8 && (p->d->on & ON_AMD)) {
        p->rex_used &= ~8; /* has no effect */
    } else if (p->d->opsize == 8) {
        qn_decode_put(p, "q");
    } else {
        qn_decode_put(p, p->d->opsize == 2 && !sysret ? "w" : !sysret || p->d->mode32 ? "" : p->intel ? "d" : "l");
    }
}

static void put_vector_suffix(struct printer *p)
{
    bool fpclass = p->insn->opcode == 0x66;
    bool to_quarter = qn_decode_operands[OPERAND_CODE(p->row->operands)].size == SZ_F; /* xmm, too: vcvtpd2ph */

    if (!p->has_mem || p->d->broadcast)
        return;
    if (p->d->vector == 16)
        qn_decode_put(p, "x");
    else if (p->d->vector == 32)
        qn_decode_put(p, "y");
    else if (fpclass || to_quarter)
        qn_decode_put(p, "z");
}

/* What the mark stands for. */
static void put_suffix(struct printer *p, char mark)
{
    switch (mark) {
    case '!':
    case '+':
        if (p->has_mem && !(mark == '!' && p->d->mode32))
            qn_decode_put_char(p, size_letter(rm_bytes(p)));
        break;
    case '#':
        qn_decode_put_char(p, size_letter(qn_decode_note_bytes(p, SZ_V)));
        break;
    case '&':
        put_stack_suffix(p);
        break;
    case '%':
        put_far_suffix(p);
        break;
    case '~':
        if (p->insn->opsz_prefix)
            qn_decode_put(p, p->intel ? "w" : "s");
        p->data_used = true;
        break;
    case '=':
        if (p->d->mode32)
            qn_decode_put(p, qn_decode_note_bytes(p, SZ_V) == 2 ? "w" : p->intel ? "d" : "l");
        break;
    case '@':
        qn_decode_put(p, p->d->addr_size == 8 ? "abs" : "");
        break;
    case '$':
        qn_decode_put(p, qn_decode_note_bytes(p, SZ_V) == 8 ? "abs" : "");
        break;
    case '*':
        put_vector_suffix(p);
        break;
    default:
        break;
    }
}

static const char float_predicates[32][9] = {
    "eq",    "lt",     "le",     "unord",    "neq",    "nlt",    "nle",    "ord",
    "eq_uq", "nge",    "ngt",    "false",    "neq_oq", "ge",     "gt",     "true",
    "eq_os", "lt_oq",  "le_oq",  "unord_s",  "neq_us", "nlt_uq", "nle_uq", "ord_s",
    "eq_us", "nge_uq", "ngt_uq", "false_os", "neq_os", "ge_oq",  "gt_oq",  "true_us",
};
static const char int_predicates[8][6] = {"eq", "lt", "le", "", "neq", "nlt", "nle", ""};
static const char xop_predicates[8][6] = {"lt", "le", "gt", "ge", "eq", "neq", "false", "true"};
static const char clmul_halves[4][9] = {"lqlq", "hqlq", "lqhq", "hqhq"};

/* The predicate that the immediate stands for, or NULL. */
static const char *predicate(const struct printer *p)
{
    uint64_t imm = p->insn->imm;
    const char *name = NULL;

    if (p->insn->opcode == 0x44) {
        if (!(imm & ~0x11ull))
            name = clmul_halves[(imm & 1) | (imm >> 3 & 2)];
    } else if (p->insn->opcode == 0xc2) {
        if (imm < (p->insn->encoding == QN_ENC_LEGACY ? 8 : 32))
            name = float_predicates[imm];
    } else if (p->insn->encoding == QN_ENC_XOP) {
        if (imm < 8)
            name = xop_predicates[imm];
    } else if (imm < 8) {
        name = int_predicates[imm];
    }
    return name && *name ? name : NULL;
}

/* cmpps -> cmpltps, vpcmpud -> vpcmpltud, pclmulqdq -> pclmulhqlqdq: the predicate goes after the stem. */
static void put_with_predicate(struct printer *p, const char *name, const char *end, const char *what)
{
    const char *stem = name;

    while (stem < end && !(stem[0] == 'm' && (stem[1] == 'p' || stem[1] == 'u')) &&
           !(stem[0] == 'o' && stem[1] == 'm'))
        stem++;
    stem += p->insn->opcode == 0x44 ? 3 : 2; /* clmul|qdq  cmp|ps  com|b */
    for (const char *c = name; c < stem; c++)
        qn_decode_put_char(p, *c);
    qn_decode_put(p, what);
    for (const char *c = p->insn->opcode == 0x44 ? stem + 1 : stem; c < end; c++)
        qn_decode_put_char(p, *c);
}

/* Is it EVEX, although VEX could have encoded the instruction? */
static bool needs_evex_mark(const struct printer *p)
{
    const struct decoder *d = p->d;

    return !d->broadcast && d->length_code < 2 && d->r < 16 && d->vvvv < 16 && !p->insn->kreg &&
           (d->mod != 3 || !d->x);
}

/* Name and marks of the syntax; *marks is NULL where Intel's are to be taken from AT&T's. */
static const char *name_in_syntax(const struct printer *p, const char **end)
{
    const char *name = names[p->insn->entry];
    const char *bar = name;

    while (*bar && *bar != '|')
        bar++;
    if (p->intel && *bar)
        name = bar + 1;
    *end = name;
    while (**end && *end != bar && !is_mark(**end))
        ++*end;
    return name;
}

static bool counts(const struct printer *p, char mark, bool own_name)
{
    return !p->intel || own_name || !is_one_of(mark, "+#!*");
}

static void put_name(struct printer *p)
{
    const char *end;
    const char *name = name_in_syntax(p, &end);
    bool own_name = name != names[p->insn->entry];
    const char *what = NULL;

    for (const char *mark = end; is_mark(*mark); mark++) {
        if (*mark == '?')
            what = predicate(p);
        if (*mark == '^' && needs_evex_mark(p))
            qn_decode_put(p, "{evex} ");
    }
    if (what) {
        put_with_predicate(p, name, end, what);
        p->hide_immediate = true;
        return;
    }
    for (const char *c = name; c < end; c++)
        qn_decode_put_char(p, *c);
    for (const char *mark = end; is_mark(*mark); mark++)
        if (counts(p, *mark, own_name))
            put_suffix(p, *mark);
}

/* AT&T: ",pn" and ",pt" of conditional branches; loop with the counter's size if it is not the usual one */
static void put_branch_marks(struct printer *p)
{
    uint8_t hint = 0;

    for (unsigned i = 0; i < p->insn->opcode_off; i++)
        if (qn_decode_is_null_segment(p->d->bytes[i]))
            hint = p->d->bytes[i];
    if (p->intel)
        return;
    if (p->insn->cls == QN_CLS_LOOP && p->d->addr67)
        qn_decode_put(p, p->d->mode32 ? "w" : "l");
    if (qn_decode_takes_hint(p->insn) && (hint == 0x2e || hint == 0x3e))
        qn_decode_put(p, hint == 0x2e ? ",pn" : ",pt");
}

void qn_decode_print_mnemonic(struct printer *p)
{
    put_name(p);
    put_branch_marks(p);
}
