/* lib/lab/sandbox/reap.c - see reap.h. */
#define _GNU_SOURCE
#include "lab/sandbox/reap.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void qn_lab_adopt_orphans(void) { prctl(PR_SET_CHILD_SUBREAPER, 1); }

/* Is process `pid` a child of ours? */
static bool is_ours(const char *pid)
{
    char path[64], line[512];
    const char *behind_name;
    int parent = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    f = fopen(path, "r");
    if (f && fgets(line, sizeof line, f) && (behind_name = strrchr(line, ')')))
        sscanf(behind_name, ") %*c %d", &parent);
    if (f)
        fclose(f);
    return parent == getpid();
}

static void kill_children(void)
{
    DIR *d = opendir("/proc");
    struct dirent *e;

    while (d && (e = readdir(d)))
        if (*e->d_name >= '1' && *e->d_name <= '9' && is_ours(e->d_name))
            kill(atoi(e->d_name), SIGKILL);
    if (d)
        closedir(d);
}

void qn_lab_reap(pid_t child, int *status, bool given_up)
{
    int other;

    if (given_up)
        kill(child, SIGKILL);
    while (waitpid(child, status, 0) < 0 && errno == EINTR)
        ;
    kill(-child, SIGKILL);
    while (kill_children(), waitpid(-1, &other, 0) > 0)
        ;
}
