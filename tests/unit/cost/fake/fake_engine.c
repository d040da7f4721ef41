/* tests/unit/cost/fake/fake_engine.c - stands in for the engine: speaks cost/messages.h, writes an arena, does
 * what the guest's arguments say.  So the collector is tested alone, also in ways no engine behaves.
 *
 *   quern run --sim=./fake_engine -- PROGRAM block 10 fork block 1 end exit 3
 *
 * The blocks that it "executes" lie in its own function landmark().
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cost/arena.h"
#include "cost/messages.h"

const char description[] __attribute__((used)) = "quern-sim-build: I1=fake";

static struct qn_arena_header *arena;
static int arena_fd, socket_fd;

__attribute__((noinline)) int landmark(int x)
{
    return x * 3 + 1; /* LANDMARK */
}

static void *part(uint64_t offset)
{
    return (char *)arena + offset;
}

static void attach(int fd)
{
    arena_fd = fd;
    arena = mmap(NULL, QN_ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (arena == MAP_FAILED || arena->magic != QN_ARENA_MAGIC)
        _exit(99);
    fcntl(arena_fd, F_SETFD, FD_CLOEXEC);
    fcntl(socket_fd, F_SETFD, FD_CLOEXEC);
}

static uint32_t put_string(const char *text)
{
    uint64_t at = arena->n_strings;

    strcpy(part(QN_ARENA_STRINGS_OFF + at), text);
    arena->n_strings = at + strlen(text) + 1;
    return (uint32_t)at;
}

static void tell(uint32_t kind, int value, const char *text)
{
    struct qn_message m = { .kind = kind, .pid = getpid(), .value = value };

    if (text)
        snprintf(m.text, sizeof m.text, "%s", text);
    if (send(socket_fd, &m, sizeof m, MSG_NOSIGNAL) < 0)
        _exit(98);
}

static int hear(int fds[2])
{
    struct qn_message m;
    union {
        char bytes[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec v = { &m, sizeof m };
    struct msghdr h = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = control.bytes,
                        .msg_controllen = sizeof control.bytes };
    struct cmsghdr *c;

    fds[0] = fds[1] = -1;
    if (recvmsg(socket_fd, &h, 0) != sizeof m)
        _exit(97);
    c = CMSG_FIRSTHDR(&h);
    if (c)
        memcpy(fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
    return (int)m.kind;
}

static void find_self(void)
{
    struct qn_map_rec *m = part(QN_ARENA_MAPS_OFF);
    FILE *f = fopen("/proc/self/maps", "re");
    char line[5000], path[4096];

    while (f && fgets(line, sizeof line, f)) {
        unsigned long start, end, offset, ino;

        if (sscanf(line, "%lx-%lx %*s %lx %*s %lu %4095s", &start, &end, &offset, &ino, path) != 5)
            continue;
        if ((uintptr_t)landmark < start || (uintptr_t)landmark >= end)
            continue;
        *m = (struct qn_map_rec){ .start = start, .end = end, .offset = offset, .ino = ino, .path = put_string(path) };
        arena->n_maps = 1;
    }
    fclose(f);
}

/* A block of three instructions at landmark: plain, one that reads, one that ends in a branch. */
static void add_block(uint64_t executions)
{
    static const qn_insn_desc insns[] = { 1 | QN_INSN_IMISS, 1 | 1u << QN_INSN_NREAD_SHIFT, 1 | QN_INSN_BC };
    uint64_t counts[] = { executions, 2, 1, executions / 2, 1, 3 };
    struct qn_block_rec b = { (uintptr_t)landmark, 0, (uint32_t)arena->n_insns, (uint32_t)arena->n_counters, 0, 3, 0 };

    memcpy((qn_insn_desc *)part(QN_ARENA_INSNS_OFF) + arena->n_insns, insns, sizeof insns);
    arena->n_insns += 3;
    memcpy((uint64_t *)part(QN_ARENA_COUNTERS_OFF) + arena->n_counters, counts, sizeof counts);
    arena->n_counters += 6;
    ((struct qn_block_rec *)part(QN_ARENA_BLOCKS_OFF))[arena->n_blocks] = b;
    arena->n_blocks++;
}

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Overwrites the arena's start of every part with noise, sizes included. */
static void damage(uint64_t seed)
{
    static const uint64_t offsets[] = { QN_ARENA_STRINGS_OFF, QN_ARENA_MAPS_OFF, QN_ARENA_SIDE_EXITS_OFF,
                                        QN_ARENA_BLOCKS_OFF, QN_ARENA_INSNS_OFF, QN_ARENA_COUNTERS_OFF,
                                        QN_ARENA_CHARGES_OFF };
    uint64_t state = seed * 2 + 1, masks[] = { ~0ull, 0xff, 0xffff, 0xffffff00000003ffull };

    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        for (uint64_t *p = part(offsets[i]), *end = p + 4096; p < end; p++)
            *p = random_next(&state) & masks[random_next(&state) % 4];
    uint64_t *sizes[] = { &arena->n_strings, &arena->n_maps, &arena->n_side_exits, &arena->n_blocks, &arena->n_insns,
                          &arena->n_counters, &arena->sim_output.charges };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        *sizes[i] = random_next(&state) % 3 ? random_next(&state) % 3000 : random_next(&state) >> 30;
    if (seed % 2) /* let the records refer to what is there */
        for (uint32_t i = 0; i < 500; i++) {
            struct qn_block_rec *b = (struct qn_block_rec *)part(QN_ARENA_BLOCKS_OFF) + i;

            *b = (struct qn_block_rec){ random_next(&state), (uint32_t)random_next(&state) % 30, i, i * 3, 0,
                                        (uint16_t)(random_next(&state) % 9), (uint16_t)(random_next(&state) % 8) };
        }
    arena->n_regions = (uint32_t)(seed % 3 ? random_next(&state) % 9 : random_next(&state));
    for (uint32_t i = 0; i < QN_ARENA_REGIONS_MAX; i++)
        arena->region[i] = (struct qn_region_rec){ (uint32_t)random_next(&state) % 16, (uint32_t)random_next(&state) % 4096 };
    arena->sim_output.events = (uint32_t)random_next(&state) % 50;
    for (uint32_t *p = (uint32_t *)arena->sim_output.names; p < (uint32_t *)arena->sim_output.texts; p++)
        *p = (uint32_t)random_next(&state);
    arena->cmd = (uint32_t)random_next(&state);
    arena->exe = (uint32_t)random_next(&state);
    arena->fatal = (uint32_t)(seed % 5 == 4 ? random_next(&state) % 9 : 0);
    memset(arena->fatal_text, 'x', sizeof arena->fatal_text);
    arena->fatal_len = (uint32_t)random_next(&state);
    memset(&arena->stats, (int)seed, sizeof arena->stats);
}

static void hello(void)
{
    arena->guest_pid = getpid();
    tell(QN_MESSAGE_HELLO, 0, NULL);
    arena->started = 1;
}

static char **run_command(char **a);

static void run_all(char **a)
{
    while (*a && strcmp(*a, "end"))
        a = run_command(a);
}

/* a points behind "fork"; returns behind its "end". */
static char **do_fork(char **a, int wait_for_it)
{
    int fds[2], depth = 1;
    pid_t pid;

    tell(QN_MESSAGE_FORK, 0, NULL);
    if (hear(fds) != QN_MESSAGE_FORK_OK)
        _exit(96);
    pid = fork();
    if (pid == 0) {
        close(socket_fd);
        close(arena_fd);
        munmap(arena, QN_ARENA_SIZE);
        socket_fd = fds[1];
        attach(fds[0]);
        hello();
        run_all(a);
        _exit(0);
    }
    close(fds[0]);
    close(fds[1]);
    if (wait_for_it)
        waitpid(pid, NULL, 0);
    for (; depth; a++)
        depth += !strcmp(*a, "fork") || !strcmp(*a, "daemon") ? 1 : !strcmp(*a, "end") ? -1 : 0;
    return a;
}

static void do_exec(char **a)
{
    char numbers[2][16], *argv[64] = { "quern-engine", numbers[0], numbers[1], "replaced" };
    int fds[2], n = 4;

    tell(QN_MESSAGE_EXEC_NEW, 0, NULL);
    if (hear(fds) != QN_MESSAGE_EXEC_OK || fds[0] < 0)
        _exit(95);
    sprintf(numbers[0], "%d", fds[0]);
    sprintf(numbers[1], "%d", socket_fd);
    fcntl(socket_fd, F_SETFD, 0);
    while (*a)
        argv[n++] = *a++;
    execv("/proc/self/exe", argv);
    _exit(94);
}

static void do_exec_out(char **a)
{
    int fds[2];

    tell(QN_MESSAGE_EXEC_OUT, 0, NULL);
    if (hear(fds) != QN_MESSAGE_EXEC_OK)
        _exit(93);
    execvp(a[0], a);
    tell(QN_MESSAGE_EXEC_FAILED, errno, NULL);
}

static void on_signal(int sig)
{
    dprintf(1, "got %d\n", sig);
}

/* The signal is blocked until `pause`, so that it cannot come too early. */
static void await(int sig)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, sig);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(sig, on_signal);
}

/* What a program can see of what it was given. */
static void print_state(void)
{
    sigset_t mask;
    char cwd[4096];
    mode_t old = umask(0);

    umask(old);
    sigprocmask(SIG_BLOCK, NULL, &mask);
    printf("umask %o cwd %s pgrp %d\nblocked", old, getcwd(cwd, sizeof cwd), getpgrp() == getpgid(getppid()));
    for (int s = 1; s < 65; s++)
        if (sigismember(&mask, s) == 1)
            printf(" %d", s);
    printf("\nignored");
    for (int s = 1; s < 65; s++) {
        struct sigaction act;

        if (!sigaction(s, NULL, &act) && act.sa_handler == SIG_IGN)
            printf(" %d", s);
    }
    printf("\nopen");
    for (int fd = 0; fd < (int)arena->config.fd_limit; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            printf(" %d", fd);
    printf("\nown %s\n", arena_fd >= (int)arena->config.fd_limit && socket_fd >= (int)arena->config.fd_limit
           ? "above" : "below");
    fflush(stdout);
}

static void print_config(void)
{
    const struct qn_config *c = &arena->config;

    printf("%u,%u,%u %u,%u,%u %u,%u,%u counting %u caches %u branches %u start %u children %u aslr %u check %u stats %u "
           "filter %u vdso %u trace %u blocks %lu-%lu tcache %lu seed %lu max %u opt %s\n",
           c->I1.size, c->I1.assoc, c->I1.line, c->D1.size, c->D1.assoc, c->D1.line, c->LL.size, c->LL.assoc,
           c->LL.line, c->counting, c->cache_sim, c->branch_sim, c->instr_at_start, c->trace_children, c->aslr, c->check,
           c->stats, c->filter, c->vdso, c->trace, c->trace_first, c->trace_last, c->tcache_bytes, c->seed, c->block_max,
           (char *)part(QN_ARENA_STRINGS_OFF + c->sim_opt));
    fflush(stdout);
    if (c->trace_fd >= 0)
        dprintf(c->trace_fd, "traced\n");
}

static char **run_command(char **a)
{
    const char *c = *a++;

    if (!strcmp(c, "block")) {
        add_block(strtoull(*a++, NULL, 0));
    } else if (!strcmp(c, "leave")) { /* block insn count */
        struct qn_side_exit *l = part(QN_ARENA_SIDE_EXITS_OFF);

        l[arena->n_side_exits] = (struct qn_side_exit){ (uint32_t)atoi(a[0]), (uint32_t)atoi(a[1]), strtoull(a[2], NULL, 0) };
        arena->n_side_exits++;
        a += 3;
    } else if (!strcmp(c, "final")) {
        tell(QN_MESSAGE_EXIT, 0, NULL);
    } else if (!strcmp(c, "exit")) {
        fflush(stdout);
        _exit(atoi(*a));
    } else if (!strcmp(c, "signal")) {
        signal(atoi(*a), SIG_DFL);
        kill(getpid(), atoi(*a++));
    } else if (!strcmp(c, "fork") || !strcmp(c, "daemon")) {
        a = do_fork(a, c[0] == 'f');
    } else if (!strcmp(c, "forks")) {
        for (int n = atoi(*a++); n > 0; n--)
            do_fork((char *[]){ "end", NULL }, 1);
    } else if (!strcmp(c, "exec")) {
        do_exec(a);
    } else if (!strcmp(c, "execout")) {
        do_exec_out(a);
    } else if (!strcmp(c, "insn")) {
        arena->fatal_pc = (uintptr_t)landmark;
        memcpy(arena->fatal_bytes, "\x0f\xff\x12", 3);
        arena->fatal_len = 3;
        arena->fatal = QN_FATAL_INSN;
        _exit(70);
    } else if (!strcmp(c, "damage")) {
        damage(strtoull(*a++, NULL, 0));
    } else if (!strcmp(c, "calls")) { /* as one that calls, for ever */
        arena->caller = (uint32_t)getpid();
    } else if (!strcmp(c, "read")) {
        close(open(*a++, O_RDONLY)); /* of a FIFO: until somebody writes */
    } else if (!strcmp(c, "handler")) {
        await(atoi(*a++));
    } else if (!strcmp(c, "pause")) {
        sigsuspend(&(sigset_t){ 0 });
    } else if (!strcmp(c, "print")) {
        printf("%s\n", *a++);
        fflush(stdout);
    } else if (!strcmp(c, "note")) {
        tell(QN_MESSAGE_NOTE, 0, *a++);
    } else if (!strcmp(c, "state")) {
        print_state();
    } else if (!strcmp(c, "config")) {
        print_config();
    } else if (!strcmp(c, "closeout")) {
        close(1);
    }
    return a;
}

int main(int argc, char **argv)
{
    char command[4096] = "";

    if (argc < 4)
        return 92;
    socket_fd = atoi(argv[2]);
    attach(atoi(argv[1]));
    for (int i = 3; argv[i] && strlen(command) + strlen(argv[i]) < sizeof command - 2; i++)
        sprintf(command + strlen(command), "%s%s", i > 3 ? " " : "", argv[i]);
    arena->cmd = put_string(command);
    if (argv[4] && !strcmp(argv[4], "load")) {
        arena->fatal_errno = atoi(argv[5]);
        arena->fatal = QN_FATAL_LOAD;
        return 70;
    }
    find_self();
    hello();
    run_all(argv + 4);
    arena->exited = 1;
    return 0;
}
