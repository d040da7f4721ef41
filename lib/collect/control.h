/* lib/collect/control.h - the protocol between `quern ctl` and a `quern run`.
 *
 *   abstract socket "quern-run-PID", SOCK_STREAM; only processes of the same user, or root's, are answered.  PID is that of the main collector,
 *   `quern run`; a process that the program has forked has a collector of its own, and there it is the number of that process
 *   ctl: "dump", "status", "start", "stop" or "zero"     run: a digit (the exit status), a blank, lines for the user; then it closes
 */
#ifndef QN_COLLECT_CONTROL_H
#define QN_COLLECT_CONTROL_H

#include <stddef.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

struct ucred;

#define QN_CONTROL_WORD_MAX 32 /* bytes of what ctl says */

struct qn_collect;

/* The address of a run; its length. */
socklen_t qn_control_address(struct sockaddr *address, size_t size, pid_t pid);

/* Is the process at the other end, *who, ours, or root's? */
bool qn_control_is_own(int socket, struct ucred *who);

/* A run that cannot be reached works as well. */
void qn_collect_open_control(struct qn_collect *r, pid_t pid);
/* Somebody wants to connect: a process of its own answers. */
void qn_collect_serve_control(struct qn_collect *r);
/* SIGUSR1 with --dump-signal. */
void qn_collect_dump(struct qn_collect *r);
/* --progress: a line each second. */
void qn_collect_show_progress(struct qn_collect *r);
/* The line is taken away again, where it stands on a terminal. */
void qn_collect_end_progress(struct qn_collect *r);

#endif
