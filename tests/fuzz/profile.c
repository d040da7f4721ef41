/* tests/fuzz/profile.c - any bytes as a profile: annotate in all its forms, merge, diff, csv.
 *
 * The last byte says what is done; a @ before it, that only the region `a` is read. What can be read must be the same
 * after merging, and after CSV; what it has more than itself is nothing.
 */
#include "fuzz.h"

#include "out/csv/csv.h"
#include "out/report.h"
#include "prof/counts.h"
#include "prof/diff.h"
#include "prof/merge.h"
#include "prof/read.h"

static const char *region; /* to be read of the profile that came in, not of those made of it */

static void choose_region(const char *path)
{
    qn_prof_choose_region(path == fuzz_files[0].path ? region : NULL);
}

/* Writes what merging one profile gives to another file. */
static enum qn_text_status merge(const char *in, int out, struct qn_text_error *err)
{
    char warning[QN_TEXT_MAX];
    struct qn_prof_merge *m = qn_prof_new_merge(NULL, NULL);
    must(m, "memory");
    choose_region(in);
    if (qn_prof_merge_file(m, in, warning, sizeof warning, err) == QN_TEXT_OK) {
        struct qn_prof_writer *w = fuzz_writer(out);
        qn_prof_write_merge(m, QN_PROF_MODERN, w);
        must(qn_prof_close_writer(w, err) == QN_TEXT_OK, "and the file closed");
    }
    qn_prof_free_merge(m);
    return err->status;
}

/* Names with control bytes are written escaped, and may come in another order then. */
static int has_control(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((data[i] < ' ' && data[i] != '\n') || data[i] == 0x7f)
            return 1;
    return 0;
}

static void merge_twice(const char *path, int may_differ)
{
    struct qn_text_error err = {0};
    fuzz_check_error(merge(path, 1, &err), &err);
    if (err.status != QN_TEXT_OK)
        return;
    must(merge(fuzz_files[1].path, 2, &err) == QN_TEXT_OK, "what merge wrote can be read");
    size_t n, m;
    char *a = fuzz_content(1, &n), *b = fuzz_content(2, &m);
    must(may_differ || (n == m && memcmp(a, b, n) == 0), "merging again changes nothing");
    free(a);
    free(b);
}

static enum qn_text_status convert(const char *in, int out, int to_profile, enum qn_out_csv_by by,
                                   struct qn_text_error *err)
{
    const char *const inputs[] = {in};
    struct qn_out_csv_request q = {.by = by, .inputs = inputs, .input_count = 1};
    struct qn_prof_writer *w = fuzz_writer(out);
    choose_region(in);
    enum qn_text_status status = to_profile ? qn_out_read_csv(in, w, err) : qn_out_write_csv(&q, w, err);
    if (status == QN_TEXT_OK)
        return qn_prof_close_writer(w, err);
    qn_prof_abandon_writer(w);
    return status;
}

/* A profile, CSV, a profile, CSV, a profile: the two last are one. */
static void csv_and_back(const char *path, enum qn_out_csv_by by)
{
    struct qn_text_error err = {0};
    fuzz_check_error(convert(path, 1, 0, by, &err), &err);
    if (err.status != QN_TEXT_OK || by < QN_OUT_CSV_LINE)
        return;
    must(convert(fuzz_files[1].path, 2, 1, by, &err) == QN_TEXT_OK, "what csv wrote can be read");
    size_t n, m;
    char *before = fuzz_content(2, &n);
    if (convert(fuzz_files[2].path, 1, 0, by, &err) == QN_TEXT_OK) {
        must(convert(fuzz_files[1].path, 2, 1, by, &err) == QN_TEXT_OK, "and read again");
        char *after = fuzz_content(2, &m);
        must(n == m && memcmp(before, after, n) == 0, "the profile stays as it is");
        free(after);
    } else {
        must(by == QN_OUT_CSV_INSN, "a profile without any instruction left");
    }
    free(before);
}

static void diff_with_itself(const char *path, int by_line)
{
    struct qn_text_error err = {0};
    struct qn_prof_ledger_options options = {.keep_lines = by_line ? QN_PROF_LINES_OF_FNS : QN_PROF_NO_LINES};
    struct qn_prof_ledger g;
    char warning[QN_TEXT_MAX];
    qn_prof_init_ledger(&g, &options);
    choose_region(path);
    fuzz_check_error(qn_prof_read_diff(&g, path, path, warning, sizeof warning, &err), &err);
    if (err.status == QN_TEXT_OK) {
        struct qn_prof_writer *w = fuzz_writer(1);
        must(qn_prof_write_diff(&g, QN_PROF_MODERN, w, &err) == QN_TEXT_OK, "a difference can be written");
        must(qn_prof_close_writer(w, &err) == QN_TEXT_OK, "and the file closed");
        for (int i = 0; i < g.header.event_count; i++)
            must(qn_prof_count(qn_prof_row(&g.total, 0)[i]) == 0, "with itself there is none");
        must(merge(fuzz_files[1].path, 2, &err) == QN_TEXT_OK, "and it can be read");
    }
    qn_prof_free_ledger(&g);
}

static void annotate(const char *path, uint8_t mode)
{
    static struct qn_out_sink sink;
    static char warning[QN_TEXT_MAX];
    static int null = -1;
    const char *inputs[3] = {path, path, NULL}, *includes[1] = {NULL};
    struct qn_text_error err = {0};
    struct qn_out_request q = {
        .inputs = inputs, .input_count = 1, .threshold = mode & 8 ? 0 : 0.1, .show_percs = !(mode & 16),
        .annotate = 1, .by = QN_OUT_BY_NONE, .context = mode & 3, .includes = includes, .invocation = (char *)(uintptr_t)"x",
        .warning = warning, .style = mode & 128 ? QN_OUT_CLASSIC : QN_OUT_MODERN,
    };
    if (q.style == QN_OUT_MODERN) {
        q.input_count = 1 + (mode >> 2 & 1);
        q.diff = q.input_count == 2 && (mode & 32);
        q.by = mode & 64 ? mode & 3 : QN_OUT_BY_NONE;
        q.disassemble = q.by == QN_OUT_BY_NONE && mode & 1;
        q.annotate = q.by == QN_OUT_BY_NONE;
    }
    if (null < 0)
        null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    choose_region(path);
    qn_out_open_sink(&sink, null);
    enum qn_text_status status = q.style == QN_OUT_CLASSIC ? qn_out_classic(&sink, &q, &err)
                                                           : qn_out_modern(&sink, &q, &err);
    fuzz_check_error(status, &err);
    qn_out_flush(&sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(0, data, size);
    uint8_t mode = size ? data[size - 1] : 0;
    region = size > 1 && data[size - 2] == '@' ? "a" : NULL;
    switch (mode % 6) {
    case 0: merge_twice(path, has_control(data, size)); break;
    case 1: csv_and_back(path, (enum qn_out_csv_by)(mode / 6 % 6)); break;
    case 5: diff_with_itself(path, mode / 6 % 2); break;
    default: annotate(path, mode); break;
    }
    return 0;
}
