/* lib/cost/profile.c - header and body of a profile file.  See profile.h. */
#include "cost/profile.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "prof/write.h"

/* Readers recognise a profile by its `events:` in the first 2047 bytes, so what stands before it is
 * cut to fit: each text of unknown length, and the command to what is then left. */
#define DESC_MAX 256
#define HEADER_MAX 2047
#define LAST_ROOM 32 /* "events: ", and the newlines and "..." of a command that is cut */

struct header {
    struct qn_prof_writer *w;
    size_t used;
};

static void put_desc(struct header *h, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void put_desc(struct header *h, const char *name, const char *format, ...)
{
    char line[DESC_MAX];
    int n = snprintf(line, sizeof line, "%-17s ", name);
    va_list args;

    va_start(args, format);
    vsnprintf(line + n, sizeof line - (size_t)n, format, args);
    va_end(args);
    qn_prof_put_desc(h->w, line);
    h->used += sizeof "desc: " + strlen(line);
}

static size_t events_length(const struct qn_cost_event_set *events)
{
    size_t n = 0;

    for (int i = 0; i < events->count; i++)
        n += strlen(events->names[i]) + 1;
    return n;
}

static void put_command(struct header *h, const char *command, const struct qn_cost_event_set *events)
{
    size_t taken = LAST_ROOM + events_length(events) + sizeof "cmd: " + h->used;
    size_t room = taken < HEADER_MAX ? HEADER_MAX - taken : 0;
    char line[HEADER_MAX];

    if (strlen(command) <= room) {
        qn_prof_put_cmd(h->w, command);
        return;
    }
    snprintf(line, sizeof line, "%.*s ...", (int)room, command);
    qn_prof_put_cmd(h->w, line);
}

static void put_cache(struct header *h, const char *name, const struct qn_geometry *g)
{
    put_desc(h, name, "%" PRIu32 " B, %" PRIu32 " B, %" PRIu32 "-way associative", g->size, g->line, g->assoc);
}

static const char *name_modules(const struct qn_cost_profile *p)
{
    if (!p->config->cache_sim && !p->config->branch_sim && !p->config->observes)
        return "none";
    return p->modules && p->modules[0] ? p->modules : "not known";
}

static void put_provenance(struct header *h, const struct qn_cost_profile *p)
{
    if (p->machine)
        put_desc(h, "Machine:", "%.150s", p->machine);
    put_desc(h, "Simulator:", "quern %s, %s %016" PRIx64 "%s%s", p->version, p->engine, p->engine_hash,
             p->sim_opt[0] ? ", " : "", p->sim_opt);
    put_desc(h, "Modules:", "%.250s", name_modules(p));
    put_desc(h, "Counting:", "%s", p->config->counting == QN_COUNTING_CACHEGRIND ? "cachegrind" : "exact");
    if (p->config->cpu.masked)
        put_desc(h, "Processor:", "%.150s", p->cpu);
    put_desc(h, "Seed:", "%" PRIu64, p->config->seed);
    if (p->config->observes && p->config->sample_of)
        put_desc(h, "Sample:", "%" PRIu64 " of %" PRIu64 " instructions", p->config->sample_count, p->config->sample_of);
    put_desc(h, "Program:", "%.150s%s%s", p->program, p->build_id[0] ? ", build-id " : "", p->build_id);
    put_desc(h, "Instrumented:", "%s", p->nothing ? "nothing of the run" : p->partly ? "parts of the run" : "all of the run");
    if (p->threads)
        put_desc(h, "Threads:", "%" PRIu64, p->threads + 1);
}

static void put_unsupported(struct header *h, const struct qn_cost_profile *p)
{
    for (int i = 0; i < QN_UNSUPPORTED_MAX && p->unsupported[i]; i++)
        put_desc(h, "Unsupported:", "%.150s", p->unsupported[i]);
}

static void put_region_names(struct header *h, const struct qn_cost_profile *p)
{
    char names[DESC_MAX] = "";
    size_t n = 0;

    for (int i = 0; i < p->region_count && n < sizeof names; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", p->regions[i].path);
    if (p->region_count)
        put_desc(h, "Regions:", "%s", names);
}

static void put_regions(struct qn_prof_writer *w, const struct qn_cost_profile *p)
{
    if (p->region_count)
        qn_prof_put_regions(w, p->region_count);
    for (int i = 0; i < p->region_count; i++) {
        qn_prof_begin_region(w, p->regions[i].path);
        qn_prof_table_write(p->regions[i].table, w);
    }
}

enum qn_text_status qn_cost_write_profile(const char *path, const struct qn_cost_profile *p,
                                          struct qn_prof_table *table, struct qn_text_error *err)
{
    struct qn_prof_writer *w = qn_prof_open_writer(path, err);
    struct header h = { w, 0 };

    if (!w)
        return err->status;
    put_cache(&h, "I1 cache:", &p->config->I1);
    put_cache(&h, "D1 cache:", &p->config->D1);
    if (p->config->L2.line)
        put_cache(&h, "L2 cache:", &p->config->L2);
    put_cache(&h, "LL cache:", &p->config->LL);
    put_provenance(&h, p);
    put_unsupported(&h, p);
    if (p->trigger)
        put_desc(&h, "Trigger:", "%.200s", p->trigger);
    put_region_names(&h, p);
    put_command(&h, p->command, p->events);
    qn_prof_put_events(w, p->events->names, p->events->count);
    qn_prof_table_write(table, w);
    if (p->data)
        qn_cost_put_data(w, p->data);
    if (p->calls)
        qn_prof_put_calls(w, p->calls);
    put_regions(w, p);
    return qn_prof_close_writer(w, err);
}
