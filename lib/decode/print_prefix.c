/* lib/decode/print_prefix.c - prefixes that the rest of the text does not show, by objdump's names.
 *
 *   66 2e 0f 1f 00  ->  "cs " (66 shows as the w of nopw)
 *   f3 a4           ->  "rep "
 *   48 ff e0        ->  "rex.W "
 *
 * The operands are printed first; they note in struct printer which prefixes had a meaning.  Of several of one
 * kind only the last can have one. */
#include "printer.h"

static bool is_branch(const struct qn_insn *insn)
{
    return insn->cls == QN_CLS_JCC || insn->cls == QN_CLS_JMP || insn->cls == QN_CLS_JMP_IND ||
           insn->cls == QN_CLS_CALL || insn->cls == QN_CLS_CALL_IND || insn->cls == QN_CLS_RET;
}

static bool is_indirect(const struct qn_insn *insn)
{
    return insn->cls == QN_CLS_JMP_IND || insn->cls == QN_CLS_CALL_IND;
}

/* Forms on which F2 and F3 mean hardware lock elision. */
static bool may_elide_lock(const struct printer *p, uint8_t byte)
{
    const struct qn_insn *insn = p->insn;
    bool rmw = p->has_mem && insn->mem[0].access == (QN_ACC_READ | QN_ACC_WRITE);
    bool store = insn->map == 0 && ((insn->opcode & 0xfe) == 0x88 || (insn->opcode & 0xfe) == 0xc6);

    if (!p->has_mem)
        return false;
    if (insn->attr & QN_ATTR_XCHGMEM)
        return true;
    return (rmw && (insn->attr & QN_ATTR_LOCK) && (p->row->traits & LK)) || (store && byte == 0xf3);
}

/* Only the last F2 and the last F3 may have a special meaning. */
static const char *rep_name(const struct printer *p, uint8_t byte, bool last)
{
    const struct qn_insn *insn = p->insn;
    bool compares = (insn->opcode & 0xf6) == 0xa6; /* cmps, scas */

    if (!last)
        return byte == 0xf2 ? "repnz" : "repz";
    if ((insn->attr & QN_ATTR_STRING) && byte == 0xf3)
        return compares ? "repz" : "rep";
    if (is_branch(insn) && byte == 0xf2)
        return "bnd";
    if (may_elide_lock(p, byte))
        return byte == 0xf2 ? "xacquire" : "xrelease";
    return byte == 0xf2 ? "repnz" : "repz";
}

static void put_rex_name(struct printer *p, uint8_t rex)
{
    qn_decode_put(p, "rex");
    if (rex & 15)
        qn_decode_put(p, ".");
    qn_decode_put(p, rex & 8 ? "W" : "");
    qn_decode_put(p, rex & 4 ? "R" : "");
    qn_decode_put(p, rex & 2 ? "X" : "");
    qn_decode_put(p, rex & 1 ? "B" : "");
}

static bool takes_notrack(const struct printer *p)
{
    return is_indirect(p->insn) && (p->d->mode32 || !p->insn->opsz_prefix);
}

/* 3E, a ds prefix, where objdump takes it for CET's notrack only. */
bool qn_decode_is_notrack(const struct printer *p)
{
    return p->d->segment == QN_SEG_DS && takes_notrack(p);
}

static const char *prefix_name(const struct printer *p, uint8_t byte, bool last)
{
    switch (byte) {
    case 0x66:
        return "data16";
    case 0x67:
        return p->d->mode32 ? "addr16" : "addr32";
    case 0xf0:
        return "lock";
    case 0xf2:
    case 0xf3:
        return rep_name(p, byte, last);
    case 0x2e:
        return "cs";
    case 0x36:
        return "ss";
    case 0x3e:
        return last && takes_notrack(p) ? "notrack" : "ds";
    case 0x26:
        return "es";
    case 0x64:
        return "fs";
    default:
        return "gs";
    }
}

bool qn_decode_is_null_segment(uint8_t byte)
{
    return byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26;
}

bool qn_decode_takes_hint(const struct qn_insn *insn)
{
    return insn->cls == QN_CLS_JCC || insn->cls == QN_CLS_LOOP || insn->cls == QN_CLS_JRCXZ;
}

static bool is_segment(uint8_t byte)
{
    return qn_decode_is_null_segment(byte) || byte == 0x64 || byte == 0x65;
}

/* Had the last prefix of this kind a meaning that the text already shows? */
static bool is_consumed(const struct printer *p, uint8_t byte)
{
    bool mandatory = (p->row->when >> 16 & 3) == 3;

    if (byte == 0x66)
        return p->data_used || (mandatory && p->d->pp == 1) || (p->row->when & WHEN_O16);
    if (byte == 0x67)
        return p->addr_used || (p->insn->cls == QN_CLS_LOOP && !p->intel) || p->insn->cls == QN_CLS_JRCXZ;
    if (byte == 0xf0)
        return p->lock_used;
    if (byte == 0xf2 || byte == 0xf3)
        return mandatory && p->d->pp >= 2;
    if (!is_segment(byte))
        return false;
    return p->ds_used || (p->seg_used && p->d->segment) ||
           ((byte == 0x2e || byte == 0x3e) && qn_decode_takes_hint(p->insn) && !p->intel);
}

/* Same kind: only the last one counts. */
static bool same_kind(uint8_t a, uint8_t b)
{
    return a == b || (is_segment(a) && is_segment(b)) ||
           ((a == 0xf2 || a == 0xf3) && (b == 0xf2 || b == 0xf3));
}

void qn_decode_print_prefixes(struct printer *p)
{
    const uint8_t *bytes = p->d->bytes;
    unsigned end = is_vector_encoding(p->d) ? p->insn->vex_off : p->insn->opcode_off;

    for (unsigned i = 0; i < end; i++) {
        bool last = true, last_such = true;
        if ((bytes[i] & 0xf0) == 0x40) {
            if (i + 1 == end && p->rex_used == bytes[i])
                continue;
            put_rex_name(p, bytes[i]);
        } else {
            for (unsigned k = i + 1; k < end; k++) {
                last = last && !same_kind(bytes[i], bytes[k]);
                last_such = last_such && bytes[i] != bytes[k];
            }
            if (last && is_consumed(p, bytes[i]))
                continue;
            qn_decode_put(p, prefix_name(p, bytes[i], last_such));
        }
        qn_decode_put(p, " ");
    }
}
