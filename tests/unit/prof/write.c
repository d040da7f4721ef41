/* Does the writer make a whole file or none, and escape what must be? */
#include "tap.h"

#include <sys/stat.h>
#include <unistd.h>

#include "prof/write.h"

static const char *const events[] = {"Ir", "Dr"};
static char directory[512];

static const char *path_of(const char *name)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static const char *content(const char *name)
{
    static char text[4096];
    FILE *f = fopen(path_of(name), "r");
    if (!f)
        return "(none)";
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

static void put_profile(struct qn_prof_writer *w)
{
    qn_prof_put_desc(w, "I1 cache:         a\nb");
    qn_prof_put_cmd(w, "./a b c\nd \x1b ");
    qn_prof_put_events(w, events, 2);
    qn_prof_put_file(w, "a\t.c");
    qn_prof_put_fn(w, "f\x7f");
    qn_prof_put_counts(w, 4294967295u, (const int64_t[]){INT64_MAX, -INT64_MAX});
    qn_prof_put_fn(w, NULL);
    qn_prof_put_counts(w, 0, (const int64_t[]){QN_PROF_NONE, 0});
    qn_prof_put_file(w, "");
    qn_prof_put_fn(w, "caf\xc3\xa9 \xff");
    qn_prof_put_counts(w, 1, (const int64_t[]){1, 2});
    qn_prof_put_summary(w, (const int64_t[]){1, 2});
}

static void test_text(void)
{
    struct qn_text_error err = {0};
    struct qn_prof_writer *w = qn_prof_open_writer(path_of("out"), &err);
    struct stat st;

    ok(w != NULL, "a writer opens");
    put_profile(w);
    is_str(content("out"), "(none)", "nothing has its final name before the end");
    is_int(qn_prof_close_writer(w, &err), QN_TEXT_OK, "it closes");
    is_str(content("out"),
           "desc: I1 cache:         a\\nb\ncmd: ./a b c\\nd \\x1b \nevents: Ir Dr\nfl=a\\t.c\nfn=f\\x7f\n"
           "4294967295 9223372036854775807 -9223372036854775807\nfn=\?\?\?\n0 0 0\nfl=\?\?\?\nfn=caf\xc3\xa9 \xff\n"
           "1 1 2\nsummary: 1 2\n", "the text, escaped");
    is_int(stat(path_of("out"), &st) == 0 ? st.st_mode & 0777 : 0, 0600, "for its owner only");
}

static void test_failures(void)
{
    struct qn_text_error err = {0};

    ok(qn_prof_open_writer(path_of("no/such"), &err) == NULL, "no directory, no writer");
    is_int(err.status, QN_TEXT_IO, "the system refused");
    ok(strstr(err.text, "no/such: cannot create: No such file") != NULL, "it says why");
    struct qn_text_error full = {0};
    struct qn_prof_writer *w = qn_prof_open_writer("/dev/full", &full);
    for (int i = 0; i < 100000; i++)
        qn_prof_put_desc(w, "more");
    is_int(qn_prof_close_writer(w, &full), QN_TEXT_IO, "a full disk");
    is_str(full.text, "/dev/full: cannot write: No space left on device", "it says so");
    struct qn_text_error none = {0};
    w = qn_prof_open_writer(path_of("given-up"), &none);
    put_profile(w);
    qn_prof_abandon_writer(w);
    is_str(content("given-up"), "(none)", "a writer that was given up leaves nothing");
    qn_prof_abandon_writer(NULL);
    is_int(rmdir(directory) != 0 && unlink(path_of("out")) == 0 && rmdir(directory) == 0, 1,
           "and no temporary file is left anywhere");
}

int main(void)
{
    const char *scratch = getenv("SCRATCH");

    snprintf(directory, sizeof directory, "%s/writer.XXXXXX", scratch ? scratch : "/tmp");
    if (!mkdtemp(directory))
        bail("cannot make a directory below %s", directory);
    test_text();
    test_failures();
    return done_testing();
}
