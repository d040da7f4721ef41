/* lib/debug/internal.h - the parts of one open module, shared by the files of this folder only.
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
    char *shown;         /* demangled, owned; NULL: not looked at yet, or the same as name */
    bool known;          /* demangling was tried */
};

struct qn_symbols {
    bool loaded;
    struct qn_symbol *list; /* sorted, disjoint */
    size_t count, room;
};

struct qn_path { /* a relative name of the line table, and what to show for it */
    const char *from;
    char *to;
};

struct qn_unit { /* a compilation unit with a line table */
    Dwarf_Die die;
    unsigned version; /* of DWARF */
    bool loaded;
    Dwarf_Lines *rows;
    size_t count;
    struct qn_path *paths;
    size_t npaths, path_room;
};

struct qn_unit_range {
    uint64_t start, end;
    uint32_t unit;
};

struct qn_lines {
    bool loaded;
    Dwarf *dwarf;
    struct qn_unit *units;
    size_t nunits, unit_room;
    struct qn_unit_range *ranges; /* sorted by start */
    size_t nranges, range_room;
};

struct qn_debug {
    struct qn_elf_file main, separate;
    char *path;
    uint64_t dev, ino;
    struct qn_segment *segments;
    size_t nsegments;
    struct qn_symbols symbols;
    struct qn_lines lines;
    char build_id[2 * QN_BUILD_ID_MAX + 1];
};

/* Grows an array so that one more element fits.  false: no memory. */
bool qn_debug_grow(void **list, size_t count, size_t *room, size_t size);

/* True if the address lies in an executable segment. */
bool qn_debug_is_code(const struct qn_debug *d, uint64_t address);

/* A section by name, NULL if there is none. */
Elf_Scn *qn_debug_section(Elf *elf, const char *name, GElf_Shdr *header);

/* separate.c: finds and opens d->separate where that adds something. */
void qn_debug_find_separate(struct qn_debug *d);
/* Writes the build-id in hex, "" if none. */
void qn_debug_read_build_id(Elf *elf, char text[2 * QN_BUILD_ID_MAX + 1]);

/* symbols.c, prefer.c */
void qn_debug_find_symbol(struct qn_debug *d, uint64_t address, const char **name, uint64_t *end);
bool qn_debug_has_symbols(const struct qn_debug *d);
void qn_debug_free_symbols(struct qn_symbols *s);
bool qn_debug_prefer_name(const char *a, const char *b);

/* lines.c, subprogram.c */
void qn_debug_find_line(struct qn_debug *d, uint64_t address, const char **file, uint32_t *line,
                        uint64_t *end);
struct qn_unit *qn_debug_find_unit(struct qn_debug *d, uint64_t address, uint64_t *end);
void qn_debug_find_subprogram(struct qn_debug *d, uint64_t address, const char **name,
                              uint64_t *end);
void qn_debug_free_lines(struct qn_lines *l);

/* path.c: the name to show for a file of the unit's line table. */
const char *qn_debug_complete_path(struct qn_unit *u, const char *file);

/* demangle.c: the readable form of a C++ or Rust name in fresh memory, NULL if it has none. */
char *qn_debug_demangle(const char *name);

#endif
