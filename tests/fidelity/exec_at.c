/* exec_at.c - execveat by descriptors: what becomes of the program, and what it is told.
 *
 * exec_at HOW      executes itself so, as a child; that says how many arguments it has got, and its /proc/self/exe. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int as_child(int argc)
{
    char link[4096];
    ssize_t n = readlink("/proc/self/exe", link, sizeof link - 1);

    link[n > 0 ? n : 0] = 0;
    printf("  a child with %d arguments, %s\n", argc, strrchr(link, '/') ? strrchr(link, '/') : "no path");
    return 7;
}

static void try(const char *what, int fd, const char *path, int flags)
{
    char *const argv[] = {(char *)"child", (char *)"1", (char *)"2", NULL};
    int status;
    pid_t child;

    printf("%s\n", what);
    child = fork();
    if (child == 0) {
        syscall(SYS_execveat, fd, path, argv, environ, flags);
        printf("  error %d\n", errno);
        _exit(1);
    }
    waitpid(child, &status, 0);
    printf("  status %#x\n", status);
}

/* A copy of this program in memory. */
static int in_memory(int self)
{
    int fd = memfd_create("copy", 0);
    off_t at = 0;

    while (sendfile(fd, self, &at, 1 << 20) > 0)
        ;
    return fd;
}

int main(int argc, char **argv)
{
    int self, shut, here;
    char whole[4096];

    setvbuf(stdout, NULL, _IONBF, 0);
    if (argc == 3)
        return as_child(argc);
    (void)argv;
    self = open("exec_at", O_RDONLY);
    shut = open("exec_at", O_RDONLY | O_CLOEXEC);
    here = open(".", O_RDONLY | O_DIRECTORY);
    if (symlink("exec_at", "exec_at.link") && errno != EEXIST)
        return 1;
    try("a file", self, "", AT_EMPTY_PATH);
    try("a file that is closed by it", shut, "", AT_EMPTY_PATH);
    try("only its place (O_PATH)", open("exec_at", O_PATH), "", AT_EMPTY_PATH);
    try("without the flag", self, "", 0);
    try("a name in a folder", here, "exec_at", 0);
    try("a longer one", here, "./../././exec_at.none", 0);
    try("a link", here, "exec_at.link", 0);
    try("a link, not followed", here, "exec_at.link", AT_SYMLINK_NOFOLLOW);
    try("a link here, not followed", AT_FDCWD, "exec_at.link", AT_SYMLINK_NOFOLLOW);
    if (realpath("exec_at", whole))
        try("a whole path beside a descriptor", here, whole, 0);
    try("a whole path beside none", -1, whole, 0);
    try("a name beside none", 999, "exec_at", 0);
    try("the folder itself", here, "", AT_EMPTY_PATH);
    try("wrong flags", AT_FDCWD, "exec_at", 0x8000);
    try("a file in memory", in_memory(self), "", AT_EMPTY_PATH);
    unlink("exec_at.link");
    return 0;
}
