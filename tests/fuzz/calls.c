/* tests/fuzz/calls.c - any bytes as a profile with calls, or as a file of Callgrind's: sums, differences, and what other tools read.
 *
 * What can be read is the same after it was written again; less itself it is nothing; what is written for Callgrind can be read.
 */
#include "fuzz.h"

#include "prof/callgrind/callgrind.h"
#include "prof/tables/tables.h"
#include "stacks/stacks.h"

/* The tables of a profile, added or subtracted, as text into another file. */
static enum qn_text_status put_sum(const char *path, int less, int out, struct qn_text_error *err)
{
    struct qn_prof_tables sum = {0};
    char left_out[QN_TEXT_MAX];
    if (qn_prof_sum_tables(&sum, QN_PROF_CALLS_ONLY, path, 0, err) == QN_TEXT_OK && less)
        must(qn_prof_sum_tables(&sum, QN_PROF_CALLS_ONLY, path, 1, err) == QN_TEXT_OK, "what was read once can be read again");
    if (err->status == QN_TEXT_OK) {
        struct qn_prof_writer *w = fuzz_writer(out);
        qn_prof_finish_tables(&sum, left_out, sizeof left_out);
        for (size_t i = 0; less && i < sum.calls.edge_count * sum.calls.event_count; i++)
            must(sum.calls.edge_counts[i] == 0, "less itself it is nothing");
        qn_prof_put_calls(w, &sum.calls);
        must(qn_prof_close_writer(w, err) == QN_TEXT_OK, "tables can be written");
    }
    qn_prof_free_tables(&sum);
    return err->status;
}

static void read_tables(const char *path)
{
    struct qn_text_error err = {0};
    size_t n, m;
    fuzz_check_error(put_sum(path, 0, 1, &err), &err);
    if (err.status != QN_TEXT_OK)
        return;
    free(fuzz_content(1, &n));
    if (!n) /* without tables nothing was written, and an empty file is no profile */
        return;
    must(put_sum(fuzz_files[1].path, 0, 2, &err) == QN_TEXT_OK, "what was written can be read");
    char *a = fuzz_content(1, &n), *b = fuzz_content(2, &m);
    must(n == m && memcmp(a, b, n) == 0, "and is the same");
    free(a);
    free(b);
    must(put_sum(path, 1, 2, &err) == QN_TEXT_OK, "a difference");
}

static enum qn_text_status import(const char *path, int out, struct qn_text_error *err)
{
    struct qn_prof_callgrind *c = qn_prof_read_callgrind(path, err);
    struct qn_prof_writer *w = fuzz_writer(out);
    if (c) {
        qn_prof_write_callgrind(c, w);
        qn_prof_close_writer(w, err);
    } else {
        qn_prof_abandon_writer(w);
    }
    qn_prof_free_callgrind(c);
    return err->status;
}

static void export(const char *path, int format)
{
    struct qn_text_error err = {0};
    struct qn_prof_writer *w = fuzz_writer(1);
    enum qn_text_status status = format == 0 ? qn_stacks_write_folded(path, NULL, w, &err)
                                 : format == 1 ? qn_stacks_write_speedscope(path, NULL, "x", w, &err) : qn_stacks_write_pprof(path, w, &err);
    fuzz_check_error(status, &err);
    qn_prof_abandon_writer(w);
}

static void round_trip(const char *path)
{
    struct qn_text_error err = {0};
    struct qn_prof_writer *w = fuzz_writer(1);
    fuzz_check_error(qn_prof_export_callgrind(path, &(struct qn_prof_callgrind_head){.creator = "x", .part = 1}, w, &err), &err);
    if (err.status == QN_TEXT_OK)
        must(qn_prof_close_writer(w, &err) == QN_TEXT_OK, "it can be written");
    else
        qn_prof_abandon_writer(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct qn_text_error err = {0};
    const char *in = fuzz_file(0, data, size);
    read_tables(in);
    for (int format = 0; format < 3; format++)
        export(in, format);
    round_trip(in);
    fuzz_check_error(import(in, 1, &err), &err);
    return 0;
}
