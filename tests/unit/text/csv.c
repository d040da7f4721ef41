/* lib/text/csv: is what is written read back the same, and is what is not CSV named by file and line? */
#define _GNU_SOURCE
#include <unistd.h>

#include "text/csv.h"
#include "tap.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

static char *path;

static void put(const char *text)
{
    FILE *f = fopen(path, "w");

    if (!f || fputs(text, f) < 0 || fclose(f))
        bail("cannot write %s", path);
}

static const char *get(void)
{
    static char text[1000];
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;

    text[n] = 0;
    if (f)
        fclose(f);
    return text;
}

static void refused(const char *text, const char *wanted)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_table t = { 0 };
    char *message;

    put(text);
    ok(qn_text_read_table(&t, path, &err) != QN_TEXT_OK, "refused: %.20s", wanted);
    if (asprintf(&message, "%s%s", path, wanted) < 0)
        bail("no memory");
    is_str(err.text, message, "with file and line");
    free(message);
    qn_text_free_table(&t);
}

static void test_round_trip(void)
{
    static const char text[] = "a,\"b,c\",d\n1,\"say \"\"hi\"\"\",\n\" x\",\"two\nlines\",3.5\n";
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_table t = { 0 };
    double number;

    put(text);
    ok(qn_text_read_table(&t, path, &err) == QN_TEXT_OK, "read %s", err.text);
    is_int(t.row_count, 2, "rows");
    is_str(qn_text_cell(&t, 0, qn_text_find_column(&t, "b,c")), "say \"hi\"", "quotes");
    is_str(qn_text_cell(&t, 1, 1), "two\nlines", "a newline in a cell");
    is_str(qn_text_cell(&t, 1, 0), " x", "a blank at the beginning");
    is_str(qn_text_cell(&t, 1, -1), "", "no such column");
    ok(qn_text_cell_number(&t, 1, 2, &number) && number == 3.5, "a number");
    ok(!qn_text_cell_number(&t, 0, 2, &number) && !qn_text_cell_number(&t, 0, 1, &number), "not numbers");
    ok(qn_text_write_table(&t, path, &err) == QN_TEXT_OK, "write");
    is_str(get(), text, "the same bytes");
    qn_text_free_table(&t);
}

/* Rows without quotes are split without libcsv: also between rows that have some, and not inside a cell of several lines. */
static void test_plain_rows(void)
{
    static const struct { const char *text; bool is; double number; } numbers[] = {
        { "007", true, 7 }, { "-3", true, -3 }, { "123456789012345", true, 123456789012345 }, { "12345678901234567890", true, 12345678901234567890.0 },
        { "1e3", true, 1000 }, { "12a", false, 12 }, { "", false, 0 }, { ".", false, 0 },
    };
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_table t = { 0 };

    put("a,b\n1,2\n\"x\ny,z\nw\",3\n 4 ,5\n\n6,7\r\n,\n");
    ok(qn_text_read_table(&t, path, &err) == QN_TEXT_OK, "rows with and without quotes: %s", err.text);
    ok(qn_text_write_table(&t, path, &err) == QN_TEXT_OK, "write");
    is_str(get(), "a,b\n1,2\n\"x\ny,z\nw\",3\n\" 4 \",5\n6,7\n,\n", "blanks belong to their cells");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        double number;

        t.rows[0][0] = (char *)numbers[i].text;
        ok(qn_text_cell_number(&t, 0, 0, &number) == numbers[i].is && (!numbers[i].is || number == numbers[i].number)
               && qn_text_number(&t, 0, 0) == numbers[i].number, "a number, or none: '%s'", numbers[i].text);
    }
    qn_text_free_table(&t);
    refused("a,b\n1,2\n3\n", ":3: cells: got 1, wanted 2");
}

/* Lines without a byte are no rows, so an empty cell that is alone has to be quoted. */
static void test_one_column(void)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_table t = { 0 };

    put("a\n\n\"\"\n\"\tx\"\n");
    ok(qn_text_read_table(&t, path, &err) == QN_TEXT_OK, "one column");
    is_int(t.row_count, 2, "an empty cell is a row, an empty line is none");
    ok(qn_text_write_table(&t, path, &err) == QN_TEXT_OK, "write");
    is_str(get(), "a\n\"\"\n\"\tx\"\n", "the empty cell and a tab at the beginning are still there");
    qn_text_free_table(&t);
}

static void test_nul(void)
{
    static const char text[] = "a,b\n1,2\0\n";
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_table t = { 0 };
    FILE *f = fopen(path, "w");

    if (!f || fwrite(text, 1, sizeof text - 1, f) != sizeof text - 1 || fclose(f))
        bail("cannot write %s", path);
    ok(qn_text_read_table(&t, path, &err) == QN_TEXT_BAD, "a NUL byte is refused");
    ok(strstr(err.text, "t.csv:2: malformed row, got a NUL byte, wanted text") != NULL, "with file and line: %s", err.text);
    qn_text_free_table(&t);
}

/* A cell that libcsv has to read may span lines; the number of rows shows a cut file. */
static void test_count(void)
{
    refused("a,of_rows\n1,2\n", ":2: cut off or changed: got 1 rows, wanted 2 as column of_rows says");
    refused("a,of_rows\n", ":1: malformed row, got the end of the file behind the names, wanted rows");
    refused("a,b\n1,2", ":2: cut off: got no newline at the end, wanted one");
    refused("desc: I1 \"cache\"\n", ": got a profile, wanted a table of comma-separated values");
    refused("\n\ncmd: a\n", ": got a profile, wanted a table of comma-separated values");
}

static void test_cells(void)
{
    static const char *const cells[][2] = { { "a", "a" }, { "", "" }, { "a;b", "\"a;b\"" }, { "say \"x\"", "\"say \"\"x\"\"\"" }, { "x ", "\"x \"" },
                                              { "\xef\xbb\xbfx", "\"\xef\xbb\xbfx\"" }, { "cmd: a", "\"cmd: a\"" } /* no mark, no profile */ };
    struct qn_text_buffer to = { NULL, 0, 0 };

    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        to.length = 0;
        qn_text_append_cell(&to, cells[i][0]);
        qn_text_append(&to, "", 1);
        is_str(to.text, cells[i][1], "a cell as it is written");
    }
    free(to.text);
}

static void test_failures(void)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_table t = { 0 };

    refused("a,b\n1\n", ":2: cells: got 1, wanted 2");
    refused("a,b\n1,2\n1,2,3\n", ":3: cells: got 3, wanted 2");
    refused("a,b\n1,\"2\n", ":2: malformed row, got the end of the file in a quoted cell, wanted a closing quote");
    refused("a,b\n1,x\"y\n", ":2: malformed row, got a quote inside a cell, wanted quotes around the cell, and doubled in it");
    refused("", ": empty, wanted a line of names");
    ok(qn_text_read_table(&t, "/nowhere/x", &err) == QN_TEXT_IO, "a file that is not there");
    err.status = QN_TEXT_OK;
    qn_text_add_column(&t, "a");
    ok(qn_text_write_table(&t, "/nowhere/x", &err) == QN_TEXT_IO, "a place where nothing can be written");
    err.status = QN_TEXT_OK;
    put("old\n");
    ok(qn_text_write_table(&t, "/dev/full/x", &err) == QN_TEXT_IO, "a failure");
    is_str(get(), "old\n", "leaves what was there");
    qn_text_free_table(&t);
}

int main(void)
{
    const char *scratch = getenv("SCRATCH");

    if (asprintf(&path, "%s/t.csv", scratch ? scratch : "/tmp") < 0)
        bail("no memory");
    test_round_trip();
    test_plain_rows();
    test_one_column();
    test_nul();
    test_count();
    test_cells();
    test_failures();
    unlink(path);
    free(path);
    return done_testing();
}
