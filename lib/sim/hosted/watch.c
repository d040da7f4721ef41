/* lib/sim/hosted/watch.c - --watch of a replay: writes consecutive data references with the state of the D1, or consecutive branches with that of
 * their predictor, as CSV.
 *
 *   quern replay --watch=2000 --watch-from=61 --watch-file=FILE TRACE  ->  the rows of cost/notes/watch.h, as `quern run --watch` writes them
 *   quern replay --sim=BC=gshare --watch-of=BC --watch=2000 --watch-file=FILE TRACE  ->
 *
 *   number,pc,kind,taken,target,backward,wrong,shows
 *   61,0x401146,cond,1,,1,0,index=18 history=0b0110 counter=2>3/0:3
 *   4,0x40117a,indirect,1,0x401136,,1,target=0x0
 *
 * number: among the conditional branches of the trace (BC), or among the indirect ones and, where the module predicts them, returns (BI).
 * wrong: it was mispredicted.  shows: what the module shows by sim_show_* (module.h); a number, bits, an address; a counter or weights, each
 * `before>after/least:most`:
 *
 *   index=18 history=0b0110 counter=2>3/0:3 weights=4;-1>5;-2/-128:127 target=0x401136
 *
 * Of data references, explain.c provides the history of lines and the notes.  A trace has no source lines: file, line, function and object are
 * empty.  After the last one that is watched, nothing is observed any more.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "cost/notes/steps.h"
#include "sim/explain.h"
#include "sim/hosted/hosted.h"
#include "sim/slots.h"

static FILE *text; /* the CSV; NULL: nothing is watched */
static char *written;
static size_t written_bytes;
static enum sim_slot slot;
static const struct qn_unit *unit;
static uint64_t left; /* of those that are watched, the number still to come */

static bool watches_data(void) { return left && slot == SLOT_D1; }

/* ---- data references ---- */

static struct qn_explain_output *output; /* the notes lie QN_NOTES_OFF bytes behind its beginning */
static struct qn_explained reference;    /* the one that is being made */
static uint64_t *pcs;                    /* by note */

static bool begin_data(const struct hosted_options *o)
{
    const struct qn_unit_facts *facts = qn_sim_unit_facts(SLOT_D1);
    const struct qn_explain_shows shows = {unit->show, facts->shows, unit->state, facts->way_state, facts->set_state};

    output = calloc(1, QN_NOTES_OFF + left * sizeof(struct qn_note));
    pcs = calloc(left, sizeof *pcs);
    if (!output || !pcs)
        return hosted_complain("--watch: no memory for %llu data references", (unsigned long long)left), false;
    qn_explain_init(&o->config, output, &shows);
    qn_explain_begin_seen();
    return true;
}

void hosted_watch_reference(uint64_t addr, uint32_t size, unsigned kind)
{
    if (!watches_data())
        return;
    reference = (struct qn_explained){.addr = addr, .size = size, .kind = kind};
    qn_explain_before(&reference);
}

void hosted_watch_outcome(unsigned outcome)
{
    uint64_t notes;

    if (!watches_data())
        return;
    notes = output->notes;
    reference.outcome = outcome;
    qn_explain_after(&reference);
    if (output->notes == notes)
        return;
    pcs[notes] = qn_ctx.arg_pc;
    left--;
}

static void put_text(void *data, const char *words) { fputs(words, data); }

static void put_notes(const struct hosted_options *o)
{
    const struct qn_cost_steps steps = {.put = put_text, .data = text, .D1 = &o->config.D1, .head = output};
    const struct qn_note *note = (const struct qn_note *)((const char *)output + QN_NOTES_OFF);

    qn_cost_put_step_names(&steps);
    for (uint64_t i = 0; i < output->notes; i++)
        qn_cost_put_step(&steps, &note[i], &(struct qn_cost_step){.pc = pcs[i]});
    free(output);
    free(pcs);
}

/* ---- what a predictor shows of a branch ---- */

#define NAME_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-"

enum kind { NUMBER, BITS, ADDRESS, BYTES };

static struct shown {
    char name[SIM_SHOWN_NAME];
    enum kind kind;
    uint64_t value;
    unsigned n;                 /* bits, bytes */
    const uint8_t *bytes;       /* of the module */
    uint8_t before[SIM_SHOWN_WEIGHTS];
    int least, most;
} list[SIM_SHOWN_MAX];
static unsigned count;

static void check(bool good, const char *what)
{
    if (!good)
        sim_fail("?", "?", "predictor_show", 0, what);
}

static struct shown *add(const char *name, enum kind kind)
{
    size_t n = strlen(name);

    check(count < SIM_SHOWN_MAX, "shows too much: sixteen things at most");
    check(n && n < SIM_SHOWN_NAME && !name[strspn(name, NAME_LETTERS)], "a name has 1 to 23 letters, digits and minuses");
    list[count] = (struct shown){.kind = kind};
    memcpy(list[count].name, name, n + 1);
    return &list[count++];
}

static void add_bytes(const char *name, const void *bytes, unsigned n, int least, int most)
{
    struct shown *s = add(name, BYTES);

    check(n && n <= SIM_SHOWN_WEIGHTS, "shows too much: 1 to 64 weights");
    check(least < most && least >= -128 && most <= (least < 0 ? 127 : 255), "a counter of one byte goes from -128 to 127 at most, or from 0 to 255");
    s->bytes = bytes;
    s->n = n;
    s->least = least;
    s->most = most;
    memcpy(s->before, bytes, n);
}

void sim_show_number(const char *name, int64_t number) { add(name, NUMBER)->value = (uint64_t)number; }
void sim_show_address(const char *name, uint64_t address) { add(name, ADDRESS)->value = address; }
void sim_show_counter(const char *name, const void *byte, int least, int most) { add_bytes(name, byte, 1, least, most); }
void sim_show_weights(const char *name, const int8_t *weights, unsigned n) { add_bytes(name, weights, n, -128, 127); }

void sim_show_bits(const char *name, uint64_t bits, unsigned n)
{
    struct shown *s = add(name, BITS);

    check(n <= 64, "shows too much: 64 bits at most");
    s->value = bits;
    s->n = n;
}

static void put_bytes(FILE *f, const struct shown *s, const uint8_t *bytes)
{
    for (unsigned i = 0; i < s->n; i++)
        fprintf(f, "%s%d", i ? ";" : "", s->least < 0 ? (int8_t)bytes[i] : bytes[i]);
}

static void put(FILE *f, const struct shown *s)
{
    switch (s->kind) {
    case NUMBER:
        fprintf(f, "%lld", (long long)s->value);
        break;
    case BITS:
        fputs("0b", f);
        for (unsigned i = s->n; i-- > 0;)
            putc('0' + (int)(s->value >> i & 1), f);
        break;
    case ADDRESS:
        fprintf(f, "0x%llx", (unsigned long long)s->value);
        break;
    case BYTES:
        put_bytes(f, s, s->before);
        putc('>', f);
        put_bytes(f, s, s->bytes);
        fprintf(f, "/%d:%d", s->least, s->most);
    }
}

static void put_shown(FILE *f)
{
    for (unsigned i = 0; i < count; i++) {
        fprintf(f, "%s%s=", i ? " " : "", list[i].name);
        put(f, &list[i]);
    }
}

/* ---- branches ---- */

static uint64_t number, from; /* from 0: with the first at one of these addresses */
static uint64_t *at;
static unsigned at_count;

static bool parse_addresses(const char *list)
{
    char *end;

    at = calloc(strlen(list) + 1, sizeof *at);
    for (; at; list = end + 1) {
        errno = 0;
        at[at_count++] = strtoull(list, &end, 16);
        if (errno || end == list || (*end && *end != ',') || strspn(list, "0123456789abcdefABCDEFx") < (size_t)(end - list))
            return hosted_complain("--watch-at: got '%s', wanted hexadecimal addresses with commas between them", list), false;
        if (!*end)
            return true;
    }
    return hosted_complain("--watch-at: no memory"), false;
}

static bool is_watched(const struct sim_ref *ref)
{
    return slot == SLOT_BC ? ref->kind == SIM_REF_COND
                           : slot == SLOT_BI && (ref->kind == SIM_REF_INDIRECT || (ref->kind == SIM_REF_RETURN && qn_sim_returns));
}

static bool has_begun(const struct sim_ref *ref)
{
    for (unsigned i = 0; !from && i < at_count; i++)
        if (at[i] == ref->addr)
            from = number;
    return from && number >= from;
}

void hosted_watch_branch(const struct sim_ref *ref)
{
    if (!left || !is_watched(ref))
        return;
    number++;
    count = 0;
    if (unit->shown && has_begun(ref)) {
        sim_branch_backward = ref->backward;
        unit->shown(ref->addr, ref->kind);
    }
}

void hosted_watch_predicted(const struct sim_ref *ref, bool wrong)
{
    if (!left || !is_watched(ref) || !has_begun(ref))
        return;
    left--;
    fprintf(text, "%llu,0x%llx,", (unsigned long long)number, (unsigned long long)ref->addr);
    if (ref->kind == SIM_REF_COND)
        fprintf(text, "cond,%d,,%d", (ref->outcome & SIM_TAKEN) != 0, ref->backward);
    else
        fprintf(text, "%s,1,0x%llx,", ref->kind == SIM_REF_RETURN ? "return" : "indirect", (unsigned long long)ref->target);
    fprintf(text, ",%d,", wrong);
    put_shown(text);
    putc('\n', text);
}

/* ---- begin and end ---- */

bool hosted_watch_begin(const struct hosted_options *o)
{
    if (!o->watch_file)
        return true;
    slot = o->watch_of;
    unit = qn_sim_unit(slot, false);
    left = o->config.watch_count;
    from = o->watch_at ? 0 : o->config.watch_from;
    text = open_memstream(&written, &written_bytes);
    if (!text)
        return hosted_complain("--watch: no memory"), false;
    if (slot == SLOT_D1)
        return begin_data(o);
    fputs("number,pc,kind,taken,target,backward,wrong,shows\n", text);
    return !o->watch_at || parse_addresses(o->watch_at);
}

bool hosted_watch_write(const struct hosted_options *o)
{
    FILE *f = NULL;
    bool good;

    if (!text)
        return true;
    if (slot == SLOT_D1)
        put_notes(o);
    if (!fclose(text))
        f = fopen(o->watch_file, "w");
    good = f && fwrite(written, 1, written_bytes, f) == written_bytes;
    good = f && !fclose(f) && good;
    if (!good)
        hosted_complain("%s: cannot write: %s", o->watch_file, strerror(errno));
    free(written);
    free(at);
    return good;
}
