/* lib/lab/sandbox/confine.h - confines a process before it runs a student's code.
 *
 *   own user        a grader that runs as root becomes nobody
 *   limits          processor time, memory, size of files, open files, processes, no core (setrlimit)
 *   Landlock        reads, executes and writes only the paths that are named; sends no signals to outside
 *   seccomp         no network, nothing that outlives the process; unless they are needed, no new processes
 *
 * qn_lab_weaknesses reports what this machine cannot enforce, so that a grader can print it.  If the machine can enforce
 * something but that fails, the process ends before the student's code begins.
 */
#ifndef QN_LAB_CONFINE_H
#define QN_LAB_CONFINE_H

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

#endif
