/* lib/sim/hosted/texts.c - --outcomes of a replay: a line per reference and branch, with what the simulators said of it or for other programs.
 *
 *   outcomes   D1                                    kind, outcome
 *   text       r 0x401136 0x7ffe10 8 miss hit        kind, pc, address, bytes, level 1, LL
 *   lackey      L 7ffe10,8
 *   din        0 7ffe10
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "sim/hosted/hosted.h"

static FILE *file; /* NULL: nothing is written */
static enum hosted_format format;

static const char head[] =
    "# kind pc address bytes L1 LL: i fetch, r read, w write, m modify; hit or miss of level 1, and of the LL where it was asked\n"
    "# kind pc target taken predicted: b conditional branch (of its target only whether it lies backward or forward), j indirect branch, c call (the target is its return address), t return\n";

bool hosted_texts_begin(const struct hosted_options *o)
{
    format = o->format;
    if (!o->outcomes)
        return true;
    file = fopen(o->outcomes, "w");
    if (!file)
        return hosted_complain("%s: %s", o->outcomes, strerror(errno)), false;
    if (format == HOSTED_TEXT)
        fputs(head, file);
    return true;
}

static void put_text(char kind, uint64_t pc, const struct sim_ref *ref, unsigned outcome)
{
    fprintf(file, "%c 0x%" PRIx64 " 0x%" PRIx64 " %u %s %s\n", kind, pc, ref->addr, ref->size, outcome & SIM_L1_MISS ? "miss" : "hit",
            !(outcome & SIM_L1_MISS) ? "-" : outcome & SIM_LL_MISS ? "miss" : "hit");
}

void hosted_texts_fetch(const struct sim_ref *ref, unsigned outcome)
{
    if (!file)
        return;
    switch (format) {
    case HOSTED_OUTCOMES: fprintf(file, "I%u\n", outcome); break;
    case HOSTED_TEXT: put_text('i', ref->addr, ref, outcome); break;
    case HOSTED_LACKEY: fprintf(file, "I  %08" PRIx64 ",%u\n", ref->addr, ref->size); break;
    case HOSTED_DIN: fprintf(file, "2 %" PRIx64 "\n", ref->addr); break;
    }
}

/* din knows no modify: it is a read and a write. */
static void put_din(const struct sim_ref *ref, unsigned kind)
{
    if (kind != SIM_WRITE)
        fprintf(file, "0 %" PRIx64 "\n", ref->addr);
    if (kind != SIM_READ)
        fprintf(file, "1 %" PRIx64 "\n", ref->addr);
}

void hosted_texts_data(const struct sim_ref *ref, unsigned kind, unsigned outcome)
{
    unsigned i = kind == SIM_READ ? 0 : kind == SIM_WRITE ? 1 : 2;

    if (!file)
        return;
    switch (format) {
    case HOSTED_OUTCOMES: fprintf(file, "D%u\n", outcome); break;
    case HOSTED_TEXT: put_text("rwm"[i], qn_ctx.arg_pc, ref, outcome); break;
    case HOSTED_LACKEY: fprintf(file, " %c %08" PRIx64 ",%u\n", "LSM"[i], ref->addr, ref->size); break;
    case HOSTED_DIN: put_din(ref, kind); break;
    }
}

void hosted_texts_branch(const struct sim_ref *ref, bool is_predicted, bool wrong)
{
    bool cond = ref->kind == SIM_REF_COND, call = ref->kind == SIM_REF_CALL, back = ref->kind == SIM_REF_RETURN;
    const char *said = !is_predicted ? "-" : wrong ? "wrong" : "right";

    if (!file)
        return;
    if (format == HOSTED_OUTCOMES && is_predicted)
        fprintf(file, "%c%u\n", cond ? 'B' : back ? 'R' : 'J', wrong);
    else if (format == HOSTED_TEXT && cond)
        fprintf(file, "b 0x%" PRIx64 " %s %s %s\n", ref->addr, ref->backward ? "backward" : "forward", ref->outcome & SIM_TAKEN ? "taken" : "not", said);
    else if (format == HOSTED_TEXT)
        fprintf(file, "%c 0x%" PRIx64 " 0x%" PRIx64 " taken %s\n", call ? 'c' : back ? 't' : 'j', ref->addr, ref->target, said);
}

bool hosted_texts_end(const struct hosted_options *o)
{
    if (!file || !(ferror(file) | fclose(file)))
        return true;
    return hosted_complain("%s: cannot write: %s", o->outcomes, strerror(errno)), false;
}
