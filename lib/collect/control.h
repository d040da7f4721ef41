/* lib/collect/control.h - the protocol between `quern ctl` and a `quern run`.
 *
 *   abstract socket "quern-run-PID", SOCK_STREAM; only processes of the same user, or root's, are answered.  PID is that of `quern run`, the
 *   main collector; for a process that the program has forked, it is the pid of that process
 *   ctl: "dump", "status", "start", "stop" or "zero"     run: a digit (the exit status), a blank, lines for the user; then it closes
 */
#ifndef QN_COLLECT_CONTROL_H
#define QN_COLLECT_CONTROL_H

#include <stddef.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

struct ucred;

#define QN_CONTROL_WORD_MAX 32 /* bytes of a command */

struct qn_collect;

/* Writes the address of a run; returns its length. */
socklen_t qn_control_address(struct sockaddr *address, size_t size, pid_t pid);

/* Does the process at the other end belong to our user or to root?  *who: its credentials. */
bool qn_control_is_own(int socket, struct ucred *who);

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

#endif
