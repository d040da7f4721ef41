/* lib/decode/decode.c - one instruction: prefixes, row of the tables, ModRM, operands, effects.
 *
 *   48 03 44 8e 08  ->  row OP(03, "add", O(RW(Gv), R(Ev)), ANY, ARITH, 0): len 5, reads rax rsi rcx,
 *                       writes rax, mem[0] = 8(%rsi,%rcx,4) size 8 read, flags OSZAPC written
 *
 * Strategy: where length, branch class and memory form are known, an encoding that the processor would
 * refuse for finer reasons (lock on a mov, EVEX.z without a mask) is still decoded; when a copy of it is
 * executed, the processor raises #UD. */
#include "decoder.h"

static bool row_has_modrm(const struct row *row)
{
    return (row->operands & OPERANDS_NEED_MODRM) || (row->when & WHEN_NEEDS_MODRM);
}

static enum qn_decode_status take_modrm(struct decoder *d)
{
    unsigned byte;

    if (!bytes_left(d, 1))
        return bytes_missing(d, 1);
    byte = d->bytes[d->pos];
    d->insn->modrm_off = d->pos++;
    d->insn->modrm = byte;
    d->mod = byte >> 6;
    d->reg = byte >> 3 & 7;
    d->rm = byte & 7;
    d->key |= (byte & 0x3f) << KEY_MODRM_SHIFT | (byte >= 0xc0) << KEY_REGISTER_SHIFT;
    if (d->broadcast && d->mod == 3) { /* L'L is the rounding mode then */
        d->length_code = 2;
        d->key = (d->key & ~KEY_LENGTH(3)) | KEY_LENGTH(2);
    }
    return QN_DEC_OK;
}

static bool is_on(const struct decoder *d, const struct row *row)
{
    return !(row->not_on & d->on);
}

/* Number of the first form of the opcode that this machine has, 0 = none. */
static unsigned first_row(const struct decoder *d)
{
    unsigned n = qn_decode_first[d->opcode_map][d->insn->opcode];

    while (n && !is_on(d, &qn_decode_rows[n]))
        if (qn_decode_rows[++n].starts)
            return 0;
    return n;
}

static enum qn_decode_status find_row(struct decoder *d)
{
    unsigned n = first_row(d);
    const struct row *row = &qn_decode_rows[n];

    if (!n)
        return QN_DEC_INVALID;
    if (row_has_modrm(row)) {
        enum qn_decode_status status = take_modrm(d);
        if (status != QN_DEC_OK)
            return status;
    }
    do {
        if (((d->key ^ row->when) & row->when >> 16) == 0 && is_on(d, row)) {
            d->row = row;
            d->insn->entry = n;
            return QN_DEC_OK;
        }
        row++;
        n++;
    } while (!row->starts);
    return QN_DEC_INVALID;
}

/* mov to and from control and debug registers takes any mod for 3. */
static bool is_mov_control(const struct decoder *d)
{
    return d->opcode_map == MAP_LEG1 && (d->insn->opcode & 0xfc) == 0x20;
}

/* Vector length and EVEX bits that the row does not admit. */
static enum qn_decode_status check_vector(const struct decoder *d)
{
    uint64_t traits = d->row->traits;

    if (d->length_code == 3 || (d->zeroing && !d->insn->kreg))
        return QN_DEC_INVALID;
    if (d->broadcast && !(traits & (d->mod == 3 ? ER | SAE : BC)))
        return QN_DEC_INVALID;
    return QN_DEC_OK;
}

/* 3DNow!: the opcode comes last. */
static enum qn_decode_status find_last_opcode(struct decoder *d)
{
    enum qn_decode_status status;
    unsigned start = d->pos;

    if ((status = take_modrm(d)) != QN_DEC_OK ||
        (d->mod != 3 && (status = qn_decode_address(d)) != QN_DEC_OK))
        return status;
    if (!bytes_left(d, 1))
        return bytes_missing(d, 1);
    d->insn->opcode = d->bytes[d->pos];
    d->insn->imm_off = d->pos;
    d->insn->imm_len = 1;
    d->pos = start;
    return QN_DEC_OK;
}

static enum qn_decode_status decode_body(struct decoder *d)
{
    enum qn_decode_status status = qn_decode_prefixes(d);

    if (status != QN_DEC_OK)
        return status;
    if (d->opcode_map == MAP_NOW && (status = find_last_opcode(d)) != QN_DEC_OK)
        return status;
    if ((status = find_row(d)) != QN_DEC_OK)
        return status;
    if (is_vector_encoding(d) && (status = check_vector(d)) != QN_DEC_OK)
        return status;
    if (d->insn->modrm_off && d->mod != 3 && !is_mov_control(d) && (status = qn_decode_address(d)) != QN_DEC_OK)
        return status;
    if (d->opcode_map == MAP_NOW)
        d->pos++;
    qn_decode_sizes(d);
    return qn_decode_operand_facts(d);
}

static void start(struct decoder *d, enum qn_machine machine, const uint8_t *bytes, size_t avail, struct qn_insn *insn)
{
    static const uint8_t on[4] = {
        [QN_MACHINE_64 | QN_MACHINE_INTEL] = ON_64 | ON_INTEL,
        [QN_MACHINE_32 | QN_MACHINE_INTEL] = ON_32 | ON_INTEL,
        [QN_MACHINE_64 | QN_MACHINE_AMD] = ON_64 | ON_AMD | ON_AMD_64,
        [QN_MACHINE_32 | QN_MACHINE_AMD] = ON_32 | ON_AMD,
    };

    clear_words(d, sizeof *d);
    clear_words(insn, sizeof *insn);
    d->bytes = bytes;
    d->insn = insn;
    d->limit = avail < QN_INSN_MAX_LEN ? avail : QN_INSN_MAX_LEN;
    d->mode32 = machine & QN_MACHINE_32;
    d->on = on[machine & (QN_MACHINE_32 | QN_MACHINE_AMD)];
    insn->machine = machine;
}

enum qn_decode_status qn_decode_analyse(struct decoder *d, enum qn_machine machine, const uint8_t *bytes, size_t avail,
                                        struct qn_insn *insn)
{
    enum qn_decode_status status;

    start(d, machine, bytes, avail, insn);
    status = decode_body(d);
    if (status != QN_DEC_OK) {
        insn->len = status == QN_DEC_INVALID && d->opcode_end ? d->opcode_end : d->limit;
        if (status == QN_DEC_INVALID && d->opcode_map == MAP_X87)
            insn->len++; /* ModRM is a second opcode byte there */
        return status;
    }
    insn->len = d->pos;
    insn->vector = is_vector_encoding(d) ? d->vector : 0;
    insn->reg = d->reg | d->r;
    insn->rm = d->rm | d->b | (insn->encoding == QN_ENC_EVEX ? d->x << 1 : 0);
    insn->vvvv = d->vvvv;
    qn_decode_effects(d);
    return QN_DEC_OK;
}

enum qn_decode_status qn_decode_insn_for(enum qn_machine machine, const uint8_t *bytes, size_t avail,
                                         struct qn_insn *insn)
{
    struct decoder d;

    return qn_decode_analyse(&d, machine, bytes, avail, insn);
}

enum qn_decode_status qn_decode_insn(const uint8_t *bytes, size_t avail, struct qn_insn *insn)
{
    return qn_decode_insn_for(QN_MACHINE_64 | QN_MACHINE_INTEL, bytes, avail, insn);
}

/* AMD's processors, and Hygon's, which are of the same design. */
enum qn_machine qn_decode_host(void)
{
    uint32_t a = 0, b, c, d;

    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    return (c == 0x444d4163 /* "cAMD" */ || c == 0x656e6975 /* "uine" */) ? QN_MACHINE_AMD : QN_MACHINE_INTEL;
}

const char *qn_decode_status_name(enum qn_decode_status status)
{
    switch (status) {
    case QN_DEC_OK:
        return "ok";
    case QN_DEC_TRUNCATED:
        return "truncated";
    case QN_DEC_TOO_LONG:
        return "too long";
    default:
        return "invalid";
    }
}
