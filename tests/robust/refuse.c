/* tests/robust/refuse.c - runs a program whose system calls a filter refuses, as in a container.
 *
 *   refuse ERRNO CALL... -- PROGRAM ARGUMENT...      ERRNO and CALL are numbers
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { CALLS = 64 };

int main(int argc, char **argv)
{
    struct sock_filter code[2 * CALLS + 2] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)) };
    struct sock_fprog program = { 1, code };
    int i;

    for (i = 2; i < argc && i < CALLS && strcmp(argv[i], "--"); i++) {
        code[program.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)atoi(argv[i]), 0, 1);
        code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)atoi(argv[1]));
    }
    code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    if (i + 1 >= argc || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
        perror("refuse");
        return 2;
    }
    execvp(argv[i + 1], argv + i + 1);
    perror(argv[i + 1]);
    return 127;
}
