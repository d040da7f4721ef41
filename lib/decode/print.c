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
        qn_decode_print_prefixes(p);
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
        qn_decode_print_mnemonic(p);
        p->out = &parts[2];
        qn_decode_print_operands(p);
    }
    p->out = &parts[0];
    qn_decode_print_prefixes(p);
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
