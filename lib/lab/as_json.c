/* lib/lab/as_json.c - writes the result of a check as JSON: `quern lab check --json` (doc/json.md), and strings for Gradescope.
 *
 *   {"schema":"quern-lab","version":1,"lab":1,"title":"a cache simulator","seed":4711,"variant":null,"not_enforced":[],"points":10,"of":30,
 *    "tests":[{"number":1,"name":"direct-mapped cache","passed":true,"points":10,"of":10,"remarks":[]}, ...]}
 *
 * Written by hand: the labs work without jansson.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lab/internal.h"
#include "text/utf8.h"

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

static void put_test(FILE *f, const struct qn_lab_check *c, unsigned test, unsigned number)
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
                put_test(f, c, i, ++number);
        fputs("\n]}\n", f);
    }
    return !fflush(f) && !ferror(f);
}
