/* proc.c - what a program finds about itself in /proc. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char text[1 << 20];

static size_t get_from(int fd)
{
    size_t n = 0;
    ssize_t r;

    while (fd >= 0 && (r = read(fd, text + n, sizeof text - 1 - n)) > 0)
        n += (size_t)r;
    text[n] = 0;
    close(fd);
    return n;
}

static size_t get(const char *path) { return get_from(open(path, O_RDONLY)); }

static void words(const char *path)
{
    size_t n = get(path);

    printf("%s:", path);
    for (size_t i = 0; i < n; i += strlen(text + i) + 1)
        printf(" [%s]", text + i);
    printf("\n");
}

/* The range of maps that an address lies in, or one of the file's name. */
static void in_maps_from(int fd, const void *p, const char *what)
{
    int found = 0, foreign = 0;

    get_from(fd);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        uintptr_t start = strtoull(line, NULL, 16), end = strtoull(strchr(line, '-') + 1, NULL, 16);

        found += (uintptr_t)p >= start && (uintptr_t)p < end;
        foreign += strstr(line, "quern-engine") || (start >= 0x7e8000000000 && start < 0x7ef000000000);
    }
    printf("%s: %d, foreign %d\n", what, found, foreign);
}

static void in_maps(const char *path, const void *p, const char *what) { in_maps_from(open(path, O_RDONLY), p, what); }

/* One entry at a time. */
static void list_slowly(void)
{
    char entry[48];
    int n = 0, fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY), high = fcntl(fd, F_DUPFD, 900);

    while (syscall(SYS_getdents64, fd, entry, 32) > 0)
        n++;
    printf("fd, one at a time: %d\n", n);
    close(fd);
    close(high);
}

static void tell_exe(const char *what, int dir, const char *path)
{
    char link[4096], *slash;
    ssize_t n = readlinkat(dir, path, link, sizeof link - 1);

    link[n > 0 ? n : 0] = 0;
    slash = strrchr(link, '/');
    printf("%s: %s\n", what, slash ? slash : "nothing");
}

static void by_descriptor(void)
{
    struct { uint64_t flags, mode, resolve; } how = {O_RDONLY, 0, 0};
    int proc = open("/proc", O_PATH | O_DIRECTORY), self = openat(proc, "self", O_RDONLY | O_DIRECTORY), here = open(".", O_RDONLY | O_DIRECTORY), ends[2];
    struct stat a, b;
    char path[64];

    in_maps_from(openat(proc, "self/maps", O_RDONLY), &proc, "self/maps in /proc");
    in_maps_from(openat(self, "maps", O_RDONLY), &proc, "maps in /proc/self");
    in_maps_from(openat(self, "./task/../maps", O_RDONLY), &proc, "./task/../maps");
    in_maps_from((int)syscall(SYS_openat2, self, "maps", &how, sizeof how), &proc, "by openat2");
    in_maps("/proc//self/./../thread-self/maps", &proc, "a long way");
    tell_exe("exe in /proc/self", self, "exe");
    tell_exe("exe of this thread", proc, "thread-self/exe");
    snprintf(path, sizeof path, "self/task/%d/exe", getpid());
    tell_exe("exe of this task", proc, path);
    printf("its file: %d", stat("/proc/self/exe", &a) || fstatat(self, "exe", &b, 0) || a.st_ino != b.st_ino);
    printf(" %d\n", stat("proc", &b) || a.st_ino != b.st_ino);
    if (fchdir(self) == 0) {
        in_maps("maps", &proc, "in this directory");
        tell_exe("exe", AT_FDCWD, "exe");
    }
    printf("back %d\n", fchdir(here));
    if (pipe(ends) == 0)
        printf("maps in a pipe: %d", openat(ends[0], "maps", O_RDONLY));
    printf(" %s\n", strerrorname_np(errno));
    close(proc);
    close(self);
    close(here);
}

/* It has the number that any file would get, and can be read only; also where that number is the last. */
static void as_a_descriptor(const char *path)
{
    struct rlimit all, few;
    struct stat st;
    int next = dup(0), fd;

    close(next);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    printf("%s: the next number %d, closed by exec %d, flags %#x", path, fd == next, fcntl(fd, F_GETFD), fcntl(fd, F_GETFL));
    printf(", mode %#o, written %d, cut %d\n", fstat(fd, &st) ? 0 : st.st_mode, (int)write(fd, "x", 1), ftruncate(fd, 0));
    close(fd);
    getrlimit(RLIMIT_NOFILE, &all);
    few = (struct rlimit){(rlim_t)next + 1, all.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    fd = open(path, O_RDONLY);
    printf("the last one %d, then none: %d\n", fd == next, open(path, O_RDONLY));
    setrlimit(RLIMIT_NOFILE, &all);
    close(fd);
    printf("a directory: %d, a link: %d\n", open(path, O_RDONLY | O_DIRECTORY), open(path, O_RDONLY | O_CREAT | O_EXCL, 0600));
}

/* Another process that does what this one does; and one that runs something else. */
static void of_another(int runs)
{
    int ready[2], go[2], proc = open("/proc", O_PATH | O_DIRECTORY);
    char path[64], byte = 0;
    pid_t child;

    if (pipe(ready) || pipe(go))
        return;
    child = fork();
    if (child == 0) {
        if (runs) {
            dup2(go[0], 0);
            dup2(ready[1], 1);
            close(ready[1]);
            execl("/bin/sh", "sh", "-c", "echo x; read x; exit 0", (char *)NULL);
        }
        if (write(ready[1], "x", 1) == 1 && read(go[0], &byte, 1) == 1)
            _exit(0);
        _exit(1);
    }
    if (read(ready[0], &byte, 1) != 1)
        return;
    snprintf(path, sizeof path, "/proc/%d/maps", child);
    in_maps(path, runs ? NULL : (void *)(uintptr_t)get_from, "maps of another process");
    snprintf(path, sizeof path, "%d/exe", child);
    tell_exe("its exe", proc, path);
    if (write(go[1], "\n", 1) != 1)
        return;
    waitpid(child, NULL, 0);
    for (int i = 0; i < 2; i++)
        close(ready[i]), close(go[i]);
    close(proc);
}

int main(int argc, char **argv)
{
    char path[64], link[4096];
    int here, entries = 0, high = 0;
    unsigned long auxv[2];
    ssize_t n;
    DIR *d;

    (void)argc;
    setvbuf(stdout, NULL, _IONBF, 0);
    if (!malloc(1000))
        return 1;
    words("/proc/self/cmdline");
    snprintf(path, sizeof path, "/proc/%d/cmdline", getpid());
    printf("the same by pid: %d\n", (int)get(path));
    words("/proc/self/comm");
    n = (ssize_t)get("/proc/self/environ");
    printf("environ: %d\n", n > 0 && strstr(text, "PATH=") != NULL);
    n = readlink("/proc/self/exe", link, sizeof link - 1);
    link[n > 0 ? n : 0] = 0;
    printf("exe: %s\n", strrchr(link, '/'));
    snprintf(path, sizeof path, "/proc/%d/exe", getpid());
    n = readlink(path, link, sizeof link - 1);
    link[n > 0 ? n : 0] = 0;
    printf("exe by pid: %s\n", strrchr(link, '/'));
    in_maps("/proc/self/maps", &here, "stack");
    in_maps("/proc/self/maps", (void *)(uintptr_t)main, "code");
    in_maps("/proc/thread-self/maps", sbrk(0) - 1, "heap");
    snprintf(path, sizeof path, "/proc/self/task/%d/maps", getpid());
    in_maps(path, argv, "arguments");
    printf("heap has its name: %d\n", get("/proc/self/maps") && strstr(text, "[heap]"));
    printf("smaps: %d\n", get("/proc/self/smaps") && !strstr(text, "quern-engine"));
    get("/proc/self/auxv");
    for (size_t i = 0; memcpy(auxv, text + i, sizeof auxv), auxv[0]; i += sizeof auxv)
        if (auxv[0] == AT_ENTRY || auxv[0] == AT_PHDR || auxv[0] == AT_RANDOM)
            printf("auxv %lu: %d\n", auxv[0], auxv[1] == getauxval(auxv[0]));
    get("/proc/self/stat");
    printf("stat: %s\n", strtok(strchr(text, '('), ")"));
    list_slowly();
    d = opendir("/proc/self/fd");
    for (struct dirent *e; (e = readdir(d));) {
        entries++;
        high += atoi(e->d_name) > 100;
    }
    printf("descriptors: %d, high ones %d\n", entries, high);
    closedir(d);
    as_a_descriptor("/proc/self/maps");
    as_a_descriptor("/proc/self/smaps");
    by_descriptor();
    of_another(0);
    of_another(1);
    return 0;
}
