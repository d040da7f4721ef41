/* Does the reader hand out the items of a profile as they stand? (Its errors: errors.sh.) */
#include "tap.h"

#include <unistd.h>

#include "prof/read.h"

static char path[512];

static void write_file(const char *text)
{
    FILE *f = fopen(path, "w");
    if (!f)
        bail("cannot write %s", path);
    fputs(text, f);
    fclose(f);
}

/* All items in one line: F(file) f(file that keeps the function) N(function) O(object) line[counts] S[counts]. */
static const char *items(const char *text)
{
    static char answer[8192];
    static struct qn_text_error err;
    struct qn_prof_item item;
    int got, at = 0;

    err.status = QN_TEXT_OK;
    write_file(text);
    struct qn_prof_reader *r = qn_prof_open_reader(path, &err);
    if (!r)
        return err.text;
    int events = qn_prof_reader_header(r)->event_count;
    while ((got = qn_prof_read_next(r, &item, &err)) > 0) {
        static const char *const letters[] = {"O", "F", "N"};
        if (item.kind <= QN_PROF_FN)
            at += snprintf(answer + at, sizeof answer - (size_t)at, "%s(%.*s)",
                           item.keeps_function ? "f" : letters[item.kind], (int)item.length, item.name);
        else if (item.kind == QN_PROF_COUNTS)
            at += snprintf(answer + at, sizeof answer - (size_t)at, "%u", item.line);
        else
            at += snprintf(answer + at, sizeof answer - (size_t)at, "S");
        for (int i = 0; i < events && item.kind >= QN_PROF_COUNTS; i++)
            at += item.counts[i] == QN_PROF_NONE
                      ? snprintf(answer + at, sizeof answer - (size_t)at, "%s.", i ? "," : "[")
                      : snprintf(answer + at, sizeof answer - (size_t)at, "%s%lld", i ? "," : "[",
                                 (long long)item.counts[i]);
        if (item.kind >= QN_PROF_COUNTS)
            at += snprintf(answer + at, sizeof answer - (size_t)at, "]");
        at += snprintf(answer + at, sizeof answer - (size_t)at, " ");
    }
    qn_prof_close_reader(r);
    return got < 0 ? err.text : answer;
}

static void test_header(void)
{
    struct qn_text_error err = {0};

    write_file("# remark\n\ndesc: I1 cache:  x\ndesc:\tb\ncmd:./a b\ndesc:c\nevents:  Ir\tDr  Ir \nsummary:\n");
    struct qn_prof_reader *r = qn_prof_open_reader(path, &err);
    ok(r != NULL, "the header is read");
    const struct qn_prof_header *h = qn_prof_reader_header(r);
    is_int(h->desc_count, 3, "three descriptions, on both sides of the command");
    is_str(h->descs[0].text, "I1 cache:  x", "the first");
    is_str(h->descs[1].text, "b", "the second, after a tab");
    is_str(h->descs[1].raw, "desc:\tb", "as it stands");
    is_str(h->cmd.text, "./a b", "the command");
    is_int(h->event_count, 3, "three events");
    is_int(qn_prof_find_event(h, "Dr", 2), 1, "found by name");
    is_int(qn_prof_find_event(h, "Ir", 2), 2, "of equal names the last");
    is_int(qn_prof_find_event(h, "D", 1), -1, "not by a part of a name");
    qn_prof_close_reader(r);
}

int main(void)
{
    const char *scratch = getenv("SCRATCH");

    snprintf(path, sizeof path, "%s/read.XXXXXX", scratch ? scratch : "/tmp");
    int fd = mkstemp(path);
    if (fd < 0)
        bail("cannot make a file below %s", path);
    close(fd);
    test_header();
    is_str(items("cmd: x\nevents: A B\nfl=a\nfn=f\n1 2 3\nsummary: 2 3\n"), "F(a) N(f) 1[2,3] S[2,3] ", "a small profile");
    is_str(items("cmd: x\nevents: A B\nfl=a b\nfn=f\n1 . 3\n2\n3 4\nfi=h\n4 -1 -1\nfe=a b\n5 0\nsummary: 3 2\n"),
           "F(a b) N(f) 1[.,3] 2[.,.] 3[4,.] f(h) 4[-1,-1] f(a b) 5[0,.] S[3,2] ", "dots, short lines, fi= and fe=");
    is_str(items("cmd: x\r\nevents: A\r\nfl=a\r\nfn=f\r\n\r\n1 2\r\nsummary: 2"), "F(a) N(f) 1[2] S[2] ",
           "CRLF, no last newline");
    is_str(items("cmd: x\nevents: A\nob=/bin/x\nfl=a\nfn=f\n#ob=/lib/y\n#ob\n1 2\nsummary: 2\n\n# end\n"),
           "O(/bin/x) F(a) N(f) O(/lib/y) 1[2] S[2] ", "objects");
    is_str(items("cmd: x\nevents: A\nfi=h\nfn=f\n1 2\nsummary: 2\n"), "F(h) N(f) 1[2] S[2] ",
           "fi= before any function is a file like any other");
    is_str(items("cmd: x\nevents: A\nfl=a\nfn=f\n0001   0002  \t\nsummary:\t2\n"), "F(a) N(f) 1[2] S[2] ", "odd blanks");
    is_str(items("cmd: x\nevents: A\nfl=a\n1 2\nsummary: 2\n"), "F(a) 1[2] S[2] ", "counts without a function");
    is_str(items("cmd: x\nevents: A\nsummary:\n"), "S[.] ", "no counts at all");
    unlink(path);
    return done_testing();
}
