/* lib/decode/tables.c - the opcode tables as arrays.
 *
 * In:  map_*.inc through maps.inc, the operand list in tables.h.
 * Out: qn_decode_rows[], all forms one after the other, row 0 empty, a last row that ends the search;
 *      qn_decode_first[map][opcode], the first form of an opcode, 0 = none;
 *      qn_decode_operands[], how each operand code is encoded.
 * All of it is computed by the compiler; there are no pointers, hence no relocations. */
#include "tables.h"

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

/* Number the rows: LEG0_89, LEG0_alt57, ... */
enum row_number {
    ROW_NONE,
#define OP(op, name, operands, when, flags, traits) PASTE(MAP, _##op),
#define ALT(name, operands, when, flags, traits) PASTE(MAP, PASTE(_alt, __LINE__)),
#include "maps.inc"
#undef OP
#undef ALT
    ROW_END
};

const uint16_t qn_decode_first[MAP_COUNT][256] = {
#define OP(op, name, operands, when, flags, traits) [PASTE(MAP_, MAP)][0x##op] = PASTE(MAP, _##op),
#define ALT(name, operands, when, flags, traits)
#include "maps.inc"
#undef OP
#undef ALT
};

const struct row qn_decode_rows[] = {
    [ROW_NONE] = {.starts = 1},
#define OP(op, name, ops, cond, effect, trait) {ops, trait, cond, FLAGS_##effect, 1},
#define ALT(name, ops, cond, effect, trait) {ops, trait, cond, FLAGS_##effect, 0},
#include "maps.inc"
#undef OP
#undef ALT
    [ROW_END] = {.starts = 1},
};

const struct operand_info qn_decode_operands[OPERAND_COUNT] = {
#define S(name, kind, size, memsize, arg) [name] = {kind, size, memsize, arg},
    QN_OPERANDS_PLAIN(S)
    QN_OPERANDS_MODRM(S)
#undef S
};
