/* lib/collect/report.c - messages for the user: banner, summary, failures of the engine, statistics. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>

#include "collect/collect.h"
#include "cost/side_tables/cells.h"
#include "cost/side_tables/columns.h"
#include "cost/fold.h"
#include "cost/summary.h"
#include "debug/debug.h"
#include "sim/current_module.h"
#include "text/output.h"
#include "text/version.h"

static const char *const level_names[QN_COLLECT_LEVELS] = { "I1", "D1", "LL", "L2" };
static const char *const origin_texts[] = { "", ", as QUERN_CACHES says", ", of this machine", ", a default: CPUID describes no such cache",
                                            ", the L2 of this machine, whose L3 has no number of ways in CPUID: --LL chooses another",
                                            ", as --L2 says, which without --LL is its older name", ", as --machine says" };

/* Is the module "tlb" what "tlb:8d0e..." or "srrip+tlb:50b3..." names, in the second as the last one? */
static bool is_among(const char *module, const char *name)
{
    size_t n = strcspn(name, ":");
    const char *plus = memrchr(name, '+', n), *last = plus ? plus + 1 : name;

    return !strncmp(module, name, n) || !strncmp(module, last, (size_t)(name + n - last));
}

void qn_collect_print_banner(struct qn_collect *r)
{
    qn_collect_say(r, "quern " QN_VERSION ", a cache and branch-prediction profiler");
    for (unsigned i = 0; i < QN_COLLECT_LEVELS && r->options.cache_sim; i++) {
        static const uint8_t order[QN_COLLECT_LEVELS] = { QN_COLLECT_I1, QN_COLLECT_D1, QN_COLLECT_L2, QN_COLLECT_LL };
        const struct qn_geometry *g = &r->geometry[order[i]];

        if (g->line)
            qn_collect_say(r, "%s cache: %u B, %u B, %u-way associative%s", level_names[order[i]], g->size, g->line, g->assoc,
                   origin_texts[r->origin[order[i]]]);
    }
    for (int i = 0; i < QN_ENGINES_AN && !r->first.engine; i++) { /* a policy for a TLB, say */
        const char *own = r->options.from_machine.module[i].name, *name = r->first.slot[i].name;

        if (own && name && !is_among(basename(own), name))
            qn_collect_say(r, "Slot %s: %.*s, in place of the machine's %s", qn_engines_slot_names[i], (int)strcspn(name, ":"), name, own);
    }
    qn_collect_say(r, "Command: %s", r->command);
    if (r->options.log_file)
        qn_collect_say(r, "Parent PID: %d", (int)getppid());
    qn_collect_say(r, "%s", "");
    if (r->options.verbose)
        qn_collect_note(r, "engine: %s, program: %s", r->engine, r->program);
}

static double ratio(uint64_t a, uint64_t b)
{
    return (double)a / (double)(b ? b : 1);
}

static void print_translation(struct qn_collect *r, const struct qn_stats *s)
{
    double ticks = ratio(__rdtsc() - r->start_tsc, qn_collect_now() - r->start_ns) * 1000.0; /* of the time stamp counter in a microsecond */
    double us = (double)s->translate_tsc / ticks;

    qn_collect_note(r, "blocks: %" PRIu64 " new, %" PRIu64 " again; %.1f instructions per block", s->blocks - s->retranslations,
                s->retranslations, ratio(s->insns, s->blocks));
    qn_collect_note(r, "translation: %.1f ms, %.2f us per block", us / 1000.0, us / (double)(s->blocks ? s->blocks : 1));
    qn_collect_note(r, "code: %" PRIu64 " bytes in, %" PRIu64 " out (%.2f times), %" PRIu64 " cold", s->guest_bytes,
                s->host_bytes, ratio(s->host_bytes, s->guest_bytes), s->cold_bytes);
    qn_collect_note(r, "code cache: %" PRIu64 " evictions, %" PRIu64 " flushes, %" PRIu64 " links, %" PRIu64 " unlinks, %"
                PRIu64 " invalidations by changed code", s->evictions, s->flushes, s->links, s->unlinks,
                s->smc_invalidations);
}

/* The number of references that did not hit under the filter.  After SIGKILL it is that of the last translation. */
static void print_filter(struct qn_collect *r, const struct qn_stats *s, const int64_t *t)
{
    uint64_t d = (uint64_t)(t[QN_COST_DR] + t[QN_COST_DW]), missed = (uint64_t)(t[QN_COST_D1MR] + t[QN_COST_D1MW]);

    if (r->options.cache_sim) {
        qn_collect_note(r, "D1: %" PRIu64 " references, %.3f%% filtered, %" PRIu64 " slow (%" PRIu64 " of them hits)", d,
                    100.0 * (1.0 - ratio(s->d1_slow, d)), s->d1_slow, s->d1_slow > missed ? s->d1_slow - missed : 0);
        if (s->batches)
            qn_collect_note(r, "D1: references simulated many at a time, begun %" PRIu64 " times", s->batches);
        qn_collect_note(r, "I1: %" PRIu64 " slow, %.3f per 1000 instructions", s->i1_slow,
                    1000.0 * ratio(s->i1_slow, (uint64_t)t[QN_COST_IR]));
        qn_collect_note(r, "LL: %" PRIu64 " references of those that missed level 1", missed + (uint64_t)t[QN_COST_I1MR]);
    }
    if (r->options.branch_sim)
        qn_collect_note(r, "predictors: %" PRIu64 " conditional, %" PRIu64 " indirect calls", s->bc_calls, s->bi_calls);
}

/* The memory for each guest instruction that was translated, however often it was. */
static void print_memory(struct qn_collect *r, const struct qn_stats *s)
{
    const struct qn_arena_header *h = qn_cost_header(&r->store);
    uint64_t insns = h->n_insns;
    uint64_t arena = h->n_strings + h->n_maps * sizeof(struct qn_map_rec) + h->n_side_exits * sizeof(struct qn_side_exit) +
                     h->n_blocks * sizeof(struct qn_block_rec) + insns * sizeof(qn_insn_desc) + h->n_counters * sizeof(uint64_t);

    qn_collect_note(r, "memory: %" PRIu64 " guest instructions; arena %" PRIu64 " bytes, tables %" PRIu64 ": %.1f per instruction",
                insns, arena, s->table_bytes, ratio(arena + s->table_bytes, insns));
    qn_collect_note(r, "memory: code cache %" PRIu64 " bytes, %.1f per instruction; tables of fixed size %" PRIu64, s->host_bytes +
                s->cold_bytes, ratio(s->host_bytes + s->cold_bytes, insns), s->fixed_bytes);
}

static void print_stats(struct qn_collect *r, const struct qn_cost_result *result)
{
    static const char *const vectors[] = { "none", "none", "AVX2", "AVX-512" };
    struct qn_stats s = qn_cost_header(&r->store)->stats;
    int64_t simulated[QN_COST_COLUMNS];

    for (int e = 0; e < QN_COST_COLUMNS; e++)
        simulated[e] = result->totals[e] + result->aside[e];

    print_translation(r, &s);
    qn_collect_note(r, "dispatcher: %" PRIu64 " entries, %" PRIu64 " indirect branches not in the table", s.dispatches,
                s.ibl_misses);
    print_filter(r, &s, simulated);
    print_memory(r, &s);
    qn_collect_note(r, "checks emitted: %" PRIu64 " data, %" PRIu64 " fetch; %" PRIu64 " hoisted; %" PRIu64
                " saves of the flags", s.events_d, s.events_i, s.hoisted, s.flag_saves);
    if (s.state_bytes)
        qn_collect_note(r, "processor: %s, vectors %s, %" PRIu64 " bytes of registers in a signal frame", s.rorx ? "rorx" : "no rorx",
                    vectors[s.vectors & 3], s.state_bytes);
    qn_collect_note(r, "system: %" PRIu64 " calls, %" PRIu64 " signals, %" PRIu64 " faults, %" PRIu64 " threads",
                s.syscalls, s.signals, s.faults, s.threads);
}

/* Events, lines and tables of the modules.  The guest's process may have damaged them, so they are checked. */
static const struct qn_cost_rows *take_modules(const struct qn_collect *r, const struct qn_cost_result *result, const struct qn_cost_event_set *events,
                                               char **text)
{
    static struct qn_sim_output o;
    static struct qn_cost_total named[QN_SIM_EVENTS_MAX];
    static struct qn_cost_rows rows;

    o = qn_cost_header(&r->store)->sim_output;
    o.text[sizeof o.text - 1] = 0;
    *text = o.text;
    rows = (struct qn_cost_rows){ r->store.base + QN_ARENA_TABLES_OFF, &o.tables, result->totals, named, 0 };
    for (int i = 0; i < events->count; i++)
        if (events->which[i] >= QN_COST_EVENTS + (r->config.L2.line ? QN_L2_EVENTS : 0)) {
            char *what = o.texts[events->which[i] - QN_COST_EVENTS];

            what[sizeof o.texts[0] - 1] = 0;
            named[rows.named_count++] = (struct qn_cost_total){ events->names[i], what, result->totals[events->which[i]] };
        }
    return &rows;
}

static void print_modules(struct qn_collect *r, const struct qn_cost_result *result, const struct qn_cost_event_set *events)
{
    char *line, *rest;
    const struct qn_cost_rows *rows = take_modules(r, result, events, &rest);

    qn_cost_print_named(rows, r->config.LL.line, qn_collect_put_line, r);
    while ((line = strsep(&rest, "\n")) && *line)
        qn_collect_say(r, "%s", line);
    qn_cost_print_rows(rows->tables, rows->head, rows->totals, qn_collect_put_line, r);
}

static enum qn_text_status write_table(const char *path, const struct qn_cost_rows *rows, const struct qn_cost_module_table *table, struct qn_text_error *err)
{
    struct qn_text_output o;

    if (qn_text_open_output(&o, path, QN_TEXT_PRIVATE, err) != QN_TEXT_OK)
        return err->status;
    qn_cost_put_table(qn_text_stream_output(&o), rows, table);
    return qn_text_close_output(&o, err);
}

static enum qn_text_status write_stats(const char *path, const struct qn_stats *s, struct qn_text_error *err)
{
#define STAT(name) { #name, (int64_t)s->name }
    const struct row {
        const char *name;
        int64_t count;
    } rows[] = { STAT(blocks), STAT(retranslations), STAT(insns), STAT(guest_bytes), STAT(host_bytes), STAT(cold_bytes), STAT(evictions), STAT(flushes),
                 STAT(links), STAT(unlinks), STAT(smc_invalidations), STAT(dispatches), STAT(ibl_misses), STAT(d1_slow), STAT(i1_slow), STAT(batches),
                 STAT(bc_calls), STAT(bi_calls), STAT(events_d), STAT(events_i), STAT(hoisted), STAT(flag_saves), STAT(table_bytes),
                 STAT(fixed_bytes), STAT(state_bytes), STAT(syscalls), STAT(signals), STAT(faults), STAT(threads) };
#undef STAT
    static const struct qn_cost_column columns[] = { QN_COST_COLUMN("name", NAME, struct row, name), QN_COST_COLUMN("count", NUMBER, struct row, count),
                                                     QN_COST_COLUMNS_END };

    return qn_cost_write_rows(path, columns, rows, sizeof *rows, QN_ARRAY_LEN(rows), err);
}

/* false: it could not be written, and a line says so. */
static bool end_table(struct qn_collect *r, char *path, enum qn_text_status status, const struct qn_text_error *err)
{
    return path && qn_collect_tell_file(r, QN_COLLECT_TABLES, path, status, err);
}

bool qn_collect_write_tables(struct qn_collect *r, const struct qn_cost_result *result, const struct qn_cost_event_set *events)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_cost_module_table table = { .id = 0 };
    bool good = true;
    char *text, *path;

    for (const struct qn_cost_rows *rows = take_modules(r, result, events, &text); qn_cost_next_table(rows, &table);) {
        if (r->config.interval && !strcmp(table.name, "sets")) /* it is there, by interval */
            continue;
        path = qn_collect_name_table(r, table.name);
        good &= end_table(r, path, path ? write_table(path, rows, &table, &err) : QN_TEXT_IO, &err);
        err.status = QN_TEXT_OK;
    }
    if (r->options.stats) {
        const struct qn_stats s = qn_cost_header(&r->store)->stats;

        path = qn_collect_name_table(r, "stats");
        good &= end_table(r, path, path ? write_stats(path, &s, &err) : QN_TEXT_IO, &err);
    }
    return good;
}

/* If counting was switched on and off: the share of processor time in which it was on.  That is more than the share of instructions, because
 * counting is slower.  Not printed for a program that was killed, because the time of the last switch is not known. */
static void print_share(struct qn_collect *r)
{
    const struct qn_arena_header *h = qn_cost_header(&r->store);
    uint64_t off = h->time[0], on = h->time[1];

    if (h->partly && !r->config.sample_of && h->exited && off + on)
        qn_collect_say(r, "Instrumented: %.1f%% of the processor time", 100.0 * ratio(on, off + on));
}

void qn_collect_print_report(struct qn_collect *r, const struct qn_cost_result *result, const struct qn_cost_event_set *events,
                         const char *command)
{
    if (r->replaced)
        qn_collect_say(r, "Command: %s", command);
    qn_collect_say(r, "%s", "");
    qn_cost_print_summary(result->totals, r->config.L2.line ? result->totals + QN_COST_I2MR : NULL, r->config.cache_sim, r->config.branch_sim,
                          r->options.local_rates, qn_collect_put_line, r);
    print_modules(r, result, events);
    print_share(r);
    qn_collect_print_sims(r);
    if (r->options.stats)
        print_stats(r, result);
}

/* The sum of up to three events, all of which are columns. */
static int64_t sum_of(const struct qn_cost_event_set *events, const int64_t *totals, const uint8_t *list, int n)
{
    int64_t sum = 0;

    for (int i = 0; i < n; i++)
        for (int k = 0; k < events->count; k++)
            sum += events->which[k] == list[i] ? totals[k] : 0;
    return sum;
}

void qn_collect_print_regions(struct qn_collect *r, const struct qn_cost_regions *regions,
                          const struct qn_cost_event_set *events)
{
    static const uint8_t ir[] = { QN_COST_IR }, refs[] = { QN_COST_DR, QN_COST_DW }, d1[] = { QN_COST_D1MR, QN_COST_D1MW };
    static const uint8_t ll[] = { QN_COST_ILMR, QN_COST_DLMR, QN_COST_DLMW };

    if (!regions->count)
        return;
    qn_collect_say(r, "%s", "");
    if (r->config.cache_sim)
        qn_collect_say(r, "%16s %14s %12s %12s  region", "Ir", "D refs", "D1 misses", "LL misses");
    else
        qn_collect_say(r, "%16s  region", "Ir");
    for (int i = 0; i < regions->count; i++) {
        const int64_t *t = qn_prof_table_totals(regions->list[i].table);

        if (r->config.cache_sim)
            qn_collect_say(r, "%16" PRId64 " %14" PRId64 " %12" PRId64 " %12" PRId64 "  %.200s",
                       sum_of(events, t, ir, 1), sum_of(events, t, refs, 2), sum_of(events, t, d1, 2),
                       sum_of(events, t, ll, 3), regions->list[i].path);
        else
            qn_collect_say(r, "%16" PRId64 "  %.200s", sum_of(events, t, ir, 1), regions->list[i].path);
    }
}

static void format_bytes(char *text, const struct qn_arena_header *h)
{
    uint32_t n = h->fatal_len < sizeof h->fatal_bytes ? h->fatal_len : sizeof h->fatal_bytes;

    *text = 0;
    for (uint32_t i = 0; i < n; i++)
        text += sprintf(text, "%s%02x", i ? " " : "", h->fatal_bytes[i]);
}

/* "main in /bin/true" for an address of the guest. */
static void describe_address(struct qn_collect *r, struct qn_cost_modules *modules, uint64_t pc, char *text, size_t size)
{
    struct qn_cost_extent e = qn_cost_get_extent(&r->store);
    struct qn_cost_place place = { 0 };
    char path[PATH_MAX] = "?";

    for (uint64_t i = e.maps; i-- > 0;) {
        struct qn_map_rec m;

        memcpy(&m, r->store.base + QN_ARENA_MAPS_OFF + i * sizeof m, sizeof m);
        if (pc < m.start || pc >= m.end)
            continue;
        qn_cost_get_string(&r->store, m.path, path, sizeof path);
        qn_cost_find_place(modules, (uint32_t)i, pc, &place);
        break;
    }
    snprintf(text, size, "%s in %s", place.function ? place.function : "???", path[0] ? path : "anonymous memory");
}

static void print_load_failure(struct qn_collect *r, const struct qn_arena_header *h)
{
    const char *why = h->fatal_errno ? strerror(h->fatal_errno) : h->fatal_text;
    char path[PATH_MAX];

    qn_cost_get_string(&r->store, h->exe, path, sizeof path);
    if (!path[0])
        qn_cost_get_string(&r->store, h->config.guest_path, path, sizeof path);
    if (h->fatal_errno == ENOENT && access(path, F_OK) == 0)
        why = "its interpreter is missing";
    else if (h->fatal_errno == ENOEXEC)
        why = "not a program that can be run";
    qn_collect_fail(r, "%s: %s", path, why);
}

/* ---- modules ---- */

/* "D1=mine:50b3..." -> "mine" */
static void module_name(char *name, size_t size, const char *modules, const char *slot)
{
    char key[8];
    const char *at;

    snprintf(key, sizeof key, "%s=", slot);
    at = strstr(modules, key);
    at = at ? at + strlen(key) : "?";
    snprintf(name, size, "%.*s", (int)strcspn(at, ": "), at);
}

/* "module mine in slot D1, doref, reference 17", of the module that is being called. */
static bool describe_call(const struct qn_collect *r, const struct qn_arena_header *h, char *text, size_t size)
{
    static const char *const slots[] = SIM_SLOT_NAMES, *const functions[] = SIM_FUNCTION_NAMES;
    uint64_t call = h->sim_output.current_module[0], function = h->sim_output.current_module[1];
    bool second = (call & SIM_CURRENT_SECOND) && r->options.versus;
    char modules[sizeof h->sim_output.modules], name[64];
    const char *slot;

    if (sim_current_slot(call) >= SLOTS)
        return false;
    memcpy(modules, second ? h->versus.modules : h->sim_output.modules, sizeof modules);
    modules[sizeof modules - 1] = 0;
    slot = sim_current_slot(call) == SLOT_LL && strstr(modules, "L2=") ? "L2" : slots[sim_current_slot(call)];
    module_name(name, sizeof name, modules, slot);
    snprintf(text, size, "module %s in slot %s%s, %s, reference %llu", name, slot, second ? " of B" : "",
             function < SIM_FUNCTIONS ? functions[function] : "?", (unsigned long long)(call >> 8));
    return true;
}

/* ", at mine.c:31": where it stood when it crashed or was asked last; "": not known. */
static void describe_place(const struct qn_collect *r, const struct qn_arena_header *h, char *text, size_t size)
{
    const struct qn_sim_output *o = &h->sim_output;
    struct qn_engines_setup with_lines = { .scratch = NULL };
    char where[PATH_MAX + 16];

    *text = 0;
    if (o->n_places - 1u < QN_PLACES_MAX && qn_engines_add_lines(&r->sims, &with_lines) &&
        qn_debug_say_where(with_lines.engine, o->places, o->n_places, qn_collect_list_module_files(r), where, sizeof where))
        snprintf(text, size, ", at %s", where);
    qn_engines_remove_scratch(&with_lines);
    free(with_lines.engine);
}

/* The module made a mistake, and the engine has said which; or it did not come back; or the run was ended while it did not. */
static void print_module_failure(struct qn_collect *r, const struct qn_arena_header *h)
{
    char call[256], place[PATH_MAX + 32];

    describe_place(r, h, place, sizeof place);
    if (h->fatal == QN_FATAL_MODULE && *h->fatal_text) /* otherwise `quern trace` prints the reason (record.c) */
        qn_collect_fail(r, "%s%s%s", h->fatal_text, place, strstr(h->fatal_text, SIM_CRASHED) ? SIM_SANITIZED_REPLAY : "");
    else if (describe_call(r, h, call, sizeof call) && h->fatal == QN_FATAL_STUCK)
        qn_collect_fail(r, "%s: does not come back (an endless loop?)%s (after %llu s of processor time; " SIM_STUCK_VARIABLE " sets another number)",
                        call, place, (unsigned long long)sim_stuck_seconds(getenv(SIM_STUCK_VARIABLE)));
    else if (!h->fatal)
        qn_collect_fail(r, "%s: had not come back when the run was ended%s", call, place);
}

void qn_collect_print_fatal(struct qn_collect *r, struct qn_cost_modules *modules)
{
    struct qn_arena_header h = *qn_cost_header(&r->store);
    char where[PATH_MAX + 1024], bytes[3 * sizeof h.fatal_bytes + 1];

    h.fatal_text[sizeof h.fatal_text - 1] = 0;
    if (!h.fatal && h.sim_output.stays_in && h.sim_output.current_module[0] && h.sim_output.current_module[2] == h.sim_output.stays_in)
        print_module_failure(r, &h);
    if (!h.fatal)
        return;
    describe_address(r, modules, h.fatal_pc, where, sizeof where);
    format_bytes(bytes, &h);
    switch (h.fatal) {
    case QN_FATAL_LOAD:
        print_load_failure(r, &h);
        break;
    case QN_FATAL_INSN:
        qn_collect_fail(r, "cannot decode the instruction %s at 0x%" PRIx64 ", %s", bytes, h.fatal_pc, where);
        break;
    case QN_FATAL_UNSUPPORTED:
        qn_collect_fail(r, "not supported: %s at 0x%" PRIx64 ", %s", h.fatal_text, h.fatal_pc, where);
        break;
    case QN_FATAL_CHECK:
        qn_collect_fail(r, "--check found a difference: %s", h.fatal_text);
        break;
    case QN_FATAL_MODULE:
    case QN_FATAL_STUCK:
        print_module_failure(r, &h);
        break;
    case QN_FATAL_RESOURCE:
        qn_collect_fail(r, "the engine ran out of room: %s", h.fatal_text);
        break;
    default:
        qn_collect_fail(r, "a bug in the engine, please report it: %s at 0x%" PRIx64 ", %s", h.fatal_text, h.fatal_pc,
                    where);
    }
}

int qn_collect_fatal_status(const struct qn_collect *r)
{
    const struct qn_arena_header *h = qn_cost_header(&r->store);

    if (!h->fatal)
        return 0;
    if (h->fatal == QN_FATAL_LOAD)
        return h->fatal_errno == ENOENT ? QN_EXIT_NOT_FOUND : QN_EXIT_NOT_EXECUTABLE;
    return QN_EXIT_SOFTWARE;
}
