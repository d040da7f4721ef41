/* Is what a program will load read ahead, and nothing else? */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cost/places/library.h"
#include "tap.h"

static struct qn_cost_file *find(struct qn_cost_library *l, const char *path)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (!strcmp(l->files[i].path, path))
            return &l->files[i];
    return NULL;
}

static void check_file(struct qn_cost_library *l, const char *path)
{
    struct qn_cost_file *f = find(l, path);
    struct stat st;

    ok(f && f->debug, "%s is read", path);
    ok(f && !stat(path, &st) && f->ino == st.st_ino, "%s is known by its inode", path);
}

/* What the kernel has mapped of this very program. */
static void check_own(const char *program)
{
    struct qn_cost_library *l = qn_cost_new_library();
    char line[PATH_MAX + 100], *path, last[PATH_MAX] = "";
    FILE *maps = fopen("/proc/self/maps", "re");

    qn_cost_foresee(l, program);
    while (maps && fgets(line, sizeof line, maps)) {
        line[strcspn(line, "\n")] = 0;
        path = strchr(line, '/');
        if (!path || (!strstr(path, "/libc.so") && !strstr(path, "/ld-linux") && strcmp(path, program)) || !strcmp(path, last))
            continue;
        snprintf(last, sizeof last, "%s", path);
        check_file(l, path);
    }
    fclose(maps);
    qn_cost_free_library(l);
}

static uint32_t count_for(const char *path)
{
    struct qn_cost_library *l = qn_cost_new_library();
    uint32_t count;

    qn_cost_foresee(l, path);
    count = l->count;
    for (uint32_t i = 0; i < count; i++)
        if (!l->files[i].debug)
            count = 99;
    qn_cost_free_library(l);
    return count;
}

int main(void)
{
    char program[PATH_MAX], text[] = "/tmp/foresee.XXXXXX";
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    int fd;

    program[n > 0 ? n : 0] = 0;
    check_own(program);
    is_int(count_for("/no/such/program"), 0, "no such file: nothing is read");
    is_int(count_for("/"), 0, "a directory: nothing is read");
    is_int(count_for("/dev/zero"), 0, "a device: nothing is read");
    fd = mkstemp(text);
    if (write(fd, "#!/bin/sh\n", 10) != 10)
        return 1;
    close(fd);
    ok(count_for(text) == 99, "a script: it is no ELF file, and nothing else is read");
    unlink(text);
    return done_testing();
}
