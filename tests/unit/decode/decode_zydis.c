/* tests/unit/decode/decode_zydis.c - the decoder against Zydis, instruction by instruction.
 *
 *   decode_zydis [-v] [-m 64|32] [-c intel|amd] [-n STRINGS] [-t SYSTEMATIC] [-s SEED] [ELF...]
 *
 * Question for each mode and vendor: are the facts of every instruction in the code of the ELF files, and at the
 * start of every string, the same?  Compared: accepted or not, length, memory operands (size, access, base, index,
 * scale, displacement, segment), registers read and written (general and other), flags read, written, undefined, class of branch and its
 * target, privilege, CPUID features.  A difference must be a row of zydis-differences.inc, where each is adjudicated; all others fail
 * the test, and so does a row that its own example does not show.  -v lists the differences.  -t: so many systematic
 * strings, evenly spread (0 = all there are, default few).
 * Built only where libzydis is there; Zydis is a test oracle and never part of quern. */
#define _GNU_SOURCE /* FNM_EXTMATCH */
#include <Zydis/Zydis.h>

#include <fnmatch.h>

#include "input.h"
#include "zydis_features.h"
#include "zydis_registers.h"

struct facts {
    bool accepted;
    unsigned len;
    unsigned reads, writes;
    struct qn_registers other_reads, other_writes;
    unsigned flags_read, flags_written, flags_undef, flags_may;
    unsigned n_mem;
    struct qn_mem mem[3];
    const char *branch;
    uint64_t target;
    bool privileged;
    char features[48];
    bool wrong_base; /* see add_memory */
};

struct totals {
    unsigned long same, both_reject, explained, different;
};

static ZydisDecoder decoder;
static enum qn_machine machine;
static bool verbose;

/* ---- facts of Zydis ---- */

static unsigned register_number(ZydisRegister reg)
{
    ZydisRegisterClass class = ZydisRegisterGetClass(reg);
    ZydisRegister full = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

    if (reg == ZYDIS_REGISTER_RIP || reg == ZYDIS_REGISTER_EIP)
        return QN_RIP;
    if (class != ZYDIS_REGCLASS_GPR8 && class != ZYDIS_REGCLASS_GPR16 && class != ZYDIS_REGCLASS_GPR32 &&
        class != ZYDIS_REGCLASS_GPR64)
        return QN_REG_NONE;
    return (unsigned)ZydisRegisterGetId(full);
}

static void add_register(struct facts *f, const ZydisDecodedOperand *op)
{
    unsigned n = register_number(op->reg.value);
    bool conditional = op->actions & ZYDIS_OPERAND_ACTION_CONDWRITE;

    if (n > 15) {
        add_other_register(op, &f->other_reads, &f->other_writes);
        return;
    }
    if (op->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
        f->reads |= 1u << n;
    if (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) {
        f->writes |= 1u << n;
        if (op->size < 32 || conditional)
            f->reads |= 1u << n;
    }
}

static unsigned segment_number(ZydisRegister segment)
{
    static const uint8_t of_32[] = {QN_SEG_ES, QN_SEG_CS, QN_SEG_SS, QN_SEG_DS, QN_SEG_FS, QN_SEG_GS};
    unsigned n = segment - ZYDIS_REGISTER_ES;

    if (segment == ZYDIS_REGISTER_NONE)
        return QN_SEG_NONE;
    return machine & QN_MACHINE_32 || n >= 4 ? of_32[n] : QN_SEG_NONE;
}

/* no_base: ModRM.mod = 0 and SIB.base = 5, which with REX.B and 67h Zydis 4.0 takes for r13 (SDM vol. 2, table 2-3,
 * note 1: there is no base); counted as a difference of its own, "SIB without base". */
static void add_memory(struct facts *f, const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *op,
                       bool no_base)
{
    struct qn_mem *m;
    ZydisRegisterClass c = ZydisRegisterGetClass(op->mem.index);
    bool touches = op->mem.type == ZYDIS_MEMOP_TYPE_MEM || op->mem.type == ZYDIS_MEMOP_TYPE_VSIB;

    if (f->n_mem == 3)
        return;
    m = &f->mem[f->n_mem++];
    m->vsib = c == ZYDIS_REGCLASS_XMM || c == ZYDIS_REGCLASS_YMM || c == ZYDIS_REGCLASS_ZMM;
    m->base = register_number(op->mem.base);
    m->index = m->vsib ? (unsigned)ZydisRegisterGetId(op->mem.index) : register_number(op->mem.index);
    m->scale = op->mem.scale ? op->mem.scale : 1;
    m->disp = op->mem.disp.has_displacement || op->mem.disp.value ? op->mem.disp.value : 0;
    m->seg = segment_number(op->mem.segment);
    m->size = op->size / 8;
    m->addr32 = insn->address_width == 32;
    m->addr16 = insn->address_width == 16;
    m->is_modrm = op->encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM;
    if (no_base && m->is_modrm && m->base == QN_R13) {
        m->base = QN_REG_NONE;
        m->disp = insn->raw.disp.value;
        f->wrong_base = true;
    }
    if (touches && (op->actions & ZYDIS_OPERAND_ACTION_MASK_READ))
        m->access |= QN_ACC_READ;
    if (touches && (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
        m->access |= QN_ACC_WRITE;
    if (m->base < 16)
        f->reads |= 1u << m->base;
    if (m->index < 16 && !m->vsib)
        f->reads |= 1u << m->index;
    if (m->vsib)
        f->other_reads.of[QN_KIND_VECTOR] |= 1u << m->index;
}

static unsigned flag_mask(ZydisAccessedFlagsMask z)
{
    return (z & ZYDIS_CPUFLAG_CF ? QN_CF : 0) | (z & ZYDIS_CPUFLAG_PF ? QN_PF : 0) |
           (z & ZYDIS_CPUFLAG_AF ? QN_AF : 0) | (z & ZYDIS_CPUFLAG_ZF ? QN_ZF : 0) |
           (z & ZYDIS_CPUFLAG_SF ? QN_SF : 0) | (z & ZYDIS_CPUFLAG_OF ? QN_OF : 0) |
           (z & ZYDIS_CPUFLAG_DF ? QN_DF : 0);
}

static const char *branch_of_zydis(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *ops)
{
    bool direct = insn->operand_count && ops[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && ops[0].imm.is_relative;

    if (insn->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR || insn->mnemonic == ZYDIS_MNEMONIC_IRET ||
        insn->mnemonic == ZYDIS_MNEMONIC_IRETD || insn->mnemonic == ZYDIS_MNEMONIC_IRETQ)
        return "far";
    switch (insn->meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
        return "conditional";
    case ZYDIS_CATEGORY_UNCOND_BR:
        return direct ? "jump" : "indirect jump";
    case ZYDIS_CATEGORY_CALL:
        return direct ? "call" : "indirect call";
    case ZYDIS_CATEGORY_RET:
        return "return";
    case ZYDIS_CATEGORY_SYSCALL:
        return "system call";
    case ZYDIS_CATEGORY_INTERRUPT:
        return "interrupt";
    default:
        return "";
    }
}

static void facts_of_zydis(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *ops, struct facts *f)
{
    bool no_base = insn->raw.modrm.mod == 0 && insn->raw.modrm.rm == 4 && insn->raw.sib.base == 5;

    f->accepted = true;
    f->len = insn->length;
    for (unsigned i = 0; i < insn->operand_count; i++) {
        if (ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER)
            add_register(f, &ops[i]);
        else if (ops[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
            add_memory(f, insn, &ops[i], no_base);
    }
    if (insn->cpu_flags) {
        f->flags_read = flag_mask(insn->cpu_flags->tested);
        f->flags_undef = flag_mask(insn->cpu_flags->undefined);
        f->flags_written =
            flag_mask(insn->cpu_flags->modified | insn->cpu_flags->set_0 | insn->cpu_flags->set_1) |
            f->flags_undef;
    }
    number_as_before(insn, &f->other_writes);
    f->branch = branch_of_zydis(insn, ops);
    if (insn->operand_count && ops[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && ops[0].imm.is_relative)
        ZydisCalcAbsoluteAddress(insn, &ops[0], 0, &f->target);
    if (machine & QN_MACHINE_32)
        f->target = (uint32_t)f->target; /* it adds as if addresses had 64 bits */
    f->privileged = insn->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED;
    features_of_zydis(insn, f->features);
}

/* ---- facts of quern ---- */

static const char *branch_of_quern(const struct qn_insn *insn)
{
    static const char *const names[] = {
        [QN_CLS_OTHER] = "",          [QN_CLS_JCC] = "conditional",   [QN_CLS_LOOP] = "conditional",
        [QN_CLS_JRCXZ] = "conditional", [QN_CLS_JMP] = "jump",        [QN_CLS_JMP_IND] = "indirect jump",
        [QN_CLS_CALL] = "call",       [QN_CLS_CALL_IND] = "indirect call", [QN_CLS_RET] = "return",
        [QN_CLS_SYSCALL] = "system call", [QN_CLS_SYSENTER] = "system call", [QN_CLS_INT] = "interrupt",
        [QN_CLS_INT3] = "interrupt",  [QN_CLS_UD] = "",               [QN_CLS_FAR] = "far",
        [QN_CLS_XBEGIN] = "conditional", [QN_CLS_HLT] = ""};

    return names[insn->cls];
}

static void features_of_quern(const struct qn_insn *insn, char *text)
{
    const struct qn_feature *list[QN_FEATURES_MAX];
    size_t n = qn_decode_features(insn, list);

    for (size_t i = 0; i < n; i++)
        text += sprintf(text, "%s%s", i ? " " : "", list[i]->name);
}

static void facts_of_quern(const struct qn_insn *insn, struct facts *f)
{
    f->accepted = !(insn->attr & QN_ATTR_UD);
    f->len = insn->len;
    f->reads = insn->reads;
    f->writes = insn->writes;
    qn_decode_registers(insn, &f->other_reads, &f->other_writes);
    f->flags_read = insn->flags_read;
    f->flags_written = insn->flags_written | insn->flags_maywrite;
    f->flags_undef = insn->flags_undef;
    f->flags_may = insn->flags_maywrite;
    f->n_mem = insn->n_mem;
    memcpy(f->mem, insn->mem, sizeof f->mem);
    f->branch = branch_of_quern(insn);
    if (insn->target_rel || insn->cls == QN_CLS_JMP || insn->cls == QN_CLS_CALL || !strcmp(f->branch, "conditional"))
        f->target = qn_decode_target(insn, 0);
    f->privileged = insn->attr & QN_ATTR_PRIV;
    features_of_quern(insn, f->features);
}

/* ---- comparison ---- */

/* Memory that is only named (lea, nop, prefetch): Zydis calls it a read or gives another size.  Sizes of gathers:
 * Zydis gives one element. */
static bool same_memory(const struct qn_mem *q, const struct qn_mem *z)
{
    if (q->access && q->access != z->access)
        return false;
    if (q->access && q->size && !q->vsib && q->size != z->size)
        return false;
    if (q->base != z->base || q->is_modrm != z->is_modrm || (q->access && q->seg != z->seg))
        return false;
    return !q->is_modrm || (q->index == z->index && q->disp == z->disp && q->scale == z->scale &&
                            q->addr32 == z->addr32 && q->addr16 == z->addr16 && !q->vsib == !z->vsib);
}

static bool same_memories(const struct facts *q, const struct facts *z)
{
    for (unsigned i = 0; i < q->n_mem; i++) {
        bool found = false;
        for (unsigned k = 0; k < z->n_mem; k++)
            found = found || same_memory(&q->mem[i], &z->mem[k]);
        if (!found)
            return false;
    }
    return true;
}

/* What differs first after place *at of the list, as a word for the report; NULL = nothing more. */
static const char *difference(const struct facts *q, const struct facts *z, unsigned *at)
{
    const struct {
        bool same;
        const char *what;
    } list[] = {
        {q->accepted == z->accepted, z->accepted ? "only Zydis" : "only quern"},
        {!q->accepted || q->len == z->len, "length"},
        {q->n_mem == z->n_mem, "number of memory operands"},
        {!z->wrong_base, "SIB without base"},
        {q->n_mem != z->n_mem || same_memories(q, z), "memory operand"},
        {q->reads == z->reads, "registers read"},
        {q->writes == z->writes, "registers written"},
        {same_registers(&q->other_reads, &z->other_reads), "other registers read"},
        {same_registers(&q->other_writes, &z->other_writes), "other registers written"},
        {q->flags_read == z->flags_read, "flags read"},
        {q->flags_written == z->flags_written, "flags written"},
        {q->flags_may || q->flags_undef == z->flags_undef, "flags undefined"}, /* what may stay cannot be undefined */
        {!strcmp(q->branch, z->branch), "branch"},
        {q->target == z->target, "target"},
        {q->privileged == z->privileged, "privilege"},
        {!strcmp(q->features, z->features), "features"},
    };

    for (; *at < sizeof list / sizeof *list; ++*at) {
        if (*at && (!q->accepted || !z->accepted))
            return NULL;
        if (!list[*at].same)
            return list[(*at)++].what;
    }
    return NULL;
}

enum { IN_64 = 1, IN_32 = 2, ON_INTEL = 4, ON_AMD = 8 };

struct known {
    unsigned where;     /* modes and vendors; none of a group = all */
    const char *name;   /* Zydis's mnemonic, or where it rejects the bytes quern's text; as a pattern of fnmatch(3) */
    const char *bytes;  /* in hexadecimal, as a pattern */
    const char *what;   /* as difference() says */
    const char *example;
    const char *verdict;
};
static const struct known known[] = {
#define Z(where, name, bytes, what, example, verdict) {where, name, bytes, what, example, verdict},
#include "zydis-differences.inc"
#undef Z
};
#define KNOWN (sizeof known / sizeof *known)
static unsigned long seen[KNOWN];

static bool applies(unsigned where)
{
    unsigned bits = (machine & QN_MACHINE_32 ? IN_32 : IN_64) | (machine & QN_MACHINE_AMD ? ON_AMD : ON_INTEL);

    return (!(where & 3) || (where & bits & 3)) && (!(where & 12) || (where & bits & 12));
}

static bool adjudicated(const char *name, const char *hex, const char *what)
{
    for (size_t i = 0; i < KNOWN; i++)
        if (applies(known[i].where) && !strcmp(known[i].what, what) &&
            fnmatch(known[i].name, name, FNM_EXTMATCH) == 0 && fnmatch(known[i].bytes, hex, FNM_EXTMATCH) == 0) {
            seen[i]++;
            return true;
        }
    return false;
}

static void print_facts(const char *name, const struct facts *f)
{
    printf("#   %s: %s len %u reads %04x writes %04x flags r %02x w %02x u %02x %s %llx%s %s", name,
           f->accepted ? "" : "rejected", f->len, f->reads, f->writes, f->flags_read, f->flags_written, f->flags_undef,
           f->branch, (unsigned long long)f->target, f->privileged ? " privileged" : "", f->features);
    for (unsigned i = 0; i < f->n_mem; i++)
        printf(" [base %u index %u*%u disp %lld size %u acc %u seg %u m%u]", f->mem[i].base,
               f->mem[i].index, f->mem[i].scale, (long long)f->mem[i].disp, f->mem[i].size,
               f->mem[i].access, f->mem[i].seg, f->mem[i].is_modrm);
    print_registers(" other reads", &f->other_reads);
    print_registers(" other writes", &f->other_writes);
    putchar('\n');
}

static void report(const char *name, const char *hex, const char *what, const struct facts *q, const struct facts *z)
{
    printf("# DIFF %s: %s: %s\n", name, what, hex);
    print_facts("quern", q);
    print_facts("zydis", z);
}

/* Compare one instruction; returns the bytes to go on by. */
static unsigned compare(const uint8_t *bytes, size_t avail, struct totals *t)
{
    ZydisDecodedInstruction zi;
    ZydisDecodedOperand zo[ZYDIS_MAX_OPERAND_COUNT];
    struct qn_insn qi;
    struct facts z = {.branch = ""}, q = {.branch = ""};
    char text[256] = "", hex[2 * QN_INSN_MAX_LEN + 1] = "";
    const char *name = text, *what;
    unsigned at = 0;
    bool explained = false, different = false;

    if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, avail, &zi, zo)))
        facts_of_zydis(&zi, zo, &z);
    if (qn_decode_insn_for(machine, bytes, avail, &qi) == QN_DEC_OK)
        facts_of_quern(&qi, &q);
    if (!q.accepted && !z.accepted) {
        t->both_reject++;
        return 1;
    }
    while ((what = difference(&q, &z, &at))) {
        if (z.accepted)
            name = ZydisMnemonicGetString(zi.mnemonic);
        else
            qn_decode_print(bytes, &qi, 0, text, sizeof text);
        for (unsigned i = 0; i < (z.len > q.len ? z.len : q.len); i++)
            sprintf(hex + 2 * i, "%02x", bytes[i]);
        if (adjudicated(name, hex, what)) {
            explained = true;
            continue;
        }
        if (verbose || (!different && t->different < 3))
            report(name, hex, what, &q, &z);
        different = true;
    }
    t->different += different;
    t->explained += explained && !different;
    t->same += !explained && !different;
    return z.accepted ? z.len : q.len;
}

static void compare_code(const uint8_t *bytes, size_t size, uint64_t address, void *data)
{
    (void)address;
    for (size_t at = 0; at < size;)
        at += compare(bytes + at, size - at, data);
}

static void compare_random(unsigned long count, struct totals *t)
{
    uint8_t s[QN_INSN_MAX_LEN];

    for (unsigned long i = 0; i < count; i++) {
        random_string(machine, s);
        compare(s, sizeof s, t);
    }
}

/* An odd step, so that all opcodes and ModRM bytes take part. */
static void compare_systematic(unsigned long count, struct totals *t)
{
    uint8_t s[QN_INSN_MAX_LEN];
    unsigned long step = count && count < SYSTEMATIC ? SYSTEMATIC / count | 1 : 1;

    for (unsigned long n = 0; n < SYSTEMATIC; n += step) {
        systematic_string(n, machine, s);
        compare(s, sizeof s, t);
    }
}

static unsigned points;

static bool conclude(const char *name, const struct totals *t)
{
    printf("# %lu the same, %lu adjudicated, %lu different, %lu rejected by both\n", t->same, t->explained,
           t->different, t->both_reject);
    printf("%s %u - %s-bit mode, %s CPU, as Zydis: %s\n", t->different ? "not ok" : "ok", ++points,
           machine & QN_MACHINE_32 ? "32" : "64", machine & QN_MACHINE_AMD ? "AMD" : "Intel", name);
    return t->different == 0;
}

static void prepare(enum qn_machine m)
{
    machine = m;
    if (m & QN_MACHINE_32)
        ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32);
    else
        ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_KNC, ZYAN_FALSE);
    ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_AMD_BRANCHES, m & QN_MACHINE_AMD ? ZYAN_TRUE : ZYAN_FALSE);
}

/* Every row's own example must show the difference that it adjudicates. */
static bool check_examples(void)
{
    bool good = true;

    for (size_t i = 0; i < KNOWN; i++) {
        uint8_t bytes[QN_INSN_MAX_LEN] = {0};
        const char *hex = known[i].example;
        struct totals t = {0};
        unsigned value;

        for (unsigned n = 0; n < sizeof bytes && sscanf(hex, "%2x", &value) == 1; hex += 2)
            bytes[n++] = value;
        prepare((known[i].where & IN_32 ? QN_MACHINE_32 : 0) | (known[i].where & ON_AMD ? QN_MACHINE_AMD : 0));
        seen[i] = 0;
        compare(bytes, sizeof bytes, &t);
        if (!seen[i] || t.different) {
            good = false;
            printf("# row %zu (%s, %s: %s) is not shown by its example\n", i + 1, known[i].name, known[i].what,
                   known[i].example);
        }
    }
    printf("%s %u - each adjudicated difference is there\n", good ? "ok" : "not ok", ++points);
    return good;
}

struct options {
    unsigned long strings, systematic;
    uint64_t seed;
    unsigned where;
    int first_file, argc;
    char **argv;
};

static bool run(const struct options *o)
{
    struct totals random = {0}, systematic = {0};
    bool good = true;

    for (int i = o->first_file; i < o->argc; i++) {
        struct totals t = {0};
        if (each_code(o->argv[i], machine & QN_MACHINE_32 ? ELFCLASS32 : ELFCLASS64, compare_code, &t))
            good = conclude(o->argv[i], &t) && good;
    }
    random_state = o->seed;
    compare_random(o->strings, &random);
    good = conclude("random strings", &random) && good;
    compare_systematic(o->systematic, &systematic);
    return conclude("systematic strings", &systematic) && good;
}

static struct options parse(int argc, char **argv)
{
    struct options o = {
        .strings = 200000, .systematic = 200000, .seed = 1, .first_file = 1, .argc = argc, .argv = argv};

    for (; o.first_file < argc && argv[o.first_file][0] == '-'; o.first_file++) {
        char option = argv[o.first_file][1];
        const char *value;
        if (option == 'v') {
            verbose = true;
            continue;
        }
        value = ++o.first_file < argc ? argv[o.first_file] : "";
        if (option == 'n')
            o.strings = strtoul(value, NULL, 0);
        else if (option == 't')
            o.systematic = strtoul(value, NULL, 0);
        else if (option == 's')
            o.seed = strtoul(value, NULL, 0);
        else if (option == 'm')
            o.where |= *value == '3' ? IN_32 : IN_64;
        else if (option == 'c')
            o.where |= *value == 'a' ? ON_AMD : ON_INTEL;
    }
    return o;
}

int main(int argc, char **argv)
{
    struct options o = parse(argc, argv);
    bool good = check_examples();

    for (unsigned i = 0; i < 4; i++) {
        prepare((i & 1 ? QN_MACHINE_32 : 0) | (i & 2 ? QN_MACHINE_AMD : 0));
        if (applies(o.where))
            good = run(&o) && good;
    }
    printf("1..%u\n", points);
    return good ? 0 : 1;
}
