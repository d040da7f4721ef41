/* lib/decode/print.c - an instruction as `objdump -d` prints it in AT&T syntax.
 *
 *   f3 48 a5              ->  rep movsq %ds:(%rsi),%es:(%rdi)
 *   66 2e 0f 1f 44 00 00  ->  cs nopw 0x0(%rax,%rax,1)
 *   48 8b 05 10 00 00 00  ->  mov    0x10(%rip),%rax        # 1017
 *
 * Marks at the end of a mnemonic in the tables:
 *   +  size suffix if there is a memory operand            addl $1,(%rax)
 *   &  suffix w with 66h: stack and branch instructions    pushw $1
 *   %  suffix by operand size: far control transfers       iretq
 *   #  suffix always                                       movzbl %al,%eax
 *   ~  suffix s with 66h: x87 environments                 fnstenvs
 *   @  movabs instead of mov for a 64-bit address          $  likewise for a 64-bit immediate
 *   !  suffix l or q with a memory operand                 cvtsi2sdl (%rax),%xmm0
 *   *  suffix x, y, z with a memory operand                vcvtpd2psx (%rax),%xmm0
 *   ?  a predicate in the immediate becomes part of it     cmpltps
 *   ^  {evex} in front if VEX could have encoded it
 * Prefixes without a meaning are printed by name in front (print_prefix.c). */
#include "printer.h"

#define MNEMONIC_FIELD 6 /* objdump pads mnemonics to this width and adds one space */
#define NAME_SIZE 24

static const char names[][NAME_SIZE] = {
    "",
#define OP(op, name, operands, when, flags, traits) name,
#define ALT(name, operands, when, flags, traits) name,
#include "maps.inc"
#undef OP
#undef ALT
};

void qn_decode_text_char(struct text *t, char c)
{
    if (t->used + 1 < t->size)
        t->start[t->used++] = c;
}

void qn_decode_text_string(struct text *t, const char *s)
{
    while (*s)
        qn_decode_text_char(t, *s++);
}

void qn_decode_text_hex(struct text *t, uint64_t value)
{
    unsigned shift = 60;

    while (shift && !(value >> shift))
        shift -= 4;
    for (;; shift -= 4) {
        qn_decode_text_char(t, "0123456789abcdef"[value >> shift & 15]);
        if (!shift)
            break;
    }
}

static void put(struct printer *p, const char *s)
{
    qn_decode_text_string(p->out, s);
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
        if (info->kind == K_RM || info->kind == K_MEM) {
            qn_decode_note_size(p, info->memsize);
            return qn_decode_operand_bytes(p->d, info->memsize);
        }
    }
    return p->d->opsize;
}

/* Suffix w of a stack instruction, unless a register operand shows the size already. */
static void put_stack_suffix(struct printer *p)
{
    bool shown = p->insn->modrm_off
                     ? p->d->mod == 3
                     : (qn_decode_operands[OPERAND_CODE(p->row->operands)].kind == K_GPR_OPCODE);

    if (!p->insn->opsz_prefix || (p->row->traits & F64) || shown || p->d->opsize != 2)
        return;
    p->data_used = true;
    put(p, "w");
}

static void put_far_suffix(struct printer *p)
{
    bool sysret = p->insn->map == 1;

    qn_decode_note_size(p, SZ_V);
    if (p->insn->modrm_off) {
        p->rex_used &= ~8; /* ljmp, lcall: rex.W is printed as such */
        put(p, p->d->opsize == 2 ? "w" : "");
    } else if (p->d->opsize == 8) {
        put(p, "q");
    } else {
        put(p, p->d->opsize == 2 && !sysret ? "w" : sysret ? "l" : "");
    }
}

static void put_vector_suffix(struct printer *p)
{
    bool fpclass = p->insn->opcode == 0x66;

    if (!p->has_mem || p->d->broadcast)
        return;
    if (p->d->vector == 16)
        put(p, "x");
    else if (p->d->vector == 32)
        put(p, "y");
    else if (fpclass)
        put(p, "z");
}

/* What the mark stands for.  True: the mnemonic was replaced. */
static void put_suffix(struct printer *p, char mark)
{
    switch (mark) {
    case '+':
    case '!':
        if (p->has_mem)
            qn_decode_text_char(p->out, size_letter(rm_bytes(p)));
        break;
    case '#':
        qn_decode_note_size(p, SZ_V);
        qn_decode_text_char(p->out, size_letter(p->d->opsize));
        break;
    case '&':
        put_stack_suffix(p);
        break;
    case '%':
        put_far_suffix(p);
        break;
    case '~':
        if (p->insn->opsz_prefix)
            put(p, "s");
        p->data_used = true;
        break;
    case '@':
        put(p, p->d->addr32 ? "" : "abs");
        break;
    case '$':
        qn_decode_note_size(p, SZ_V);
        put(p, p->d->opsize == 8 ? "abs" : "");
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
        qn_decode_text_char(p->out, *c);
    put(p, what);
    for (const char *c = p->insn->opcode == 0x44 ? stem + 1 : stem; c < end; c++)
        qn_decode_text_char(p->out, *c);
}

static bool is_mark(char c)
{
    const char *marks = "+&%#~@$!*?^";

    while (*marks && *marks != c)
        marks++;
    return *marks;
}

/* EVEX that VEX could have expressed. */
static bool needs_evex_mark(const struct printer *p)
{
    const struct decoder *d = p->d;

    return !d->broadcast && d->length_code < 2 && d->r < 16 && d->vvvv < 16 && !p->insn->kreg &&
           (d->mod != 3 || !d->x);
}

static void put_mnemonic(struct printer *p)
{
    const char *name = names[p->insn->entry];
    const char *end = name;
    const char *what = NULL;

    while (*end && !is_mark(*end))
        end++;
    for (const char *mark = end; *mark; mark++) {
        if (*mark == '?')
            what = predicate(p);
        if (*mark == '^' && needs_evex_mark(p))
            put(p, "{evex} ");
    }
    if (what) {
        put_with_predicate(p, name, end, what);
        p->hide_immediate = true;
        return;
    }
    for (const char *c = name; c < end; c++)
        qn_decode_text_char(p->out, *c);
    for (const char *mark = end; *mark; mark++)
        put_suffix(p, *mark);
}

/* ",pn" and ",pt" of conditional branches */
static void put_branch_hint(struct printer *p)
{
    uint8_t hint = 0;

    for (unsigned i = 0; i < p->insn->opcode_off; i++)
        if (qn_decode_is_null_segment(p->d->bytes[i]))
            hint = p->d->bytes[i];
    if (p->insn->cls == QN_CLS_LOOP && p->d->addr32)
        put(p, "l");
    if (qn_decode_takes_hint(p->insn) && (hint == 0x2e || hint == 0x3e))
        put(p, hint == 0x2e ? ",pn" : ",pt");
}

/* 66 90 and 66 48 90: objdump says what the encoding says. */
static bool is_sized_nop(const struct printer *p)
{
    return p->insn->encoding == QN_ENC_LEGACY && p->insn->map == 0 && p->insn->opcode == 0x90 &&
           p->insn->opsz_prefix && p->insn->n_mem == 0 && p->insn->writes == 0 &&
           p->insn->rep_prefix != 0xf3;
}

static void put_sized_nop(struct printer *mnemonic, struct printer *operands)
{
    qn_decode_note_size(mnemonic, SZ_V);
    put(mnemonic, "xchg");
    put(operands, mnemonic->d->w ? "%rax,%rax" : "%ax,%ax");
}

static void append(struct text *out, struct text *part)
{
    part->start[part->used] = 0;
    qn_decode_text_string(out, part->start);
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
        qn_decode_print_prefixes(p);
    put(p, "(bad)");
    p->out->start[p->out->used] = 0;
    return p->out->used;
}

size_t qn_decode_print(const uint8_t *bytes, const struct qn_insn *insn, uint64_t pc, char *text,
                       size_t size)
{
    char prefix[QN_INSN_MAX_LEN * 9], mnemonic[64], operands[128];
    struct text out = {text, size, 0};
    struct text parts[3] = {
        {prefix, sizeof prefix, 0}, {mnemonic, sizeof mnemonic, 0}, {operands, sizeof operands, 0}};
    struct decoder d;
    struct qn_insn again;
    struct printer p = {.d = &d, .insn = &again, .pc = pc};

    if (!size)
        return 0;
    p.out = &out;
    if (qn_decode_analyse(&d, bytes, insn->len, &again) != QN_DEC_OK)
        return print_bad(&p);
    p.row = d.row;
    if (d.row->when & WHEN(KEY_W, 0))
        note_rex(&p, 8);
    p.has_mem = again.modrm_off && d.mod != 3;
    p.out = &parts[1];
    if (is_sized_nop(&p)) {
        struct printer q = p;
        q.out = &parts[2];
        put_sized_nop(&p, &q);
    } else {
        put_mnemonic(&p);
        put_branch_hint(&p);
        p.out = &parts[2];
        qn_decode_print_operands(&p);
    }
    p.out = &parts[0];
    qn_decode_print_prefixes(&p);
    append(&out, &parts[0]);
    append(&out, &parts[1]);
    if (parts[2].used) {
        for (unsigned n = parts[0].used + parts[1].used; n < MNEMONIC_FIELD; n++)
            qn_decode_text_char(&out, ' ');
        qn_decode_text_char(&out, ' ');
        append(&out, &parts[2]);
    }
    if (p.has_target) {
        qn_decode_text_string(&out, "        # ");
        qn_decode_text_hex(&out, p.target);
    }
    text[out.used] = 0;
    return out.used;
}
