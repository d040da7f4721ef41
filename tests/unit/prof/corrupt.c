/* Do 10,000 random corruptions of real profiles each give an error with file and line, or a profile whose counts still
 * add up to its summary? Never a crash, a hang, or a part of the file presented as the whole. */
#include "corrupt.h"

#include <unistd.h>

#include "prof/read.h"

enum { CORRUPTIONS = 10000 };

static char path[512];

/* Reads all of it: 1 whole and consistent, 0 refused with file and line, -1 anything else. */
static int outcome(void)
{
    struct qn_text_error err = {0};
    struct qn_prof_item item;
    struct qn_prof_reader *r = qn_prof_open_reader(path, &err);
    int64_t sums[QN_PROF_EVENTS_MAX] = {0};
    int got = 0, whole = 0;

    if (!r)
        return names_line(err.text, path) ? 0 : -1;
    int events = qn_prof_reader_header(r)->event_count;
    while ((got = qn_prof_read_next(r, &item, &err)) > 0) {
        whole = item.kind == QN_PROF_SUMMARY;
        for (int i = 0; i < events && item.kind >= QN_PROF_COUNTS; i++) {
            int64_t c = item.counts[i] == QN_PROF_NONE ? 0 : item.counts[i];
            sums[i] += item.kind == QN_PROF_COUNTS ? c : 0;
            whole &= item.kind == QN_PROF_COUNTS || sums[i] == c;
        }
    }
    qn_prof_close_reader(r);
    if (got == 0)
        return whole ? 1 : -1;
    return names_line(err.text, path) ? 0 : -1;
}

static void corrupt_many(int times, const char *what)
{
    corrupt_save(path);
    is_int(outcome(), 1, "%s: whole before", what);
    corrupt_each(path, outcome, times, what);
}

int main(void)
{
    const char *scratch = getenv("SCRATCH");

    snprintf(path, sizeof path, "%s/corrupt.XXXXXX", scratch ? scratch : "/tmp");
    int fd = mkstemp(path);
    if (fd < 0)
        bail("cannot make a file below %s", path);
    close(fd);
    corrupt_load("modern/a.cgout");
    memcpy(text, original, size = original_size);
    corrupt_many(CORRUPTIONS / 20, "a whole profile");
    corrupt_shorten(4000, 0);
    corrupt_many(CORRUPTIONS * 11 / 20, "a short profile");
    corrupt_load("modern/a.cgout");
    corrupt_shorten(6000, 1);
    corrupt_many(CORRUPTIONS * 8 / 20, "a profile with instructions");
    unlink(path);
    return done_testing();
}
