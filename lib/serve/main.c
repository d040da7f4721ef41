/* lib/serve/main.c - `quern-serve`, which `quern serve` executes (tools/serve.c).  It is a program of its own, because libmicrohttpd cannot
 * be linked into a static quern.
 *
 * In:  quern-serve FOLDER PORT QUERN HEADERS LIBRARY MODULES, checked by `quern serve`; MODULES: "I1=lru D1=lru ..."
 * Out: a line on stdout, "http://127.0.0.1:4711/TOKEN/"; then it serves until SIGINT, SIGTERM or SIGHUP
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/sandbox/sandbox.h"
#include "serve/serve.h"
#include "text/output.h"

#define PROGRAM "quern serve"
#define CONNECTIONS_MAX 32
#define IDLE_SECONDS 60             /* after which an idle connection is closed */
#define CONNECTION_BYTES (32u << 10) /* of memory for a connection's headers */

enum { FOLDER = 1, PORT, QUERN, HEADERS, LIBRARY, MODULES, WORDS };

static bool complain(const char *what, const char *why)
{
    fprintf(stderr, PROGRAM ": %s: %s\n", what, why);
    return false;
}

/* ---- the start ---- */

static bool make_token(struct qn_serve *s)
{
    unsigned char bytes[QN_SERVE_TOKEN_BYTES];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return complain("getrandom", strerror(errno));
    for (unsigned i = 0; i < sizeof bytes; i++)
        snprintf(s->token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* "I1=lru D1=fifo" -> {"I1":["lru"],"D1":["fifo"]} */
static bool take_modules(struct qn_serve *s, char *words)
{
    json_t *all = json_pack("{s:[],s:[],s:[]}", "I1", "D1", "LL");

    for (char *word, *name; (word = strsep(&words, " "));) {
        if (!(name = strchr(word, '=')))
            continue;
        *name++ = 0;
        if (json_object_get(all, word))
            json_array_append_new(json_object_get(all, word), json_string(name));
    }
    s->modules = json_dumps(all, JSON_COMPACT);
    json_decref(all);
    return s->modules || complain("modules", strerror(ENOMEM));
}

static void tell_weakness(void *data, const char *line)
{
    (void)data;
    fprintf(stderr, PROGRAM ": %s\n", line);
}

static bool make_scratch(struct qn_serve *s)
{
    const char *tmp = getenv("TMPDIR");

    if (asprintf(&s->scratch, "%s/quern-serve.XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0)
        return complain("scratch", strerror(ENOMEM));
    if (!qn_text_make_scratch(s->scratch) || chmod(s->scratch, 0711))
        return complain(s->scratch, strerror(errno));
    qn_lab_choose_user(s->quern, s->scratch);
    qn_lab_weaknesses(tell_weakness, NULL);
    return true;
}

static bool prepare(struct qn_serve *s, char **argv)
{
    const char *cc = getenv("CC");

    s->folder = argv[FOLDER];
    s->quern = argv[QUERN];
    s->header = argv[HEADERS];
    s->library = argv[LIBRARY];
    s->folder_fd = open(s->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->folder_fd < 0)
        return complain(s->folder, strerror(errno));
    s->compiler = qn_lab_find_command(cc && *cc && !strchr(cc, ' ') ? cc : "cc");
    if (!s->compiler)
        return complain("no C compiler", "install gcc, or set CC");
    return take_modules(s, argv[MODULES]) && make_token(s) && make_scratch(s);
}

static bool start(struct qn_serve *s, const char *port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)strtoul(port, NULL, 10)),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    const union MHD_DaemonInfo *bound;

    errno = 0;
    s->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, qn_serve_answer, s, MHD_OPTION_SOCK_ADDR, &address,
                                 MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
                                 MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES, MHD_OPTION_NOTIFY_COMPLETED, qn_serve_forget, s,
                                 MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    bound = s->daemon ? MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!bound)
        return complain(port, errno ? strerror(errno) : "cannot listen on this port of 127.0.0.1");
    s->port = bound->port;
    snprintf(s->host, sizeof s->host, "127.0.0.1:%u", s->port);
    snprintf(s->origin, sizeof s->origin, "http://%s", s->host);
    return true;
}

/* ---- the loop and the end ---- */

static int descriptor(const struct qn_serve_request *r)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

    return info ? info->connect_fd : -1;
}

static int time_left(const struct qn_serve *s)
{
    MHD_UNSIGNED_LONG_LONG ms;

    return MHD_get_timeout(s->daemon, &ms) == MHD_YES ? ms > INT_MAX ? INT_MAX : (int)ms : -1;
}

/* Serves until a signal comes; returns it. */
static int serve(struct qn_serve *s, int signals)
{
    int epoll = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    struct signalfd_siginfo info;

    for (;;) {
        struct pollfd p[] = { { signals, POLLIN, 0 }, { epoll, POLLIN, 0 }, { s->run ? s->run->pipe : -1, POLLIN, 0 },
                              { s->run ? descriptor(s->run->request) : -1, POLLRDHUP, 0 } };

        if (poll(p, QN_ARRAY_LEN(p), time_left(s)) < 0 && errno != EINTR)
            return SIGTERM;
        if (p[0].revents && read(signals, &info, sizeof info) == (ssize_t)sizeof info)
            return (int)info.ssi_signo;
        if (p[3].revents)
            qn_serve_end_run(s);
        else if (p[2].revents)
            qn_serve_take(s);
        MHD_run(s->daemon);
    }
}

static void end_by(int sig)
{
    sigset_t set;

    signal(sig, SIG_DFL);
    raise(sig);
    sigemptyset(&set);
    sigaddset(&set, sig);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int main(int argc, char **argv)
{
    static struct qn_serve s;
    sigset_t ends;
    int sig;

    if (argc != WORDS)
        return complain("quern-serve", "start it by `quern serve`"), 2;
    sigemptyset(&ends);
    for (const int *e = (const int[]){ SIGINT, SIGTERM, SIGHUP, 0 }; *e; e++)
        sigaddset(&ends, *e);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN);
    if (!prepare(&s, argv) || !start(&s, argv[PORT])) {
        qn_text_remove_scratch(s.scratch);
        return 1;
    }
    printf("%s/%s/\n", s.origin, s.token);
    fflush(stdout);
    sig = serve(&s, signalfd(-1, &ends, SFD_CLOEXEC));
    qn_serve_end_run(&s);
    MHD_stop_daemon(s.daemon);
    qn_text_remove_scratch(s.scratch);
    end_by(sig);
    return 0;
}
