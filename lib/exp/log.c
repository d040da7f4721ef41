/* lib/exp/log.c - see log.h. */
#define _GNU_SOURCE
#include "exp/log.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "text/digits.h"
#include "text/input.h"
#include "text/version.h"

static const char *const level_names[QN_EXP_LEVELS] = { "I1", "D1", "LL" };

/* ---- lines ---- */

struct lines {
    FILE *file;
    char *buffer;
    const char *text;     /* the line, without the number of its process */
    size_t room;
    long number, process; /* of the line; of the first process, 0: none so far */
    bool plain;           /* lines without a process count, too: `quern replay` writes such */
};

/* "==12== text" or "--12-- text"; 0: another kind of line. */
static long parse_number(const char *line, const char **text)
{
    char *end;
    long process;

    if (strncmp(line, "==", 2) && strncmp(line, "--", 2))
        return 0;
    process = strtol(line + 2, &end, 10);
    if (process <= 0 || strncmp(end, line, 2) || end[2] != ' ')
        return 0;
    *text = end + 3;
    return process;
}

/* The next line of the first process. */
static bool next_line(struct lines *l)
{
    while (l->file && getline(&l->buffer, &l->room, l->file) > 0) {
        long process;

        l->number++;
        l->text = l->buffer;
        l->buffer[strcspn(l->buffer, "\r\n")] = 0;
        process = parse_number(l->buffer, &l->text);
        l->process = l->process ? l->process : process;
        if (process ? process == l->process : l->plain && strncmp(l->text, "==", 2))
            return true;
    }
    return false;
}

static void close_lines(struct lines *l)
{
    free(l->buffer);
    if (l->file)
        fclose(l->file);
}

long qn_exp_read_log(const char *path, void (*line)(void *data, const char *text), void *data)
{
    struct lines l = { .file = qn_text_open_kept(path) };

    while (next_line(&l))
        line(data, l.text);
    close_lines(&l);
    return l.process;
}

bool qn_exp_is_log(const char *path)
{
    FILE *file = qn_text_open_kept(path);
    char start[8] = "";
    bool is = file && fgets(start, sizeof start, file) && !strncmp(start, "==", 2);

    if (file)
        fclose(file);
    return is;
}

/* "D1 cache:  8192 B, ...": the level, and *text behind the colon; -1: another line. */
static int find_cache(const char *line, const char **text)
{
    for (int i = 0; i < QN_EXP_LEVELS; i++)
        if (!strncmp(line, level_names[i], 2) && !strncmp(line + 2, " cache:", 7)) {
            *text = line + 9 + strspn(line + 9, " ");
            return i;
        }
    return -1;
}

/* ---- events ---- */

/* "D1.evictions      991  lines that gave way to another" */
static bool read_event(struct qn_text_memory *m, struct qn_exp_result *r, const char *text)
{
    size_t name = strcspn(text, " "), blanks = strspn(text + name, " "), digits = strspn(text + name + blanks, "0123456789");

    if (name < 4 || !isupper((unsigned char)text[0]) || text[2] != '.' || !digits || text[name + blanks + digits] != ' ')
        return false;
    qn_exp_add_count(m, r, qn_text_copy_part(m, text, name), qn_text_copy_part(m, text + name + blanks, digits));
    return true;
}

/* "BC: gshare, 32780 bits of storage" */
static void read_storage(struct qn_text_memory *m, struct qn_exp_result *r, const char *text)
{
    const char *comma = strchr(text, ','), *end;

    if ((strncmp(text, "BC: ", 4) && strncmp(text, "BI: ", 4)) || !comma || !isdigit((unsigned char)comma[2]))
        return;
    end = comma + 2 + strspn(comma + 2, "0123456789");
    if (!strcmp(end, " bits of storage"))
        qn_exp_add_count(m, r, text[1] == 'C' ? "BC_bits" : "BI_bits",
                         qn_text_copy_part(m, comma + 2, (size_t)(end - comma) - 2));
}

void qn_exp_read_log_line(struct qn_text_memory *m, struct qn_exp_result *r, const char *text)
{
    if (!read_event(m, r, text))
        read_storage(m, r, text);
}

/* ---- sizes ----
 *
 * In:  ==12== I   refs:      2,100                             and I1 misses, D refs; caches and command
 *      ==12== AN: misses of D1s by size, 2 ways, lines of 64 bytes: reads, writes
 *      ==12== AN: 4096 bytes: 80 11                            a line for each size
 * Out: program,command,...,D1_size,D1_ways,D1_line,...,status,Ir,I1mr,Dr,D1mr,Dw,D1mw,...,D1_miss_percent,...
 *
 * What the analysis does not give is left empty: misses of the LL, which depend on the D1, and the build-id.
 */

#define SIZES_MAX 64

struct sizes {
    struct qn_text_memory *m;
    struct qn_geometry geometry[QN_EXP_LEVELS];
    const char *command;
    struct qn_exp_result totals;              /* the run's counts that do not depend on the D1 */
    uint32_t ways, line, size[SIZES_MAX];     /* ways: 0 before the table begins */
    struct qn_exp_result misses[SIZES_MAX];
    int count;
};

/* "  2,100  (1,000 rd": 2100; *end: what follows.  NULL: no number. */
static const char *take_number(struct qn_text_memory *m, const char *text, const char **end)
{
    char *digits = qn_text_copy(m, text), *to = digits;

    for (text += strspn(text, " ("); *text == ',' || (*text >= '0' && *text <= '9'); text++)
        if (*text != ',')
            *to++ = *text;
    *to = 0;
    *end = text;
    return to == digits ? NULL : digits;
}

static void take_count(struct sizes *s, const char *event, const char *text, const char **end)
{
    const char *value = take_number(s->m, text, end);

    if (value)
        qn_exp_add_count(s->m, &s->totals, event, value);
}

static bool take_total(struct sizes *s, const char *text)
{
    const char *end;

    if (!strncmp(text, "I   refs:", 9)) {
        take_count(s, "Ir", text + 9, &end);
    } else if (!strncmp(text, "I1  misses:", 11)) {
        take_count(s, "I1mr", text + 11, &end);
    } else if (!strncmp(text, "D   refs:", 9) && take_number(s->m, text + 9, &end)) {
        take_count(s, "Dr", end, &end);
        end += strcspn(end, "+");
        take_count(s, "Dw", end + (*end == '+'), &end);
    } else {
        return false;
    }
    return true;
}

static void take_size(struct sizes *s, const char *text)
{
    uint64_t reads, writes;
    struct qn_exp_result *r;

    if (s->count == SIZES_MAX || sscanf(text, "AN: %" SCNu32 " bytes: %" SCNu64 " %" SCNu64, &s->size[s->count], &reads, &writes) != 3)
        return;
    r = &s->misses[s->count++];
    r->status = QN_EXP_OK;
    qn_exp_add_count(s->m, r, "D1mr", qn_text_format(s->m, "%" PRIu64, reads));
    qn_exp_add_count(s->m, r, "D1mw", qn_text_format(s->m, "%" PRIu64, writes));
}

static void take_line(void *data, const char *text)
{
    struct sizes *s = data;
    const char *cache;
    int level;

    if (s->ways) {
        take_size(s, text);
        return;
    }
    if (take_total(s, text))
        return;
    if (!strncmp(text, "Command: ", 9))
        s->command = qn_text_copy(s->m, text + 9);
    level = find_cache(text, &cache);
    if (level >= 0)
        sscanf(cache, "%u B, %u B, %u-way", &s->geometry[level].size, &s->geometry[level].line, &s->geometry[level].assoc);
    sscanf(text, "AN: misses of D1s by size, %" SCNu32 " ways, lines of %" SCNu32 " bytes", &s->ways, &s->line);
}

/* The command's first word, without folders. */
static const char *name_program(struct qn_text_memory *m, const char *command)
{
    return basename(qn_text_copy_part(m, command, strcspn(command, " ")));
}

static void fill(struct qn_text_table *t, struct sizes *s, const char *counting)
{
    const struct qn_exp none = { .axis_count = 0 };
    const struct qn_exp_provenance from = { QN_VERSION, { "lru", "lru", "lru", "cachegrind", "cachegrind", "" }, "", "", counting };
    struct qn_exp_program program = { .name = { name_program(s->m, s->command), "" } };
    const char *argv[] = { s->command, NULL };
    struct qn_exp_run at[SIZES_MAX];
    struct qn_exp_provenance provenance[SIZES_MAX];
    struct qn_exp_runs runs = { at, s->count };

    for (int i = 0; i < s->count; i++) {
        provenance[i] = from;
        at[i] = (struct qn_exp_run){ .program = &program, .argv = argv, .sim = { "default", "" }, .seed = 1 };
        memcpy(at[i].geometry, s->geometry, sizeof s->geometry);
        at[i].geometry[QN_EXP_D1] = (struct qn_geometry){ s->size[i], s->ways, s->line };
        for (int k = 0; k < s->totals.count; k++)
            qn_exp_add_count(s->m, &s->misses[i], s->totals.counts[k].name, s->totals.counts[k].value);
    }
    qn_exp_fill_table(t, &none, &runs, provenance, s->misses);
}

enum qn_text_status qn_exp_read_sizes(struct qn_text_table *t, const char *log, const char *counting, struct qn_text_error *err)
{
    struct sizes s = { .m = &t->memory, .command = "" };

    if (!qn_exp_read_log(log, take_line, &s))
        return qn_text_fail(err, QN_TEXT_BAD, "%s: got no line of a log, wanted that of a run", log);
    if (s.ways)
        fill(t, &s, counting);
    return QN_TEXT_OK;
}

/* ---- mattson and sets ---- */

#define FROM "AN: from "

struct reading {
    struct qn_exp_log *log;
    const char *path;
    struct qn_text_error *err;
    struct lines lines;
    uint64_t sets; /* the number that the log announces */
    bool in_curve;
};

static enum qn_text_status refuse(struct reading *r, const char *wanted)
{
    return qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: got '%.60s', wanted %s", r->path, r->lines.number, r->lines.text, wanted);
}

static enum qn_text_status take_misses(struct reading *r, uint64_t lines, uint64_t misses)
{
    struct qn_exp_log *log = r->log;

    if (!log->line)
        return refuse(r, "a line before it that begins with 'D1 cache:'");
    if (misses > log->touched)
        return refuse(r, "no more misses than lines touched");
    log->curve = qn_text_grow(&log->memory, log->curve, log->curve_count, sizeof *log->curve);
    log->curve[log->curve_count][0] = lines;
    log->curve[log->curve_count++][1] = misses;
    return QN_TEXT_OK;
}

/* "AN: from 8: 12 0 3": the misses of sets 8, 9 and 10. */
static enum qn_text_status take_sets(struct reading *r)
{
    struct qn_exp_log *log = r->log;
    uint64_t first, misses;
    const char *at = qn_text_parse_digits(r->lines.text + strlen(FROM), UINT32_MAX, &first);

    if (!at || *at != ':' || first != log->set_count)
        return refuse(r, "the sets in their order");
    for (at++; *at == ' ';) {
        at = qn_text_parse_digits(at + 1, INT64_MAX, &misses);
        if (!at || log->set_count == r->sets)
            return refuse(r, "as many numbers as sets");
        log->sets = qn_text_grow(&log->memory, log->sets, log->set_count, sizeof *log->sets);
        log->sets[log->set_count++] = misses;
    }
    return *at ? refuse(r, "numbers with blanks between them") : QN_TEXT_OK;
}

static enum qn_text_status take_cache(struct reading *r, int level, const char *text)
{
    r->log->caches[level] = qn_text_copy(&r->log->memory, text);
    if (level == QN_EXP_D1 && sscanf(text, "%*u B, %" SCNu64 " B", &r->log->line) != 1)
        return refuse(r, "a cache");
    return QN_TEXT_OK;
}

static enum qn_text_status take_table_line(struct reading *r)
{
    struct qn_exp_log *log = r->log;
    const char *text = r->lines.text, *cache;
    int level = find_cache(text, &cache);
    uint64_t n[2];

    if (level >= 0)
        return take_cache(r, level, cache);
    if (!strncmp(text, "Command: ", 9))
        log->command = qn_text_copy(&log->memory, text + 9);
    else if (strstr(text, " lines touched; "))
        r->in_curve = sscanf(text, "AN: %" SCNu64, &log->touched) == 1;
    else if (r->in_curve && sscanf(text, "AN: %" SCNu64 " lines: %" SCNu64, &n[0], &n[1]) == 2)
        return take_misses(r, n[0], n[1]);
    else if (sscanf(text, "AN: lines missed: %" SCNu64 " for the first time", &n[0]) == 1)
        log->first = n[0];
    else if (sscanf(text, "AN: misses by set of the D1, %" SCNu64 " sets", &n[0]) == 1)
        r->sets = n[0];
    else if (r->sets && !strncmp(text, FROM, strlen(FROM)))
        return take_sets(r);
    return QN_TEXT_OK;
}

enum qn_text_status qn_exp_read_tables(struct qn_exp_log *log, const char *path, struct qn_text_error *err)
{
    struct reading r = { .log = log, .path = path, .err = err, .lines = { .file = qn_text_open_kept(path), .plain = true } };

    *log = (struct qn_exp_log){ .first = UINT64_MAX };
    if (!r.lines.file)
        return qn_text_fail(err, QN_TEXT_IO, "%s: %m", path);
    while (err->status == QN_TEXT_OK && next_line(&r.lines))
        take_table_line(&r);
    if (err->status == QN_TEXT_OK && log->set_count < r.sets)
        qn_text_fail(err, QN_TEXT_BAD, "%s: sets: got the first %zu, wanted all %" PRIu64, path, log->set_count, r.sets);
    close_lines(&r.lines);
    return err->status;
}

void qn_exp_free_log(struct qn_exp_log *log) { qn_text_free_memory(&log->memory); }

void qn_exp_fill_curve(struct qn_text_table *t, const struct qn_exp_log *log)
{
    qn_text_add_column(t, "size");
    qn_text_add_column(t, "miss_percent");
    for (size_t i = 0; i < log->curve_count; i++) {
        char **cells = qn_text_add_row(t);

        cells[0] = qn_text_format(&t->memory, "%" PRIu64, log->curve[i][0] * log->line);
        cells[1] = qn_text_format(&t->memory, "%.4f", log->touched ? 100 * (double)log->curve[i][1] / (double)log->touched : 0);
    }
}

void qn_exp_fill_sets(struct qn_text_table *t, const struct qn_exp_log *log)
{
    qn_text_add_column(t, "set");
    qn_text_add_column(t, "misses");
    for (size_t i = 0; i < log->set_count; i++) {
        char **cells = qn_text_add_row(t);

        cells[0] = qn_text_format(&t->memory, "%zu", i);
        cells[1] = qn_text_format(&t->memory, "%" PRIu64, log->sets[i]);
    }
}
