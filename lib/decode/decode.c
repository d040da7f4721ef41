/* lib/decode/decode.c - one instruction: prefixes, row of the tables, ModRM, operands, effects.
 *
 *   48 03 44 8e 08  ->  row OP(03, "add", O(RW(Gv), R(Ev)), ANY, ARITH, 0): len 5, reads rax rsi rcx,
 *                       writes rax, mem[0] = 8(%rsi,%rcx,4) size 8 read, flags OSZAPC written
 *
 * Strategy: where length, branch class and memory form are known, an encoding that the processor would
 * refuse for finer reasons (lock on a mov, EVEX.z without a mask) is still decoded; whoever copies it lets
 * the processor raise #UD.
 * 66h before a near branch is ignored, as Intel does it; AMD would take a 16-bit displacement. */
#include "decoder.h"

static const struct {
    uint16_t reads, writes;
} implicit_effects[IMPLICIT_COUNT] = {
#define I(name, r, w) {r, w},
    QN_IMPLICITS(I)
#undef I
};

struct flag_effects {
    uint8_t read, written, undef, may;
};
static const struct flag_effects flag_effects[FLAGS_COUNT] = {
#define F(name, r, w, u, m) {r, w, u, m},
    QN_FLAG_EFFECTS(F)
#undef F
};

/* Flags that the conditions o no b ae e ne be a s ns p np l ge le g look at. */
static const uint8_t condition_reads[16] = {
    QN_OF, QN_OF, QN_CF, QN_CF, QN_ZF,         QN_ZF,         QN_CF | QN_ZF,         QN_CF | QN_ZF,
    QN_SF, QN_SF, QN_PF, QN_PF, QN_SF | QN_OF, QN_SF | QN_OF, QN_ZF | QN_SF | QN_OF, QN_ZF | QN_SF | QN_OF,
};

static bool row_has_modrm(const struct row *row)
{
    return (row->operands & OPERANDS_NEED_MODRM) || (row->when & WHEN_NEEDS_MODRM);
}

static enum qn_decode_status read_modrm(struct decoder *d)
{
    uint8_t byte;

    if (!bytes_left(d, 1))
        return bytes_missing(d, 1);
    byte = d->bytes[d->pos];
    d->insn->modrm_off = d->pos++;
    d->insn->modrm = byte;
    d->mod = byte >> 6;
    d->reg = byte >> 3 & 7;
    d->rm = byte & 7;
    return QN_DEC_OK;
}

/* The properties of the encoding on which `when` may depend. */
static uint32_t selection_key(struct decoder *d)
{
    uint32_t key = d->pp;

    if (d->broadcast && d->mod == 3)
        d->length_code = 2; /* L'L is the rounding mode then */
    if (d->w)
        key |= KEY_W;
    if (d->insn->modrm_off) {
        key |= (uint32_t)d->reg << KEY_REG_SHIFT | (uint32_t)d->rm << KEY_RM_SHIFT;
        if (d->mod == 3)
            key |= KEY_REGISTER;
    }
    if (d->b)
        key |= KEY_REXB;
    if (d->insn->opsz_prefix)
        key |= KEY_O16;
    if (d->addr32)
        key |= KEY_A32;
    if (d->length_code)
        key |= KEY_L12 | (uint32_t)d->length_code << KEY_L_SHIFT;
    return key;
}

static enum qn_decode_status find_row(struct decoder *d)
{
    const struct row *row = &qn_decode_rows[qn_decode_first[d->opcode_map][d->insn->opcode]];
    uint32_t key;

    if (row == qn_decode_rows)
        return QN_DEC_INVALID;
    if (row_has_modrm(row)) {
        enum qn_decode_status status = read_modrm(d);
        if (status != QN_DEC_OK)
            return status;
    }
    key = selection_key(d);
    do {
        if (((key ^ row->when) & row->when >> 16) == 0) {
            d->row = row;
            d->insn->entry = row - qn_decode_rows;
            return QN_DEC_OK;
        }
        row++;
    } while (!row->starts);
    return QN_DEC_INVALID;
}

static enum qn_decode_status read_displacement(struct decoder *d, unsigned n)
{
    if (n == 0)
        return QN_DEC_OK;
    if (!bytes_left(d, n))
        return bytes_missing(d, n);
    d->mem.disp = read_signed(d->bytes + d->pos, n);
    d->insn->disp_off = d->pos;
    d->insn->disp_len = n;
    d->pos += n;
    return QN_DEC_OK;
}

static unsigned displacement_length(const struct decoder *d, bool no_base)
{
    return d->mod == 1 ? 1 : d->mod == 2 || no_base ? 4 : 0;
}

static enum qn_decode_status read_sib(struct decoder *d)
{
    bool no_base;
    unsigned index;

    if (!bytes_left(d, 1))
        return bytes_missing(d, 1);
    d->sib = d->bytes[d->pos++];
    no_base = d->mod == 0 && (d->sib & 7) == 5;
    d->mem.base = no_base ? QN_REG_NONE : (d->sib & 7) | d->b;
    index = (d->sib >> 3 & 7) | d->x;
    if (index != NOT_VSIB_NO_INDEX) {
        d->mem.index = index;
        d->mem.scale = 1 << (d->sib >> 6);
    }
    return read_displacement(d, displacement_length(d, no_base));
}

/* SIB and displacement: the memory operand of ModRM. */
static enum qn_decode_status read_address(struct decoder *d)
{
    bool rip = d->mod == 0 && d->rm == 5;

    d->mem = (struct qn_mem){.seg = d->segment,
                             .base = QN_REG_NONE,
                             .index = QN_REG_NONE,
                             .scale = 1,
                             .addr32 = d->addr32,
                             .is_modrm = 1};
    if (d->rm == 4)
        return read_sib(d);
    d->mem.base = rip ? QN_RIP : d->rm | d->b;
    return read_displacement(d, displacement_length(d, rip));
}

/* mov to and from control and debug registers takes any mod for 3. */
static bool is_mov_control(const struct decoder *d)
{
    return d->opcode_map == MAP_LEG1 && (d->insn->opcode & 0xfc) == 0x20;
}

static void set_sizes(struct decoder *d)
{
    uint64_t traits = d->row->traits;
    bool mandatory = (d->row->when >> 16 & 3) == 3 && d->pp == 1; /* 66h is part of the opcode */
    bool small = d->insn->opsz_prefix && !mandatory && !is_vector_encoding(d);

    d->vector = 16 << d->length_code;
    if (d->w || (traits & F64))
        d->opsize = 8;
    else if (small)
        d->opsize = 2;
    else
        d->opsize = traits & D64 ? 8 : 4;
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

/* Shifts by an immediate: count 0 leaves the flags, count 1 defines OF. */
static void adjust_shift_flags(struct decoder *d, struct flag_effects *effects)
{
    unsigned count = d->insn->imm & (d->insn->opsize == 8 ? 63 : 31);

    if (count == 0)
        *effects = (struct flag_effects){0, 0, 0, 0};
    else if (count == 1)
        effects->undef &= ~QN_OF;
    else if (count > 16 && d->insn->opsize == 2 && d->insn->map == 1)
        effects->undef = effects->written; /* shld, shrd beyond the operand */
}

static void set_flags(struct decoder *d)
{
    struct qn_insn *insn = d->insn;
    struct flag_effects effects = flag_effects[d->row->flags];
    uint64_t traits = d->row->traits;

    if (traits & CC) {
        insn->cond = insn->opcode & 15;
        effects.read = condition_reads[insn->cond];
    } else if (traits & SHI) {
        adjust_shift_flags(d, &effects);
    } else if ((insn->attr & (QN_ATTR_REP | QN_ATTR_REPNE)) && effects.written) {
        effects.may = effects.written; /* repeat count 0 */
        effects.written = 0;
    }
    insn->flags_read = effects.read;
    insn->flags_written = effects.written;
    insn->flags_undef = effects.undef;
    insn->flags_maywrite = effects.may;
}

/* A repetition count of 0 leaves everything as it was, also what lods would load. */
static void set_string(struct decoder *d)
{
    struct qn_insn *insn = d->insn;

    if (!insn->rep_prefix)
        return;
    insn->reads |= insn->writes;
    insn->attr |= insn->rep_prefix == 0xf3 ? QN_ATTR_REP : QN_ATTR_REPNE;
    insn->reads |= 1u << QN_RCX;
    insn->writes |= 1u << QN_RCX;
}

/* Everything that the row says about the instruction as a whole. */
static void set_effects(struct decoder *d)
{
    struct qn_insn *insn = d->insn;
    uint64_t traits = d->row->traits;
    unsigned implicit = TRAIT_IMPLICIT(traits);

    insn->cls = TRAIT_CLASS(traits);
    insn->reads |= implicit_effects[implicit].reads;
    insn->writes |= implicit_effects[implicit].writes;
    if (insn->cls == QN_CLS_LOOP)
        insn->cond = insn->opcode & 3;
    if (insn->attr & QN_ATTR_STRING)
        set_string(d);
    set_flags(d);
}

static enum qn_decode_status decode_body(struct decoder *d)
{
    enum qn_decode_status status = qn_decode_prefixes(d);

    if (status != QN_DEC_OK)
        return status;
    if (d->opcode_map == MAP_NOW) { /* opcode comes last */
        unsigned start = d->pos;
        if ((status = read_modrm(d)) != QN_DEC_OK ||
            (d->mod != 3 && (status = read_address(d)) != QN_DEC_OK))
            return status;
        if (!bytes_left(d, 1))
            return bytes_missing(d, 1);
        d->insn->opcode = d->bytes[d->pos];
        d->insn->imm_off = d->pos;
        d->insn->imm_len = 1;
        d->pos = start;
    }
    if ((status = find_row(d)) != QN_DEC_OK)
        return status;
    if (is_vector_encoding(d) && (status = check_vector(d)) != QN_DEC_OK)
        return status;
    if (d->insn->modrm_off && d->mod != 3 && !is_mov_control(d) && (status = read_address(d)) != QN_DEC_OK)
        return status;
    if (d->opcode_map == MAP_NOW)
        d->pos++;
    set_sizes(d);
    return qn_decode_operand_facts(d);
}

enum qn_decode_status qn_decode_analyse(struct decoder *d, const uint8_t *bytes, size_t avail,
                                        struct qn_insn *insn)
{
    enum qn_decode_status status;

    clear_words(d, sizeof *d);
    clear_words(insn, sizeof *insn);
    d->bytes = bytes;
    d->insn = insn;
    d->limit = avail < QN_INSN_MAX_LEN ? avail : QN_INSN_MAX_LEN;
    status = decode_body(d);
    if (status != QN_DEC_OK) {
        insn->len = status == QN_DEC_INVALID && d->opcode_end ? d->opcode_end : d->limit;
        if (status == QN_DEC_INVALID && d->opcode_map == MAP_X87)
            insn->len++; /* ModRM is a second opcode byte there */
        return status;
    }
    insn->len = d->pos;
    set_effects(d);
    return QN_DEC_OK;
}

enum qn_decode_status qn_decode_insn(const uint8_t *bytes, size_t avail, struct qn_insn *insn)
{
    struct decoder d;

    return qn_decode_analyse(&d, bytes, avail, insn);
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
