/* lib/decode/effects.c - what an instruction as a whole does: class, flags, registers that no operand names.
 *
 *   48 83 c0 01  row traits 0, flags ARITH  ->  class other, flags written OSZAPC
 *   f3 a4        row traits A(STRING)       ->  attr REP, reads and writes rcx besides
 *
 * Flags that depend on the encoding (the count of a shift, the condition of a jump) are determined here; the others
 * are copied from effects.inc. */
#include "decoder.h"

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
void qn_decode_effects(struct decoder *d)
{
    struct qn_insn *insn = d->insn;
    uint64_t traits = d->row->traits;
    unsigned implicit = TRAIT_IMPLICIT(traits);

    insn->cls = TRAIT_CLASS(traits);
    insn->reads |= implicit_effects[implicit].reads;
    insn->writes |= implicit_effects[implicit].writes;
    if (insn->opsize == 2 && (traits & F64))
        insn->attr |= QN_ATTR_IP16;
    if ((d->lock || is_vector_encoding(d) || (traits & RN)) && qn_decode_is_reserved(d))
        insn->attr |= QN_ATTR_UD;
    if (insn->cls == QN_CLS_LOOP)
        insn->cond = insn->opcode & 3;
    if (insn->attr & QN_ATTR_STRING)
        set_string(d);
    set_flags(d);
}
