/* tools/doctor.c - `quern doctor`: what is missing on this machine, and what that costs.
 *
 * In:  quern doctor
 * Out: a line for each thing: "ok" as it should be, "--" missing, with what that costs, "no" quern does not work; exit 0, or 1 after a "no"
 *
 * The first line is a run: a program under the simulators, as a user starts one.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/base.h"
#include "engines/engines.h"
#include "text/output.h"
#include "tools.h"

static const char begin[] =
    "usage: quern doctor\n"
    "\n"
    "Tries a run, and tells what is missing on this machine and what that costs.\n"
    "\n";

static const struct qn_option options[] = {QN_OPTION_HELP, QN_OPTION_VERSION, QN_OPTIONS_END};
static const struct qn_options command = {"doctor", "quern doctor", begin, NULL, options, NULL, false, NULL};

static bool failed; /* some line was "no" */

static void tell(const char *how, const char *what, const char *text)
{
    printf("%s  %-12s %s\n", how, what, text);
    failed = failed || !strcmp(how, "no");
}

/* ---- a run ---- */

static void try_run(void)
{
    char *scratch = qn_engines_scratch("doctor"), *own = qn_engines_own_path("doctor"), profile[4096];
    static char run[] = "run", quiet[] = "-q", option[] = "--out-file", version[] = "--version";
    int status, null = open("/dev/null", O_WRONLY | O_CLOEXEC), out = dup(STDOUT_FILENO);
    char text[64];

    if (!scratch || !own) {
        tell("no", "run", "no folder for a profile");
        free(scratch);
        return;
    }
    snprintf(profile, sizeof profile, "%s/profile", scratch);
    fflush(stdout);
    dup2(null, STDOUT_FILENO); /* what the program prints */
    status = qn_engines_run((char *[]){own, run, quiet, option, profile, own, version, NULL});
    dup2(out, STDOUT_FILENO);
    close(out);
    close(null);
    snprintf(text, sizeof text, "`quern run` ended with status %d", status);
    tell(status ? "no" : "ok", "run", status ? text : "a program runs under the simulators");
    qn_text_remove_scratch(scratch);
    free(scratch);
}

/* ---- the processor ---- */

static bool is_signature(unsigned leaf, const char *text)
{
    unsigned r[4];

    __cpuid(leaf, r[0], r[1], r[2], r[3]);
    return leaf ? !memcmp(&r[1], text, 12) : !memcmp((unsigned[]){r[1], r[3], r[2]}, text, 12);
}

static void look_at_processor(void)
{
    bool avx2 = __builtin_cpu_supports("avx2"), avx512 = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");

    if (is_signature(0x40000000, "TCGTCGTCGTCG"))
        tell("--", "emulation", "the processor is emulated by QEMU: runs are slower, and programs see no AVX-512");
    else if (is_signature(0, "VirtualApple"))
        tell("--", "emulation", "the processor is emulated by Rosetta, with which quern is not tested");
    tell(avx2 ? "ok" : "--", "vectors",
         avx512 ? "AVX2 and AVX-512" : avx2 ? "AVX2, no AVX-512: sweeps of many caches take longer, --cpu=x86-64-v4 is refused"
                                            : "neither AVX2 nor AVX-512: many misses and sweeps take longer, --cpu=x86-64-v3 is refused");
}

/* ---- kernel and container ---- */

/* What a file begins with; "": it cannot be read. */
static const char *read_beginning(const char *path)
{
    static char text[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

    if (fd >= 0)
        close(fd);
    text[n < 0 ? 0 : n] = '\0';
    return text;
}

static void look_at_calls(void)
{
    /* Arguments that the kernel refuses with another error, if it has the call. */
    const struct {
        const char *name;
        long number, a, b, c;
    } calls[] = {{"memfd_create", SYS_memfd_create, 0, -1, 0}, {"pidfd_open", SYS_pidfd_open, -1, 0, 0}, {"close_range", SYS_close_range, 1, 0, 0},
                 {"process_vm_readv", SYS_process_vm_readv, getpid(), 0, 0}, {"personality", SYS_personality, 0xffffffff, 0, 0}};
    char text[256] = "";

    for (size_t i = 0; i < QN_ARRAY_LEN(calls); i++)
        if (syscall(calls[i].number, calls[i].a, calls[i].b, calls[i].c, 0, 0, 0) < 0 && (errno == ENOSYS || errno == EPERM))
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? ", " : "", calls[i].name);
    if (*text)
        strncat(text, ": refused by a filter or not in this kernel; others stand in, counts are the same", sizeof text - strlen(text) - 1);
    tell(*text ? "--" : "ok", "calls", *text ? text : "all that quern asks for");
}

static void look_at_system(void)
{
    struct utsname u;
    unsigned major = 0, minor = 0;
    const char *seccomp = strstr(read_beginning("/proc/self/status"), "\nSeccomp:\t2");
    bool filtered = seccomp != NULL;

    uname(&u);
    sscanf(u.release, "%u.%u", &major, &minor);
    tell(major > 4 || (major == 4 && minor >= 18) ? "ok" : "--", "kernel",
         major > 4 || (major == 4 && minor >= 18) ? u.release : "older than 4.18, with which quern is not tested");
    if (strcasestr(u.release, "microsoft"))
        tell("ok", "WSL", "Windows' kernel: the caches are those that it shows");
    if (!access("/.dockerenv", F_OK) || !access("/run/.containerenv", F_OK))
        tell("ok", "container", "the caches are the host's; mount sources where they were compiled, or use --source-map");
    if (filtered)
        tell("ok", "seccomp", "a filter of calls is in force");
    look_at_calls();
    if (access("/proc/self/maps", R_OK))
        tell("--", "/proc", "not mounted: `quern ctl` finds no run, programs that read /proc behave as without it");
    if (atoi(read_beginning("/proc/sys/kernel/yama/ptrace_scope")) > 1)
        tell("--", "ptrace", "gdb may not attach to a run (kernel.yama.ptrace_scope)");
}

/* ---- programs and folders ---- */

static void look_for(const char *const *names, const char *what, const char *missing)
{
    for (; *names; names++) {
        char *path = qn_engines_find_command(*names);

        if (path) {
            tell("ok", what, path);
            free(path);
            return;
        }
    }
    tell("--", what, missing);
}

static bool may_execute_in(const char *folder)
{
    struct statvfs fs;

    return !statvfs(folder, &fs) && !(fs.f_flag & ST_NOEXEC) && !access(folder, W_OK);
}

static void look_at_folders(void)
{
    char *cache = qn_engines_cache_folder();
    const char *tmp = getenv("TMPDIR");

    tell(cache ? "ok" : "--", "cache", cache ? cache : "no ~/.cache/quern that may be written to and executed in: a module is compiled anew for each run");
    free(cache);
    tmp = tmp && *tmp ? tmp : "/tmp";
    if (!may_execute_in(tmp))
        tell("--", "TMPDIR", "no program may be executed there: modules are compiled in another folder");
    if (access("/usr/lib/debug/.build-id", F_OK))
        tell("--", "symbols", "no debug files in /usr/lib/debug: code of the C library has functions without lines (Debian: libc6-dbg)");
    else
        tell("ok", "symbols", "/usr/lib/debug/.build-id");
}

int qn_tool_doctor(int argc, char **argv)
{
    static const char *const compilers[] = {"cc", "gcc", "clang", NULL}, *const gnuplot[] = {"gnuplot", NULL};
    char **words;
    int status = qn_options_take(&command, NULL, argv, &words);

    (void)argc;
    if (status >= 0)
        return status;
    if (*words)
        return qn_options_wrong(&command, *words, "it takes no arguments");
    try_run();
    look_at_processor();
    look_at_system();
    look_for(compilers, "compiler", "none: modules of your own, labs and sweeps of many caches need one (Debian: gcc)");
    look_for(gnuplot, "gnuplot", "none: plot and report draw no pictures (Debian: gnuplot-nox)");
    look_at_folders();
    return failed;
}
