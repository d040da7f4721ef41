/* lib/decode/print.c - an instruction as `objdump -d` prints it, in AT&T or Intel syntax.
 *
 *   f3 48 a5              ->  rep movsq %ds:(%rsi),%es:(%rdi)
 *                             rep movs QWORD PTR es:[rdi],QWORD PTR ds:[rsi]
 *   66 2e 0f 1f 44 00 00  ->  cs nopw 0x0(%rax,%rax,1)
 *   48 8b 05 10 00 00 00  ->  mov    0x10(%rip),%rax        # 1017
 *
 * The instruction is decoded again, which gives the encoding's fields back; while mnemonic and operands are printed,
 * struct printer learns which prefixes had a meaning, and the others are printed in front by name. */
#include "printer.h"

/* ---- prefixes that the rest of the text does not show, by objdump's names ----
 *
 *   66 2e 0f 1f 00  ->  "cs " (66 shows as the w of nopw)
 *   f3 a4           ->  "rep "
 *   48 ff e0        ->  "rex.W "
 *
 * The operands are printed first; they note in struct printer which prefixes had a meaning.  Of several of one
 * kind only the last can have one.
 */

static bool is_branch(const struct qn_insn *insn)
{
    return insn->cls == QN_CLS_JCC || insn->cls == QN_CLS_JMP || insn->cls == QN_CLS_JMP_IND ||
           insn->cls == QN_CLS_CALL || insn->cls == QN_CLS_CALL_IND || insn->cls == QN_CLS_RET;
}

/* Forms on which F2 and F3 mean hardware lock elision. */
static bool may_elide_lock(const struct printer *p, uint8_t byte)
{
    const struct qn_insn *insn = p->insn;
    bool rmw = p->has_mem && insn->mem[0].access == (QN_ACC_READ | QN_ACC_WRITE);
    bool store = insn->map == 0 && ((insn->opcode & 0xfe) == 0x88 || (insn->opcode & 0xfe) == 0xc6);

    if (!p->has_mem)
        return false;
    if (insn->attr & QN_ATTR_XCHGMEM)
        return true;
    return (rmw && (insn->attr & QN_ATTR_LOCK) && (p->row->traits & LK)) || (store && byte == 0xf3);
}

/* Only the last F2 and the last F3 may have a special meaning. */
static const char *rep_name(const struct printer *p, uint8_t byte, bool last)
{
    const struct qn_insn *insn = p->insn;
    bool compares = (insn->opcode & 0xf6) == 0xa6; /* cmps, scas */

    if (!last)
        return byte == 0xf2 ? "repnz" : "repz";
    if ((insn->attr & QN_ATTR_STRING) && byte == 0xf3)
        return compares ? "repz" : "rep";
    if (is_branch(insn) && byte == 0xf2)
        return "bnd";
    if (may_elide_lock(p, byte))
        return byte == 0xf2 ? "xacquire" : "xrelease";
    return byte == 0xf2 ? "repnz" : "repz";
}

static void put_rex_name(struct printer *p, uint8_t rex)
{
    qn_decode_put(p, "rex");
    if (rex & 15)
        qn_decode_put(p, ".");
    qn_decode_put(p, rex & 8 ? "W" : "");
    qn_decode_put(p, rex & 4 ? "R" : "");
    qn_decode_put(p, rex & 2 ? "X" : "");
    qn_decode_put(p, rex & 1 ? "B" : "");
}

static const char *prefix_name(const struct printer *p, uint8_t byte, bool last)
{
    static const char names[][7] = {[0x26] = "es", [0x2e] = "cs", [0x36] = "ss", [0x3e] = "ds", [0x64] = "fs",
                                    [0x65] = "gs", [0x66] = "data16", [0x67] = "addr32", [0xf0] = "lock"};

    if (byte == 0xf2 || byte == 0xf3)
        return rep_name(p, byte, last);
    if (byte == 0x67 && p->d->mode32)
        return "addr16";
    return byte == 0x3e && last && qn_decode_takes_notrack(p) ? "notrack" : names[byte];
}

static bool is_null_segment(uint8_t byte)
{
    return byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26;
}

static bool takes_hint(const struct qn_insn *insn)
{
    return insn->cls == QN_CLS_JCC || insn->cls == QN_CLS_LOOP || insn->cls == QN_CLS_JRCXZ;
}

static bool is_segment(uint8_t byte)
{
    return is_null_segment(byte) || byte == 0x64 || byte == 0x65;
}

/* Had the last prefix of this kind a meaning that the text already shows? */
static bool is_consumed(const struct printer *p, uint8_t byte)
{
    bool mandatory = (p->row->when >> 16 & 3) == 3;

    if (byte == 0x66)
        return p->data_used || (mandatory && p->d->pp == 1) || (p->row->when & WHEN_O16);
    if (byte == 0x67)
        return p->addr_used || (p->insn->cls == QN_CLS_LOOP && !p->intel) || p->insn->cls == QN_CLS_JRCXZ;
    if (byte == 0xf0)
        return p->lock_used;
    if (byte == 0xf2 || byte == 0xf3)
        return mandatory && p->d->pp >= 2;
    if (!is_segment(byte))
        return false;
    return p->ds_used || (p->seg_used && p->d->segment) ||
           ((byte == 0x2e || byte == 0x3e) && takes_hint(p->insn) && !p->intel);
}

/* Same kind: only the last one counts. */
static bool same_kind(uint8_t a, uint8_t b)
{
    return a == b || (is_segment(a) && is_segment(b)) ||
           ((a == 0xf2 || a == 0xf3) && (b == 0xf2 || b == 0xf3));
}

static void print_prefixes(struct printer *p)
{
    const uint8_t *bytes = p->d->bytes;
    unsigned end = is_vector_encoding(p->d) ? p->insn->vex_off : p->insn->opcode_off;

    for (unsigned i = 0; i < end; i++) {
        bool last = true, last_such = true;
        if ((bytes[i] & 0xf0) == 0x40) {
            if (i + 1 == end && p->rex_used == bytes[i])
                continue;
            put_rex_name(p, bytes[i]);
        } else {
            for (unsigned k = i + 1; k < end; k++) {
                last = last && !same_kind(bytes[i], bytes[k]);
                last_such = last_such && bytes[i] != bytes[k];
            }
            if (last && is_consumed(p, bytes[i]))
                continue;
            qn_decode_put(p, prefix_name(p, bytes[i], last_such));
        }
        qn_decode_put(p, " ");
    }
}

/* ---- mnemonics, with what prefixes, sizes and immediates make of them ----
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
 * In Intel syntax only those count that follow the Intel name; where there is none, all but + # ! *.
 */

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
        if (is_null_segment(p->d->bytes[i]))
            hint = p->d->bytes[i];
    if (p->intel)
        return;
    if (p->insn->cls == QN_CLS_LOOP && p->d->addr67)
        qn_decode_put(p, p->d->mode32 ? "w" : "l");
    if (takes_hint(p->insn) && (hint == 0x2e || hint == 0x3e))
        qn_decode_put(p, hint == 0x2e ? ",pn" : ",pt");
}

static void print_mnemonic(struct printer *p)
{
    put_name(p);
    put_branch_marks(p);
}

#define MNEMONIC_FIELD 6 /* objdump pads mnemonics to this width and adds one space */

/* 66 90 and 66 48 90: objdump says what the encoding says. */
static bool is_sized_nop(const struct printer *p)
{
    return p->insn->encoding == QN_ENC_LEGACY && p->insn->map == 0 && p->insn->opcode == 0x90 &&
           p->insn->opsz_prefix && p->insn->n_mem == 0 && p->insn->writes == 0 &&
           p->insn->rep_prefix != 0xf3;
}

static void print_sized_nop(struct printer *p, struct text *mnemonic, struct text *operands)
{
    p->out = mnemonic;
    qn_decode_put(p, "xchg");
    p->out = operands;
    qn_decode_put_gpr(p, QN_RAX, qn_decode_note_bytes(p, SZ_V));
    qn_decode_put_char(p, ',');
    qn_decode_put_gpr(p, QN_RAX, p->d->opsize);
}

/* What cannot be decoded: names of the prefixes, and (bad).  A prefix that selects among forms of the opcode is
 * not named. */
static size_t print_bad(struct printer *p)
{
    static const struct row no_row;
    struct decoder *d = p->d;
    bool known = d->insn->map && qn_decode_first[d->opcode_map][d->insn->opcode];
    struct row row = no_row;

    row.when = known ? NP : ANY;
    p->row = &row;
    p->insn = d->insn;
    if (!is_vector_encoding(d) || d->opcode_end == d->insn->vex_off + 1)
        print_prefixes(p);
    qn_decode_put(p, "(bad)");
    p->out->start[p->out->used] = 0;
    return p->out->used;
}

static void append(struct printer *p, const struct text *part)
{
    for (size_t i = 0; i < part->used; i++)
        qn_decode_put_char(p, part->start[i]);
}

static void put_together(struct printer *p, struct text *out, const struct text parts[3])
{
    p->out = out;
    append(p, &parts[0]);
    append(p, &parts[1]);
    if (parts[2].used) {
        for (size_t n = parts[0].used + parts[1].used; n < MNEMONIC_FIELD; n++)
            qn_decode_put_char(p, ' ');
        qn_decode_put_char(p, ' ');
        append(p, &parts[2]);
    }
    if (p->has_target) {
        qn_decode_put(p, "        # ");
        qn_decode_put_hex(p, p->target);
    }
    out->start[out->used] = 0;
}

static void print_parts(struct printer *p, struct text parts[3])
{
    p->row = p->d->row;
    p->has_mem = p->insn->modrm_off && p->d->mod != 3;
    if (p->row->when & WHEN_W)
        note_rex(p, 8);
    if (is_sized_nop(p)) {
        print_sized_nop(p, &parts[1], &parts[2]);
    } else {
        p->out = &parts[1];
        print_mnemonic(p);
        p->out = &parts[2];
        qn_decode_print_operands(p);
    }
    p->out = &parts[0];
    print_prefixes(p);
}

size_t qn_decode_print_as(enum qn_syntax syntax, const uint8_t *bytes, const struct qn_insn *insn, uint64_t pc,
                          char *text, size_t size)
{
    char prefix[QN_INSN_MAX_LEN * 9], mnemonic[64], operands[128];
    struct text out = {text, size, 0};
    struct text parts[3] = {
        {prefix, sizeof prefix, 0}, {mnemonic, sizeof mnemonic, 0}, {operands, sizeof operands, 0}};
    struct decoder d;
    struct qn_insn again;
    struct printer p = {.d = &d, .insn = &again, .pc = pc, .out = &out, .intel = syntax == QN_SYNTAX_INTEL};

    if (!size)
        return 0;
    if (qn_decode_analyse(&d, insn->machine, bytes, insn->len, &again) != QN_DEC_OK)
        return print_bad(&p);
    print_parts(&p, parts);
    put_together(&p, &out, parts);
    return out.used;
}

size_t qn_decode_print(const uint8_t *bytes, const struct qn_insn *insn, uint64_t pc, char *text, size_t size)
{
    return qn_decode_print_as(QN_SYNTAX_ATT, bytes, insn, pc, text, size);
}
