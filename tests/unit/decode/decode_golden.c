/* tests/unit/decode/decode_golden.c - hand-picked encodings, all their facts.
 *
 * Each case of golden_cases.inc is an encoding and the line of facts that the decoder has to give:
 *
 *   CASE("48 03 44 8e 08", "add    0x8(%rsi,%rcx,4),%rax",
 *        "5 other op8 r=ax,cx,si w=ax fw=cpazso m=R8:si+cx*4+0x8 at=1,2,4.1")
 *
 * golden_facts.h says what stands in it.
 * "m32" or "amd" before the bytes: 32-bit mode, AMD's processors.  INTEL(bytes, text) is a case for Intel syntax;
 * OTHERS(bytes, facts) one for registers other than the general ones ("r=v0,k1 w=v2") and CPUID features.
 *
 * `decode_golden HEX...` prints the case for an encoding, to make new ones; read it before you keep it. */
#include <string.h>

#include "golden_facts.h"

struct golden {
    const char *hex, *text, *facts;
};

static const struct golden cases[] = {
#define CASE(hex, text, facts) {hex, text, facts},
#define INTEL(hex, text) {hex, text, NULL},
#define OTHERS(hex, facts) {hex, NULL, facts},
#include "golden_cases.inc"
#undef CASE
#undef INTEL
#undef OTHERS
};

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
        sprintf(line, "%s %u", qn_decode_status_name(status), insn->len);
    return status;
}

static bool is_same(const char *got, const char *wanted)
{
    if (!wanted || !strcmp(got, wanted))
        return true;
    printf("#   got    %s\n#   wanted %s\n", got, wanted);
    return false;
}

static bool check(unsigned number, const struct golden *g)
{
    struct qn_insn insn;
    char text[LINE];
    bool good;

    if (decode(g->hex, g->facts ? QN_SYNTAX_ATT : QN_SYNTAX_INTEL, &insn, text) == QN_DEC_OK)
        g->text ? describe(&insn) : describe_others(&insn);
    good = is_same(text, g->text);
    good = is_same(line, g->facts) && good;
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

int main(int argc, char **argv)
{
    unsigned count = sizeof cases / sizeof *cases;
    unsigned failed = 0;

    for (int i = 1; i < argc; i++)
        print_case(argv[i]);
    if (argc > 1)
        return 0;
    printf("1..%u\n", count);
    for (unsigned i = 0; i < count; i++)
        failed += !check(i + 1, &cases[i]);
    if (failed)
        printf("# %u of %u failed\n", failed, count);
    return failed != 0;
}
