/* lib/prof/moved.c - see moved.h. */
#define _GNU_SOURCE
#include "prof/moved.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/grow.h"
#include "prof/calls/calls_sum.h"
#include "prof/data/data_sum.h"
#include "prof/merge.h"
#include "prof/read.h"
#include "text/input.h"
#include "text/names.h"

struct name {
    const char *text;
    bool later;  /* of the later profile */
};

/* A folder of the earlier profile and the one that stands in its place: lengths of names. */
struct move {
    const char *from, *to;
    int from_length, to_length;
};

/* ---- names ---- */

static enum qn_text_status read_names(const char *path, struct qn_text_names *names, struct qn_text_error *err)
{
    struct qn_prof_reader *r = qn_prof_open_reader(path, err);
    struct qn_prof_item item;

    while (r && qn_prof_read_next(r, &item, err) > 0)
        if (item.kind == QN_PROF_FILE)
            qn_text_intern(names, item.name, item.length);
    qn_prof_close_reader(r);
    return err->status;
}

static void list_alone(const struct qn_text_names *of, const struct qn_text_names *other, bool later, struct name *list, size_t *count)
{
    for (uint32_t i = 0; i < of->index.count; i++) {
        const char *text = qn_text_name(of, i);

        if (qn_text_find_name(other, text, strlen(text)) == QN_TEXT_NO_ID && strcmp(text, "???") != 0)
            list[(*count)++] = (struct name){ text, later };
    }
}

/* Characters at the end that two names have in common. */
static size_t count_common(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), i = 0;

    while (i < n && i < m && a[n - 1 - i] == b[m - 1 - i])
        i++;
    return i;
}

/* From their last character to the first: names that end alike stand together. */
static int compare_ends(const void *left, const void *right)
{
    const struct name *a = left, *b = right;
    size_t n = strlen(a->text), m = strlen(b->text), i = count_common(a->text, b->text);

    if (i < n && i < m)
        return (unsigned char)a->text[n - 1 - i] < (unsigned char)b->text[m - 1 - i] ? -1 : 1;
    return n != m ? (n < m ? -1 : 1) : a->later - b->later;
}

/* ---- folders ---- */

/* The folders before what the two have in common, which is whole names between slashes.  A folder of the earlier profile has a name if the file
 * has one. */
static bool find_move(const char *from, const char *to, struct move *move)
{
    size_t n = strlen(from), m = strlen(to), common = count_common(from, to), least = strchr(from, '/') ? (size_t)(strchr(from, '/') - from) + 1 : 0;

    if (common > n - least)
        common = n - least;
    while (common && ((common < n && from[n - common - 1] != '/') || (common < m && to[m - common - 1] != '/')))
        common--;
    *move = (struct move){ from, to, (int)(n - common), (int)(m - common) };
    return common > 0;
}

static int compare_moves(const void *left, const void *right)
{
    const struct move *a = left, *b = right;
    int order = a->from_length != b->from_length ? a->from_length - b->from_length : a->to_length - b->to_length;

    if (!order)
        order = memcmp(a->from, b->from, (size_t)a->from_length);
    return order ? order : memcmp(a->to, b->to, (size_t)a->to_length);
}

/* Of names that end alike, the one of the later profile that stands next before or behind has most in common. */
static size_t list_moves(const struct name *list, size_t count, struct move *moves)
{
    const char **next = QN_NEEDED(calloc(count + 1, sizeof *next)), *last = NULL;
    size_t found = 0;

    for (size_t i = count; i-- > 0; next[i] = last)
        last = list[i].later ? list[i].text : last;
    last = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *from = list[i].text, *best = next[i];

        if (list[i].later) {
            last = from;
            continue;
        }
        if (last && (!best || count_common(from, last) >= count_common(from, best)))
            best = last;
        found += best && find_move(from, best, &moves[found]);
    }
    free(next);
    return found;
}

/* The move of most files; of equal ones, the first. */
static bool choose_move(struct move *moves, size_t count, struct move *chosen)
{
    size_t most = 0;

    if (count)
        qsort(moves, count, sizeof *moves, compare_moves);
    for (size_t i = 0, n; i < count; i += n) {
        n = QN_COUNT_WHILE(k, count - i, compare_moves(&moves[i], &moves[i + k]) == 0);
        if (n > most) {
            most = n;
            *chosen = moves[i];
        }
    }
    return most > 0;
}

static bool find_best_move(const struct qn_text_names *before, const struct qn_text_names *after, struct move *best)
{
    struct name *list = QN_NEEDED(calloc((size_t)before->index.count + after->index.count + 1, sizeof *list));
    struct move *moves = QN_NEEDED(calloc((size_t)before->index.count + 1, sizeof *moves));
    size_t count = 0;
    bool found;

    list_alone(before, after, false, list, &count);
    list_alone(after, before, true, list, &count);
    if (count)
        qsort(list, count, sizeof *list, compare_ends);
    found = choose_move(moves, list_moves(list, count, moves), best);
    free(list);
    free(moves);
    return found;
}

/* ---- the copy ---- */

/* So that it stands for itself in s/old/new/. */
static void put_quoted(FILE *out, const char *text, int length)
{
    for (int i = 0; i < length; i++) {
        if (ispunct((unsigned char)text[i]) && text[i] != '_')
            putc('\\', out);
        putc(text[i], out);
    }
}

/* before, flags: " at " and "g" for the callers of inlined functions.  A file without a folder is replaced whole. */
static struct qn_text_subst *make_subst(const struct move *m, const char *before, const char *flags, struct qn_text_error *err)
{
    bool whole = !m->from_length;
    char *text = NULL;
    size_t size;
    FILE *out = QN_NEEDED(open_memstream(&text, &size));
    struct qn_text_subst *s;

    fprintf(out, "s/%s", *before ? before : "^");
    put_quoted(out, m->from, whole ? (int)strlen(m->from) : m->from_length);
    fprintf(out, "%s/%s", !whole ? "" : *before ? "(?=:)" : "$", before);
    put_quoted(out, m->to, whole ? (int)strlen(m->to) : m->to_length);
    fprintf(out, "/%s", flags);
    if (fclose(out))
        qn_no_memory();
    s = qn_text_parse_subst(text, err);
    free(text);
    return s;
}

static enum qn_text_status write_copy(const char *path, int fd, const struct qn_text_subst *mod_file, const struct qn_text_subst *mod_fn,
                                      struct qn_text_error *err)
{
    struct qn_prof_merge *m = qn_prof_new_merge(mod_file, mod_fn);
    struct qn_prof_call_sum calls = { .mod_file = mod_file, .mod_fn = mod_fn };
    struct qn_prof_data_sum data = { .mod_file = mod_file, .mod_fn = mod_fn };
    char warning[QN_TEXT_MAX];

    if (qn_prof_merge_file(m, path, warning, sizeof warning, err) == QN_TEXT_OK && qn_prof_sum_calls(&calls, path, 0, err) == QN_TEXT_OK
        && qn_prof_sum_data(&data, path, 0, err) == QN_TEXT_OK) {
        struct qn_prof_writer *w = qn_prof_open_writer_fd(fd, path);

        qn_prof_finish_call_sum(&calls, warning, sizeof warning);
        qn_prof_finish_data_sum(&data);
        qn_prof_write_merge(m, QN_PROF_MODERN, w);
        qn_prof_put_calls(w, &calls.calls);
        qn_prof_put_data(w, &data.data);
        qn_prof_close_writer(w, err);
    }
    qn_prof_free_data_sum(&data);
    qn_prof_free_call_sum(&calls);
    qn_prof_free_merge(m);
    return err->status;
}

static enum qn_text_status apply(const struct move *move, const char *path, struct qn_text_error *err)
{
    struct qn_text_subst *mod_file = make_subst(move, "", "", err), *mod_fn = mod_file ? make_subst(move, " at ", "g", err) : NULL;
    int fd = memfd_create("quern-moved", MFD_CLOEXEC);

    if (fd < 0)
        qn_text_fail(err, QN_TEXT_IO, "%s: cannot keep a copy: %m", path);
    if (mod_fn && fd >= 0 && write_copy(path, fd, mod_file, mod_fn, err) == QN_TEXT_OK)
        qn_text_replace_input(path, fd);
    else if (fd >= 0)
        close(fd);
    qn_text_free_subst(mod_file);
    qn_text_free_subst(mod_fn);
    return err->status;
}

enum qn_text_status qn_prof_align(const char *before, const char *after, struct qn_text_error *err)
{
    bool more = true;

    for (int i = 0; i < QN_PROF_MOVES && more; i++) {
        struct qn_text_names names[2] = { { .texts = NULL }, { .texts = NULL } };
        struct move move;

        more = read_names(before, &names[0], err) == QN_TEXT_OK && read_names(after, &names[1], err) == QN_TEXT_OK
               && find_best_move(&names[0], &names[1], &move) && apply(&move, before, err) == QN_TEXT_OK;
        qn_text_free_names(&names[0]);
        qn_text_free_names(&names[1]);
    }
    return err->status;
}
