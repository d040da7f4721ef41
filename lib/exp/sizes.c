/* lib/exp/sizes.c - see sizes.h.
 *
 * In:  ==12== D1 cache: 8192 B, 64 B, 2-way associative        and I1, LL
 *      ==12== Command: ./prog 5
 *      ==12== I   refs:      2,100                             and I1 misses, D refs
 *      ==12== AN: misses of D1s by size, 2 ways, lines of 64 bytes: reads, writes
 *      ==12== AN: 4096 bytes: 80 11                            a line for each size
 * Out: program,command,...,D1_size,D1_ways,D1_line,...,status,Ir,I1mr,Dr,D1mr,Dw,D1mw,...,D1_miss_percent,...
 *
 * What the analysis does not give is left empty: misses of the LL, which depend on the D1, and the build-id.
 */
#define _GNU_SOURCE
#include "exp/sizes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "exp/rows.h"
#include "text/input.h"
#include "text/version.h"

#define SIZES_MAX 64

static const char *const level_names[QN_EXP_LEVELS] = { "I1", "D1", "LL" };

struct sizes {
    struct qn_text_memory *m;
    struct qn_geometry geometry[QN_EXP_LEVELS];
    const char *command;
    struct qn_exp_result totals;              /* the run's counts that do not depend on the D1 */
    uint32_t ways, line, size[SIZES_MAX];     /* ways: 0 before the table begins */
    struct qn_exp_result misses[SIZES_MAX];
    int count;
};

bool qn_exp_is_log(const char *path)
{
    FILE *file = qn_text_open_kept(path);
    char start[8] = "";
    bool is = file && fgets(start, sizeof start, file) && !strncmp(start, "==", 2);

    if (file)
        fclose(file);
    return is;
}

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

    if (s->ways) {
        take_size(s, text);
        return;
    }
    if (take_total(s, text))
        return;
    if (!strncmp(text, "Command: ", 9))
        s->command = qn_text_copy(s->m, text + 9);
    for (int i = 0; i < QN_EXP_LEVELS; i++)
        if (!strncmp(text, level_names[i], 2) && !strncmp(text + 2, " cache:", 7))
            sscanf(text + 9, " %u B, %u B, %u-way", &s->geometry[i].size, &s->geometry[i].line, &s->geometry[i].assoc);
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
