/* tests/vectors/depend.c - are the registers and flags that the decoder tells those that the processor reads and writes?
 *
 *   depend VECTORS        natively; exit status 1 if any differs
 *
 * Each vector is run twice.  The second time everything that the instruction does not read, as the decoder tells it, is other
 * (disturb.h).  What it writes must come out the same both times, and what it does not write must stay.  (So it finds a
 * register too few, not one too many.)  At a signal only the signal is compared. */
#include <signal.h>
#include <stdio.h>

#include "disturb.h"

#define X87_ERROR 0x80 /* of the status word: an exception that the next x87 instruction will raise; no result */

static enum qn_machine host;
static unsigned long compared, signals, left_out, different;

struct run {
    struct state before, after;
    struct ending ending;
    uint8_t arena[ARENA_SIZE];
};
static struct run first, second;

static void run(struct run *r, uint64_t slot)
{
    r->before = before;
    r->ending = run_state(slot);
    r->after = after;
    memcpy(r->arena, (void *)ARENA, ARENA_SIZE);
}

/* Written: the same both times; else as before, each time.  NULL or the one word for the report. */
static const char *judge(bool written, const void *a0, const void *a1, const void *b0, const void *b1, size_t n)
{
    if (written)
        return memcmp(a1, b1, n) ? "depends on what is not read" : NULL;
    return memcmp(a0, a1, n) || memcmp(b0, b1, n) ? "changes what is not written" : NULL;
}

static char where[200]; /* the register at fault, or both endings */

static const char *judge_general(const struct facts *f)
{
    for (unsigned n = 0; n < 16; n++) {
        const char *what = judge(f->insn.writes >> n & 1, &first.before.gpr[n], &first.after.gpr[n],
                                 &second.before.gpr[n], &second.after.gpr[n], 8);
        sprintf(where, "general register %u", n);
        if (what)
            return what;
    }
    return NULL;
}

static const char *judge_flags(const struct facts *f)
{
    strcpy(where, "flags");
    for (unsigned bit = 1; bit <= QN_DF; bit <<= 1) {
        uint64_t mask = rflags_of(bit);
        uint64_t a0 = first.before.flags & mask, a1 = first.after.flags & mask;
        uint64_t b0 = second.before.flags & mask, b1 = second.after.flags & mask;
        bool written = (f->insn.flags_written | f->insn.flags_maywrite) & bit;
        const char *what = f->insn.flags_undef & bit ? NULL : judge(written, &a0, &a1, &b0, &b1, 8);
        if (what)
            return what;
    }
    return NULL;
}

/* Without VEX the part above bit 127 stays, whatever is written. */
static const char *judge_vectors(const struct facts *f)
{
    bool legacy = f->insn.encoding == QN_ENC_LEGACY;
    const char *what;

    for (unsigned n = 0; n < 32; n++)
        for (unsigned part = 0; part < 4; part++) {
            bool written = (f->writes.of[QN_KIND_VECTOR] >> n & 1) && !(legacy && part);
            sprintf(where, "vector register %u", n);
            if (has_part(n, part) &&
                (what = judge(written, vector_part(first.before.area, n, part), vector_part(first.after.area, n, part),
                              vector_part(second.before.area, n, part), vector_part(second.after.area, n, part), 16)))
                return what;
        }
    for (unsigned n = 0; n < 8 && component_size[OPMASK]; n++) {
        unsigned at = component_offset[OPMASK] + 8 * n;
        sprintf(where, "mask register %u", n);
        if ((what = judge(f->writes.of[QN_KIND_MASK] >> n & 1, first.before.area + at, first.after.area + at,
                          second.before.area + at, second.after.area + at, 8)))
            return what;
    }
    return NULL;
}

static const char *judge_x87(const struct facts *f)
{
    unsigned written = x87_touched(&f->writes);
    const char *what;

    for (unsigned r = 0; r < 8; r++) {
        sprintf(where, "x87 register %u", r);
        if ((what = judge(written >> r & 1, x87_register(first.before.area, r), x87_register(first.after.area, r),
                          x87_register(second.before.area, r), x87_register(second.after.area, r), 10)))
            return what;
    }
    return NULL;
}

static const char *judge_state(const struct facts *f)
{
    static const struct {
        const char *name;
        unsigned bit, at, size;
    } words[] = {{"x87 control word", QN_STATE_X87_CONTROL, 0, 2},
                 {"x87 status word", QN_STATE_X87_STATUS, 2, 2},
                 {"x87 tag word", QN_STATE_X87_STATUS, 4, 1},
                 {"MXCSR", QN_STATE_MXCSR, 24, 4}};
    const char *what;

    for (unsigned i = 0; i < 4; i++) {
        unsigned at = words[i].at;
        strcpy(where, words[i].name);
        if ((what = judge(f->writes.of[QN_KIND_STATE] & words[i].bit, first.before.area + at, first.after.area + at,
                          second.before.area + at, second.after.area + at, words[i].size)))
            return what;
    }
    return NULL;
}

static void print_endings(void)
{
    const struct ending *a = &first.ending, *b = &second.ending;

    snprintf(where, sizeof where, "signal %d end %d rip %llx address %llx, then signal %d end %d rip %llx address %llx", a->signal, a->end,
             (unsigned long long)a->rip, (unsigned long long)a->address, b->signal, b->end, (unsigned long long)b->rip,
             (unsigned long long)b->address);
}

static const char *judge_all(const struct facts *f)
{
    const char *what;

    if (memcmp(&first.ending, &second.ending, sizeof first.ending)) {
        print_endings();
        return "depends on what is not read";
    }
    if (first.ending.signal || (first.after.area[2] & X87_ERROR)) {
        signals++;
        return NULL;
    }
    compared++;
    if ((what = judge_general(f)) || (what = judge_flags(f)) || (what = judge_vectors(f)) ||
        (what = judge_x87(f)) || (what = judge_state(f)))
        return what;
    strcpy(where, "memory");
    return memcmp(first.arena, second.arena, ARENA_SIZE) ? "depends on what is not read" : NULL;
}

/* sldt, str, smsw: where the processor can forbid them (UMIP) Linux emulates them. */
static bool may_be_emulated(const struct qn_insn *insn)
{
    unsigned reg = insn->modrm >> 3 & 7;

    return insn->encoding == QN_ENC_LEGACY && insn->map == 1 &&
           ((insn->opcode == 0 && reg < 2) || (insn->opcode == 1 && reg == 4));
}

/* Instruction pointers that are stored differ from run to run. */
static bool is_left_out(const struct facts *f)
{
    return (f->insn.attr & (QN_ATTR_XSAVE | QN_ATTR_FPUIP | QN_ATTR_UD)) || may_be_emulated(&f->insn);
}

static const char *run_both(const struct vector *v, const struct facts *f, uint64_t slot)
{
    fill_state(v);
    run(&first, slot);
    fill_state(v);
    other = v->seed + 1;
    change_the_rest(f);
    run(&second, slot);
    return judge_all(f);
}

/* A hypervisor may refuse an instruction that the processor has: one of the two.  What depends on something does so again, for all is
 * drawn from the seed. */
static bool is_refused_once(void) { return (first.ending.signal == SIGILL) != (second.ending.signal == SIGILL); }

static void try(const struct vector *v, uint64_t slot)
{
    struct facts f;
    const char *what;
    char text[128];

    if (qn_decode_insn_for(host, v->bytes, v->len, &f.insn) != QN_DEC_OK || is_left_out(&f)) {
        left_out++;
        return;
    }
    qn_decode_registers(&f.insn, &f.reads, &f.writes);
    what = run_both(v, &f, slot);
    if (!what)
        return;
    qn_decode_print(v->bytes, &f.insn, slot, text, sizeof text);
    printf("# %s: %s: %s; bytes", text, where, what);
    for (unsigned i = 0; i < v->len; i++)
        printf(" %02x", v->bytes[i]);
    if (!is_refused_once() || run_both(v, &f, slot))
        different++;
    else
        printf(": not seen again");
    putchar('\n');
}

int main(int argc, char **argv)
{
    static struct vector batch[BATCH];
    FILE *in = argc > 1 ? fopen(argv[1], "rb") : NULL;
    size_t n;

    if (!in || !prepare_states()) {
        perror("depend");
        return 2;
    }
    host = qn_decode_host();
    while ((n = fread(batch, sizeof *batch, BATCH, in)) > 0) {
        if (!place_batch(batch, n))
            return 2;
        for (size_t i = 0; i < n; i++)
            try(&batch[i], SLOTS + i * SLOT_SIZE);
    }
    printf("# %lu compared, %lu ended in the same signal, %lu left out, %lu different\n", compared, signals, left_out,
           different);
    return different != 0;
}
