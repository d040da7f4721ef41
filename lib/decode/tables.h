/* lib/decode/tables.h - the language in which the opcode tables are written; internal to lib/decode.
 *
 * A table is a file map_*.inc with one line for each form of an instruction, in the order of the opcode
 * maps of the manuals (SDM vol. 2D, appendix A; APM vol. 3, appendix A):
 *
 *     OP(00, "add",   O(RW(Eb), R(Gb)),       ANY,          ARITH, X86, LK)
 *     OP(80, "add+",  O(RW(Eb), R(Ib)),       REG(0),       ARITH, X86, LK)
 *     ALT("or+",      O(RW(Eb), R(Ib)),       REG(1),       LOGIC, X86, LK)
 *
 *   OP     opcode byte in hex, mnemonic, operands, when, flags, feature, traits: first form of that opcode
 *   ALT    a further form of the same opcode; the first one whose `when` fits is taken
 *   O(..)  operands in the order of the manuals: R read, W written, RW both, N only named (lea);
 *          H(..) around one hides an implicit operand from the printed text; st(7) is the one that a push
 *          writes, as numbered before
 *   when   what selects the form: NP P66 PF3 PF2 (mandatory prefix), REG(n), MEM, R3 (ModRM.mod = 3),
 *          RM(n), MODRM(byte), W0 W1, L0 L1 L2 (vector length), O16 ...; I64 not in 64-bit mode, O64 only
 *          there, AMD and INTEL one vendor's processors; ANY = always
 *   flags  an effect on the flags of effects.inc
 *   feature  what CPUID must report, see features.inc; AVX_AVX2 and the like depend on the vector length
 *   traits class, default operand size, attributes, element size
 *
 * Operand letters are those of the SDM: E ModRM.rm general register or memory, G ModRM.reg, V and W the
 * same for vectors, H the vector of VEX.vvvv, B the general register of VEX.vvvv, I immediate, J branch
 * displacement, M memory only, U vector register of ModRM.rm, X/Y string operands, Z register in the
 * opcode; size letters b w d q = 1 2 4 8 bytes, dq 16, qq 32, v = operand size, z = at most 4, y = 4 or 8,
 * n = 8 in 64-bit mode, else 4, x = vector length, h f e = its half, quarter, eighth.
 *
 * Mnemonics are AT&T's, after a bar Intel's; a trailing mark says how the printer chooses the size suffix (see
 * print.c).
 *
 * Every file is read several times with other definitions of OP and ALT: for the facts (tables.c), for the
 * features (features.c), for the names (print.c).  The first form of an opcode that a machine has must
 * show whether a ModRM byte follows.  What the columns may name is listed in operands.inc, effects.inc and
 * features.inc, and below: `when` and traits. */
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
    K_VEC_REG,   /* ModRM.reg: vector register */
    K_VEC_U,     /* vector register of ModRM.rm */
    K_VEC_VVVV,
    K_VEC_FOUR,  /* VEX.vvvv: that vector register and the others of its group of four, 4 to 7 for instance */
    K_MMX_REG,
    K_MMX_U,
    K_MASK_REG,
    K_MASK_PAIR, /* ModRM.reg: that mask register and the one whose number differs in the last bit */
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
    /* Registers that are always hidden, so that only features.c knows these kinds. */
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
    SZ_A, /* two operands of the operand size: bound */
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

#define FIRST_MODRM_OPERAND 0x80

enum operand {
#define PLAIN_OPERAND(name, kind, size, memsize, arg) name,
#define MODRM_OPERAND(name, kind, size, memsize, arg)
#include "operands.inc"
#undef PLAIN_OPERAND
#undef MODRM_OPERAND
    OPERAND_PLAIN_END,
    OPERAND_MODRM_BASE = FIRST_MODRM_OPERAND - 1,
#define PLAIN_OPERAND(name, kind, size, memsize, arg)
#define MODRM_OPERAND(name, kind, size, memsize, arg) name,
#include "operands.inc"
#undef PLAIN_OPERAND
#undef MODRM_OPERAND
    OPERAND_COUNT
};
_Static_assert(OPERAND_PLAIN_END <= OPERAND_MODRM_BASE && OPERAND_COUNT <= 0x100, "operand codes fit a byte");

struct operand_info {
    uint8_t kind, size, memsize, arg; /* columns of operands.inc */
    uint8_t reported; /* enum operand_size: operand size of an instruction whose first operand it is */
};
extern const struct operand_info qn_decode_operands[OPERAND_COUNT];

/* Where an operand has its register number from. */
enum register_source { FROM_REG, FROM_RM, FROM_VVVV, FROM_ARG, FROM_IMMEDIATE };

struct operand_register { /* that an operand of a kind names, besides general registers */
    uint8_t named; /* is there one? */
    uint8_t kind;  /* enum qn_register_kind */
    uint8_t from;  /* enum register_source */
};
extern const struct operand_register qn_decode_operand_registers[K_COUNT];

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
#define OPERANDS_NEED_MODRM 0x0080008000800080u /* FIRST_MODRM_OPERAND in any of the four */

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

/* Traits, from the lowest bit up. */
#define CLS(c) ((uint64_t)QN_CLS_##c)
#define TRAIT_CLASS(t) ((t) & 0x1f)
#define IMP(i) ((uint64_t)IMPLICIT_##i << 5)
#define TRAIT_IMPLICIT(t) (((t) >> 5) & 0x7f)
/* Operand size in 64-bit mode; SDM vol. 2D, table A-1: */
#define D64 (1ull << 12)  /* 8 without REX.W; 66h makes it 2 */
#define F64 (1ull << 13)  /* 8 always; AMD: 66h without REX.W makes it 2 */
#define TRAIT_SIZE(t) ((t) >> 12 & 3)
#define REV (1ull << 14)  /* Intel syntax has the operands in the reverse order */
#define LK (1ull << 15)   /* lock is allowed */
#define E1 (1ull << 16)   /* bytes of an element in memory, for masks and broadcasts */
#define E2 (2ull << 16)
#define E4 (4ull << 16)
#define E8 (8ull << 16)
#define TRAIT_ELEM(t) (((t) >> 16) & 0xf)
#define BC (1ull << 20)   /* EVEX.b with memory: broadcast */
#define ER (1ull << 21)   /* EVEX.b with registers: rounding */
#define SAE (1ull << 22)  /* EVEX.b with registers: suppress exceptions */
#define T1 (1ull << 23)   /* disp8 counts elements: gather, compress, expand */
#define CC (1ull << 24)   /* low four bits of the opcode are a condition */
#define SHI (1ull << 25)  /* shift or rotate by an immediate */
#define FWD (1ull << 26)  /* AT&T syntax has the operands in the order given here */
#define MSKH (1ull << 27) /* memory under the mask in the vector register VEX.vvvv */
#define MSKU (1ull << 28) /* memory under the mask in the vector register ModRM.rm */
#define NF (1ull << 29)   /* the mask does not keep memory from being read as a whole (SDM: types E4NF etc.) */
#define NM (1ull << 30)   /* no mask, although it broadcasts */
#define I4 (1ull << 31)   /* the low half of the register immediate is an operand too */
#define RN (1ull << 32)   /* ModRM.reg can name registers that there are not */
#define XD (1ull << 33)   /* the destination must not be a source */
#define KEEP (1ull << 34) /* from register to register the destination keeps the part that is not written */
#define SEL (1ull << 35)  /* the mask selects between sources, so nothing of the destination stays */
#define FP (1ull << 36)   /* SSE arithmetic: MXCSR controls it and records its exceptions */
#define FPC (1ull << 37)  /* MXCSR controls it, but records no exceptions of it */
/* Above: enum qn_attr, as far as the tables give it. */
#define TRAIT_ATTR_SHIFT 40
#define A(attr) ((uint64_t)QN_ATTR_##attr << TRAIT_ATTR_SHIFT)
#define TRAIT_ATTR(t) ((uint32_t)((t) >> TRAIT_ATTR_SHIFT))
#define PRIV (A(PRIV) | CLS(HLT))
#define XSTATE (A(XSAVE) | A(FPUIP) | A(X87) | IMP(DXAX))

/* effects.inc: general registers beyond the operands, and flags. */
enum implicit {
#define IMPLICIT(name, reads, writes) IMPLICIT_##name,
#define FLAGS(name, read, written, undefined, maybe)
#include "effects.inc"
#undef IMPLICIT
#undef FLAGS
    IMPLICIT_COUNT
};

enum flag_effect {
#define IMPLICIT(name, reads, writes)
#define FLAGS(name, read, written, undefined, maybe) FLAGS_##name,
#include "effects.inc"
#undef IMPLICIT
#undef FLAGS
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
