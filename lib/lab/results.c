/* lib/lab/results.c - prints the results of a check: TAP on standard output, results.json for Gradescope.
 *
 *   TAP version 14
 *   # lab 1: a cache simulator; inputs from seed 4711 (the same again: --case-seed=4711)
 *   1..2
 *   ok 1 - direct-mapped cache (10 of 10 points)
 *   not ok 2 - least recently used (0 of 20 points)
 *   # seed 4711: got 40 misses, wanted 38
 *   # 10 of 30 points
 *
 * With --json a document in place of TAP.
 *
 * Output of a student's program or of the compiler appears only in remarks.  Their lines begin with "# " and have no control
 * characters, so that no output can be taken for a result.
 *
 * Source: testanything.org, TAP 14; Gradescope's autograder documentation, "Output format".
 */
#define _GNU_SOURCE

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lab/internal.h"
#include "text/output.h"
#include "text/escape.h"

static const struct qn_lab_test *test_of(const struct qn_lab_check *c, unsigned i)
{
    return &c->request->lab->tests[i];
}

static unsigned tests_run(const struct qn_lab_check *c)
{
    unsigned n = 0;

    for (unsigned i = 0; i < c->request->lab->n_tests; i++)
        n += c->outcomes[i].ran;
    return n;
}

static void print_weakness(void *data, const char *line)
{
    *(bool *)data = true;
    printf("# not enforced here: %s\n", line);
}

void qn_lab_print_broken(const struct qn_lab_check *c, const char *why)
{
    if (c->request->json)
        qn_lab_write_json(c, stdout, why);
    else
        printf("Bail out! %.*s\n", (int)strcspn(why, "\n"), why);
}

void qn_lab_print_head(const struct qn_lab_check *c)
{
    bool weak = false;

    if (c->request->json)
        return;
    printf("# lab %u: %s; inputs from seed %" PRIu64 " (the same again: --case-seed=%" PRIu64 ")\n",
           c->request->lab->number, c->request->lab->title, c->request->seed, c->request->seed);
    if (c->request->has_variant)
        printf("# the variant of %s\n", c->request->practises ? "this folder; what counts is checked with the key" : c->request->name);
    qn_lab_weaknesses(print_weakness, &weak);
    if (!weak)
        puts("# what was handed in runs as nobody, with limits, Landlock and seccomp");
    printf("1..%u\n", tests_run(c));
    fflush(stdout);
}

unsigned qn_lab_points_of(const struct qn_lab_check *c, unsigned i)
{
    return c->outcomes[i].passed ? test_of(c, i)->points : 0;
}

void qn_lab_print_test(const struct qn_lab_check *c, unsigned number, unsigned test)
{
    const struct qn_lab_outcome *o = &c->outcomes[test];
    const char *line = o->remarks, *end;

    if (c->request->json)
        return;
    printf("%sok %u - %s (%u of %u points)\n", o->passed ? "" : "not ", number, test_of(c, test)->name,
           qn_lab_points_of(c, test), test_of(c, test)->points);
    for (; line && *line; line = end + 1) {
        end = strchr(line, '\n');
        printf("# %.*s\n", (int)(end - line), line);
    }
    fflush(stdout);
}

unsigned qn_lab_score(const struct qn_lab_check *c)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < c->request->lab->n_tests; i++)
        sum += qn_lab_points_of(c, i);
    return sum;
}

unsigned qn_lab_score_possible(const struct qn_lab_check *c)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < c->request->lab->n_tests; i++)
        sum += c->outcomes[i].ran ? test_of(c, i)->points : 0;
    return sum;
}

void qn_lab_print_score(const struct qn_lab_check *c)
{
    if (c->request->json)
        return;
    printf("# %u of %u points\n", qn_lab_score(c), qn_lab_score_possible(c));
    fflush(stdout);
}

/* ---- Gradescope ---- */

static void put_test(FILE *f, const struct qn_lab_check *c, unsigned test, unsigned number)
{
    const struct qn_lab_outcome *o = &c->outcomes[test];

    fprintf(f, "%s\n    { \"number\": \"%u\", \"name\": ", number > 1 ? "," : "", number);
    qn_lab_put_string(f, test_of(c, test)->name);
    fprintf(f, ", \"score\": %u, \"max_score\": %u, \"status\": \"%s\", \"output\": ", qn_lab_points_of(c, test),
            test_of(c, test)->points, o->passed ? "passed" : "failed");
    qn_lab_put_string(f, o->remarks);
    fputs(" }", f);
}

static void put_results(FILE *f, const struct qn_lab_check *c)
{
    unsigned number = 0;

    fprintf(f, "{\n  \"score\": %u,\n  \"output\": \"lab %u, %s %" PRIu64 "\",\n  \"tests\": [",
            qn_lab_score(c), c->request->lab->number, c->scratch ? "inputs from seed" : "nothing to check was found; seed", c->request->seed);
    for (unsigned i = 0; i < c->request->lab->n_tests; i++)
        if (c->outcomes[i].ran)
            put_test(f, c, i, ++number);
    fputs("\n  ]\n}\n", f);
}

bool qn_lab_write_gradescope(const struct qn_lab_check *c, const char *path)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_output o;
    FILE *f = qn_text_open_output(&o, path, QN_TEXT_SHARED, &err) == QN_TEXT_OK ? qn_text_stream_output(&o) : NULL;

    if (f) {
        put_results(f, c);
        qn_text_close_output(&o, &err);
    }
    if (err.status != QN_TEXT_OK)
        fprintf(stderr, "quern: lab: %s\n", err.text);
    return f && err.status == QN_TEXT_OK;
}

/* ---- JSON: `quern lab check --json` (doc/json.md) ----
 *
 *   {"schema":"quern-lab","version":1,"lab":1,"title":"a cache simulator","seed":4711,"variant":null,"not_enforced":[],"points":10,"of":30,
 *    "tests":[{"number":1,"name":"direct-mapped cache","passed":true,"points":10,"of":10,"remarks":[]}, ...]}
 *
 * Written by hand: the labs work without jansson.
 */

#define JSON_VERSION 1

static void put_bytes(FILE *f, const char *s, size_t n)
{
    putc('"', f);
    while (n) {
        size_t length = qn_text_utf8_length(s, n);
        unsigned char b = (unsigned char)*s;

        if (!length)
            fputs("\\ufffd", f);
        else if (b == '"' || b == '\\')
            fprintf(f, "\\%c", b);
        else if (b < ' ' || b == 127)
            fprintf(f, "\\u%04x", b);
        else
            fwrite(s, 1, length, f);
        s += length ? length : 1;
        n -= length ? length : 1;
    }
    putc('"', f);
}

/* Bytes that are not UTF-8 become U+FFFD, so that the file is valid whatever a program printed. */
void qn_lab_put_string(FILE *f, const char *s) { put_bytes(f, s, s ? strlen(s) : 0); }

struct list {
    FILE *f;
    unsigned n;
};

static void put_item(void *data, const char *line)
{
    struct list *l = data;

    fputs(l->n++ ? "," : "", l->f);
    put_bytes(l->f, line, strcspn(line, "\n"));
}

static void put_lines(FILE *f, const char *lines)
{
    struct list l = { f, 0 };

    for (; lines && *lines; lines += strcspn(lines, "\n"), lines += *lines != 0)
        put_item(&l, lines);
}

static void put_head(FILE *f, const struct qn_lab_check *c)
{
    const struct qn_lab_request *r = c->request;
    struct list weaknesses = { f, 0 };

    fprintf(f, "{\"schema\":\"quern-lab\",\"version\":%d,\"lab\":%u,\"title\":", JSON_VERSION, r->lab->number);
    qn_lab_put_string(f, r->lab->title);
    fprintf(f, ",\"seed\":%" PRIu64 ",\"variant\":", r->seed);
    if (r->has_variant)
        qn_lab_put_string(f, r->practises ? "this folder" : r->name);
    else
        fputs("null", f);
    fputs(",\"not_enforced\":[", f);
    qn_lab_weaknesses(put_item, &weaknesses);
    fputs("]", f);
}

static void put_json_test(FILE *f, const struct qn_lab_check *c, unsigned test, unsigned number)
{
    const struct qn_lab_outcome *o = &c->outcomes[test];

    fprintf(f, "%s\n{\"number\":%u,\"name\":", number > 1 ? "," : "", number);
    qn_lab_put_string(f, c->request->lab->tests[test].name);
    fprintf(f, ",\"passed\":%s,\"points\":%u,\"of\":%u,\"remarks\":[", o->passed ? "true" : "false", qn_lab_points_of(c, test),
            c->request->lab->tests[test].points);
    put_lines(f, o->remarks);
    fputs("]}", f);
}

bool qn_lab_write_json(const struct qn_lab_check *c, FILE *f, const char *broken)
{
    unsigned number = 0;

    put_head(f, c);
    if (broken) {
        fputs(",\"broken\":", f);
        put_bytes(f, broken, strcspn(broken, "\n"));
        fputs("}\n", f);
    } else {
        fprintf(f, ",\"points\":%u,\"of\":%u,\"tests\":[", qn_lab_score(c), qn_lab_score_possible(c));
        for (unsigned i = 0; i < c->request->lab->n_tests; i++)
            if (c->outcomes[i].ran)
                put_json_test(f, c, i, ++number);
        fputs("\n]}\n", f);
    }
    return !fflush(f) && !ferror(f);
}
