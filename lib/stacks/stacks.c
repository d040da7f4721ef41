/* lib/stacks/stacks.c - a profile's tree of contexts as folded stacks, for speedscope, and for pprof.  See stacks.h. */
#include "stacks/stacks.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "json/write.h"
#include "prof/read.h"
#include "prof/tables/tables.h"
#include "text/names.h"
#include "text/subst.h"
#include "text/escape.h"

/* ---- the tree ---- */

/* Depth first, children in the order in which they came; parents come before them. */
static void order_nodes(struct qn_stacks_tree *t)
{
    const struct qn_prof_calls *c = &t->calls;
    size_t n = c->node_count, done = 0, waiting = 0;
    uint32_t *next = QN_NEEDED(malloc((n + 1) * sizeof *next)), *child = QN_NEEDED(malloc((n + 1) * sizeof *child));
    uint32_t *stack = QN_NEEDED(malloc((n + 1) * sizeof *stack)), root = QN_PROF_NO_NODE;
    for (size_t i = 0; i < n; i++)
        child[i] = QN_PROF_NO_NODE;
    for (size_t i = n; i-- > 0;) { /* from the last, so that the first child comes first */
        uint32_t *first = c->nodes[i].parent == QN_PROF_NO_NODE ? &root : &child[c->nodes[i].parent];
        next[i] = *first;
        *first = (uint32_t)i;
    }
    if (root != QN_PROF_NO_NODE)
        stack[waiting++] = root;
    while (waiting) {
        uint32_t node = stack[--waiting];
        t->order[done++] = node;
        if (next[node] != QN_PROF_NO_NODE)
            stack[waiting++] = next[node];
        if (child[node] != QN_PROF_NO_NODE)
            stack[waiting++] = child[node];
    }
    free(next);
    free(child);
    free(stack);
}

static void measure(struct qn_stacks_tree *t, const char *path, struct qn_text_error *err)
{
    const struct qn_prof_calls *c = &t->calls;
    t->order = QN_NEEDED(calloc(c->node_count + 1, sizeof *t->order));
    t->depth = QN_NEEDED(calloc(c->node_count + 1, sizeof *t->depth));
    order_nodes(t);
    for (size_t i = 0; i < c->node_count; i++) {
        t->depth[i] = c->nodes[i].parent == QN_PROF_NO_NODE ? 1 : t->depth[c->nodes[i].parent] + 1;
        t->deepest = t->depth[i] > t->deepest ? t->depth[i] : t->deepest;
    }
    for (size_t i = 0; i < c->node_count * c->event_count; i++)
        if (c->node_counts[i] < 0) {
            qn_text_fail(err, QN_TEXT_BAD, "%s: costs of paths: got %lld, wanted none below 0: a profile, not a difference", path,
                         (long long)c->node_counts[i]);
            return;
        }
}

static int read_command(struct qn_stacks_tree *t, const char *path, struct qn_text_error *err)
{
    struct qn_prof_reader *r = qn_prof_open_reader(path, err);
    if (!r)
        return -1;
    t->command = QN_NEEDED(strdup(qn_prof_reader_header(r)->cmd.text));
    qn_prof_close_reader(r);
    return 0;
}

enum qn_text_status qn_stacks_read(struct qn_stacks_tree *t, const char *path, struct qn_text_error *err)
{
    *t = (struct qn_stacks_tree){0};
    if (read_command(t, path, err) == 0 && qn_prof_read_calls(path, &t->calls, err) == QN_TEXT_OK) {
        if (!t->calls.node_count)
            qn_text_fail(err, QN_TEXT_BAD, "%s: paths of calls are not known; `quern run --calls=paths` writes them into the profile", path);
        else
            measure(t, path, err);
    }
    if (err->status != QN_TEXT_OK)
        qn_stacks_free(t);
    return err->status;
}

void qn_stacks_free(struct qn_stacks_tree *t)
{
    qn_prof_free_calls(&t->calls);
    free(t->command);
    free(t->order);
    free(t->depth);
    *t = (struct qn_stacks_tree){0};
}

/* The functions from the root to the node, t->depth[node] of them. `path` has room for t->deepest. */
static void find_path(const struct qn_stacks_tree *t, uint32_t node, uint32_t *path)
{
    for (uint32_t i = t->depth[node]; i-- > 0; node = t->calls.nodes[node].parent)
        path[i] = t->calls.nodes[node].function;
}

/* The number of an event, or -1 and a message. */
static int find_event(const struct qn_stacks_tree *t, const char *path, const char *event, struct qn_text_error *err)
{
    char known[QN_TEXT_MAX / 2] = "";
    for (size_t i = 0; i < t->calls.event_count; i++) {
        if (!event || strcmp(t->calls.events[i], event) == 0)
            return (int)i;
        if (strlen(known) + strlen(t->calls.events[i]) + 2 < sizeof known)
            strcat(strcat(known, i ? " " : ""), t->calls.events[i]);
    }
    qn_text_fail(err, QN_TEXT_BAD, "%s: --event: got `%s`, wanted one of %s", path, event, known);
    return -1;
}

/* ---- folded stacks: a line for each path, as flamegraph.pl, inferno and speedscope read them ----
 *
 * A `;` in a name becomes a comma, because it separates names. A name may have blanks; the count follows the last one.
 */

static void put_name(struct qn_prof_writer *w, const char *name)
{
    char text[2] = "";
    for (; *name; name++) {
        text[0] = *name == ';' ? ',' : *name;
        qn_prof_put_escaped(w, text);
    }
}

static void put_stack(const struct qn_stacks_tree *t, uint32_t node, uint32_t *path, int64_t count, struct qn_prof_writer *w)
{
    char room[QN_TEXT_MAX];
    find_path(t, node, path);
    for (uint32_t i = 0; i < t->depth[node]; i++) {
        qn_prof_put_text(w, i ? ";" : "");
        put_name(w, qn_prof_call_name(&t->calls.fns[path[i]], room, sizeof room));
    }
    qn_prof_put_text(w, " ");
    qn_prof_put_number(w, count);
    qn_prof_put_text(w, "\n");
}

enum qn_text_status qn_stacks_write_folded(const char *path, const char *event, struct qn_prof_writer *w, struct qn_text_error *err)
{
    struct qn_stacks_tree t;
    uint32_t *stack;
    int at;
    if (qn_stacks_read(&t, path, err) != QN_TEXT_OK)
        return err->status;
    stack = QN_NEEDED(calloc(t.deepest + (size_t)1, sizeof *stack));
    if ((at = find_event(&t, path, event, err)) >= 0)
        for (size_t i = 0; i < t.calls.node_count; i++) {
            int64_t count = qn_prof_node_counts(&t.calls, t.order[i])[at];
            if (count)
                put_stack(&t, t.order[i], stack, count, w);
        }
    free(stack);
    qn_stacks_free(&t);
    return err->status;
}

/* ---- speedscope's own format: JSON with the functions once, and for each event a profile of samples ----
 *
 * A sample is a path, its weight the path's self cost. JavaScript's numbers are exact up to 2^53, so an event with a larger sum is refused.
 */

#define EXACT_MAX (1ll << 53) /* IEEE 754 double: all integers up to here */

static json_t *frames_of(const struct qn_prof_calls *c)
{
    json_t *frames = json_array();
    char room[QN_TEXT_MAX];
    for (size_t i = 0; i < c->fn_count; i++) {
        json_t *frame = json_pack("{s:o}", "name", qn_json_text(qn_prof_call_name(&c->fns[i], room, sizeof room)));
        if (strcmp(c->fns[i].file, QN_PROF_NOT_KNOWN) != 0)
            json_object_set_new(frame, "file", qn_json_text(c->fns[i].file));
        json_array_append_new(frames, frame);
    }
    return frames;
}

/* The sum of an event; -1: too large. */
static int64_t sum_up(const struct qn_prof_calls *c, size_t event, struct qn_text_error *err)
{
    int64_t sum = 0;
    for (size_t i = 0; i < c->node_count; i++)
        if (__builtin_add_overflow(sum, qn_prof_node_counts(c, i)[event], &sum) || sum > EXACT_MAX) {
            qn_text_fail(err, QN_TEXT_BAD, "%s is beyond 2^53: speedscope cannot add it up exactly", c->events[event]);
            return -1;
        }
    return sum;
}

static json_t *profile_of(const struct qn_stacks_tree *t, size_t event, int64_t sum, uint32_t *path)
{
    json_t *samples = json_array(), *weights = json_array();
    for (size_t i = 0; i < t->calls.node_count; i++) {
        uint32_t node = t->order[i];
        int64_t count = qn_prof_node_counts(&t->calls, node)[event];
        json_t *sample;
        if (!count)
            continue;
        sample = json_array();
        find_path(t, node, path);
        for (uint32_t k = 0; k < t->depth[node]; k++)
            json_array_append_new(sample, json_integer(path[k]));
        json_array_append_new(samples, sample);
        json_array_append_new(weights, json_integer(count));
    }
    return json_pack("{s:s, s:o, s:s, s:i, s:I, s:o, s:o}", "type", "sampled", "name", qn_json_text(t->calls.events[event]), "unit", "none",
                     "startValue", 0, "endValue", (json_int_t)sum, "samples", samples, "weights", weights);
}

/* A profile for each event that was counted, at least for the first. only: that event alone; -1: all. */
static json_t *profiles_of(const struct qn_stacks_tree *t, int only, uint32_t *path, struct qn_text_error *err)
{
    json_t *profiles = json_array();
    for (size_t i = 0; i < t->calls.event_count; i++) {
        int64_t sum = only >= 0 && (size_t)only != i ? 0 : sum_up(&t->calls, i, err);
        if (sum < 0)
            break;
        if (sum || (only >= 0 ? (size_t)only == i : i == 0))
            json_array_append_new(profiles, profile_of(t, i, sum, path));
    }
    return profiles;
}

enum qn_text_status qn_stacks_write_speedscope(const char *path, const char *event, const char *creator, struct qn_prof_writer *w,
                                               struct qn_text_error *err)
{
    struct qn_stacks_tree t;
    json_t *all, *profiles;
    uint32_t *stack;
    int only = -1;
    if (qn_stacks_read(&t, path, err) != QN_TEXT_OK)
        return err->status;
    stack = QN_NEEDED(calloc(t.deepest + (size_t)1, sizeof *stack));
    if (!event || (only = find_event(&t, path, event, err)) >= 0) {
        profiles = profiles_of(&t, only, stack, err);
        all = json_pack("{s:s, s:o, s:o, s:i, s:{s:o}, s:o}", "$schema", "https://www.speedscope.app/file-format-schema.json", "exporter",
                        qn_json_text(creator), "name", qn_json_text(t.command), "activeProfileIndex", 0, "shared", "frames", frames_of(&t.calls),
                        "profiles", profiles);
        if (err->status == QN_TEXT_OK) {
            char *text = QN_NEEDED(json_dumps(all, JSON_COMPACT));
            qn_prof_put_text(w, text);
            qn_prof_put_text(w, "\n");
            free(text);
        }
        json_decref(all);
    }
    free(stack);
    qn_stacks_free(&t);
    return err->status;
}

/* ---- pprof's format: a Profile of protocol buffers, packed by gzip ----
 *
 * The numbers of the fields are those of profile.proto (github.com/google/pprof). A location is a function, because paths have no lines.
 * Integers are varints: seven bits a byte, the lowest first, the top bit set in all but the last (protobuf.dev, Encoding).
 */

enum profile_field { SAMPLE_TYPE = 1, SAMPLE = 2, MAPPING = 3, LOCATION = 4, FUNCTION = 5, STRING_TABLE = 6, COMMENT = 13, DEFAULT_TYPE = 14 };
enum { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2 };
enum { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7 };
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4 };
enum { VARINT = 0, BYTES = 2, WIRE_BITS = 3, VARINT_MAX = 10 };

#define PACKING 6 /* gzip's usual level */

struct pprof {
    struct qn_stacks_tree tree;
    struct qn_text_buffer out, message, packed; /* all; one message of it; a list of numbers in one */
    struct qn_text_names strings;               /* the first is "" */
    struct qn_text_names objects;
    uint32_t *path;
};

static void put_varint(struct qn_text_buffer *to, uint64_t value)
{
    char bytes[VARINT_MAX];
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[n++] = (char)(value | 0x80);
    bytes[n++] = (char)value;
    qn_text_append(to, bytes, n);
}

static void put_number(struct qn_text_buffer *to, unsigned field, uint64_t value)
{
    put_varint(to, field << WIRE_BITS | VARINT);
    put_varint(to, value);
}

static void put_block(struct qn_text_buffer *to, unsigned field, const char *bytes, size_t n)
{
    put_varint(to, field << WIRE_BITS | BYTES);
    put_varint(to, n);
    qn_text_append(to, bytes, n);
}

/* Writes the message that was built. */
static void put_message(struct pprof *p, unsigned field)
{
    put_block(&p->out, field, p->message.text ? p->message.text : "", p->message.length);
    p->message.length = 0;
}

static void put_packed(struct pprof *p, unsigned field)
{
    put_block(&p->message, field, p->packed.text ? p->packed.text : "", p->packed.length);
    p->packed.length = 0;
}

static uint64_t intern(struct qn_text_names *names, const char *text) { return qn_text_intern(names, text, strlen(text)); }

static uint64_t string(struct pprof *p, const char *text) { return intern(&p->strings, text); }

static void put_types(struct pprof *p)
{
    for (size_t i = 0; i < p->tree.calls.event_count; i++) {
        put_number(&p->message, TYPE_TYPE, string(p, p->tree.calls.events[i]));
        put_number(&p->message, TYPE_UNIT, string(p, "count"));
        put_message(p, SAMPLE_TYPE);
    }
    put_number(&p->out, DEFAULT_TYPE, string(p, p->tree.calls.events[0]));
    put_number(&p->out, COMMENT, string(p, p->tree.command));
}

/* pprof takes the first mapping for the program: that of main. */
static void begin_objects(struct pprof *p)
{
    for (size_t i = 0; i < p->tree.calls.fn_count; i++) {
        const struct qn_prof_call_fn *f = &p->tree.calls.fns[i];
        if (f->object && strcmp(f->name, "main") == 0) {
            intern(&p->objects, f->object);
            return;
        }
    }
}

/* Objects are mappings, numbered from 1; functions and locations, too. */
static void put_functions(struct pprof *p)
{
    begin_objects(p);
    for (size_t i = 0; i < p->tree.calls.fn_count; i++) {
        const struct qn_prof_call_fn *f = &p->tree.calls.fns[i];
        char room[QN_TEXT_MAX];
        const char *name = qn_prof_call_name(f, room, sizeof room);
        put_number(&p->message, FUNCTION_ID, i + 1);
        put_number(&p->message, FUNCTION_NAME, string(p, name));
        put_number(&p->message, FUNCTION_SYSTEM_NAME, string(p, name));
        if (strcmp(f->file, QN_PROF_NOT_KNOWN) != 0)
            put_number(&p->message, FUNCTION_FILE, string(p, f->file));
        put_message(p, FUNCTION);
        put_number(&p->message, LOCATION_ID, i + 1);
        if (f->object)
            put_number(&p->message, LOCATION_MAPPING, intern(&p->objects, f->object) + 1);
        put_number(&p->packed, LINE_FUNCTION, i + 1);
        put_packed(p, LOCATION_LINE);
        put_message(p, LOCATION);
    }
    for (uint32_t i = 0; i < p->objects.index.count; i++) {
        put_number(&p->message, MAPPING_ID, i + 1);
        put_number(&p->message, MAPPING_FILE, string(p, qn_text_name(&p->objects, i)));
        put_number(&p->message, MAPPING_HAS_FUNCTIONS, 1);
        put_message(p, MAPPING);
    }
}

static void put_sample(struct pprof *p, uint32_t node)
{
    const int64_t *counts = qn_prof_node_counts(&p->tree.calls, node);
    int any = 0;
    for (size_t i = 0; i < p->tree.calls.event_count; i++)
        any |= counts[i] != 0;
    if (!any)
        return;
    find_path(&p->tree, node, p->path);
    for (uint32_t k = p->tree.depth[node]; k-- > 0;) /* the leaf first */
        put_varint(&p->packed, p->path[k] + (uint64_t)1);
    put_packed(p, SAMPLE_LOCATION);
    for (size_t i = 0; i < p->tree.calls.event_count; i++)
        put_varint(&p->packed, (uint64_t)counts[i]);
    put_packed(p, SAMPLE_VALUE);
    put_message(p, SAMPLE);
}

static void put_profile(struct pprof *p)
{
    string(p, "");
    put_types(p);
    put_functions(p);
    for (size_t i = 0; i < p->tree.calls.node_count; i++)
        put_sample(p, p->tree.order[i]);
    for (uint32_t i = 0; i < p->strings.index.count; i++)
        put_block(&p->out, STRING_TABLE, qn_text_name(&p->strings, i), strlen(qn_text_name(&p->strings, i)));
}

static void pack(const struct pprof *p, struct qn_prof_writer *w)
{
    struct libdeflate_compressor *c = QN_NEEDED(libdeflate_alloc_compressor(PACKING));
    size_t room = libdeflate_gzip_compress_bound(c, p->out.length);
    char *to = QN_NEEDED(malloc(room));
    qn_prof_put_bytes(w, to, libdeflate_gzip_compress(c, p->out.text, p->out.length, to, room));
    free(to);
    libdeflate_free_compressor(c);
}

enum qn_text_status qn_stacks_write_pprof(const char *path, struct qn_prof_writer *w, struct qn_text_error *err)
{
    struct pprof p = {.path = NULL};
    if (qn_stacks_read(&p.tree, path, err) != QN_TEXT_OK)
        return err->status;
    p.path = QN_NEEDED(calloc(p.tree.deepest + (size_t)1, sizeof *p.path));
    put_profile(&p);
    pack(&p, w);
    free(p.path);
    free(p.out.text);
    free(p.message.text);
    free(p.packed.text);
    qn_text_free_names(&p.strings);
    qn_text_free_names(&p.objects);
    qn_stacks_free(&p.tree);
    return err->status;
}
