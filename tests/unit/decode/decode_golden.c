/* tests/unit/decode/decode_golden.c - hand-picked encodings, all their facts.
 *
 * Each case of golden_cases.inc is an encoding and the line of facts that the decoder has to give:
 *
 *   CASE("48 03 44 8e 08", "add    0x8(%rsi,%rcx,4),%rax",
 *        "5 other op8 r=ax,cx,si w=ax fw=cpazso m=R8:si+cx*4+0x8 at=1,2,4.1")
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
 * "m32" or "amd" before the bytes: 32-bit mode, AMD's processors.  INTEL(bytes, text) is a case for Intel syntax.
 *
 * `decode_golden HEX...` prints the case for an encoding, to make new ones; read it before you keep it. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "decode/decode.h"

#define LINE 512

struct golden {
    const char *hex, *text, *facts;
};

static const struct golden cases[] = {
#define CASE(hex, text, facts) {hex, text, facts},
#define INTEL(hex, text) {hex, text, NULL},
#include "golden_cases.inc"
#undef CASE
#undef INTEL
};

static char line[LINE];
static size_t used;

static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));

#include <stdarg.h>
static void add(const char *format, ...)
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
    for (unsigned i = 0; i < 7; i++)
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
    static const char names[][12] = {"REP",    "REPNE",    "STRING",    "LOCK",   "XCHGMEM", "CMPXCHG",
                                     "PRIV",   "XSAVE",    "FPUIP",     "MASKED", "GATHER",  "SCATTER",
                                     "CPUID",  "FSGSBASE", "BROADCAST", "CMOV",   "X87",     "POPF",
                                     "BT_REG", "RDTSC",    "KMASK",     "MEM_DST", "IP16",   "UD"};

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
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

static unsigned parse(const char *hex, uint8_t bytes[QN_INSN_MAX_LEN + 1])
{
    unsigned n = 0, value;
    int step;

    while (n <= QN_INSN_MAX_LEN && sscanf(hex, " %2x%n", &value, &step) == 1) {
        bytes[n++] = value;
        hex += step;
    }
    return n;
}

/* Skips the words for the machine. */
static enum qn_machine take_machine(const char **hex)
{
    enum qn_machine machine = 0;

    for (;; *hex += 4) {
        if (!strncmp(*hex, "m32 ", 4))
            machine |= QN_MACHINE_32;
        else if (!strncmp(*hex, "amd ", 4))
            machine |= QN_MACHINE_AMD;
        else
            return machine;
    }
}

static void decode(const char *hex, enum qn_syntax syntax, char text[LINE], char facts[LINE])
{
    uint8_t bytes[QN_INSN_MAX_LEN + 1];
    struct qn_insn insn;
    enum qn_machine machine = take_machine(&hex);
    unsigned n = parse(hex, bytes);
    enum qn_decode_status status = qn_decode_insn_for(machine, bytes, n, &insn);

    text[0] = 0;
    if (status == QN_DEC_OK) {
        qn_decode_print_as(syntax, bytes, &insn, 0, text, LINE);
        strcpy(facts, describe(&insn));
    } else {
        sprintf(facts, "%s %u", qn_decode_status_name(status), insn.len);
    }
}

static bool check(unsigned number, const struct golden *g)
{
    char text[LINE], facts[LINE];
    bool same_text, same_facts;

    decode(g->hex, g->facts ? QN_SYNTAX_ATT : QN_SYNTAX_INTEL, text, facts);
    same_text = !strcmp(text, g->text);
    same_facts = !g->facts || !strcmp(facts, g->facts);
    printf("%s %u - %s: %s\n", same_text && same_facts ? "ok" : "not ok", number, g->hex,
           *g->text ? g->text : g->facts);
    if (!same_text)
        printf("#   got    %s\n#   wanted %s\n", text, g->text);
    if (!same_facts)
        printf("#   got    %s\n#   wanted %s\n", facts, g->facts);
    return same_text && same_facts;
}

int main(int argc, char **argv)
{
    unsigned count = sizeof cases / sizeof *cases;
    unsigned failed = 0;

    for (int i = 1; i < argc; i++) {
        char text[LINE], facts[LINE];
        decode(argv[i], QN_SYNTAX_INTEL, text, facts);
        printf("INTEL(\"%s\", \"%s\")\n", argv[i], text);
        decode(argv[i], QN_SYNTAX_ATT, text, facts);
        printf("CASE(\"%s\", \"%s\",\n     \"%s\")\n", argv[i], text, facts);
    }
    if (argc > 1)
        return 0;
    printf("1..%u\n", count);
    for (unsigned i = 0; i < count; i++)
        failed += !check(i + 1, &cases[i]);
    if (failed)
        printf("# %u of %u failed\n", failed, count);
    return failed != 0;
}
