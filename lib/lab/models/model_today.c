/* lib/lab/models/model_today.c - see models.h. */
#include "lab/models/models.h"

#define SELECTOR_MAX 1023u
#define DISTANT 3u
#define LONG 2u

/* The stream of a region; a new one in place of that used longest ago.  *is_new: it was not there. */
static unsigned find_stream(struct qn_lab_strider *s, uint64_t region, bool *is_new)
{
    unsigned oldest = 0;

    for (unsigned i = 0; i < s->streams; i++) {
        if (s->stream[i].used && s->stream[i].region == region)
            return *is_new = false, i;
        if (s->stream[i].used < s->stream[oldest].used)
            oldest = i;
    }
    *is_new = true;
    return oldest;
}

/* What comes behind a line; QN_LAB_NO_LINE: it is not known. */
static uint64_t next_of_stream(struct qn_lab_strider *s, uint64_t line)
{
    unsigned lines = s->rules->value[QN_LAB_STRIDE_REGION];
    bool is_new;
    unsigned i = find_stream(s, line / lines, &is_new);
    int64_t step = (int64_t)line - (int64_t)s->stream[i].last;

    s->stream[i].used = ++s->now;
    if (is_new) {
        s->stream[i].region = line / lines;
        s->stream[i].step = 0;
        s->stream[i].sure = 0;
    } else if (step == 0) {
        return QN_LAB_NO_LINE;
    } else if (step == s->stream[i].step) {
        s->stream[i].sure += s->stream[i].sure < QN_LAB_SURE_MOST;
    } else if (s->stream[i].sure) {
        s->stream[i].sure--;
    } else {
        s->stream[i].step = step;
    }
    s->stream[i].last = line;
    line += (uint64_t)s->stream[i].step;
    return s->stream[i].sure >= s->rules->value[QN_LAB_STRIDE_SURE] && line / lines == s->stream[i].region ? line : QN_LAB_NO_LINE;
}

bool qn_lab_striding_miss(struct qn_lab_strider *s, uint64_t line)
{
    uint64_t out, next;
    bool miss = !qn_lab_use_line(s->level, line, &out);

    s->prefetched = QN_LAB_NO_LINE;
    next = next_of_stream(s, line);
    if (next != QN_LAB_NO_LINE && !qn_lab_has_line(s->level, next)) {
        qn_lab_use_line(s->level, next, &out);
        s->prefetched = next;
    }
    return miss;
}

/* ---- set dueling ---- */

void qn_lab_begin_duel(struct qn_lab_duel *d, const struct qn_lab_variant *rules, unsigned sets, unsigned ways)
{
    *d = (struct qn_lab_duel){ .rules = rules, .sets = sets, .ways = ways, .selector = SELECTOR_MAX / 2 };
}

static unsigned number_of_fill(struct qn_lab_duel *d, unsigned set)
{
    unsigned place = set % d->rules->value[QN_LAB_DUEL_SETS];
    bool brrip = place == 1 || (place != 0 && d->selector > SELECTOR_MAX / 2);

    if (place == 0 && d->selector < SELECTOR_MAX)
        d->selector++;
    if (place == 1 && d->selector > 0)
        d->selector--;
    return !brrip || ++d->fills % d->rules->value[QN_LAB_DUEL_PERIOD] == 0 ? LONG : DISTANT;
}

bool qn_lab_duel_miss(struct qn_lab_duel *d, uint64_t line)
{
    unsigned set = (unsigned)(line % d->sets), way = 0, *number = d->set[set].number;

    while (way < d->set[set].n && d->set[set].line[way] != line)
        way++;
    if (way < d->set[set].n)
        return number[way] = 0, false;
    if (d->set[set].n < d->ways) {
        d->set[set].n++;
    } else {
        for (;;) {
            for (way = 0; way < d->ways && number[way] != DISTANT; way++)
                ;
            if (way < d->ways)
                break;
            for (way = 0; way < d->ways; way++)
                number[way]++;
        }
    }
    d->set[set].line[way] = line;
    number[way] = number_of_fill(d, set);
    return true;
}
