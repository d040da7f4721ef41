/* lib/decode/tables.h - the language in which the opcode tables are written; internal to lib/decode.
 *
 * A table is a file map_*.inc with one line for each form of an instruction, in the order of the opcode
 * maps of the manuals (SDM vol. 2D, appendix A; APM vol. 3, appendix A):
 *
 *     OP(00, "add+",  O(RW(Eb), R(Gb)),       ANY,          ARITH, X86, 0)
 *     OP(80, "add+",  O(RW(Eb), R(Ib)),       REG(0),       ARITH, X86, 0)
 *     ALT("or+",      O(RW(Eb), R(Ib)),       REG(1),       LOGIC, X86, 0)
 *
 *   OP     opcode byte in hex, mnemonic, operands, when, flags, feature, traits: first form of that opcode
 *   ALT    a further form of the same opcode; the first one whose `when` fits is taken
 *   O(..)  operands in the order of the manuals: R read, W written, RW both, N only named (lea);
 *          H(..) around one hides an implicit operand from the printed text; st(7) is the one that a push
 *          writes, as numbered before
 *   when   what selects the form: NP P66 PF3 PF2 (mandatory prefix), REG(n), MEM, R3 (ModRM.mod = 3),
 *          RM(n), MODRM(byte), W0 W1, L0 L1 L2 (vector length), O16 ...; I64 not in 64-bit mode, O64 only
 *          there, AMD and INTEL one vendor's processors; ANY = always
 *   flags  an effect of QN_FLAG_EFFECTS below
 *   feature  what CPUID must report, see features.inc; AVX_AVX2 and the like depend on the vector length
 *   traits class, default operand size, attributes, element size
 *
 * Operand letters are those of the SDM: E ModRM.rm general register or memory, G ModRM.reg, V and W the
 * same for vectors, H the vector of VEX.vvvv, B the general register of VEX.vvvv, I immediate, J branch
 * displacement, M memory only, U vector register of ModRM.rm, X/Y string operands, Z register in the
 * opcode; size letters b w d q = 1 2 4 8 bytes, dq 16, qq 32, v = operand size, z = at most 4, y = 4 or 8,
 * n = 8 in 64-bit mode, else 4, x = vector length, h f e = its half, quarter, eighth.
 *
 * Mnemonics are AT&T's, after a bar Intel's; a trailing mark tells the printer how the size suffix comes about (see
 * print_mnemonic.c).
 *
 * Every file is read several times with other definitions of OP and ALT: for the facts (tables.c), for the
 * features (features.c), for the names (print_mnemonic.c).  The first form of an opcode that a machine has must
 * show whether a ModRM byte follows.
 */
#ifndef QN_DECODE_TABLES_H
#define QN_DECODE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode.h"

/* How an operand is encoded. */
enum operand_kind {
    K_NONE,
    K_GPR_FIXED, /* arg = register number */
    K_GPR_OPCODE,
    K_RM,        /* ModRM.rm: general register or memory */
    K_RM_GPR,    /* ModRM.rm: always a general register */
    K_REG,       /* ModRM.reg: general register */
    K_VVVV_GPR,
    K_MEM,       /* ModRM.rm: memory only */
    K_VEC_RM,    /* ModRM.rm: vector, MMX or mask register, or memory */
    K_VSIB,      /* arg = bytes of an index element */
    K_VEC_REG,   /* vector register of ModRM.reg; printed only, no concern of the facts */
    K_VEC_U,     /* vector register of ModRM.rm */
    K_VEC_VVVV,
    K_MMX_REG,
    K_MMX_U,
    K_MASK_REG,
    K_MASK_PAIR, /* that register and the one whose number differs in the last bit */
    K_MASK_U,
    K_MASK_VVVV,
    K_TILE_REG,
    K_TILE_U,
    K_TILE_VVVV,
    K_SEG_REG,   /* ModRM.reg */
    K_SEG_FIXED, /* arg = number as in ModRM.reg */
    K_CTRL_REG,
    K_DEBUG_REG,
    K_BOUND_REG,
    K_X87,       /* st(arg) */
    K_X87_RM,    /* st(ModRM.rm) */
    K_NAMED,     /* xmm register number arg */
    /* Registers that are always hidden, so that only registers.c knows these kinds. */
    K_XMM_LIST,  /* arg = mask of xmm0 to xmm7 */
    K_ALL_VECTORS, /* xmm0 to xmm15 */
    K_CTRL_FIXED, /* arg = number */
    K_STATE,     /* arg = bit of enum qn_state */
    K_SAVED,     /* arg = enum saved_state */
    K_ONE,       /* the 1 of a shift by 1: only Intel syntax shows it */
    K_IMM,       /* zero-extended */
    K_IMM_SIGNED,
    K_REL,       /* branch displacement */
    K_VEC_IMM,   /* register in the high half of an immediate byte */
    K_MOFFS,
    K_FAR,       /* immediate far pointer: offset of the operand size, selector */
    K_STRING_SRC,
    K_STRING_DST,
    K_PUSH,      /* arg = how many operands of the size */
    K_POP,
    K_LEAVE,
    K_ENTER,
    K_XLAT,
    K_MASKMOV,
    K_REG_MEM,   /* memory at the address in ModRM.reg */
    K_RAX_MEM,   /* memory at rax */
    K_COUNT
};

/* Sizes: SZ_n is n bytes; others depend on the instruction, the last ones on the machine, too. */
enum operand_size {
    SZ_0, SZ_1, SZ_2, SZ_4, SZ_8, SZ_10, SZ_16, SZ_32, SZ_48, SZ_64, SZ_512,
    SZ_OWORD, /* 16, called OWORD */
    SZ_V, /* operand size: 2, 4, 8 */
    SZ_Z, /* 2, 4, 4 */
    SZ_Y, /* 4, 4, 8 */
    SZ_A, /* two operands: bound */
    SZ_ENV,  /* x87 environment: 28, with 66h 14 */
    SZ_SAVE, /* x87 state: 108, with 66h 94 */
    SZ_X, /* vector length and its parts */
    SZ_H,
    SZ_F,
    SZ_E,
    SZ_BY_MACHINE,
    SZ_N = SZ_BY_MACHINE, /* 8 in 64-bit mode, else 4 */
    SZ_ADDR, /* address size */
    SZ_P, /* operand size + 2: far pointer */
    SZ_S, /* descriptor table register: 10 in 64-bit mode, else 6 */
    SZ_MOVSXD, /* 4, with 66h on Intel's processors 2 */
    SZ_COUNT
};

/* Bytes of the sizes that do not depend on the machine; columns are pairs of operand size (2, 4, 8) and vector length
 * (16, 32, 64). */
#define SIZE_STATES 9
extern const uint16_t qn_decode_bytes[SZ_BY_MACHINE][SIZE_STATES];

/* What instructions store and load as a whole, each including the one before: x87 environment; registers; SSE; all that
 * XCR0 names. */
enum saved_state { SAVED_ENVIRONMENT, SAVED_X87, SAVED_SSE, SAVED_ALL };

/* name, kind, size as a register or immediate, size in memory, arg.  Memory only (K_MEM): the first size is what
 * Intel syntax calls it ("QWORD PTR"), SZ_0 nothing. */
#define QN_OPERANDS_PLAIN(S) \
    S(NONE, K_NONE, SZ_0, SZ_0, 0) \
    S(AL, K_GPR_FIXED, SZ_1, SZ_0, QN_RAX) S(CL, K_GPR_FIXED, SZ_1, SZ_0, QN_RCX) \
    S(AX, K_GPR_FIXED, SZ_2, SZ_0, QN_RAX) S(DX, K_GPR_FIXED, SZ_2, SZ_0, QN_RDX) \
    S(rAX, K_GPR_FIXED, SZ_V, SZ_0, QN_RAX) S(rDX, K_GPR_FIXED, SZ_V, SZ_0, QN_RDX) \
    S(eAX, K_GPR_FIXED, SZ_Z, SZ_0, QN_RAX) S(aAX, K_GPR_FIXED, SZ_ADDR, SZ_0, QN_RAX) \
    S(dAX, K_GPR_FIXED, SZ_4, SZ_0, QN_RAX) S(dCX, K_GPR_FIXED, SZ_4, SZ_0, QN_RCX) \
    S(dBX, K_GPR_FIXED, SZ_4, SZ_0, QN_RBX) S(dDX, K_GPR_FIXED, SZ_4, SZ_0, QN_RDX) \
    S(Zb, K_GPR_OPCODE, SZ_1, SZ_0, 0) S(Zv, K_GPR_OPCODE, SZ_V, SZ_0, 0) \
    S(Ib, K_IMM, SZ_1, SZ_0, 0) S(sIb, K_IMM_SIGNED, SZ_1, SZ_0, 0) S(Iw, K_IMM, SZ_2, SZ_0, 0) \
    S(Iz, K_IMM_SIGNED, SZ_Z, SZ_0, 0) S(Iv, K_IMM_SIGNED, SZ_V, SZ_0, 0) S(Id, K_IMM, SZ_4, SZ_0, 0) \
    S(Jb, K_REL, SZ_1, SZ_0, 0) S(Jz, K_REL, SZ_Z, SZ_0, 0) S(Ap, K_FAR, SZ_P, SZ_0, 0) \
    S(ES, K_SEG_FIXED, SZ_2, SZ_0, 0) S(CS, K_SEG_FIXED, SZ_2, SZ_0, 1) S(SS, K_SEG_FIXED, SZ_2, SZ_0, 2) \
    S(DS, K_SEG_FIXED, SZ_2, SZ_0, 3) S(FS, K_SEG_FIXED, SZ_2, SZ_0, 4) S(GS, K_SEG_FIXED, SZ_2, SZ_0, 5) \
    S(Xmm0, K_NAMED, SZ_16, SZ_0, 0) S(One, K_ONE, SZ_0, SZ_0, 0) \
    S(Xmm01, K_XMM_LIST, SZ_0, SZ_0, 0x03) S(Xmm0_6, K_XMM_LIST, SZ_0, SZ_0, 0x7f) \
    S(Xmm0_7, K_XMM_LIST, SZ_0, SZ_0, 0xff) S(Xmm012_456, K_XMM_LIST, SZ_0, SZ_0, 0x77) \
    S(VALL, K_ALL_VECTORS, SZ_0, SZ_0, 0) S(CR0, K_CTRL_FIXED, SZ_0, SZ_0, 0) \
    S(ST1, K_X87, SZ_10, SZ_0, 1) S(ST7, K_X87, SZ_10, SZ_0, 7) \
    S(FCW, K_STATE, SZ_0, SZ_0, 0) S(FSW, K_STATE, SZ_0, SZ_0, 1) S(MXCSR, K_STATE, SZ_0, SZ_0, 2) \
    S(XCR0, K_STATE, SZ_0, SZ_0, 3) S(PKRU, K_STATE, SZ_0, SZ_0, 4) S(GDTR, K_STATE, SZ_0, SZ_0, 5) \
    S(IDTR, K_STATE, SZ_0, SZ_0, 6) S(LDTR, K_STATE, SZ_0, SZ_0, 7) S(TR, K_STATE, SZ_0, SZ_0, 8) \
    S(ENV, K_SAVED, SZ_0, SZ_0, SAVED_ENVIRONMENT) S(X87, K_SAVED, SZ_0, SZ_0, SAVED_X87) \
    S(FXS, K_SAVED, SZ_0, SZ_0, SAVED_SSE) S(XS, K_SAVED, SZ_0, SZ_0, SAVED_ALL) \
    S(Lx, K_VEC_IMM, SZ_1, SZ_X, 0) S(Ldq, K_VEC_IMM, SZ_1, SZ_16, 0) \
    S(Ob, K_MOFFS, SZ_0, SZ_1, 0) S(Ov, K_MOFFS, SZ_0, SZ_V, 0) \
    S(Xb, K_STRING_SRC, SZ_0, SZ_1, 0) S(Xv, K_STRING_SRC, SZ_0, SZ_V, 0) S(Xz, K_STRING_SRC, SZ_0, SZ_Z, 0) \
    S(Yb, K_STRING_DST, SZ_0, SZ_1, 0) S(Yv, K_STRING_DST, SZ_0, SZ_V, 0) S(Yz, K_STRING_DST, SZ_0, SZ_Z, 0) \
    S(PUSH, K_PUSH, SZ_0, SZ_V, 1) S(PUSH2, K_PUSH, SZ_0, SZ_V, 2) S(PUSH8, K_PUSH, SZ_0, SZ_V, 8) \
    S(POP, K_POP, SZ_0, SZ_V, 1) S(POP2, K_POP, SZ_0, SZ_V, 2) S(POP3, K_POP, SZ_0, SZ_V, 3) \
    S(POP5, K_POP, SZ_0, SZ_V, 5) S(POP8, K_POP, SZ_0, SZ_V, 8) \
    S(LEAVE, K_LEAVE, SZ_0, SZ_V, 0) S(ENTER, K_ENTER, SZ_0, SZ_V, 0) S(XLAT, K_XLAT, SZ_0, SZ_1, 0) \
    S(Ydq, K_MASKMOV, SZ_0, SZ_16, 0) S(Yq, K_MASKMOV, SZ_0, SZ_8, 0) S(Mrax, K_RAX_MEM, SZ_0, SZ_64, 0)

#define QN_OPERANDS_MODRM(S) \
    S(Eb, K_RM, SZ_1, SZ_1, 0) S(Ew, K_RM, SZ_2, SZ_2, 0) S(Ed, K_RM, SZ_4, SZ_4, 0) S(Eq, K_RM, SZ_8, SZ_8, 0) \
    S(Ev, K_RM, SZ_V, SZ_V, 0) S(Ey, K_RM, SZ_Y, SZ_Y, 0) S(Ez, K_RM, SZ_Z, SZ_Z, 0) \
    S(En, K_RM, SZ_N, SZ_N, 0) S(Gn, K_REG, SZ_N, SZ_0, 0) S(Rn, K_RM_GPR, SZ_N, SZ_0, 0) \
    S(Ra, K_RM_GPR, SZ_ADDR, SZ_0, 0) S(Exd, K_RM, SZ_MOVSXD, SZ_MOVSXD, 0) \
    S(RvMw, K_RM, SZ_V, SZ_2, 0) S(RdMb, K_RM, SZ_4, SZ_1, 0) S(RdMw, K_RM, SZ_4, SZ_2, 0) \
    S(Gb, K_REG, SZ_1, SZ_0, 0) S(Gw, K_REG, SZ_2, SZ_0, 0) S(Gd, K_REG, SZ_4, SZ_0, 0) S(Gq, K_REG, SZ_8, SZ_0, 0) \
    S(Gv, K_REG, SZ_V, SZ_0, 0) S(Gy, K_REG, SZ_Y, SZ_0, 0) S(Gz, K_REG, SZ_Z, SZ_0, 0) \
    S(Rd, K_RM_GPR, SZ_4, SZ_0, 0) S(Rq, K_RM_GPR, SZ_8, SZ_0, 0) S(Ry, K_RM_GPR, SZ_Y, SZ_0, 0) \
    S(Rv, K_RM_GPR, SZ_V, SZ_0, 0) S(By, K_VVVV_GPR, SZ_Y, SZ_0, 0) \
    S(M0, K_MEM, SZ_0, SZ_0, 0) S(M0b, K_MEM, SZ_1, SZ_0, 0) S(Mb, K_MEM, SZ_1, SZ_1, 0) \
    S(Mw, K_MEM, SZ_2, SZ_2, 0) S(Md, K_MEM, SZ_4, SZ_4, 0) S(Mq, K_MEM, SZ_8, SZ_8, 0) \
    S(Mdq, K_MEM, SZ_16, SZ_16, 0) S(Mqq, K_MEM, SZ_32, SZ_32, 0) S(Mzz, K_MEM, SZ_64, SZ_64, 0) \
    S(Mdn, K_MEM, SZ_0, SZ_4, 0) S(Mqn, K_MEM, SZ_0, SZ_8, 0) S(Mdqn, K_MEM, SZ_0, SZ_16, 0) \
    S(Mzzn, K_MEM, SZ_0, SZ_64, 0) S(M48n, K_MEM, SZ_0, SZ_48, 0) S(M512, K_MEM, SZ_0, SZ_512, 0) \
    S(Mv, K_MEM, SZ_V, SZ_V, 0) S(My, K_MEM, SZ_Y, SZ_Y, 0) S(Mt, K_MEM, SZ_10, SZ_10, 0) \
    S(Mp, K_MEM, SZ_P, SZ_P, 0) S(Ma, K_MEM, SZ_A, SZ_A, 0) S(Ms, K_MEM, SZ_0, SZ_S, 0) \
    S(Menv, K_MEM, SZ_0, SZ_ENV, 0) S(Msave, K_MEM, SZ_0, SZ_SAVE, 0) \
    S(Mx, K_MEM, SZ_X, SZ_X, 0) S(Mxn, K_MEM, SZ_0, SZ_X, 0) S(Mh, K_MEM, SZ_H, SZ_H, 0) \
    S(Mow, K_MEM, SZ_OWORD, SZ_16, 0) \
    S(VMd, K_VSIB, SZ_0, SZ_0, 4) S(VMq, K_VSIB, SZ_0, SZ_0, 8) \
    S(GM, K_REG_MEM, SZ_8, SZ_64, 0) \
    S(Vdq, K_VEC_REG, SZ_16, SZ_0, 0) S(Vqq, K_VEC_REG, SZ_32, SZ_0, 0) S(Vzz, K_VEC_REG, SZ_64, SZ_0, 0) \
    S(Vx, K_VEC_REG, SZ_X, SZ_0, 0) S(Vh, K_VEC_REG, SZ_H, SZ_0, 0) S(Vf, K_VEC_REG, SZ_F, SZ_0, 0) \
    S(Ve, K_VEC_REG, SZ_E, SZ_0, 0) \
    S(Hdq, K_VEC_VVVV, SZ_16, SZ_0, 0) S(Hh, K_VEC_VVVV, SZ_H, SZ_0, 0) S(Hx, K_VEC_VVVV, SZ_X, SZ_0, 0) \
    S(Wb, K_VEC_RM, SZ_16, SZ_1, 0) S(Ww, K_VEC_RM, SZ_16, SZ_2, 0) S(Wss, K_VEC_RM, SZ_16, SZ_4, 0) \
    S(Wsd, K_VEC_RM, SZ_16, SZ_8, 0) S(Wdq, K_VEC_RM, SZ_16, SZ_16, 0) S(Wqq, K_VEC_RM, SZ_32, SZ_32, 0) \
    S(Wx, K_VEC_RM, SZ_X, SZ_X, 0) S(Wh, K_VEC_RM, SZ_H, SZ_H, 0) S(Wf, K_VEC_RM, SZ_F, SZ_F, 0) \
    S(We, K_VEC_RM, SZ_E, SZ_E, 0) \
    S(Udq, K_VEC_U, SZ_16, SZ_0, 0) S(Uqq, K_VEC_U, SZ_32, SZ_0, 0) S(Ux, K_VEC_U, SZ_X, SZ_0, 0) \
    S(Uh, K_VEC_U, SZ_H, SZ_0, 0) \
    S(Pq, K_MMX_REG, SZ_8, SZ_0, 0) S(Nq, K_MMX_U, SZ_8, SZ_0, 0) \
    S(Qq, K_VEC_RM, SZ_8, SZ_8, 1) S(Qd, K_VEC_RM, SZ_8, SZ_4, 1) \
    S(KGp, K_MASK_PAIR, SZ_0, SZ_0, 0) \
    S(KG, K_MASK_REG, SZ_0, SZ_0, 0) S(KR, K_MASK_U, SZ_0, SZ_0, 0) S(KH, K_MASK_VVVV, SZ_0, SZ_0, 0) \
    S(KEb, K_VEC_RM, SZ_0, SZ_1, 2) S(KEw, K_VEC_RM, SZ_0, SZ_2, 2) \
    S(KEd, K_VEC_RM, SZ_0, SZ_4, 2) S(KEq, K_VEC_RM, SZ_0, SZ_8, 2) \
    S(TG, K_TILE_REG, SZ_0, SZ_0, 0) S(TU, K_TILE_U, SZ_0, SZ_0, 0) S(TH, K_TILE_VVVV, SZ_0, SZ_0, 0) \
    S(Sw, K_SEG_REG, SZ_2, SZ_0, 0) S(Cn, K_CTRL_REG, SZ_N, SZ_0, 0) S(Dn, K_DEBUG_REG, SZ_N, SZ_0, 0) \
    S(Bnd, K_BOUND_REG, SZ_16, SZ_0, 0) S(BndE, K_VEC_RM, SZ_16, SZ_16, 3) \
    S(ST0, K_X87, SZ_10, SZ_0, 0) S(STi, K_X87_RM, SZ_10, SZ_0, 0)

#define QN_FIRST_MODRM_OPERAND 0x80

enum operand {
#define S(name, kind, size, memsize, arg) name,
    QN_OPERANDS_PLAIN(S)
    OPERAND_PLAIN_END,
    OPERAND_MODRM_BASE = QN_FIRST_MODRM_OPERAND - 1,
    QN_OPERANDS_MODRM(S)
    OPERAND_COUNT
#undef S
};
_Static_assert(OPERAND_PLAIN_END <= OPERAND_MODRM_BASE && OPERAND_COUNT <= 0x100, "operand codes fit a byte");

struct operand_info {
    uint8_t kind, size, memsize, arg;
    uint8_t reported; /* enum operand_size: operand size of an instruction whose first operand it is */
};
extern const struct operand_info qn_decode_operands[OPERAND_COUNT];

/* One operand in a row is 16 bits: code, access, hidden. */
#define OPERAND_HIDDEN 0x400u
#define OPERAND_CODE(op) ((op) & 0xffu)
#define OPERAND_ACCESS(op) (((op) >> 8) & 3u)
#define N(x) (x)
#define R(x) ((x) | QN_ACC_READ << 8)
#define W(x) ((x) | QN_ACC_WRITE << 8)
#define RW(x) ((x) | (QN_ACC_READ | QN_ACC_WRITE) << 8)
#define H(x) ((x) | OPERAND_HIDDEN)
#define O(...) O_(__VA_ARGS__, 0, 0, 0, 0, 0)
#define O_(a, b, c, d, ...) \
    ((uint64_t)(a) | (uint64_t)(b) << 16 | (uint64_t)(c) << 32 | (uint64_t)(d) << 48)
#define OPERANDS_NEED_MODRM 0x0080008000800080u

/* `when`: 16 wanted bits, 16 bits that tell which count, and above them the machines that do not have the form. */
#define WHEN(mask, value) ((uint32_t)(mask) << 16 | (uint32_t)(value))
#define NOT_ON(machines) ((uint64_t)(machines) << 32)
#define ANY 0u
#define NP WHEN(3, 0)
#define P66 WHEN(3, 1)
#define PF3 WHEN(3, 2)
#define PF2 WHEN(3, 3)
#define NP66 WHEN(2, 0) /* neither F2 nor F3; 66h is the operand size */
#define W0 WHEN(4, 0)
#define W1 WHEN(4, 4)
#define L0 WHEN(0x18, 0)
#define L1 WHEN(0x18, 8)
#define L2 WHEN(0x18, 0x10)
#define MEM WHEN(0x800, 0)
#define R3 WHEN(0x800, 0x800)
#define REG(n) WHEN(0x700, (n) << 8)
#define RM(n) WHEN(0xe0, (n) << 5)
#define MODRM(byte) (R3 | REG(0x##byte >> 3 & 7) | RM(0x##byte & 7)) /* this one byte only */
#define O16 WHEN(0x1000, 0x1000) /* 66h seen */
#define REXB WHEN(0x2000, 0x2000)
#define L12 WHEN(0x4000, 0x4000) /* vector length 32 or 64 */
#define A67 WHEN(0x8000, 0x8000) /* 67h seen */
#define I64 NOT_ON(ON_64)
#define O64 NOT_ON(ON_32)
#define AMD NOT_ON(ON_INTEL)
#define INTEL NOT_ON(ON_AMD)
#define INTEL_OR_32 NOT_ON(ON_AMD_64)
#define WHEN_NEEDS_MODRM 0x0fe00000u

/* The same for the encoding at hand: struct decoder's key. */
enum {
    KEY_W_SHIFT = 2, KEY_L_SHIFT = 3, KEY_MODRM_SHIFT = 5, KEY_REGISTER_SHIFT = 11, KEY_O16_SHIFT = 12,
    KEY_REXB_SHIFT = 13, KEY_L12_SHIFT = 14, KEY_A67_SHIFT = 15
};
#define KEY_LENGTH(code) ((code) << KEY_L_SHIFT | ((code) != 0) << KEY_L12_SHIFT)
#define WHEN_W WHEN(1 << KEY_W_SHIFT, 0)
#define WHEN_O16 WHEN(1 << KEY_O16_SHIFT, 0)
enum { ON_64 = 1, ON_32 = 2, ON_INTEL = 4, ON_AMD = 8, ON_AMD_64 = 16 };

/* Traits.  Low half: */
#define CLS(c) ((uint64_t)QN_CLS_##c)
#define TRAIT_CLASS(t) ((t) & 0x1f)
#define IMP(i) ((uint64_t)IMPLICIT_##i << 5)
#define TRAIT_IMPLICIT(t) (((t) >> 5) & 0x7f)
/* Operand size in 64-bit mode; SDM vol. 2D, table A-1: */
#define D64 (1ull << 12) /* 8 without REX.W; 66h makes it 2 */
#define F64 (1ull << 13) /* 8 always; AMD: 66h without REX.W makes it 2 */
#define TRAIT_SIZE(t) ((t) >> 12 & 3)
#define E1 (1ull << 16)  /* bytes of an element in memory, for masks and broadcasts */
#define E2 (2ull << 16)
#define E4 (4ull << 16)
#define E8 (8ull << 16)
#define TRAIT_ELEM(t) (((t) >> 16) & 0xf)
#define BC (1ull << 20)  /* EVEX.b with memory: broadcast */
#define ER (1ull << 21)  /* EVEX.b with registers: rounding */
#define SAE (1ull << 22) /* EVEX.b with registers: suppress exceptions */
#define T1 (1ull << 23)  /* disp8 counts elements: gather, compress, expand */
#define CC (1ull << 24)  /* low four bits of the opcode are a condition */
#define SHI (1ull << 25) /* shift or rotate by an immediate */
#define FWD (1ull << 26) /* AT&T syntax has the operands in the order given here */
#define LK (1ull << 15)  /* lock is allowed */
#define REV (1ull << 14) /* Intel syntax has them in the reverse order */
#define MSKH (1ull << 27) /* memory under the mask in the vector register VEX.vvvv */
#define MSKU (1ull << 28) /* memory under the mask in the vector register ModRM.rm */
#define B16 (1ull << 29) /* opsize is 1: a byte operation whose first operand does not show it */
#define NF (1ull << 30)  /* the mask does not keep memory from being read as a whole (SDM: types E4NF etc.) */
#define NM (1ull << 32)  /* no mask, although it broadcasts */
#define FP (1ull << 35)  /* SSE arithmetic: MXCSR controls it, and takes its exceptions */
#define FPC (1ull << 38) /* MXCSR controls it, but takes none */
#define KEEP (1ull << 36) /* from register to register the destination keeps the part that is not written */
#define SEL (1ull << 37) /* the mask selects between sources, so nothing of the destination stays */
#define RN (1ull << 34)  /* ModRM.reg can name registers that there are not */
#define XD (1ull << 33)  /* the destination must not be a source */
#define I4 (1ull << 31)  /* the low half of the register immediate is an operand too */
/* Above: enum qn_attr, as far as the tables give it. */
#define TRAIT_ATTR_SHIFT 40
#define A(attr) ((uint64_t)QN_ATTR_##attr << TRAIT_ATTR_SHIFT)
#define TRAIT_ATTR(t) ((uint32_t)((t) >> TRAIT_ATTR_SHIFT))
#define PRIV (A(PRIV) | CLS(HLT))
#define XSTATE (A(XSAVE) | A(FPUIP) | A(X87) | IMP(DXAX))

/* Registers beyond the operands: name, read, written. */
#define B_(r) (1u << QN_##r)
#define QN_IMPLICITS(I) \
    I(NONE, 0, 0) \
    I(CPUID, B_(RAX) | B_(RCX), B_(RAX) | B_(RBX) | B_(RCX) | B_(RDX)) \
    I(TO_DXAX, 0, B_(RAX) | B_(RDX)) \
    I(RDTSCP, 0, B_(RAX) | B_(RDX) | B_(RCX)) \
    I(CX_TO_DXAX, B_(RCX), B_(RAX) | B_(RDX)) \
    I(CXDXAX, B_(RAX) | B_(RCX) | B_(RDX), 0) \
    I(DXAX, B_(RAX) | B_(RDX), 0) \
    I(CXAX, B_(RAX) | B_(RCX), 0) \
    I(CXBXAX, B_(RAX) | B_(RCX) | B_(RBX), 0) \
    I(AX, B_(RAX), 0) \
    I(CX, B_(RCX), 0) \
    I(DX, B_(RDX), 0) \
    I(TO_CX, 0, B_(RCX)) \
    I(RW_AX, B_(RAX), B_(RAX)) \
    I(RW_CX, B_(RCX), B_(RCX)) \
    I(RW_SP, B_(RSP), B_(RSP)) \
    I(SYSCALL, 0, B_(RCX) | B_(R11)) \
    I(SYSCALL32, 0, B_(RCX)) \
    I(SYSENTER, 0, B_(RSP)) \
    I(SYSRET, B_(RCX) | B_(R11), 0) \
    I(SYSRET32, B_(RCX), 0) \
    I(SYSEXIT, B_(RCX) | B_(RDX), B_(RSP)) \
    I(CX8B, B_(RAX) | B_(RBX) | B_(RCX) | B_(RDX), B_(RAX) | B_(RDX)) \
    I(PCMPESTRI, B_(RAX) | B_(RDX), B_(RCX)) \
    I(ABCD, B_(RAX) | B_(RBX) | B_(RCX) | B_(RDX), B_(RAX) | B_(RBX) | B_(RCX) | B_(RDX)) \
    I(GETSEC, B_(RAX) | B_(RBX), B_(RAX)) \
    I(CXDXAX_AX, B_(RAX) | B_(RCX) | B_(RDX), B_(RAX)) \
    I(CXAX_AX, B_(RAX) | B_(RCX), B_(RAX)) \
    I(MSRLIST, B_(RCX) | B_(RSI) | B_(RDI), B_(RCX)) \
    I(SKINIT, B_(RAX), 0) \
    I(ALL, 0xff, 0) \
    I(TO_ALL, 0, 0xff) \
    I(RW_ALL, 0xff, 0xff)

enum implicit {
#define I(name, reads, writes) IMPLICIT_##name,
    QN_IMPLICITS(I)
#undef I
    IMPLICIT_COUNT
};

/* Effects on the flags: name, read, written, undefined, maybe written. */
#define QN_ALL_BUT_CF (QN_PF | QN_AF | QN_ZF | QN_SF | QN_OF)
#define QN_SAHF_FLAGS (QN_CF | QN_PF | QN_AF | QN_ZF | QN_SF)
#define QN_ANY_FLAGS (QN_FLAGS_STATUS | QN_DF)
#define QN_FLAG_EFFECTS(F) \
    F(NONE, 0, 0, 0, 0) \
    F(ARITH, 0, QN_FLAGS_STATUS, 0, 0) \
    F(LOGIC, 0, QN_FLAGS_STATUS, QN_AF, 0) \
    F(ADC, QN_CF, QN_FLAGS_STATUS, 0, 0) \
    F(INC, 0, QN_ALL_BUT_CF, 0, 0) \
    F(SHIFT, 0, QN_FLAGS_STATUS, QN_AF | QN_OF, 0) \
    F(SHIFT1, 0, QN_FLAGS_STATUS, QN_AF, 0) \
    F(SHIFTCL, 0, 0, 0, QN_FLAGS_STATUS) \
    F(ROT, 0, QN_CF | QN_OF, QN_OF, 0) \
    F(ROT1, 0, QN_CF | QN_OF, 0, 0) \
    F(ROTCL, 0, 0, 0, QN_CF | QN_OF) \
    F(RCL, QN_CF, QN_CF | QN_OF, QN_OF, 0) \
    F(RCL1, QN_CF, QN_CF | QN_OF, 0, 0) \
    F(RCLCL, QN_CF, 0, 0, QN_CF | QN_OF) \
    F(MUL, 0, QN_FLAGS_STATUS, QN_SF | QN_ZF | QN_AF | QN_PF, 0) \
    F(DIV, 0, QN_FLAGS_STATUS, QN_FLAGS_STATUS, 0) \
    F(BT, 0, QN_FLAGS_STATUS & ~QN_ZF, QN_FLAGS_STATUS & ~QN_ZF & ~QN_CF, 0) \
    F(BSF, 0, QN_FLAGS_STATUS, QN_FLAGS_STATUS & ~QN_ZF, 0) \
    F(TZCNT, 0, QN_FLAGS_STATUS, QN_OF | QN_SF | QN_PF | QN_AF, 0) \
    F(ALL, 0, QN_FLAGS_STATUS, 0, 0) \
    F(ANDN, 0, QN_FLAGS_STATUS, QN_AF | QN_PF, 0) \
    F(BEXTR, 0, QN_FLAGS_STATUS, QN_AF | QN_SF | QN_PF, 0) \
    F(CC, 0, 0, 0, 0) \
    F(CMC, QN_CF, QN_CF, 0, 0) \
    F(STC, 0, QN_CF, 0, 0) \
    F(STD, 0, QN_DF, 0, 0) \
    F(SAHF, 0, QN_SAHF_FLAGS, 0, 0) \
    F(LAHF, QN_SAHF_FLAGS, 0, 0, 0) \
    F(POPF, 0, QN_ANY_FLAGS, 0, 0) \
    F(PUSHF, QN_ANY_FLAGS, 0, 0, 0) \
    F(STR, QN_DF, 0, 0, 0) \
    F(STRCMP, QN_DF, QN_FLAGS_STATUS, 0, 0) \
    F(SETZ, 0, QN_ZF, 0, 0) \
    F(MAYZ, 0, 0, 0, QN_ZF) \
    F(TESTZ, QN_ZF, 0, 0, 0) \
    F(TESTC, QN_CF, 0, 0, 0) \
    F(TESTCZ, QN_CF | QN_ZF, 0, 0, 0) \
    F(TESTP, QN_PF, 0, 0, 0) \
    F(DAA, QN_CF | QN_AF, QN_FLAGS_STATUS, QN_OF, 0) \
    F(AAA, QN_AF, QN_FLAGS_STATUS, QN_OF | QN_SF | QN_ZF | QN_PF, 0) \
    F(AAM, 0, QN_FLAGS_STATUS, QN_OF | QN_AF | QN_CF, 0) \
    F(INTO, QN_ANY_FLAGS, 0, 0, 0) \
    F(ADCX, QN_CF, QN_CF, 0, 0) \
    F(ADOX, QN_OF, QN_OF, 0, 0)

enum flag_effect {
#define F(name, read, written, undef, may) FLAGS_##name,
    QN_FLAG_EFFECTS(F)
#undef F
    FLAGS_COUNT
};

/* The maps.  Legacy 0F 38 is LEG2 and so on; XOP 8..10, 3DNow! has its own. */
enum map_id {
    MAP_LEG0, MAP_LEG1, MAP_LEG2, MAP_LEG3, MAP_X87, MAP_VEX1, MAP_VEX2, MAP_VEX3,
    MAP_EVEX1, MAP_EVEX2, MAP_EVEX3, MAP_EVEX5, MAP_EVEX6, MAP_XOP8, MAP_XOP9, MAP_XOPA, MAP_NOW, MAP_COUNT
};

struct row {
    uint64_t operands;
    uint64_t traits;
    uint32_t when;
    uint8_t flags;
    uint8_t starts; /* 1: first form of its opcode, so the forms of the one before end here */
    uint8_t not_on; /* machines that do not have it */
};
extern const struct row qn_decode_rows[];
extern const uint16_t qn_decode_first[MAP_COUNT][256];

#endif
