/* lib/lab/check.c - runs the tests of a lab, one after the other.  See lab.h and check.h. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "lab/internal.h"

#define REMARK_LINE_MAX 200 /* bytes */
#define SHOWN_MAX 100       /* bytes of a line that is quoted */

static char *format_args(const char *format, va_list args)
{
    char *text;

    if (vasprintf(&text, format, args) < 0)
        abort();
    return text;
}

char *qn_lab_format(const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = format_args(format, args);
    va_end(args);
    return text;
}

/* ---- remarks ---- */

static void add_remark(struct qn_lab_outcome *o, const char *line, size_t n)
{
    o->remarks = QN_NEEDED(realloc(o->remarks, o->remarks_size + n + 2));
    for (size_t i = 0; i < n; i++) {
        unsigned char b = (unsigned char)line[i];

        o->remarks[o->remarks_size++] = b == '\t' ? ' ' : b < ' ' || b == 127 ? '?' : (char)b;
    }
    o->remarks[o->remarks_size++] = '\n';
    o->remarks[o->remarks_size] = 0;
}

/* Adds the first lines of a text that a program printed. */
void qn_lab_say_text(struct qn_lab_check *c, const char *text, unsigned lines)
{
    for (; text && *text && lines; lines--) {
        size_t n = strcspn(text, "\n");

        add_remark(&c->outcomes[c->test], text, n < REMARK_LINE_MAX ? n : REMARK_LINE_MAX);
        text += n + (text[n] != 0);
    }
    if (text && *text)
        add_remark(&c->outcomes[c->test], "...", 3);
}

bool qn_lab_say(struct qn_lab_check *c, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = format_args(format, args);
    va_end(args);
    add_remark(&c->outcomes[c->test], text, strlen(text));
    free(text);
    return false;
}

const char *qn_lab_first_line(const char *text)
{
    static char lines[2][SHOWN_MAX + 4];
    static unsigned next;
    char *line = lines[next++ % 2];
    size_t n = strcspn(text, "\r\n");

    snprintf(line, sizeof lines[0], "%.*s%s", (int)(n < SHOWN_MAX ? n : SHOWN_MAX), text, n < SHOWN_MAX ? "" : "...");
    return line;
}

const char *qn_lab_number(uint64_t n)
{
    static char texts[4][48];
    static unsigned next;
    char *text = texts[next++ % 4];

    snprintf(text, sizeof texts[0], "%" PRIu64 " (0x%" PRIx64 ")", n, n);
    return text;
}

/* ---- chance: splitmix64 (Steele, Lea, Flood 2014) ---- */

#define GOLDEN 0x9e3779b97f4a7c15ull

uint64_t qn_lab_draw(struct qn_lab_check *c) { return qn_hash_mix(c->random += GOLDEN); }
unsigned qn_lab_below(struct qn_lab_check *c, unsigned n) { return (unsigned)((qn_lab_draw(c) >> 32) * n >> 32); }

unsigned qn_lab_between(struct qn_lab_check *c, unsigned from, unsigned to)
{
    return from + qn_lab_below(c, to - from + 1);
}

const struct qn_lab_variant *qn_lab_rules(const struct qn_lab_check *c) { return &c->rules; }
bool qn_lab_is_variant(const struct qn_lab_check *c) { return c->request->has_variant; }
bool qn_lab_knows_student(const struct qn_lab_check *c) { return c->request->knows_student; }
uint64_t qn_lab_student(const struct qn_lab_check *c) { return c->request->student; }

/* ---- the check ---- */

static void run_tests(struct qn_lab_check *c)
{
    const struct qn_lab *lab = c->request->lab;
    unsigned number = 0;

    for (c->test = 0; c->test < lab->n_tests && !c->broken; c->test++) {
        if (!c->outcomes[c->test].ran)
            continue;
        c->timed = false;
        if (qn_lab_keeps(c))
            qn_lab_forget_kept(c);
        c->random = qn_hash_mix(c->request->seed * GOLDEN + c->test + 1);
        c->outcomes[c->test].passed = lab->tests[c->test].passes(c);
        if (!c->outcomes[c->test].passed && qn_lab_keeps(c))
            qn_lab_keep_failed(c);
        free(c->why);
        c->why = NULL;
        if (!c->broken)
            qn_lab_print_test(c, ++number, c->test);
    }
}

static int finish(struct qn_lab_check *c)
{
    unsigned all = 0;

    if (c->broken) {
        qn_lab_print_broken(c, c->outcomes[c->test - 1].remarks);
        return QN_LAB_BROKEN;
    }
    qn_lab_print_score(c);
    if (c->request->json && !qn_lab_write_json(c, stdout, NULL))
        return QN_LAB_BROKEN;
    if (c->request->gradescope && !qn_lab_write_gradescope(c, c->request->gradescope))
        return QN_LAB_BROKEN;
    for (unsigned i = 0; i < c->request->lab->n_tests; i++)
        all += c->request->lab->tests[i].points;
    return qn_lab_score(c) == all ? QN_LAB_FULL : QN_LAB_NOT_FULL;
}

int qn_lab_check(const struct qn_lab_request *request, const struct qn_lab_place *place)
{
    const struct qn_lab *lab = request->lab;
    struct qn_lab_check c = { .request = request, .place = place };
    int status = QN_LAB_BROKEN;

    c.rules = request->has_variant ? qn_lab_draw_variant(request->variant) : qn_lab_standard();
    c.outcomes = QN_NEEDED(calloc(lab->n_tests, sizeof *c.outcomes));
    for (unsigned i = 0; i < lab->n_tests; i++)
        c.outcomes[i].ran = !request->only || strstr(lab->tests[i].name, request->only);
    if (!request->json)
        puts("TAP version 14");
    if (qn_lab_begin_keeping(&c) && qn_lab_open_work(&c)) {
        qn_lab_print_head(&c);
        run_tests(&c);
        status = finish(&c);
    } else {
        qn_lab_print_broken(&c, "there is nothing to check");
        if (request->gradescope)
            qn_lab_write_gradescope(&c, request->gradescope);
    }
    qn_lab_close_work(&c);
    for (unsigned i = 0; i < c.n_stuck; i++)
        free(c.stuck[i]);
    for (unsigned i = 0; i < lab->n_tests; i++)
        free(c.outcomes[i].remarks);
    free(c.outcomes);
    return status;
}
