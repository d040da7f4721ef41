/* tests/counting/program.c - a program of one instruction form per line.
 *
 *   program trial LIST [SKIP]          all forms but those of SKIP, once each, and each is announced: who can run what?
 *   program loops LIST SKIP            the same, in loops of three lengths
 *
 * Writes assembly to stdout, and LIST, which the lines of the profile refer to:
 *
 *     12: vfmadd132ps (%rbx),%xmm5,%xmm1       aligned, 3 times
 *
 * SKIP has a number in each line, of what is not to be run: 2 * form + placement, the first of the two words that the program says of it.
 *
 * Around each instruction there is (driver.S has what is named here):
 *
 *         lea     safe_stack, %rsp
 *         movq    $2f, resume             where a signal handler goes on
 *         movl    $3, trips
 *         call    fill_aligned            memory as it was
 *     1:  movq    $3f, back
 *         jmp     reset_aligned           registers as they were
 *     3:  .loc    1 12
 *         .byte   0xc4,...                the instruction
 *         .loc    2 1
 *         nop                             what a branch skips
 *     4:  decl    trips
 *         jnz     1b
 *     2:
 */
#include "form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AROUND 500000 /* what surrounds the instruction of line n has, in a file of its own, the line AROUND + n */
#define NOT_DONE 256 /* instead of a signal: another way was taken than round the loop */

static struct forms forms;
static bool skipped[FORMS_MAX][PLACEMENTS];
static const char *const placement_names[] = {"aligned", "straddling"};
static FILE *list;
static unsigned line;

static void read_skipped(const char *path)
{
    FILE *in = fopen(path, "r");
    unsigned n;

    if (!in) {
        perror(path);
        exit(2);
    }
    while (fscanf(in, "%u", &n) == 1)
        if (n < forms.n * PLACEMENTS)
            skipped[n / PLACEMENTS][n % PLACEMENTS] = true;
    fclose(in);
}

static bool pops(const struct qn_insn *in)
{
    return in->n_mem && in->mem[0].base == QN_RSP && in->mem[0].access == QN_ACC_READ;
}

/* What this instruction needs besides the registers that all have. */
static void prepare(const struct form *f, enum placement p)
{
    const struct qn_insn *in = &f->insn;
    bool indirect = in->cls == QN_CLS_JMP_IND || in->cls == QN_CLS_CALL_IND;

    if (indirect)
        puts("\tmovq $4f, (%rbx)");
    if (indirect && in->modrm >= 0xc0)
        puts("\tmov (%rbx), %rbx");
    if (pops(in))
        printf("\tlea pop_%s, %%rsp\n", placement_names[p]);
    if (in->cls == QN_CLS_RET)
        puts("\tmovq $4f, (%rsp)");
    if (in->attr & QN_ATTR_XSAVE)
        printf("\tmov $%u, %%eax\n", f->state);
}

static void put_bytes(const struct form *f, enum placement p)
{
    const struct qn_insn *in = &f->insn;

    for (unsigned i = 0; i < in->len; i++) {
        if (i == in->disp_off && in->disp_len == 8) { /* an absolute address */
            printf("\t.quad memory_%s\n", placement_names[p]);
            i += 7;
        } else {
            printf("\t.byte 0x%02x\n", f->bytes[i]);
        }
    }
}

static void place(unsigned number, enum placement p, unsigned trips, bool announced)
{
    const struct form *f = &forms.form[number];

    line++;
    fprintf(list, "%s\t%s, %u times\n", f->text, placement_names[p], trips);
    printf("\t.loc 2 %u\n\tlea safe_stack, %%rsp\n\tmovq $2f, resume\n\tmovl $%u, current\n\tmovl $%u, trips\n\tcall fill_%s\n",
           AROUND + line, number * PLACEMENTS + p, trips, placement_names[p]);
    if (announced)
        puts("\tcall tell");
    printf("1:\tmovq $3f, back\n\tjmp reset_%s\n3:\n", placement_names[p]);
    prepare(f, p);
    printf("\t.loc 1 %u\n\t.loc 1 %u\n", line, line); /* as has no row of the first one for .byte, but for the next .loc */
    put_bytes(f, p);
    printf("\t.loc 2 %u\n", AROUND + line);
    puts("\tnop\n4:\tdecl trips\n\tjnz 1b\n2:");
    if (announced)
        printf("\tcmpl $0, trips\n\tje 5f\n\tlea safe_stack, %%rsp\n\tmovl $%u, signal\n\tcall tell\n5:\n", NOT_DONE);
}

static void write_program(const char *list_name, bool trial)
{
    static const unsigned lengths[] = {1, 3, 10};

    printf("\t.file 1 \"%s\"\n\t.file 2 \"driver\"\n\t.text\n\t.globl forms\n\t.type forms, @function\nforms:\n\t.loc 2 1\n",
           list_name);
    for (unsigned n = 0; n < forms.n; n++)
        for (unsigned p = 0; p < PLACEMENTS; p++)
            for (unsigned k = 0; k < (trial ? 1 : sizeof lengths / sizeof *lengths); k++)
                if (!skipped[n][p])
                    place(n, (enum placement)p, lengths[k], trial);
    puts("\tjmp finish\n\t.size forms, . - forms\n\t.section .note.GNU-stack, \"\", @progbits");
}

int main(int argc, char **argv)
{
    bool trial = argc > 1 && strcmp(argv[1], "trial") == 0;

    if (argc < 3 + !trial || argc > 4) {
        fprintf(stderr, "usage: program trial LIST [SKIP] | program loops LIST SKIP\n");
        return 2;
    }
    list = fopen(argv[2], "w");
    if (!list) {
        perror(argv[2]);
        return 2;
    }
    fputs("instruction\tplacement, iterations\n", list); /* no instruction in line 1, which is the program's */
    line = 1;
    enumerate_forms(&forms);
    if (argc > 3)
        read_skipped(argv[3]);
    write_program(argv[2], trial);
    return fclose(list) || fflush(stdout) || ferror(stdout) ? 2 : 0;
}
