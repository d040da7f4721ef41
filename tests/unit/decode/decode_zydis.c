/* tests/unit/decode/decode_zydis.c - the decoder against Zydis, instruction by instruction.
 *
 *   decode_zydis [-v] [-n STRINGS] [-s SEED] ELF...
 *
 * Two questions: does every instruction in the code of the ELF files come out the same, and does every
 * random string?  Compared: accepted or not, length, memory operands (size, access, base, index, scale, disp,
 * segment), general registers read and written, flags read, written, undefined.  Differences that are
 * known and explained are those in known_difference(); all others fail the test.  TAP on stdout, -v lists
 * every unexplained difference.
 * Built only where libzydis is there; Zydis is a test oracle and never part of quern. */
#include <Zydis/Zydis.h>

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"

struct facts {
    unsigned len;
    unsigned reads, writes;
    unsigned flags_read, flags_written, flags_undef, flags_may;
    unsigned n_mem;
    struct qn_mem mem[3];
};

struct totals {
    unsigned long instructions, both_reject, lenient, strict, explained, different;
};

static ZydisDecoder decoder;
static bool verbose;

static unsigned register_number(ZydisRegister reg)
{
    ZydisRegister full = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    ZyanI8 id = ZydisRegisterGetId(full);
    if (reg == ZYDIS_REGISTER_RIP || reg == ZYDIS_REGISTER_EIP)
        return QN_RIP;
    ZydisRegisterClass c = ZydisRegisterGetClass(full);

    return c == ZYDIS_REGCLASS_GPR64 ? (unsigned)id : QN_REG_NONE;
}

static void add_register(struct facts *f, const ZydisDecodedOperand *op)
{
    unsigned n = register_number(op->reg.value);
    bool conditional = op->actions & ZYDIS_OPERAND_ACTION_CONDWRITE;

    if (n > 15)
        return;
    if (op->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
        f->reads |= 1u << n;
    if (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) {
        f->writes |= 1u << n;
        if (op->size < 32 || conditional)
            f->reads |= 1u << n;
    }
}

static void add_memory(struct facts *f, const ZydisDecodedOperand *op, unsigned address_width)
{
    struct qn_mem *m;
    ZydisRegisterClass c = ZydisRegisterGetClass(op->mem.index);

    if (f->n_mem == 3)
        return;
    m = &f->mem[f->n_mem++];
    m->base = register_number(op->mem.base);
    m->index = op->mem.type == ZYDIS_MEMOP_TYPE_VSIB ? (unsigned)ZydisRegisterGetId(op->mem.index)
                                                     : register_number(op->mem.index);
    m->scale = op->mem.scale ? op->mem.scale : 1;
    m->disp = op->mem.disp.has_displacement || op->mem.disp.value ? op->mem.disp.value : 0;
    m->seg = op->mem.segment == ZYDIS_REGISTER_FS   ? QN_SEG_FS
             : op->mem.segment == ZYDIS_REGISTER_GS ? QN_SEG_GS
                                                    : 0;
    m->size = op->size / 8;
    m->addr32 = address_width == 32;
    m->is_modrm = op->encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM;
    m->vsib = c == ZYDIS_REGCLASS_XMM || c == ZYDIS_REGCLASS_YMM || c == ZYDIS_REGCLASS_ZMM;
    if (op->mem.type == ZYDIS_MEMOP_TYPE_MEM || op->mem.type == ZYDIS_MEMOP_TYPE_VSIB) {
        if (op->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
            m->access |= QN_ACC_READ;
        if (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            m->access |= QN_ACC_WRITE;
    }
    if (m->base < 16)
        f->reads |= 1u << m->base;
    if (m->index < 16 && op->mem.type != ZYDIS_MEMOP_TYPE_VSIB)
        f->reads |= 1u << m->index;
}

static unsigned flag_mask(ZydisAccessedFlagsMask z)
{
    return (z & ZYDIS_CPUFLAG_CF ? QN_CF : 0) | (z & ZYDIS_CPUFLAG_PF ? QN_PF : 0) |
           (z & ZYDIS_CPUFLAG_AF ? QN_AF : 0) | (z & ZYDIS_CPUFLAG_ZF ? QN_ZF : 0) |
           (z & ZYDIS_CPUFLAG_SF ? QN_SF : 0) | (z & ZYDIS_CPUFLAG_OF ? QN_OF : 0) |
           (z & ZYDIS_CPUFLAG_DF ? QN_DF : 0);
}

static void facts_of_zydis(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *ops,
                           struct facts *f)
{
    memset(f, 0, sizeof *f);
    f->len = insn->length;
    for (unsigned i = 0; i < insn->operand_count; i++) {
        if (ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER)
            add_register(f, &ops[i]);
        else if (ops[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
            add_memory(f, &ops[i], insn->address_width);
    }
    if (insn->cpu_flags) {
        f->flags_read = flag_mask(insn->cpu_flags->tested);
        f->flags_undef = flag_mask(insn->cpu_flags->undefined);
        f->flags_written =
            flag_mask(insn->cpu_flags->modified | insn->cpu_flags->set_0 | insn->cpu_flags->set_1) |
            f->flags_undef;
    }
}

static void facts_of_quern(const struct qn_insn *insn, struct facts *f)
{
    memset(f, 0, sizeof *f);
    f->len = insn->len;
    f->reads = insn->reads;
    f->writes = insn->writes;
    f->flags_read = insn->flags_read;
    f->flags_written = insn->flags_written | insn->flags_maywrite;
    f->flags_undef = insn->flags_undef;
    f->flags_may = insn->flags_maywrite;
    f->n_mem = insn->n_mem;
    memcpy(f->mem, insn->mem, sizeof f->mem);
}

/* Memory that is only named (lea, nop, prefetch): Zydis calls it a read or gives another size.  Sizes of
 * gathers: Zydis gives one element; of xsave: the legacy area. */
static bool same_memory(const struct qn_mem *q, const struct qn_mem *z)
{
    if (q->access && q->access != z->access)
        return false;
    if (q->access && q->size && !q->vsib && q->size != z->size)
        return false;
    if (q->base != z->base || q->is_modrm != z->is_modrm)
        return false;
    return !q->is_modrm || (q->index == z->index && q->disp == z->disp && q->seg == z->seg &&
                            q->scale == z->scale && q->addr32 == z->addr32 && !q->vsib == !z->vsib);
}

/* What differs, as a word for the report; NULL = nothing. */
static const char *difference(const struct facts *q, const struct facts *z)
{
    if (q->len != z->len)
        return "length";
    if (q->n_mem != z->n_mem)
        return "number of memory operands";
    for (unsigned i = 0; i < q->n_mem; i++) {
        bool found = false;
        for (unsigned k = 0; k < z->n_mem; k++)
            found = found || same_memory(&q->mem[i], &z->mem[k]);
        if (!found)
            return "memory operand";
    }
    if (q->reads != z->reads)
        return "registers read";
    if (q->writes != z->writes)
        return "registers written";
    if (q->flags_read != z->flags_read)
        return "flags read";
    if (q->flags_written != z->flags_written)
        return "flags written";
    if (!q->flags_may && q->flags_undef != z->flags_undef) /* what may stay cannot be called undefined */
        return "flags undefined";
    return NULL;
}

/* Shifts and rotates by an immediate: we look at the count (0: no flag changes, 1: OF is defined). */
static bool counts_shift(const struct qn_insn *q)
{
    return q->encoding == QN_ENC_LEGACY &&
           ((q->map == 0 && ((q->opcode & 0xfe) == 0xc0 || (q->opcode & 0xfe) == 0xd0)) ||
            (q->map == 1 && (q->opcode & 0xf7) == 0xa4));
}

/* What Zydis 4.0 has otherwise for one mnemonic, and why we do not follow. */
static const struct {
    ZydisMnemonic mnemonic;
    const char *what;
} known[] = {
#define K(name, what)                                                                                      \
    {                                                                                                      \
        ZYDIS_MNEMONIC_##name, what                                                                        \
    }
    /* Zydis: AF undefined (SBB), all undefined (BEXTR).  SDM: by the result; only AF SF PF undefined. */
    K(SBB, "flags undefined"),
    K(BEXTR, "flags undefined"),
    /* Zydis: only ZF and CF.  SDM: the other status flags are cleared. */
    K(VPTEST, "flags written"),
    K(VTESTPS, "flags written"),
    K(VTESTPD, "flags written"),
    K(RSTORSSP, "flags written"),
    K(MCOMMIT, "flags written"),
    K(RDPRU, "flags written"),
    K(TESTUI, "flags written"),
    /* source 0 keeps the destination, so it is read */
    K(BSF, "registers read"),
    K(BSR, "registers read"),
    /* no-ops where shadow stacks are off: the destination keeps its value */
    K(RDSSPD, "registers read"),
    K(RDSSPQ, "registers read"),
    /* rsp is set from rbp, not read */
    K(LEAVE, "registers read"),
    /* registers are only named */
    K(NOP, "registers read"),
    K(UD0, "registers read"),
    K(UD1, "registers read"),
    K(BNDCN, "registers read"),
    K(BNDCL, "registers read"),
    K(BNDCU, "registers read"),
    /* F3 with REX.B on 90: Zydis and objdump say pause; the processor (Zen 5) exchanges r8 and rax */
    K(PAUSE, "registers read"),
    /* APM: the first operand is a source, and ecx, ebx are read */
    K(LWPINS, "registers read"),
    K(LWPVAL, "registers read"),
    K(LWPINS, "registers written"),
    K(LWPVAL, "registers written"),
    K(LLWPCB, "registers read"),
    K(LLWPCB, "registers written"),
    K(MWAITX, "registers read"),
    K(VMFUNC, "registers read"),
    K(ENCLU, "registers written"),
    K(ENCLU, "flags written"),
    /* MPX, which no processor has any more: no-ops that only name memory */
    K(BNDLDX, "memory operand"),
    K(BNDSTX, "memory operand"),
    K(BNDMK, "memory operand"),
    K(BNDMOV, "memory operand"),
    K(BNDCL, "memory operand"),
    K(BNDCU, "memory operand"),
    K(BNDCN, "memory operand"),
    /* r11 or the handler's stack frame takes the flags */
    K(SYSCALL, "flags read"),
    K(SYSENTER, "flags read"),
    K(INT, "flags read"),
    K(INT1, "flags read"),
    K(INT3, "flags read"),
    /* 64 bytes are written */
    K(ENQCMD, "number of memory operands"),
    K(ENQCMDS, "number of memory operands"),
    K(CLZERO, "number of memory operands"),
#undef K
};

/* With 67h Zydis takes r13 for the base although ModRM.mod = 0 and SIB.base = 5 mean that there is none. */
static bool has_no_base(const struct qn_insn *q)
{
    for (unsigned i = 0; i < q->n_mem; i++)
        if (q->mem[i].is_modrm && q->mem[i].addr32 && q->mem[i].base == QN_REG_NONE)
            return true;
    return false;
}

/* Differences that are understood. */
static bool known_difference(const struct qn_insn *q, const ZydisDecodedInstruction *z, const char *what)
{
    bool flags = !strncmp(what, "flags", 5);

    if (q->attr & QN_ATTR_PRIV)
        return strcmp(what, "length"); /* never executed by a user program */
    /* xsave: Zydis has the header as read, too; we count one write.  pop 8(%rsp): Zydis gives the
     * displacement as encoded */
    if (!strcmp(what, "memory operand") &&
        (has_no_base(q) || (q->attr & QN_ATTR_XSAVE) || z->mnemonic == ZYDIS_MNEMONIC_POP))
        return true;
    /* shifts by an immediate: we look at the count (0: no flag changes, 1: OF is defined) */
    if (flags && counts_shift(q) && (!strcmp(what, "flags undefined") || q->flags_written == 0))
        return true;
    /* Zydis forgets that rsi and rdi of cmps, scas, ins, outs move on */
    if (!strcmp(what, "registers written") && (q->attr & QN_ATTR_STRING))
        return true;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].mnemonic == z->mnemonic && !strcmp(what, known[i].what))
            return true;
    return false;
}

/* Instructions of Knights Corner, VIA and TDX modules that Zydis knows and we do not. */
static bool foreign_instruction(const ZydisDecodedInstruction *z)
{
    switch (z->meta.isa_set) {
    case ZYDIS_ISA_SET_KNCE:
    case ZYDIS_ISA_SET_KNCJKBR:
    case ZYDIS_ISA_SET_KNCSTREAM:
    case ZYDIS_ISA_SET_KNCV:
    case ZYDIS_ISA_SET_KNC_MISC:
    case ZYDIS_ISA_SET_KNC_PF_HINT:
        return true;
    default:
        return z->meta.isa_ext == ZYDIS_ISA_EXT_PADLOCK || z->mnemonic == ZYDIS_MNEMONIC_SEAMCALL ||
               z->mnemonic == ZYDIS_MNEMONIC_SEAMOPS || z->mnemonic == ZYDIS_MNEMONIC_SEAMRET ||
               z->mnemonic == ZYDIS_MNEMONIC_TDCALL;
    }
}

static void print_facts(const char *name, const struct facts *f)
{
    printf("#   %s: len %u reads %04x writes %04x flags r %02x w %02x u %02x", name, f->len, f->reads,
           f->writes, f->flags_read, f->flags_written, f->flags_undef);
    for (unsigned i = 0; i < f->n_mem; i++)
        printf(" [base %u index %u*%u disp %lld size %u acc %u seg %u m%u]", f->mem[i].base,
               f->mem[i].index, f->mem[i].scale, (long long)f->mem[i].disp, f->mem[i].size,
               f->mem[i].access, f->mem[i].seg, f->mem[i].is_modrm);
    putchar('\n');
}

static void report(const uint8_t *bytes, unsigned n, const char *mnemonic, const char *what)
{
    printf("# DIFF %s: %s:", mnemonic, what);
    for (unsigned i = 0; i < n; i++)
        printf(" %02x", bytes[i]);
    putchar('\n');
}

/* Compare one instruction; returns the bytes to go on by. */
static unsigned compare(const uint8_t *bytes, size_t avail, struct totals *t)
{
    ZydisDecodedInstruction zi;
    ZydisDecodedOperand zo[ZYDIS_MAX_OPERAND_COUNT];
    struct qn_insn qi;
    struct facts zf, qf;
    const char *what;
    bool zok = ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, avail, &zi, zo));
    bool qok = qn_decode_insn(bytes, avail, &qi) == QN_DEC_OK;

    t->instructions++;
    if (zok && foreign_instruction(&zi)) {
        t->explained++;
        return zi.length;
    }
    if (!zok || !qok) {
        t->both_reject += !zok && !qok;
        t->lenient += qok && !zok;
        t->strict += zok && !qok;
        if (verbose && zok != qok)
            report(bytes, zok ? zi.length : qi.len, zok ? ZydisMnemonicGetString(zi.mnemonic) : "?",
                   zok ? "strict" : "lenient");
        return zok ? zi.length : 1;
    }
    facts_of_zydis(&zi, zo, &zf);
    facts_of_quern(&qi, &qf);
    what = difference(&qf, &zf);
    if (what && known_difference(&qi, &zi, what)) {
        t->explained++;
    } else if (what) {
        t->different++;
        if (verbose) {
            report(bytes, zi.length, ZydisMnemonicGetString(zi.mnemonic), what);
            print_facts("quern", &qf);
            print_facts("zydis", &zf);
        }
    }
    return zi.length;
}

static uint8_t *read_file(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    uint8_t *data = NULL;

    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        *size = ftell(file);
        rewind(file);
        data = malloc(*size + 1);
        if (data && fread(data, 1, *size, file) != *size) {
            free(data);
            data = NULL;
        }
    }
    fclose(file);
    return data;
}

static int compare_file(const char *name, struct totals *t)
{
    size_t size;
    uint8_t *data = read_file(name, &size);
    const Elf64_Ehdr *eh = (const void *)data;

    if (!data)
        return -1;
    for (unsigned i = 0; i < eh->e_shnum; i++) {
        const Elf64_Shdr *sh = (const void *)(data + eh->e_shoff + (size_t)i * eh->e_shentsize);
        size_t at = 0;
        if (!(sh->sh_flags & SHF_EXECINSTR) || sh->sh_type != SHT_PROGBITS)
            continue;
        while (at < sh->sh_size)
            at += compare(data + sh->sh_offset + at, sh->sh_size - at, t);
    }
    free(data);
    return 0;
}

static uint64_t random_state;
static unsigned random_byte(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return random_state >> 56;
}

/* A random string, more often than not with an escape or a vector prefix in front. */
static void random_string(uint8_t *s)
{
    static const uint8_t legacy[] = {0x66, 0xf2, 0xf3, 0x67, 0x64, 0x65,
                                     0xf0, 0x2e, 0x48, 0x41, 0x4f, 0x40};
    unsigned n = 0;

    for (unsigned i = 0; i < QN_INSN_MAX_LEN; i++)
        s[i] = random_byte();
    for (unsigned k = random_byte() & 3; k && n < 3; k--)
        s[n++] = legacy[random_byte() % sizeof legacy];
    switch (random_byte() % 8) {
    case 0:
        break;
    case 1:
        s[n] = 0x0f;
        break;
    case 2:
        s[n] = 0x0f;
        s[n + 1] = random_byte() & 1 ? 0x38 : 0x3a;
        break;
    case 3:
        s[0] = 0xc5;
        break;
    case 4:
        s[0] = 0xc4;
        s[1] = (s[1] & 0xe0) | (1 + random_byte() % 3);
        break;
    case 5:
        s[0] = 0x8f;
        s[1] = (s[1] & 0xe0) | (8 + random_byte() % 3);
        break;
    default:
        s[0] = 0x62;
        s[1] = (s[1] & 0xf0) | (1 + random_byte() % 6);
        s[2] |= 4;
        if (random_byte() & 1)
            s[2] |= 0x78, s[3] |= 8;
        break;
    }
}

static void compare_random(unsigned long count, struct totals *t)
{
    uint8_t s[QN_INSN_MAX_LEN];

    for (unsigned long i = 0; i < count; i++) {
        random_string(s);
        compare(s, sizeof s, t);
    }
}

static bool conclude(unsigned number, const char *name, const struct totals *t)
{
    bool good = t->different == 0 && t->strict == 0;

    printf("# %s: %lu instructions, %lu different, %lu explained, %lu only we reject, %lu only Zydis "
           "rejects, %lu both\n",
           name, t->instructions, t->different, t->explained, t->strict, t->lenient, t->both_reject);
    printf("%s %u - agrees with Zydis: %s\n", good ? "ok" : "not ok", number, name);
    return good;
}

int main(int argc, char **argv)
{
    unsigned long strings = 200000;
    unsigned number = 0;
    bool good = true;
    int first = 1;

    random_state = 1;
    for (; first < argc && argv[first][0] == '-'; first++) {
        if (argv[first][1] == 'v')
            verbose = true;
        else if (argv[first][1] == 'n' && first + 1 < argc)
            strings = strtoul(argv[++first], NULL, 0);
        else if (argv[first][1] == 's' && first + 1 < argc)
            random_state = strtoul(argv[++first], NULL, 0);
    }
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_KNC, ZYAN_FALSE);
    ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_AMD_BRANCHES, ZYAN_FALSE);
    printf("1..%d\n", argc - first + 1);
    for (int i = first; i < argc; i++) {
        struct totals t = {0};
        number++;
        if (compare_file(argv[i], &t))
            printf("ok %u - agrees with Zydis: %s # SKIP cannot be read\n", number, argv[i]);
        else
            good = conclude(number, argv[i], &t) && good;
    }
    struct totals t = {0};
    compare_random(strings, &t);
    good = conclude(number + 1, "random strings", &t) && good;
    return good ? 0 : 1;
}
