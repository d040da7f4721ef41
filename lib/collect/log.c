/* lib/collect/log.c - messages of the collector.
 *
 * Out: ==PID== text   banner and summary          (not with --quiet)
 *      --PID-- text   warnings, statistics, --verbose
 *      **PID** text   text that the program prints by VALGRIND_PRINTF
 *      quern: run: text   failures; if the log is a file, these also go to stderr at once
 *
 * Invariants: buffered lines are written by one write, so lines of several processes do not mix.  Control bytes of names and commands are
 * made visible, so that a line stays one line; the program's own text (**) is not changed.  If the log can no longer be written, the run
 * continues: SIGPIPE is blocked; for a log file, a message says so.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "text/escape.h"
#include "collect/collect.h"
#include "text/error.h"
#include "text/output.h"

#define LOG_MODE 0600
#define COMPLAINT "quern: run: "

void qn_collect_complain(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    qn_text_complain_of(COMPLAINT, format, args);
    va_end(args);
}

/* An empty write to a full device fails. */
int qn_collect_open_text(struct qn_collect *r, const char *option, const char *path, int status)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOCTTY, LOG_MODE);

    if (fd >= 0 && write(fd, "", 0) == 0)
        return fd;
    qn_collect_complain("--%s=%s: cannot be %s: %s", option, path, fd < 0 ? "opened" : "written", strerror(errno));
    if (fd >= 0)
        close(fd);
    r->refused = status;
    return -1;
}

static int open_log_file(struct qn_collect *r)
{
    char why[256], *path = qn_collect_expand(r->options.log_file, r->root, why, sizeof why);
    int fd;

    if (!path) {
        qn_collect_complain("--log-file=%s: %s", r->options.log_file, why);
        return -1;
    }
    fd = qn_collect_open_text(r, "log-file", path, QN_EXIT_USAGE);
    free(path);
    return fd;
}

/* The name may contain the guest's pid, so r->guest must be set. */
bool qn_collect_open_log(struct qn_collect *r)
{
    r->log.quiet = r->options.quiet;
    r->log.pid = r->guest;
    r->log.shared = !r->options.log_file;
    r->log.errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (r->options.log_file) {
        r->log.fd = open_log_file(r);
        return r->log.fd >= 0;
    }
    r->log.fd = fcntl((int)r->options.log_fd, F_DUPFD_CLOEXEC, 3);
    if (r->log.fd < 0 && r->options.log_fd_given) {
        qn_collect_complain("--log-fd=%llu: not an open descriptor", (unsigned long long)r->options.log_fd);
        r->refused = QN_EXIT_USAGE;
        return false;
    }
    return true;
}

static void append(struct qn_collect_log *log, const char *text, size_t n)
{
    if (log->size + n > log->room) {
        size_t room = 2 * (log->size + n);
        char *grown = realloc(log->text, room);

        if (!grown)
            return;
        log->text = grown;
        log->room = room;
    }
    memcpy(log->text + log->size, text, n);
    log->size += n;
}

static void put_line(struct qn_collect *r, const char *mark, const char *text)
{
    char prefix[32];

    if (r->log.fd < 0)
        return;
    append(&r->log, prefix, (size_t)snprintf(prefix, sizeof prefix, "%s%d%s ", mark, (int)r->log.pid, mark));
    append(&r->log, text, strlen(text));
    append(&r->log, "\n", 1);
}

static void put(struct qn_collect *r, const char *mark, const char *format, va_list args)
{
    char *made;

    put_line(r, mark, qn_text_visible(&made, format, args));
    free(made);
}

void qn_collect_say(struct qn_collect *r, const char *format, ...)
{
    va_list args;

    if (r->log.quiet)
        return;
    va_start(args, format);
    put(r, "==", format, args);
    va_end(args);
}

void qn_collect_note(struct qn_collect *r, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put(r, "--", format, args);
    va_end(args);
}

void qn_collect_print(struct qn_collect *r, const char *format, ...)
{
    va_list args;
    char *text;
    int n;

    va_start(args, format);
    n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0)
        return;
    put_line(r, "**", text);
    free(text);
}

void qn_collect_put_line(void *run, const char *text) { qn_collect_say(run, "%s", text); }

/* Writes a line by one system call, without allocating. */
static void write_line(int fd, const char *mark, const char *text)
{
    const struct iovec line[] = {
        {(void *)(uintptr_t)mark, strlen(mark)}, {(void *)(uintptr_t)text, strlen(text)}, {(void *)(uintptr_t)"\n", 1},
    };

    while (writev(fd, line, 3) < 0 && errno == EINTR)
        continue;
}

void qn_collect_fail(struct qn_collect *r, const char *format, ...)
{
    va_list args;
    char *made;

    qn_collect_flush(r);
    va_start(args, format);
    write_line(r->log.errors, COMPLAINT, qn_text_visible(&made, format, args));
    va_end(args);
    free(made);
}

/* If a log file cannot be written, a message on stderr says so once. */
void qn_collect_flush(struct qn_collect *r)
{
    bool written = r->log.fd < 0 || qn_text_write_all(r->log.fd, r->log.text, r->log.size);
    int error = errno;

    r->log.size = 0;
    if (written || r->log.failed || r->log.shared)
        return;
    r->log.failed = true;
    qn_collect_fail(r, "--log-file: cannot write: %s", strerror(error));
}
