/* lib/page/objects.c - objects in memory and the misses on them as JSON.  See profile.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "page/json.h"
#include "page/profile.h"
#include "report/facts.h"

/* Classes are of the same misses again. */
static const size_t costs[QN_PROF_DATA_MISSES] = { QN_REPORT_COST_L1, QN_REPORT_COST_L1, QN_REPORT_COST_LL, QN_REPORT_COST_LL };

static double cost_of(const struct qn_prof_miss *m)
{
    double sum = 0;

    for (int i = 0; i < QN_PROF_DATA_MISSES; i++)
        sum += qn_report_cost(costs[i]) * (double)m->counts[i];
    return sum;
}

/* The most costly first; of equals as the profile has them. */
static int compare_misses(const void *a, const void *b)
{
    const struct qn_prof_miss *const *x = a, *const *y = b;
    double p = cost_of(*x), q = cost_of(*y);

    return p != q ? (p > q ? -1 : 1) : (*x > *y) - (*x < *y);
}

static void put_name(struct qn_page_profile *p, FILE *out, const char *name)
{
    name = name ? name : "";
    fprintf(out, "%" PRIu32, qn_text_intern(&p->names, name, strlen(name)));
}

static void put_object(FILE *out, const struct qn_prof_object *o)
{
    const char *const texts[] = { o->kind, o->name, o->type ? o->type : "", o->file ? o->file : "" };

    for (size_t i = 0; i < QN_ARRAY_LEN(texts); i++) {
        putc(i ? ',' : '[', out);
        qn_page_put_text(out, texts[i]);
    }
    fprintf(out, ",%" PRIu32 ",", o->line);
    qn_page_put_text(out, o->function ? o->function : "");
    fprintf(out, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "]", o->size, o->blocks, o->bytes, o->type_size);
}

static void put_miss(struct qn_page_profile *p, FILE *out, const struct qn_prof_miss *m)
{
    int64_t counts[QN_PROF_DATA_EVENTS];
    int n = 0;

    for (int i = 0; i < QN_PROF_DATA_EVENTS; i++)
        if (qn_prof_data_has(&p->data, i))
            counts[n++] = m->counts[i];
    putc('[', out);
    put_name(p, out, m->file);
    putc(',', out);
    put_name(p, out, m->function);
    fprintf(out, ",%" PRIu32 ",%" PRIu32 ",", m->line, m->object);
    if (m->part == QN_PROF_NO_PART)
        fputs("-1", out);
    else
        fprintf(out, "%" PRIu32, m->part);
    qn_page_put_counts(out, counts, n);
    putc(']', out);
}

/* What found no room, a row for each object, so that the sums of objects are whole. */
static size_t fold_rest(struct qn_page_profile *p, struct qn_prof_miss **sorted, size_t room)
{
    struct qn_prof_data *d = &p->data;
    struct qn_prof_miss *rest = qn_exp_alloc(&p->memory, (d->object_count + 1) * sizeof *rest);
    size_t used = room;

    for (size_t i = 0; i < d->object_count; i++)
        rest[i] = (struct qn_prof_miss){ "", "", 0, (uint32_t)i, QN_PROF_NO_PART, { 0 } };
    for (size_t i = room; i < d->miss_count; i++)
        for (int k = 0; k < QN_PROF_DATA_EVENTS; k++)
            rest[sorted[i]->object].counts[k] += sorted[i]->counts[k];
    for (size_t i = 0; i < d->object_count && used < d->miss_count; i++)
        if (cost_of(&rest[i]) > 0)
            sorted[used++] = &rest[i];
    return used;
}

static void put_misses(struct qn_page_profile *p, FILE *out)
{
    struct qn_prof_data *d = &p->data;
    struct qn_prof_miss **sorted = qn_exp_alloc(&p->memory, (d->miss_count + 1) * sizeof *sorted);
    size_t count = d->miss_count;

    for (size_t i = 0; i < count; i++)
        sorted[i] = &d->misses[i];
    qsort(sorted, count, sizeof *sorted, compare_misses);
    if (count > QN_PAGE_MISSES)
        count = fold_rest(p, sorted, QN_PAGE_MISSES);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",\n" : "", out);
        put_miss(p, out, sorted[i]);
    }
}

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
    qn_page_put_advice(p, out);
    fputs("\"objects\":[", out);
    for (size_t i = 0; i < d->object_count; i++) {
        fputs(i ? ",\n" : "", out);
        put_object(out, &d->objects[i]);
    }
    fputs("],\n\"parts\":[", out);
    for (size_t i = 0; i < d->part_count; i++) {
        fprintf(out, "%s[%" PRIu32 ",", i ? "," : "", d->parts[i].object);
        qn_page_put_text(out, d->parts[i].name);
        putc(']', out);
    }
    fputs("],\n\"members\":[", out);
    for (size_t i = 0; i < d->member_count; i++) {
        fprintf(out, "%s[%" PRIu32 ",", i ? "," : "", d->members[i].object);
        qn_page_put_text(out, d->members[i].name);
        fprintf(out, ",%" PRId64 ",%" PRId64 "]", d->members[i].offset, d->members[i].size);
    }
    fputs("],\n\"pairs\":[", out);
    for (size_t i = 0; i < d->pair_count; i++)
        fprintf(out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRId64 ",%" PRId64 "]", i ? "," : "", d->pairs[i].object, d->pairs[i].by, d->pairs[i].misses,
                d->pairs[i].conflicts);
    fprintf(out, "],\n\"line\":%" PRId64 ",\"uses\":[", d->use ? d->line : 0);
    for (size_t i = 0; i < d->use_count; i++)
        fprintf(out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRId64 ",%" PRId64 "]", i ? "," : "", d->uses[i].object, d->uses[i].part, d->uses[i].filled,
                d->uses[i].used);
    fputs("],\n\"misses\":[", out);
    put_misses(p, out);
    fprintf(out, "],\"lost\":[%" PRId64 ",%" PRId64 "]},\n", d->lost[0], d->lost[1]);
}
