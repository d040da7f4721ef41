/* tests/counting/enumerate.c - the forms of the opcode tables, found by trying: every prefix that matters, map, opcode and ModRM.reg
 * goes through the decoder, and the first string of each form is kept.
 *
 * A form is a row of the tables with an operand size, a vector length, memory or registers, lock, rep or repne, and one of a few
 * immediates where that is a byte.  Operands: memory at (%rbx), register number 1, in VEX.vvvv 5, in ModRM.rm 3, index 7.  Of the
 * encodings that Valgrind 3.19 has none of (EVEX, XOP, 3DNow!) one form is made of each row.
 *
 * Left out, because nothing could come after them, or what comes depends on the machine: see leaves(). */
#include "form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS (1u << 16)
#define OVER 1 /* displacement of branches: over a nop, for a branch to the next instruction is none to Valgrind */

static uint64_t keys[KEYS];
static enum qn_machine host;

/* Is it new? */
static bool remember(uint64_t key)
{
    unsigned at = (unsigned)(key * 0x9e3779b97f4a7c15u >> 48);

    for (; keys[at]; at = (at + 1) % KEYS)
        if (keys[at] == key)
            return false;
    keys[at] = key;
    return true;
}

static bool in_memory(const struct qn_insn *in)
{
    return in->modrm_off && in->modrm < 0xc0;
}

/* System calls, traps, far transfers, transactions, what only the kernel may do; hypercalls and waiting (0f 01 with registers, but
 * for xgetbv). */
static bool leaves(const struct qn_insn *in)
{
    bool system = in->encoding == QN_ENC_LEGACY && in->map == 1 && in->opcode == 0x01 && !in_memory(in) && in->modrm != 0xd0;

    switch (in->cls) {
    case QN_CLS_OTHER:
    case QN_CLS_JCC:
    case QN_CLS_LOOP:
    case QN_CLS_JRCXZ:
    case QN_CLS_JMP:
    case QN_CLS_JMP_IND:
    case QN_CLS_CALL:
    case QN_CLS_CALL_IND:
    case QN_CLS_RET:
        return system || (in->attr & (QN_ATTR_UD | QN_ATTR_PRIV));
    default:
        return true;
    }
}

static uint64_t key_of(const struct qn_insn *in, unsigned choice)
{
    uint64_t attr = (in->attr & QN_ATTR_LOCK ? 1 : 0) | (in->attr & QN_ATTR_REP ? 2 : 0) | (in->attr & QN_ATTR_REPNE ? 4 : 0);
    uint64_t key = 1ull << 63 | in->entry;

    if (in->encoding != QN_ENC_LEGACY && in->encoding != QN_ENC_VEX)
        return key;
    return key | (uint64_t)in->opsize << 16 | (uint64_t)in->vector << 24 | attr << 32 | (uint64_t)in_memory(in) << 35 |
           (uint64_t)choice << 36 | (uint64_t)(in->n_mem ? in->mem[0].size & 0xfff : 0) << 40;
}

/* A byte of an immediate that is no displacement. */
static bool has_choice(const struct qn_insn *in)
{
    return in->imm_len == 1 && in->cls == QN_CLS_OTHER && in_memory(in);
}

static bool is_direct(const struct qn_insn *in)
{
    return in->imm_len && in->cls != QN_CLS_OTHER && in->cls != QN_CLS_RET;
}

static void keep(struct forms *forms, const uint8_t *bytes, const struct qn_insn *in, unsigned choice, unsigned state)
{
    struct form *f = &forms->form[forms->n];

    if (!remember(key_of(in, choice)))
        return;
    if (forms->n++ == FORMS_MAX) {
        fprintf(stderr, "forms: more than %d\n", FORMS_MAX);
        exit(2);
    }
    memcpy(f->bytes, bytes, in->len);
    f->insn = *in;
    f->state = state;
    qn_decode_print(bytes, in, 0, f->text, sizeof f->text);
    if (in->attr & QN_ATTR_XSAVE)
        snprintf(f->text + strlen(f->text), sizeof f->text - strlen(f->text), ", eax = %u", state);
}

/* One string, with the immediates that are worth a form each.  Unless ModRM is where it should be, if anywhere, what was meant for
 * an opcode is a prefix or an escape. */
static void try(struct forms *forms, const uint8_t *start, unsigned n, unsigned modrm)
{
    static const uint8_t choices[] = {0x01, 0x00, 0x08, 0x1a, 0x81, 0xff};
    uint8_t bytes[QN_INSN_MAX_LEN] = {0};
    struct qn_insn in;

    memcpy(bytes, start, n);
    if (qn_decode_insn_for(host, bytes, sizeof bytes, &in) != QN_DEC_OK || leaves(&in) ||
        in.modrm_off != modrm)
        return;
    if (is_direct(&in)) {
        bytes[in.imm_off] = OVER;
        qn_decode_insn_for(host, bytes, sizeof bytes, &in);
    }
    if (in.attr & QN_ATTR_XSAVE) {
        for (unsigned state = 0; state < 8; state++)
            keep(forms, bytes, &in, state, state);
    } else if (has_choice(&in)) {
        for (unsigned i = 0; i < sizeof choices; i++) {
            bytes[in.imm_off] = choices[i];
            if (qn_decode_insn_for(host, bytes, sizeof bytes, &in) == QN_DEC_OK)
                keep(forms, bytes, &in, i, 0);
        }
    } else {
        keep(forms, bytes, &in, 0, 0);
    }
}

/* After the opcode: nothing, memory at (%rbx), memory with an index, registers. */
static void with_operands(struct forms *forms, uint8_t *bytes, unsigned n)
{
    static const uint8_t order[] = {1, 2, 0, 3, 4, 5, 6, 7}, rm_order[] = {3, 0, 1, 2, 4, 5, 6, 7};
    struct qn_insn in;

    memset(bytes + n, 0, QN_INSN_MAX_LEN - n);
    if (qn_decode_insn_for(host, bytes, QN_INSN_MAX_LEN, &in) == QN_DEC_OK && !in.modrm_off) {
        try(forms, bytes, n, 0);
        return;
    }
    for (unsigned i = 0; i < 8; i++) {
        bytes[n] = (uint8_t)(order[i] << 3 | 3);
        try(forms, bytes, n + 1, n);
        bytes[n] = (uint8_t)(order[i] << 3 | 4);
        bytes[n + 1] = 0x3b; /* (%rbx,index 7,1) */
        try(forms, bytes, n + 2, n);
        for (unsigned k = 0; k < 8; k++) {
            bytes[n] = (uint8_t)(0xc0 | order[i] << 3 | rm_order[k]);
            try(forms, bytes, n + 1, n);
        }
    }
}

static void with_opcodes(struct forms *forms, uint8_t *bytes, unsigned n)
{
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        bytes[n] = (uint8_t)opcode;
        with_operands(forms, bytes, n + 1);
    }
}

static void legacy(struct forms *forms)
{
    static const char prefixes[][4] = {"", "\x66", "\xf3", "\xf2", "\x48", "\x66\x48", "\xf3\x48", "\xf2\x48", "\xf3\x66",
                                       "\xf2\x66", "\xf0", "\xf0\x66", "\xf0\x48", "\x67", "\x67\x48", "\xf3\x67", "\xf2\x67"};
    static const char escapes[][3] = {"", "\x0f", "\x0f\x38", "\x0f\x3a"};
    uint8_t bytes[QN_INSN_MAX_LEN];

    for (unsigned p = 0; p < sizeof prefixes / sizeof *prefixes; p++)
        for (unsigned e = 0; e < 4; e++) {
            unsigned n = (unsigned)snprintf((char *)bytes, sizeof bytes, "%s%s", prefixes[p], escapes[e]);

            with_opcodes(forms, bytes, n);
        }
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        const uint8_t now[] = {0x0f, 0x0f, 0x0b, (uint8_t)opcode};

        try(forms, now, sizeof now, 2);
    }
}

/* Three bytes: VEX (c4) and XOP (8f); the upper bits of registers are 0, stored inverted. */
static void three_bytes(struct forms *forms, unsigned escape, unsigned first_map)
{
    uint8_t bytes[QN_INSN_MAX_LEN] = {(uint8_t)escape};

    for (unsigned n = 0; n < 3 * 32; n++) {
        unsigned vvvv = n & 1 ? 0 : 5;

        bytes[1] = (uint8_t)(0xe0 | (first_map + n / 32));
        bytes[2] = (uint8_t)((n >> 1 & 1) << 7 | (~vvvv & 15) << 3 | (n >> 2 & 1) << 2 | (n >> 3 & 3));
        with_opcodes(forms, bytes, 3);
    }
}

static void evex(struct forms *forms)
{
    uint8_t bytes[QN_INSN_MAX_LEN] = {0x62};

    for (unsigned map = 1; map <= 6; map++)
        for (unsigned n = 0; n < 96; n++) {
            unsigned vvvv = n & 1 ? 0 : 5, length = n >> 4;

            bytes[1] = (uint8_t)(0xf0 | map);
            bytes[2] = (uint8_t)((n >> 1 & 1) << 7 | (~vvvv & 15) << 3 | 4 | (n >> 2 & 3));
            bytes[3] = (uint8_t)((length >> 1) << 5 | 8 | (length & 1));
            with_opcodes(forms, bytes, 4);
        }
}

void enumerate_forms(struct forms *forms)
{
    host = qn_decode_host();
    legacy(forms);
    three_bytes(forms, 0xc4, 1);
    three_bytes(forms, 0x8f, 8);
    evex(forms);
}
