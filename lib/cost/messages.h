/* lib/cost/messages.h - the protocol between engine and collector, over one SOCK_SEQPACKET pair.
 *
 * Each guest process has a collector process of its own and one socket to it.
 *
 *   engine starts as  argv = { "quern-engine", ARENA_FD, SOCKET_FD, guest argv[0], guest argv[1], ... }
 *   with the guest's environment; both descriptors decimal, without FD_CLOEXEC (the engine sets it).
 *
 *   engine -> collector                     collector -> engine
 *   HELLO  pid (first thing in a process)   (nothing)
 *   FORK   before fork/clone/vfork of       FORK_OK with SCM_RIGHTS {arena fd, socket fd}: a copy of the
 *          a new process                    arena and the socket of a new collector that serves the
 *                                           child; or FORK_ERR value = errno
 *   (the child maps the copied arena in place of the old one and says HELLO on the new socket; if fork
 *    fails the engine closes both descriptors, and the new collector, seeing end of file before
 *    HELLO, ends without a trace)
 *   EXEC_NEW  before a traced execve        EXEC_OK with SCM_RIGHTS {arena fd}: fresh arena, same config
 *   (the new engine image says HELLO: from then on the fresh arena is the process's; the counts of
 *    the image that exec replaced are dropped, as Cachegrind does)
 *                                           (without one if there is none to be had: value = errno)
 *   EXEC_OUT  before an untraced execve     EXEC_OK without descriptors
 *   EXEC_FAILED value = errno               (nothing; the last EXEC_* is void)
 *   RESOLVE  value = index of a map that    RESOLVED: what the arena needs of this map has been appended: points of
 *          is about to be executed            names in options, functions (--calls), allocators and variables (--data)
 *   TYPE   value = index of an object       TYPED: the size of its element is in the arena, if debug information
 *          (--data)                           has it
 *   FRAME  value = index of a frame record  TYPED: the record is filled in; what is not known is 0
 *          (--data)
 *   PART   value = enum qn_part; text = its    PARTED: the part is written, counts are of the next one
 *          name                               (lib/collect/part.c)
 *   FILE   with SCM_RIGHTS {fd}: the guest     (nothing; its debug information can then be read, whatever
 *          has mapped code of this file           becomes of its name)
 *   EXIT   counts are final, the process    (nothing; its pages are given back while the profile is written)
 *          is about to end
 *   PRINT  text follows: what the program itself says to the user (VALGRIND_PRINTF)
 *   NOTE   text follows: a line for the user's terminal or log (warnings)
 *
 * A collector learns of the guest's end by EXIT, or by waitpid (its own child) or by pidfd (all others).  If the guest
 * ends or closes the socket after EXEC_OUT, no profile is written for it.
 */
#ifndef QN_COST_MESSAGES_H
#define QN_COST_MESSAGES_H

#include <stdint.h>

enum qn_message_kind {
    QN_MESSAGE_HELLO = 1, QN_MESSAGE_FORK, QN_MESSAGE_FORK_OK, QN_MESSAGE_FORK_ERR,
    QN_MESSAGE_EXEC_NEW, QN_MESSAGE_EXEC_OUT, QN_MESSAGE_EXEC_OK, QN_MESSAGE_EXEC_FAILED, QN_MESSAGE_NOTE,
    QN_MESSAGE_RESOLVE, QN_MESSAGE_RESOLVED, QN_MESSAGE_FILE, QN_MESSAGE_PRINT, QN_MESSAGE_EXIT,
    QN_MESSAGE_TYPE, QN_MESSAGE_FRAME, QN_MESSAGE_TYPED, QN_MESSAGE_PART, QN_MESSAGE_PARTED
};

/* A part of the run ends.  Its counts are written as a profile, or, for ZERO and ZERO_BEFORE, dropped.  The text of BEFORE, AFTER and ZERO_BEFORE:
 * the address of the function's entry, and the edge of the call that comes next (call_records.h) or 0, both hexadecimal. */
enum qn_part { QN_PART_DUMP, QN_PART_ZERO, QN_PART_BEFORE, QN_PART_AFTER, QN_PART_ZERO_BEFORE };

struct qn_message {
    uint32_t kind;   /* enum qn_message_kind */
    int32_t pid;
    int32_t value;
    char text[244];  /* NUL-terminated for NOTE, PRINT and PART */
};

#endif
