/*
 * pprof's format: a Profile of protocol buffers, packed by gzip. See stacks.h.
 *
 * The numbers of the fields are those of profile.proto (github.com/google/pprof). A location is a function, because paths have no lines.
 * Integers are varints: seven bits a byte, the lowest first, the top bit set in all but the last (protobuf.dev, Encoding). Without libdeflate
 * the output is not compressed; pprof reads both.
 */
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <libdeflate.h>

#include "base/grow.h"
#include "prof/writer.h"
#include "stacks/stacks.h"
#include "text/names.h"
#include "text/subst.h"

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

/* ---- encoding ---- */

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

/* ---- the profile ---- */

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
    qn_stacks_path(&p->tree, node, p->path);
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
