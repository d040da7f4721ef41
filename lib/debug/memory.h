/* lib/debug/memory.h - what types.c, members.c, variables.c, scopes.c and allocated.c share. */
#ifndef QN_DEBUG_MEMORY_H
#define QN_DEBUG_MEMORY_H

#include "debug/internal.h"
#include "debug/types.h"

#define QN_DEBUG_DIMENSIONS 8

struct qn_debug_type {
    struct qn_debug *debug;
    Dwarf_Die named, die;    /* of an element: as it was named (a typedef), and what it is */
    uint64_t size;           /* bytes of it; 0 = not known */
    uint64_t dimension[QN_DEBUG_DIMENSIONS]; /* of the variable; 0 = no bounds */
    unsigned dimensions;
    bool block;              /* on the heap: any number of them */
    bool structure, open_ended; /* open_ended: its size is not fixed */
    char *name;
};

struct qn_global {
    uint64_t start, end;
    Dwarf_Die die;           /* found by `offset` when it is first asked for, if that is not 0 */
    uint64_t offset;
    const struct qn_debug_type *type; /* NULL: not looked at yet, or not known */
    bool looked;
};

struct qn_memory { /* d->memory */
    struct qn_debug_type **types;
    size_t ntypes, type_room;
    struct qn_global *globals; /* sorted by start */
    size_t nglobals, global_room;
    bool globals_read;
    Dwarf_CFI *frames;       /* of .eh_frame; ours */
    bool frames_tried;
};

/* NULL: no memory. */
struct qn_memory *qn_debug_memory(struct qn_debug *d);
void qn_debug_free_memory(struct qn_debug *d);

/* variables.c: all of them, sorted; by find_variable when it is first asked for. */
void qn_debug_read_globals(struct qn_debug *d, struct qn_memory *m);

/* variables.c: where an entry says that it was declared. */
void qn_debug_find_declaration(struct qn_debug_variable *v, Dwarf_Die die);

/* ---- types.c ---- */

/* Behind typedefs, const and the like; false: void. */
bool qn_debug_strip(Dwarf_Die *type);
bool qn_debug_type_of(Dwarf_Die *die, Dwarf_Die *type);     /* by DW_AT_type, of its origin, too */
bool qn_debug_pointee(Dwarf_Die type, Dwarf_Die *pointee);  /* not stripped; false: no pointer, or one to void or to code */
bool qn_debug_is_structure(Dwarf_Die *die);
uint64_t qn_debug_size(Dwarf_Die *type);
bool qn_debug_is_char(Dwarf_Die type);

/* The type of a variable; `block`: of memory on the heap that holds such things.  NULL: not known. */
const struct qn_debug_type *qn_debug_make_type(struct qn_debug *d, Dwarf_Die type, bool block);

/* ---- members.c ---- */

/* The type of what lies at an offset of something of a type, no structure and no array. */
bool qn_debug_type_at(Dwarf_Die type, uint64_t offset, Dwarf_Die *found);
/* The elements of the first array of pointers in a structure. */
bool qn_debug_pointers_in(Dwarf_Die structure, Dwarf_Die *found);
bool qn_debug_is_open_ended(Dwarf_Die *structure);
/* Elements of an array, dimension by dimension, up to `room` of them; *type becomes that of an element. */
unsigned qn_debug_dimensions(Dwarf_Die *type, uint64_t *dimension, unsigned room);

/* ---- scopes.c ---- */

#define QN_DEBUG_SCOPES 64

/* Entries that the address lies in: the function, and inside it blocks and inlined calls. */
struct qn_scopes {
    struct qn_debug *debug;
    Dwarf_Die unit, die[QN_DEBUG_SCOPES]; /* the outermost first */
    int n;
};

bool qn_debug_find_scopes(struct qn_debug *d, uint64_t address, struct qn_scopes *s);

/* Where a variable is at an address of code; registers numbered as the processor does. */
struct qn_where {
    enum { QN_WHERE_NOT, QN_WHERE_REGISTER, QN_WHERE_MEMORY, QN_WHERE_ADDRESS } kind;
    unsigned reg;            /* REGISTER; MEMORY: what the offset is from */
    int64_t offset;
    uint64_t address;
};
bool qn_debug_locate(struct qn_scopes *s, Dwarf_Die *variable, uint64_t pc, struct qn_where *where);
/* What is known of the frame at pc, to be freed; NULL: nothing. */
Dwarf_Frame *qn_debug_open_frame(struct qn_debug *d, uint64_t pc);
#define QN_DEBUG_RSP 4
#define QN_DEBUG_RBP 5
/* The frame's address (CFA) at pc. */
bool qn_debug_frame(struct qn_debug *d, uint64_t pc, struct qn_where *where);

/* Calls `take` for each variable and parameter in scope, the innermost ones first, until it says true. */
typedef bool qn_debug_take_variable(void *data, struct qn_scopes *s, Dwarf_Die *variable);
bool qn_debug_each_variable(struct qn_scopes *s, qn_debug_take_variable *take, void *data);

/* dwarf.c: the unit that has the address, and in it the function. */
bool qn_debug_find_code(struct qn_debug *d, uint64_t address, Dwarf_Die *unit, Dwarf_Die *code);
/* What an entry stands for: DW_AT_abstract_origin and DW_AT_specification followed. */
Dwarf_Die qn_debug_declaration(Dwarf_Die die);

#endif
