/* tests/counting/form.h - one form of an instruction, as enumerate.c finds it and program.c places it. */
#ifndef COUNTING_FORM_H
#define COUNTING_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/decode.h"

#define FORMS_MAX 16384
#define TEXT_MAX 96

struct form {
    uint8_t bytes[QN_INSN_MAX_LEN];
    struct qn_insn insn;
    unsigned state;      /* QN_ATTR_XSAVE: the components that are asked for (eax) */
    char text[TEXT_MAX]; /* AT&T syntax */
};

struct forms {
    unsigned n;
    struct form form[FORMS_MAX];
};

/* Every form of the opcode tables that 64-bit mode has, by operand size, vector length, prefix and where the operand is. */
void enumerate_forms(struct forms *forms);

/* The registers and memory that a form runs with lie at two places: at the start of a line, and so that operands straddle one. */
enum placement { ALIGNED, STRADDLING, PLACEMENTS };

#endif
