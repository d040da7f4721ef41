/* lib/report/findings.c - see findings.h. */
#include "report/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/grow.h"
#include "out/sink.h"
#include "plot/words.h"
#include "report/sentences.h"

#define PLACE_LEAST 0.1   /* share of the event at one place */
#define COST_LEAST QN_REPORT_COST_LEAST /* share of the run's cost at that place */
#define SPREAD_LEAST 0.1  /* share of the run's cost, for an event that is spread over many places */
#define FUNCTIONS_NAMED 3
#define HALF 0.5          /* of the misses, for a suggestion by class */
#define FIRST_USE 0.25    /* of its cost, where findings are ranked: no other order of the program saves the first use of a line */
#define AGAIN 2           /* misses of the first level per miss of the last one: with more, code misses again */
#define FORESEEN 0.1      /* mispredicts per execution; a branch with more is hard to predict */
#define START_LEAST 0.5   /* share of the run's cost in the dynamic linker */
#define WIDE 8            /* bytes of a usual reference */
#define FULL 0.9          /* of a line: a walk that uses so much of it uses all */
#define OBJECT_LEAST 0.5 /* of a line's misses, to be named */
#define ENLARGE_MOST 8    /* times the D1's size; larger caches are not proposed */
#define PHASE_LENGTH 0.1  /* of the run */
#define PHASE_LEAST 0.4   /* of the D1 misses, in so short a time */
#define INTERVALS_LEAST 20
#define SETS_LEAST 8      /* with fewer sets, no finding about them */
#define SETS_PART 0.1     /* of all sets */
#define SETS_SHARE 0.5    /* of the misses, in so few */
#define SETS_ALL 0.98     /* of these: fewer sets that have so much are named alone */

/* Numbers of kinds[]. */
enum about { DATA_LL, DATA_D1, SHARED_FALSELY, SHARED_TRULY, CODE_LL, CODE_I1, BRANCH, INDIRECT };

static const struct kind {
    const char *events, *of, *name, *of_name;
    size_t cost; /* qn_report_cost of it */
} kinds[] = {
    [DATA_LL] = { "DLmr+DLmw", "Dr+Dw", "LL misses of data", "references", QN_REPORT_COST_LL },
    [DATA_D1] = { "D1mr+D1mw", "Dr+Dw", "D1 misses", "references", QN_REPORT_COST_L1 },
    [SHARED_FALSELY] = { "D1.false", "D1mr+D1mw", "misses of false sharing", "D1 misses", QN_REPORT_COST_L1 }, /* --cores */
    [SHARED_TRULY] = { "D1.true", "D1mr+D1mw", "misses of true sharing", "D1 misses", QN_REPORT_COST_L1 },
    [CODE_LL] = { "ILmr", "Ir", "LL misses of instructions", "instructions", QN_REPORT_COST_LL },
    [CODE_I1] = { "I1mr", "Ir", "I1 misses", "instructions", QN_REPORT_COST_L1 },
    [BRANCH] = { "Bcm", "Bc", "mispredicted conditional branches", "branches", QN_REPORT_COST_BRANCH },
    [INDIRECT] = { "Bim", "Bi", "mispredicted indirect branches", "indirect branches", QN_REPORT_COST_BRANCH },
};

static enum about about(const struct kind *k) { return (enum about)(k - kinds); }

/* What is found, before the most costly are kept. */
struct finding_list {
    struct qn_report_finding *at;
    size_t count, room;
    bool *advised; /* by item of the facts' advice: some finding says it */
};

static void add(struct finding_list *l, struct qn_report_finding finding)
{
    if (!finding.avoidable)
        finding.avoidable = finding.cost;
    QN_MORE(l->at, l->count, l->room, 16);
    l->at[l->count++] = finding;
}

static const char *say(struct qn_report_facts *f, double count)
{
    char text[QN_OUT_COUNT_MAX];

    qn_out_commify(text, (int64_t)count);
    return qn_text_copy(&f->memory, text);
}

static double percent(double part, double whole) { return whole ? 100 * part / whole : 0; }

/* ---- why a line misses ---- */

struct classes {
    double compulsory, capacity, conflict, all;
};

static struct classes find_classes(const struct qn_report_facts *f, int line)
{
    struct classes c = {
        .compulsory = qn_report_count(&f->lines, line, "AN.compulsory"),
        .capacity = qn_report_count(&f->lines, line, "AN.capacity"),
        .conflict = qn_report_count(&f->lines, line, "AN.conflict"),
    };

    c.all = c.compulsory + c.capacity + c.conflict;
    return c;
}

/* The next knee above the D1's size, which would be large enough. */
static const char *say_knee(struct qn_report_facts *f)
{
    for (int i = 0; i < f->knee_count; i++)
        if (f->knees[i] > f->size[QN_REPORT_D1])
            return qn_text_format(&f->memory, SAY_KNEE, qn_plot_say_bytes(&f->memory, f->knees[i]));
    return "";
}

/* How little of a fetched line is used; "": enough.  Where that is not known, how it is found out. */
static const char *say_few(struct qn_report_facts *f, int line)
{
    double bytes = f->line[QN_REPORT_D1], filled = qn_report_count(&f->lines, line, "D1.filled"), used = qn_report_count(&f->lines, line, "D1.used");
    double references = qn_report_count(&f->lines, line, "Dr+Dw"), misses = qn_report_count(&f->lines, line, "D1mr+D1mw");
    const char *use = f->data.object_count ? SAY_USE_OF_OBJECTS : SAY_USE;

    if (line < 0 || !bytes || !misses)
        return "";
    if (qn_report_has_event(f, "D1.filled"))
        return filled > 0 && used < HALF * filled ? qn_text_format(&f->memory, SAY_FEW_BYTES, bytes * used / filled, bytes) : "";
    if (qn_report_has_line(&f->lines.at[line]) && references / misses < FULL * bytes / WIDE)
        return qn_text_format(&f->memory, SAY_FEW_REFERENCES "%s", references / misses, bytes, use);
    return use;
}

static const char *advise_D1(struct qn_report_facts *f, int line)
{
    struct classes c = find_classes(f, line);
    const char *text = c.all ? SAY_D1_MIXED : SAY_D1_UNKNOWN;

    if (c.conflict > HALF * c.all)
        return SAY_D1_CONFLICT;
    if (c.compulsory > HALF * c.all)
        text = SAY_D1_COMPULSORY;
    else if (c.capacity > HALF * c.all)
        text = qn_text_format(&f->memory, SAY_D1_CAPACITY "%s", qn_plot_say_bytes(&f->memory, f->size[QN_REPORT_D1]), say_knee(f));
    return qn_text_format(&f->memory, "%s%s", text, say_few(f, line));
}

/* First uses among LL misses of data: a line that was never used before misses the D1, too, as a compulsory miss. -1: not known. */
static double count_first_uses(const struct qn_report_facts *f, int line)
{
    struct classes c = find_classes(f, line);

    if (!qn_report_has_event(f, "AN.compulsory") || f->line[QN_REPORT_D1] != f->line[QN_REPORT_LL])
        return -1;
    return fmin(c.compulsory, qn_report_count(&f->lines, line, "DLmr+DLmw"));
}

static const char *advise_LL(struct qn_report_facts *f, int line)
{
    double misses = qn_report_count(&f->lines, line, "DLmr+DLmw"), first = count_first_uses(f, line);
    double line_bytes = f->line[QN_REPORT_LL], size = f->size[QN_REPORT_LL], data = line_bytes * find_classes(f, -1).compulsory;
    double all = data + line_bytes * qn_report_count(&f->lines, -1, "ILmr");

    if (first < 0)
        return SAY_LL_UNKNOWN;
    if (first > HALF * misses)
        return qn_text_format(&f->memory, SAY_LL_FIRST "%s", say_few(f, line));
    if (all <= size)
        return qn_text_format(&f->memory, SAY_LL_CONFLICT, qn_report_say_about(f, all), qn_plot_say_bytes(&f->memory, size));
    return qn_text_format(&f->memory, SAY_LL_CAPACITY "%s", data > size ? "data" : "data and code", qn_report_say_about(f, data > size ? data : all),
                         data > size ? "exceeds" : "exceed", qn_plot_say_bytes(&f->memory, size), say_few(f, line));
}

/* Did all lines that came from memory fit the LL together?  Then each came once. */
static bool fits_LL(const struct qn_report_facts *f)
{
    return qn_report_count(&f->lines, -1, "ILmr+DLmr+DLmw") * f->line[QN_REPORT_LL] <= f->size[QN_REPORT_LL];
}

/* Of code that misses the I1 again and again. */
static const char *advise_I1(struct qn_report_facts *f)
{
    double size = f->size[QN_REPORT_I1], code = 0;

    for (int i = 0; i < f->functions.count; i++)
        if (qn_report_count(&f->functions, i, "I1mr") > AGAIN * qn_report_count(&f->functions, i, "ILmr"))
            code += f->line[QN_REPORT_LL] * qn_report_count(&f->functions, i, "ILmr");
    if (fits_LL(f) && code > size)
        return qn_text_format(&f->memory, SAY_I1_CAPACITY, qn_report_say_about(f, code), qn_plot_say_bytes(&f->memory, size));
    if (fits_LL(f) && code <= HALF * size)
        return qn_text_format(&f->memory, SAY_I1_CONFLICT, qn_report_say_about(f, code), qn_plot_say_bytes(&f->memory, size));
    return qn_text_format(&f->memory, SAY_I1_AGAIN, qn_plot_say_bytes(&f->memory, size));
}

/* ---- objects in memory ---- */

static double count_misses(const struct qn_prof_miss *m, bool of_LL)
{
    return of_LL ? (double)m->counts[QN_PROF_DLMR] + (double)m->counts[QN_PROF_DLMW]
                 : (double)m->counts[QN_PROF_D1MR] + (double)m->counts[QN_PROF_D1MW];
}

static bool is_here(const struct qn_prof_miss *m, const struct qn_plot_centre *c)
{
    return m->line == c->line && !strcmp(m->file, c->file) && (c->line || !strcmp(m->function, c->function));
}

/* The object with most of the misses of a line, at least half; -1: none has so many.  *share: of these. */
static int64_t find_object(const struct qn_report_facts *f, const struct qn_plot_centre *c, bool of_LL, double *share)
{
    double *sums = QN_NEEDED(calloc(f->data.object_count + 1, sizeof *sums)), all = 0;
    int64_t most = -1;

    for (size_t i = 0; i < f->data.miss_count; i++) {
        const struct qn_prof_miss *m = &f->data.misses[i];

        if (!is_here(m, c))
            continue;
        all += count_misses(m, of_LL);
        sums[m->object] += count_misses(m, of_LL);
        if (most < 0 || sums[m->object] > sums[most])
            most = m->object;
    }
    *share = most >= 0 && all > 0 ? sums[most] / all : 0;
    free(sums);
    return *share >= OBJECT_LEAST ? most : -1;
}

/* "; 60% of what it misses was evicted by itself." */
static const char *name_evictor(struct qn_report_facts *f, const struct qn_plot_centre *c)
{
    const struct qn_text_table *t = &f->culprits;
    int file = qn_text_find_column(t, "file"), line = qn_text_find_column(t, "line"), by_file = qn_text_find_column(t, "evictor_file");
    int by_line = qn_text_find_column(t, "evictor_line"), count = qn_text_find_column(t, "count"), of = qn_text_find_column(t, "of");

    for (int row = 0; row < t->row_count && c->line; row++) {
        const char *by = qn_text_cell(t, row, by_file);

        if (strcmp(qn_text_cell(t, row, file), c->file) || qn_text_number(t, row, line) != c->line)
            continue;
        if (!strcmp(by, c->file) && qn_text_number(t, row, by_line) == c->line)
            by = "itself";
        else
            by = qn_text_format(&f->memory, "%s:%s", strrchr(by, '/') ? strrchr(by, '/') + 1 : by, qn_text_cell(t, row, by_line));
        return qn_text_format(&f->memory, " %.0f%% of what it misses was evicted by %s.",
                             100 * qn_text_number(t, row, count) / fmax(1, qn_text_number(t, row, of)), by);
    }
    return "";
}

static const char *name_object(struct qn_report_facts *f, const struct qn_plot_centre *c, bool of_LL)
{
    char name[600];
    double share;
    int64_t object = find_object(f, c, of_LL, &share);
    const char *evictor = of_LL ? "" : name_evictor(f, c);

    if (object < 0)
        return evictor;
    qn_prof_describe_object(&f->data.objects[object], name, sizeof name);
    return qn_text_format(&f->memory, " %.0f%% of them are on %s.%s", 100 * share, name, evictor);
}

/* The text of an item: its subject, ": ", and its rules with full stops. */
static const char *join_rules(struct qn_report_facts *f, const char *text)
{
    const char *joined = "";

    for (size_t n; *text; text += n + 1) {
        n = strcspn(text, "\n");
        joined = qn_text_format(&f->memory, "%s%s%.*s", joined, *joined ? ". " : "", (int)n, text);
    }
    return joined;
}

static const char *skip_subject(const char *text) { return text + strcspn(text, "\n") + 1; }

static const char *advise_object(struct qn_report_facts *f, const struct qn_plot_centre *c, bool *advised)
{
    double share;
    int64_t object = find_object(f, c, false, &share);
    const char *text = "";

    for (size_t i = 0; i < f->advice.count && object >= 0; i++) {
        const struct qn_out_advice_item *item = &f->advice.items[i];
        const char *type = f->data.objects[object].type;

        if (item->type ? !type || strcmp(item->type, type) : item->object != object)
            continue;
        text = qn_text_format(&f->memory, "%s %.*s in the whole run: %s.", text, item->name_length, item->text, join_rules(f, skip_subject(item->text)));
        advised[i] = true;
    }
    return text;
}

static bool examine_object(struct qn_report_facts *f, size_t item, struct qn_report_finding *finding)
{
    const struct qn_out_advice_item *a = &f->advice.items[item];

    *finding = (struct qn_report_finding){ .line = -1, .cost = (double)a->misses * qn_report_cost(QN_REPORT_COST_L1) / f->lines.total };
    finding->what = qn_text_copy_part(&f->memory, a->text, strcspn(a->text, "\n"));
    finding->proof = qn_text_format(&f->memory, "These are about %.0f%% of the estimated cycles of the run.", 100 * finding->cost);
    finding->advice = qn_text_format(&f->memory, "%s.", join_rules(f, skip_subject(a->text)));
    return finding->cost >= QN_REPORT_COST_LEAST;
}

/* ---- one place ---- */

static const char *name_place(struct qn_report_facts *f, const struct qn_plot_centre *c)
{
    if (!qn_report_has_line(c))
        return c->name;
    return qn_text_format(&f->memory, "%s, in %s%s", c->name, qn_plot_shorten_name(&f->memory, c->function, QN_REPORT_NAME_ROOM), c->others);
}

static const char *advise(struct qn_report_facts *f, const struct kind *k, int line)
{
    bool hard = qn_report_count(&f->lines, line, k->events) > FORESEEN * qn_report_count(&f->lines, line, k->of);

    switch (about(k)) {
    case DATA_LL: return advise_LL(f, line);
    case DATA_D1: return advise_D1(f, line);
    case SHARED_FALSELY: return qn_report_advise_pad(f, line < 0 ? NULL : &f->lines.at[line], "");
    case SHARED_TRULY: return SAY_TRUE_SHARING;
    case CODE_LL:
        return fits_LL(f) ? SAY_LLI_FIRST : qn_text_format(&f->memory, SAY_LLI_MUCH, qn_plot_say_bytes(&f->memory, f->size[QN_REPORT_LL]));
    case CODE_I1: return advise_I1(f);
    case BRANCH: return hard ? SAY_BRANCH_HARD : SAY_BRANCH_MANY;
    default: return hard ? SAY_INDIRECT_HARD : SAY_INDIRECT_MANY;
    }
}

static bool is_data(const struct kind *k) { return about(k) == DATA_LL || about(k) == DATA_D1; }

/* " 95% of them are compulsory, 5% capacity, 0% conflict misses."  Of the LL: how many are first uses. */
static const char *say_classes(struct qn_report_facts *f, const struct kind *k, int line)
{
    struct classes c = find_classes(f, line);
    double first = count_first_uses(f, line), misses = qn_report_count(&f->lines, line, k->events);

    if (about(k) == DATA_LL && first >= 0)
        return qn_text_format(&f->memory, " %.0f%% of them are first uses of a line.", percent(first, misses));
    if (about(k) != DATA_D1 || !c.all)
        return "";
    return qn_text_format(&f->memory, " %.0f%% of them are compulsory, %.0f%% capacity, %.0f%% conflict misses.", percent(c.compulsory, c.all),
                         percent(c.capacity, c.all), percent(c.conflict, c.all));
}

static double cost_of(const struct qn_report_facts *f, const struct kind *k, int line)
{
    return qn_report_count(&f->lines, line, k->events) * qn_report_cost(k->cost) / f->lines.total;
}

/* What another order of the program could save of it, for the ranking. */
static double avoidable_cost_of(const struct qn_report_facts *f, const struct kind *k, int line)
{
    struct classes c = find_classes(f, line);
    double misses = qn_report_count(&f->lines, line, k->events), first = 0;

    if (about(k) == DATA_LL && count_first_uses(f, line) >= 0)
        first = count_first_uses(f, line);
    else if (about(k) == DATA_D1 && c.all)
        first = c.compulsory / c.all * misses;
    else if ((about(k) == DATA_LL || about(k) == CODE_LL) && fits_LL(f))
        first = misses; /* most likely */
    return cost_of(f, k, line) * (misses ? 1 - (1 - FIRST_USE) * first / misses : 1);
}

static bool stands_out(const struct qn_report_facts *f, const struct kind *k, int line)
{
    double v = qn_report_count(&f->lines, line, k->events);

    return v > 0 && v >= PLACE_LEAST * qn_report_count(&f->lines, -1, k->events) && cost_of(f, k, line) >= COST_LEAST;
}

/* Most misses of the first level are also misses of the last one, which cost more.  Of code they are first uses then; of data there is a finding
 * about them, whose cause is that of both. */
static bool is_told_by_LL(const struct qn_report_facts *f, const struct kind *k, int line)
{
    const struct kind *LL = k - 1;
    bool most = (about(k) == DATA_D1 || about(k) == CODE_I1)
                && AGAIN * qn_report_count(&f->lines, line, LL->events) >= qn_report_count(&f->lines, line, k->events);

    return most && (about(k) == CODE_I1 || (line < 0 ? cost_of(f, LL, -1) >= SPREAD_LEAST : stands_out(f, LL, line)));
}

/* Most of its misses are on lines that another core had taken: what is said of other D1 misses would not help. */
static bool is_told_by_sharing(const struct qn_report_facts *f, const struct kind *k, int line)
{
    double shared = qn_report_count(&f->lines, line, "D1.false") + qn_report_count(&f->lines, line, "D1.true");

    return about(k) == DATA_D1 && shared > HALF * qn_report_count(&f->lines, line, k->events);
}

/* Code without lines has many branches, of which the sentences about one say nothing. */
static const char *advise_place(struct qn_report_facts *f, const struct kind *k, int line, bool *advised)
{
    const struct qn_plot_centre *c = &f->lines.at[line];
    bool has_line = qn_report_has_line(c);

    if (!has_line && (about(k) == BRANCH || about(k) == INDIRECT))
        return &SAY_NO_LINE[1];
    return qn_text_format(&f->memory, "%s%s%s", advise(f, k, line), is_data(k) ? advise_object(f, c, advised) : "",
                         has_line || qn_report_lacks_lines(f) ? "" : SAY_NO_LINE); /* else it is a hint above all */
}

/* "16.9 M D1 misses (86%): capacity, on b". */
static const char *say_briefly(struct qn_report_facts *f, const struct kind *k, int line, const char *object)
{
    double v = qn_report_count(&f->lines, line, k->events), all = qn_report_count(&f->lines, -1, k->events);
    struct classes c = find_classes(f, line);
    const char *class = "";
    char count[QN_OUT_PERCENT_MAX];

    qn_out_brief(count, v);
    if (about(k) == DATA_D1 && c.all)
        class = c.conflict >= c.capacity && c.conflict >= c.compulsory ? "conflict" : c.capacity >= c.compulsory ? "capacity" : "compulsory";
    else if (about(k) == DATA_LL && count_first_uses(f, line) >= 0)
        class = count_first_uses(f, line) > HALF * v ? "first uses" : "evicted before";
    return qn_text_format(&f->memory, "%s %s (%.0f%%)%s%s%s%s", count, k->name, percent(v, all), *class || object ? ": " : "", class,
                         object ? *class ? ", on " : "on " : "", object ? object : "");
}

static void add_place(struct qn_report_facts *f, const struct kind *k, int line, struct finding_list *l)
{
    const struct qn_plot_centre *c = &f->lines.at[line];
    double v = qn_report_count(&f->lines, line, k->events), all = qn_report_count(&f->lines, -1, k->events);
    double of = qn_report_count(&f->lines, line, k->of);
    struct qn_report_finding finding = { .line = line, .cost = cost_of(f, k, line), .avoidable = avoidable_cost_of(f, k, line) };

    finding.what = qn_text_format(&f->memory, "%s: %s %s", name_place(f, c), say(f, v), k->name);
    finding.proof =
        qn_text_format(&f->memory,
                      "That is %.1f%% of all %s, %.1f%% of the %s %s here. They are about %.0f%% of the estimated cycles of the run; "
                      "the place as a whole has %.0f%%.%s%s",
                      percent(v, all), say(f, all), percent(v, of), say(f, of), k->of_name, 100 * finding.cost, percent(c->value, f->lines.total),
                      say_classes(f, k, line), is_data(k) ? name_object(f, c, about(k) == DATA_LL) : "");
    if (is_data(k)) {
        double share;
        int64_t object = find_object(f, c, about(k) == DATA_LL, &share);

        finding.object = object < 0 ? NULL : f->data.objects[object].name;
    }
    finding.brief = say_briefly(f, k, line, finding.object);
    finding.advice = qn_report_is_loader(f, c) ? SAY_LOADER : advise_place(f, k, line, l->advised);
    add(l, finding);
}

/* ---- many places ---- */

/* The function with the most of an event, except `count` others; -1: there is none. */
static int find_next(const struct qn_report_facts *f, const char *events, const int *others, int count)
{
    double most = 0;
    int found = -1;

    for (int i = 0; i < f->functions.count; i++) {
        double v = qn_report_count(&f->functions, i, events);
        bool named = false;

        for (int k = 0; k < count; k++)
            named |= others[k] == i;
        if (v > most && !named) {
            most = v;
            found = i;
        }
    }
    return found;
}

/* For an event that no single place has a large share of: "f (3.1%), g (2.9%), h (2.0%)". */
static const char *name_functions(struct qn_report_facts *f, const char *events, double all)
{
    int named[FUNCTIONS_NAMED];
    const char *text = "";

    for (int n = 0; n < FUNCTIONS_NAMED; n++) {
        named[n] = find_next(f, events, named, n);
        if (named[n] < 0)
            break;
        text = qn_text_format(&f->memory, "%s%s%s (%.1f%%)", text, n ? ", " : "", f->functions.at[named[n]].name,
                             percent(qn_report_count(&f->functions, named[n], events), all));
    }
    return text;
}

static void add_spread(struct qn_report_facts *f, const struct kind *k, struct finding_list *l)
{
    double all = qn_report_count(&f->lines, -1, k->events), of = qn_report_count(&f->lines, -1, k->of);
    struct qn_report_finding finding = { .line = -1, .cost = cost_of(f, k, -1), .avoidable = avoidable_cost_of(f, k, -1) };

    finding.what = qn_text_format(&f->memory, "%s %s, in many places", say(f, all), k->name);
    finding.proof =
        qn_text_format(&f->memory,
                      "They are %.2f%% of all %s, and about %.0f%% of the estimated cycles of the run, but no line has a "
                      "tenth of them. The functions with the most: %s.%s",
                      percent(all, of), k->of_name, 100 * finding.cost, name_functions(f, k->events, all), say_classes(f, k, -1));
    finding.advice = about(k) == CODE_LL || about(k) == CODE_I1 ? advise(f, k, -1)
                     : is_data(k)                               ? qn_text_format(&f->memory, "%s" SAY_SPREAD, advise(f, k, -1))
                                                                : &SAY_SPREAD[1];
    add(l, finding);
}

static void examine(struct qn_report_facts *f, const struct kind *k, struct finding_list *l)
{
    bool any = false;

    for (int i = 0; i < f->lines.count; i++) {
        if (!stands_out(f, k, i))
            continue;
        any = true;
        if (!is_told_by_LL(f, k, i) && !is_told_by_sharing(f, k, i))
            add_place(f, k, i, l);
    }
    if (!any && cost_of(f, k, -1) >= SPREAD_LEAST && !is_told_by_LL(f, k, -1) && !is_told_by_sharing(f, k, -1))
        add_spread(f, k, l);
}

/* ---- the whole run ---- */

static double cell(const struct qn_text_table *t, int row, const char *column) { return qn_text_number(t, row, qn_text_find_column(t, column)); }

void qn_report_find_knees(struct qn_report_facts *f)
{
    const struct qn_text_table *curve = &f->curve;
    struct qn_text_table sizes = { 0 };

    qn_text_add_column(&sizes, "size");
    qn_text_add_column(&sizes, "misses");
    for (int row = 0; row < f->runs.row_count; row++) {
        char **cells = qn_text_add_row(&sizes);

        cells[0] = qn_text_format(&f->memory, "%.0f", cell(&f->runs, row, "D1_size"));
        cells[1] = qn_text_format(&f->memory, "%g", cell(&f->runs, row, "D1_miss_percent"));
    }
    f->knee_count = qn_plot_find_knees(curve->row_count ? curve : &sizes, f->knees);
    qn_text_free_table(&sizes);
}

/* The smallest larger D1 that misses half as often. */
static bool examine_size(struct qn_report_facts *f, struct qn_report_finding *finding)
{
    struct classes c = find_classes(f, -1);
    double now = -1;

    for (int row = 0; row < f->runs.row_count; row++)
        if (cell(&f->runs, row, "D1_size") == f->size[QN_REPORT_D1])
            now = cell(&f->runs, row, "D1_miss_percent");
    for (int row = 0; row < f->runs.row_count && now > 0; row++) {
        double size = cell(&f->runs, row, "D1_size"), then = cell(&f->runs, row, "D1_miss_percent");

        if (size <= f->size[QN_REPORT_D1] || size > ENLARGE_MOST * f->size[QN_REPORT_D1] || then > HALF * now
            || strcmp(qn_text_cell(&f->runs, row, qn_text_find_column(&f->runs, "status")), "ok"))
            continue;
        finding->cost = cost_of(f, &kinds[DATA_D1], -1) * (now - then) / now;
        finding->what = qn_text_format(&f->memory, "A D1 of %s instead of %s would miss half as often, or less",
                                      qn_plot_say_bytes(&f->memory, size),
                                      qn_plot_say_bytes(&f->memory, f->size[QN_REPORT_D1]));
        finding->proof =
            qn_text_format(&f->memory, "It misses in %.2f%% of all references, the larger one in %.2f%%.", now, then);
        finding->advice = c.conflict > HALF * c.all ? SAY_SIZE_CONFLICT : c.capacity > HALF * c.all ? SAY_SIZE_CAPACITY : SAY_SIZE;
        return finding->cost >= QN_REPORT_COST_LEAST;
    }
    return false;
}

static double d1_misses(const struct qn_text_table *t, int row) { return cell(t, row, "D1mr") + cell(t, row, "D1mw"); }

/* Finds a tenth of the run that has much more than its share of the misses. */
static bool examine_phases(struct qn_report_facts *f, struct qn_report_finding *finding)
{
    const struct qn_text_table *t = &f->intervals;
    int length = (int)(t->row_count * PHASE_LENGTH), worst = 0;
    double all = 0, most = 0;

    if (t->row_count < INTERVALS_LEAST)
        return false;
    for (int row = 0; row < t->row_count; row++) {
        double sum = 0;

        all += d1_misses(t, row);
        for (int i = row; i < row + length && row + length <= t->row_count; i++)
            sum += d1_misses(t, i);
        if (sum > most) {
            most = sum;
            worst = row;
        }
    }
    if (!all || most < PHASE_LEAST * all)
        return false;
    finding->cost = cost_of(f, &kinds[DATA_D1], -1) * most / all;
    finding->what = qn_text_format(&f->memory, "A tenth of the run has %.0f%% of the D1 misses", 100 * most / all);
    finding->proof =
        qn_text_format(&f->memory, "%.0f%% of them fall between %.3g and %.3g million of its %.3g million instructions.",
                      100 * most / all, cell(t, worst, "start") / 1e6, cell(t, worst + length - 1, "end") / 1e6,
                      cell(t, t->row_count - 1, "end") / 1e6);
    finding->advice = SAY_PHASE;
    return finding->cost >= QN_REPORT_COST_LEAST;
}

static int compare_falling(const void *a, const void *b) { return QN_COMPARE(*(const double *)b, *(const double *)a); }

/* Misses of sets, the largest first; to be freed. */
static double *sort_sets(const struct qn_text_table *t)
{
    double *misses = QN_NEEDED(calloc((size_t)t->row_count + 1, sizeof *misses));

    for (int row = 0; row < t->row_count; row++)
        misses[row] = cell(t, row, "misses");
    qsort(misses, (size_t)t->row_count, sizeof *misses, compare_falling);
    return misses;
}

static double sum(const double *values, int count)
{
    double all = 0;

    for (int i = 0; i < count; i++)
        all += values[i];
    return all;
}

static bool examine_sets(struct qn_report_facts *f, struct qn_report_finding *finding)
{
    int sets = f->sets.row_count, few = (int)(sets * SETS_PART) > 0 ? (int)(sets * SETS_PART) : 1;
    struct classes c = find_classes(f, -1);
    double *misses = sort_sets(&f->sets), all = sum(misses, sets), most = sum(misses, few);
    bool found = sets >= SETS_LEAST && most && most >= SETS_SHARE * all && (!c.all || c.conflict > HALF * c.all);

    while (few > 1 && sum(misses, few - 1) >= SETS_ALL * most)
        few--;
    most = sum(misses, few);
    free(misses);
    if (!found)
        return false;
    finding->cost = cost_of(f, &kinds[DATA_D1], -1) * most / all;
    finding->what = few == 1 ? "One set of the D1 has most of its misses" : "A few sets of the D1 have most of its misses";
    finding->proof = qn_text_format(&f->memory, few == 1 ? "%d of %d sets has %.0f%% of them." : "%d of %d sets have %.0f%% of them.", few, sets,
                                   100 * most / all);
    finding->advice = c.all > 0 ? SAY_SETS : SAY_SETS_UNKNOWN;
    return finding->cost >= QN_REPORT_COST_LEAST;
}

/* ---- all ---- */

static void add_start(struct qn_report_facts *f, struct finding_list *l)
{
    double share = qn_report_loader_share(f);

    if (share < START_LEAST)
        return;
    add(l, (struct qn_report_finding){
               .what = qn_text_format(&f->memory, "The dynamic linker has %.0f%% of the estimated cycles", 100 * share),
               .proof = "It loads the program and its libraries, and binds their symbols, before main begins.",
               .advice = SAY_START,
               .line = -1,
               .cost = 1 });
}

static int compare_lines(const void *a, const void *b)
{
    const struct qn_report_finding *x = a, *y = b;

    return QN_COMPARE(x->line, y->line);
}

/* Adds up what the findings about each line could save. */
static void sum_places(struct qn_report_finding *at, size_t count)
{
    size_t end;

    qsort(at, count, sizeof *at, compare_lines);
    for (size_t start = 0; start < count; start = end) {
        double sum = 0;

        for (end = start; end < count && (end == start || (at[end].line >= 0 && at[end].line == at[start].line)); end++)
            sum += at[end].avoidable;
        for (size_t i = start; i < end; i++)
            at[i].place = sum;
    }
}

/* Findings about places come before those about the whole run. */
static int compare_findings(const void *a, const void *b)
{
    const struct qn_report_finding *x = a, *y = b;
    const double by[] = { x->whole - y->whole, y->place - x->place, y->avoidable - x->avoidable };

    for (size_t i = 0; i < QN_ARRAY_LEN(by); i++)
        if (by[i])
            return by[i] > 0 ? 1 : -1;
    return strcmp(x->what, y->what);
}

int qn_report_find(struct qn_report_facts *f, struct qn_report_finding findings[QN_REPORT_FINDINGS_MAX])
{
    static bool (*const wholes[])(struct qn_report_facts *, struct qn_report_finding *) = {
        examine_sets, examine_size, examine_phases
    };
    struct finding_list l = { .advised = qn_text_alloc(&f->memory, f->advice.count + 1) };
    struct qn_report_finding finding;
    size_t count;

    if (!f->lines.total)
        return 0;
    add_start(f, &l);
    for (size_t i = 0; i < QN_ARRAY_LEN(kinds); i++)
        examine(f, &kinds[i], &l);
    for (size_t i = 0; i < f->advice.count; i++)
        if (!l.advised[i] && examine_object(f, i, &finding))
            add(&l, finding);
    if (qn_report_examine_sharing(f, &finding))
        add(&l, finding);
    for (size_t i = 0; i < QN_ARRAY_LEN(wholes); i++) {
        finding = (struct qn_report_finding){ .line = -1, .whole = true };
        if (wholes[i](f, &finding))
            add(&l, finding);
    }
    if (l.count) {
        sum_places(l.at, l.count);
        qsort(l.at, l.count, sizeof *l.at, compare_findings);
    }
    count = l.count < QN_REPORT_FINDINGS_MAX ? l.count : QN_REPORT_FINDINGS_MAX;
    if (count)
        memcpy(findings, l.at, count * sizeof *findings);
    free(l.at);
    return (int)count;
}

void qn_report_hint(struct qn_report_facts *f, const char *hints[QN_REPORT_HINTS_MAX])
{
    const char *threads = qn_report_describe(f, "Threads:");
    int count = 0;

    if (threads && !f->sharing.column_count && !qn_report_has_event(f, "D1.false"))
        hints[count++] = qn_text_format(&f->memory, SAY_THREADS, threads);
    if (qn_report_lacks_lines(f))
        hints[count++] = SAY_NO_LINES;
    hints[count] = NULL;
}
