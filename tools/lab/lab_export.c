/* tools/lab/lab_export.c - what other services want of a class: MOSS and JPlag the submissions, Gradescope an autograder (below).
 *
 * `quern lab export -o OUT NN DIR`: what every student of DIR handed in, as MOSS and JPlag want it, and who shares
 * how much with whom (lab_similar.c).
 *
 *   OUT/submissions/ada/csim.c     a folder for each student, with the files that are handed in
 *   OUT/base/csim.c                what was given to all
 *   OUT/similar.csv                all pairs, the most alike first
 *   OUT/similar.html               both sides of those that are most alike
 *   OUT/moss.sh, OUT/jplag.sh      their commands; quern sends nothing anywhere
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../tools.h"
#include "lab_tool.h"
#include "text/error.h"
#include "text/output.h"

#define FILE_MAX (1u << 20) /* bytes, as in a check */

static bool make_folder(const char *path) { return mkdir(path, 0777) == 0 || errno == EEXIST || qn_lab_complain(path); }

static bool write_file(const char *path, const char *text, size_t size, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode);
    bool good = fd >= 0 && qn_text_write_all(fd, text, size);

    if (fd >= 0)
        close(fd);
    return good || qn_lab_complain(path);
}

/* As in a check, a link or a file that is too large does not count as handed in. */
static char *read_handed_in(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char *bytes = NULL;
    struct stat st;
    ssize_t n = -1;

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= FILE_MAX && (bytes = malloc((size_t)st.st_size + 1)))
        n = read(fd, bytes, (size_t)st.st_size);
    if (fd >= 0)
        close(fd);
    *size = n < 0 ? 0 : (size_t)n;
    return bytes;
}

/* The lab's files from one folder into another. */
static bool take_folder(const struct qn_lab *lab, const char *from, const char *to)
{
    bool good = make_folder(to);

    for (const char *const *file = lab->files; good && *file; file++) {
        char source[PATH_MAX], target[PATH_MAX];
        size_t size;
        char *text;

        snprintf(source, sizeof source, "%s/%s", from, *file);
        snprintf(target, sizeof target, "%s/%s", to, *file);
        text = read_handed_in(source, &size);
        if (!text)
            continue;
        good = write_file(target, text, size, 0666);
        free(text);
    }
    return good;
}

static bool write_scripts(const struct qn_lab *lab, const char *out)
{
    static const char jplag[] = "#!/bin/sh\n# Compares here, with JPlag (JPLAG: its jar). Makes result.jplag.\ncd \"$(dirname \"$0\")\" || exit 1\n"
                                "exec java -jar \"${JPLAG:-jplag.jar}\" -l c -bc base -r result submissions\n";
    char path[PATH_MAX], text[2048];
    size_t n;

    n = (size_t)snprintf(text, sizeof text, "#!/bin/sh\n# Sends submissions to Stanford's MOSS (MOSS: its script, which has your number). Ask whether you may.\n"
                                            "cd \"$(dirname \"$0\")\" || exit 1\nexec \"${MOSS:-./moss}\" -l c -d");
    for (const char *const *file = lab->files; *file && n < sizeof text; file++)
        if (strstr(*file, ".c"))
            n += (size_t)snprintf(text + n, sizeof text - n, " -b base/%s", *file);
    if (n < sizeof text)
        n += (size_t)snprintf(text + n, sizeof text - n, " submissions/*/*.c\n");
    snprintf(path, sizeof path, "%s/moss.sh", out);
    if (n >= sizeof text || !write_file(path, text, n, 0777))
        return false;
    snprintf(path, sizeof path, "%s/jplag.sh", out);
    return write_file(path, jplag, sizeof jplag - 1, 0777);
}

static int export(const struct qn_lab_request *r, const struct qn_lab_place *place, const struct qn_lab_students *list)
{
    char from[PATH_MAX], to[PATH_MAX];
    struct qn_lab_works works = { .lab = r->lab, .place = place };
    bool good;

    snprintf(from, sizeof from, "%s/%s/starter", place->labs, r->lab->folder);
    snprintf(to, sizeof to, "%s/base", r->output);
    good = take_folder(r->lab, from, to);
    snprintf(to, sizeof to, "%s/submissions", r->output);
    good = good && make_folder(to);
    for (unsigned i = 0; good && i < list->n; i++) {
        snprintf(from, sizeof from, "%s/%s", r->directory, list->name[i]);
        snprintf(to, sizeof to, "%s/submissions/%s", r->output, list->name[i]);
        good = take_folder(r->lab, from, to);
    }
    good = good && qn_lab_add_class(&works, r->directory, list) && qn_lab_add_public(&works) && (!r->earlier || qn_lab_add_earlier(&works, r->earlier))
           && qn_lab_write_similar(&works, r->output) && write_scripts(r->lab, r->output);
    qn_lab_free_works(&works);
    return good && !list->left_out ? 0 : 1;
}

int qn_lab_tool_export(char **argv)
{
    struct qn_lab_request r = { .lab = NULL };
    struct qn_lab_place place;
    struct qn_lab_students list;
    char **words;
    int status = qn_options_take(&qn_lab_marks_options, &r, argv, &words);

    if (status >= 0)
        return status;
    if (!words[0] || !words[1] || words[2] || !r.output)
        return qn_options_wrong(&qn_lab_marks_options, "export", "wanted -o FOLDER, the number of a lab and a folder of students' folders");
    r.lab = qn_lab_named(words[0]);
    r.directory = words[1];
    if (!r.lab)
        return QN_EXIT_USAGE;
    if (qn_lab_list_students(&list, r.directory))
        return 1;
    status = qn_lab_find_place(&place) && make_folder(r.output) ? export(&r, &place, &list) : 1;
    qn_lab_free_students(&list);
    return status;
}

/* ---- `quern lab gradescope NN -o autograder.zip`: an autograder for Gradescope, two scripts in a zip file ----
 *
 *   setup.sh          once, while the image is built: packages, and quern from $QUERN_SOURCE
 *   run_autograder    for each submission: quern lab check, results.json
 *   key               with --key-file: variants are drawn from it and the student's email
 *
 * Files are stored, not packed.  Source: PKWARE, APPNOTE.TXT (.ZIP file format), sections 4.3 and 4.4.
 */

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
        return qn_lab_complain(path);
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
