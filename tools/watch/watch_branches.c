/* tools/watch/watch_branches.c - `quern watch --predictor`: the program is recorded once, and the trace is replayed for each predictor.
 *
 *   gshare:bits=4,gshare-history=2   ->   --watch-of=BC --sim=BC=gshare --sim-opt=bits=4,gshare-history=2
 *
 * The run that records tells where each branch lies (cost/beside/branches.h): for the page, and for --line.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../tools.h"
#include "exp/table.h"
#include "text/error.h"
#include "watch.h"

enum { PC, SOURCE_FILE, SOURCE_LINE };

/* The slot that the predictor is for; -1: none, and a line says so. */
static int slot_of(const char *name)
{
    struct qn_engines_choice c = { .tool = "watch", .option = "--predictor" };
    int slot;

    if (!strcmp(name, "default"))
        return QN_ENGINES_BC;
    if (!qn_engines_choose(&c, name))
        return -1;
    slot = c.slot[QN_ENGINES_BC].name ? QN_ENGINES_BC : c.slot[QN_ENGINES_BI].name ? QN_ENGINES_BI : -1;
    qn_engines_free_choice(&c);
    if (slot < 0)
        qn_text_complain("quern: watch: --predictor=%s: no predictor", name);
    return slot;
}

/* "gshare:bits=4": the length of the name. */
static size_t name_length(const char *predictor)
{
    const char *colon = strchr(predictor, ':');

    return colon && strchr(colon, '=') ? (size_t)(colon - predictor) : strlen(predictor);
}

/* The name of its slot. */
static const char *add_module(struct watch_runner *r, char **words, int *n, const char *predictor)
{
    size_t length = name_length(predictor);
    const char *name = qn_exp_format(&r->memory, "%.*s", (int)length, predictor), *slot = slot_of(name) == QN_ENGINES_BI ? "BI" : "BC";

    if (strcmp(name, "default"))
        words[(*n)++] = qn_exp_format(&r->memory, "--sim=%s=%s", slot, name);
    if (predictor[length])
        words[(*n)++] = qn_exp_format(&r->memory, "--sim-opt=%s", predictor + length + 1);
    return slot;
}

void watch_add_predictor(struct watch_runner *r, char **words, int *n, const char *predictor)
{
    const char *slot = add_module(r, words, n, predictor);

    words[(*n)++] = qn_exp_format(&r->memory, "--watch-of=%s", slot);
    if (r->at)
        words[(*n)++] = qn_exp_format(&r->memory, "--watch-at=%s", r->at);
}

/* ---- the program ---- */

static int record_to(struct watch_runner *r, char *trace)
{
    int n = 0, arguments = 0;
    char **words;

    while (r->program[arguments])
        arguments++;
    words = qn_exp_alloc(&r->memory, (size_t)(arguments + WATCH_WORDS_MAX) * sizeof *words);
    r->places = qn_exp_format(&r->memory, "%s/branches.csv", r->scratch);
    words[n++] = r->self;
    words[n++] = (char *)"trace";
    words[n++] = (char *)"-o";
    words[n++] = trace;
    words[n++] = qn_exp_format(&r->memory, "--branches-file=%s", r->places);
    if (r->from_main)
        words[n++] = (char *)"--toggle=main";
    words[n++] = (char *)"--";
    memcpy(words + n, r->program, (size_t)(arguments + 1) * sizeof *words);
    return watch_execute(r, words, trace, false);
}

/* A program without main makes no trace of it: all of it is recorded. */
static int record(struct watch_runner *r)
{
    char *trace = qn_exp_format(&r->memory, "%s/trace", r->scratch);
    int status;

    if (!r->s->quiet)
        fprintf(stderr, "quern watch: recording %s\n", r->program[0]);
    status = record_to(r, trace);
    if (status && r->from_main) {
        r->from_main = false;
        status = record_to(r, trace);
    }
    r->from_main = false;
    r->s->trace = trace;
    return status;
}

/* ---- --line ---- */

/* Does `name` name this file?  It is the whole path, or the part behind one of its slashes. */
static bool is_file(const char *path, const char *name, size_t n)
{
    size_t length = strlen(path);

    return length >= n && !strncmp(path + length - n, name, n) && (length == n || path[length - n - 1] == '/');
}

static int find_line(struct watch_runner *r)
{
    const char *colon = strrchr(r->s->line, ':');
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_exp_table t = { 0 };

    if (!colon || strspn(colon + 1, "0123456789") != strlen(colon + 1) || !colon[1])
        return qn_text_complain("quern: watch: --line: got '%s', wanted FILE:LINE", r->s->line), QN_EXIT_USAGE;
    qn_exp_read_table(&t, r->places, &err);
    for (int i = 0; i < t.row_count && t.column_count > SOURCE_LINE; i++)
        if (!strcmp(t.rows[i][SOURCE_LINE], colon + 1) && is_file(t.rows[i][SOURCE_FILE], r->s->line, (size_t)(colon - r->s->line)))
            r->at = qn_exp_format(&r->memory, "%s%s%s", r->at ? r->at : "", r->at ? "," : "", t.rows[i][PC]);
    qn_exp_free_table(&t);
    if (err.status != QN_TEXT_OK)
        return qn_text_complain("quern: watch: %s", err.text), 1;
    return r->at ? 0 : (qn_text_complain("quern: watch: --line=%s: the program has executed no branch of this line", r->s->line), QN_EXIT_USAGE);
}

/* A trace of one instruction shows whether it takes its options, before anything is recorded. */
static int check_predictor(struct watch_runner *r, const char *predictor)
{
    const char *trace = qn_exp_format(&r->memory, "%s/short", r->scratch);
    char *words[WATCH_WORDS_MAX] = { r->self, (char *)"replay", (char *)trace };
    int n = 3;
    FILE *f = fopen(trace, "w");
    bool written = f && fputs("I  04,4\n", f) >= 0;

    if (f && fclose(f))
        written = false;
    if (!written)
        return qn_text_complain("quern: watch: %s: %m", trace), 1;
    if (slot_of(qn_exp_format(&r->memory, "%.*s", (int)name_length(predictor), predictor)) < 0)
        return QN_EXIT_USAGE;
    add_module(r, words, &n, predictor);
    return watch_execute(r, words, trace, true);
}

int watch_prepare(struct watch_runner *r)
{
    int status = 0;

    for (int i = 0; i < r->s->count && !status; i++)
        status = check_predictor(r, r->s->caches[i]);
    if (!status && !r->s->trace)
        status = record(r);
    if (!status && r->s->line)
        status = find_line(r);
    return status;
}
