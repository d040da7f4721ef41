/* lib/collect/fold.c - one attempt: folds the arena's counts by source line, writes the profile and its side tables, and prints the
 * summary.  server.c chooses the process.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/grow.h"
#include "collect/collect.h"
#include "cost/side_tables/branches.h"
#include "cost/side_tables/culprits.h"
#include "cost/side_tables/findings.h"
#include "cost/side_tables/intervals.h"
#include "cost/side_tables/sets.h"
#include "cost/side_tables/sharing.h"
#include "cost/calls/call_records.h"
#include "cost/calls/calls.h"
#include "cost/data/objects.h"
#include "cost/fold.h"
#include "cost/notes/explain.h"
#include "cost/notes/versus.h"
#include "cost/notes/watch.h"
#include "cost/profile.h"
#include "json/write.h"
#include "prof/callgrind/callgrind.h"
#include "sim/option.h"
#include "text/output.h"
#include "text/version.h"

#define CULPRITS_PRINTED 10 /* lines with the summary */

struct work {
    struct qn_collect *run;
    struct qn_collect_guard *guard;
    struct qn_cost_event_set events;
    struct qn_cost_modules *modules;
    struct qn_prof_table *table;
    struct qn_cost_result result;
    struct qn_cost_regions regions;
    struct qn_culprits culprits, takers;
    char *verdicts; /* lines; NULL: none */
    char program[PATH_MAX], build_id[256], command[65536];
};

#define UNSUPPORTED_TEXT 200             /* bytes of a line about one unsupported thing in a profile */

static void take_note(void *data, const char *text)
{
    qn_collect_note(data, "%s", text);
}

static bool is_avoided(const struct work *w) { return w->guard && w->guard->avoided; }

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
    if (!is_avoided(w) && (d = qn_debug_open(w->program, why, sizeof why))) {
        snprintf(w->build_id, sizeof w->build_id, "%s", qn_debug_build_id(d));
        qn_debug_close(d);
    }
}

/* The names of the modules, as the engine wrote them; bytes that cannot be printed become "?". */
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

/* Prints which bounds of --calls were reached. */
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

/* The bounds of --data that were reached. */
static void tell_full(struct qn_collect *r)
{
    const size_t room = QN_ARENA_PAIRS_SIZE / sizeof(struct qn_data_pair);

    if (qn_cost_get_extent(&r->store).pairs == room)
        qn_collect_note(r, "--data: no room for more than %zu pairs of objects of which one evicts the other's lines; misses of further pairs are in none", room);
    if (qn_cost_header(&r->store)->evicted_lost)
        qn_collect_note(r, "--data: no room for more than %u evicted lines; misses on further lines are in no pair of objects (%llu evictions)", QN_EVICTED_MAX,
                        (unsigned long long)qn_cost_header(&r->store)->evicted_lost);
    if (qn_cost_header(&r->store)->used_lost)
        qn_collect_note(r, "--data=use: no room for more than %llu different lines of objects; of further ones it is not known which bytes were used (%llu times)",
                        QN_ARENA_USED_LINES_SIZE / qn_used_lines_bytes(r->config.D1.line), (unsigned long long)qn_cost_header(&r->store)->used_lost);
}

static enum qn_text_status write_profile(void *work, const char *path, struct qn_text_error *err)
{
    struct work *w = work;
    const struct qn_collect *r = w->run;
    const char *slash = strrchr(r->engine, '/');
    char unsupported[QN_UNSUPPORTED_MAX][UNSUPPORTED_TEXT];
    struct qn_cost_profile p = {
        .config = &r->config, .events = &w->events, .version = QN_VERSION, .engine = slash ? slash + 1 : r->engine,
        .machine = r->options.from_machine.text, .engine_hash = r->engine_hash, .sim_opt = r->options.sim_opt ? r->options.sim_opt : "",
        .cpu = r->options.cpu ? r->options.cpu : "", .modules = copy_modules(r), .program = w->program, .build_id = w->build_id, .command = w->command,
        .partly = qn_cost_header(&r->store)->partly != 0,
        .nothing = qn_cost_header(&r->store)->partly && !qn_cost_header(&r->store)->counted && !r->config.sample_of,
        .threads = qn_cost_header(&r->store)->stats.threads, .trigger = r->trigger, .regions = w->regions.list, .region_count = w->regions.count,
    };

    struct qn_cost_data data = { &r->store, w->modules, r->allocators, r->options.alloc.count };

    struct qn_prof_calls calls = { 0 };

    if (r->config.data) {
        p.data = &data;
        tell_full(w->run);
    }
    if (r->config.calls) {
        qn_cost_fold_calls(&r->store, &w->events, w->modules, &calls);
        p.calls = &calls;
        tell_lost(w->run, &calls);
    }
    take_unsupported(r, unsupported, p.unsupported);
    qn_cost_write_profile(path, &p, w->table, err);
    qn_prof_free_calls(&calls);
    return err->status;
}

/* If quern stands in for Valgrind, the file has the process's pid, as Callgrind's; otherwise not, so that equal runs give equal files. */
static struct qn_prof_callgrind_head name_part(struct qn_collect *r)
{
    struct qn_prof_callgrind_head head = { .creator = "quern " QN_VERSION, .part = r->parts + !r->trigger };
    bool apart = r->options.profile_format == QN_COLLECT_CALLGRIND_THREADS, several = qn_cost_header(&r->store)->stats.threads > 0;

    if (r->options.requests == QN_REQUESTS_CALLGRIND)
        head.pid = (int)r->guest;
    if (apart && several && !r->trigger)
        qn_collect_note(r, "all threads are in one profile, whose name ends in -01: quern does not separate them");
    head.thread = apart && !several;
    return head;
}

/* Writes a profile into a scratch folder, and passes it on from there. */
static enum qn_text_status by_scratch(qn_collect_write *write, void *data, qn_collect_write *pass, void *to, struct qn_text_error *err)
{
    const char *temporary = getenv("TMPDIR");
    char *folder, *profile = NULL;

    if (asprintf(&folder, "%s/quern-profile.XXXXXX", temporary && *temporary ? temporary : "/tmp") < 0)
        qn_no_memory();
    if (!qn_text_make_scratch(folder))
        qn_text_fail(err, QN_TEXT_IO, "%s: %s", folder, strerror(errno));
    else {
        if (asprintf(&profile, "%s/profile", folder) < 0)
            qn_no_memory();
        if (write(data, profile, err) == QN_TEXT_OK)
            pass(to, profile, err);
        qn_text_remove_scratch(folder);
        free(profile);
    }
    free(folder);
    return err->status;
}

struct export {
    struct qn_collect *run;
    const char *path;
};

static enum qn_text_status export(void *data, const char *profile, struct qn_text_error *err)
{
    const struct export *x = data;
    struct qn_prof_callgrind_head head = name_part(x->run);
    struct qn_prof_writer *writer = qn_prof_open_writer(x->path, err);

    if (x->run->options.dump_instr)
        qn_collect_note(x->run, "--dump-instr: left out of the Callgrind format, whose counts are by line here; the usual format has them");
    if (!writer)
        return err->status;
    qn_prof_export_callgrind(profile, &head, writer, err);
    return qn_prof_close_writer(writer, err);
}

enum qn_text_status qn_collect_write_profile(struct qn_collect *r, qn_collect_write *write, void *data, const char *path, struct qn_text_error *err)
{
    if (r->options.profile_format == QN_COLLECT_CACHEGRIND)
        return write(data, path, err);
    return by_scratch(write, data, export, &(struct export){ r, path }, err);
}

static enum qn_text_status give(void *data, const char *profile, struct qn_text_error *err)
{
    return qn_collect_give_profile(data, profile) ? QN_TEXT_OK : qn_text_fail(err, QN_TEXT_IO, "the merger is gone");
}

/* Hands the profile to the merger; false: it is gone. */
static bool merge(struct work *w)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };

    return by_scratch(write_profile, w, give, w->run, &err) == QN_TEXT_OK;
}

/* ---- side tables ---- */

static enum qn_text_status write_intervals(struct work *w, const char *path, struct qn_text_error *err)
{
    struct qn_collect *r = w->run;

    if (qn_cost_intervals_full(&r->store))
        qn_collect_note(r, "--interval=%llu: no room for so many intervals; the last one holds the rest of the run",
                    (unsigned long long)r->config.interval);
    return qn_cost_write_intervals(path, &r->store, &w->events, w->result.totals, err);
}

/* Which annotate --values reads. */
static enum qn_text_status write_findings(struct work *w, const char *path, struct qn_text_error *err)
{
    if (qn_cost_findings_full(&w->run->store))
        qn_collect_note(w->run, "no room for all that the analysis has found: %s holds the first part", path);
    return qn_cost_write_findings(path, &w->run->store, w->modules, err);
}

/* Which source lines evict what a line misses. */
static enum qn_text_status write_culprits(struct work *w, const char *path, struct qn_text_error *err)
{
    return qn_cost_write_culprits(path, &w->culprits, false, err);
}

/* Which source lines take lines of memory from threads that miss them. */
static enum qn_text_status write_takers(struct work *w, const char *path, struct qn_text_error *err)
{
    return qn_cost_write_culprits(path, &w->takers, true, err);
}

/* Misses by set and interval. */
static enum qn_text_status write_sets(struct work *w, const char *path, struct qn_text_error *err)
{
    struct qn_collect *r = w->run;

    if (qn_cost_sets_full(&r->store))
        qn_collect_note(r, "--interval=%llu: no room for so many intervals by set; the last one in %s holds the rest of the run",
                        (unsigned long long)r->config.interval, path);
    return qn_cost_write_sets(path, &r->store, (uint64_t)w->result.totals[QN_COST_IR], err);
}

/* Cache lines that threads share. */
static enum qn_text_status write_sharing(struct work *w, const char *path, struct qn_text_error *err)
{
    struct qn_collect *r = w->run;

    return qn_cost_write_sharing(path, &(struct qn_cost_data){ &r->store, w->modules, r->allocators, r->options.alloc.count }, &w->verdicts, err);
}

static enum qn_text_status write_explanation(struct work *w, const char *path, struct qn_text_error *err)
{
    struct qn_collect *r = w->run;
    struct qn_cost_explanation x = { .store = &r->store, .config = &r->config, .modules = w->modules, .named = r->named,
                                     .count = r->named_count };

    if (qn_json_is_named(path) ? qn_cost_write_explanation_json(path, &x, err) : qn_cost_write_explanation(path, &x, err))
        return err->status;
    qn_collect_say(r, "Explained in %s", path);
    return QN_TEXT_OK;
}

static enum qn_text_status write_watch(struct work *w, const char *path, struct qn_text_error *err)
{
    if (qn_cost_write_watch(path, &w->run->store, w->modules, err) == QN_TEXT_OK)
        qn_collect_say(w->run, "Watched in %s", path);
    return err->status;
}

static enum qn_text_status write_branches(struct work *w, const char *path, struct qn_text_error *err)
{
    return qn_cost_write_branches(path, &w->run->store, w->modules, err);
}

/* false: the file could not be written, and a line says so. */
static bool write_file(struct work *w, enum qn_collect_file file,
                       enum qn_text_status (*write)(struct work *w, const char *path, struct qn_text_error *err))
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    char *path = qn_collect_name_file(w->run, file);
    enum qn_text_status status = path ? write(w, path, &err) : QN_TEXT_IO;

    return path && qn_collect_tell_file(w->run, file, path, status, &err);
}

/* If the profile goes to a device (/dev/null), no files have its name.  A process whose profile is merged has no tables of modules. */
static bool write_side_tables(struct work *w, const char *profile, bool merged)
{
    static const char *const taken[] = { "false", "true", NULL }; /* sim/analysis/sharing.c */
    struct qn_collect *r = w->run;
    bool good = true;

    qn_cost_find_culprits(&r->store, w->modules, (const char *const[]){ "evictor", NULL }, &w->culprits);
    qn_cost_find_culprits(&r->store, w->modules, taken, &w->takers);
    if (qn_collect_is_device(profile))
        return good;
    if (qn_cost_has_findings(&r->store))
        good &= write_file(w, QN_COLLECT_FINDINGS, write_findings);
    if (w->culprits.count)
        good &= write_file(w, QN_COLLECT_CULPRITS, write_culprits);
    if (w->takers.count)
        good &= write_file(w, QN_COLLECT_TAKERS, write_takers);
    if (r->config.interval && qn_cost_has_sets(&r->store))
        good &= write_file(w, QN_COLLECT_SETS, write_sets);
    if (qn_cost_has_sharing(&r->store))
        good &= write_file(w, QN_COLLECT_SHARING, write_sharing);
    return (merged || qn_collect_write_tables(r, &w->result, &w->events)) && good;
}

static void print_pairs(struct work *w, struct qn_culprits *pairs, const char *format)
{
    for (size_t i = 0; i < pairs->count && i < CULPRITS_PRINTED; i++) {
        const struct qn_culprit_pair *p = &pairs->pairs[i];
        const char *victim = p->victim.file ? p->victim.file : "???", *evictor = p->evictor.file ? p->evictor.file : "???";

        qn_collect_say(w->run, format, basename(victim), p->victim.line, (unsigned long long)p->count, (unsigned long long)p->of,
                       basename(evictor), p->evictor.line, p->what);
    }
    qn_cost_free_culprits(pairs);
}

/* ---- all of it ---- */

static void print_versus(struct work *w)
{
    struct qn_cost_versus v = { &w->run->store, &w->events, w->modules, w->table };

    if (!w->run->config.versus)
        return;
    qn_collect_say(w->run, "%s", "");
    qn_cost_print_versus(&v, qn_collect_put_line, w->run);
}

static void tell_unasked(struct qn_collect *r)
{
    const char *options = r->options.sim_opt ? r->options.sim_opt : "";
    const char *option = sim_option_unasked(options, qn_cost_header(&r->store)->sim_output.options_asked);

    if (option)
        qn_collect_note(r, "--sim-opt=%.*s: no module has this option", (int)strcspn(option, ","), option);
}

/* Warns of a program whose file was changed during the run.  Natively that cannot happen (ETXTBSY); for libraries it can, so they are left out. */
static void tell_changed(struct qn_collect *r)
{
    const struct qn_map_rec *maps = (const void *)(r->store.base + QN_ARENA_MAPS_OFF);
    struct qn_cost_extent e;
    char path[PATH_MAX];
    struct stat st;
    uint64_t noted = 0; /* inode */

    e = qn_cost_get_extent(&r->store);
    for (uint64_t i = 0; i < e.maps; i++) {
        if (!maps[i].mtime || maps[i].ino == noted)
            continue;
        qn_cost_get_string(&r->store, maps[i].path, path, sizeof path);
        if (stat(path, &st) || st.st_ino != maps[i].ino ||
            (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec == maps[i].mtime)
            continue;
        noted = maps[i].ino;
        qn_collect_note(r, "%s was written to while it ran: what it did, and what is told of its lines, may be wrong", path);
    }
}

/* Most questions are about lines: a program without them is told once, in the summary. */
static void tell_lines(struct work *w)
{
    struct qn_collect *r = w->run;

    if (w->result.has_program && !w->result.has_lines && !is_avoided(w) && r->options.requests == QN_REQUESTS_ALL)
        qn_collect_say(r, "No line numbers in %s: compiled without -g?", w->program);
}

/* Threads that share one set of caches miss by their turns, which differ from run to run. */
static void tell_threads(struct qn_collect *r)
{
    const unsigned long long threads = qn_cost_header(&r->store)->stats.threads + 1ull, cores = threads < QN_CORES_MAX ? threads : QN_CORES_MAX;

    if (threads > 1 && r->config.cache_sim && !r->options.cores)
        qn_collect_say(r, "Threads: %llu, which one set of caches serves in turn; --cores=%llu gives them %llu, kept coherent, and counts that repeat",
                       threads, cores, cores);
}

static enum qn_prof_detail choose_detail(const struct qn_collect_options *o)
{
    if (o->dump_instr)
        return QN_PROF_DETAIL_INSNS;
    return o->dump_objects || o->profile_format != QN_COLLECT_CACHEGRIND ? QN_PROF_DETAIL_OBJECTS : QN_PROF_DETAIL_LINES;
}

static bool fold_and_write(struct work *w)
{
    struct qn_collect *r = w->run;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    char *path = qn_collect_name_file(r, QN_COLLECT_PROFILE);
    enum qn_text_status status;
    bool written, merged;

    if (!path)
        return false;
    if (is_avoided(w))
        qn_collect_note(r, "%s: all code is shown without names", w->guard->avoided);
    read_texts(w);
    w->result.program = w->program;
    status = qn_cost_fold(&r->store, &w->events, w->modules, QN_COST_ALL_REGIONS, w->table, &w->result, &err);
    if (status == QN_TEXT_OK)
        status = qn_cost_fold_regions(&r->store, &w->events, w->modules, choose_detail(&r->options), &w->regions, &err);
    merged = status == QN_TEXT_OK && r->merger.socket >= 0 && !r->trigger && merge(w);
    if (status == QN_TEXT_OK && !merged)
        status = qn_collect_write_profile(r, write_profile, w, path, &err);
    written = status != QN_TEXT_OK || write_side_tables(w, path, merged);
    written = qn_collect_tell_file(r, QN_COLLECT_PROFILE, path, status, &err) && written;
    if (r->config.interval)
        written &= write_file(w, QN_COLLECT_INTERVALS, write_intervals);
    if (w->result.damaged)
        qn_collect_note(r, "%llu blocks left out, their counts are damaged", (unsigned long long)w->result.damaged);
    if (!merged)
        qn_collect_print_report(r, &w->result, &w->events, w->command);
    print_pairs(w, &w->culprits, "%s:%u misses %llu lines of %llu that %s:%u had evicted");
    print_pairs(w, &w->takers, "%s:%u misses %llu lines of %llu that %s:%u had taken, by %s sharing");
    for (char *rest = w->verdicts, *line; (line = strsep(&rest, "\n"));)
        if (*line)
            qn_collect_say(r, "%s", line);
    free(w->verdicts);
    qn_collect_print_regions(r, &w->regions, &w->events);
    qn_cost_free_regions(&w->regions);
    print_versus(w);
    if (r->options.explain.count)
        written &= write_file(w, QN_COLLECT_EXPLANATION, write_explanation);
    if (r->options.watch)
        written &= write_file(w, QN_COLLECT_WATCH, write_watch);
    if (r->options.branches_file)
        written &= write_file(w, QN_COLLECT_BRANCHES, write_branches);
    tell_changed(r);
    tell_lines(w);
    tell_threads(w->run);
    tell_unasked(r);
    qn_collect_tell_missing(r);
    return written;
}

void qn_collect_choose_events(const struct qn_collect *r, struct qn_cost_event_set *events)
{
    qn_cost_choose_events(events, r->config.cache_sim, r->config.branch_sim);
    qn_cost_add_module_events(events, &qn_cost_header(&r->store)->sim_output, r->config.cache_sim && r->config.L2.line);
}

bool qn_collect_fold(struct qn_collect *r, struct qn_collect_guard *guard, struct qn_cost_library *library)
{
    static struct work w;
    bool written;

    w = (struct work){ .run = r, .guard = guard };
    qn_collect_choose_events(r, &w.events);
    w.modules = qn_cost_new_modules(&r->store, library, guard ? &guard->modules : NULL, is_avoided(&w) ? NULL : take_note, r);
    w.table = qn_prof_new_table(w.events.count);
    qn_prof_table_want(w.table, choose_detail(&r->options));
    written = !qn_cost_header(&r->store)->started || fold_and_write(&w);
    qn_collect_print_fatal(r, w.modules);
    qn_collect_flush(r);
    return written;
}
