/* tests/unit/decode/decode_golden.c - hand-picked encodings, all their facts.
 *
 * Each case of golden_cases.inc is an encoding and the line of facts that the decoder has to give:
 *
 *   CASE("48 03 44 8e 08", "add    0x8(%rsi,%rcx,4),%rax",
 *        "5 other op8 r=ax,cx,si w=ax fw=cpazso m=R8:si+cx*4+0x8 at=1,2,4.1")
 *
 * golden_facts.h says what stands in it.
 * "m32" or "amd" before the bytes: 32-bit mode, AMD's processors.  INTEL(bytes, text) is a case for Intel syntax;
 * OTHERS(bytes, facts) one for registers other than the general ones ("r=v0,k1 w=v2") and CPUID features;
 * NEEDS(bytes, text, features) of golden_features.inc one for the text and the features.
 *
 * Besides: has every status, machine, encoding, class, attribute, kind of register, flag and feature a case?
 *
 * `decode_golden HEX...` prints the case for an encoding, to make new ones; read it before you keep it. */
#include <string.h>

#include "golden_facts.h"

struct golden {
    const char *hex, *text, *facts, *features;
};

static const struct golden cases[] = {
#define CASE(hex, text, facts) {hex, text, facts, NULL},
#define INTEL(hex, text) {hex, text, NULL, NULL},
#define OTHERS(hex, facts) {hex, NULL, facts, NULL},
#include "golden_cases.inc"
#undef CASE
#undef INTEL
#undef OTHERS
#define NEEDS(hex, text, features) {hex, text, NULL, features},
#include "golden_features.inc"
#undef NEEDS
};

static const char feature_names[][20] = {
#define FEATURE(id, name, leaf, subleaf, reg, bit) name,
#include "decode/features.inc"
#undef FEATURE
};
#define FEATURES (sizeof feature_names / sizeof *feature_names)

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

static const char *const status_names[] = {
    [QN_DEC_OK] = "ok", [QN_DEC_TRUNCATED] = "truncated", [QN_DEC_TOO_LONG] = "too long", [QN_DEC_INVALID] = "invalid"};

static enum qn_decode_status decode(const char *hex, enum qn_syntax syntax, struct qn_insn *insn, char text[LINE])
{
    uint8_t bytes[QN_INSN_MAX_LEN + 1];
    enum qn_machine machine = take_machine(&hex);
    unsigned n = parse(hex, bytes);
    enum qn_decode_status status = qn_decode_insn_for(machine, bytes, n, insn);

    text[0] = 0;
    if (status == QN_DEC_OK)
        qn_decode_print_as(syntax, bytes, insn, 0, text, LINE);
    else
        sprintf(line, "%s %u", status_names[status], insn->len);
    return status;
}

static bool is_same(const char *got, const char *wanted)
{
    if (!wanted || !strcmp(got, wanted))
        return true;
    printf("#   got    %s\n#   wanted %s\n", got, wanted);
    return false;
}

/* What the cases have shown: a bit for each class, attribute, ... */
static struct {
    uint32_t statuses, machines, encodings, classes, attributes, kinds, states;
    uint8_t flags_read, flags_written, flags_undef, flags_maywrite;
    bool feature[FEATURES];
} shown;

static void note_features(const struct qn_insn *insn)
{
    const struct qn_feature *list[QN_FEATURES_MAX];
    size_t n = qn_decode_features(insn, list);

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < FEATURES; k++)
            shown.feature[k] |= !strcmp(list[i]->name, feature_names[k]);
}

static void note(enum qn_decode_status status, const struct qn_insn *insn)
{
    struct qn_registers reads, writes;

    shown.statuses |= 1u << status;
    shown.machines |= 1u << insn->machine;
    if (status != QN_DEC_OK)
        return;
    shown.encodings |= 1u << insn->encoding;
    shown.classes |= 1u << insn->cls;
    shown.attributes |= insn->attr;
    shown.flags_read |= insn->flags_read;
    shown.flags_written |= insn->flags_written;
    shown.flags_undef |= insn->flags_undef;
    shown.flags_maywrite |= insn->flags_maywrite;
    qn_decode_registers(insn, &reads, &writes);
    for (unsigned kind = 0; kind < QN_KIND_COUNT; kind++)
        shown.kinds |= (uint32_t)(reads.of[kind] || writes.of[kind]) << kind;
    shown.states |= reads.of[QN_KIND_STATE] | writes.of[QN_KIND_STATE];
    note_features(insn);
}

static bool check(unsigned number, const struct golden *g)
{
    struct qn_insn insn;
    char text[LINE];
    bool intel = !g->facts && !g->features;
    enum qn_decode_status status = decode(g->hex, intel ? QN_SYNTAX_INTEL : QN_SYNTAX_ATT, &insn, text);
    bool good;

    if (status == QN_DEC_OK)
        g->features ? describe_features(&insn) : g->text ? describe(&insn) : describe_others(&insn);
    note(status, &insn);
    good = is_same(text, g->text);
    good = is_same(line, g->features ? g->features : g->facts) && good;
    printf("%s %u - %s: %s\n", good ? "ok" : "not ok", number, g->hex, g->text && *g->text ? g->text : g->facts);
    return good;
}

static void print_case(const char *hex)
{
    struct qn_insn insn;
    char text[LINE];

    decode(hex, QN_SYNTAX_INTEL, &insn, text);
    printf("INTEL(\"%s\", \"%s\")\n", hex, text);
    if (decode(hex, QN_SYNTAX_ATT, &insn, text) != QN_DEC_OK) {
        printf("CASE(\"%s\", \"\", \"%s\")\n", hex, line);
        return;
    }
    printf("CASE(\"%s\", \"%s\",\n     \"%s\")\n", hex, text, describe(&insn));
    printf("OTHERS(\"%s\", \"%s\")\n", hex, describe_others(&insn));
}

/* All `n` lowest bits. */
static bool is_all(const char *what, uint32_t bits, unsigned n)
{
    uint32_t all = (uint32_t)((1ull << n) - 1);

    if (bits == all)
        return true;
    printf("# %s without a case: bits %x\n", what, all & ~bits);
    return false;
}

static bool check_all_features_shown(unsigned number)
{
    bool good = true;

    for (size_t i = 0; i < FEATURES; i++)
        if (!shown.feature[i]) {
            printf("# no case needs %s\n", feature_names[i]);
            good = false;
        }
    printf("%s %u - each CPUID feature has a case\n", good ? "ok" : "not ok", number);
    return good;
}

static bool check_all_facts_shown(unsigned number)
{
    bool good = is_all("statuses", shown.statuses, QN_DEC_INVALID + 1);

    good = is_all("machines", shown.machines, 4) && good;
    good = is_all("encodings", shown.encodings, QN_ENC_3DNOW + 1) && good;
    good = is_all("classes", shown.classes, QN_CLS_HLT + 1) && good;
    good = is_all("attributes", shown.attributes, ATTRIBUTES) && good;
    good = is_all("kinds of registers", shown.kinds, QN_KIND_COUNT) && good;
    good = is_all("state registers", shown.states, STATES) && good;
    good = is_all("flags read", shown.flags_read, FLAGS) && good;
    good = is_all("flags written", shown.flags_written, FLAGS) && good;
    good = is_all("flags undefined", shown.flags_undef, STATUS_FLAGS) && good;
    good = is_all("flags maybe written", shown.flags_maywrite, STATUS_FLAGS) && good;
    printf("%s %u - each status, machine, encoding, class, attribute, kind of register and flag has a case\n",
           good ? "ok" : "not ok", number);
    return good;
}

int main(int argc, char **argv)
{
    unsigned count = sizeof cases / sizeof *cases;
    unsigned failed = 0;

    for (int i = 1; i < argc; i++)
        print_case(argv[i]);
    if (argc > 1)
        return 0;
    printf("1..%u\n", count + 2);
    for (unsigned i = 0; i < count; i++)
        failed += !check(i + 1, &cases[i]);
    failed += !check_all_features_shown(count + 1);
    failed += !check_all_facts_shown(count + 2);
    if (failed)
        printf("# %u of %u failed\n", failed, count + 2);
    return failed != 0;
}
