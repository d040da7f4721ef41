/* tools/lab/lab_similar.c - who has how much in common with whom: the submissions of a class, those of an earlier one, modules that ship, solutions.
 *
 *   similar.csv     first,second,percent,shared,of: all pairs, the most alike first (lab/similar.h), behind the preprocessor.  Only students of
 *                   the class are first; "earlier/ada", "sim/policy/lru.c" and "the solution" are second
 *   similar.html    of the pairs that are most alike both texts, and in them what they share
 */
#define _GNU_SOURCE

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../tools.h"
#include "base/grow.h"
#include "engines/engines.h"
#include "lab_tool.h"
#include "report/html.h"
#include "text/error.h"

#define SHOWN_PAIRS 20
#define SHOWN_PERCENT 60

struct pair {
    unsigned first, second;
    size_t shared, of;
};

/* ---- what there is to compare ---- */

struct reading {
    FILE *text;
    struct qn_lab_prints *prints;
};

static void take_file(void *reading, const char *text)
{
    struct reading *r = reading;

    qn_lab_add_prints(r->prints, text, strlen(text));
    fprintf(r->text, "%s\n", text);
}

/* The lab's files in a folder, behind the preprocessor. */
static bool read_work(struct qn_lab_works *w, const struct qn_lab *lab, const char *folder, struct qn_lab_work *work)
{
    const struct qn_lab_request r = { .lab = lab, .directory = folder };
    struct reading reading = { QN_NEEDED(open_memstream(&work->text, &work->size)), &work->prints };
    bool good = qn_lab_read_sources(&r, w->place, take_file, &reading);

    fclose(reading.text);
    return good;
}

static bool add_work(struct qn_lab_works *w, const struct qn_lab *lab, const char *folder, char *name)
{
    struct qn_lab_work *work;
    bool good;

    if (!w->has_base) {
        struct qn_lab_work base = { NULL, NULL, 0, { .n = 0 } };
        char starter[PATH_MAX];

        w->has_base = true;
        snprintf(starter, sizeof starter, "%s/%s/starter", w->place->labs, w->lab->folder);
        good = read_work(w, w->lab, starter, &base);
        free(base.text);
        qn_lab_finish_prints(&base.prints, NULL);
        w->base = base.prints;
        if (!good)
            return free(name), false;
    }
    QN_MORE(w->at, w->n, w->room, 64);
    work = &w->at[w->n++];
    *work = (struct qn_lab_work){ .name = QN_NEEDED(name) };
    good = read_work(w, lab, folder, work);
    qn_lab_finish_prints(&work->prints, &w->base);
    return good;
}

static bool add_students(struct qn_lab_works *w, const char *folder, const struct qn_lab_students *list, const char *before)
{
    char path[PATH_MAX], *name;

    for (unsigned i = 0; i < list->n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, list->name[i]);
        if (asprintf(&name, "%s%s", before, list->name[i]) < 0)
            qn_no_memory();
        if (!add_work(w, w->lab, path, name))
            return false;
    }
    return true;
}

bool qn_lab_add_class(struct qn_lab_works *w, const char *folder, const struct qn_lab_students *list)
{
    bool good = add_students(w, folder, list, "");

    w->own = w->n;
    return good;
}

bool qn_lab_add_earlier(struct qn_lab_works *w, const char *folder)
{
    struct qn_lab_students list;
    bool good;

    if (qn_lab_list_students(&list, folder))
        return false;
    good = add_students(w, folder, &list, "earlier/");
    qn_lab_free_students(&list);
    return good;
}

bool qn_lab_add_public(struct qn_lab_works *w)
{
    char pattern[PATH_MAX + 64];
    glob_t found = { 0 };
    bool good = true;

    for (size_t i = 0; w->lab->files[1] && qn_engines_folders[i]; i++) {
        snprintf(pattern, sizeof pattern, "%s/sim/%s/*.c", w->place->library, qn_engines_folders[i]);
        glob(pattern, i ? GLOB_APPEND : 0, NULL, &found);
    }
    for (size_t i = 0; good && i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i], *name = strrchr(path, '/') + 1, *const files[] = { name, NULL };
        const struct qn_lab one = { .folder = w->lab->folder, .files = files };

        snprintf(pattern, sizeof pattern, "%.*s", (int)(name - path), path);
        good = add_work(w, &one, pattern, strdup(path + strlen(w->place->library) + 1));
    }
    globfree(&found);
    for (unsigned variant = 0; good && variant < 2; variant++) {
        snprintf(pattern, sizeof pattern, "%s/solutions/%s%s", w->place->labs, w->lab->folder, variant ? "/variant" : "");
        if (access(pattern, R_OK) == 0)
            good = add_work(w, w->lab, pattern, strdup(variant ? "a variant's solution" : "the solution"));
    }
    return good;
}

void qn_lab_free_works(struct qn_lab_works *w)
{
    for (unsigned i = 0; i < w->n; i++) {
        qn_lab_free_prints(&w->at[i].prints);
        free(w->at[i].name);
        free(w->at[i].text);
    }
    free(w->at);
    qn_lab_free_prints(&w->base);
}

/* ---- pairs ---- */

static struct pair compare(const struct qn_lab_works *w, unsigned first, unsigned second)
{
    const struct qn_lab_prints *a = &w->at[first].prints, *b = &w->at[second].prints;
    size_t of = a->n < b->n ? a->n : b->n;

    return (struct pair){ first, second, qn_lab_count_shared(a, b), of ? of : 1 };
}

static size_t percent(const struct pair *p) { return 100 * p->shared / p->of; }

unsigned qn_lab_most_alike(const struct qn_lab_works *w, unsigned i, unsigned *other)
{
    unsigned most = 0;

    for (unsigned k = w->own; k < w->n; k++) {
        struct pair p = compare(w, i, k);

        if (percent(&p) > most) {
            most = (unsigned)percent(&p);
            *other = k;
        }
    }
    return most;
}

static int by_percent(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    size_t x = a->shared * b->of, y = b->shared * a->of; /* of is never 0 */

    return x != y ? (x < y) - (x > y) : a->first != b->first ? (a->first > b->first) - (a->first < b->first)
                                                              : (a->second > b->second) - (a->second < b->second);
}

static bool write_table(const char *path, const struct qn_lab_works *w, const struct pair *pairs, size_t count)
{
    FILE *f = fopen(path, "we");

    if (!f)
        return qn_lab_complain(path);
    fputs("first,second,percent,shared,of\n", f);
    for (const struct pair *p = pairs; p < pairs + count; p++) {
        if (p->second >= w->own && !p->shared)
            continue;
        qn_lab_put_student(f, w->at[p->first].name, true);
        putc(',', f);
        qn_lab_put_student(f, w->at[p->second].name, true);
        fprintf(f, ",%zu,%zu,%zu\n", percent(p), p->shared, p->of);
    }
    return fclose(f) == 0 || qn_lab_complain(path);
}

/* ---- the page ---- */

static void put_piece(FILE *f, const char *text, size_t n, bool marked)
{
    char *piece = QN_NEEDED(strndup(text, n));

    fputs(marked ? "<mark>" : "", f);
    qn_report_text(f, piece);
    fputs(marked ? "</mark>" : "", f);
    free(piece);
}

/* One text, with what it shares with the other one marked.  Of blank lines in a row one is left. */
static void put_side(FILE *f, const struct qn_lab_work *own, const struct qn_lab_work *other)
{
    unsigned char *shared = QN_NEEDED(calloc(own->size + 1, 1));
    bool blank = true;

    qn_lab_mark_shared(own->text, own->size, &other->prints, shared);
    qn_report_put(f, "<td style=\"vertical-align:top;text-align:left;min-width:0\"><strong>%s</strong><pre style=\"white-space:pre-wrap\">", own->name);
    for (size_t at = 0, n; at < own->size; at += n) {
        if (own->text[at] == '\n') {
            if (!blank)
                putc('\n', f);
            blank = at == 0 || own->text[at - 1] == '\n';
            n = 1;
            continue;
        }
        blank = false;
        for (n = 1; at + n < own->size && own->text[at + n] != '\n' && shared[at + n] == shared[at]; n++)
            ;
        put_piece(f, own->text + at, n, shared[at]);
    }
    fputs("</pre></td>", f);
    free(shared);
}

static bool write_page(const char *path, const struct qn_lab_works *w, const struct pair *pairs, size_t count)
{
    FILE *f = fopen(path, "we");
    size_t n = 0;

    if (!f)
        return qn_lab_complain(path);
    while (n < count && n < SHOWN_PAIRS && percent(&pairs[n]) >= SHOWN_PERCENT)
        n++;
    qn_report_begin(f, "<!-- made by quern lab export -->", "Submissions that are alike");
    qn_report_put(f, "<h1>Lab %u: submissions that are alike</h1>\n<p>Of %zu pairs those with at least %u%% in common, at most %u. Names, numbers, comments and "
                     "layout do not count, nor what was given to all. The texts are as they are behind the preprocessor; what both have is marked.</p>\n",
                  w->lab->number, count, (unsigned)SHOWN_PERCENT, (unsigned)SHOWN_PAIRS);
    qn_report_begin_table(f, "", "pair|in common");
    for (size_t i = 0; i < n; i++)
        qn_report_put(f, "<tr><td><a href=\"#pair%zu\">%s and %s</a></td><td>%zu%%</td></tr>\n", i + 1, w->at[pairs[i].first].name, w->at[pairs[i].second].name,
                      percent(&pairs[i]));
    qn_report_end_table(f);
    for (size_t i = 0; i < n; i++) {
        const struct qn_lab_work *a = &w->at[pairs[i].first], *b = &w->at[pairs[i].second];

        qn_report_put(f, "<h2 id=\"pair%zu\">%s and %s: %zu%%</h2>\n<table style=\"table-layout:fixed;width:100%%\"><tr>", i + 1, a->name, b->name, percent(&pairs[i]));
        put_side(f, a, b);
        put_side(f, b, a);
        fputs("</tr></table>\n", f);
    }
    qn_report_end(f);
    return fclose(f) == 0 || qn_lab_complain(path);
}

bool qn_lab_write_similar(const struct qn_lab_works *w, const char *folder)
{
    struct pair *pairs = QN_NEEDED(calloc((size_t)w->own * w->n + 1, sizeof *pairs));
    char path[PATH_MAX];
    size_t count = 0;
    bool good;

    for (unsigned i = 0; i < w->own; i++)
        for (unsigned k = i + 1; k < w->n; k++)
            pairs[count++] = compare(w, i, k);
    qsort(pairs, count, sizeof *pairs, by_percent);
    snprintf(path, sizeof path, "%s/similar.csv", folder);
    good = write_table(path, w, pairs, count);
    snprintf(path, sizeof path, "%s/similar.html", folder);
    good = good && write_page(path, w, pairs, count);
    free(pairs);
    return good;
}
