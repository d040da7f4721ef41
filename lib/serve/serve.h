/* lib/serve/serve.h - `quern-serve`: an editor in the browser for one user, and one run at a time.  `quern serve` starts it.
 *
 *   serve.c     arguments, the loop, requests and their answers, the run that is going on
 *   runner.c    the process that compiles and runs; JSON of a run -> struct qn_serve_wanted
 *   folder.c    the C files of the folder
 *
 *   GET  /TOKEN/, /TOKEN/serve.js, /TOKEN/serve.css    the page
 *   GET  /TOKEN/files                                  {"files":["mine.c","mm.c"],"own":["mine.c"],
 *                                                       "modules":{"I1":["lru"],"D1":["lru","fifo"],"LL":["lru"]}}; own: modules of the user's
 *   GET  /TOKEN/file?name=mm.c                         {"name":"mm.c","text":"int main...","version":"50b34235a5a88360"}
 *   POST /TOKEN/save   {"name","text","version"}       {"version":"..."}; 409: the file is not that version any more
 *   POST /TOKEN/run    see runner.c                    see runner.c; 503: another run is going on
 *
 * Everything else is refused, with {"error":"..."}.  Invariants: it listens on 127.0.0.1 only; a request without the token, from
 * another origin, or for another host is refused; bodies, connections, and runs are bounded; there is one run at a time, and it ends
 * with the connection that asked for it.
 *
 * One thread waits in one loop for MHD's descriptor, the run's pipe, the run's connection, and signals.
 */
#ifndef QN_SERVE_H
#define QN_SERVE_H

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <microhttpd.h>
#include <sys/types.h>

#include "base/base.h"

#define QN_SERVE_TOKEN_BYTES 16                  /* of randomness */
#define QN_SERVE_BODY_MAX (2u << 20)             /* bytes of a request */
#define QN_SERVE_TEXT_MAX (256u << 10)           /* of a source */
#define QN_SERVE_INPUT_MAX (1u << 20)            /* of standard input */
#define QN_SERVE_ARGUMENTS_MAX 64
#define QN_SERVE_FILES_MAX 1000                  /* that are listed */
#define QN_SERVE_RESULT_MAX (16u << 20)          /* of the answer to a run */

struct qn_serve_run {
    struct qn_serve_request *request;
    pid_t runner;
    int pipe;       /* the runner writes the answer to it */
    char *answer;
    size_t size;
    bool ended;
};

struct qn_serve {
    const char *folder, *quern, *header, *library; /* the user's folder; the program quern; the folders of quern.h and of the modules */
    char *modules;                       /* names of cache modules by slot, JSON */
    char *compiler, *scratch;
    int folder_fd;
    unsigned port;
    char token[2 * QN_SERVE_TOKEN_BYTES + 1];
    char host[32], origin[40];           /* "127.0.0.1:4711", "http://127.0.0.1:4711" */
    struct MHD_Daemon *daemon;
    struct qn_serve_run *run;            /* the run that is going on; NULL: none */
};

/* A request, from its first line to its answer. */
struct qn_serve_request {
    struct MHD_Connection *connection;
    char *body;
    size_t size;
    bool too_large;
    struct qn_serve_run *run; /* the run that it asked for; NULL: none */
};

/* ---- folder.c ---- */

#define QN_SERVE_NAME_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+."

/* "mm.c": letters, digits, "_", "-", "+" and "."; does not begin with "." or "-", ends in ".c". */
bool qn_serve_is_name(const char *name);
/* The answer to /files; free() it. */
char *qn_serve_list(const struct qn_serve *s);
/* The text of a file of at most `most` bytes, with a zero byte behind it; free() it.  NULL: *why. */
char *qn_serve_read(const struct qn_serve *s, const char *name, size_t most, size_t *size, const char **why);
/* A hash of the content, 16 hexadecimal digits. */
void qn_serve_version(const char *text, size_t size, char version[17]);
/* Writes the file, if it still is the version (of a file that is not there: "").  NULL, or what went wrong; *status is then the answer's. */
const char *qn_serve_save(const struct qn_serve *s, const char *name, const char *text, size_t size, const char *version, unsigned *status);
/* Copies *.c and *.h of the folder (200 at most, of 1 MiB at most) to folder `to`.  NULL, or what went wrong. */
const char *qn_serve_copy_sources(const struct qn_serve *s, const char *to);

/* ---- runner.c ---- */

struct qn_serve_wanted {
    void *json;               /* owns the texts */
    const char *name, *text;
    size_t size;
    const char *optimisation; /* "-O1" */
    const char *caches[3];    /* of I1, D1, LL: "32768,8,64"; NULL: as the machine's */
    const char *modules[3];   /* "srrip", or a file of the folder, "mine.c"; NULL: the default one */
    const char *beside, *beside_text; /* such a file as it is in the editor; NULL: none */
    bool branches;
    const char *arguments[QN_SERVE_ARGUMENTS_MAX + 1];
    unsigned n_arguments;
    const char *input;
    size_t input_size;
};

/* Reads the JSON of a request.  NULL, or what is wrong with it.  Call qn_serve_forget_wanted in both cases. */
const char *qn_serve_want(struct qn_serve_wanted *w, const char *body, size_t size);
void qn_serve_forget_wanted(struct qn_serve_wanted *w);

/* In the runner: compiles, runs, writes the answer to `out`. */
void qn_serve_work(const struct qn_serve *s, const struct qn_serve_wanted *w, int out);

#endif
