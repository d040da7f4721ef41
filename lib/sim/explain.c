/* lib/sim/explain.c - run --explain: counts the accesses of the source lines that are explained.  The first accesses, and later a
 * sample, get a note in the arena, from which the collector makes sentences (cost/notes/explain.c).
 *
 *   a miss on 0x601040; it was evicted by site 4711; its set held ...      -> tally: a miss, a conflict; evictor 4711
 *                                                                             -> a note, if it is one of the first
 *
 * explain_seen.c or explain_told.c provide the lines of an access in `touched`.  If the access never happens, because of a fault, all this is
 * taken back (sim_undoable); only the names of evictors and what is known of lines stay.
 */
#include "sim/explain.h"

#include "sim/module.h"

struct qn_explain_state qn_explain_state;

static struct qn_note *notes;
static uint64_t first_notes, every_note, watch_from;

static struct qn_explain_state *const x = &qn_explain_state;

static void copy_name(char to[QN_STATE_NAME], const char *name)
{
    for (unsigned i = 0; name && name[i] && i < QN_STATE_NAME - 1; i++)
        to[i] = name[i];
}

void qn_explain_init(const struct qn_config *config, struct qn_explain_output *where, const struct qn_explain_shows *what)
{
    x->output = where;
    notes = (struct qn_note *)((uintptr_t)where + QN_NOTES_OFF);
    x->shows = *what;
    if (what->order == QN_SHOW_NOTHING || config->D1.assoc > QN_EXPLAIN_WAYS_MAX)
        x->shows.set = NULL;
    x->output->order = x->shows.set ? what->order : QN_SHOW_NOTHING;
    copy_name(x->output->way_state, what->way_state);
    copy_name(x->output->set_state, what->set_state);
    watch_from = config->watch_from;
    x->watch_count = config->watch_count;
    first_notes = config->explain_first;
    every_note = config->explain_every;
    x->line_bytes = config->D1.line;
    x->capacity = config->D1.size / config->D1.line;
}

/* An access to several lines has the class of its worst line. */
static uint8_t worst_class(void)
{
    uint8_t class = x->touched[0].class;

    for (unsigned i = 1; i < x->ntouched; i++)
        class = x->touched[i].class < class ? x->touched[i].class : class;
    return class;
}

static void add(uint64_t *word, uint64_t n)
{
    sim_undoable(word);
    *word += n;
}

static QN_SIM_NCSR void blame(uint32_t site, uint32_t which)
{
    struct qn_explain_output *output = x->output;
    uint32_t i = 0;

    while (i < output->evictors && (output->evictor[i].site != site || output->evictor[i].which != which))
        i++;
    if (i == output->evictors && i < QN_EVICTORS_MAX - 1) {
        output->evictor[i].site = site;
        output->evictor[i].which = which;
        output->evictors++;
    }
    add(&output->evictor[i].count, 1);
}

static QN_SIM_NCSR void note_line(struct qn_note_line *to, const struct qn_explain_touched *t)
{
    uint32_t shown = t->ways < QN_NOTE_WAYS ? t->ways : QN_NOTE_WAYS;

    *to = (struct qn_note_line){.line = t->line, .used = t->used, .out = t->out, .class = t->class, .ways = shown, .hit = t->hit,
                                .victim = t->victim, .victim_used = t->victim_used};
    for (uint32_t i = 0; i < shown; i++) {
        to->set[i] = t->before[i];
        to->state[i] = t->state[i];
    }
    to->set_state = t->set_state;
}

static QN_SIM_NCSR void note(const struct qn_explained *e, uint64_t number, uint64_t nth, uint8_t class)
{
    struct qn_note *n = &notes[x->output->notes];

    if (x->output->notes == QN_NOTES_MAX)
        return;
    *n = (struct qn_note){.number = number, .nth = nth, .addr = e->addr, .site = e->site, .size = e->size,
                          .kind = (uint8_t)e->kind, .outcome = (uint8_t)e->outcome, .class = class,
                          .which = (uint8_t)(e->which - 1), .lines = x->ntouched}; /* --watch: of no line that is explained: 255 */
    for (unsigned i = 0; i < x->ntouched && i < QN_NOTE_LINES; i++)
        note_line(&n->line[i], &x->touched[i]);
    add(&x->output->notes, 1);
}

static bool is_noted(uint64_t nth)
{
    return !x->watch_count && (nth <= first_notes || (every_note && (nth - first_notes) % every_note == 0));
}

bool qn_explain_wants_note(unsigned which) { return is_noted(x->output->tally[which - 1].accesses + 1); }

QN_SIM_NCSR void qn_explain_tell(const struct qn_explained *e, uint64_t number)
{
    uint32_t which = e->which - 1;
    uint64_t nth = x->output->tally[which].accesses + 1;
    uint8_t class = worst_class();

    add(&x->output->tally[which].accesses, 1);
    if (e->outcome & 1) {
        add(&x->output->tally[which].misses, 1);
        add(&x->output->tally[which].ll_misses, e->outcome >> 1);
        add(&x->output->tally[which].classes[class], 1);
        for (unsigned i = 0; i < x->ntouched; i++)
            if (x->touched[i].out.number && !x->touched[i].hit && x->shows.set)
                blame(x->touched[i].out.site, which);
    }
    if (is_noted(nth))
        note(e, number, nth, class);
}

/* --watch: notes every reference of a part of the run.  Unless a start is given, it begins at the first access that is explained. */
QN_SIM_NCSR void qn_explain_watch(const struct qn_explained *e, uint64_t number)
{
    if (!watch_from && (e->which || x->watch_now))
        watch_from = number;
    if (watch_from && number >= watch_from && number - watch_from < x->watch_count)
        note(e, number, e->which, worst_class());
}
