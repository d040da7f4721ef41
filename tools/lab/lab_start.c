/* tools/lab/lab_start.c - `quern lab start NN DIR`: the handout and the starter of a lab, in a new folder.
 *
 * Copies labs/NN-name/HANDOUT.md and all of labs/NN-name/starter; never what else a source tree has there.  A folder
 * that exists must be empty, so that nobody's work is written over.
 */
#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../tools.h"
#include "lab/variant.h"
#include "lab_tool.h"
#include "text/output.h"

#define STUDENT_SEEDS 1000000000ull /* nine digits can be written down */

static int copy(const char *folder, const char *name, const char *to)
{
    char from_path[PATH_MAX], to_path[PATH_MAX], bytes[65536];
    int from, out = -1, status;
    struct stat st;
    ssize_t n;

    snprintf(from_path, sizeof from_path, "%s/%s", folder, name);
    snprintf(to_path, sizeof to_path, "%s/%s", to, name);
    from = open(from_path, O_RDONLY | O_CLOEXEC);
    if (from < 0 || fstat(from, &st))
        return !qn_lab_complain(from_path);
    out = open(to_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, st.st_mode & 0111 ? 0777 : 0666);
    n = out < 0 ? -1 : 1;
    while (n > 0 && (n = read(from, bytes, sizeof bytes)) > 0)
        if (!qn_text_write_all(out, bytes, (size_t)n))
            n = -1;
    status = n < 0 ? !qn_lab_complain(to_path) : 0;
    close(from);
    if (out >= 0 && close(out) && !status)
        status = !qn_lab_complain(to_path);
    return status;
}

static int copy_folder(const char *folder, const char *to)
{
    DIR *d = opendir(folder);
    struct dirent *e;
    int status = d ? 0 : !qn_lab_complain(folder);

    while (!status && (e = readdir(d)))
        if (*e->d_name != '.')
            status = copy(folder, e->d_name, to);
    if (d)
        closedir(d);
    return status;
}

/* A new folder, which is removed again if the lab does not get into it, or one that is there and empty. */
static int make_folder(const char *path, bool *made)
{
    DIR *d;
    struct dirent *e;
    int entries = 0;

    *made = mkdir(path, 0777) == 0;
    if (*made)
        return qn_text_watch_scratch(path), 0;
    if (errno != EEXIST || !(d = opendir(path)))
        return !qn_lab_complain(path);
    while ((e = readdir(d)))
        entries += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    closedir(d);
    if (entries)
        qn_text_complain("quern: lab: %s: is not empty", path);
    return entries != 0;
}

static int write_student(const char *directory, unsigned lab, uint64_t seed)
{
    char path[PATH_MAX];
    FILE *f;

    snprintf(path, sizeof path, "%s/" QN_LAB_STUDENT_FILE, directory);
    f = fopen(path, "w");
    if (!f)
        return !qn_lab_complain(path);
    fprintf(f, "lab %u\nseed %" PRIu64 "\n", lab, seed);
    return fclose(f) ? !qn_lab_complain(path) : 0;
}

bool qn_lab_read_folder(const char *directory, struct qn_lab_folder *folder)
{
    char path[PATH_MAX];
    int read = 0, more = EOF;
    FILE *f;

    *folder = (struct qn_lab_folder){ .lab = 0 };
    snprintf(path, sizeof path, "%s/" QN_LAB_STUDENT_FILE, directory);
    f = fopen(path, "re");
    if (f) {
        read = fscanf(f, "lab %u seed %" SCNu64 " variant %" SCNx64, &folder->lab, &folder->seed, &folder->variant);
        while ((more = getc(f)) == '\n')
            ;
        fclose(f);
    }
    folder->there = f != NULL;
    folder->whole = read >= 2 && more == EOF;
    folder->has_variant = read == 3;
    return read >= 2;
}

static int copy_given(const struct qn_lab_place *place, const char *const *given, const char *to)
{
    char host[PATH_MAX];
    int status = copy(place->header, "quern.h", to);

    snprintf(host, sizeof host, "%s/host", place->labs);
    for (const char *const *name = given; !status && *name; name++)
        status = copy(host, *name, to);
    return status;
}

static int start(const struct qn_lab_request *r, const char *directory, uint64_t seed)
{
    const struct qn_lab *lab = r->lab;
    struct qn_lab_place place;
    char folder[PATH_MAX], starter[PATH_MAX + 16];
    bool made = false;
    int status;

    if (!qn_lab_find_place(&place))
        return 1;
    snprintf(folder, sizeof folder, "%s/%s", place.labs, lab->folder);
    snprintf(starter, sizeof starter, "%s/starter", folder);
    status = make_folder(directory, &made);
    if (!status)
        status = copy(folder, "HANDOUT.md", directory);
    if (!status)
        status = copy_folder(starter, directory);
    if (!status && lab->given)
        status = copy_given(&place, lab->given, directory);
    if (!status)
        status = write_student(directory, lab->number, seed);
    if (!status && r->has_variant)
        status = !qn_lab_write_variant(r, directory);
    if (made && status)
        qn_text_remove_scratch(directory);
    else
        qn_text_keep_scratch(directory);
    if (!status)
        printf("Lab %u, %s, is in %s: read HANDOUT.md first.\n", lab->number, lab->title, directory);
    return status;
}

int qn_lab_tool_start(char **argv)
{
    struct qn_lab_request r = { .lab = NULL };
    char **words;
    int status = qn_options_take(&qn_lab_start_options, &r, argv, &words);

    if (status >= 0)
        return status;
    if (!words[0] || !words[1] || words[2])
        return qn_options_wrong(&qn_lab_start_options, "start", "wanted the number of a lab and a folder");
    if (!r.knows_student && getrandom(&r.student, sizeof r.student, 0) != sizeof r.student)
        return !qn_lab_complain("getrandom");
    r.lab = qn_lab_named(words[0]);
    if (r.lab && !qn_lab_take_variant(&r))
        return QN_EXIT_USAGE;
    return r.lab ? start(&r, words[1], r.knows_student ? r.student : r.student % STUDENT_SEEDS) : QN_EXIT_USAGE;
}

/* ---- whose variant of a lab it is: from --student and --key-file, or from a folder that `start` made ---- */

#define BOX 6                    /* its variants are its boxes */
#define BOX_SEEDS 1000000000ull

bool qn_lab_take_variant(struct qn_lab_request *r)
{
    uint64_t seed;

    if (!r->name && !r->key_file)
        return true;
    if (!r->name || !r->key_file) {
        qn_text_complain("quern: lab: --student and --key-file belong together");
        return false;
    }
    if (!qn_lab_variant_seed(r->key_file, r->name, r->lab->number, &seed))
        return false;
    if (r->lab->number == BOX) {
        r->knows_student = true;
        r->student = seed % BOX_SEEDS;
    } else {
        r->has_variant = true;
        r->variant = seed;
    }
    return true;
}

/* What the driver of a lab of kernels is compiled with. */
static bool write_rules(const char *directory, unsigned lab, const struct qn_lab_variant *v)
{
    char path[PATH_MAX];
    FILE *f;

    snprintf(path, sizeof path, "%s/rules.h", directory);
    f = fopen(path, "we");
    if (!f)
        return perror(path), false;
    qn_lab_print_rules(f, lab, v);
    return fclose(f) == 0 || (perror(path), false);
}

bool qn_lab_write_variant(const struct qn_lab_request *r, const char *directory)
{
    char path[PATH_MAX], *text = NULL;
    struct qn_lab_variant v = qn_lab_draw_variant(r->variant);
    size_t size = 0;
    ssize_t n;
    FILE *f;

    snprintf(path, sizeof path, "%s/" QN_LAB_STUDENT_FILE, directory);
    f = fopen(path, "ae");
    if (!f)
        return perror(path), false;
    fprintf(f, "variant %" PRIx64 "\n", r->variant);
    if (ferror(f) | fclose(f))
        return perror(path), false;
    snprintf(path, sizeof path, "%s/HANDOUT.md", directory);
    f = fopen(path, "re");
    n = f ? getdelim(&text, &size, 0, f) : -1;
    if (f)
        fclose(f);
    f = n > 0 ? fopen(path, "we") : NULL;
    if (!f)
        return perror(path), free(text), false;
    n = (ssize_t)strcspn(text, "\n");
    fprintf(f, "%.*s\n\n**This is the variant of %s.** Where the text below and these rules differ, the rules hold; numbers that are\n"
               "worked out below are those of the rules below.\n\n", (int)n, text, r->name);
    qn_lab_print_variant(f, r->lab->number, &v);
    fputs(text + n, f);
    free(text);
    if (fclose(f))
        return perror(path), false;
    return !r->lab->given || write_rules(directory, r->lab->number, &v);
}
