/* tests/fuzz/data.c - any bytes as a profile with tables of data: sums and differences.
 *
 * What can be read is the same after it was written again; less itself it is nothing.  Names come with control characters and leave with escapes,
 * which are sorted elsewhere: what is compared has been written once.
 */
#include "fuzz.h"

#include "prof/tables/tables.h"

/* The tables of a profile, added or subtracted, as text into another file. */
static enum qn_text_status put_sum(const char *path, int less, int out, struct qn_text_error *err)
{
    struct qn_prof_tables sum = {0};
    char left_out[QN_TEXT_MAX];
    if (less)
        qn_prof_sum_tables(&sum, QN_PROF_DATA_ONLY, path, 1, err);
    if (err->status == QN_TEXT_OK && qn_prof_sum_tables(&sum, QN_PROF_DATA_ONLY, path, 0, err) == QN_TEXT_OK) {
        qn_prof_finish_tables(&sum, left_out, sizeof left_out);
        struct qn_prof_writer *w = fuzz_writer(out);
        if (less)
            must(sum.data.miss_count == 0 && sum.data.pair_count == 0 && sum.data.use_count == 0, "less itself it is nothing");
        qn_prof_put_data(w, &sum.data);
        must(qn_prof_close_writer(w, err) == QN_TEXT_OK, "tables can be written");
    }
    qn_prof_free_tables(&sum);
    return err->status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct qn_text_error err = {0};
    const char *path = fuzz_file(0, data, size);
    size_t n, m;
    fuzz_check_error(put_sum(path, 0, 1, &err), &err);
    if (err.status != QN_TEXT_OK)
        return 0;
    free(fuzz_content(1, &n));
    if (!n) /* without tables nothing was written, and an empty file is no profile */
        return 0;
    must(put_sum(fuzz_files[1].path, 0, 2, &err) == QN_TEXT_OK, "what was written can be read");
    must(put_sum(fuzz_files[2].path, 0, 1, &err) == QN_TEXT_OK, "and again");
    char *a = fuzz_content(1, &n), *b = fuzz_content(2, &m);
    must(n == m && memcmp(a, b, n) == 0, "and is the same");
    free(a);
    free(b);
    fuzz_check_error(put_sum(fuzz_files[1].path, 1, 2, &err), &err); /* counts twice as large may be too large */
    return 0;
}
