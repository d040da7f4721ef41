/* lib/debug/memory.h - what types.c, members.c, variables.c, scopes.c and allocated.c share. */
#ifndef QN_DEBUG_MEMORY_H
#define QN_DEBUG_MEMORY_H

#include "debug/internal.h"
#include "debug/types.h"

#define QN_DEBUG_DIMENSIONS 8

struct qn_debug_type {
    const void *key;         /* of the tree */
    struct qn_debug *debug;
    Dwarf_Die named, die;    /* an element's type: as it is named (a typedef), and stripped of typedefs */
    uint64_t size;           /* bytes of an element; 0 = not known */
    uint64_t dimension[QN_DEBUG_DIMENSIONS]; /* of the variable; 0 = no bounds */
    unsigned dimensions;
    bool block;              /* of a heap block, which holds any number of elements */
    bool structure, open_ended; /* open_ended: its size is not fixed */
    char *name;
    struct qn_debug_type *next; /* of m->arrays */
};

struct qn_global {
    uint64_t start, end;
    Dwarf_Die die;
    const struct qn_debug_type *type; /* NULL: not made yet, or not known */
    bool looked;
};

struct qn_memory { /* d->memory */
    void *types[2];          /* trees (tsearch) of types that are no arrays, by their entry; the second has those of heap blocks */
    struct qn_debug_type *arrays; /* the newest one */
    void *members;           /* a tree of structures, members.c */
    unsigned visits;         /* of structures that are left */
    void *definitions;       /* a tree of structures by name, types.c */
    bool definitions_read;
    struct qn_global *globals; /* sorted by start */
    size_t nglobals, global_room;
    bool globals_read;
    Dwarf_CFI *frames;       /* of .eh_frame; ours */
    bool frames_tried;
};

/* NULL: no memory. */
struct qn_memory *qn_debug_memory(struct qn_debug *d);
void qn_debug_free_memory(struct qn_debug *d);

/* variables.c: reads all global variables, sorted; qn_debug_find_variable does so at its first call. */
void qn_debug_read_globals(struct qn_debug *d, struct qn_memory *m);
struct qn_global *qn_debug_find_global(struct qn_debug *d, uint64_t address); /* with its entry; NULL: none is there */

/* variables.c: fills in file and line of the declaration that an entry names. */
void qn_debug_find_declaration(struct qn_debug_variable *v, Dwarf_Die die);

/* ---- types.c ---- */

/* Strips typedefs, const and other qualifiers; false: void. */
bool qn_debug_strip(Dwarf_Die *type);
bool qn_debug_type_of(Dwarf_Die *die, Dwarf_Die *type);     /* by DW_AT_type, of its origin, too */
bool qn_debug_pointee(Dwarf_Die type, Dwarf_Die *pointee);  /* not stripped; false: no pointer, or one to void or to code */
bool qn_debug_is_structure(Dwarf_Die *die);
uint64_t qn_debug_size(Dwarf_Die *type);
bool qn_debug_is_char(Dwarf_Die type);

/* The type of a variable of this type; with `block`, of a heap block that holds such elements.  NULL: not known. */
const struct qn_debug_type *qn_debug_make_type(struct qn_debug *d, Dwarf_Die type, bool block);

/* ---- members.c ---- */

/* The type at an offset inside an object of `type`: that of the innermost member or element, neither a structure nor an array. */
bool qn_debug_type_at(struct qn_debug *d, Dwarf_Die type, uint64_t offset, Dwarf_Die *found);
/* The type of the elements of the first array of pointers in a structure. */
bool qn_debug_pointers_in(struct qn_debug *d, Dwarf_Die structure, Dwarf_Die *found);
void qn_debug_free_members(struct qn_memory *m);
bool qn_debug_is_open_ended(struct qn_debug *d, Dwarf_Die *structure);
/* The numbers of elements of an array, one for each dimension, `room` at most; returns how many.  *type becomes that of an element. */
unsigned qn_debug_dimensions(Dwarf_Die *type, uint64_t *dimension, unsigned room);

/* ---- scopes.c ---- */

#define QN_DEBUG_SCOPES 64

/* The entries around an address: the function, and inside it blocks and inlined calls. */
struct qn_scopes {
    struct qn_debug *debug;
    Dwarf_Die unit, die[QN_DEBUG_SCOPES]; /* the outermost first */
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
/* The unwind rules at pc; free() them.  NULL: none. */
Dwarf_Frame *qn_debug_open_frame(struct qn_debug *d, uint64_t pc);
#define QN_DEBUG_RSP 4
#define QN_DEBUG_RBP 5
/* The frame's address (CFA) at pc. */
bool qn_debug_frame(struct qn_debug *d, uint64_t pc, struct qn_where *where);

/* Calls `take` for each variable and parameter in scope, the innermost first, until it returns true; returns whether it did. */
typedef bool qn_debug_take_variable(void *data, struct qn_scopes *s, Dwarf_Die *variable);
bool qn_debug_each_variable(struct qn_scopes *s, qn_debug_take_variable *take, void *data);

/* dwarf.c: the unit that has the address, and the function in it. */
bool qn_debug_find_code(struct qn_debug *d, uint64_t address, Dwarf_Die *unit, Dwarf_Die *code);
/* Follows DW_AT_abstract_origin and DW_AT_specification to the entry that declares. */
Dwarf_Die qn_debug_declaration(Dwarf_Die die);

#endif
