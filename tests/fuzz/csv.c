/* tests/fuzz/csv.c - any bytes as CSV: either refused with file and line, or a profile that reads well. */
#include "fuzz.h"

#include <ctype.h>

#include "out/csv/csv.h"
#include "prof/read.h"

/* "PATH:LINE: ..." */
static int names_line(const char *message, const char *path)
{
    size_t n = strlen(path);
    return strncmp(message, path, n) == 0 && message[n] == ':' && isdigit((unsigned char)message[n + 1]);
}

static void read_profile(const char *path)
{
    struct qn_text_error err = {0};
    struct qn_prof_item item;
    struct qn_prof_reader *r = qn_prof_open_reader(path, &err);
    must(r, "the profile that was made can be opened");
    int got;
    while ((got = qn_prof_read_next(r, &item, &err)) > 0)
        ;
    must(got == 0, "and read");
    qn_prof_close_reader(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct qn_text_error err = {0};
    const char *in = fuzz_file(0, data, size);
    struct qn_prof_writer *w = fuzz_writer(1);
    fuzz_check_error(qn_out_read_csv(in, w, &err), &err);
    if (err.status == QN_TEXT_OK) {
        must(qn_prof_close_writer(w, &err) == QN_TEXT_OK, "the profile can be written");
        read_profile(fuzz_files[1].path);
    } else {
        /* Packed data have no lines, and a profile is refused as a whole. */
        must(err.status != QN_TEXT_BAD || names_line(err.text, in) || strstr(err.text, ": got data of") || strstr(err.text, ": got a profile"), "the message names file and line");
        qn_prof_abandon_writer(w);
    }
    return 0;
}
