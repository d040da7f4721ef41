/* lib/debug/lines.c - finds file and line of an address, by the line tables (DWARF 2 to 5).
 *
 * In:  .debug_line of the module, or of its separate debug file; compressed or not
 * Out: the last row at or before the address; it holds up to the next row
 *
 * Only .debug_line and .debug_line_str are read, not .debug_info: in distributions' debug files
 * the sections are compressed, and to unpack that large one takes more time than all the rest.
 *
 * Invariants: sequences are sorted by start; ends and rows are decoded per sequence when first asked for.
 */
#define _GNU_SOURCE

#include <dwarf.h>
#include <emmintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "debug/internal.h"

struct reader { /* bytes of a section; reading beyond the end gives zeros and sets `bad` */
    const uint8_t *at, *end;
    bool bad;
};

struct row { /* valid up to the next row; the last of a sequence has line ROW_END */
    uint64_t address;
    uint32_t line;
    uint32_t file;
};
#define ROW_END UINT32_MAX

struct qn_line_table { /* one line table of .debug_line: its header, and its files once they are asked for */
    uint64_t offset;         /* in .debug_line; DW_AT_stmt_list of its compilation unit */
    uint16_t version;        /* of DWARF, 2 to 5 */
    bool dwarf64;
    uint8_t instruction, opcode_base, line_range;
    int8_t line_base;
    const uint8_t *lengths;  /* operands of the standard opcodes, from opcode 1 on */
    const uint8_t *names;    /* directory and file tables */
    const uint8_t *program, *end;
    bool named, bad;
    struct file *files;      /* by number */
    size_t nfiles, file_room;
    const char **directories; /* as they are written; base: that of the compilation, NULL: not known */
    size_t ndirectories, directory_room;
    const char *base;
};

struct file {
    const char *name; /* NULL: none */
    uint64_t directory;
    char *path;       /* complete; NULL: not asked for yet */
};

struct sequence { /* rows with ascending addresses */
    uint64_t start, end;
    const uint8_t *program; /* its first opcode */
    uint32_t unit;
    size_t count, room;     /* of `rows` */
    struct row *rows;       /* NULL: not decoded yet */
};

struct qn_lines {
    bool str_loaded;
    struct qn_section line, line_str, str;
    struct qn_line_table *units;
    size_t nunits, unit_room;
    struct sequence *sequences; /* sorted by start */
    size_t nsequences, sequence_room;
};

/* ---- numbers and strings of DWARF, from bytes that may be damaged ----
 *
 * In:  { 0xe5, 0x8e, 0x26 } as ULEB128     Out: 624485
 *
 * Invariants: it never reads beyond `end`: numbers there are 0, and `bad` stays set.
 */

#define LEB_BITS 7

static void skip_bytes(struct reader *r, uint64_t bytes)
{
    if (bytes > (uint64_t)(r->end - r->at)) {
        r->bad = true;
        r->at = r->end;
        return;
    }
    r->at += bytes;
}

/* Little-endian; bytes is 1, 2, 4 or 8. */
static uint64_t read_bytes(struct reader *r, unsigned bytes)
{
    uint64_t value = 0;

    if (bytes > sizeof value || (size_t)(r->end - r->at) < bytes) {
        skip_bytes(r, UINT64_MAX);
        return 0;
    }
    memcpy(&value, r->at, bytes);
    r->at += bytes;
    return value;
}

static uint64_t read_long_uleb(struct reader *r)
{
    uint64_t value = 0;

    for (unsigned shift = 0; r->at < r->end; shift += LEB_BITS) {
        uint8_t byte = *r->at++;

        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    r->bad = true;
    return 0;
}

static int64_t read_long_sleb(struct reader *r)
{
    uint64_t value = 0;

    for (unsigned shift = 0; r->at < r->end;) {
        uint8_t byte = *r->at++;

        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += LEB_BITS;
        if (!(byte & 0x80))
            return (int64_t)(byte & 0x40 && shift < 64 ? value | ~0ull << shift : value);
    }
    r->bad = true;
    return 0;
}

/* Inline, because nearly all numbers have one byte. */
static inline uint64_t read_uleb(struct reader *r)
{
    return r->at < r->end && !(*r->at & 0x80) ? *r->at++ : read_long_uleb(r);
}

static inline int64_t read_sleb(struct reader *r)
{
    return r->at < r->end && !(*r->at & 0xc0) ? *r->at++ : read_long_sleb(r);
}

/* A string that ends inside the section; "" otherwise. */
static const char *read_string(struct reader *r)
{
    const uint8_t *start = r->at, *zero = memchr(start, 0, (size_t)(r->end - start));

    if (!zero) {
        r->bad = true;
        r->at = r->end;
        return "";
    }
    r->at = zero + 1;
    return (const char *)start;
}

/* ---- line programs (DWARF 2 to 5, section 6.2) ----
 *
 * In:  a header and opcodes such as  set_address 401000, copy, special (address +4, line +1), ...,
 *      advance_pc 8, end_sequence
 * Out: the sequence 401000..401040, and when asked its rows  401000 line 1, 401004 line 2, ...
 *
 * A sequence is found by the bytes of end_sequence before it, and decoded when it is asked for: a short program runs few functions of its
 * libraries.
 *
 * Not modelled: is_stmt, columns, discriminators, views; several operations per instruction (VLIW);
 * files that the program itself defines (DW_LNE_define_file).  Unknown opcodes are skipped as the
 * header says.
 */

#define DWARF64_ESCAPE 0xffffffffu
#define FIXED_ADVANCE_BYTES 2

struct machine {
    uint64_t address;
    uint32_t file, line;
};

enum step { STEP_NONE, STEP_ROW, STEP_END };

static bool check_header(struct qn_line_table *u, struct reader *r)
{
    uint64_t header;

    u->version = (uint16_t)read_bytes(r, 2);
    if (u->version < 2 || u->version > 5)
        return false;
    if (u->version == 5 && read_bytes(r, 1) != sizeof(uint64_t)) /* size of addresses */
        return false;
    if (u->version == 5)
        skip_bytes(r, 1); /* size of segment selectors */
    header = read_bytes(r, u->dwarf64 ? 8 : 4);
    if (header > (uint64_t)(r->end - r->at))
        return false;
    u->program = r->at + header;
    u->instruction = (uint8_t)read_bytes(r, 1);
    if (u->version >= 4)
        skip_bytes(r, 1); /* operations per instruction */
    skip_bytes(r, 1);     /* is_stmt */
    u->line_base = (int8_t)read_bytes(r, 1);
    u->line_range = (uint8_t)read_bytes(r, 1);
    u->opcode_base = (uint8_t)read_bytes(r, 1);
    if (u->line_range == 0 || u->opcode_base == 0)
        return false;
    u->lengths = r->at;
    skip_bytes(r, u->opcode_base - 1u);
    u->names = r->at;
    return !r->bad && u->names <= u->program;
}

/* Reads the header at `offset`.  A unit that cannot be read is `bad` and has no program; one without bytes is
 * padding.  false: the section ends, or cannot be read further. */
static bool read_unit(const struct qn_section *line, uint64_t offset, struct qn_line_table *u, uint64_t *next)
{
    struct reader r;
    uint64_t length;

    if (offset >= line->size)
        return false;
    r = (struct reader){ line->bytes + offset, line->bytes + line->size, false };
    *u = (struct qn_line_table){ .offset = offset };
    length = read_bytes(&r, 4);
    if (length == DWARF64_ESCAPE) {
        u->dwarf64 = true;
        length = read_bytes(&r, 8);
    }
    if (r.bad || length > (uint64_t)(r.end - r.at))
        return false;
    r.end = r.at + length;
    *next = (uint64_t)(r.end - line->bytes);
    u->end = r.end;
    if (!check_header(u, &r)) {
        u->program = u->end;
        u->bad = length > 0;
    }
    return true;
}

static enum step step_extended(struct reader *r, struct machine *m)
{
    uint64_t length = read_uleb(r);
    struct reader body = *r;
    enum step result = STEP_NONE;

    skip_bytes(r, length);
    body.end = r->at;
    switch (read_bytes(&body, 1)) {
    case DW_LNE_end_sequence:
        result = STEP_END;
        break;
    case DW_LNE_set_address:
        m->address = read_bytes(&body, sizeof m->address);
        break;
    }
    r->bad |= body.bad;
    return result;
}

static enum step step_standard(const struct qn_line_table *u, uint8_t opcode, struct reader *r, struct machine *m)
{
    switch (opcode) {
    case DW_LNS_copy:
        return STEP_ROW;
    case DW_LNS_advance_pc:
        m->address += u->instruction * read_uleb(r);
        break;
    case DW_LNS_advance_line:
        m->line += (uint32_t)read_sleb(r);
        break;
    case DW_LNS_set_file:
        m->file = (uint32_t)read_uleb(r);
        break;
    case DW_LNS_const_add_pc:
        m->address += (uint64_t)((255 - u->opcode_base) / u->line_range) * u->instruction;
        break;
    case DW_LNS_fixed_advance_pc:
        m->address += read_bytes(r, FIXED_ADVANCE_BYTES);
        break;
    default: /* no effect on address, file or line, or not known */
        for (unsigned n = u->lengths[opcode - 1]; n; n--)
            read_uleb(r);
    }
    return STEP_NONE;
}

/* Executes one opcode. */
static enum step step(const struct qn_line_table *u, struct reader *r, struct machine *m)
{
    uint8_t opcode = *r->at++;

    if (opcode >= u->opcode_base) {
        opcode = (uint8_t)(opcode - u->opcode_base);
        m->address += (uint64_t)(opcode / u->line_range) * u->instruction;
        m->line += (uint32_t)(u->line_base + opcode % u->line_range);
        return STEP_ROW;
    }
    return opcode ? step_standard(u, opcode, r, m) : step_extended(r, m);
}

static void add_sequence(struct qn_debug *d, const struct sequence *s)
{
    struct qn_lines *l = d->lines;

    if (s->start && qn_debug_is_code(d, s->start) /* otherwise the linker has dropped the code */
        && QN_GROW(l->sequences, l->nsequences, l->sequence_room, QN_DEBUG_ROOM))
        l->sequences[l->nsequences++] = *s;
}

/* The first bytes of an end_sequence, sixteen places at a time; NULL: there are none. */
static const uint8_t *find_end(const uint8_t *at, const uint8_t *end)
{
    static const uint8_t end_sequence[] = { 0, 1, DW_LNE_end_sequence };
    const __m128i zero = _mm_setzero_si128(), one = _mm_set1_epi8(1);

    for (; end - at >= 18; at += 16) {
        __m128i first = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)at), zero);
        __m128i second = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(at + 1)), one);
        __m128i third = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(at + 2)), one);
        int found = _mm_movemask_epi8(_mm_and_si128(first, _mm_and_si128(second, third)));

        if (found)
            return at + __builtin_ctz((unsigned)found);
    }
    return memmem(at, (size_t)(end - at), end_sequence, sizeof end_sequence);
}

/* Adds the sequences of a table, without their ends.  The bytes of end_sequence may also stand within a sequence, as an operand and two opcodes.
 * This does no harm: what seems to begin behind them has no set_address, so it is not in the code.  false: the table is damaged. */
static bool find_sequences(struct qn_debug *d, uint32_t unit)
{
    const struct qn_line_table *u = &d->lines->units[unit];
    struct reader r = { u->program, u->end, false };
    enum step what = STEP_END;

    while (r.at < r.end && !r.bad) {
        struct sequence s = { .program = r.at, .unit = unit };
        struct machine m = { 0, 1, 1 };
        const uint8_t *end;

        do
            what = step(u, &r, &m);
        while (what == STEP_NONE && r.at < r.end && !r.bad);
        if (what == STEP_END) /* without rows */
            continue;
        s.start = m.address;
        end = s.start ? find_end(r.at, r.end) : NULL;
        if (end)
            r.at = end;
        while (what != STEP_END && r.at < r.end && !r.bad)
            what = step(u, &r, &m);
        if (what == STEP_END)
            add_sequence(d, &s);
    }
    return !r.bad && what == STEP_END;
}

/* Fills s->rows, and finds the end.  A row that a later one at the same address replaces is left out.  false: no memory. */
static bool decode_sequence(struct qn_debug *d, struct sequence *s)
{
    const struct qn_line_table *u = &d->lines->units[s->unit];
    struct reader r = { s->program, u->end, false };
    struct machine m = { 0, 1, 1 };
    enum step what = STEP_NONE;

    s->end = s->start; /* if it is damaged */
    while (what != STEP_END && r.at < r.end && !r.bad) {
        what = step(u, &r, &m);
        if (what == STEP_NONE)
            continue;
        if (s->count && s->rows[s->count - 1].address >= m.address)
            s->count--;
        if (!QN_GROW(s->rows, s->count, s->room, QN_DEBUG_ROOM))
            return false;
        s->rows[s->count++] = (struct row){ m.address, what == STEP_END ? ROW_END : m.line, m.file };
    }
    if (what == STEP_END)
        s->end = m.address;
    d->damaged |= what != STEP_END;
    return s->count > 0;
}

/* ---- file names: complete paths, as Cachegrind writes them ----
 *
 * In:  directories { "/src", "lib" }, file 1 = "a.c" in directory 1      Out: 1: "/src/lib/a.c"
 *
 * A relative directory is relative to that of the compilation: entry 0 of the table from DWARF 5 on,
 * DW_AT_comp_dir before.  Paths are not normalised.  From DWARF 5 on, a relative entry 0 comes twice
 * ("./csu/./csu/init-first.c"): Cachegrind writes it so, and profiles of both must be comparable.
 */

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
    struct qn_line_table *u;
    struct reader r;
};

static const char *string_at(const struct qn_section *s, uint64_t offset)
{
    struct reader r;

    if (offset >= s->size)
        return "";
    r = (struct reader){ s->bytes + offset, s->bytes + s->size, false };
    return read_string(&r);
}

static char *join(const char *directory, const char *name)
{
    char *path;

    if (name[0] == '/' || !directory)
        return strdup(name);
    return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

static void add_directory(struct qn_line_table *u, const char *name)
{
    if (QN_GROW(u->directories, u->ndirectories, u->directory_room, QN_DEBUG_ROOM))
        u->directories[u->ndirectories++] = name;
}

static void add_file(struct qn_line_table *u, const struct entry *e)
{
    if (QN_GROW(u->files, u->nfiles, u->file_room, QN_DEBUG_ROOM))
        u->files[u->nfiles++] = (struct file){ e->path && e->path[0] ? e->path : NULL, e->directory, NULL };
}

/* DWARF 2 to 4: directories up to an empty string; then files, each with its directory's number, time and size. */
static void read_old(struct names *n)
{
    const char *name;

    n->u->base = qn_debug_find_directory(n->d, n->u->offset);
    add_directory(n->u, n->u->base ? n->u->base : ".");
    while ((name = read_string(&n->r))[0])
        add_directory(n->u, name);
    add_file(n->u, &(struct entry){ NULL, 0 }); /* numbers begin at 1 */
    while (!n->r.bad && (name = read_string(&n->r))[0]) {
        struct entry e = { name, read_uleb(&n->r) };

        read_uleb(&n->r);
        read_uleb(&n->r);
        add_file(n->u, &e);
    }
}

/* .debug_str is read only when a name needs it, since it is large and few line tables use it. */
static const struct qn_section *section_str(struct qn_debug *d)
{
    if (!d->lines->str_loaded) {
        d->lines->str_loaded = true;
        d->lines->str = qn_debug_read_section(d, qn_debug_dwarf_file(d), ".debug_str");
    }
    return &d->lines->str;
}

static const char *read_path(struct names *n, uint32_t form)
{
    unsigned offset = n->u->dwarf64 ? 8 : 4;

    switch (form) {
    case DW_FORM_string:
        return read_string(&n->r);
    case DW_FORM_line_strp:
        return string_at(&n->d->lines->line_str, read_bytes(&n->r, offset));
    case DW_FORM_strp:
        return string_at(section_str(n->d), read_bytes(&n->r, offset));
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
        return read_bytes(&n->r, 1);
    case DW_FORM_data2:
        return read_bytes(&n->r, 2);
    case DW_FORM_data4:
        return read_bytes(&n->r, 4);
    case DW_FORM_data8:
        return read_bytes(&n->r, 8);
    case DW_FORM_udata:
        return read_uleb(&n->r);
    case DW_FORM_data16: /* MD5 */
        skip_bytes(&n->r, 16);
        return 0;
    case DW_FORM_block:
        skip_bytes(&n->r, read_uleb(&n->r));
        return 0;
    }
    read_path(n, form); /* a string, or a form that cannot be skipped */
    return 0;
}

static unsigned read_formats(struct names *n, struct format formats[FORMATS_MAX])
{
    unsigned count = (unsigned)read_bytes(&n->r, 1);

    for (unsigned i = 0; i < count; i++) {
        formats[i].content = (uint32_t)read_uleb(&n->r);
        formats[i].form = (uint32_t)read_uleb(&n->r);
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
    uint64_t entries = read_uleb(&n->r);

    for (uint64_t i = 0; i < entries && count && !n->r.bad; i++) {
        struct entry e = read_entry(n, formats, count);

        if (i == 0)
            n->u->base = e.path;
        add_directory(n->u, e.path);
    }
    count = read_formats(n, formats);
    entries = read_uleb(&n->r);
    for (uint64_t i = 0; i < entries && count && !n->r.bad; i++) {
        struct entry e = read_entry(n, formats, count);

        add_file(n->u, &e);
    }
}

static void read_names(struct qn_debug *d, struct qn_line_table *u)
{
    struct names n = { .d = d, .u = u, .r = { u->names, u->program, false } };

    if (u->named)
        return;
    u->named = true;
    if (u->version < 5)
        read_old(&n);
    else
        read_new(&n);
}

static char *make_path(const struct qn_line_table *u, const struct file *f)
{
    const char *name = f->directory < u->ndirectories ? u->directories[f->directory] : NULL;
    const char *base = u->base && u->base[0] && (f->directory || u->version >= 5) ? u->base : NULL;
    char *directory = name ? join(base, name) : NULL, *path = join(directory, f->name);

    free(directory);
    return path;
}

/* A unit names a hundred headers, and few of them have code that a short program runs, so paths are made when they are asked for. */
const char *qn_debug_name_file(struct qn_debug *d, struct qn_line_table *u, uint32_t file)
{
    struct file *f;

    read_names(d, u);
    f = file < u->nfiles ? &u->files[file] : NULL;
    if (f && f->name && !f->path)
        f->path = make_path(u, f);
    return f ? f->path : NULL;
}

/* ---- lines by address ---- */

static int compare(const void *left, const void *right)
{
    const struct sequence *a = left, *b = right;

    return QN_COMPARE(a->start, b->start) ?: QN_COMPARE(a->program, b->program);
}

/* NULL: no memory. */
static struct qn_lines *load_lines(struct qn_debug *d)
{
    struct qn_line_table u;
    struct qn_lines *l;
    uint64_t offset = 0;

    if (d->lines || !(l = d->lines = calloc(1, sizeof *l)))
        return d->lines;
    l->line = qn_debug_read_section(d, qn_debug_dwarf_file(d), ".debug_line");
    l->line_str = qn_debug_read_section(d, qn_debug_dwarf_file(d), ".debug_line_str");
    while (read_unit(&l->line, offset, &u, &offset)) {
        d->damaged |= u.bad;
        if (u.bad || !u.names)
            continue; /* padding and damaged ones may be as many as there are bytes */
        if (!QN_GROW(l->units, l->nunits, l->unit_room, QN_DEBUG_ROOM))
            break;
        l->units[l->nunits++] = u;
        d->damaged |= !find_sequences(d, (uint32_t)l->nunits - 1);
    }
    d->damaged |= offset < l->line.size;
    if (l->nsequences)
        qsort(l->sequences, l->nsequences, sizeof *l->sequences, compare);
    return l;
}

static struct sequence *find_sequence(struct qn_debug *d, uint64_t address, uint64_t *end)
{
    struct qn_lines *l = load_lines(d);
    size_t at = l ? QN_COUNT_WHILE(i, l->nsequences, l->sequences[i].start <= address) : 0;

    *end = l && at < l->nsequences ? l->sequences[at].start : UINT64_MAX;
    while (at--) {
        struct sequence *s = &l->sequences[at];

        if (!s->rows && !decode_sequence(d, s))
            return NULL;
        if (s->start == s->end) /* it has no code, but stands before the code of another one */
            continue;
        if (s->end < *end && address < s->end)
            *end = s->end;
        return address < s->end ? s : NULL;
    }
    return NULL;
}

void qn_debug_find_line(struct qn_debug *d, uint64_t address, const char **file, uint32_t *line,
                        uint64_t *end)
{
    struct sequence *s = find_sequence(d, address, end);
    size_t n = s ? QN_COUNT_WHILE(i, s->count, s->rows[i].address <= address) : 0;
    const struct row *row = s ? &s->rows[n ? n - 1 : 0] : NULL; /* the last at or before the address; the first starts the sequence */

    if (!row || row->line == ROW_END)
        return;
    if (row[1].address > address && row[1].address < *end)
        *end = row[1].address;
    *file = qn_debug_name_file(d, &d->lines->units[s->unit], row->file);
    if (*file)
        *line = row->line;
}

struct qn_line_table *qn_debug_find_line_table(struct qn_debug *d, uint64_t offset)
{
    const struct qn_lines *l = load_lines(d);
    size_t n = l ? QN_COUNT_WHILE(i, l->nunits, l->units[i].offset < offset) : 0;

    return l && n < l->nunits && l->units[n].offset == offset ? &l->units[n] : NULL;
}

void qn_debug_free_lines(struct qn_debug *d)
{
    struct qn_lines *l = d->lines;

    if (!l)
        return;
    for (size_t i = 0; i < l->nsequences; i++)
        free(l->sequences[i].rows);
    for (size_t i = 0; i < l->nunits; i++) {
        for (size_t j = 0; j < l->units[i].nfiles; j++)
            free(l->units[i].files[j].path);
        free(l->units[i].files);
        free(l->units[i].directories);
    }
    qn_debug_free_section(&l->line);
    qn_debug_free_section(&l->line_str);
    qn_debug_free_section(&l->str);
    free(l->sequences);
    free(l->units);
    free(l);
}

/* ---- addresses of lines ----
 *
 * In:  "demo.c", lines 12 to 12
 * Out: 401136..40113d, 401150..401154
 *
 * Invariants: these are exactly the addresses for which qn_debug_find gives such a line; so a sequence ends where the next
 * one begins, and of several rows at one address the last one counts.
 */

/* Does the path end in what the user wrote, whole components of it? */
static bool is_named(const char *path, const char *asked)
{
    size_t n = strlen(path), m = strlen(asked);

    return n >= m && !strcmp(path + n - m, asked) && (n == m || path[n - m - 1] == '/');
}

static bool is_in(const struct qn_debug_lines_asked *a, uint32_t line) { return line >= a->first && line <= a->last; }

/* Line 0 means that no line has this code. */
static void note_nearest(struct qn_debug_lines_asked *a, uint32_t line)
{
    if (line && line < a->first && line > a->below)
        a->below = line;
    if (line > a->last && (!a->above || line < a->above))
        a->above = line;
}

/* Does the unit have a file that is meant?  Asked once per file, not once per row. */
static bool has_file(struct qn_debug *d, struct qn_line_table *u, const char *asked)
{
    const char *path;

    read_names(d, u);
    for (size_t i = 0; i < u->nfiles; i++)
        if ((path = qn_debug_name_file(d, u, (uint32_t)i)) && is_named(path, asked))
            return true;
    return false;
}

static void scan_rows(struct qn_debug *d, const struct sequence *s, uint64_t limit, struct qn_debug_lines_asked *a,
                      qn_debug_take_range *take, void *data)
{
    struct qn_line_table *u = &d->lines->units[s->unit];

    for (uint32_t i = 0; i + 1 < s->count; i++) {
        uint64_t start = s->rows[i].address, end = s->rows[i + 1].address < limit ? s->rows[i + 1].address : limit;
        const char *path;

        if (start >= end || s->rows[i].line == ROW_END)
            continue;
        path = qn_debug_name_file(d, u, s->rows[i].file);
        if (!path || !is_named(path, a->file))
            continue;
        if (is_in(a, s->rows[i].line)) {
            a->path = path;
            take(data, start, end);
        } else {
            a->path = a->path ? a->path : path;
            note_nearest(a, s->rows[i].line);
        }
    }
}

void qn_debug_find_lines(struct qn_debug *d, struct qn_debug_lines_asked *asked, qn_debug_take_range *take, void *data)
{
    struct qn_lines *l = load_lines(d);

    asked->below = asked->above = 0;
    asked->path = NULL;
    for (size_t i = 0; l && i < l->nsequences; i++) {
        struct sequence *s = &l->sequences[i];
        uint64_t limit = i + 1 < l->nsequences ? l->sequences[i + 1].start : UINT64_MAX;

        if (!has_file(d, &l->units[s->unit], asked->file))
            continue;
        if (s->rows || decode_sequence(d, s))
            scan_rows(d, s, limit < s->end ? limit : s->end, asked, take, data);
    }
}
