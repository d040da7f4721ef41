/* tests/unit/decode/decode_zydis.c - the decoder against Zydis, instruction by instruction.
 *
 *   decode_zydis [-v] [-e] [-m 64|32] [-c intel|amd] [-n STRINGS] [-t SYSTEMATIC] [-s SEED] [ELF...]
 *
 * Question for each mode and vendor: are the facts of every instruction in the code of the ELF files, and at the
 * start of every string, the same?  Compared: accepted or not, length, memory operands (size, access, base, index,
 * scale, displacement, segment), registers read and written (general and other), flags read, written, undefined, class
 * of branch and its target, privilege, CPUID features.  A difference must be a row of zydis-differences.inc, where each
 * is adjudicated; all others fail the test, and so does a row that its own example does not show.  -v lists the
 * differences.  -t: so many systematic strings, evenly spread (0 = all there are, default few).  -e only prints what both
 * say of each row's example, and the verdict; zydis-verdicts.txt is that list, and a row not in it fails the test, too.
 * Built only where libzydis is there; Zydis is a test oracle and never part of quern. */
#define _GNU_SOURCE /* FNM_EXTMATCH */
#include <Zydis/Zydis.h>

#include "decode_facts.h"
#include "input.h"
#include "zydis_facts.h"
#include "zydis_known.h"

struct totals {
    unsigned long same, both_reject, explained, different;
};

static ZydisDecoder decoder;
static bool verbose;

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
    const struct known *row;
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
        if (q.accepted)
            qn_decode_print(bytes, &qi, 0, text, sizeof text);
        if (z.accepted)
            name = ZydisMnemonicGetString(zi.mnemonic);
        for (unsigned i = 0; i < (z.len > q.len ? z.len : q.len); i++)
            sprintf(hex + 2 * i, "%02x", bytes[i]);
        row = adjudicated(name, hex, what);
        if (row && row == listed)
            list_verdict(hex, name, text, &q, &z);
        if (row) {
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
        listed = &known[i];
        compare(bytes, sizeof bytes, &t);
        listed = NULL;
        if (!seen[i] || t.different) {
            good = false;
            printf("# row %zu (%s, %s: %s) is not shown by its example\n", i + 1, known[i].name, known[i].what,
                   known[i].example);
        }
    }
    return good;
}

static bool conclude_list(bool shown, bool kept)
{
    printf("%s %u - each adjudicated difference is there\n", shown ? "ok" : "not ok", ++points);
    printf("%s %u - zydis-verdicts.txt has what both say of each\n", kept ? "ok" : "not ok", ++points);
    return shown && kept;
}

struct options {
    unsigned long strings, systematic;
    uint64_t seed;
    unsigned where;
    bool list;
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
        if (option == 'v' || option == 'e') {
            verbose |= option == 'v';
            o.list |= option == 'e';
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
    char *list;
    size_t size;
    bool good;

    verdicts = open_memstream(&list, &size);
    good = check_examples();
    fclose(verdicts);
    if (o.list)
        return fputs(list, stdout) < 0 || !good;
    good = conclude_list(good, is_kept(list, size));
    free(list);
    for (unsigned i = 0; i < 4; i++) {
        prepare((i & 1 ? QN_MACHINE_32 : 0) | (i & 2 ? QN_MACHINE_AMD : 0));
        if (applies(o.where))
            good = run(&o) && good;
    }
    printf("1..%u\n", points);
    return good ? 0 : 1;
}
