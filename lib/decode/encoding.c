/* lib/decode/encoding.c - the bytes before ModRM: legacy prefixes, REX, VEX, EVEX, XOP, and the opcode; then the address that ModRM names.
 *
 *   f3 48 0f b8 c1  ->  rep_prefix f3, rex 48 (w 1), map 1, opcode b8, pp 2, pos 4
 *
 * Rules (SDM vol. 2, 2.1.1, 2.2.1, 2.3, 2.7):
 *   - legacy prefixes come in any order and number; of F2 and F3 the last one counts, and it goes before
 *     66h as a mandatory prefix;
 *   - REX counts only directly before the opcode;
 *   - REX, 66, F2, F3 or LOCK before VEX, EVEX, XOP is invalid;
 *   - 2E, 36, 3E, 26 do nothing in 64-bit mode (3E before an indirect branch is notrack);
 *   - outside 64-bit mode there is no REX, C4, C5 and 62 are also les, lds and bound, and the bits of VEX and EVEX
 *     that would name registers 8 to 31 are ignored (EVEX.V' must not; tried on a Zen 5). */
#include "decoder.h"

/* PFX_VECTOR is no prefix, but an opcode that may be the start of VEX, EVEX, XOP. */
enum prefix_kind { PFX_NONE, PFX_VECTOR, PFX_REX, PFX_66, PFX_67, PFX_REP, PFX_LOCK, PFX_NULL_SEG, PFX_SEG };

#define PREFIXES(seg)                                                                                      \
    [0x26] = seg, [0x2e] = seg, [0x36] = seg, [0x3e] = seg, [0x64] = PFX_SEG, [0x65] = PFX_SEG,            \
    [0x66] = PFX_66, [0x67] = PFX_67, [0xf0] = PFX_LOCK, [0xf2] = PFX_REP, [0xf3] = PFX_REP,               \
    [0x62] = PFX_VECTOR, [0x8f] = PFX_VECTOR, [0xc4] = PFX_VECTOR, [0xc5] = PFX_VECTOR
static const uint8_t prefix_of_64[256] = {
    PREFIXES(PFX_NULL_SEG),
    [0x40] = PFX_REX, PFX_REX, PFX_REX, PFX_REX, PFX_REX, PFX_REX, PFX_REX, PFX_REX,
    PFX_REX, PFX_REX, PFX_REX, PFX_REX, PFX_REX, PFX_REX, PFX_REX, PFX_REX,
};
static const uint8_t prefix_of_32[256] = {PREFIXES(PFX_SEG)};

static const uint8_t segment_of[] = {[0x26] = QN_SEG_ES, [0x2e] = QN_SEG_CS, [0x36] = QN_SEG_SS,
                                     [0x3e] = QN_SEG_DS, [0x64] = QN_SEG_FS, [0x65] = QN_SEG_GS};

static void take_legacy_prefix(struct decoder *d, uint8_t byte, enum prefix_kind kind)
{
    switch (kind) {
    case PFX_66:
        d->insn->opsz_prefix = 1;
        break;
    case PFX_67:
        d->addr67 = 1;
        break;
    case PFX_REP:
        d->insn->rep_prefix = byte;
        break;
    case PFX_LOCK:
        d->lock = 1;
        break;
    case PFX_SEG:
        d->segment = segment_of[byte];
        break;
    default:
        break;
    }
}

/* The bits of the key that legacy prefixes set.  With 66h and F2 or F3, the latter is the mandatory prefix. */
static void note_prefixes(struct decoder *d)
{
    const struct qn_insn *insn = d->insn;

    d->pp = insn->rep_prefix == 0xf2 ? 3 : insn->rep_prefix == 0xf3 ? 2 : insn->opsz_prefix;
    d->key = d->pp | insn->opsz_prefix << KEY_O16_SHIFT | d->addr67 << KEY_A67_SHIFT;
}

static enum qn_decode_status scan_prefixes(struct decoder *d, const uint8_t *prefix_of)
{
    for (; d->pos < d->limit; d->pos++) {
        uint8_t byte = d->bytes[d->pos];
        enum prefix_kind kind = prefix_of[byte];

        if (kind <= PFX_VECTOR) {
            note_prefixes(d);
            return QN_DEC_OK;
        }
        d->rex = 0;
        if (kind == PFX_REX)
            d->rex = byte;
        else
            take_legacy_prefix(d, byte, kind);
    }
    return bytes_missing(d, 1);
}

/* Most instructions have one REX prefix or no prefix.  No processor could predict which of the two, so there is no
 * branch on it.  False if there are other prefixes, or too few bytes. */
static bool take_lone_rex(struct decoder *d, const uint8_t *prefix_of)
{
    uint8_t first = d->bytes[0];
    unsigned is_rex = prefix_of[first] == PFX_REX;

    if (d->limit < 2 || prefix_of[d->bytes[is_rex]] > PFX_VECTOR)
        return false;
    d->rex = is_rex ? first : 0;
    d->pos = is_rex;
    return true;
}

/* Reads the opcode byte at `at`, and notes where the opcode ends. */
static void take_opcode(struct decoder *d, enum map_id id, uint8_t map, unsigned at)
{
    d->opcode_map = id;
    d->insn->map = map;
    d->insn->opcode = d->bytes[at];
    d->pos = at + 1;
    d->opcode_end = d->pos;
}

static enum qn_decode_status legacy_opcode(struct decoder *d)
{
    const uint8_t *p = d->bytes + d->pos;
    unsigned escape = 0;

    if (p[0] == 0x0f) {
        if (!bytes_left(d, 2))
            return bytes_missing(d, 2);
        escape = p[1] == 0x38 ? 2 : p[1] == 0x3a ? 3 : 1;
        if (escape > 1 && !bytes_left(d, 3))
            return bytes_missing(d, 3);
    }
    if (escape == 0)
        take_opcode(d, (p[0] & 0xf8) == 0xd8 ? MAP_X87 : MAP_LEG0, 0, d->pos);
    else
        take_opcode(d, MAP_LEG0 + escape, escape, d->pos + (escape > 1 ? 2 : 1));
    if (d->opcode_map == MAP_LEG1 && d->insn->opcode == 0x0f) {
        d->opcode_map = MAP_NOW;
        d->insn->encoding = QN_ENC_3DNOW;
        d->insn->map = 15;
    }
    return QN_DEC_OK;
}

/* One load and one store for the four of them; no REX is like 40h. */
static void take_rex_bits(struct decoder *d)
{
    static const struct {
        uint8_t w, r, x, b;
    } bits[16] = {
        {0, 0, 0, 0}, {0, 0, 0, 8}, {0, 0, 8, 0}, {0, 0, 8, 8}, {0, 8, 0, 0}, {0, 8, 0, 8}, {0, 8, 8, 0}, {0, 8, 8, 8},
        {1, 0, 0, 0}, {1, 0, 0, 8}, {1, 0, 8, 0}, {1, 0, 8, 8}, {1, 8, 0, 0}, {1, 8, 0, 8}, {1, 8, 8, 0}, {1, 8, 8, 8}};

    _Static_assert(offsetof(struct decoder, b) == offsetof(struct decoder, w) + 3, "w r x b are neighbours");
    __builtin_memcpy(&d->w, &bits[d->rex & 15], 4);
    d->key |= (d->rex >> 3 & 1) << KEY_W_SHIFT | (d->rex & 1) << KEY_REXB_SHIFT;
}

/* VEX and EVEX select by W, pp and the length only, the latter by 67h, too. */
static void note_vector_fields(struct decoder *d)
{
    d->key = d->pp | d->w << KEY_W_SHIFT | KEY_LENGTH(d->length_code) | (d->b != 0) << KEY_REXB_SHIFT |
             d->addr67 << KEY_A67_SHIFT;
}

static bool prefix_forbids_vector(const struct decoder *d)
{
    return d->rex || d->lock || d->insn->rep_prefix || d->insn->opsz_prefix;
}

static void take_vvvv(struct decoder *d, unsigned vvvv)
{
    d->vvvv_given = vvvv != 0;
    d->vvvv = d->mode32 ? vvvv & 7 : vvvv;
}

/* C5: ~R ~vvvv L pp */
static enum qn_decode_status vex2_opcode(struct decoder *d)
{
    const uint8_t *p = d->bytes + d->pos;

    if (!bytes_left(d, 3))
        return bytes_missing(d, 3);
    d->r = p[1] & 0x80 ? 0 : 8;
    take_vvvv(d, ~p[1] >> 3 & 15);
    d->length_code = p[1] >> 2 & 1;
    d->pp = p[1] & 3;
    take_opcode(d, MAP_VEX1, 1, d->pos + 2);
    return QN_DEC_OK;
}

/* C4 and 8F: ~R ~X ~B mmmmm, W ~vvvv L pp */
static enum qn_decode_status vex3_opcode(struct decoder *d, unsigned first_map, unsigned first_id,
                                         unsigned maps)
{
    const uint8_t *p = d->bytes + d->pos;
    unsigned map;

    if (!bytes_left(d, 4))
        return bytes_missing(d, 4);
    map = p[1] & 31;
    if (map - first_map >= maps) {
        d->opcode_end = d->pos + 1;
        return QN_DEC_INVALID;
    }
    d->r = p[1] & 0x80 ? 0 : 8;
    d->x = p[1] & 0x40 ? 0 : 8;
    d->b = p[1] & 0x20 ? 0 : 8;
    d->w = p[2] >> 7;
    take_vvvv(d, ~p[2] >> 3 & 15);
    d->length_code = p[2] >> 2 & 1;
    d->pp = p[2] & 3;
    take_opcode(d, first_id + map - first_map, map, d->pos + 3);
    return QN_DEC_OK;
}

static int evex_map_id(unsigned map)
{
    static const uint8_t id[8] = {0, MAP_EVEX1, MAP_EVEX2, MAP_EVEX3, 0, MAP_EVEX5, MAP_EVEX6, 0};
    return id[map];
}

/* 62: ~R ~X ~B ~R' 0 mmm, W ~vvvv 1 pp, z L'L b ~V' aaa */
static enum qn_decode_status evex_opcode(struct decoder *d)
{
    const uint8_t *p = d->bytes + d->pos;

    if (!bytes_left(d, 5))
        return bytes_missing(d, 5);
    if ((p[1] & 8) || !(p[2] & 4) || !evex_map_id(p[1] & 7)) {
        d->opcode_end = d->pos + (p[1] & 8 || !evex_map_id(p[1] & 7) ? 1 : 2);
        return QN_DEC_INVALID;
    }
    d->r = (p[1] & 0x80 ? 0 : 8) | (p[1] & 0x10 ? 0 : 16);
    d->x = p[1] & 0x40 ? 0 : 8;
    d->b = p[1] & 0x20 ? 0 : 8;
    d->w = p[2] >> 7;
    if (d->mode32 && !(p[3] & 8)) {
        d->opcode_end = d->pos + 4;
        return QN_DEC_INVALID;
    }
    take_vvvv(d, (~p[2] >> 3 & 15) | (p[3] & 8 ? 0 : 16));
    d->pp = p[2] & 3;
    d->zeroing = p[3] >> 7;
    d->length_code = p[3] >> 5 & 3;
    d->broadcast = p[3] >> 4 & 1;
    d->insn->kreg = p[3] & 7;
    take_opcode(d, evex_map_id(p[1] & 7), p[1] & 7, d->pos + 4);
    return QN_DEC_OK;
}

static enum qn_decode_status vector_opcode(struct decoder *d, uint8_t byte)
{
    enum qn_decode_status status;

    d->insn->vex_off = d->pos;
    d->insn->encoding = byte == 0x62 ? QN_ENC_EVEX : byte == 0x8f ? QN_ENC_XOP : QN_ENC_VEX;
    if (byte == 0x62)
        status = evex_opcode(d);
    else if (byte == 0xc5)
        status = vex2_opcode(d);
    else if (byte == 0xc4)
        status = vex3_opcode(d, 1, MAP_VEX1, 3);
    else
        status = vex3_opcode(d, 8, MAP_XOP8, 3);
    d->insn->opcode_off = d->pos - 1;
    note_vector_fields(d);
    if (d->mode32) /* W may have selected the row, and no more */
        d->w = d->r = d->x = d->b = 0;
    return status == QN_DEC_OK && prefix_forbids_vector(d) ? QN_DEC_INVALID : status;
}

/* 8F starts XOP unless ModRM.reg would be 0 (pop); outside 64-bit mode the others start VEX and EVEX only if
 * ModRM.mod would be 3, which les, lds and bound do not have. */
static bool starts_vector(const struct decoder *d, uint8_t byte)
{
    if (byte == 0x8f)
        return bytes_left(d, 2) && (d->bytes[d->pos + 1] & 0x1f) >= 8;
    return !d->mode32 || (bytes_left(d, 2) && d->bytes[d->pos + 1] >= 0xc0);
}

enum qn_decode_status qn_decode_prefixes(struct decoder *d)
{
    const uint8_t *prefix_of = d->mode32 ? prefix_of_32 : prefix_of_64;
    enum qn_decode_status status;
    uint8_t byte;

    if (d->limit == 0)
        return QN_DEC_TRUNCATED;
    if (!take_lone_rex(d, prefix_of) && (status = scan_prefixes(d, prefix_of)) != QN_DEC_OK)
        return status;
    d->addr_size = (d->mode32 ? 4 : 8) >> d->addr67;
    byte = d->bytes[d->pos];
    if (prefix_of[byte] == PFX_VECTOR && starts_vector(d, byte))
        return vector_opcode(d, byte);
    take_rex_bits(d);
    d->insn->rex = d->rex;
    d->insn->opcode_off = d->pos;
    return legacy_opcode(d);
}

/* ---- ModRM, SIB and displacement: the memory operand that an encoding names ----
 *
 *   44 8e 08        mod 1, reg 0, rm 4; SIB scale 4, index rcx, base rsi  ->  mem {rsi + rcx*4 + 8}
 *   67h, 42 08      mod 1, rm 2 in 32-bit mode                            ->  mem {ss: bp + si + 8, addr16}
 *
 * What the registers of mod = 3 mean is left to the operands.
 */

static enum qn_decode_status read_displacement(struct decoder *d, unsigned n)
{
    if (!bytes_left(d, n))
        return bytes_missing(d, n);
    d->mem.disp = read_signed(d, n);
    d->insn->disp_off = n ? d->pos : 0;
    d->insn->disp_len = n;
    d->pos += n;
    return QN_DEC_OK;
}

/* By ModRM.mod; mod 0 has one only where it replaces the base. */
static unsigned displacement_length(const struct decoder *d, bool no_base)
{
    static const uint8_t length[2][4] = {{0, 1, 4, 0}, {4, 1, 4, 0}};

    return length[no_base][d->mod];
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
    d->mem.index = index == NOT_VSIB_NO_INDEX ? QN_REG_NONE : index;
    d->mem.scale = index == NOT_VSIB_NO_INDEX ? 1 : 1 << (d->sib >> 6);
    return read_displacement(d, displacement_length(d, no_base));
}

/* Addresses of 16 bits have no SIB: SDM vol. 2, table 2-1. */
static enum qn_decode_status read_address_16(struct decoder *d)
{
    static const uint8_t base[8] = {QN_RBX, QN_RBX, QN_RBP, QN_RBP, QN_RSI, QN_RDI, QN_RBP, QN_RBX};
    static const uint8_t index[8] = {QN_RSI,      QN_RDI,      QN_RSI,      QN_RDI,
                                     QN_REG_NONE, QN_REG_NONE, QN_REG_NONE, QN_REG_NONE};
    bool no_base = d->mod == 0 && d->rm == 6;

    d->mem.base = no_base ? QN_REG_NONE : base[d->rm];
    d->mem.index = index[d->rm];
    return read_displacement(d, d->mod == 1 ? 1 : d->mod == 2 || no_base ? 2 : 0);
}

static enum qn_decode_status read_address_32(struct decoder *d)
{
    bool no_base = d->mod == 0 && d->rm == 5; /* in 64-bit mode: base rip */

    if (d->rm == 4)
        return read_sib(d);
    d->mem.base = no_base ? (d->mode32 ? QN_REG_NONE : QN_RIP) : d->rm | d->b;
    return read_displacement(d, displacement_length(d, no_base));
}

/* Outside 64-bit mode every operand has a segment: SDM vol. 1, table 3-5. */
uint8_t qn_decode_default_segment(const struct decoder *d, unsigned base)
{
    if (!d->mode32)
        return QN_SEG_NONE;
    return base == QN_RSP || base == QN_RBP ? QN_SEG_SS : QN_SEG_DS;
}

enum qn_decode_status qn_decode_address(struct decoder *d)
{
    enum qn_decode_status status;

    d->mem = (struct qn_mem){.seg = d->segment,
                             .base = QN_REG_NONE,
                             .index = QN_REG_NONE,
                             .scale = 1,
                             .addr32 = d->addr_size == 4,
                             .addr16 = d->addr_size == 2,
                             .is_modrm = 1};
    status = d->addr_size == 2 ? read_address_16(d) : read_address_32(d);
    if (!d->segment)
        d->mem.seg = qn_decode_default_segment(d, d->mem.base);
    return status;
}
