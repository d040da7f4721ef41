/* tools/lab/lab_gradescope.c - `quern lab gradescope NN -o autograder.zip`: an autograder for Gradescope, two scripts in a zip file.
 *
 *   setup.sh          once, while the image is built: packages, and quern from $QUERN_SOURCE
 *   run_autograder    for each submission: quern lab check, results.json
 *   key               with --key-file: variants are drawn from it and the student's email
 *
 * Files are stored, not packed.  Source: PKWARE, APPNOTE.TXT (.ZIP file format), sections 4.3 and 4.4.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../tools.h"
#include "lab_tool.h"
#include "text/output.h"

#define FILES 3
#define TEXT_MAX 4096
#define VERSION 20u              /* of the format, 2.0 */
#define MADE_BY_UNIX (3u << 8)
#define EXECUTABLE (0100755u << 16)
#define DATE 0x21u               /* 1980-01-01: the file depends on what is in it only */

static const char setup[] =
    "#!/bin/sh\n"
    "# Builds quern in the image. QUERN_SOURCE: a git repository that the image can reach; set it here.\n"
    "set -e\n"
    "QUERN_SOURCE=${QUERN_SOURCE:-https://YOUR-SERVER/quern.git}\n"
    "apt-get update\n"
    "apt-get install -y git jq\n"
    "git clone --depth 1 \"$QUERN_SOURCE\" /opt/quern\n"
    "cd /opt/quern\n"
    "./bootstrap\n"
    "make -C build install\n";

static const char run[] =
    "#!/bin/sh\n"
    "# Checks one submission. AUTOGRADER: where Gradescope has it.\n"
    "AUTOGRADER=${AUTOGRADER:-/autograder}\n"
    "set --%s\n"
    "quern lab check --gradescope=\"$AUTOGRADER/results/results.json\" \"$@\" %u \"$AUTOGRADER/submission\"\n"
    "status=$?\n"
    "[ $status -le 1 ]\n";

static const char of_student[] =
    " --key-file=\"$AUTOGRADER/source/key\" --student=\"$(jq -r '.users[0].email' \"$AUTOGRADER/submission_metadata.json\")\"";

struct file {
    const char *name;
    char text[TEXT_MAX];
    unsigned size, crc, at;
};

static unsigned crc32_of(const char *bytes, unsigned n) /* ISO 3309 */
{
    unsigned crc = ~0u;

    for (unsigned i = 0; i < n; i++) {
        crc ^= (unsigned char)bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static void put(FILE *f, unsigned value, unsigned bytes)
{
    for (; bytes > 0; bytes--, value >>= 8)
        putc((int)(value & 255), f);
}

/* What the header of a file and its line in the directory have in common. */
static void put_facts(FILE *f, const struct file *file)
{
    put(f, VERSION, 2);
    put(f, 0, 2);
    put(f, 0, 2); /* stored */
    put(f, 0, 2);
    put(f, DATE, 2);
    put(f, file->crc, 4);
    put(f, file->size, 4);
    put(f, file->size, 4);
    put(f, (unsigned)strlen(file->name), 2);
    put(f, 0, 2);
}

static void put_zip(FILE *f, struct file *files, unsigned n)
{
    unsigned at = 0, begin;

    for (unsigned i = 0; i < n; i++) {
        files[i].at = at;
        files[i].crc = crc32_of(files[i].text, files[i].size);
        put(f, 0x04034b50, 4);
        put_facts(f, &files[i]);
        fputs(files[i].name, f);
        fwrite(files[i].text, 1, files[i].size, f);
        at += 30 + (unsigned)strlen(files[i].name) + files[i].size;
    }
    begin = at;
    for (unsigned i = 0; i < n; i++) {
        put(f, 0x02014b50, 4);
        put(f, VERSION | MADE_BY_UNIX, 2);
        put_facts(f, &files[i]);
        put(f, 0, 2); /* no comment */
        put(f, 0, 2);
        put(f, 0, 2);
        put(f, EXECUTABLE, 4);
        put(f, files[i].at, 4);
        fputs(files[i].name, f);
        at += 46 + (unsigned)strlen(files[i].name);
    }
    put(f, 0x06054b50, 4);
    put(f, 0, 4);
    put(f, n, 2);
    put(f, n, 2);
    put(f, at - begin, 4);
    put(f, begin, 4);
    put(f, 0, 2);
}

static bool read_key(struct file *file, const char *path)
{
    FILE *f = fopen(path, "re");

    if (!f)
        return qn_text_complain("quern: lab: %s: %s", path, strerror(errno)), false;
    file->size = (unsigned)fread(file->text, 1, sizeof file->text, f);
    fclose(f);
    return true;
}

static bool write_zip(const char *path, struct file *files, unsigned n)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_output o;
    FILE *f = qn_text_open_output(&o, path, QN_TEXT_SHARED, &err) == QN_TEXT_OK ? qn_text_stream_output(&o) : NULL;

    if (f) {
        put_zip(f, files, n);
        qn_text_close_output(&o, &err);
    }
    if (err.status != QN_TEXT_OK)
        qn_text_complain("quern: lab: %s", err.text);
    return err.status == QN_TEXT_OK;
}

int qn_lab_tool_gradescope(char **argv)
{
    static struct file files[FILES] = { { .name = "setup.sh" }, { .name = "run_autograder" }, { .name = "key" } };
    struct qn_lab_request r = { .lab = NULL };
    char **words;
    int status = qn_options_take(&qn_lab_marks_options, &r, argv, &words);

    if (status >= 0)
        return status;
    if (!words[0] || words[1])
        return qn_options_wrong(&qn_lab_marks_options, "gradescope", "wanted the number of a lab");
    r.lab = qn_lab_named(words[0]);
    if (!r.lab)
        return QN_EXIT_USAGE;
    files[0].size = (unsigned)snprintf(files[0].text, TEXT_MAX, "%s", setup);
    files[1].size = (unsigned)snprintf(files[1].text, TEXT_MAX, run, r.key_file ? of_student : "", r.lab->number);
    if (r.key_file && !read_key(&files[2], r.key_file))
        return 1;
    return write_zip(r.output ? r.output : "autograder.zip", files, r.key_file ? 3 : 2) ? 0 : 1;
}
