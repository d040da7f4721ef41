/* lib/page/log.c - see log.h. */
#include "page/log.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "text/digits.h"

#define FROM "AN: from "

struct reading {
    struct qn_page_log *log;
    const char *path;
    struct qn_text_error *err;
    FILE *file;
    char *buffer, *text; /* text: the line without the number of its process */
    size_t room, curve_room, set_room;
    long number, process;
    uint64_t sets;       /* the number that the log announces */
    bool in_curve;
};

/* Reads the next line of the first process, or without a process number.  false: the end. */
static bool next_line(struct reading *r)
{
    while (getline(&r->buffer, &r->room, r->file) > 0) {
        char *end;
        long process;

        r->number++;
        r->text = r->buffer;
        r->text[strcspn(r->text, "\r\n")] = '\0';
        if (strncmp(r->text, "==", 2))
            return true;
        process = strtol(r->text + 2, &end, 10);
        if (strncmp(end, "== ", 3))
            continue;
        if (!r->process)
            r->process = process;
        if (process == r->process) {
            r->text = end + 3;
            return true;
        }
    }
    return false;
}

static enum qn_text_status refuse(struct reading *r, const char *wanted)
{
    return qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: got `%.60s`, wanted %s", r->path, r->number, r->text, wanted);
}

static enum qn_text_status take_size(struct reading *r, uint64_t lines, uint64_t misses)
{
    struct qn_page_log *log = r->log;

    if (!log->line)
        return refuse(r, "a line before it that begins with `D1 cache:`");
    if (misses > log->touched)
        return refuse(r, "no more misses than lines touched");
    QN_MORE(log->curve, log->curve_count, r->curve_room, 32);
    log->curve[log->curve_count][0] = lines;
    log->curve[log->curve_count++][1] = misses;
    return QN_TEXT_OK;
}

/* "AN: from 8: 12 0 3": the misses of sets 8, 9 and 10. */
static enum qn_text_status take_sets(struct reading *r)
{
    struct qn_page_log *log = r->log;
    uint64_t first, misses;
    const char *at = qn_text_parse_digits(r->text + strlen(FROM), UINT32_MAX, &first);

    if (!at || *at != ':' || first != log->set_count)
        return refuse(r, "the sets in their order");
    for (at++; *at == ' ';) {
        at = qn_text_parse_digits(at + 1, INT64_MAX, &misses);
        if (!at || log->set_count == r->sets)
            return refuse(r, "as many numbers as sets");
        QN_MORE(log->sets, log->set_count, r->set_room, 64);
        log->sets[log->set_count++] = misses;
    }
    return *at ? refuse(r, "numbers with blanks between them") : QN_TEXT_OK;
}

static enum qn_text_status take_line(struct reading *r)
{
    struct qn_page_log *log = r->log;
    uint64_t n[2];

    if (!strncmp(r->text, "D1 cache:", 9))
        return sscanf(r->text, "D1 cache: %*u B, %" SCNu64 " B", &log->line) == 1 ? QN_TEXT_OK : refuse(r, "a cache");
    if (strstr(r->text, " lines touched; "))
        r->in_curve = sscanf(r->text, "AN: %" SCNu64, &log->touched) == 1;
    else if (r->in_curve && sscanf(r->text, "AN: %" SCNu64 " lines: %" SCNu64, &n[0], &n[1]) == 2)
        return take_size(r, n[0], n[1]);
    else if (sscanf(r->text, "AN: lines missed: %" SCNu64 " for the first time", &n[0]) == 1)
        log->first = n[0];
    else if (sscanf(r->text, "AN: misses by set of the D1, %" SCNu64 " sets", &n[0]) == 1)
        r->sets = n[0];
    else if (r->sets && !strncmp(r->text, FROM, strlen(FROM)))
        return take_sets(r);
    return QN_TEXT_OK;
}

static enum qn_text_status read_lines(struct reading *r)
{
    while (next_line(r))
        if (take_line(r) != QN_TEXT_OK)
            return r->err->status;
    if (r->log->set_count < r->sets)
        return qn_text_fail(r->err, QN_TEXT_BAD, "%s: sets: got the first %zu, wanted all %" PRIu64, r->path, r->log->set_count, r->sets);
    if (!r->log->curve_count && !r->log->set_count)
        return qn_text_fail(r->err, QN_TEXT_BAD, "%s: got no table of misses by size or set, wanted the log of a run with --analysis=mattson or sets",
                            r->path);
    return QN_TEXT_OK;
}

enum qn_text_status qn_page_read_log(struct qn_page_log *log, const char *path, struct qn_text_error *err)
{
    struct reading r = { .log = log, .path = path, .err = err };

    *log = (struct qn_page_log){ .first = UINT64_MAX };
    r.file = fopen(path, "r");
    if (!r.file)
        return qn_text_fail(err, QN_TEXT_IO, "%s: %m", path);
    read_lines(&r);
    free(r.buffer);
    fclose(r.file);
    return err->status;
}

void qn_page_free_log(struct qn_page_log *log)
{
    free(log->curve);
    free(log->sets);
}

void qn_page_put_log(FILE *out, const struct qn_page_log *log)
{
    fprintf(out, "{\"line\":%" PRIu64 ",\"touched\":%" PRIu64 ",\"first\":", log->line, log->touched);
    if (log->first == UINT64_MAX)
        fputs("null", out);
    else
        fprintf(out, "%" PRIu64, log->first);
    fputs(",\"curve\":[", out);
    for (size_t i = 0; i < log->curve_count; i++)
        fprintf(out, "%s[%" PRIu64 ",%" PRIu64 "]", i ? "," : "", log->curve[i][0], log->curve[i][1]);
    fputs("],\"sets\":[", out);
    for (size_t i = 0; i < log->set_count; i++)
        fprintf(out, "%s%" PRIu64, i ? "," : "", log->sets[i]);
    fputs("]}", out);
}
