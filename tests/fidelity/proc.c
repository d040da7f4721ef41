/* proc.c - what a program finds about itself in /proc. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static char text[1 << 20];

static size_t get(const char *path)
{
    int fd = open(path, O_RDONLY);
    size_t n = 0;
    ssize_t r;

    while (fd >= 0 && (r = read(fd, text + n, sizeof text - 1 - n)) > 0)
        n += (size_t)r;
    text[n] = 0;
    close(fd);
    return n;
}

static void words(const char *path)
{
    size_t n = get(path);

    printf("%s:", path);
    for (size_t i = 0; i < n; i += strlen(text + i) + 1)
        printf(" [%s]", text + i);
    printf("\n");
}

/* The range of maps that an address lies in, or one of the file's name. */
static void in_maps(const char *path, const void *p, const char *what)
{
    int found = 0, foreign = 0;

    get(path);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        uintptr_t start = strtoull(line, NULL, 16), end = strtoull(strchr(line, '-') + 1, NULL, 16);

        found += (uintptr_t)p >= start && (uintptr_t)p < end;
        foreign += strstr(line, "quern-engine") || (start >= 0x7e8000000000 && start < 0x7ef000000000);
    }
    printf("%s: %d, foreign %d\n", what, found, foreign);
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
    d = opendir("/proc/self/fd");
    for (struct dirent *e; (e = readdir(d));) {
        entries++;
        high += atoi(e->d_name) > 100;
    }
    printf("descriptors: %d, high ones %d\n", entries, high);
    return 0;
}
