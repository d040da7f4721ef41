/* lib/collect/collect.h - the state of `quern run`, and the functions that files of this folder share.
 *
 *   collect.c  the main function                  program.c  finds and checks the program
 *   options.h  options                            geometry.c caches
 *   launch.c   starts the guest                   signals.c  signals, stops, exit status
 *   loop.c     waits                              answer.c   answers the engine
 *   fork.c     collectors of forked guests        reader.c   reads debug information ahead
 *   finish.c   chooses the process that folds     fold.c     one attempt: profile, summary
 *   beside.c   files beside the profile           report.c   summary, failures, statistics
 *   named.c    --explain, --toggle: finds code    finder.c   questions of the engine
 *   merger.c   --merge-children
 *   cpu.c      --cpu: masks of CPUID              sims.c     --sim, --versus, --analysis: engine
 *   log.c      messages                           name.c     %p and the like
 *   part.c     divides the run
 *
 * Words: the *main* collector is the process the user started, parent of the guest.  Every guest
 * that forks gets a *sub-collector* for the new process, a fork of the collector that serves the parent.
 */
#ifndef QN_COLLECT_H
#define QN_COLLECT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cost/data/allocators.h"
#include "cost/places/named.h"
#include "cost/store.h"
#include "collect/options.h"
#include "engines/engines.h"

#define QN_EXIT_FAILED 1          /* the guest succeeded, its profile could not be written */
#define QN_EXIT_SOFTWARE 70       /* EX_SOFTWARE: the engine gave up, or could not be started */
#define QN_EXIT_NOT_EXECUTABLE 126
#define QN_EXIT_NOT_FOUND 127

#define QN_COLLECT_PARENT_DIED SIGRTMAX /* the kernel sends us this when our parent dies */
#define QN_COLLECT_CULPRITS_SUFFIX ".culprits.csv"
#define QN_COLLECT_SETS_SUFFIX ".sets.csv"
#define QN_COLLECT_SHARING_SUFFIX ".sharing.csv"
#define QN_COLLECT_FINDINGS_SUFFIX ".findings.csv" /* behind the profile's name */

/* QN_COLLECT_NEXT: the machine's cache of the level before the last, because CPUID does not say how many ways the last one has. */
enum qn_collect_origin { QN_COLLECT_GIVEN, QN_COLLECT_STATED, QN_COLLECT_HOST, QN_COLLECT_DEFAULT, QN_COLLECT_NEXT };

/* Messages: lines are buffered and written by one write, so that those of several processes do not mix. */
struct qn_collect_log {
    int fd;       /* our own copy; -1: silent for good */
    int errors;   /* a copy of the stderr that quern was started with; failures go there, too */
    bool quiet;   /* no banner and no summary */
    bool failed;  /* a write to it failed, and a message said so */
    pid_t pid;    /* of the guest, for the prefix */
    bool shared;  /* fd is a copy of a descriptor the guest has too */
    char *text;   /* buffered */
    size_t size, room;
};

/* Memory that the main collector shares with the child that becomes the engine, and with the reader. */
struct qn_collect_shared {
    int exec_errno;      /* of the child that could not become the engine */
    volatile bool alone; /* the first process has its profile, or shall have none: the reader writes none without a request */
};

struct qn_collect {
    struct qn_collect_options options;
    struct qn_geometry geometry[QN_COLLECT_LEVELS];
    enum qn_collect_origin origin[QN_COLLECT_LEVELS];
    struct qn_config config;  /* our own copy; the arena's may be damaged */
    char *engine, *program;   /* paths */
    struct qn_engines_choice first, second; /* by --sim and --analysis, by --versus */
    struct qn_engines_setup sims;
    char *command;            /* argv joined by blanks */
    uint64_t engine_hash;
    uint64_t start_tsc, start_ns;
    struct qn_collect_log log;
    int refused;              /* exit status if a file that the user wants cannot be written; 0: all can */
    struct qn_cost_named named[6 * QN_COLLECT_NAMES_MAX]; /* by --explain, --toggle, --dump-before and so on */
    int named_count;
    struct qn_cost_allocator allocators[QN_COLLECT_NAMES_MAX]; /* by --alloc */

    struct qn_cost_store store; /* arena of the running image */
    struct qn_cost_store fresh; /* arena of the image that a traced exec is about to start; fd -1: none */
    struct qn_cost_store zero;  /* copy of the arena from the beginning of the current part; fd -1: the part began with the run (part.c) */
    unsigned parts;             /* number of parts written */
    const char *trigger;        /* of the part that is being written; else NULL */
    bool parts_refused;
    int socket;                 /* to the engine; -1: closed */
    bool observes;              /* the engine's analysis module observes instructions */
    bool hello;                 /* the guest of this collector has sent HELLO */
    bool exec_out;              /* it executes, or has executed, a program that is not traced */
    bool replaced;              /* a traced exec happened */

    bool is_main;
    pid_t guest, root;          /* the guest of this collector, and of the main one */
    int pidfd;                  /* of the guest; sub-collectors and reader only, else -1 */
    bool leaves;                /* the guest does not count any more, and is about to end */
    bool ended;                 /* it has ended */
    int status;                 /* of the guest by waitpid; main collector only */
    struct qn_collect_shared *shared;

    int control;                /* listening socket for `quern ctl`; -1: none */
    pid_t progress_pid;         /* the process that prints --progress; 0: none */
    uint64_t progress_ns;
    int signals, ends;          /* signalfd of all signals, and of those that ask a process to end */
    int hurry;                  /* eventfd, of all collectors: readable when debug information is not to be read any more */
    sigset_t old_mask;          /* the mask that quern was started with */
    struct sigaction old_chld;
    int drain[2], done[2];      /* see fork.c */
    int merger;                 /* socket to the merger (merger.c); -1: none */
    pid_t finder_pid;
    int finder;                 /* socket to the finder (finder.c), which all collectors share; -1: none */
    bool finder_replaced;       /* it has died, and this collector has started another */
    int questions;              /* our own socket to it; -1: none */
    const void *questions_of;   /* the arena that it has */
    int reader;                 /* socket to the reader (reader.c); -1: none */
    pid_t reader_pid;
    int image, collector;       /* the reader's: arena of the first process; pidfd of the main collector */
    bool has_forked;            /* there were sub-collectors, which may outlive this one and ask the reader */
};

/* geometry.c */
bool qn_collect_choose_geometry(const struct qn_collect_options *o, struct qn_geometry geometry[QN_COLLECT_LEVELS],
                            enum qn_collect_origin origin[QN_COLLECT_LEVELS]);

/* cpu.c: the masks for --cpu=VALUE on this machine.  false: a line was printed. */
bool qn_collect_choose_cpu(const char *value, struct qn_cpu *cpu);
/* The same for QUERN_ENGINE_CPU, the engine's processor; it is refused if it lacks what --vectors needs. */
bool qn_collect_choose_engine_cpu(uint64_t vectors, struct qn_cpu *cpu);

/* program.c: 0, or the exit status after one line was printed. */
int qn_collect_find_program(struct qn_collect *r);
bool qn_collect_is_program(const char *path); /* is it an executable file? */

/* sims.c: 0, or the exit status after one line was printed; sets options that the modules need. */
int qn_collect_set_up_sims(struct qn_collect *r);
const char *const *qn_collect_list_module_files(const struct qn_collect *r); /* source files of all modules; NULL is the last */
void qn_collect_print_sims(struct qn_collect *r); /* with --verbose: the module in each slot, and how it was simulated */

/* name.c: expands %p, %q{VAR}, %n, %%.  NULL: `why` says what is wrong.  free() the result. */
char *qn_collect_expand(const char *pattern, pid_t pid, char *why, size_t size);
bool qn_collect_is_device(const char *path); /* is it a character device, such as /dev/null? */
/* The file of the guest's profile.  NULL: a line was printed. */
char *qn_collect_name_profile(struct qn_collect *r);
char *qn_collect_name_pattern(struct qn_collect *r); /* the same without the number of a part and of a thread */
char *qn_collect_name_intervals(struct qn_collect *r);
char *qn_collect_name_explanation(struct qn_collect *r);
char *qn_collect_name_watch(struct qn_collect *r);
char *qn_collect_name_branches(struct qn_collect *r);
char *qn_collect_name_beside(const char *profile, const char *suffix); /* the profile's name with a suffix; NULL: no memory */
/* Tests before the program starts whether all of them can be written.  false: a line was printed. */
bool qn_collect_check_outputs(struct qn_collect *r);

/* log.c */
/* Opens a file that is written while the program runs.  -1: a line was printed, which begins with the option's name. */
int qn_collect_open_text(struct qn_collect *r, const char *option, const char *path, int status);
bool qn_collect_open_log(struct qn_collect *r);
/* "==PID== text"; banner and summary, nothing with --quiet. */
void qn_collect_say(struct qn_collect *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "--PID-- text"; warnings, statistics and --verbose. */
void qn_collect_note(struct qn_collect *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "**PID** text"; what the program says by VALGRIND_PRINTF. */
void qn_collect_print(struct qn_collect *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "quern: run: text"; failures. */
void qn_collect_fail(struct qn_collect *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same on stderr, before there is a log. */
void qn_collect_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
void qn_collect_flush(struct qn_collect *r);

/* launch.c */
bool qn_collect_launch(struct qn_collect *r);

/* signals.c */
bool qn_collect_take_signals(struct qn_collect *r);
void qn_collect_restore_signals(const struct qn_collect *r); /* in a child, before exec */
void qn_collect_read_signals(struct qn_collect *r);
void qn_collect_forward_ends(struct qn_collect *r); /* only the signals that ask a process to end */
/* Waits until a process that reads debug information answers by fd, or ends.  false: a signal asks us to end, so this process should be ended. */
bool qn_collect_wait_for(struct qn_collect *r, int fd);
void qn_collect_end_process(pid_t pid); /* which reads debug information; by a negative number its group */
bool qn_collect_is_hurried(const struct qn_collect *r); /* did such a signal come after the program's end? */
void qn_collect_mirror_stop(struct qn_collect *r, int sig);
/* Ends this process as the guest ended: `status` is what waitpid said. */
void qn_collect_mirror_end(int status) __attribute__((noreturn));

/* launch.c: raises our own limits of memory; *c has those that we were started with. */
void qn_collect_take_space_limits(struct qn_config *c);

/* loop.c */
void qn_collect_wait(struct qn_collect *r);         /* until all is counted */
void qn_collect_wait_for_end(struct qn_collect *r); /* of the guest */

/* answer.c: if a traced exec started a program that could not be loaded (its engine sent a reason, no HELLO), takes its arena; returns true. */
bool qn_collect_adopt_dead_image(struct qn_collect *r);
/* Takes what the engine sent, without waiting.  false: end of file. */
bool qn_collect_serve(struct qn_collect *r);

/* fork.c */
bool qn_collect_make_pipes(struct qn_collect *r);
void qn_collect_serve_fork(struct qn_collect *r);
void qn_collect_wait_for_subs(struct qn_collect *r);
/* The main guest has ended and this one has not: closes the terminal. */
void qn_collect_detach(struct qn_collect *r);

/* finder.c: starts the finder, if an option needs one; answers a question of the engine. */
void qn_collect_start_finder(struct qn_collect *r);
void qn_collect_serve_question(struct qn_collect *r, uint32_t kind, uint32_t number);
void qn_collect_forget_questions(struct qn_collect *r); /* of another process or arena; the next question introduces us again */

/* merger.c: --merge-children.  Hands over the profile of a process; false: the merger is gone.  finish_merge: when all have ended. */
void qn_collect_start_merger(struct qn_collect *r);
bool qn_collect_give_profile(struct qn_collect *r, const char *path);
bool qn_collect_finish_merge(struct qn_collect *r);

/* named.c */
bool qn_collect_take_names(struct qn_collect *r); /* false: a line was printed */
int qn_collect_check_names(struct qn_collect *r); /* 0, or the exit status after a line was printed */
void qn_collect_tell_missing(struct qn_collect *r);

/* finish.c: writes the profile and prints the report.  false: the profile could not be written. */
bool qn_collect_finish(struct qn_collect *r);

/* report.c */
struct qn_cost_result;
struct qn_cost_event_set;
struct qn_cost_modules;
struct qn_cost_regions;
void qn_collect_print_banner(struct qn_collect *r);
void qn_collect_print_report(struct qn_collect *r, const struct qn_cost_result *result, const struct qn_cost_event_set *events,
                         const char *command);
void qn_collect_print_regions(struct qn_collect *r, const struct qn_cost_regions *regions, const struct qn_cost_event_set *events);
void qn_collect_print_fatal(struct qn_collect *r, struct qn_cost_modules *modules);
/* The exit status for the engine's fatal state; 0: there is none. */
int qn_collect_fatal_status(const struct qn_collect *r);

#endif
