/* lib/collect/collect.c - `quern run` after option parsing: starts a program under the engine, waits, folds, ends with the same status.
 *
 * In:  quern run --branch-sim=yes -- ./prog arg
 * Out: the guest's own output; a summary on stderr; cachegrind.out.PID; the guest's exit status
 *
 * This process, the collector, creates the counts arena in shared memory and forks.  The child executes the engine, which loads the
 * program and counts in the arena.  Even if the guest is killed, the arena stays, and the collector makes a profile of it.
 *
 * Exit status: the guest's (a fatal signal is raised again on ourselves); 1 if the guest succeeded
 * but its profile could not be written; 2 usage; 70 the engine gave up; 126, 127 no such program.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/context.h"
#include "debug/debug.h"
#include "collect/collect.h"
#include "collect/control.h"
#include "collect/reader.h"
#include "text/complain.h"

#define NS_PER_SECOND 1000000000ull

/* If a standard descriptor is closed, opens it, so that no file of ours gets its number.  The guest finds it closed. */
static void fill_standard_descriptors(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    while (fd >= 0 && fd < 3);
    if (fd >= 0)
        close(fd);
}

static char *join_arguments(char **argv)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (size_t i = 0; out && argv[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", argv[i]);
    if (out)
        fclose(out);
    return text;
}

/* Checks the pattern of a file's name before anything runs. */
static bool check_pattern(const char *option, const char *pattern)
{
    char why[256], *name = pattern ? qn_collect_expand(pattern, 0, why, sizeof why) : NULL;

    if (pattern && !name)
        qn_collect_complain("--%s=%s: %s", option, pattern, why);
    free(name);
    return !pattern || name;
}

#define TCACHE_MIN (512u << 10) /* bytes: an eighth of it has room for the longest block */

static bool check_options(const struct qn_collect_options *o)
{
    if (o->processors > QN_PROCESSORS_MAX) {
        qn_collect_complain("--processors: got %llu, wanted at most %u", (unsigned long long)o->processors, QN_PROCESSORS_MAX);
        return false;
    }
    if (o->block_max > UINT32_MAX) {
        qn_collect_complain("--block-max: got %llu, wanted a number below 2^32", (unsigned long long)o->block_max);
        return false;
    }
    if (o->tcache_size && (o->tcache_size < TCACHE_MIN || o->tcache_size > QN_CODE_MAX - QN_CODE_FIXED)) {
        qn_collect_complain("--tcache-size: got %llu, wanted %uK to %lluM", (unsigned long long)o->tcache_size,
                        TCACHE_MIN >> 10, (QN_CODE_MAX - QN_CODE_FIXED) >> 20);
        return false;
    }
    if (o->log_fd > INT32_MAX) {
        qn_collect_complain("--log-fd: got %llu, wanted an open descriptor", (unsigned long long)o->log_fd);
        return false;
    }
    if (o->interval_given && (o->interval < 1 || o->interval > INT64_MAX)) {
        qn_collect_complain("--interval: got %llu, wanted at least 1 instruction", (unsigned long long)o->interval);
        return false;
    }
    if (o->versus && !o->cache_sim && !o->branch_sim) {
        qn_collect_complain("--versus: nothing is simulated that could be compared");
        return false;
    }
    if (o->calls && o->sample.given) {
        qn_collect_complain("--calls: cannot be combined with --sample");
        return false;
    }
    if (o->calls && (o->calls_room < 1 || o->calls_depth < 1)) {
        qn_collect_complain("--calls-%s: got 0, wanted at least 1", o->calls_room < 1 ? "room" : "depth");
        return false;
    }
    if (o->watch > QN_NOTES_MAX) {
        qn_collect_complain("--watch: got %llu, wanted at most %llu references", (unsigned long long)o->watch, (unsigned long long)QN_NOTES_MAX);
        return false;
    }
    return check_pattern("cachegrind-out-file", o->out_file) && check_pattern("log-file", o->log_file)
           && check_pattern("interval-file", o->interval_file) && check_pattern("explain-file", o->explain_file)
           && check_pattern("watch-file", o->watch_file) && check_pattern("branches-file", o->branches_file);
}

static void start_clocks(struct qn_collect *r)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    r->start_ns = (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
    r->start_tsc = __rdtsc();
}

/* The guest of a sub-collector has ended, or never was. */
static void end_sub(struct qn_collect *r)
{
    bool dead = qn_collect_adopt_dead_image(r), counted = r->hello && !r->exec_out;

    _exit((counted || dead) && !qn_collect_finish(r));
}

static int end_main(struct qn_collect *r)
{
    bool written = true;
    int status;

    if (qn_collect_adopt_dead_image(r))
        r->exec_out = false;
    if (r->shared->exec_errno)
        qn_collect_fail(r, "%s: the engine cannot be executed: %s", r->engine, strerror(r->shared->exec_errno));
    else if (r->exec_out)
        qn_collect_note(r, "The program became another one, which is not followed (--trace-children=no): no profile."); /* with -q, too */
    else
        written = qn_collect_finish(r);
    qn_collect_flush(r);
    qn_collect_wait_for_end(r);
    qn_collect_wait_for_subs(r);
    written = qn_collect_finish_merge(r) && written;
    qn_collect_end_reader(r);
    qn_engines_remove_scratch(&r->sims);
    status = r->exec_out ? 0 : qn_collect_fatal_status(r);
    if (status)
        return status;
    if (!written && WIFEXITED(r->status) && WEXITSTATUS(r->status) == 0)
        return QN_EXIT_FAILED;
    qn_collect_mirror_end(r->status);
}

static int run(struct qn_collect *r)
{
    if (!qn_collect_take_signals(r)) {
        perror("quern: run: signalfd");
        return QN_EXIT_SOFTWARE;
    }
    start_clocks(r);
    if (!qn_collect_launch(r))
        return r->refused ? r->refused : QN_EXIT_SOFTWARE;
    qn_collect_wait(r);
    if (!r->is_main)
        end_sub(r);
    qn_collect_end_progress(r);
    return end_main(r);
}

int qn_collect_run(const struct qn_collect_options *options)
{
    static struct qn_collect r;
    int status;

    r.options = *options;
    if (!check_options(&r.options) || !qn_collect_take_names(&r))
        return QN_EXIT_USAGE;
    qn_debug_configure(&(struct qn_debug_settings){ .inlines = (enum qn_debug_inlines)r.options.inlines, .keep_names = !r.options.demangle,
                                                    .extra_root = r.options.debug_root });
    r.is_main = true;
    r.pidfd = r.store.fd = r.fresh.fd = r.zero.fd = r.control = r.finder = r.questions = r.merger = -1;
    fill_standard_descriptors();
    qn_collect_take_space_limits(&r.config);
    if (!qn_collect_choose_geometry(&r.options, r.geometry, r.origin))
        return QN_EXIT_USAGE;
    if (r.options.data == QN_DATA_USE && r.geometry[1].line > QN_USE_LINE_MAX) {
        qn_collect_complain("--data=use: got D1 lines of %u bytes, wanted at most %u", r.geometry[1].line, QN_USE_LINE_MAX);
        return QN_EXIT_USAGE;
    }
    if ((r.options.cpu && !qn_collect_choose_cpu(r.options.cpu, &r.config.cpu)) ||
        !qn_collect_choose_engine_cpu(r.options.vectors, &r.config.engine_cpu))
        return QN_EXIT_USAGE;
    if ((status = qn_collect_find_program(&r)) || (status = qn_collect_check_names(&r)) || (status = qn_collect_set_up_sims(&r)))
        return status;
    r.command = join_arguments(r.options.argv);
    status = run(&r);
    qn_engines_remove_scratch(&r.sims);
    return status;
}
