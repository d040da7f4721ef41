/* lib/collect/collect.h - the state of `quern run`, and the functions that files of this folder share.
 *
 *   options.h  options                            log.c      messages
 *   collect.c  the main function; waits           report.c   summary, failures, statistics
 *   sims.c     --sim, --versus, --analysis        geometry.c caches
 *   named.c    --explain, --toggle: finds code    cpu.c      --cpu: masks of CPUID
 *   launch.c   finds and starts the program       name.c     names of the files that are written
 *   answer.c   answers the engine; fork           signals.c  signals, stops, exit status
 *   control.c  quern ctl, --progress              part.c     divides the run
 *   server.c   reads debug information            merger.c   --merge-children
 *   fold.c     one attempt: profile, summary, and the side tables
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
#include <sys/socket.h>
#include <sys/types.h>

#include "collect/options.h"
#include "cost/data/allocators.h"
#include "cost/places/places.h"
#include "cost/store.h"
#include "engines/engines.h"
#include "text/error.h"

#define QN_EXIT_FAILED 1          /* the guest succeeded, its profile could not be written */
#define QN_EXIT_SOFTWARE 70       /* EX_SOFTWARE: the engine gave up, or could not be started */
#define QN_EXIT_NOT_EXECUTABLE 126
#define QN_EXIT_NOT_FOUND 127

#define QN_COLLECT_PARENT_DIED SIGRTMAX /* the kernel sends us this when our parent dies */
/* QN_COLLECT_NEXT: the machine's cache of the level before the last, because CPUID does not say how many ways the last one has.
 * QN_COLLECT_AS_L2: --L2 alone gives the LL. */
enum qn_collect_origin { QN_COLLECT_GIVEN, QN_COLLECT_STATED, QN_COLLECT_HOST, QN_COLLECT_DEFAULT, QN_COLLECT_NEXT, QN_COLLECT_AS_L2, QN_COLLECT_MACHINE };

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

/* A process that serves the collectors of a run (server.c, merger.c). */
struct qn_collect_server {
    int socket; /* -1: there is none */
    pid_t pid;
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
    const char *profile;        /* the file of the part that is being written; else NULL */
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
    bool gone;                  /* main collector: the guest has ended; `ended`: and nobody counts any more */
    struct qn_collect_shared *shared;

    int control;                /* listening socket for `quern ctl`; -1: none */
    pid_t progress_pid;         /* the process that prints --progress; 0: none */
    uint64_t progress_ns;
    int signals, ends;          /* signalfd of all signals, and of those that ask a process to end */
    int hurry;                  /* eventfd, of all collectors: readable when debug information is not to be read any more */
    sigset_t old_mask;          /* the mask that quern was started with */
    struct sigaction old_chld;
    int drain[2], done[2];      /* see answer.c */
    struct qn_collect_server merger, reader;
    struct qn_collect_server finder; /* all collectors share it */
    bool finder_replaced;       /* it has died, and this collector has started another */
    int questions;              /* our own socket to it; -1: none */
    const void *questions_of;   /* the arena that it has */
    /* The reader's descriptors: the file that the guest begins as, the arena of the first process, that of the program which it is about to
     * execute or has executed last (-1: none), the main collector's pidfd. */
    int beginning, image, next, collector;
    bool has_forked;            /* there were sub-collectors, which may outlive this one and ask the reader */
};

/* geometry.c */
bool qn_collect_choose_geometry(const struct qn_collect_options *o, struct qn_geometry geometry[QN_COLLECT_LEVELS],
                            enum qn_collect_origin origin[QN_COLLECT_LEVELS]);

/* cpu.c: the masks for --cpu=VALUE on this machine.  false: a line was printed. */
bool qn_collect_choose_cpu(const char *value, struct qn_cpu *cpu);
/* The same for QUERN_ENGINE_CPU, the engine's processor; it is refused if it lacks what --vectors needs. */
bool qn_collect_choose_engine_cpu(uint64_t vectors, struct qn_cpu *cpu);

/* launch.c */
/* 0, or the exit status after one line was printed. */
int qn_collect_find_program(struct qn_collect *r);
bool qn_collect_is_program(const char *path); /* is it an executable file? */
bool qn_collect_launch(struct qn_collect *r);
/* Raises our own limits of memory; *c has those that we were started with. */
void qn_collect_take_space_limits(struct qn_config *c);
/* Raises the soft limit of descriptors to the hard limit. */
void qn_collect_allow_descriptors(void);

/* sims.c: 0, or the exit status after one line was printed; sets options that the modules need. */
int qn_collect_set_up_sims(struct qn_collect *r);
const char *const *qn_collect_list_module_files(const struct qn_collect *r); /* source files of all modules; NULL is the last */
void qn_collect_print_sims(struct qn_collect *r); /* with --verbose: the module in each slot, and how it was simulated */

/* name.c: expands %p, %q{VAR}, %n, %%.  NULL: `why` says what is wrong.  free() the result. */
char *qn_collect_expand(const char *pattern, pid_t pid, char *why, size_t size);
bool qn_collect_is_device(const char *path); /* is it a character device, such as /dev/null? */
/* The files that are written. */
enum qn_collect_file {
    QN_COLLECT_LOG, QN_COLLECT_TRACE, QN_COLLECT_PROFILE, QN_COLLECT_INTERVALS, QN_COLLECT_EXPLANATION, QN_COLLECT_WATCH,
    QN_COLLECT_BRANCHES,
    QN_COLLECT_FINDINGS, QN_COLLECT_CULPRITS, QN_COLLECT_TAKERS, QN_COLLECT_SHARING, QN_COLLECT_SETS, QN_COLLECT_TABLES, QN_COLLECT_FILES
};
/* The name of the guest's file; free() it.  NULL: a line was printed. */
char *qn_collect_name_file(struct qn_collect *r, enum qn_collect_file file);
char *qn_collect_name_pattern(struct qn_collect *r); /* of the profile, without the number of a part and of a thread */
/* Reports a file that was written (with --verbose), or why not; frees its path; returns whether it was written. */
bool qn_collect_tell_file(struct qn_collect *r, enum qn_collect_file file, char *path, enum qn_text_status status,
                          const struct qn_text_error *err);
/* The same of a table of modules; it is the name of no other file of the run. */
char *qn_collect_name_table(struct qn_collect *r, const char *table);
/* Are the patterns of all names well-formed?  false: a line was printed. */
bool qn_collect_check_patterns(const struct qn_collect_options *o);
/* Tests before the program starts whether all of them can be written.  false: a line was printed. */
bool qn_collect_check_outputs(struct qn_collect *r);

/* log.c */
/* Opens a file that is written while the program runs.  -1: a line was printed, which begins with the option's name. */
int qn_collect_open_text(struct qn_collect *r, const char *option, const char *path, int status);
bool qn_collect_open_log(struct qn_collect *r);
/* "==PID== text"; banner and summary, nothing with --quiet. */
void qn_collect_say(struct qn_collect *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void qn_collect_put_line(void *run, const char *text); /* the same for one line */
/* "--PID-- text"; warnings, statistics and --verbose. */
void qn_collect_note(struct qn_collect *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "**PID** text"; what the program says by VALGRIND_PRINTF. */
void qn_collect_print(struct qn_collect *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "quern: run: text"; failures. */
void qn_collect_fail(struct qn_collect *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same on stderr, before there is a log. */
void qn_collect_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
void qn_collect_flush(struct qn_collect *r);

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

/* answer.c */
#define QN_COLLECT_FDS_MAX 4
/* Sends one message with `count` descriptors (possibly none).  flags: of sendmsg.  false: nobody receives it, or not now. */
bool qn_collect_send(int socket, const void *message, size_t size, const int *fds, size_t count, int flags);
/* Receives one message of this size; the descriptors that came with it, -1 behind them.  false: there can be none any more. */
bool qn_collect_receive(int socket, void *message, size_t size, int fds[QN_COLLECT_FDS_MAX]);
/* Our end and the engine's.  Ours learns the sender's pid from the kernel. */
bool qn_collect_make_pair(int pair[2]);
/* Sends the engine a message of enum qn_message_kind, with up to two descriptors. */
void qn_collect_answer(struct qn_collect *r, uint32_t kind, int value, const int *fds, size_t count);
/* If a traced exec started a program that could not be loaded (its engine sent a reason, no HELLO), takes its arena; returns true. */
bool qn_collect_adopt_dead_image(struct qn_collect *r);
/* Takes what the engine sent, without waiting.  false: end of file. */
bool qn_collect_serve(struct qn_collect *r);
/* Makes the pipes that connect collectors. */
bool qn_collect_make_pipes(struct qn_collect *r);
void qn_collect_wait_for_subs(struct qn_collect *r);
/* The main guest has ended and this one has not: closes the terminal. */
void qn_collect_detach(struct qn_collect *r);

/* control.c */
/* Opens r->control.  If that fails, the run goes on without it. */
void qn_collect_open_control(struct qn_collect *r, pid_t pid);
/* Takes a connection; a new process handles the command. */
void qn_collect_serve_control(struct qn_collect *r);
/* Kicks the thread that runs, if one does. */
void qn_collect_kick(const struct qn_collect *r);
/* Writes a profile now, for SIGUSR1 with --dump-signal. */
void qn_collect_dump(struct qn_collect *r);
/* --progress: a line each second. */
void qn_collect_show_progress(struct qn_collect *r);
/* Ends --progress; on a terminal its line is erased. */
void qn_collect_end_progress(struct qn_collect *r);

/* part.c */
/* The option with which a run cannot be divided; NULL: it can. */
const char *qn_collect_never_divides(const struct qn_collect *r);
/* Does what enum qn_part says; the program waits meanwhile.  text: the name that CALLGRIND_DUMP_STATS_AT gives, or see cost/messages.h. */
void qn_collect_serve_part(struct qn_collect *r, int what, const char *text);
/* Before folding: reduces r->store, which must be a copy, to the counts since the beginning of the part. */
void qn_collect_begin_part(struct qn_collect *r);
/* Writes only the profile, at once.  Changes `r` so that it can only be used for this. */
bool qn_collect_write_now(struct qn_collect *r, const char *path);
/* The run has ended: its profile is the last part. */
void qn_collect_end_parts(struct qn_collect *r);
/* Another program has begun: forgets the parts of the one before. */
void qn_collect_forget_parts(struct qn_collect *r);

/* server.c */
/* Limits this process's memory, and its time from now on; SIGTERM ends it. */
void qn_collect_limit_reading(void);
/* Calls `work` in a child; returns its result, from 0 to 255.  `limited`: in time and memory; and a signal that asks us to end ends it.
 * -1: it died; -2: there can be no child. */
typedef int qn_collect_work(struct qn_collect *r, void *data);
int qn_collect_in_child(struct qn_collect *r, bool limited, qn_collect_work *work, void *data);
/* Closes every descriptor but these (and the standard ones, which are /dev/null). */
void qn_collect_keep_only(const int *fds, int count);
/* Starts a process that calls `serve`, which does not return.  If that fails, everything works without it. */
typedef void qn_collect_serve_all(struct qn_collect *r, int socket);
void qn_collect_start_server(struct qn_collect *r, struct qn_collect_server *s, qn_collect_serve_all *serve);
void qn_collect_start_reader(struct qn_collect *r);
/* Sends the reader a file whose code a guest has mapped; the caller keeps the descriptor.  Never waits. */
void qn_collect_give_reader(const struct qn_collect *r, int file);
/* The main collector's guest is about to execute another program: sends its arena, which the reader needs if all collectors are killed. */
void qn_collect_show_image(const struct qn_collect *r);
/* Lets the reader end; waits for it if no other collector can ask it. */
void qn_collect_end_reader(struct qn_collect *r);
void qn_collect_start_finder(struct qn_collect *r);
/* Answers a question of the engine. */
void qn_collect_serve_question(struct qn_collect *r, uint32_t kind, uint32_t number);
void qn_collect_forget_questions(struct qn_collect *r); /* of another process or arena; the next question introduces us again */
/* Writes the profile and prints the report.  false: the profile could not be written. */
bool qn_collect_finish(struct qn_collect *r);

/* merger.c: --merge-children.  Hands over the profile of a process; false: the merger is gone.  finish_merge: when all have ended. */
void qn_collect_start_merger(struct qn_collect *r);
bool qn_collect_give_profile(struct qn_collect *r, const char *path);
bool qn_collect_finish_merge(struct qn_collect *r);

/* collect.c: nanoseconds of the monotonic clock */
#define QN_NS_PER_SECOND 1000000000ull
uint64_t qn_collect_now(void);

/* fold.c */
struct qn_cost_event_set;
void qn_collect_choose_events(const struct qn_collect *r, struct qn_cost_event_set *events); /* the columns of the profile */
struct qn_collect_guard {
    struct qn_cost_guard modules;
    const char *avoided; /* why nothing at all is read; else NULL */
};
/* Folds r->store, writes the profile, prints the report, in this process.  guard may be NULL. */
bool qn_collect_fold(struct qn_collect *r, struct qn_collect_guard *guard, struct qn_cost_library *library);
/* Writes a profile by `write`, in the format that the user wants. */
typedef enum qn_text_status qn_collect_write(void *data, const char *path, struct qn_text_error *err);
enum qn_text_status qn_collect_write_profile(struct qn_collect *r, qn_collect_write *write, void *data, const char *path, struct qn_text_error *err);

/* named.c */
bool qn_collect_take_names(struct qn_collect *r); /* false: a line was printed */
int qn_collect_check_names(struct qn_collect *r); /* 0, or the exit status after a line was printed */
void qn_collect_tell_missing(struct qn_collect *r);

/* report.c */
struct qn_cost_result;
struct qn_cost_modules;
struct qn_cost_regions;
void qn_collect_print_banner(struct qn_collect *r);
void qn_collect_print_report(struct qn_collect *r, const struct qn_cost_result *result, const struct qn_cost_event_set *events,
                         const char *command);
/* The tables of modules beside the profile.  false: one could not be written, and a line says so. */
bool qn_collect_write_tables(struct qn_collect *r, const struct qn_cost_result *result, const struct qn_cost_event_set *events);
void qn_collect_print_regions(struct qn_collect *r, const struct qn_cost_regions *regions, const struct qn_cost_event_set *events);
void qn_collect_print_fatal(struct qn_collect *r, struct qn_cost_modules *modules);
/* The exit status for the engine's fatal state; 0: there is none. */
int qn_collect_fatal_status(const struct qn_collect *r);

#endif
