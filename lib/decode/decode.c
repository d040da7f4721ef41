/* lib/decode/decode.c - one instruction: prefixes, row of the tables, ModRM, operands, effects.
 *
 *   48 03 44 8e 08  ->  row OP(03, "add", O(RW(Gv), R(Ev)), ANY, ARITH, 0): len 5, reads rax rsi rcx,
 *                       writes rax, mem[0] = 8(%rsi,%rcx,4) size 8 read, flags OSZAPC written
 *
 * Strategy: where length, branch class and memory form are known, an encoding that the processor would
 * refuse for finer reasons (lock on a mov, EVEX.z without a mask) is still decoded; when a copy of it is
 * executed, the processor raises #UD. */
#include "decoder.h"

/* ---- encodings that the opcode tables have, and that raise #UD all the same ----
 *
 *   f0 8b 00           lock on what does not modify memory
 *   62 f1 75 89 76 c2  EVEX.z where the destination is a mask register
 *
 * They are decoded with length and text, as in objdump, and have QN_ATTR_UD.  Rules: SDM vol. 2, 2.6 (VEX), 2.7 (EVEX),
 * LOCK, MOV, VPGATHERDD, VFMULCPH, TDPBSSD; each was tried on a Zen 5 where it has the instruction.
 */

static const struct operand_info *operand(const struct decoder *d, unsigned i)
{
    return &qn_decode_operands[OPERAND_CODE(d->row->operands >> 16 * i)];
}

/* AMD: lock makes cr0 of a mov cr8. */
static bool may_lock(const struct decoder *d)
{
    unsigned to_or_from = d->insn->opcode & 0xfd;

    if (d->row->traits & LK)
        return d->mod != 3;
    return (d->on & ON_AMD) && d->opcode_map == MAP_LEG1 && to_or_from == 0x20 && (d->reg | d->r) == 0;
}

/* Control registers 0, 2, 3, 4, 8; debug registers 0 to 7; segment registers 0 to 5, and cs only as a source. */
static bool is_reserved_register(const struct decoder *d)
{
    unsigned n = d->reg | d->r;

    for (unsigned i = 0; i < 2; i++) {
        unsigned kind = operand(d, i)->kind;
        if (kind == K_CTRL_REG)
            return !(0x11d >> n & 1) && !(d->lock && n == 0);
        if (kind == K_DEBUG_REG)
            return n > 7;
        if (kind == K_SEG_REG)
            return d->reg > 5 || (d->reg == 1 && i == 0);
    }
    return false;
}

/* Two of destination, index and mask of an AVX2 gather the same; destination and index of an EVEX gather. */
static bool gather_overlaps(const struct decoder *d)
{
    unsigned destination = d->reg | d->r;
    unsigned index = d->insn->mem[0].index;

    if (d->insn->encoding == QN_ENC_EVEX)
        return (d->row->traits & A(GATHER)) && operand(d, 0)->kind == K_VEC_REG && destination == index;
    return destination == index || destination == d->vvvv || index == d->vvvv;
}

/* Mask and tile registers have numbers 0 to 7; only of ModRM.rm the higher bits do not count. */
static bool is_number_too_high(const struct decoder *d, unsigned kind)
{
    switch (kind) {
    case K_MASK_REG:
    case K_MASK_PAIR:
    case K_TILE_REG:
        return d->r != 0;
    case K_MASK_VVVV:
    case K_TILE_VVVV:
        return d->vvvv > 7;
    case K_TILE_U:
        return d->b != 0;
    case K_REG:
        return d->r & 16;
    default:
        return false;
    }
}

static bool vector_registers_reserved(const struct decoder *d)
{
    bool three_tiles = operand(d, 0)->kind == K_TILE_REG && operand(d, 2)->kind == K_TILE_VVVV;

    for (unsigned i = 0; i < 3; i++)
        if (is_number_too_high(d, operand(d, i)->kind))
            return true;
    if (d->row->traits & (A(GATHER) | A(SCATTER)))
        return gather_overlaps(d);
    if (d->row->traits & XD) { /* destination other than the sources */
        unsigned destination = d->reg | d->r;
        bool is_rm = d->mod == 3 && destination == (d->rm | d->b | (unsigned)d->x << 1);
        return destination == d->vvvv || is_rm;
    }
    if (operand(d, 0)->kind == K_TILE_REG || operand(d, 1)->kind == K_TILE_REG)
        return three_tiles ? d->reg == d->rm || d->reg == d->vvvv || d->rm == d->vvvv
                           : d->mod != 3 && d->rm != NOT_VSIB_NO_INDEX; /* tileloadd: wants a SIB byte */
    return false;
}

/* EVEX.aaa and z. */
static bool mask_reserved(const struct decoder *d)
{
    unsigned first = operand(d, 0)->kind;
    bool to_memory = d->mod != 3 && (first == K_VEC_RM || first == K_MEM || first == K_VSIB);
    bool by_element = first == K_VSIB || (d->row->traits & (A(GATHER) | A(SCATTER)));
    bool maskable = (TRAIT_ELEM(d->row->traits) || (d->row->traits & A(BROADCAST))) && !(d->row->traits & NM);

    if (d->zeroing && (to_memory || by_element || first == K_MASK_REG))
        return true;
    return by_element ? !d->insn->kreg : d->insn->kreg && !maskable;
}

static bool is_reserved(const struct decoder *d)
{
    if (d->lock && !may_lock(d))
        return true;
    if (d->insn->encoding == QN_ENC_EVEX && mask_reserved(d))
        return true;
    return is_vector_encoding(d) ? vector_registers_reserved(d) : is_reserved_register(d);
}

/* ---- what an instruction as a whole does: class, flags, registers that no operand names ----
 *
 *   48 83 c0 01  row traits 0, flags ARITH  ->  class other, flags written OSZAPC
 *   f3 a4        row traits A(STRING)       ->  attr REP, reads and writes rcx besides
 *
 * Flags that depend on the encoding (the count of a shift, the condition of a jump) are determined here; the others
 * are copied from effects.inc.
 */

static const struct {
    uint16_t reads, writes;
} implicit_effects[IMPLICIT_COUNT] = {
#define B(name) (1u << QN_##name)
#define IMPLICIT(name, reads, writes) {reads, writes},
#define FLAGS(name, read, written, undefined, maybe)
#include "effects.inc"
#undef IMPLICIT
#undef FLAGS
};

/* In the order that struct qn_insn has, so that they are copied as one. */
struct flag_effects {
    uint8_t read, written, undef, may;
};
_Static_assert(offsetof(struct qn_insn, flags_maywrite) == offsetof(struct qn_insn, flags_read) + 3, "neighbours");
#define QN_ALL_BUT_CF (QN_PF | QN_AF | QN_ZF | QN_SF | QN_OF)
#define QN_SAHF_FLAGS (QN_CF | QN_PF | QN_AF | QN_ZF | QN_SF)
#define QN_ANY_FLAGS (QN_FLAGS_STATUS | QN_DF)
static const struct flag_effects flag_effects[FLAGS_COUNT] = {
#define IMPLICIT(name, reads, writes)
#define FLAGS(name, read, written, undefined, maybe) {read, written, undefined, maybe},
#include "effects.inc"
#undef IMPLICIT
#undef FLAGS
};

/* Flags that the conditions o no b ae e ne be a s ns p np l ge le g look at. */
static const uint8_t condition_reads[16] = {
    QN_OF, QN_OF, QN_CF, QN_CF, QN_ZF,         QN_ZF,         QN_CF | QN_ZF,         QN_CF | QN_ZF,
    QN_SF, QN_SF, QN_PF, QN_PF, QN_SF | QN_OF, QN_SF | QN_OF, QN_ZF | QN_SF | QN_OF, QN_ZF | QN_SF | QN_OF,
};

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
    __builtin_memcpy(&insn->flags_read, &effects, sizeof effects);
}

/* A repetition count of 0 leaves all registers as they were, also the one that lods loads. */
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
    if (insn->opsize == 2 && (traits & F64))
        insn->attr |= QN_ATTR_IP16;
    if ((d->lock || is_vector_encoding(d) || (traits & RN)) && is_reserved(d))
        insn->attr |= QN_ATTR_UD;
    if (insn->cls == QN_CLS_LOOP)
        insn->cond = insn->opcode & 3;
    if (insn->attr & QN_ATTR_STRING)
        set_string(d);
    set_flags(d);
}

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
    set_effects(d);
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
