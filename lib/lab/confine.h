/* lib/lab/confine.h - what a process that runs a student's code gives up before it begins.
 *
 *   own user        a grader that runs as root becomes nobody
 *   limits          processor time, memory, size of files, open files, processes, no core (setrlimit)
 *   Landlock        reads and executes what is named, writes what is named, creates nothing; signals nobody outside
 *   seccomp         no network, nothing that outlives it; and, unless it has to, no new process, no other's memory
 *
 * What this machine cannot enforce is told by qn_lab_weaknesses, so that a grader can print it; what it can and then
 * fails ends the process before the student's code begins.
 */
#ifndef QN_LAB_CONFINE_H
#define QN_LAB_CONFINE_H

#include "base/base.h"

struct qn_lab_limits {
    unsigned cpu_seconds;      /* of each process */
    unsigned cpu_ms;           /* less than that, as the sandbox looks: of a program that converses since its last word; 0: no such limit */
    uint64_t memory_bytes;     /* address space; 0: not limited, for programs that reserve much and use little */
    uint64_t data_bytes;       /* the same of data alone */
    uint64_t file_bytes;       /* of each file that it writes */
    unsigned files;            /* open at a time */
    bool may_fork;             /* processes and threads: compilers, quern */
    bool may_split;            /* fork alone, and nothing else of that */
};

struct qn_lab_paths {
    const char *const *read;   /* files and folders, NULL at the end; may be executed, too */
    const char *const *write;  /* files that exist: written; folders: anything done in them; NULL: none */
};

/* quern built with AddressSanitizer reserves terabytes: then its own data, and the compiler's, cannot be limited. */
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

/* In the child, before exec.  NULL; or what went wrong (errno set), and then nothing may be run. */
const char *qn_lab_confine(const struct qn_lab_limits *limits, const struct qn_lab_paths *paths);

/* Says of each weakness of this machine a line; none: says nothing. */
void qn_lab_weaknesses(void (*say)(void *data, const char *line), void *data);

/* The user that students' code runs as: if we are root nobody, else our own. */
unsigned qn_lab_user(void);

/* As root, once: can nobody reach the program and the folder?  If not, code will run as root without capabilities,
 * which is a weakness. */
bool qn_lab_choose_user(const char *program, const char *scratch);

#endif
