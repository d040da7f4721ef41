/* tools/ctl.c - `quern ctl`: sends a command to a running `quern run`.
 *
 * In:  quern ctl PID dump|status|start|stop|zero [--json]
 * Out: its answer, on stdout (lib/collect/options.h); exit 0, 1 (there is no such process, or the command failed), 2 (usage)
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "collect/options.h"
#include "json/json.h"
#include "text/options.h"
#include "tools.h"

#define PROGRAM "quern ctl"

static const char help[] =
    "usage: quern ctl [--json] PID dump|status|start|stop|zero\n"
    "\n"
    "Asks a `quern run` that is going on. PID is its number, or that of the program,\n"
    "or of a process that the program has made, which is asked alone.\n"
    "  dump      write a profile of what was counted so far, PROFILE.dump1 and so on; prints its name\n"
    "  status    command, time, and events so far\n"
    "  start     count from here on (after stop, or --instr-at-start=no)\n"
    "  stop      count no more\n"
    "  zero      forget what was counted so far\n"
    "\n";

static const char *const words_known[] = { "dump", "status", "start", "stop", "zero", NULL };
struct settings {
    bool json;
};

static const struct qn_option options[] = {
    QN_OPTION("--json", NULL, "status: as JSON (doc/json.md)", qn_option_set, struct settings, json),
    QN_OPTION_HELP, QN_OPTION_VERSION, QN_OPTIONS_END };
static const struct qn_options command = { "ctl", PROGRAM, help, NULL, options, NULL, false, NULL };

static pid_t parent_of(pid_t pid)
{
    char text[QN_COLLECT_STAT_MAX];
    int parent = 0;

    return sscanf(qn_collect_read_stat(pid, text), " %*c %d", &parent) == 1 ? parent : 0;
}

/* Is this run the process pid itself, or does the process pid belong to the same user? */
static bool answers_for(const struct ucred *who, pid_t pid)
{
    char path[64];
    struct stat process;

    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    return who->pid == pid || (!stat(path, &process) && process.st_uid == who->uid);
}

/* A connection to the run that serves process pid; -1: there is none. */
static int reach(pid_t pid)
{
    struct sockaddr_un address;
    socklen_t size = qn_control_address((struct sockaddr *)&address, sizeof address, pid);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct ucred who;

    if (fd >= 0 && !connect(fd, (struct sockaddr *)&address, size) && qn_control_is_own(fd, &who) && answers_for(&who, pid))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Returns the exit status.  The answer goes to `out`, an error to stderr. */
static int ask(int fd, const char *word, FILE *out)
{
    char text[4096];
    int status = -1;
    ssize_t n = send(fd, word, strlen(word), MSG_NOSIGNAL);

    while (n > 0 && (n = recv(fd, text, sizeof text, 0)) > 0) {
        size_t head = status < 0 && n > 2 ? 2 : 0;

        if (head)
            status = text[0] != '0';
        fwrite(text + head, 1, (size_t)n - head, status ? stderr : out);
    }
    if (status < 0)
        return qn_text_complain(PROGRAM ": the run ended before it answered"), 1;
    return status;
}

static int ask_for_json(int fd, const char *word)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int status = out ? ask(fd, word, out) : 1;

    if (out)
        fclose(out);
    if (!status && !qn_json_write_status(stdout, text))
        status = (qn_text_complain(PROGRAM ": standard output: cannot write: %s", strerror(errno)), 1);
    free(text);
    return status;
}

int qn_tool_ctl(int argc, char **argv)
{
    struct settings s = { .json = false };
    char **words, *end;
    int status = qn_options_take(&command, &s, argv, &words), fd, number;
    long pid;

    (void)argc;
    if (status >= 0)
        return status;
    if (!words[0] || !words[1] || words[2])
        return qn_options_wrong(&command, words[0] && words[1] ? words[2] : "", "wanted PID and dump, status, start, stop or zero");
    pid = strtol(words[0], &end, 10);
    if (*end || pid <= 0 || pid > 0x7fffffff)
        return qn_options_wrong(&command, words[0], "wanted the number of a process");
    if (qn_option_find_word(words_known, words[1], &number))
        return qn_options_wrong(&command, words[1], "wanted dump, status, start, stop or zero");
    if (s.json && strcmp(words[1], "status"))
        return qn_options_wrong(&command, "--json", "wanted status, which alone has it");
    fd = reach((pid_t)pid);
    if (fd < 0)
        fd = reach(parent_of((pid_t)pid));
    if (fd < 0)
        return qn_text_complain(PROGRAM ": %ld: no run of quern's with this number, or of this program", pid), 1;
    return s.json ? ask_for_json(fd, words[1]) : ask(fd, words[1], stdout);
}
