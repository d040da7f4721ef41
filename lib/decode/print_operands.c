/* lib/decode/print_operands.c - the operands of an instruction in the order of the syntax, with masks and rounding.
 *
 *   62 f1 74 59 58 40 01  ->  0x4(%rax){1to16},%zmm1,%zmm0{%k1}
 *                             zmm0{k1},zmm1,DWORD BCST [rax+0x4]
 *
 * The rows name operands as the manuals do, destination first, and so does Intel's syntax; AT&T's prints them
 * backwards. */
#include "printer.h"

#define MAX_OPERANDS 4

static bool is_immediate(const struct operand_info *info)
{
    return info->kind == K_IMM || info->kind == K_IMM_SIGNED;
}

/* {rn-sae} or {sae} */
static void put_rounding(struct printer *p)
{
    static const char names[4][9] = {"{rn-sae}", "{rd-sae}", "{ru-sae}", "{rz-sae}"};
    const uint8_t *evex = p->d->bytes + p->insn->vex_off;

    qn_decode_put(p, p->row->traits & ER ? names[evex[3] >> 5 & 3] : "{sae}");
}

/* {%k1}{z} after the destination */
static void put_mask(struct printer *p)
{
    if (p->insn->encoding != QN_ENC_EVEX)
        return;
    if (p->insn->kreg) {
        qn_decode_put_char(p, '{');
        qn_decode_put_numbered(p, "k", p->insn->kreg);
        qn_decode_put_char(p, '}');
    }
    if (p->d->zeroing)
        qn_decode_put(p, "{z}");
}

struct listed {
    const struct operand_info *info;
    unsigned immediate_at; /* offset of an immediate */
};

/* Visible operands in the order of the manuals, which is also that of their immediates; returns how many. */
static unsigned list_operands(const struct printer *p, struct listed list[MAX_OPERANDS])
{
    uint64_t operands = p->row->operands;
    unsigned at = p->insn->imm_off;
    unsigned n = 0;

    for (; operands; operands >>= 16) {
        const struct operand_info *info = &qn_decode_operands[OPERAND_CODE(operands)];
        if (info->kind == K_NONE || (p->hide_immediate && is_immediate(info)) ||
            ((operands & OPERAND_HIDDEN) && !(info->kind == K_ONE && p->intel)))
            continue;
        list[n].info = info;
        list[n++].immediate_at = at;
        if (is_immediate(info))
            at += qn_decode_operand_bytes(p->d, info->size);
    }
    return n;
}

static void put_listed(struct printer *p, const struct listed *list, unsigned at)
{
    if (is_immediate(list[at].info))
        qn_decode_put_immediate(p, list[at].info, list[at].immediate_at);
    else
        qn_decode_put_operand(p, list[at].info);
    if (at == 0)
        put_mask(p);
}

/* After which of n operands rounding belongs, counted from 1; 0 = there is none.  AT&T: before an integer source. */
static unsigned rounding_place(const struct printer *p, const struct listed *list, unsigned n)
{
    if (!p->d->broadcast || p->d->mod != 3)
        return 0;
    while (n && (is_immediate(list[n - 1].info) || (list[n - 1].info->kind == K_RM && !p->intel)))
        n--;
    return n;
}

static void put_comma(struct printer *p, bool needed)
{
    if (needed)
        qn_decode_put_char(p, ',');
}

static void put_forward(struct printer *p, const struct listed *list, unsigned n, unsigned rounding)
{
    for (unsigned i = 0; i < n; i++) {
        put_comma(p, i > 0);
        put_listed(p, list, i);
        if (rounding == i + 1)
            put_rounding(p);
    }
    if (p->row->traits & I4) {
        qn_decode_put_char(p, ',');
        qn_decode_put_immediate_value(p, p->insn->imm & 15);
    }
}

static void put_backward(struct printer *p, const struct listed *list, unsigned n, unsigned rounding)
{
    if (p->row->traits & I4) {
        qn_decode_put_immediate_value(p, p->insn->imm & 15);
        qn_decode_put_char(p, ',');
    }
    for (unsigned i = n; i > 0; i--) {
        if (rounding == i) {
            put_rounding(p);
            qn_decode_put_char(p, ',');
        }
        put_listed(p, list, i - 1);
        put_comma(p, i > 1);
    }
}

/* * before the target of an indirect jump or call */
static void put_star(struct printer *p)
{
    if (p->insn->cls == QN_CLS_CALL_IND || p->insn->cls == QN_CLS_JMP_IND ||
        (p->insn->cls == QN_CLS_FAR && p->insn->modrm_off && p->d->mod != 3))
        qn_decode_put_char(p, '*');
}

void qn_decode_print_operands(struct printer *p)
{
    struct listed list[MAX_OPERANDS];
    unsigned n = list_operands(p, list);
    unsigned rounding = rounding_place(p, list, n);
    bool forward = p->intel ? !(p->row->traits & REV) : (p->row->traits & FWD) != 0;

    if (!p->intel)
        put_star(p);
    if (forward)
        put_forward(p, list, n, rounding);
    else
        put_backward(p, list, n, rounding);
}
