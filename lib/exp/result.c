/* lib/exp/result.c - see result.h. */
#define _GNU_SOURCE
#include "exp/result.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "prof/read.h"
#include "text/input.h"

#define COMPLAINT "quern: run: "

const char *qn_exp_find_count(const struct qn_exp_result *r, const char *name)
{
    for (int i = 0; i < r->count; i++)
        if (!strcmp(r->counts[i].name, name))
            return r->counts[i].value;
    return NULL;
}

void qn_exp_add_count(struct qn_text_memory *m, struct qn_exp_result *r, const char *name, const char *value)
{
    if (qn_exp_find_count(r, name))
        return;
    r->counts = qn_text_grow(m, r->counts, (size_t)r->count, sizeof *r->counts);
    r->counts[r->count++] = (struct qn_exp_count){ qn_text_copy(m, name), qn_text_copy(m, value) };
}

/* ---- the log ---- */

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

/* "==12== text" or "--12-- text"; 0: another kind of line. */
static long parse_number(const char *line, const char **text)
{
    char *end;
    long pid;

    if (strncmp(line, "==", 2) && strncmp(line, "--", 2))
        return 0;
    pid = strtol(line + 2, &end, 10);
    if (pid <= 0 || strncmp(end, line, 2) || end[2] != ' ')
        return 0;
    *text = end + 3;
    return pid;
}

long qn_exp_read_log(const char *path, void (*line)(void *data, const char *text), void *data)
{
    FILE *file = qn_text_open_kept(path);
    char *text = NULL;
    size_t room = 0;
    long first = 0;

    if (!file)
        return 0;
    for (ssize_t n; (n = getline(&text, &room, file)) > 0; ) {
        const char *rest;
        long pid;

        text[strcspn(text, "\n")] = 0;
        pid = parse_number(text, &rest);
        first = first ? first : pid;
        if (pid && pid == first)
            line(data, rest);
    }
    free(text);
    fclose(file);
    return first;
}

/* ---- the profile ---- */

enum qn_text_status qn_exp_read_totals(struct qn_text_memory *m, struct qn_exp_result *r, const char *path,
                                       struct qn_text_error *err)
{
    struct qn_prof_reader *reader = qn_prof_open_reader(path, err);
    const struct qn_prof_header *header;
    struct qn_prof_item item;
    int more;

    if (!reader)
        return err->status;
    header = qn_prof_reader_header(reader);
    while ((more = qn_prof_read_next(reader, &item, err)) > 0)
        for (int i = 0; item.kind == QN_PROF_SUMMARY && i < header->event_count; i++)
            qn_exp_add_count(m, r, header->events[i],
                             qn_text_format(m, "%lld", item.counts[i] == QN_PROF_NONE ? 0 : (long long)item.counts[i]));
    qn_prof_close_reader(reader);
    return more < 0 ? err->status : QN_TEXT_OK;
}

/* ---- the end ---- */

/* The line in which quern run says why it failed. */
static const char *find_complaint(struct qn_text_memory *m, const char *errors)
{
    FILE *file = fopen(errors, "r");
    const char *found = NULL;
    char *text = NULL;
    size_t room = 0;

    while (file && !found && getline(&text, &room, file) > 0)
        if (!strncmp(text, COMPLAINT, strlen(COMPLAINT)))
            found = qn_text_copy_part(m, text + strlen(COMPLAINT), strcspn(text, "\n") - strlen(COMPLAINT));
    free(text);
    if (file)
        fclose(file);
    return found;
}

const char *qn_exp_describe_end(struct qn_text_memory *m, int status, const char *errors)
{
    const char *complaint;

    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return QN_EXP_OK;
    complaint = find_complaint(m, errors);
    if (complaint)
        return complaint;
    if (WIFSIGNALED(status))
        return sigabbrev_np(WTERMSIG(status)) ? qn_text_format(m, "SIG%s", sigabbrev_np(WTERMSIG(status)))
                                              : qn_text_format(m, "signal %d", WTERMSIG(status));
    return qn_text_format(m, "exit status %d", WEXITSTATUS(status));
}
