/* lib/debug/internal.h - the parts of one open module; only the files of this folder include it.
 *
 * Parts: segments (file offset -> address), symbols (address -> function), lines (address -> file
 * and line).  Each part is read when it is first asked for, because most modules of a run are
 * never asked about lines.
 */
#ifndef QN_DEBUG_INTERNAL_H
#define QN_DEBUG_INTERNAL_H

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/debug.h"

#define QN_DEBUG_ROOT "/usr/lib/debug"
#define QN_BUILD_ID_MAX 64 /* bytes; SHA-1 gives 20 */

/* One ELF file: the program itself or its separate debug file. */
struct qn_elf_file {
    int fd; /* -1: not open, or an image in memory */
    Elf *elf;
};

struct qn_segment { /* PT_LOAD */
    uint64_t offset, file_size, address, memory_size;
    bool executable;
};

struct qn_symbol {
    uint64_t start, end; /* end exclusive */
    const char *name;    /* as in the string table */
    char *shown;         /* demangled, owned; NULL: not demangled yet, or the same as name */
    bool known;          /* demangling was tried */
    bool chooses;        /* STT_GNU_IFUNC: its code returns the address of the function */
};

struct qn_symbols {
    bool loaded;
    struct qn_symbol *list; /* sorted, disjoint */
    size_t count, room;
    struct qn_symbol *others; /* further names of ranges in the list */
    size_t nothers, other_room;
};

struct qn_reader { /* bytes of a section; reading beyond the end gives zeros and sets `bad` */
    const uint8_t *at, *end;
    bool bad;
};

struct qn_row { /* valid up to the next row; the last of a sequence has line QN_ROW_END */
    uint64_t address;
    uint32_t line;
    uint32_t file;
};
#define QN_ROW_END UINT32_MAX

struct qn_unit { /* one line table of .debug_line: its header, and its files once they are asked for */
    uint64_t offset;         /* in .debug_line; DW_AT_stmt_list of its compilation unit */
    uint16_t version;        /* of DWARF, 2 to 5 */
    bool dwarf64;
    uint8_t instruction, opcode_base, line_range;
    int8_t line_base;
    const uint8_t *lengths;  /* operands of the standard opcodes, from opcode 1 on */
    const uint8_t *names;    /* directory and file tables */
    const uint8_t *program, *end;
    bool named, bad;
    char **files;            /* complete paths, by number; NULL: none */
    size_t nfiles, file_room;
};

struct qn_sequence { /* rows with ascending addresses */
    uint64_t start, end;
    const uint8_t *program; /* its first opcode */
    uint32_t unit;
    uint32_t scanned;       /* rows that the program makes */
    uint32_t count;         /* of `rows` */
    struct qn_row *rows;    /* NULL: not decoded yet */
};

struct qn_section {
    const uint8_t *bytes;
    size_t size;
    void *owned; /* the bytes to free; NULL: libelf owns them */
};

struct qn_directory { /* of a compilation, by its line table */
    uint64_t offset;
    const char *text;
};

struct qn_code_range { /* code of a compilation, or of a function in it */
    uint64_t start, end, reach; /* reach: largest end up to here */
    uint32_t order;             /* of its entry in the file */
    Dwarf_Die die;
};

struct qn_code_ranges {
    bool loaded;
    struct qn_code_range *list; /* by start */
    size_t count, room;
};

struct qn_lines {
    bool loaded, str_loaded;
    struct qn_section line, line_str, str;
    struct qn_unit *units;
    size_t nunits, unit_room;
    struct qn_sequence *sequences; /* sorted by start */
    size_t nsequences, sequence_room;
};

struct qn_inlines; /* inlines.c */
struct qn_objects; /* objects.c */
struct qn_memory;  /* memory.h */

struct qn_debug {
    struct qn_elf_file main, separate;
    char *path;
    uint64_t dev, ino;
    struct qn_segment *segments;
    size_t nsegments;
    struct qn_symbols symbols;
    struct qn_lines lines;
    Dwarf *dwarf;       /* opened only for what the line tables do not have */
    bool dwarf_tried, directories_loaded;
    void *made_names;   /* a tree (tsearch) of names of subprograms */
    void *parents;      /* a tree of compilations, parents.c */
    struct qn_objects *objects; /* NULL: not asked for yet */
    struct qn_inlines *inlines; /* NULL: not asked for yet */
    void *inline_names; /* a tree (tsearch) of struct name, inline_names.c */
    struct qn_memory *memory;   /* NULL: not asked for yet */
    char *too_large;    /* the section that unpacks to too much, so that the file's debug information is not read; NULL: none does */
    bool damaged;       /* a part that was read is damaged */
    struct qn_directory *directories; /* sorted by offset */
    size_t ndirectories, directory_room;
    struct qn_code_ranges units;
    uint32_t nunits;
    struct qn_code_ranges *functions; /* by unit; NULL: not asked for yet */
    char build_id[2 * QN_BUILD_ID_MAX + 1];
};

extern struct qn_debug_settings qn_debug_settings;

#define QN_DEBUG_ROOM 64 /* first size of a growing array, in elements */

/* segments.c; false: they are damaged. */
bool qn_debug_read_segments(struct qn_debug *d);
/* True if the address lies in an executable segment. */
bool qn_debug_is_code(const struct qn_debug *d, uint64_t address);

/* sections.c: a section by name, NULL if there is none. */
Elf_Scn *qn_debug_section(Elf *elf, const char *name, GElf_Shdr *header);
/* Does the file have line tables, compressed or not? */
bool qn_debug_has_lines(Elf *elf);
/* Do all sections of the file together, and each of them, unpack to what can be?  Asked before any is unpacked. */
bool qn_debug_is_bounded(struct qn_debug *d, Elf *elf);
/* The bytes of a debug section, unpacked; none if it is not there, or damaged. */
struct qn_section qn_debug_read_section(struct qn_debug *d, Elf *elf, const char *name);
void qn_debug_free_section(struct qn_section *s);

/* separate.c: finds and opens d->separate, if the module has no line tables or no .symtab. */
void qn_debug_find_separate(struct qn_debug *d);
/* The file that has the DWARF sections, NULL if none has. */
Elf *qn_debug_dwarf_file(struct qn_debug *d);
/* At most QN_BUILD_ID_MAX bytes in lower-case hexadecimal. */
void qn_debug_put_hex(char text[2 * QN_BUILD_ID_MAX + 1], const unsigned char *bytes, size_t n);
/* Writes the build-id in hex, "" if none. */
void qn_debug_read_build_id(Elf *elf, char text[2 * QN_BUILD_ID_MAX + 1]);

/* symbols.c, prefer.c */
void qn_debug_find_symbol(struct qn_debug *d, uint64_t address, const char **name, uint64_t *end);
/* Reads the symbol tables, unless that was done. */
void qn_debug_load_symbols(struct qn_debug *d);
bool qn_debug_has_symbols(const struct qn_debug *d);
void qn_debug_free_symbols(struct qn_symbols *s);
bool qn_debug_prefer_name(const char *a, const char *b);

/* objects.c */
void qn_debug_free_objects(struct qn_objects *o);

/* lines.c */
void qn_debug_find_line(struct qn_debug *d, uint64_t address, const char **file, uint32_t *line,
                        uint64_t *end);
void qn_debug_free_lines(struct qn_lines *l);
/* Reads the line tables, unless that was done. */
void qn_debug_load_lines(struct qn_debug *d);

/* Lists the units of d->lines.line; calls `take`, unless it is NULL, for each of their sequences. */
typedef void qn_debug_take_sequence(void *data, const struct qn_sequence *s);
void qn_debug_list_units(struct qn_debug *d, qn_debug_take_sequence *take);

/* line_program.c: reads the header at `offset` (false: no more), the sequences of a unit (false: it is damaged), the rows of
 * a sequence (false: no memory). */
bool qn_debug_read_unit(const struct qn_section *line, uint64_t offset, struct qn_unit *u, uint64_t *next);
bool qn_debug_scan_unit(const struct qn_unit *u, qn_debug_take_sequence *take, void *data);
bool qn_debug_decode_sequence(const struct qn_unit *u, struct qn_sequence *s);

/* line_names.c: the complete path of a file of the unit, NULL if it has none. */
const char *qn_debug_name_file(struct qn_debug *d, struct qn_unit *u, uint32_t file);

/* reader.c */
uint64_t qn_debug_read(struct qn_reader *r, unsigned bytes);
uint64_t qn_debug_read_long_uleb(struct qn_reader *r);
int64_t qn_debug_read_long_sleb(struct qn_reader *r);

/* Inline, because nearly all numbers have one byte. */
static inline uint64_t qn_debug_read_uleb(struct qn_reader *r)
{
    return r->at < r->end && !(*r->at & 0x80) ? *r->at++ : qn_debug_read_long_uleb(r);
}

static inline int64_t qn_debug_read_sleb(struct qn_reader *r)
{
    return r->at < r->end && !(*r->at & 0xc0) ? *r->at++ : qn_debug_read_long_sleb(r);
}
const char *qn_debug_read_string(struct qn_reader *r);
void qn_debug_skip(struct qn_reader *r, uint64_t bytes);

/* dwarf.c: what needs .debug_info. */
Dwarf *qn_debug_open_dwarf(struct qn_debug *d); /* NULL: there is none */
/* The unit whose code has the address, of several the first in the file; NULL: none.  Lowers *end to the next address for which it may differ. */
const struct qn_code_range *qn_debug_find_unit(struct qn_debug *d, uint64_t address, uint64_t *end);
/* A unit's entry: that of its .dwo file (true), if that is there. */
bool qn_debug_unit_entries(const struct qn_code_range *range, Dwarf_Die *unit);
void qn_debug_free_ranges(struct qn_debug *d);
/* The readable name of a subprogram; valid until the module is closed.  NULL: it has none. */
const char *qn_debug_name_die(struct qn_debug *d, Dwarf_Die *die);
void qn_debug_find_subprogram(struct qn_debug *d, uint64_t address, const char **name,
                              uint64_t *end);
void qn_debug_free_made_names(struct qn_debug *d);
/* The directory of the compilation whose line table is at this offset; NULL: not known. */
const char *qn_debug_find_directory(struct qn_debug *d, uint64_t offset);

/* parents.c: the entry around an entry; false: there is none, or it is not known. */
bool qn_debug_parent(struct qn_debug *d, Dwarf_Die *die, Dwarf_Die *parent);
bool qn_debug_may_hold_code(int tag);
void qn_debug_free_parents(struct qn_debug *d);
/* For tsearch: by the pointer that a node begins with. */
int qn_debug_compare_keys(const void *left, const void *right);

/* demangle.c: the readable form of a C++ or Rust name in fresh memory, NULL if it has none. */
enum { QN_DEBUG_SHOWN_MAX = 65536 }; /* bytes of a Rust name */
char *qn_debug_demangle(const char *name);

/* symbols.c: does `name` mean the function that is shown as `shown`?  "f" means "f(int)". */
bool qn_debug_is_called(const char *shown, const char *name);

#endif
