/* lib/lab/sandbox/sandbox.h - runs a student's code: a process is confined (confine.c), fed, and ended with all its descendants (sandbox.c).
 *
 *   own user        a grader that runs as root becomes nobody
 *   limits          processor time, memory, size of files, open files, processes, no core (setrlimit)
 *   Landlock        reads, executes and writes only the paths that are named; sends no signals to outside
 *   seccomp         no network, nothing that outlives the process; unless they are needed, no new processes
 *
 * qn_lab_weaknesses reports what this machine cannot enforce, so that a grader can print it.  If the machine can enforce
 * something but that fails, the process ends before the student's code begins.
 */
#ifndef QN_LAB_SANDBOX_H
#define QN_LAB_SANDBOX_H

#include <glob.h>
#include <sys/types.h>

#include "base/base.h"

struct qn_lab_limits {
    unsigned cpu_seconds;      /* of each process */
    unsigned cpu_ms;           /* a lower limit that the sandbox checks; for a program that converses, since its last message; 0: none */
    uint64_t memory_bytes;     /* address space; 0: not limited, for programs that reserve much and use little */
    uint64_t data_bytes;       /* the same for data only */
    uint64_t file_bytes;       /* of each file that it writes */
    unsigned files;            /* open at a time */
    bool may_fork;             /* processes and threads: compilers, quern */
    bool may_split;            /* fork only, no threads */
};

struct qn_lab_paths {
    const char *const *read;   /* files and folders, NULL at the end; may be executed, too */
    const char *const *write;  /* files that exist: written; folders: anything done in them; NULL: none */
};

/* quern built with AddressSanitizer reserves terabytes, so the data of quern and of the compiler is not limited then. */
#if defined(__SANITIZE_ADDRESS__)
#define QN_LAB_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define QN_LAB_SANITIZED 1
#endif
#endif
#ifndef QN_LAB_SANITIZED
#define QN_LAB_SANITIZED 0
#endif

/* Call it in the child, before exec.  NULL; or what went wrong (errno set): then run nothing. */
const char *qn_lab_confine(const struct qn_lab_limits *limits, const struct qn_lab_paths *paths);

/* Calls `say` with a line for each weakness of this machine. */
void qn_lab_weaknesses(void (*say)(void *data, const char *line), void *data);

/* The user that students' code runs as: nobody if we are root, else our own user. */
unsigned qn_lab_user(void);

/* Call it once, as root: can user nobody reach the program and the folder?  If not, code will run as root without
 * capabilities, which is a weakness. */
bool qn_lab_choose_user(const char *program, const char *scratch);

/* ---- lists of the paths that a student's program, a compiler, or quern may read ----
 *
 * They never contain the modules that ship with quern, of which some are solutions, nor the folders of solutions.
 */

#define QN_LAB_PATHS_MAX 256

struct qn_lab_path_list {
    const char *at[QN_LAB_PATHS_MAX + 1]; /* NULL at the end: struct qn_lab_paths, read */
    unsigned n;
    glob_t library;
    char *own[4];
};

/* Adds a path, which is not copied. */
void qn_lab_add_path(struct qn_lab_path_list *p, const char *path);
/* Adds the paths that programs need, and with `compile` those that compilers need, too. */
void qn_lab_add_system(struct qn_lab_path_list *p, bool compile);
/* Adds the sources of a simulator without modules: files of lib/sim, its folders fast, hosted and (in part) adapt; base, cost. */
void qn_lab_add_library(struct qn_lab_path_list *p, const char *library);
/* Adds quern, its engine, and the libraries for new engines, which are beside it in a build tree, else in libexec. */
void qn_lab_add_quern(struct qn_lab_path_list *p, const char *quern);
/* The file of a command, found by PATH; free() it.  NULL: there is none. */
char *qn_lab_find_command(const char *name);
void qn_lab_free_paths(struct qn_lab_path_list *p);

/* ---- runs one program that is not trusted, feeds it, and collects its output ----
 *
 *   struct qn_lab_job job = { .argv = argv, .directory = scratch, .limits = qn_lab_limits_program, .paths = paths };
 *   qn_lab_run(&job);                  job.status, job.trouble, job.output
 *   qn_lab_free_job(&job);
 *
 * The program has a session of its own.  When it has ended, or was ended, all processes that it left are killed: its group,
 * and all that became our children by the death of their parents.  So only one job runs at a time, and the caller must have no
 * other children.  The environment has PATH, LC_ALL=C, CC, and the job's directory as TMPDIR and HOME; nothing else.
 */

#define QN_LAB_OUTPUT_MAX (16u << 20) /* bytes that are kept of standard output; more ends the program */
#define QN_LAB_ERRORS_MAX 65536       /* of standard error; more is thrown away */

/* For a program that converses: called with the text that it has printed; puts the text that it shall read into *reply (malloc), and
 * its length into *reply_size.  false: the conversation is over, and the program's input is closed. */
typedef bool qn_lab_talk(void *data, const char *said, size_t size, char **reply, size_t *reply_size);

struct qn_lab_job {
    /* in */
    const char *const *argv;        /* argv[0] is a path */
    const char *directory;          /* where it runs */
    struct qn_lab_limits limits;
    struct qn_lab_paths paths;
    unsigned seconds;               /* by the clock; generous, for programs that sleep */
    const char *input;              /* its standard input; NULL: nothing */
    size_t input_size;
    qn_lab_talk *talk;              /* instead of input; NULL: none */
    void *talk_data;
    int ends_by;                    /* a signal by which it ends when all is well; 0: it exits with 0 */
    /* out */
    bool stuck;                     /* it was ended, or used up its processor time */
    int status;                     /* exit status; 128 + signal */
    char trouble[160];              /* "was killed by signal 11 (...)"; "" = it ended by itself */
    char *output, *errors;          /* with a zero byte behind them */
    size_t output_size, errors_size;
};

/* false: the sandbox could not be made; trouble says why, and nothing was run. */
bool qn_lab_run(struct qn_lab_job *job);
void qn_lab_free_job(struct qn_lab_job *job);

/* A student's program: one process, 5 s, 512 MiB; asleep for 2 s it is given up.  A compiler: 20 s, processes.  quern: the same, and the file
 * without a name in which it counts, which is large and mostly empty. */
extern const struct qn_lab_limits qn_lab_limits_program, qn_lab_limits_tool, qn_lab_limits_quern;

/* ---- ends a program and all its descendants ----
 *
 * The caller is a subreaper: a descendant whose parent dies becomes the caller's child.  So killing children until there
 * are none ends all descendants, whatever sessions and process groups they made.  The caller has no other children.
 */

/* Once, before the program is started. */
void qn_lab_adopt_orphans(void);

/* Waits for the end of the program, which leads a group of its own, or kills it (given_up); then kills all other children.
 * *status: the program's, as from waitpid. */
void qn_lab_reap(pid_t child, int *status, bool given_up);

#endif
