/* lib/debug/line_names.c - reads the file names of a line table; complete paths, as Cachegrind writes them.
 *
 * In:  directories { "/src", "lib" }, file 1 = "a.c" in directory 1      Out: 1: "/src/lib/a.c"
 *
 * A relative directory is relative to that of the compilation: entry 0 of the table from DWARF 5 on,
 * DW_AT_comp_dir before.  Paths are not normalised.  From DWARF 5 on, a relative entry 0 comes twice
 * ("./csu/./csu/init-first.c"): Cachegrind writes it so, and profiles of both must be comparable.
 */
#define _GNU_SOURCE
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "debug/internal.h"

#define FORMATS_MAX 256 /* the count is one byte */

struct format {
    uint32_t content, form;
};

struct entry {
    const char *path;
    uint64_t directory;
};

struct names {
    struct qn_debug *d;
    struct qn_unit *u;
    struct qn_reader r;
    char **directories; /* complete; the strings are owned */
    size_t count, room;
    const char *base;   /* directory of the compilation, NULL: not known */
};

static const char *string_at(const struct qn_section *s, uint64_t offset)
{
    struct qn_reader r;

    if (offset >= s->size)
        return "";
    r = (struct qn_reader){ s->bytes + offset, s->bytes + s->size, false };
    return qn_debug_read_string(&r);
}

static char *join(const char *directory, const char *name)
{
    char *path;

    if (name[0] == '/' || !directory)
        return strdup(name);
    return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

static void add_directory(struct names *n, const char *name)
{
    const char *base = n->base && n->base[0] ? n->base : NULL;

    if (QN_GROW(n->directories, n->count, n->room, QN_DEBUG_ROOM))
        n->directories[n->count++] = join(base, name);
}

static void add_file(struct names *n, const struct entry *e)
{
    struct qn_unit *u = n->u;
    const char *directory = e->directory < n->count ? n->directories[e->directory] : NULL;

    if (QN_GROW(u->files, u->nfiles, u->file_room, QN_DEBUG_ROOM))
        u->files[u->nfiles++] = e->path && e->path[0] ? join(directory, e->path) : NULL;
}

/* DWARF 2 to 4: directories up to an empty string; then files, each with its directory's number, time and size. */
static void read_old(struct names *n)
{
    const char *name;

    n->base = qn_debug_find_directory(n->d, n->u->offset);
    if (QN_GROW(n->directories, n->count, n->room, QN_DEBUG_ROOM))
        n->directories[n->count++] = strdup(n->base ? n->base : ".");
    while ((name = qn_debug_read_string(&n->r))[0])
        add_directory(n, name);
    add_file(n, &(struct entry){ NULL, 0 }); /* numbers begin at 1 */
    while (!n->r.bad && (name = qn_debug_read_string(&n->r))[0]) {
        struct entry e = { name, qn_debug_read_uleb(&n->r) };

        qn_debug_read_uleb(&n->r);
        qn_debug_read_uleb(&n->r);
        add_file(n, &e);
    }
}

/* .debug_str is read only when a name needs it, since it is large and few line tables use it. */
static const struct qn_section *section_str(struct qn_debug *d)
{
    if (!d->lines.str_loaded) {
        d->lines.str_loaded = true;
        d->lines.str = qn_debug_read_section(d, qn_debug_dwarf_file(d), ".debug_str");
    }
    return &d->lines.str;
}

static const char *read_path(struct names *n, uint32_t form)
{
    unsigned offset = n->u->dwarf64 ? 8 : 4;

    switch (form) {
    case DW_FORM_string:
        return qn_debug_read_string(&n->r);
    case DW_FORM_line_strp:
        return string_at(&n->d->lines.line_str, qn_debug_read(&n->r, offset));
    case DW_FORM_strp:
        return string_at(section_str(n->d), qn_debug_read(&n->r, offset));
    }
    n->r.bad = true;
    return "";
}

/* Reads any other content: returns a small number, skips anything else and returns 0. */
static uint64_t read_number(struct names *n, uint32_t form)
{
    switch (form) {
    case DW_FORM_data1:
    case DW_FORM_flag:
        return qn_debug_read(&n->r, 1);
    case DW_FORM_data2:
        return qn_debug_read(&n->r, 2);
    case DW_FORM_data4:
        return qn_debug_read(&n->r, 4);
    case DW_FORM_data8:
        return qn_debug_read(&n->r, 8);
    case DW_FORM_udata:
        return qn_debug_read_uleb(&n->r);
    case DW_FORM_data16: /* MD5 */
        qn_debug_skip(&n->r, 16);
        return 0;
    case DW_FORM_block:
        qn_debug_skip(&n->r, qn_debug_read_uleb(&n->r));
        return 0;
    }
    read_path(n, form); /* a string, or a form that cannot be skipped */
    return 0;
}

static unsigned read_formats(struct names *n, struct format formats[FORMATS_MAX])
{
    unsigned count = (unsigned)qn_debug_read(&n->r, 1);

    for (unsigned i = 0; i < count; i++) {
        formats[i].content = (uint32_t)qn_debug_read_uleb(&n->r);
        formats[i].form = (uint32_t)qn_debug_read_uleb(&n->r);
    }
    return count;
}

static struct entry read_entry(struct names *n, const struct format *formats, unsigned count)
{
    struct entry e = { "", 0 };

    for (unsigned i = 0; i < count && !n->r.bad; i++) {
        if (formats[i].content == DW_LNCT_path)
            e.path = read_path(n, formats[i].form);
        else if (formats[i].content == DW_LNCT_directory_index)
            e.directory = read_number(n, formats[i].form);
        else
            read_number(n, formats[i].form);
    }
    return e;
}

/* DWARF 5: each table begins with the format of its entries. */
static void read_new(struct names *n)
{
    struct format formats[FORMATS_MAX];
    unsigned count = read_formats(n, formats);
    uint64_t entries = qn_debug_read_uleb(&n->r);

    for (uint64_t i = 0; i < entries && count && !n->r.bad; i++) {
        struct entry e = read_entry(n, formats, count);

        if (i == 0)
            n->base = e.path;
        add_directory(n, e.path);
    }
    count = read_formats(n, formats);
    entries = qn_debug_read_uleb(&n->r);
    for (uint64_t i = 0; i < entries && count && !n->r.bad; i++) {
        struct entry e = read_entry(n, formats, count);

        add_file(n, &e);
    }
}

const char *qn_debug_name_file(struct qn_debug *d, struct qn_unit *u, uint32_t file)
{
    struct names n = { .d = d, .u = u, .r = { u->names, u->program, false } };

    if (!u->named) {
        u->named = true;
        if (u->version < 5)
            read_old(&n);
        else
            read_new(&n);
        for (size_t i = 0; i < n.count; i++)
            free(n.directories[i]);
        free(n.directories);
    }
    return file < u->nfiles ? u->files[file] : NULL;
}
