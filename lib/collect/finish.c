/* lib/collect/finish.c - from the arena to the profile file and the summary.
 *
 * The work is done in another process with limits on time and memory, because debug information is
 * read there: a damaged ELF file may crash a library or make it run for ever.  The reader is asked
 * first (reader.c).  If it is gone, a child of our own does the work; if that dies too, the
 * guard that it shares with us says which file it was reading, and it starts over without that file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cost/call_records.h"
#include "cost/calls.h"
#include "cost/explain.h"
#include "cost/culprits.h"
#include "cost/watch.h"
#include "cost/findings.h"
#include "cost/fold.h"
#include "cost/intervals.h"
#include "cost/profile.h"
#include "cost/regions.h"
#include "cost/versus.h"
#include "prof/callgrind_export.h"
#include "text/output.h"
#include "collect/collect.h"
#include "collect/reader.h"
#include "text/complain.h"
#include "text/version.h"

#define UNSUPPORTED_TEXT 200             /* bytes of what a profile says of one thing that is not supported */
#define FOLD_SECONDS 600                 /* processor time of one attempt */
#define FOLD_BYTES (16ull << 30)         /* more address space: debug files, tables */
#define FOLD_ATTEMPTS 8                  /* the last one reads no debug information at all */
#define FOLD_WRITTEN 10                  /* exit statuses of the child; any other means that it died */
#define FOLD_NOT_WRITTEN 11

/* What one attempt works with. */
#define CULPRITS_PRINTED 10 /* lines with the summary */

struct work {
    struct qn_collect *run;
    struct qn_collect_guard *guard;
    struct qn_cost_event_set events;
    struct qn_cost_modules *modules;
    struct qn_prof_table *table;
    struct qn_cost_result result;
    struct qn_cost_regions regions;
    struct qn_culprits culprits;
    char program[PATH_MAX], build_id[256], command[65536];
};

static void take_note(void *data, const char *text)
{
    qn_collect_note(data, "%s", text);
}

static void read_texts(struct work *w)
{
    const struct qn_collect *r = w->run;
    const struct qn_arena_header *h = qn_cost_header(&r->store);
    struct qn_debug *d;
    char why[128];

    qn_cost_get_string(&r->store, h->exe, w->program, sizeof w->program);
    if (!w->program[0])
        snprintf(w->program, sizeof w->program, "%s", r->program);
    qn_cost_get_string(&r->store, h->cmd, w->command, sizeof w->command);
    if (!w->command[0])
        snprintf(w->command, sizeof w->command, "%s", r->command);
    if (!(w->guard && w->guard->avoid_all) && (d = qn_debug_open(w->program, why, sizeof why))) {
        snprintf(w->build_id, sizeof w->build_id, "%s", qn_debug_build_id(d));
        qn_debug_close(d);
    }
}

/* The names of the modules, as the engine left them; what is not printable is not believed. */
static const char *copy_modules(const struct qn_collect *r)
{
    static char text[QN_SIM_MODULES_MAX];

    memcpy(text, qn_cost_header(&r->store)->sim_output.modules, sizeof text - 1);
    for (char *p = text; *p; p++)
        if (*p < ' ' || *p > '~')
            *p = '?';
    return text;
}

static void take_unsupported(const struct qn_collect *r, char (*texts)[UNSUPPORTED_TEXT], const char **pointers)
{
    const struct qn_arena_header *h = qn_cost_header(&r->store);

    for (uint32_t i = 0; i < QN_UNSUPPORTED_MAX && i < h->n_unsupported; i++) {
        qn_cost_get_string(&r->store, h->unsupported[i], texts[i], sizeof texts[i]);
        pointers[i] = texts[i];
    }
}

/* A bound of --calls that was reached. */
static void tell_lost(struct qn_collect *r, const struct qn_prof_calls *calls)
{
    static const struct {
        const char *what, *text;
    } texts[] = {
        { "edges", "no room for another caller, line and callee in %lld calls, whose costs are in no edge (--calls-room=%llu)" },
        { "depth", "%lld calls were deeper than the room for calls that have not returned: their costs are with the last that had room (--calls-depth=%llu)" },
        { "nodes", "no room for another call path in %lld calls: their costs are with the path that had room (--calls-room=%llu)" },
        { "stacks", "%lld coroutines were closed, because more than %llu stacks were in use" },
    };

    for (size_t i = 0; i < calls->lost_count; i++)
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            if (!strcmp(calls->lost[i].what, texts[k].what)) {
                const unsigned long long bounds[] = { r->config.calls_room, r->config.calls_depth, r->config.calls_room, QN_CALL_STACKS_MAX - 1 };
                char line[256];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
                snprintf(line, sizeof line, texts[k].text, (long long)calls->lost[i].count, bounds[k]);
#pragma GCC diagnostic pop
                qn_collect_note(r, "--calls: %s", line);
            }
}

static enum qn_text_status write_profile(struct work *w, const char *path, struct qn_text_error *err)
{
    const struct qn_collect *r = w->run;
    const char *slash = strrchr(r->engine, '/');
    char unsupported[QN_UNSUPPORTED_MAX][UNSUPPORTED_TEXT];
    struct qn_cost_profile p = {
        .config = &r->config, .events = &w->events, .version = QN_VERSION, .engine = slash ? slash + 1 : r->engine,
        .engine_hash = r->engine_hash, .sim_opt = r->options.sim_opt ? r->options.sim_opt : "",
        .cpu = r->options.cpu ? r->options.cpu : "", .modules = copy_modules(r), .program = w->program, .build_id = w->build_id, .command = w->command,
        .partly = qn_cost_header(&r->store)->partly != 0,
        .nothing = qn_cost_header(&r->store)->partly && !qn_cost_header(&r->store)->counted && !r->config.sample_of,
        .regions = w->regions.list, .region_count = w->regions.count,
    };

    struct qn_cost_data data = { &r->store, w->modules, r->allocators, r->options.alloc.count };

    struct qn_prof_calls calls = { 0 };
    enum qn_text_status status = QN_TEXT_OK;

    if (r->config.data)
        p.data = &data;
    if (r->config.calls) {
        status = qn_cost_fold_calls(&r->store, &w->events, w->modules, &calls, err);
        p.calls = &calls;
        tell_lost(w->run, &calls);
    }
    take_unsupported(r, unsupported, p.unsupported);
    if (status == QN_TEXT_OK)
        status = qn_cost_write_profile(path, &p, w->table, err);
    qn_prof_free_calls(&calls);
    return status;
}

/* By way of a profile in a folder of our own. */
static enum qn_text_status write_callgrind(struct work *w, const char *path, struct qn_text_error *err)
{
    const char *temporary = getenv("TMPDIR");
    char *folder, *profile = NULL;
    struct qn_prof_writer *writer;

    if (asprintf(&folder, "%s/quern-profile.XXXXXX", temporary && *temporary ? temporary : "/tmp") < 0)
        return qn_text_fail_memory(err);
    if (!qn_text_make_scratch(folder))
        qn_text_fail(err, QN_TEXT_IO, "%s: %s", folder, strerror(errno));
    else {
        if (asprintf(&profile, "%s/profile", folder) < 0)
            qn_text_fail_memory(err);
        else if (write_profile(w, profile, err) == QN_TEXT_OK && (writer = qn_prof_open_writer(path, err))) {
            if (qn_prof_export_callgrind(profile, "quern " QN_VERSION, writer, err) == QN_TEXT_OK)
                qn_prof_close_writer(writer, err);
            else
                qn_prof_abandon_writer(writer);
        }
        qn_text_remove_scratch(folder);
        free(profile);
    }
    free(folder);
    return err->status;
}

/* What became of a file; frees its path. */
static bool tell(struct qn_collect *r, const char *what, char *path, enum qn_text_status status, const struct qn_text_error *err)
{
    if (status != QN_TEXT_OK)
        qn_collect_fail(r, "no %s: %s", what, err->text);
    else if (r->options.verbose)
        qn_collect_note(r, "%s: %s", what, path);
    free(path);
    return status == QN_TEXT_OK;
}

static bool write_intervals(struct work *w)
{
    struct qn_collect *r = w->run;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    char *path = r->config.interval ? qn_collect_name_intervals(r) : NULL;

    if (!path)
        return !r->config.interval;
    if (qn_cost_intervals_full(&r->store))
        qn_collect_note(r, "--interval=%llu: no room for so many intervals; the last one holds the rest of the run",
                    (unsigned long long)r->config.interval);
    return tell(r, "intervals", path, qn_cost_write_intervals(path, &r->store, &w->events, w->result.totals, &err), &err);
}

/* Beside the profile, under its name: annotate --values looks there. */
static bool write_findings(struct work *w, const char *profile)
{
    struct qn_collect *r = w->run;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    char *path;

    if (!qn_cost_header(&r->store)->n_findings)
        return true;
    if (asprintf(&path, "%s" QN_COLLECT_FINDINGS_SUFFIX, profile) < 0)
        return false;
    if (qn_cost_findings_full(&r->store))
        qn_collect_note(r, "no room for all that the analysis has found: %s holds the first part", path);
    return tell(r, "findings", path, qn_cost_write_findings(path, &r->store, w->modules, &err), &err);
}

/* Beside them, those of the analysis culprits by line of source. */
static bool write_culprits(struct work *w, const char *profile)
{
    struct qn_collect *r = w->run;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    char *path;

    if (qn_cost_find_culprits(&r->store, w->modules, &w->culprits, &err) != QN_TEXT_OK)
        return qn_collect_fail(r, "no culprits: %s", err.text), false;
    if (!w->culprits.count)
        return true;
    if (asprintf(&path, "%s" QN_COLLECT_CULPRITS_SUFFIX, profile) < 0)
        return false;
    return tell(r, "culprits", path, qn_cost_write_culprits(path, &w->culprits, &err), &err);
}

static void print_culprits(struct work *w)
{
    for (size_t i = 0; i < w->culprits.count && i < CULPRITS_PRINTED; i++) {
        const struct qn_culprit_pair *p = &w->culprits.pairs[i];
        const char *victim = p->victim.file ? p->victim.file : "???", *evictor = p->evictor.file ? p->evictor.file : "???";
        const char *vslash = strrchr(victim, '/'), *eslash = strrchr(evictor, '/');

        qn_collect_say(w->run, "%s:%u misses %llu lines of %llu that %s:%u had evicted", vslash ? vslash + 1 : victim, p->victim.line,
                   (unsigned long long)p->count, (unsigned long long)p->of, eslash ? eslash + 1 : evictor, p->evictor.line);
    }
    qn_cost_free_culprits(&w->culprits);
}

static bool write_explanation(struct work *w)
{
    struct qn_collect *r = w->run;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_cost_explanation x = { .store = &r->store, .config = &r->config, .modules = w->modules, .named = r->named,
                                     .count = r->named_count };
    char *path = r->options.explain.count ? qn_collect_name_explanation(r) : NULL;
    enum qn_text_status status;

    if (!path)
        return !r->options.explain.count;
    status = qn_cost_write_explanation(path, &x, &err);
    if (status == QN_TEXT_OK)
        qn_collect_say(r, "Explained in %s", path);
    return tell(r, "explanation", path, status, &err);
}

static bool write_watch(struct work *w)
{
    struct qn_collect *r = w->run;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    char *path = r->options.watch ? qn_collect_name_watch(r) : NULL;
    enum qn_text_status status;

    if (!path)
        return !r->options.watch;
    status = qn_cost_write_watch(path, &r->store, w->modules, &err);
    if (status == QN_TEXT_OK)
        qn_collect_say(r, "Watched in %s", path);
    return tell(r, "watch", path, status, &err);
}

static void put_line(void *data, const char *text) { qn_collect_say(data, "%s", text); }

static void print_versus(struct work *w)
{
    struct qn_cost_versus v = { &w->run->store, &w->events, w->modules, w->table };

    if (!w->run->config.versus)
        return;
    qn_collect_say(w->run, "%s", "");
    qn_cost_print_versus(&v, put_line, w->run);
}

/* Natively nobody can write to the file of a running program (ETXTBSY); of libraries anybody can. */
static void tell_changed(struct qn_collect *r)
{
    const struct qn_map_rec *maps = (const void *)(r->store.base + QN_ARENA_MAPS_OFF);
    struct qn_cost_extent e;
    char path[PATH_MAX];
    struct stat st;
    uint64_t told = 0; /* inode */

    qn_cost_get_extent(&r->store, &e);
    for (uint64_t i = 0; i < e.maps; i++) {
        if (!maps[i].mtime || maps[i].ino == told)
            continue;
        qn_cost_get_string(&r->store, maps[i].path, path, sizeof path);
        if (stat(path, &st) || st.st_ino != maps[i].ino ||
            (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec == maps[i].mtime)
            continue;
        told = maps[i].ino;
        qn_collect_note(r, "%s was written to while it ran: what it did, and what is told of its lines, may be wrong", path);
    }
}

static enum qn_prof_detail choose_detail(const struct qn_collect_options *o)
{
    if (o->dump_instr)
        return QN_PROF_DETAIL_INSNS;
    return o->dump_objects || o->profile_format == QN_COLLECT_CALLGRIND ? QN_PROF_DETAIL_OBJECTS : QN_PROF_DETAIL_LINES;
}

static bool fold_and_write(struct work *w)
{
    struct qn_collect *r = w->run;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    char *path = qn_collect_name_profile(r);
    enum qn_text_status status;
    bool written;

    if (!path)
        return false;
    read_texts(w);
    status = qn_cost_fold(&r->store, &w->events, w->modules, QN_COST_ALL_REGIONS, w->table, &w->result, &err);
    if (status == QN_TEXT_OK)
        status = qn_cost_fold_regions(&r->store, &w->events, w->modules, choose_detail(&r->options), &w->regions, &err);
    if (status == QN_TEXT_OK)
        status = r->options.profile_format == QN_COLLECT_CALLGRIND ? write_callgrind(w, path, &err) : write_profile(w, path, &err);
    written = status != QN_TEXT_OK || write_findings(w, path);
    written = (status != QN_TEXT_OK || write_culprits(w, path)) && written;
    written = tell(r, "profile", path, status, &err) && written;
    written = write_intervals(w) && written;
    if (w->result.damaged)
        qn_collect_note(r, "%llu blocks left out, their counts are damaged", (unsigned long long)w->result.damaged);
    qn_collect_print_report(r, &w->result, &w->events, w->command);
    print_culprits(w);
    qn_collect_print_regions(r, &w->regions, &w->events);
    qn_cost_free_regions(&w->regions);
    print_versus(w);
    written = write_explanation(w) && written;
    written = write_watch(w) && written;
    tell_changed(r);
    qn_collect_tell_missing(r);
    return written;
}

bool qn_collect_fold(struct qn_collect *r, struct qn_collect_guard *guard, struct qn_cost_library *library)
{
    static struct work w;
    bool written = false;

    w = (struct work){ .run = r, .guard = guard };
    qn_cost_choose_events(&w.events, r->config.cache_sim, r->config.branch_sim);
    qn_cost_add_module_events(&w.events, &qn_cost_header(&r->store)->sim_output);
    w.modules = qn_cost_new_modules(&r->store, library, guard ? &guard->modules : NULL, take_note, r);
    w.table = qn_prof_new_table(w.events.count);
    if (!w.modules || !w.table) {
        qn_collect_fail(r, "no profile: no memory");
    } else {
        qn_prof_table_want(w.table, choose_detail(&r->options));
        written = !qn_cost_header(&r->store)->started || fold_and_write(&w);
        qn_collect_print_fatal(r, w.modules);
    }
    qn_collect_flush(r);
    return written;
}

/* Address space in use, in bytes. */
static uint64_t used_space(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");

    if (f) {
        if (fscanf(f, "%lu", &pages) != 1)
            pages = 0;
        fclose(f);
    }
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void qn_collect_limit_folding(void)
{
    uint64_t bytes = used_space() + FOLD_BYTES;

    setrlimit(RLIMIT_CPU, &(struct rlimit){ FOLD_SECONDS, FOLD_SECONDS });
    setrlimit(RLIMIT_AS, &(struct rlimit){ bytes, bytes });
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
}

/* 0 or 1: written or not; -1: the process died.  Where no process is to be had, in this one. */
static int attempt(struct qn_collect *r, struct qn_collect_guard *guard)
{
    pid_t pid = fork();
    int status;

    if (pid < 0)
        return !qn_collect_fold(r, guard, qn_cost_new_library());
    if (pid == 0) {
        qn_collect_limit_folding();
        _exit(qn_collect_fold(r, guard, qn_cost_new_library()) ? FOLD_WRITTEN : FOLD_NOT_WRITTEN);
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    if (!WIFEXITED(status) || (WEXITSTATUS(status) != FOLD_WRITTEN && WEXITSTATUS(status) != FOLD_NOT_WRITTEN))
        return -1;
    return WEXITSTATUS(status) != FOLD_WRITTEN;
}

bool qn_collect_finish(struct qn_collect *r)
{
    int asked = qn_collect_ask_reader(r);
    struct qn_collect_guard *guard;

    if (asked >= 0)
        return asked == 0;
    guard = mmap(NULL, sizeof *guard, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (guard == MAP_FAILED) {
        qn_collect_fail(r, "no profile: no memory");
        return false;
    }
    for (int i = 0; i < FOLD_ATTEMPTS; i++) {
        uint32_t current;
        int status = attempt(r, guard);

        if (status >= 0)
            return status == 0;
        current = guard->modules.current;
        if (current && current <= QN_COST_MODULES_MAX && i < FOLD_ATTEMPTS - 2)
            guard->modules.avoid[current - 1] = 1;
        else {
            memset(guard->modules.avoid, 1, sizeof guard->modules.avoid);
            guard->avoid_all = true;
        }
        guard->modules.current = 0;
    }
    qn_collect_fail(r, "no profile: folding the counts failed %d times", FOLD_ATTEMPTS);
    return false;
}
