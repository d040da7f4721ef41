/* tests/unit/decode/golden_facts.h - the facts of an instruction as a line of words.
 *
 *   5 other op8        length, class, operand size
 *   r= w=              general registers read, written (ax is rax, 8 is r8)
 *   fr= fw= fu= fm=    flags read, written, undefined, maybe written (c p a z s o d)
 *   m=R8:si+cx*4+0x8   memory: R, W, RW or - (only named), size, address; "E4" bytes of an element,
 *                      "V4" vector index, "fs:", "a32", "a16", "*" = the ModRM operand
 *   i= t= c= k= v=     immediate, branch displacement, condition, mask register, mask vector
 *   at=1,2,4.1         offset of opcode, ModRM, displacement and immediate (with length) if there
 *   +NAME              attribute
 *
 * describe_features() gives the CPUID features, describe_others() the registers other than the general ones, too
 * ("avx512f r=v0,k1 w=v2").
 * Each leaves the line in `line`. */
#ifndef QN_TEST_GOLDEN_FACTS_H
#define QN_TEST_GOLDEN_FACTS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "decode/decode.h"

#define LINE 512
/* How many there are, as bits. */
#define ATTRIBUTES 26
#define STATES 9
#define FLAGS 7
#define STATUS_FLAGS 6

static char line[LINE]; /* the result */
static size_t used;

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    used += vsnprintf(line + used, LINE - used, format, arguments);
    va_end(arguments);
    if (used >= LINE)
        used = LINE - 1;
}

static const char *register_name(unsigned n)
{
    static const char names[][4] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "8",
                                    "9",  "10", "11", "12", "13", "14", "15", "ip"};

    return n <= QN_RIP ? names[n] : "none";
}

static void add_registers(const char *name, unsigned mask)
{
    const char *before = name;

    for (unsigned i = 0; i < 16; i++)
        if (mask >> i & 1) {
            add("%s%s", before, register_name(i));
            before = ",";
        }
}

static void add_flags(const char *name, unsigned mask)
{
    if (!mask)
        return;
    add("%s", name);
    for (unsigned i = 0; i < FLAGS; i++)
        if (mask >> i & 1)
            add("%c", "cpazsod"[i]);
}

static void add_address(const struct qn_mem *m)
{
    const char *plus = "";
    static const char segments[][4] = {"", "fs:", "gs:", "es:", "cs:", "ss:", "ds:"};

    add("%s", segments[m->seg]);
    if (m->base != QN_REG_NONE) {
        add("%s", register_name(m->base));
        plus = "+";
    }
    if (m->index != QN_REG_NONE) {
        if (m->vsib)
            add("%sV%u/%u*%u", plus, m->vsib, m->index, m->scale);
        else
            add("%s%s*%u", plus, register_name(m->index), m->scale);
        plus = "+";
    }
    if (m->disp < 0)
        add("-0x%llx", -(long long)m->disp);
    else if (m->disp || !*plus)
        add("%s0x%llx", plus, (long long)m->disp);
}

static void add_memory(const struct qn_mem *m)
{
    static const char access[][3] = {"-", "R", "W", "RW"};

    add(" m=%s%s%u", m->is_modrm ? "*" : "", access[m->access], m->size);
    if (m->elem)
        add("E%u", m->elem);
    add("%s:", m->addr32 ? "a32" : m->addr16 ? "a16" : "");
    add_address(m);
}

static void add_attributes(uint32_t attr)
{
    static const char names[ATTRIBUTES][12] = {
        "REP",    "REPNE", "STRING",   "LOCK",      "XCHGMEM", "CMPXCHG", "PRIV",   "XSAVE",  "FPUIP",
        "MASKED", "GATHER", "SCATTER", "CPUID",     "FSGSBASE", "BROADCAST", "CMOV", "X87",   "POPF",
        "BT_REG", "RDTSC", "KMASK",    "MEM_DST",   "IP16",    "UD",      "ZEROING", "SAE"};

    for (unsigned i = 0; i < ATTRIBUTES; i++)
        if (attr >> i & 1)
            add(" +%s", names[i]);
}

static void add_positions(const struct qn_insn *insn)
{
    add(" at=%u", insn->opcode_off);
    if (insn->modrm_off)
        add(",%u", insn->modrm_off);
    if (insn->disp_off)
        add(",d%u.%u", insn->disp_off, insn->disp_len);
    if (insn->imm_off)
        add(",i%u.%u", insn->imm_off, insn->imm_len);
}

static bool is_direct_branch(const struct qn_insn *insn)
{
    return insn->cls == QN_CLS_JCC || insn->cls == QN_CLS_LOOP || insn->cls == QN_CLS_JRCXZ ||
           insn->cls == QN_CLS_JMP || insn->cls == QN_CLS_CALL || insn->cls == QN_CLS_XBEGIN;
}

static const char *describe(const struct qn_insn *insn)
{
    static const char classes[][9] = {"other", "jcc",     "loop", "jrcxz",   "jmp",      "jmpind",
                                      "call",  "callind", "ret",  "syscall", "sysenter", "int",
                                      "int3",  "ud",      "far",  "xbegin",  "hlt"};

    used = 0;
    add("%u %s op%u", insn->len, classes[insn->cls], insn->opsize);
    add_registers(" r=", insn->reads);
    add_registers(" w=", insn->writes);
    add_flags(" fr=", insn->flags_read);
    add_flags(" fw=", insn->flags_written);
    add_flags(" fu=", insn->flags_undef);
    add_flags(" fm=", insn->flags_maywrite);
    for (unsigned i = 0; i < insn->n_mem; i++)
        add_memory(&insn->mem[i]);
    if (is_direct_branch(insn))
        add(" t=%lld", (long long)insn->target_rel);
    else if (insn->imm_off)
        add(" i=%lld", (long long)insn->imm);
    if (insn->cond)
        add(" c=%u", insn->cond);
    if (insn->kreg)
        add(" k=%u", insn->kreg);
    if (insn->vreg_mask)
        add(" v=%u", insn->vreg_mask);
    add_positions(insn);
    add_attributes(insn->attr);
    return line;
}

static void add_others(const char *name, const struct qn_registers *registers)
{
    static const char kinds[QN_KIND_COUNT][5] = {"v", "k", "mm", "st", "tmm", "bnd", "seg", "cr", "db", ""};
    static const char states[STATES][6] = {"fcw", "fsw", "mxcsr", "xcr0", "pkru", "gdtr", "idtr", "ldtr", "tr"};
    const char *before = name;

    for (unsigned kind = 0; kind < QN_KIND_COUNT; kind++)
        for (unsigned i = 0; i < 32; i++)
            if (registers->of[kind] >> i & 1) {
                if (kind == QN_KIND_STATE)
                    add("%s%s", before, states[i]);
                else
                    add("%s%s%u", before, kinds[kind], i);
                before = ",";
            }
}

static const char *describe_features(const struct qn_insn *insn)
{
    const struct qn_feature *features[QN_FEATURES_MAX];
    size_t n = qn_decode_features(insn, features);

    used = 0;
    for (size_t i = 0; i < n; i++)
        add("%s%s", i ? "," : "", features[i]->name);
    return line;
}

static const char *describe_others(const struct qn_insn *insn)
{
    struct qn_registers reads, writes;

    describe_features(insn);
    qn_decode_registers(insn, &reads, &writes);
    add_others(" r=", &reads);
    add_others(" w=", &writes);
    return line;
}

#endif
