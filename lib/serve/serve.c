/* lib/serve/serve.c - `quern-serve`, which `quern serve` executes (tools/serve.c).  It is a program of its own, because libmicrohttpd cannot
 * be linked into a static quern.
 *
 * In:  quern-serve FOLDER PORT QUERN HEADERS LIBRARY MODULES, checked by `quern serve`; MODULES: "I1=lru D1=lru ..."
 * Out: a line on stdout, "http://127.0.0.1:4711/TOKEN/"; then it serves until SIGINT, SIGTERM or SIGHUP
 */
#define _GNU_SOURCE
#include "serve/serve.h"

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
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/sandbox/sandbox.h"
#include "page_files.h"
#include "text/error.h"
#include "text/output.h"

#define PROGRAM "quern serve"
#define CONNECTIONS_MAX 32
#define IDLE_SECONDS 60             /* after which an idle connection is closed */
#define CONNECTION_BYTES (32u << 10) /* of memory for a connection's headers */

enum { FOLDER = 1, PORT, QUERN, HEADERS, LIBRARY, MODULES, WORDS };

static bool complain(const char *what, const char *why)
{
    qn_text_complain(PROGRAM ": %s: %s", what, why);
    return false;
}

/* ---- requests that do not come from our own page are refused ----
 *
 * Another page in the same browser can send requests to 127.0.0.1, but does not know the token.  Even if it did, the browser tells us
 * its origin (Fetch standard, "Origin" and "Sec-Fetch-Site"), and sends a JSON body only after a preflight request, which we refuse
 * (CORS).  If a name of another host resolves to 127.0.0.1 (DNS rebinding), "Host" shows that name.
 */

static const char *header(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

struct counting {
    const char *name;
    unsigned count;
};

static enum MHD_Result count_one(void *data, enum MHD_ValueKind kind, const char *key, const char *value)
{
    struct counting *c = data;

    (void)kind, (void)value;
    c->count += !strcasecmp(key, c->name);
    return MHD_YES;
}

/* Of two headers of the same name only one would be checked. */
static bool is_said_once(struct MHD_Connection *c, const char *name)
{
    struct counting counting = { name, 0 };

    MHD_get_connection_values(c, MHD_HEADER_KIND, count_one, &counting);
    return counting.count == 1;
}

/* The comparison takes as long for a wrong token as for the right one. */
static bool has_token(const struct qn_serve *s, const char *url)
{
    size_t length = strlen(s->token);
    unsigned differ = 0;

    if (strlen(url) < length + 2 || url[0] != '/' || url[length + 1] != '/')
        return false;
    for (size_t i = 0; i < length; i++)
        differ |= (unsigned char)url[i + 1] ^ (unsigned char)s->token[i];
    return !differ;
}

static bool is_own_host(const struct qn_serve *s, struct MHD_Connection *c)
{
    const char *host = header(c, "Host");

    return host && !strcmp(host, s->host) && is_said_once(c, "Host");
}

/* Sec-Fetch-Site is "none" for the page that the user opens, "same-origin" for what that page requests.  A POST needs an Origin. */
static bool is_own_origin(const struct qn_serve *s, struct MHD_Connection *c, bool changes)
{
    const char *origin = header(c, "Origin"), *site = header(c, "Sec-Fetch-Site");

    if (origin ? strcmp(origin, s->origin) || !is_said_once(c, "Origin") : changes)
        return false;
    return !site || !strcmp(site, "same-origin") || (!changes && !strcmp(site, "none"));
}

/* The path behind the token, "/files"; NULL: the request is refused with *status and *why. */
static const char *guard(const struct qn_serve *s, struct MHD_Connection *c, const char *url, const char *method, unsigned *status,
                           const char **why)
{
    bool changes = !strcmp(method, "POST");

    *status = MHD_HTTP_FORBIDDEN;
    if (!is_own_host(s, c))
        return *why = "this address is not for another host's name", NULL;
    if (!is_own_origin(s, c, changes))
        return *why = "this is not for another origin", NULL;
    if (!has_token(s, url)) {
        *status = MHD_HTTP_NOT_FOUND;
        return *why = "there is nothing of this name", NULL;
    }
    *status = MHD_HTTP_METHOD_NOT_ALLOWED;
    if (!changes && strcmp(method, "GET"))
        return *why = "GET and POST only", NULL;
    *status = MHD_HTTP_UNSUPPORTED_MEDIA_TYPE;
    if (changes && (!header(c, "Content-Type") || strcmp(header(c, "Content-Type"), "application/json")))
        return *why = "a body of application/json is wanted", NULL;
    return url + 1 + strlen(s->token);
}

/* ---- the process of a run (runner.c), and its answer, which comes through a pipe ---- */

#define READ_BYTES 65536

static void become_runner(const struct qn_serve *s, const struct qn_serve_wanted *w, int out)
{
    sigset_t none;

    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    qn_serve_work(s, w, out);
    _exit(0);
}

/* Starts the runner and suspends the request's connection.  false: no memory or no process. */
static bool begin_run(struct qn_serve *s, struct qn_serve_request *r, const struct qn_serve_wanted *w)
{
    struct qn_serve_run *run = calloc(1, sizeof *run);
    int ends[2];

    if (!run || pipe2(ends, O_CLOEXEC))
        return free(run), false;
    run->request = r;
    run->pipe = ends[0];
    fcntl(run->pipe, F_SETFL, O_NONBLOCK);
    qn_lab_adopt_orphans();
    run->runner = fork();
    if (run->runner == 0)
        become_runner(s, w, ends[1]);
    close(ends[1]);
    if (run->runner < 0)
        return close(ends[0]), free(run), false;
    s->run = r->run = run;
    MHD_suspend_connection(r->connection);
    return true;
}

/* Waits until all processes of the run are gone (kills them first if `given_up`); then the request goes on. */
static void end(struct qn_serve *s, bool given_up)
{
    struct qn_serve_run *run = s->run;
    int status;

    qn_lab_reap(run->runner, &status, given_up);
    close(run->pipe);
    run->pipe = -1;
    run->ended = true;
    s->run = NULL;
    MHD_resume_connection(run->request->connection);
}

/* Reads from the run's pipe; at its end the request goes on. */
static void take_answer(struct qn_serve *s)
{
    static char bytes[READ_BYTES];
    struct qn_serve_run *run = s->run;
    ssize_t n = read(run->pipe, bytes, sizeof bytes);
    char *longer;

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        end(s, false);
        return;
    }
    longer = run->size + (size_t)n > QN_SERVE_RESULT_MAX ? NULL : realloc(run->answer, run->size + (size_t)n);
    if (!longer) {
        run->size = 0; /* no answer: an error */
        end(s, true);
        return;
    }
    memcpy(longer + run->size, bytes, (size_t)n);
    run->answer = longer;
    run->size += (size_t)n;
}

/* Kills the run, if there is one, with all processes that it started. */
static void end_run(struct qn_serve *s)
{
    if (!s->run)
        return;
    s->run->size = 0;
    end(s, true);
}

/* ---- requests and their answers ---- */

/* The page may load its own script and style and send requests to its own origin, nothing else; no frame may hold it. */
#define POLICY                                                                                                                \
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "           \
    "form-action 'none'; frame-ancestors 'none'"

static const char page[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n<title>quern serve</title>\n<link rel=\"stylesheet\" href=\"serve.css\">\n"
    "<script src=\"serve.js\" defer></script>\n</head>\n<body>\n<noscript>This page needs its scripts.</noscript>\n"
    "<header id=\"head\"></header>\n<main id=\"main\" tabindex=\"-1\"></main>\n</body>\n</html>\n";

static const struct {
    const char *name, *value;
} headers[] = {
    { "Content-Security-Policy", POLICY }, { "X-Content-Type-Options", "nosniff" }, { "X-Frame-Options", "DENY" },
    { "Referrer-Policy", "no-referrer" }, { "Cache-Control", "no-store" }, { "Cross-Origin-Resource-Policy", "same-origin" },
    { "Cross-Origin-Opener-Policy", "same-origin" },
};

static enum MHD_Result reply(struct MHD_Connection *c, unsigned status, const char *type, const char *text, size_t size)
{
    struct MHD_Response *r = MHD_create_response_from_buffer(size, (void *)text, MHD_RESPMEM_MUST_COPY);
    enum MHD_Result result;

    if (!r)
        return MHD_NO;
    for (size_t i = 0; i < QN_ARRAY_LEN(headers); i++)
        MHD_add_response_header(r, headers[i].name, headers[i].value);
    MHD_add_response_header(r, "Content-Type", type);
    result = MHD_queue_response(c, status, r);
    MHD_destroy_response(r);
    return result;
}

static enum MHD_Result reply_text(struct MHD_Connection *c, const char *type, const char *text)
{
    return reply(c, MHD_HTTP_OK, type, text, strlen(text));
}

static enum MHD_Result reply_json(struct MHD_Connection *c, unsigned status, json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT);
    enum MHD_Result result = text ? reply(c, status, "application/json", text, strlen(text)) : MHD_NO;

    json_decref(value);
    free(text);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned status, const char *why)
{
    return reply_json(c, status, json_pack("{s:s}", "error", why));
}

/* ---- GET ---- */

static enum MHD_Result send_file(struct qn_serve *s, struct MHD_Connection *c)
{
    const char *name = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "name"), *why = NULL;
    char *text, version[17];
    json_t *value;
    size_t size;

    if (!name || !qn_serve_is_name(name))
        return refuse(c, MHD_HTTP_BAD_REQUEST, "name: wanted the name of a C file, such as prog.c");
    text = qn_serve_read(s, name, QN_SERVE_TEXT_MAX, &size, &why);
    if (!text)
        return refuse(c, MHD_HTTP_NOT_FOUND, why);
    qn_serve_version(text, size, version);
    value = json_pack("{s:s,s:s,s:s}", "name", name, "text", text, "version", version);
    free(text);
    return reply_json(c, MHD_HTTP_OK, value);
}

static enum MHD_Result send_list(struct qn_serve *s, struct MHD_Connection *c)
{
    char *text = qn_serve_list(s);
    enum MHD_Result result = text ? reply_text(c, "application/json", text) : MHD_NO;

    free(text);
    return result;
}

/* Joins the pieces at the first call; later calls return the same text. */
static const char *join(char **whole, const char *first, const char *second, const char *third, const char *fourth)
{
    if (!*whole && asprintf(whole, "%s%s%s%s", first, second, third, fourth) < 0)
        *whole = NULL;
    return *whole ? *whole : "";
}

static enum MHD_Result get(struct qn_serve *s, struct MHD_Connection *c, const char *path)
{
    static char *script, *style;

    if (!strcmp(path, "/"))
        return reply_text(c, "text/html; charset=utf-8", page);
    if (!strcmp(path, "/serve.js"))
        return reply_text(c, "text/javascript; charset=utf-8", join(&script, "'use strict';\n", page_common, page_serve, "start();\n"));
    if (!strcmp(path, "/serve.css"))
        return reply_text(c, "text/css; charset=utf-8", join(&style, page_style, page_desk, "", ""));
    if (!strcmp(path, "/files"))
        return send_list(s, c);
    if (!strcmp(path, "/file"))
        return send_file(s, c);
    return refuse(c, MHD_HTTP_NOT_FOUND, "there is nothing of this name");
}

/* ---- POST ---- */

static enum MHD_Result save(struct qn_serve *s, struct qn_serve_request *r)
{
    json_t *all = json_loadb(r->body, r->size, JSON_REJECT_DUPLICATES, NULL);
    const char *name, *text, *known, *why;
    size_t size;
    char version[17];
    unsigned status;
    enum MHD_Result result;

    if (json_unpack(all, "{s:s,s:s%,s:s}", "name", &name, "text", &text, &size, "version", &known) || !qn_serve_is_name(name)
        || size > QN_SERVE_TEXT_MAX) {
        json_decref(all);
        return refuse(r->connection, MHD_HTTP_BAD_REQUEST, "wanted name, text and version of a C file of at most 256 KiB");
    }
    why = qn_serve_save(s, name, text, size, known, &status);
    qn_serve_version(text, size, version);
    result = why ? refuse(r->connection, status, why) : reply_json(r->connection, MHD_HTTP_OK, json_pack("{s:s}", "version", version));
    json_decref(all);
    return result;
}

static enum MHD_Result start_run(struct qn_serve *s, struct qn_serve_request *r)
{
    struct qn_serve_wanted w;
    const char *wrong = s->run ? "another run is going on" : NULL;
    unsigned status = MHD_HTTP_SERVICE_UNAVAILABLE;
    bool started;

    if (wrong)
        return refuse(r->connection, status, wrong);
    wrong = qn_serve_want(&w, r->body ? r->body : "", r->size);
    if (wrong)
        status = MHD_HTTP_BAD_REQUEST;
    started = !wrong && begin_run(s, r, &w);
    qn_serve_forget_wanted(&w);
    return started ? MHD_YES : refuse(r->connection, status, wrong ? wrong : "no process can be started");
}

static enum MHD_Result post(struct qn_serve *s, struct qn_serve_request *r, const char *path)
{
    if (r->too_large)
        return refuse(r->connection, MHD_HTTP_CONTENT_TOO_LARGE, "the request is larger than 2 MiB");
    if (r->run && !r->run->size)
        return refuse(r->connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "the run was ended, or its answer is too large");
    if (r->run)
        return reply(r->connection, MHD_HTTP_OK, "application/json", r->run->answer, r->run->size);
    if (!strcmp(path, "/save"))
        return save(s, r);
    if (!strcmp(path, "/run"))
        return start_run(s, r);
    return refuse(r->connection, MHD_HTTP_NOT_FOUND, "there is nothing of this name");
}

/* ---- receiving a request ---- */

/* A body that is too large is read to its end all the same: a client that is still sending does not look for an answer. */
static void take_body(struct qn_serve_request *r, const char *data, size_t size)
{
    char *longer = r->too_large || r->size + size > QN_SERVE_BODY_MAX ? NULL : realloc(r->body, r->size + size + 1);

    r->too_large = !longer;
    if (!longer)
        return;
    memcpy(longer + r->size, data, size);
    r->body = longer;
    r->size += size;
    longer[r->size] = 0;
}

/* MHD calls this and `forget`; `server` is the struct qn_serve. */
static enum MHD_Result answer(void *server, struct MHD_Connection *c, const char *url, const char *method, const char *version,
                                const char *data, size_t *size, void **request)
{
    struct qn_serve *s = server;
    struct qn_serve_request *r = *request;
    const char *why, *path;
    unsigned status;

    (void)version;
    path = guard(s, c, url, method, &status, &why);
    if (!path)
        return refuse(c, status, why);
    if (!r) {
        *request = r = calloc(1, sizeof *r);
        if (r)
            r->connection = c;
        return r ? MHD_YES : MHD_NO;
    }
    if (*size) {
        take_body(r, data, *size);
        *size = 0;
        return MHD_YES;
    }
    return strcmp(method, "POST") ? get(s, c, path) : post(s, r, path);
}

static void forget(void *server, struct MHD_Connection *c, void **request, enum MHD_RequestTerminationCode why)
{
    struct qn_serve_request *r = *request;

    (void)server, (void)c, (void)why;
    if (!r)
        return;
    if (r->run)
        free(r->run->answer);
    free(r->run);
    free(r->body);
    free(r);
    *request = NULL;
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
    s->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, answer, s, MHD_OPTION_SOCK_ADDR, &address,
                                 MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
                                 MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES, MHD_OPTION_NOTIFY_COMPLETED, forget, s,
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
            end_run(s);
        else if (p[2].revents)
            take_answer(s);
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
    end_run(&s);
    MHD_stop_daemon(s.daemon);
    qn_text_remove_scratch(s.scratch);
    end_by(sig);
    return 0;
}
