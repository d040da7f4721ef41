/* tests/fuzz/decode.c - the instruction decoder and its printer on any bytes, in each mode, vendor and syntax.
 *
 * Input: a byte that chooses mode, vendor and syntax (bits 0, 1, 2), a byte for the size of the text buffer, then the code.
 * Must hold, besides what the sanitizers look for: an instruction depends on its own bytes only, a part of it is
 * truncated, all offsets lie inside it, and a text that does not fit is the beginning of the one that does. */
#include <stdbool.h>

#include "fuzz.h"

#include "decode/decode.h"

#define TEXT 256

/* In memory of exactly n bytes, so that AddressSanitizer sees each byte too far. */
static enum qn_decode_status decode(enum qn_machine machine, const uint8_t *bytes, size_t n, struct qn_insn *insn)
{
    uint8_t *copy = malloc(n ? n : 1);
    enum qn_decode_status status;

    memcpy(copy, bytes, n);
    status = qn_decode_insn_for(machine, copy, n, insn);
    free(copy);
    return status;
}

static void check_offsets(const struct qn_insn *insn)
{
    must(insn->len >= 1 && insn->len <= QN_INSN_MAX_LEN, "1 to 15 bytes");
    must(insn->opcode_off < insn->len && insn->modrm_off < insn->len, "opcode and ModRM lie inside");
    must(insn->disp_off + insn->disp_len <= insn->len, "the displacement lies inside");
    must(insn->imm_off + insn->imm_len <= insn->len, "the immediates lie inside");
    must(insn->n_mem <= 3, "three memory operands at most");
    for (unsigned i = 0; i < insn->n_mem; i++) {
        const struct qn_mem *m = &insn->mem[i];
        must(m->base <= QN_RIP || m->base == QN_REG_NONE, "a base or none");
        must(m->scale == 1 || m->scale == 2 || m->scale == 4 || m->scale == 8, "a scale");
        must(m->access <= 3 && m->seg <= QN_SEG_DS && m->is_modrm <= 1, "small fields");
    }
}

static void check_registers(const struct qn_insn *insn)
{
    const struct qn_feature *features[QN_FEATURES_MAX];
    struct qn_registers sets[2];
    size_t n = qn_decode_features(insn, features);
    bool upper = insn->encoding == QN_ENC_EVEX || (insn->attr & QN_ATTR_XSAVE);
    unsigned vectors = insn->machine & QN_MACHINE_32 ? 8 : upper ? 32 : 16;

    must(n >= 1 && n <= QN_FEATURES_MAX && *features[n - 1]->name, "a feature");
    qn_decode_registers(insn, &sets[0], &sets[1]);
    for (unsigned i = 0; i < 2; i++) {
        must(vectors == 32 || !(sets[i].of[QN_KIND_VECTOR] >> vectors), "no more vector registers than there are");
        for (unsigned kind = QN_KIND_MASK; kind <= QN_KIND_SEGMENT; kind++)
            must(!(sets[i].of[kind] >> 8), "at most eight of most kinds");
    }
}

static void check_own_bytes_only(enum qn_machine machine, const uint8_t *bytes, const struct qn_insn *insn)
{
    struct qn_insn again;

    must(decode(machine, bytes, insn->len, &again) == QN_DEC_OK && !memcmp(&again, insn, sizeof again),
         "what follows does not matter");
    for (unsigned n = 0; n < insn->len; n++)
        must(decode(machine, bytes, n, &again) == QN_DEC_TRUNCATED && again.len <= n, "a part is truncated");
}

static void check_text(enum qn_syntax syntax, const uint8_t *bytes, const struct qn_insn *insn, size_t room)
{
    char whole[TEXT], *part = malloc(room ? room : 1);
    size_t all = qn_decode_print_as(syntax, bytes, insn, 0x401000, whole, sizeof whole), some;

    must(all > 0 && all < sizeof whole && strlen(whole) == all, "a text");
    for (size_t i = 0; i < all; i++)
        must(whole[i] >= ' ' && whole[i] <= '~', "of printable characters");
    some = qn_decode_print_as(syntax, bytes, insn, 0x401000, part, room);
    if (room)
        must(some == (all < room ? all : room - 1) && !memcmp(part, whole, some) && !part[some], "cut at the end");
    free(part);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum qn_machine machine;
    enum qn_syntax syntax;
    struct qn_insn insn;
    enum qn_decode_status status;
    uint8_t *code;

    if (size < 2)
        return 0;
    machine = data[0] & 3;
    syntax = data[0] & 4 ? QN_SYNTAX_INTEL : QN_SYNTAX_ATT;
    status = decode(machine, data + 2, size - 2, &insn);
    must(insn.len <= size - 2 && insn.machine == machine, "no more bytes than there are");
    if (status == QN_DEC_OK) {
        check_offsets(&insn);
        check_own_bytes_only(machine, data + 2, &insn);
        check_registers(&insn);
    }
    code = malloc(insn.len ? insn.len : 1);
    memcpy(code, data + 2, insn.len);
    check_text(syntax, code, &insn, data[1]);
    free(code);
    return 0;
}
