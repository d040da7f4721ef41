/* tests/fuzz/options.c - any words as the command line of annotate, columns and expressions included, and of run.
 *
 * The first byte says which; then words, each ended by a NUL. Messages of run go to stderr (-close_fd_mask=3).
 */
#include "fuzz.h"

#include <sanitizer/lsan_interface.h>
#include <stdarg.h>

#include "out/columns.h"
#include "out/report.h"
#include "prof_args.h"
#include "../../tools/run.c"

enum { ARGUMENTS_MAX = 16 };

/* What lib/collect/log.c says, which opens logs, too. */
void qn_collect_complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    qn_text_complain_of("", format, args);
    va_end(args);
}

int qn_collect_run(const struct qn_collect_options *options) { return options->argv == NULL; }

static void choose_columns(const struct qn_out_request *q)
{
    static char *names[] = {(char *)"Ir", (char *)"Dr", (char *)"D1mr"};
    const struct qn_prof_header header = {.events = names, .event_count = 3};
    const int64_t counts[] = {1, 0, -7};
    struct qn_out_columns columns;
    struct qn_text_error err = {0};
    if (qn_out_choose_columns(&columns, &header, q->show, q->sort, &err) == QN_TEXT_OK)
        for (int i = 0; i < columns.shown_count; i++) {
            double value;
            if (columns.shown[i].expr)
                qn_out_eval_expr(columns.shown[i].expr, counts, &value);
        }
    qn_out_free_columns(&columns);
}

static void parse_annotate(int argc, char **argv)
{
    struct qn_out_request q;
    qn_options_foreign = NULL; /* run has set it */
    int status = qn_annotate_parse(&q, argc, argv);
    must(status >= -1 && status <= 2, "an exit status");
    must(status != -1 || q.input_count > 0, "there is a profile to read");
    choose_columns(&q);
    qn_annotate_free(&q);
}

/* What it allocates it keeps, as long as the process lives. */
static void parse_run(int argc, char **argv)
{
    struct qn_collect_options o;
    __lsan_disable();
    int status = parse(&o, argc, argv);
    __lsan_enable();
    must(status >= -1 && status <= 2, "an exit status");
    must(status != -1 || o.argv[0], "there is a program to run");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *argv[ARGUMENTS_MAX + 1] = {(char *)"annotate"}, *words;
    int argc = 1;
    if (size == 0)
        return 0;
    words = malloc(size);
    must(words, "memory");
    memcpy(words, data + 1, size - 1);
    words[size - 1] = '\0';
    for (char *p = words; p < words + size - 1 && argc < ARGUMENTS_MAX; p += strlen(p) + 1)
        argv[argc++] = p;
    if (data[0] % 2)
        parse_run(argc, argv);
    else
        parse_annotate(argc, argv);
    free(words);
    return 0;
}
