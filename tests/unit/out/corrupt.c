/* Do 10,000 random corruptions of CSV files each give an error with file and line, or a whole profile? */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "corrupt.h"

#include <unistd.h>

#include "out/csv/csv.h"

enum { CORRUPTIONS = 10000 };

static char csv_path[512], profile_path[512];

static int convert(const char *from, const char *to, int to_profile, enum qn_out_csv_by by, struct qn_text_error *err)
{
    const char *const inputs[] = {from};
    struct qn_out_csv_request q = {.by = by, .inputs = inputs, .input_count = 1};
    struct qn_prof_writer *w = qn_prof_open_writer(to, err);

    if (!w)
        bail("%s", err->text);
    if ((to_profile ? qn_out_read_csv(from, w, err) : qn_out_write_csv(&q, w, err)) == QN_TEXT_OK)
        return qn_prof_close_writer(w, err) == QN_TEXT_OK ? 1 : -1;
    qn_prof_abandon_writer(w);
    return names_line(err->text, from) ? 0 : -1;
}

/* 1: a profile that reads well; 0: refused with file and line; -1: anything else. */
static int outcome(void)
{
    struct qn_text_error err = {0};
    int result = convert(csv_path, profile_path, 1, QN_OUT_CSV_LINE, &err);

    if (result == 1 && convert(profile_path, "/dev/null", 0, QN_OUT_CSV_LINE, &err) != 1)
        result = -1;
    return result;
}

static void load_csv(void)
{
    FILE *f = fopen(csv_path, "r");

    original_size = f ? fread(original, 1, sizeof original - 1, f) : 0;
    if (!f || original_size == 0 || fclose(f) != 0)
        bail("cannot read %s", csv_path);
}

/* The CSV of a short profile, damaged so many times. */
static void corrupt_many(int times, int with_insns, const char *what)
{
    struct qn_text_error err = {0};

    corrupt_load("modern/a.cgout");
    corrupt_shorten(1500, with_insns);
    corrupt_save(profile_path);
    is_int(convert(profile_path, csv_path, 0, with_insns ? QN_OUT_CSV_INSN : QN_OUT_CSV_LINE, &err), 1, "%s: made", what);
    is_int(outcome(), 1, "%s: whole before", what);
    load_csv();
    corrupt_each(csv_path, outcome, times, what);
}

int main(void)
{
    const char *scratch = getenv("SCRATCH");

    snprintf(csv_path, sizeof csv_path, "%s/corrupt.csv", scratch ? scratch : "/tmp");
    snprintf(profile_path, sizeof profile_path, "%s/corrupt.out", scratch ? scratch : "/tmp");
    corrupt_many(CORRUPTIONS / 2, 0, "rows by line");
    corrupt_many(CORRUPTIONS / 2, 1, "rows by instruction");
    unlink(csv_path);
    unlink(profile_path);
    return done_testing();
}
