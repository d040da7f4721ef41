/* lib/page/objects.c - data objects and the misses on them as JSON.  See profile.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "page/json.h"
#include "page/profile.h"
#include "report/facts.h"

/* -1 for `none`. */
static int64_t or_none(uint32_t number, uint32_t none) { return number == none ? -1 : (int64_t)number; }

static void put_miss(struct qn_page_profile *p, FILE *out, const struct qn_prof_miss *m)
{
    int64_t counts[QN_PROF_DATA_EVENTS];
    int n = 0;

    for (int i = 0; i < QN_PROF_DATA_EVENTS; i++)
        if (qn_prof_data_has(&p->data, i))
            counts[n++] = m->counts[i];
    fprintf(out, "[%u,", qn_page_name(p, m->file));
    fprintf(out, "%u,%u,%u,%" PRId64, qn_page_name(p, m->function), m->line, m->object, or_none(m->part, QN_PROF_NO_PART));
    qn_page_put_counts(out, counts, n);
    putc(']', out);
}

static void fold(struct qn_page_profile *p);
static void put_advice(struct qn_page_profile *p, FILE *out);

void qn_page_put_objects(struct qn_page_profile *p, FILE *out)
{
    const struct qn_prof_data *d = &p->data;

    if (!d->object_count)
        return;
    fputs("\"data\":{\"events\":[", out);
    for (int i = 0; i < QN_PROF_DATA_EVENTS; i++)
        if (qn_prof_data_has(d, i))
            fprintf(out, "%s\"%s\"", i ? "," : "", qn_prof_data_events[i]);
    fputs("],\n", out);
    put_advice(p, out); /* of all objects */
    fold(p);
    fputs("\"objects\":[", out);
    for (size_t i = 0; i < d->object_count; i++) {
        const struct qn_prof_object *o = &d->objects[i];

        fputs(i ? ",\n" : "", out);
        qn_page_put(out, "[%s,%s,%s,%s,%u,%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "]", o->kind, o->name, o->type, o->file, o->line,
                    o->function, o->size, o->blocks, o->bytes, o->type_size);
    }
    fputs("],\n\"parts\":[", out);
    for (size_t i = 0; i < d->part_count; i++) {
        fputs(i ? "," : "", out);
        qn_page_put(out, "[%u,%s]", d->parts[i].object, d->parts[i].name);
    }
    fputs("],\n\"members\":[", out);
    for (size_t i = 0; i < d->member_count; i++) {
        fputs(i ? "," : "", out);
        qn_page_put(out, "[%u,%s,%" PRId64 ",%" PRId64 "]", d->members[i].object, d->members[i].name, d->members[i].offset, d->members[i].size);
    }
    fputs("],\n\"pairs\":[", out);
    for (size_t i = 0; i < d->pair_count; i++)
        fprintf(out, "%s[%" PRIu32 ",%" PRId64 ",%" PRId64 ",%" PRId64 "]", i ? "," : "", d->pairs[i].object, or_none(d->pairs[i].by, QN_PAGE_OTHERS),
                d->pairs[i].misses, d->pairs[i].conflicts);
    fprintf(out, "],\n\"line\":%" PRId64 ",\"uses\":[", d->use ? d->line : 0);
    for (size_t i = 0; i < d->use_count; i++)
        fprintf(out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRId64 ",%" PRId64 "]", i ? "," : "", d->uses[i].object, d->uses[i].part, d->uses[i].filled,
                d->uses[i].used);
    fputs("],\n\"misses\":[", out);
    for (size_t i = 0; i < d->miss_count; i++) {
        fputs(i ? ",\n" : "", out);
        put_miss(p, out, &d->misses[i]);
    }
    fprintf(out, "],\"lost\":[%" PRId64 ",%" PRId64 "]},\n", d->lost[0], d->lost[1]);
}

/* ---- keeps the most costly objects, misses and pairs for the page and adds up the rest; sums do not change ----
 *
 * See profile.h.
 *
 *   objects a b c d, least costly b and d       ->   a c others (line: 2, the number of objects)
 *   misses on b, on d                           ->   on others, without parts
 *   a missed because of b 5 times, of d 3 times ->   because of others (by: QN_PAGE_OTHERS) 8 times
 *   rows of misses without room                 ->   a row for each object, without a source line
 *
 * Uses of parts are part of no sum on the page: those of the folded objects, and those of the fewest bytes, are left out.  So are parts that
 * no row refers to any more.
 */

/* Only these events have a cost: compulsory, capacity and conflict misses are the same misses by class. */
static const size_t kinds[QN_PROF_DATA_MISSES] = { QN_REPORT_COST_L1, QN_REPORT_COST_L1, QN_REPORT_COST_LL, QN_REPORT_COST_LL };

static double miss_cost(const struct qn_prof_miss *m)
{
    double sum = 0;

    for (int i = 0; i < QN_PROF_DATA_MISSES; i++)
        sum += qn_report_cost(kinds[i]) * (double)m->counts[i];
    return sum;
}

/* The objects' new numbers, by their old ones: `most` objects keep a number below `most`, the others get `most`. */
static uint32_t *number_objects(struct qn_page_profile *p, uint32_t most)
{
    size_t count = p->data.object_count, above = 0;
    double *costs = qn_text_alloc(&p->memory, count * sizeof *costs), *sorted = qn_text_alloc(&p->memory, count * sizeof *sorted), least;
    uint32_t *numbers = qn_text_alloc(&p->memory, count * sizeof *numbers), used = 0;

    for (size_t i = 0; i < p->data.miss_count; i++)
        costs[p->data.misses[i].object] += miss_cost(&p->data.misses[i]);
    memcpy(sorted, costs, count * sizeof *sorted);
    least = qn_page_find_least(sorted, count, most);
    for (size_t i = 0; i < count; i++)
        above += costs[i] > least;
    for (size_t i = 0; i < count; i++) {
        bool room = costs[i] > least || (costs[i] == least && above < most);

        above += room && costs[i] == least;
        numbers[i] = room ? used++ : most;
    }
    return numbers;
}

static void fold_list(struct qn_prof_data *d, const uint32_t *numbers, uint32_t most)
{
    struct qn_prof_object others = { .kind = "others", .name = "others" };

    for (size_t i = 0; i < d->object_count; i++) {
        const struct qn_prof_object *o = &d->objects[i];

        if (numbers[i] < most) {
            d->objects[numbers[i]] = *o;
            continue;
        }
        others.line++;
        others.blocks += o->blocks;
        others.bytes += o->bytes;
    }
    d->objects[most] = others;
}

/* Members of a type belong to the first object of that type.  If that is folded, they go to the first object of the type that is not;
 * without one they are left out. */
static void fold_members(struct qn_prof_data *d, const struct qn_prof_object *old, const uint32_t *numbers, uint32_t most)
{
    size_t used = 0;

    for (size_t i = 0; i < d->member_count; i++) {
        struct qn_prof_member m = d->members[i];
        const char *type = old[m.object].type;
        uint32_t at = numbers[m.object];

        for (uint32_t k = 0; at == most && type && k < most; k++)
            if (d->objects[k].type && !strcmp(d->objects[k].type, type))
                at = k;
        if (at == most)
            continue;
        m.object = at;
        d->members[used++] = m;
    }
    d->member_count = used;
}

static void fold_objects(struct qn_page_profile *p, uint32_t most)
{
    struct qn_prof_data *d = &p->data;
    const uint32_t *numbers = number_objects(p, most);
    struct qn_prof_object *old = qn_text_alloc(&p->memory, d->object_count * sizeof *old);
    size_t uses = 0;

    memcpy(old, d->objects, d->object_count * sizeof *old);
    fold_list(d, numbers, most);
    fold_members(d, old, numbers, most);
    for (size_t i = 0; i < d->miss_count; i++) {
        d->misses[i].object = numbers[d->misses[i].object];
        if (d->misses[i].object == most)
            d->misses[i].part = QN_PROF_NO_PART;
    }
    for (size_t i = 0; i < d->part_count; i++)
        d->parts[i].object = numbers[d->parts[i].object];
    for (size_t i = 0; i < d->pair_count; i++) {
        d->pairs[i].object = numbers[d->pairs[i].object];
        d->pairs[i].by = numbers[d->pairs[i].by] == most ? QN_PAGE_OTHERS : numbers[d->pairs[i].by];
    }
    for (size_t i = 0; i < d->use_count; i++)
        if (numbers[d->uses[i].object] != most)
            d->uses[uses++] = (struct qn_prof_use){ numbers[d->uses[i].object], d->uses[i].part, d->uses[i].filled, d->uses[i].used };
    d->use_count = uses;
    d->object_count = most + 1;
}

/* The most costly first; equals in the profile's order. */
static int compare_misses(const void *a, const void *b)
{
    const struct qn_prof_miss *const *x = a, *const *y = b;
    double p = miss_cost(*x), q = miss_cost(*y);

    return p != q ? (p > q ? -1 : 1) : (*x > *y) - (*x < *y);
}

/* The rows that have room; behind them, for each object, a row with the sum of its others. */
static void fold_misses(struct qn_page_profile *p)
{
    struct qn_prof_data *d = &p->data;
    struct qn_prof_miss **sorted = qn_text_alloc(&p->memory, (d->miss_count + 1) * sizeof *sorted);
    struct qn_prof_miss *rest = qn_text_alloc(&p->memory, d->object_count * sizeof *rest), *chosen;
    size_t used = 0;

    for (size_t i = 0; i < d->miss_count; i++)
        sorted[i] = &d->misses[i];
    qsort(sorted, d->miss_count, sizeof *sorted, compare_misses);
    chosen = qn_text_alloc(&p->memory, (d->miss_count + 1) * sizeof *chosen);
    for (; used < d->miss_count && used < QN_PAGE_MISSES; used++)
        chosen[used] = *sorted[used];
    for (size_t i = 0; i < d->object_count; i++)
        rest[i] = (struct qn_prof_miss){ "", "", 0, (uint32_t)i, QN_PROF_NO_PART, { 0 } };
    for (size_t i = used; i < d->miss_count; i++)
        for (int k = 0; k < QN_PROF_DATA_EVENTS; k++)
            rest[sorted[i]->object].counts[k] += sorted[i]->counts[k];
    for (size_t i = 0; i < d->object_count; i++)
        if (miss_cost(&rest[i]) > 0)
            chosen[used++] = rest[i];
    memcpy(d->misses, chosen, used * sizeof *chosen);
    d->miss_count = used;
}

/* The most misses first; equals by number. */
static int compare_pairs(const void *a, const void *b)
{
    const struct qn_prof_pair *x = a, *y = b;

    if (x->misses != y->misses)
        return x->misses > y->misses ? -1 : 1;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    return (x->by > y->by) - (x->by < y->by);
}

static void fold_pairs(struct qn_page_profile *p)
{
    struct qn_prof_data *d = &p->data;
    struct qn_prof_pair *rest = qn_text_alloc(&p->memory, d->object_count * sizeof *rest);
    size_t used = 0;

    qsort(d->pairs, d->pair_count, sizeof *d->pairs, compare_pairs);
    for (size_t i = 0; i < d->pair_count; i++) {
        const struct qn_prof_pair pair = d->pairs[i];

        if (pair.by != QN_PAGE_OTHERS && used < QN_PAGE_PAIRS) {
            d->pairs[used++] = pair;
            continue;
        }
        rest[pair.object].misses += pair.misses;
        rest[pair.object].conflicts += pair.conflicts;
    }
    for (uint32_t i = 0; i < d->object_count && used < d->pair_count; i++)
        if (rest[i].misses)
            d->pairs[used++] = (struct qn_prof_pair){ i, QN_PAGE_OTHERS, rest[i].misses, rest[i].conflicts };
    d->pair_count = used;
}

/* The most bytes first. */
static int compare_uses(const void *a, const void *b)
{
    const struct qn_prof_use *x = a, *y = b;

    return x->filled != y->filled ? (x->filled > y->filled ? -1 : 1) : (x->part > y->part) - (x->part < y->part);
}

/* Parts that a row refers to get new numbers; the others are left out. */
static void choose_parts(struct qn_page_profile *p)
{
    struct qn_prof_data *d = &p->data;
    uint32_t *numbers = qn_text_alloc(&p->memory, (d->part_count + 1) * sizeof *numbers), used = 0;

    for (size_t i = 0; i < d->miss_count; i++)
        if (d->misses[i].part != QN_PROF_NO_PART)
            numbers[d->misses[i].part] = 1;
    for (size_t i = 0; i < d->use_count; i++)
        numbers[d->uses[i].part] = 1;
    for (size_t i = 0; i < d->part_count; i++) {
        if (!numbers[i])
            continue;
        d->parts[used] = d->parts[i];
        numbers[i] = used++;
    }
    d->part_count = used;
    for (size_t i = 0; i < d->miss_count; i++)
        if (d->misses[i].part != QN_PROF_NO_PART)
            d->misses[i].part = numbers[d->misses[i].part];
    for (size_t i = 0; i < d->use_count; i++)
        d->uses[i].part = numbers[d->uses[i].part];
}

/* Adds up objects, pairs, uses and misses without room. */
static void fold(struct qn_page_profile *p)
{
    struct qn_prof_data *d = &p->data;

    if (d->object_count > QN_PAGE_OBJECTS)
        fold_objects(p, QN_PAGE_OBJECTS);
    if (d->pair_count)
        fold_pairs(p);
    if (d->use_count > QN_PAGE_USES) {
        qsort(d->uses, d->use_count, sizeof *d->uses, compare_uses);
        d->use_count = QN_PAGE_USES;
    }
    fold_misses(p);
    choose_parts(p);
}

/* ---- the advice of out/advice.h as JSON ---- */

/* Each item's lines are an array. */
static void put_advice(struct qn_page_profile *p, FILE *out)
{
    struct qn_out_advice a;

    qn_out_find_advice(&a, &p->data);
    fputs("\"advice\":[", out);
    for (size_t i = 0; i < a.count; i++) {
        fputs(i ? "],\n[" : "[", out);
        for (char *rest = a.items[i].text, *line; (line = strsep(&rest, "\n")) && *line;) {
            fputs(line > a.items[i].text ? "," : "", out);
            qn_page_put_text(out, line);
        }
    }
    fputs(a.count ? "]],\n" : "],\n", out);
    qn_out_free_advice(&a);
}
