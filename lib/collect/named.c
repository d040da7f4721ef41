/* lib/collect/named.c - code that the user names on the command line: --explain=FILE:LINE, --toggle=FUNCTION, --dump-before=FUNCTION.
 *
 *   before the run   a source line of the program without code is an error; the message names the nearest lines with code
 *   during the run   the engine asks for each mapping that it is about to execute (server.c)
 *   after the run    a message names lines and functions that were found nowhere, and functions whose calls were inlined
 *
 * Debug information is read in a child process each time: a damaged file may crash a library, or keep it busy.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/debug.h"
#include "collect/collect.h"
#include "text/error.h"

/* ---- the command line ---- */

static bool parse_lines(char *text, struct qn_cost_named *n)
{
    char *colon = strrchr(text, ':'), *end;
    unsigned long first, last;

    if (!colon || colon == text || colon[1] < '0' || colon[1] > '9')
        return false;
    first = last = strtoul(colon + 1, &end, 10);
    if (*end == '-' && end[1] >= '0' && end[1] <= '9')
        last = strtoul(end + 1, &end, 10);
    if (*end || first < 1 || last < first || last >= UINT32_MAX)
        return false;
    *n = (struct qn_cost_named){ .what = QN_PROBE_EXPLAIN, .name = strndup(text, (size_t)(colon - text)),
                                 .first = (uint32_t)first, .last = (uint32_t)last };
    return true;
}

/* Options whose value is a function. */
static const struct {
    enum qn_probe_what what;
    const char *name;
    size_t field; /* of struct qn_collect_options */
} by_function[] = {
    { QN_PROBE_TOGGLE, "toggle", offsetof(struct qn_collect_options, toggle) },
    { QN_PROBE_TURN, "toggle-collect", offsetof(struct qn_collect_options, turn) },
    { QN_PROBE_DUMP_BEFORE, "dump-before", offsetof(struct qn_collect_options, dump_before) },
    { QN_PROBE_DUMP_AFTER, "dump-after", offsetof(struct qn_collect_options, dump_after) },
    { QN_PROBE_ZERO_BEFORE, "zero-before", offsetof(struct qn_collect_options, zero_before) },
};
#define FUNCTION_OPTIONS (sizeof by_function / sizeof *by_function)

static const struct qn_collect_names *names_of(const struct qn_collect *r, unsigned k)
{
    return (const struct qn_collect_names *)((const char *)&r->options + by_function[k].field);
}

static const char *name_option(enum qn_probe_what what)
{
    for (unsigned k = 0; k < FUNCTION_OPTIONS; k++)
        if (by_function[k].what == what)
            return by_function[k].name;
    return "explain";
}

bool qn_collect_take_names(struct qn_collect *r)
{
    for (unsigned i = 0; i < r->options.explain.count; i++) {
        struct qn_cost_named *n = &r->named[r->named_count];

        if (!parse_lines(r->options.explain.text[i], n)) {
            qn_collect_complain("--explain: got '%s', wanted FILE:LINE or FILE:FIRST-LAST", r->options.explain.text[i]);
            return false;
        }
        n->which = (uint16_t)i;
        r->named_count++;
    }
    for (unsigned i = 0; i < r->options.alloc.count; i++)
        if (!qn_cost_parse_allocator(r->options.alloc.text[i], &r->allocators[i])) {
            qn_collect_complain("--alloc: got '%s', wanted FUNCTION, FUNCTION:N or FUNCTION:N*M, arguments from 1 to 6", r->options.alloc.text[i]);
            return false;
        }
    for (unsigned k = 0; k < FUNCTION_OPTIONS; k++) {
        const struct qn_collect_names *names = names_of(r, k);

        for (unsigned i = 0; i < names->count; i++) {
            if (!*names->text[i]) {
                qn_collect_complain("--%s: got '', wanted the name of a function", by_function[k].name);
                return false;
            }
            r->named[r->named_count++] = (struct qn_cost_named){ .what = by_function[k].what, .which = (uint16_t)i, .name = names->text[i] };
        }
    }
    return true;
}

/* ---- before the run ---- */

static void take_nothing(void *data, uint64_t start, uint64_t end)
{
    (void)start, (void)end;
    ++*(unsigned *)data;
}

static void complain(const char *option, const struct qn_debug_lines_asked *a)
{
    char nearest[64];

    if (a->below && a->above)
        snprintf(nearest, sizeof nearest, "lines %u and %u have some", a->below, a->above);
    else
        snprintf(nearest, sizeof nearest, "the nearest line with code is %u", a->below ? a->below : a->above);
    qn_collect_complain("--explain=%s: the program has no code for this line of %s; %s", option, a->path, nearest);
}

/* A file that the program does not have is no error: a library may have it. */
static int check_program(struct qn_collect *r, void *data)
{
    char why[128];
    struct qn_debug *d = qn_debug_open(r->program, why, sizeof why);

    (void)data;
    for (int i = 0; i < r->named_count && d; i++) {
        const struct qn_cost_named *n = &r->named[i];
        struct qn_debug_lines_asked asked = { .file = n->name, .first = n->first, .last = n->last };
        unsigned ranges = 0;

        if (n->what != QN_PROBE_EXPLAIN)
            continue;
        qn_debug_find_lines(d, &asked, take_nothing, &ranges);
        if (asked.path && !ranges && (asked.below || asked.above)) {
            complain(r->options.explain.text[n->which], &asked);
            return QN_EXIT_USAGE;
        }
    }
    return 0;
}

int qn_collect_check_names(struct qn_collect *r)
{
    return r->named_count && qn_collect_in_child(r, true, check_program, NULL) == QN_EXIT_USAGE ? QN_EXIT_USAGE : 0;
}

/* ---- after the run ---- */

#define INLINED_MOST 200 /* the child returns the number as its exit status */
#define INLINED_UNKNOWN 201 /* there is no debug information */

/* The number of places in the program where the function was inlined. */
static int count_inlined(struct qn_collect *r, void *function)
{
    char why[128];
    struct qn_debug *d = qn_debug_open(r->program, why, sizeof why);
    unsigned count = d ? qn_debug_count_inlined(d, function) : 0;

    if (d && !qn_debug_has_types(d))
        return INLINED_UNKNOWN;
    return (int)(count < INLINED_MOST ? count : INLINED_MOST);
}

/* Warns of a function that was not found, or whose inlined calls do not count, and of a profile that is empty because of that. */
static void tell_function(struct qn_collect *r, const struct qn_cost_named *n)
{
    const char *option = name_option(n->what);
    const struct qn_arena_header *h = qn_cost_header(&r->store);
    bool found = qn_cost_has_probes(&r->store, n), nothing = n->what == QN_PROBE_TOGGLE && h->partly && !h->counted;
    int inlined = qn_collect_in_child(r, true, count_inlined, (void *)(uintptr_t)n->name);
    char where[96] = "";

    if (inlined == INLINED_UNKNOWN && !found)
        snprintf(where, sizeof where, "; whether it was inlined is known only with debug information (-g)");
    if (inlined < 0 || inlined == INLINED_UNKNOWN)
        inlined = 0; /* the child died, or does not know */
    if (inlined)
        snprintf(where, sizeof where, "; it was inlined in %d%s place%s, which count as no calls", inlined,
                 inlined == INLINED_MOST ? " or more" : "", inlined > 1 ? "s" : "");
    if (!found)
        qn_collect_note(r, "--%s=%s: nothing that was executed has a function of that name%s", option, n->name, where);
    else if (nothing)
        qn_collect_note(r, "--toggle=%s: it was never called, so nothing was counted%s", n->name, where);
    else if (inlined && (n->what == QN_PROBE_TOGGLE || n->what == QN_PROBE_TURN))
        qn_collect_note(r, "--%s=%s: only calls were counted%s", option, n->name, where);
}

void qn_collect_tell_missing(struct qn_collect *r)
{
    const struct qn_arena_header *h = qn_cost_header(&r->store);

    if (h->partly && !h->counted && !r->options.toggle.count && !r->options.turn.count && !r->config.sample_of)
        qn_collect_note(r, "nothing was counted: counting was off all the time (--instr-at-start=no, or the program's own requests)");
    for (int i = 0; i < r->named_count; i++) {
        const struct qn_cost_named *n = &r->named[i];

        if (n->what != QN_PROBE_EXPLAIN)
            tell_function(r, n);
        else if (!qn_cost_has_probes(&r->store, n))
            qn_collect_note(r, "--explain=%s: nothing that was executed has code for it by its debug information (compiled with -g?)",
                        r->options.explain.text[n->which]);
    }
}
