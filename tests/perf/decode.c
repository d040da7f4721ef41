/* tests/perf/decode.c - how fast is the decoder, beside Zydis and libopcodes?
 *
 *   decode [-r ROUNDS] ELF...       compiled by decode.sh; WITH_ZYDIS and WITH_OPCODES say what is linked
 *
 * Decodes the code of each file from its beginning to its end, one decoder after the other, ROUNDS times (default 5);
 * of the rounds the fastest counts, since what disturbs a run only ever makes it longer.  CPU time.  What is not an
 * instruction is skipped by a byte. */
#define _GNU_SOURCE
#define PACKAGE "quern" /* bfd.h insists */
#include <time.h>

#include "../unit/decode/input.h"

#define TEXT 256

static char text[TEXT];
static uint64_t sink; /* of facts, so that no compiler leaves them out */

static unsigned quern_facts(const uint8_t *bytes, size_t avail)
{
    struct qn_insn insn;

    if (qn_decode_insn(bytes, avail, &insn) != QN_DEC_OK)
        return 0;
    sink += insn.reads + insn.mem[0].size;
    return insn.len;
}

static unsigned quern_all_facts(const uint8_t *bytes, size_t avail)
{
    const struct qn_feature *features[QN_FEATURES_MAX];
    struct qn_registers reads, writes;
    struct qn_insn insn;

    if (qn_decode_insn(bytes, avail, &insn) != QN_DEC_OK)
        return 0;
    qn_decode_registers(&insn, &reads, &writes);
    sink += insn.reads + reads.of[0] + writes.of[0] + qn_decode_features(&insn, features);
    return insn.len;
}

static unsigned quern_text(const uint8_t *bytes, size_t avail)
{
    struct qn_insn insn;

    if (qn_decode_insn(bytes, avail, &insn) != QN_DEC_OK)
        return 0;
    sink += qn_decode_print(bytes, &insn, 0, text, sizeof text);
    return insn.len;
}

#ifdef WITH_ZYDIS
#include <Zydis/Zydis.h>

static ZydisDecoder minimal, full;
static ZydisFormatter formatter;

static void prepare_zydis(void)
{
    ZydisDecoderInit(&minimal, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisDecoderEnableMode(&minimal, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
    ZydisDecoderInit(&full, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT);
}

static unsigned zydis_minimal(const uint8_t *bytes, size_t avail)
{
    ZydisDecodedInstruction insn;

    return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&minimal, NULL, bytes, avail, &insn)) ? insn.length : 0;
}

static unsigned zydis_full(const uint8_t *bytes, size_t avail)
{
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&full, bytes, avail, &insn, operands)) ? insn.length : 0;
}

static unsigned zydis_text(const uint8_t *bytes, size_t avail)
{
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&full, bytes, avail, &insn, operands)))
        return 0;
    ZydisFormatterFormatInstruction(&formatter, &insn, operands, insn.operand_count_visible, text, sizeof text, 0, NULL);
    return insn.length;
}
#else
static void prepare_zydis(void)
{
}
#endif

#ifdef WITH_OPCODES
#include <bfd.h>
#include <dis-asm.h>
#include <stdarg.h>

static struct disassemble_info info;
static disassembler_ftype print_opcodes;
static size_t text_used;

static void put(const char *format, va_list arguments)
{
    int n = vsnprintf(text + text_used, TEXT - text_used, format, arguments);

    text_used = text_used + n < TEXT ? text_used + n : TEXT - 1;
}

static int plain(void *stream, const char *format, ...)
{
    va_list arguments;

    (void)stream;
    va_start(arguments, format);
    put(format, arguments);
    va_end(arguments);
    return 0;
}

static int styled(void *stream, enum disassembler_style style, const char *format, ...)
{
    va_list arguments;

    (void)stream;
    (void)style;
    va_start(arguments, format);
    put(format, arguments);
    va_end(arguments);
    return 0;
}

static void prepare_opcodes(void)
{
    init_disassemble_info(&info, NULL, plain, styled);
    info.arch = bfd_arch_i386;
    info.mach = bfd_mach_x86_64;
    disassemble_init_for_target(&info);
    print_opcodes = disassembler(bfd_arch_i386, false, info.mach, NULL);
}

static unsigned opcodes_text(const uint8_t *bytes, size_t avail)
{
    int n;

    info.buffer = (bfd_byte *)(uintptr_t)bytes;
    info.buffer_vma = 0;
    info.buffer_length = avail < 32 ? avail : 32;
    text_used = 0;
    n = print_opcodes(0, &info);
    return n > 0 ? n : 0;
}
#else
static void prepare_opcodes(void)
{
}
#endif

static const struct decoder {
    const char *name;
    unsigned (*decode)(const uint8_t *bytes, size_t avail); /* length, 0 = no instruction */
} decoders[] = {
    {"quern, facts", quern_facts},
    {"quern, all registers and features", quern_all_facts},
#ifdef WITH_ZYDIS
    {"Zydis, minimal (length, opcode)", zydis_minimal},
    {"Zydis, full", zydis_full},
#endif
    {"quern, facts and text", quern_text},
#ifdef WITH_ZYDIS
    {"Zydis, full and text", zydis_text},
#endif
#ifdef WITH_OPCODES
    {"libopcodes, text", opcodes_text},
#endif
};
#define DECODERS (sizeof decoders / sizeof *decoders)

struct score {
    double best[DECODERS], round[DECODERS]; /* seconds */
    unsigned long count[DECODERS];
};

static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void measure_section(const uint8_t *bytes, size_t size, uint64_t address, void *data)
{
    struct score *score = data;

    (void)address;
    for (size_t i = 0; i < DECODERS; i++) {
        double start = cpu_seconds();
        unsigned long count = 0;
        for (size_t at = 0; at < size; count++) {
            unsigned n = decoders[i].decode(bytes + at, size - at);
            at += n ? n : 1;
        }
        score->round[i] += cpu_seconds() - start;
        score->count[i] += count;
    }
}

static bool measure(const char *file, unsigned rounds, struct score *score)
{
    for (unsigned r = 0; r < rounds; r++) {
        memset(score->round, 0, sizeof score->round);
        memset(score->count, 0, sizeof score->count);
        if (!each_code(file, ELFCLASS64, measure_section, score))
            return false;
        for (size_t i = 0; i < DECODERS; i++)
            if (r == 0 || score->round[i] < score->best[i])
                score->best[i] = score->round[i];
    }
    return true;
}

int main(int argc, char **argv)
{
    int first = argc > 2 && !strcmp(argv[1], "-r") ? 3 : 1;
    unsigned rounds = first == 3 ? strtoul(argv[2], NULL, 0) : 5;

    prepare_zydis();
    prepare_opcodes();
    for (int f = first; f < argc; f++) {
        struct score score;
        if (!measure(argv[f], rounds, &score))
            continue;
        printf("%s\n%-36s %12s %8s %8s\n", argv[f], "", "instructions", "ns each", "M/s");
        for (size_t i = 0; i < DECODERS; i++)
            printf("%-36s %12lu %8.1f %8.1f\n", decoders[i].name, score.count[i], score.best[i] / score.count[i] * 1e9,
                   score.count[i] / score.best[i] * 1e-6);
    }
    return 0;
}
