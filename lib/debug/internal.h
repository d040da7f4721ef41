/* lib/debug/internal.h - the parts of one open module; only the files of this folder include it.
 *
 * Parts: segments (file offset -> address), symbols (address -> function, variable), lines (address -> file and line), and DWARF's entries:
 * functions and inlined calls, types, variables.  Each part is read when it is first asked for, because most modules of a run are
 * never asked about lines.
 */
#ifndef QN_DEBUG_INTERNAL_H
#define QN_DEBUG_INTERNAL_H

#include <elfutils/libdw.h>
#include <gelf.h>

#include "debug/debug.h"

#define QN_DEBUG_ROOT "/usr/lib/debug"
#define QN_BUILD_ID_MAX 64 /* bytes; SHA-1 gives 20 */
#define QN_DEBUG_ROOM 64 /* first size of a growing array, in elements */

/* One ELF file: the program itself or its separate debug file. */
struct qn_elf_file {
    int fd; /* -1: not open, or an image in memory */
    Elf *elf;
};

struct qn_segment { /* PT_LOAD */
    uint64_t offset, file_size, address, memory_size;
    bool executable;
};

struct qn_symbols {
    bool loaded;
    struct qn_debug_symbol *list;
    size_t count, room;
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

struct qn_global {
    uint64_t start, end;
    Dwarf_Die die;
    const struct qn_debug_type *type; /* NULL: not made yet, or not known */
};

struct qn_debug {
    struct qn_elf_file main, separate;
    char *path;
    uint64_t dev, ino;
    struct qn_segment *segments;
    size_t nsegments;
    struct {
        uint64_t start, size;
    } plt;
    struct qn_symbols functions, objects; /* sorted, disjoint */
    struct qn_symbols others;             /* further names of ranges of functions */
    struct qn_lines *lines;     /* lines.c; NULL: not read yet */
    Dwarf *dwarf;               /* opened only for what the line tables do not have */
    bool dwarf_tried;
    char *too_large;            /* the section that unpacks to too much, so that the file's debug information is not read; NULL: none does */
    bool damaged;               /* a part that was read is damaged */
    char build_id[2 * QN_BUILD_ID_MAX + 1];

    struct qn_code_ranges units;
    uint32_t nunits;
    struct qn_code_ranges *code; /* functions, by unit; NULL: not asked for yet */
    struct qn_directory *directories;
    size_t ndirectories, directory_room;
    struct qn_inlines *inlines; /* inlines.c; NULL: not asked for yet */

    /* Trees (tsearch) of what is made once: */
    void *made_names;           /* names of subprograms */
    void *parents;              /* compilations, dwarf.c */
    void *types[2];             /* types by their entry; the second has those of heap blocks */
    void *members;              /* structures by their entry, types.c */
    void *definitions;          /* structures by name, types.c */
    bool definitions_read;
    unsigned visits;            /* of structures that are left, types.c */

    struct qn_global *globals;  /* sorted by start */
    size_t nglobals, global_room;
    bool globals_read;
    Dwarf_CFI *frames;          /* of .eh_frame; ours */
    bool frames_tried;
};

extern struct qn_debug_settings qn_debug_settings;

/* ---- debug.c ---- */

/* True if the address lies in an executable segment. */
bool qn_debug_is_code(const struct qn_debug *d, uint64_t address);

/* ---- sections.c ---- */

/* A section by name, NULL if there is none. */
Elf_Scn *qn_debug_section(Elf *elf, const char *name, GElf_Shdr *header);
/* Do all sections of the file together, and each of them, unpack to what can be?  Asked before any is unpacked. */
bool qn_debug_is_bounded(struct qn_debug *d, Elf *elf);
/* The bytes of a debug section, unpacked; none if it is not there, or damaged. */
struct qn_section qn_debug_read_section(struct qn_debug *d, Elf *elf, const char *name);
void qn_debug_free_section(struct qn_section *s);
/* Finds and opens d->separate, if the module has no line tables or no .symtab. */
void qn_debug_find_separate(struct qn_debug *d);
/* The file that has the DWARF sections, NULL if none has. */
Elf *qn_debug_dwarf_file(struct qn_debug *d);
/* At most QN_BUILD_ID_MAX bytes in lower-case hexadecimal. */
void qn_debug_put_hex(char text[2 * QN_BUILD_ID_MAX + 1], const unsigned char *bytes, size_t n);
/* Writes the build-id in hex, "" if none. */
void qn_debug_read_build_id(Elf *elf, char text[2 * QN_BUILD_ID_MAX + 1]);

/* ---- symbols.c ---- */

void qn_debug_find_symbol(struct qn_debug *d, uint64_t address, const char **name, uint64_t *end);
bool qn_debug_has_symbols(const struct qn_debug *d);
void qn_debug_free_symbols(struct qn_debug *d);
/* true: show a rather than b. */
bool qn_debug_prefer_name(const char *a, const char *b);
/* The readable form of a C++ or Rust name in fresh memory, NULL if it has none. */
enum { QN_DEBUG_SHOWN_MAX = 65536 }; /* bytes of a Rust name */
char *qn_debug_demangle(const char *name);
/* Does `name` mean the function that is shown as `shown`?  "f" means "f(int)". */
bool qn_debug_is_called(const char *shown, const char *name);

/* ---- lines.c ---- */

void qn_debug_find_line(struct qn_debug *d, uint64_t address, const char **file, uint32_t *line,
                        uint64_t *end);
struct qn_line_table; /* of one compilation */
/* The line table at an offset of .debug_line (DW_AT_stmt_list); NULL: none. */
struct qn_line_table *qn_debug_find_line_table(struct qn_debug *d, uint64_t offset);
/* The complete path of a file of the table, NULL if it has none. */
const char *qn_debug_name_file(struct qn_debug *d, struct qn_line_table *u, uint32_t file);
void qn_debug_free_lines(struct qn_debug *d);

/* ---- dwarf.c: what needs .debug_info ---- */

Dwarf *qn_debug_open_dwarf(struct qn_debug *d); /* NULL: there is none */
/* The unit whose code has the address, of several the first in the file; NULL: none.  Lowers *end to the next address for which it may differ. */
const struct qn_code_range *qn_debug_find_unit(struct qn_debug *d, uint64_t address, uint64_t *end);
/* A unit's entry: that of its .dwo file (true), if that is there. */
bool qn_debug_unit_entries(const struct qn_code_range *range, Dwarf_Die *unit);
/* The function that has the address; NULL: none. */
const struct qn_code_range *qn_debug_find_code(struct qn_debug *d, uint64_t address);
/* The readable name of a subprogram; valid until the module is closed.  NULL: it has none. */
const char *qn_debug_name_die(struct qn_debug *d, Dwarf_Die *die);
/* The directory of the compilation whose line table is at this offset; NULL: not known. */
const char *qn_debug_find_directory(struct qn_debug *d, uint64_t offset);
/* An attribute that is a number; false: the entry has none. */
bool qn_debug_number(Dwarf_Die *die, unsigned attribute, Dwarf_Word *value);
const char *qn_debug_named_file(Dwarf_Die *die, unsigned attribute); /* by DW_AT_decl_file or DW_AT_call_file; NULL: none */
/* Follows DW_AT_abstract_origin and DW_AT_specification to the entry that declares. */
Dwarf_Die qn_debug_declaration(Dwarf_Die die);
/* The entry around an entry; false: there is none, or it is not known. */
bool qn_debug_parent(struct qn_debug *d, Dwarf_Die *die, Dwarf_Die *parent);
/* Calls `visit` for each entry below `parent`, and goes down into those for which it returns true. */
typedef bool qn_debug_visit(void *data, Dwarf_Die *die, int tag);
void qn_debug_walk(Dwarf_Die *parent, qn_debug_visit *visit, void *data);
void qn_debug_walk_units(struct qn_debug *d, qn_debug_visit *visit, void *data); /* below all units */
/* Assigns the children of an entry to `die`, one after the other. */
#define QN_DEBUG_EACH_CHILD(parent, die) for (int qn_none = dwarf_child(parent, die); !qn_none; qn_none = dwarf_siblingof(die, die))
/* The node of a tree (tsearch) that begins with this key; a fresh one has `size` bytes, which are 0 behind the key.  NULL: no memory. */
void *qn_debug_node(void **tree, const void *key, size_t size);
void qn_debug_free_dwarf(struct qn_debug *d);

/* ---- inlines.c ---- */

struct qn_inline { /* one inlined call */
    const char *function;         /* the inlined function; never NULL */
    const char *file;             /* of the call; NULL: not known */
    uint32_t line;                /* of the call; 0: not known */
    const struct qn_inline *into; /* the inlined call around this one; NULL: it is inlined in a function with code of its own */
    struct qn_inline *next;       /* of all calls of the module */
    struct qn_inline_name *names; /* made names */
};

/* The innermost inlined call at the address; NULL: none.  Lowers *end to the next address for which the answer may differ. */
struct qn_inline *qn_debug_find_inline(struct qn_debug *d, uint64_t address, uint64_t *end);
/* "leaf (inlined in main)", or with the whole chain "leaf (inlined in middle at /src/a.c:9, in main at /src/a.c:20)".  Valid until the
 * module is closed; NULL: no memory. */
const char *qn_debug_name_inline(struct qn_inline *call, const char *outer);
void qn_debug_free_inlines(struct qn_debug *d);

/* ---- types.c ---- */

#define QN_DEBUG_DIMENSIONS 8

struct qn_debug_type {
    const void *key;         /* of the tree: its entry */
    struct qn_debug *debug;
    bool made;
    Dwarf_Die named, die;    /* an element's type: as it is named (a typedef), and stripped of typedefs */
    uint64_t size;           /* bytes of an element; 0 = not known */
    uint64_t dimension[QN_DEBUG_DIMENSIONS]; /* of the variable; 0 = no bounds */
    unsigned dimensions;
    bool block;              /* of a heap block, which holds any number of elements */
    bool structure, open_ended; /* open_ended: its size is not fixed */
    char *name;              /* NULL: the type is not known */
};

bool qn_debug_type_of(Dwarf_Die *die, Dwarf_Die *type);     /* by DW_AT_type, of its origin, too */
bool qn_debug_pointee(Dwarf_Die type, Dwarf_Die *pointee);  /* not stripped; false: no pointer, or one to void or to code */
uint64_t qn_debug_size(Dwarf_Die *type);
bool qn_debug_is_char(Dwarf_Die type);
/* The type of a variable of this type; with `block`, of a heap block that holds such elements.  NULL: not known. */
const struct qn_debug_type *qn_debug_make_type(struct qn_debug *d, Dwarf_Die type, bool block);
/* The type at an offset inside an object of `type`: that of the innermost member or element, neither a structure nor an array. */
bool qn_debug_type_at(struct qn_debug *d, Dwarf_Die type, uint64_t offset, Dwarf_Die *found);
/* The type of the elements of the first array of pointers in a structure. */
bool qn_debug_pointers_in(struct qn_debug *d, Dwarf_Die structure, Dwarf_Die *found);
void qn_debug_free_types(struct qn_debug *d);

/* ---- variables.c ---- */

struct qn_global *qn_debug_find_global(struct qn_debug *d, uint64_t address); /* NULL: none is there */

#define QN_DEBUG_SCOPES 64

/* The entries around an address: the function, and inside it blocks and inlined calls. */
struct qn_scopes {
    struct qn_debug *debug;
    Dwarf_Die die[QN_DEBUG_SCOPES]; /* the outermost first */
    int n;
};

bool qn_debug_find_scopes(struct qn_debug *d, uint64_t address, struct qn_scopes *s);

/* Where a variable is when the code at an address executes.  Registers have the processor's numbers, not DWARF's. */
struct qn_where {
    enum { QN_WHERE_NOT, QN_WHERE_REGISTER, QN_WHERE_MEMORY, QN_WHERE_ADDRESS } kind;
    unsigned reg;            /* REGISTER; MEMORY: base of the offset */
    int64_t offset;
    uint64_t address;
};
bool qn_debug_locate(struct qn_scopes *s, Dwarf_Die *variable, uint64_t pc, struct qn_where *where);

/* Calls `take` for each variable and parameter in scope, the innermost first, until it returns true; returns whether it did. */
typedef bool qn_debug_take_variable(void *data, struct qn_scopes *s, Dwarf_Die *variable);
bool qn_debug_each_variable(struct qn_scopes *s, qn_debug_take_variable *take, void *data);

#endif
