/* lib/decode/decode.h - the x86 instruction decoder: bytes in, facts out.
 *
 *   48 03 44 8e 08      ->  add 0x8(%rsi,%rcx,4),%rax
 *                           len 5, mem[0] = {base rsi, index rcx, scale 4, disp 8, size 8, read},
 *                           reads rax rsi rcx, writes rax, flags written OSZAPC, class other
 *
 * The decoder knows no semantics.  It gives what the rest of quern needs to copy an instruction and
 * to count it: its length, its memory operands, the registers and flags that it reads and writes,
 * its branch target, and the offsets of its fields.
 *
 * Properties: no allocation, no global state, reentrant, no library: it is compiled both into the
 * freestanding engine and into hosted tools.
 */
#ifndef QN_DECODE_H
#define QN_DECODE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QN_INSN_MAX_LEN 15 /* bytes; SDM vol. 2, 2.3.11: a longer one raises #GP */

/* The machine that the bytes are for: a mode, and whose processors to follow where the two vendors differ (see
 * doc/decoder.md).  QN_MACHINE_32: 32-bit code segments, with prefixes for 16-bit operands and addresses. */
enum qn_machine {
    QN_MACHINE_64 = 0,
    QN_MACHINE_32 = 1,
    QN_MACHINE_INTEL = 0,
    QN_MACHINE_AMD = 2
};

/* The running CPU, in 64-bit mode.  Executes CPUID, which takes microseconds in a virtual machine: ask once. */
enum qn_machine qn_decode_host(void);

/* General registers are numbered as the processor does. */
enum qn_reg {
    QN_RAX, QN_RCX, QN_RDX, QN_RBX, QN_RSP, QN_RBP, QN_RSI, QN_RDI,
    QN_R8, QN_R9, QN_R10, QN_R11, QN_R12, QN_R13, QN_R14, QN_R15,
    QN_RIP = 16,
    QN_REG_NONE = 31
};

/* 64-bit mode: none, fs or gs; the others have base 0 there.  32-bit mode: always one, the default ones too. */
enum qn_seg { QN_SEG_NONE, QN_SEG_FS, QN_SEG_GS, QN_SEG_ES, QN_SEG_CS, QN_SEG_SS, QN_SEG_DS };

/* Status flags as bits of a mask. */
enum { QN_CF = 1, QN_PF = 2, QN_AF = 4, QN_ZF = 8, QN_SF = 16, QN_OF = 32, QN_DF = 64 };
#define QN_FLAGS_STATUS (QN_CF | QN_PF | QN_AF | QN_ZF | QN_SF | QN_OF)

enum { QN_ACC_NONE = 0, QN_ACC_READ = 1, QN_ACC_WRITE = 2 }; /* or both: read-modify-write */

/* One memory operand, explicit or implicit (stack, string, xlat, maskmov).
 * Address = seg base + (base + index*scale + disp, cut to 32 bits if addr32, to 16 if addr16).
 * Stack operands: a push's operand is {base rsp, disp -size}; a pop's is {base rsp, disp 0};
 * POP m with an rsp base is given with the displacement corrected for the increment that comes
 * first (SDM, POP).  String operands are {base rsi} and {base rdi} without the repetition. */
struct qn_mem {
    int64_t disp;      /* sign-extended, EVEX disp8 already scaled; absolute moffs too.
                          For base QN_RIP: relative to the end of the instruction */
    uint16_t size;     /* bytes touched by one execution (one iteration for rep; the whole vector
                          for masked and gather forms; 0 = not a fixed size, see attr XSAVE) */
    uint8_t access;    /* QN_ACC_*; NONE for lea, prefetch, nop, clflush, invlpg, ... */
    uint8_t seg;       /* enum qn_seg */
    uint8_t base;      /* enum qn_reg */
    uint8_t index;     /* enum qn_reg; a vector register number 0..31 if vsib */
    uint8_t scale;     /* 1, 2, 4, 8 */
    uint8_t addr32;    /* address size 32: 67h in 64-bit mode, no 67h in 32-bit mode */
    uint8_t addr16;    /* address size 16: 67h in 32-bit mode */
    uint8_t vsib;      /* bytes of one index element (4 or 8), 0 = ordinary index */
    uint8_t elem;      /* bytes of one element for masked, gather and scatter forms, else 0 */
    uint8_t is_modrm;  /* this operand is the ModRM one (the only one that may be RIP-relative) */
};

enum qn_class {
    QN_CLS_OTHER,      /* falls through to the next instruction */
    QN_CLS_JCC,        /* conditional near branch */
    QN_CLS_LOOP,       /* loop, loope, loopne */
    QN_CLS_JRCXZ,      /* jrcxz, jecxz */
    QN_CLS_JMP,        /* direct near jump */
    QN_CLS_JMP_IND,
    QN_CLS_CALL,       /* direct near call */
    QN_CLS_CALL_IND,
    QN_CLS_RET,        /* near return; imm = bytes released */
    QN_CLS_SYSCALL,    /* syscall */
    QN_CLS_SYSENTER,   /* sysenter */
    QN_CLS_INT,        /* int n, imm = n; into: see opcode */
    QN_CLS_INT3,       /* int3, int1 (icebp): see opcode */
    QN_CLS_UD,         /* ud0, ud1, ud2: documented to raise #UD */
    QN_CLS_FAR,        /* far jmp, call, ret, iret */
    QN_CLS_XBEGIN,     /* xbegin: target = fallback */
    QN_CLS_HLT         /* hlt and other instructions that user mode may never run (in/out, cli, lgdt,
                          mov cr...); also flagged QN_ATTR_PRIV */
};

enum qn_attr { /* bits of attr */
    QN_ATTR_REP = 1 << 0,     /* F3 on a string instruction (rep or repe) */
    QN_ATTR_REPNE = 1 << 1,   /* F2 on a string instruction */
    QN_ATTR_STRING = 1 << 2,  /* movs, cmps, scas, lods, stos, ins, outs */
    QN_ATTR_LOCK = 1 << 3,    /* lock prefix */
    QN_ATTR_XCHGMEM = 1 << 4, /* xchg with memory: locked without a prefix */
    QN_ATTR_CMPXCHG = 1 << 5, /* cmpxchg, cmpxchg8b/16b */
    QN_ATTR_PRIV = 1 << 6,    /* raises #GP in user mode */
    QN_ATTR_XSAVE = 1 << 7,   /* xsave, xsavec, xsaveopt, xrstor...: size depends on XCR0 and edx:eax */
    QN_ATTR_FPUIP = 1 << 8,   /* stores an instruction pointer of the x87 unit: fnstenv, fnsave, fxsave, xsave* */
    QN_ATTR_MASKED = 1 << 9,  /* memory operand under a mask: EVEX {k}, vmaskmov*, vpmaskmov*, maskmovq/dqu */
    QN_ATTR_GATHER = 1 << 10, /* vgather*, vpgather* */
    QN_ATTR_SCATTER = 1 << 11,
    QN_ATTR_CPUID = 1 << 12,
    QN_ATTR_FSGSBASE = 1 << 13, /* wrfsbase, wrgsbase (and mov to fs/gs, lfs, lgs) */
    QN_ATTR_BROADCAST = 1 << 14, /* EVEX.b memory broadcast: mem.size is one element */
    QN_ATTR_CMOV = 1 << 15,
    QN_ATTR_X87 = 1 << 16,
    QN_ATTR_POPF = 1 << 17,   /* popf: may set TF */
    QN_ATTR_BT_REG = 1 << 18, /* bt/bts/btr/btc m,r: the bit offset in a register moves the address:
                                 true address = mem + (sign-extended offset >> log2(8*size)) * size */
    QN_ATTR_RDTSC = 1 << 19,
    QN_ATTR_KMASK = 1 << 20,  /* EVEX with {k1..k7}; kreg says which */
    QN_ATTR_MEM_DST = 1 << 21, /* the ModRM memory operand is the destination of a masked store or scatter */
    QN_ATTR_IP16 = 1 << 22,   /* near branch with 16-bit operand size: control goes to the low 16 bits of the target */
    QN_ATTR_UD = 1 << 23,     /* raises #UD on any processor: lock where it may not be, reserved bits of EVEX, ... */
    QN_ATTR_ZEROING = 1 << 24, /* EVEX.z */
    QN_ATTR_SAE = 1 << 25     /* EVEX.b with registers: rounding by the instruction, or exceptions suppressed */
};

struct qn_insn {
    uint8_t len;         /* bytes, 1..15 */
    uint8_t cls;         /* enum qn_class */
    uint8_t n_mem;       /* entries of mem used, in the order in which they are touched */
    uint8_t opsize;      /* operand size in bytes: 1, 2, 4, 8 (vector length 16, 32, 64) */
    uint32_t attr;       /* enum qn_attr */
    uint16_t reads;      /* general registers read, bit n = register n; address registers included;
                            a partial write (8, 16 bit; cmov) reads too.  A zeroing idiom
                            (xor r,r) is given as what it is: it reads r */
    uint16_t writes;     /* general registers written */
    uint8_t flags_read;      /* QN_CF ... (conditionally read counts) */
    uint8_t flags_written;   /* certainly written with a defined or undefined value */
    uint8_t flags_undef;     /* the part of flags_written that is undefined */
    uint8_t flags_maywrite;  /* written under a condition (shift by cl): old value may stay */
    struct qn_mem mem[3];    /* enter and pusha-like forms give the first ones only */
    int64_t target_rel;  /* direct branches: displacement from the end of the instruction */
    int64_t imm;         /* last immediate, sign-extended as the instruction does */
    uint8_t cond;        /* JCC, CMOV, SETCC: condition code 0..15 (tttn); LOOP: 0 loopne 1 loope 2 loop */
    uint8_t kreg;        /* QN_ATTR_KMASK: 1..7 */
    uint8_t vreg_mask;   /* vmaskmov/AVX2 gather/maskmov: vector register that holds the mask; else 0 */
    /* Where things lie, as offsets from the first byte; 0 = absent (modrm, displacement and immediate never come
     * first).  vex_off counts only if encoding is VEX, EVEX or XOP. */
    uint8_t rex;         /* value of the effective REX prefix (0x40..0x4f), 0 = none; it lies at opcode_off - 1 */
    uint8_t vex_off;     /* first byte of C5, C4, 62, or 8F (XOP) */
    uint8_t opcode_off;  /* first byte of the opcode after prefixes (of the 0F escape if there is one) */
    uint8_t modrm_off;   /* 0 = none */
    uint8_t disp_off;    /* displacement or moffs; 0 = none */
    uint8_t disp_len;    /* 0, 1, 2, 4, 8 */
    uint8_t imm_off;     /* first immediate (branch displacements are immediates here); 0 = none */
    uint8_t imm_len;     /* total bytes of the immediates */
    uint8_t modrm;       /* the ModRM byte if modrm_off */
    uint8_t rep_prefix;  /* last of F2, F3 seen, or 0 */
    uint8_t opsz_prefix; /* 66h seen */
    uint8_t map;         /* opcode map: 0 one byte, 1 0F, 2 0F38, 3 0F3A, 5 and 6 EVEX maps, 8..10 XOP, 15 3DNow! */
    uint8_t opcode;      /* last opcode byte */
    uint8_t encoding;    /* enum qn_encoding */
    uint8_t machine;     /* enum qn_machine that it was decoded for */
    uint8_t reg, rm, vvvv; /* register numbers with their upper bits; rm counts only if it names a register */
    uint8_t vector;      /* vector length in bytes, also of scalars: VEX, EVEX and XOP 16, 32, 64; else 0 */
    uint16_t entry;      /* row of the opcode tables, for the text printer; opaque */
};

enum qn_encoding { QN_ENC_LEGACY, QN_ENC_VEX, QN_ENC_EVEX, QN_ENC_XOP, QN_ENC_3DNOW };

enum qn_decode_status {
    QN_DEC_OK = 0,
    QN_DEC_TRUNCATED, /* more bytes than given would be needed */
    QN_DEC_TOO_LONG,  /* longer than 15 bytes */
    QN_DEC_INVALID    /* no such instruction in this mode */
};

/* Decode one instruction at most `avail` bytes long.  On success fills *insn entirely and returns QN_DEC_OK.
 * Otherwise only insn->len (the number of bytes looked at) and insn->machine (for the printer) are set. */
enum qn_decode_status qn_decode_insn_for(enum qn_machine machine, const uint8_t *bytes, size_t avail,
                                         struct qn_insn *insn);

/* The same for 64-bit mode on Intel's processors. */
enum qn_decode_status qn_decode_insn(const uint8_t *bytes, size_t avail, struct qn_insn *insn);

/* xlat loads al from rbx + al: the only instruction whose index is a part of a register. */
static inline int qn_is_xlat(const struct qn_insn *in)
{
    return in->map == 0 && in->opcode == 0xd7 && in->encoding == QN_ENC_LEGACY;
}

/* A repeated string instruction. */
static inline int qn_is_repeated(const struct qn_insn *in)
{
    return (in->attr & QN_ATTR_STRING) && (in->attr & (QN_ATTR_REP | QN_ATTR_REPNE));
}

/* The target of a direct branch at address pc. */
static inline uint64_t qn_decode_target(const struct qn_insn *insn, uint64_t pc)
{
    uint64_t target = pc + insn->len + (uint64_t)insn->target_rel;

    return insn->attr & QN_ATTR_IP16 ? (uint16_t)target : insn->machine & QN_MACHINE_32 ? (uint32_t)target : target;
}

/* Control and status registers. */
enum qn_state {
    QN_STATE_X87_CONTROL = 1 << 0,
    QN_STATE_X87_STATUS = 1 << 1, /* status word, where the top of the stack is, and tag word */
    QN_STATE_MXCSR = 1 << 2,
    QN_STATE_XCR0 = 1 << 3,
    QN_STATE_PKRU = 1 << 4,
    QN_STATE_GDTR = 1 << 5,
    QN_STATE_IDTR = 1 << 6,
    QN_STATE_LDTR = 1 << 7,
    QN_STATE_TR = 1 << 8
};

/* Registers other than the general ones, as a mask for each kind: bit n = register n. */
enum qn_register_kind {
    QN_KIND_VECTOR,  /* xmm, ymm or zmm 0 to 31 */
    QN_KIND_MASK,    /* k0 to k7 */
    QN_KIND_MMX,     /* they lie in the x87 registers, which are not given besides */
    QN_KIND_X87,     /* st(0) to st(7), numbered as before the instruction: a push writes st(7) */
    QN_KIND_TILE,
    QN_KIND_BOUND,
    QN_KIND_SEGMENT, /* enum qn_seg; only where the register itself is loaded or stored */
    QN_KIND_CONTROL, /* cr0 to cr15 */
    QN_KIND_DEBUG,
    QN_KIND_STATE,   /* bits of enum qn_state instead */
    QN_KIND_COUNT
};
struct qn_registers {
    uint32_t of[QN_KIND_COUNT];
};

/* The registers that an instruction reads and writes besides general registers and flags (struct qn_insn has these).
 * Written in part, or under a condition or a merging mask, counts as read, too; but not that instructions without VEX
 * keep a register's bits above 127.  Every x87 instruction reads control and status word and writes the status word,
 * except those that save or restore a state. */
void qn_decode_registers(const struct qn_insn *insn, struct qn_registers *reads, struct qn_registers *writes);

/* A feature that CPUID reports: bit `bit` of register `reg` (QN_RAX to QN_RDX) after CPUID with this leaf and subleaf.
 * Names are those of Linux's /proc/cpuinfo as far as it has them.  reg = QN_REG_NONE: every processor that has the
 * mode ("x86"). */
struct qn_feature {
    char name[20];
    uint32_t leaf, subleaf;
    uint8_t reg, bit;
};
#define QN_FEATURES_MAX 2

/* The features that a processor must have, all of them, to execute an instruction; returns how many.  Vector
 * instructions need an operating system that has enabled the registers, besides. */
size_t qn_decode_features(const struct qn_insn *insn, const struct qn_feature *list[QN_FEATURES_MAX]);
/* Every feature that some instruction needs; returns how many. */
size_t qn_decode_all_features(const struct qn_feature **list);

enum qn_syntax { QN_SYNTAX_ATT, QN_SYNTAX_INTEL };

/* Print mnemonic and operands as `objdump -d` does, in its AT&T ("mov    %rsp,%rbp") or Intel syntax
 * ("mov    rbp,rsp").  `pc` is the address of the instruction.  Branch targets are printed as bare hex addresses
 * ("call   1139") - the caller appends a symbol if it knows one; RIP-relative operands get objdump's "        #
 * 4010". An instruction that could not be decoded (insn as qn_decode_insn left it) is printed as "(bad)".
 * Returns the length of the text, cut at size-1.  Hosted or freestanding alike. */
size_t qn_decode_print_as(enum qn_syntax syntax, const uint8_t *bytes, const struct qn_insn *insn, uint64_t pc,
                          char *text, size_t size);

/* The same in AT&T syntax. */
size_t qn_decode_print(const uint8_t *bytes, const struct qn_insn *insn, uint64_t pc, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
