/* lib/decode/tables.c - the opcode tables as arrays.
 *
 * In:  map_*.inc through maps.inc, operands.inc.
 * Out: qn_decode_rows[], all forms one after the other, row 0 empty, a last row that ends the search;
 *      qn_decode_first[map][opcode], the first form of an opcode, 0 = none;
 *      qn_decode_operands[], how each operand code is encoded;
 *      qn_decode_operand_registers[], which register of which kind an operand names.
 * All of it is computed by the compiler; there are no pointers, hence no relocations. */
#include "tables.h"

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

/* Number the rows: LEG0_89, LEG0_alt57, ... */
enum row_number {
    ROW_NONE,
#define OP(op, name, operands, when, flags, feature, traits) PASTE(MAP, _##op),
#define ALT(name, operands, when, flags, feature, traits) PASTE(MAP, PASTE(_alt, __LINE__)),
#include "decode/maps/maps.inc"
#undef OP
#undef ALT
    ROW_END
};

const uint16_t qn_decode_first[MAP_COUNT][256] = {
#define OP(op, name, operands, when, flags, feature, traits) [PASTE(MAP_, MAP)][0x##op] = PASTE(MAP, _##op),
#define ALT(name, operands, when, flags, feature, traits)
#include "decode/maps/maps.inc"
#undef OP
#undef ALT
};

const struct row qn_decode_rows[] = {
    [ROW_NONE] = {.starts = 1},
#define ROW(ops, cond, effect, trait, starts) {ops, trait, (uint32_t)(cond), effect, starts, (uint64_t)(cond) >> 32},
#define OP(op, name, ops, cond, effect, feature, trait) ROW(ops, cond, FLAGS_##effect, trait, 1)
#define ALT(name, ops, cond, effect, feature, trait) ROW(ops, cond, FLAGS_##effect, trait, 0)
#include "decode/maps/maps.inc"
#undef OP
#undef ALT
#undef ROW
    [ROW_END] = {.starts = 1},
};

/* qn_insn.opsize: the size of the first operand if it is a register, a string or a vector. */
#define IS_VECTOR(kind)                                                                                    \
    ((kind) == K_VEC_RM || (kind) == K_VEC_REG || (kind) == K_VEC_U || (kind) == K_VEC_VVVV || (kind) == K_VSIB)
#define IS_GENERAL(kind)                                                                                   \
    ((kind) == K_RM || (kind) == K_RM_GPR || (kind) == K_REG || (kind) == K_VVVV_GPR ||                    \
     (kind) == K_GPR_FIXED || (kind) == K_GPR_OPCODE)
#define IS_FIXED_MEMORY(kind) ((kind) == K_MOFFS || (kind) == K_STRING_SRC || (kind) == K_STRING_DST)
#define IS_MMX(kind) ((kind) == K_MMX_REG || (kind) == K_MMX_U)
#define REPORTED(kind, size, memsize)                                                                      \
    (IS_VECTOR(kind)         ? SZ_X                                                                        \
     : IS_GENERAL(kind)      ? (size)                                                                      \
     : IS_FIXED_MEMORY(kind) ? (memsize)                                                                   \
     : IS_MMX(kind)          ? SZ_8                                                                        \
     : (size) == SZ_X        ? SZ_X                                                                        \
                             : SZ_V)

const struct operand_info qn_decode_operands[OPERAND_COUNT] = {
#define PLAIN_OPERAND(name, kind, size, memsize, arg)                                                       \
    [name] = {kind, size, memsize, arg, REPORTED(kind, size, memsize)},
#define MODRM_OPERAND PLAIN_OPERAND
#include "operands.inc"
#undef PLAIN_OPERAND
#undef MODRM_OPERAND
};

const struct operand_register qn_decode_operand_registers[K_COUNT] = {
    [K_VEC_REG] = {1, QN_KIND_VECTOR, FROM_REG},
    [K_VEC_RM] = {1, QN_KIND_VECTOR, FROM_RM}, /* or what arg says; if it is a register */
    [K_VEC_U] = {1, QN_KIND_VECTOR, FROM_RM},
    [K_VEC_VVVV] = {1, QN_KIND_VECTOR, FROM_VVVV},
    [K_VEC_IMM] = {1, QN_KIND_VECTOR, FROM_IMMEDIATE},
    [K_NAMED] = {1, QN_KIND_VECTOR, FROM_ARG},
    [K_MMX_REG] = {1, QN_KIND_MMX, FROM_REG},
    [K_MMX_U] = {1, QN_KIND_MMX, FROM_RM},
    [K_MASK_REG] = {1, QN_KIND_MASK, FROM_REG},
    [K_MASK_PAIR] = {1, QN_KIND_MASK, FROM_REG},
    [K_MASK_U] = {1, QN_KIND_MASK, FROM_RM},
    [K_MASK_VVVV] = {1, QN_KIND_MASK, FROM_VVVV},
    [K_TILE_REG] = {1, QN_KIND_TILE, FROM_REG},
    [K_TILE_U] = {1, QN_KIND_TILE, FROM_RM},
    [K_TILE_VVVV] = {1, QN_KIND_TILE, FROM_VVVV},
    [K_SEG_REG] = {1, QN_KIND_SEGMENT, FROM_REG},
    [K_SEG_FIXED] = {1, QN_KIND_SEGMENT, FROM_ARG},
    [K_CTRL_REG] = {1, QN_KIND_CONTROL, FROM_REG},
    [K_CTRL_FIXED] = {1, QN_KIND_CONTROL, FROM_ARG},
    [K_DEBUG_REG] = {1, QN_KIND_DEBUG, FROM_REG},
    [K_BOUND_REG] = {1, QN_KIND_BOUND, FROM_REG},
    [K_X87] = {1, QN_KIND_X87, FROM_ARG},
    [K_X87_RM] = {1, QN_KIND_X87, FROM_RM},
    [K_STATE] = {1, QN_KIND_STATE, FROM_ARG},
};
