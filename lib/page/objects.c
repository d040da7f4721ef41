/* lib/page/objects.c - data objects and the misses on them as JSON.  See profile.h. */
#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include "page/json.h"
#include "page/profile.h"
#include "report/facts.h"

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

/* -1 for `none`. */
static int64_t or_none(uint32_t number, uint32_t none) { return number == none ? -1 : (int64_t)number; }

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
    fprintf(out, ",%" PRIu32 ",%" PRIu32 ",%" PRId64, m->line, m->object, or_none(m->part, QN_PROF_NO_PART));
    qn_page_put_counts(out, counts, n);
    putc(']', out);
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
    qn_page_put_advice(p, out); /* of all objects */
    qn_page_fold_objects(p);
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
