/* lib/debug/debug.h - from an address in an ELF file to source file, function and line; types of objects in memory.
 *
 *   d = qn_debug_open("/bin/true", why, sizeof why);
 *   qn_debug_address(d, 0x1520, &address);       file offset of a mapping -> the file's own address
 *   qn_debug_find(d, address, &place);           -> { "/src/true.c", "main", 53, end }
 *   qn_debug_close(d);
 *
 * Line: from the line table (DWARF 2 to 5), so inlined code goes to the file and line that it comes
 * from.  Function: from the symbol tables (.symtab, .dynsym, those of a separate debug file found by
 * build-id or .gnu_debuglink), and only where a module has no symbol table from DWARF.  Where
 * several symbols share an address the choice, and the form of names and paths, is Cachegrind's.
 *
 * Invariants: an answer holds for every address from the one asked up to `end`; strings live until
 * qn_debug_close.  With damaged input answers are missing, or libdw crashes: callers that must
 * survive that ask from a child process (lib/collect).
 *
 * Split DWARF: the line table is in the main file; libdw reads functions from .dwo files.
 * A file that .gnu_debugaltlink names is found and read by libdw.
 *
 * Not modelled: relocatable objects, minidebuginfo (.gnu_debugdata).
 */
#ifndef QN_DEBUG_DEBUG_H
#define QN_DEBUG_DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qn_debug;

struct qn_debug_place {
    const char *file;     /* absolute if the debug information has it so; NULL: not known */
    const char *function; /* demangled; NULL: not known */
    uint32_t line;        /* 0: not known */
    uint64_t end;         /* exclusive, above the address asked */
};

enum qn_debug_inlines {
    QN_DEBUG_NO_INLINES, /* inlined code belongs to the function that it is inlined in */
    QN_DEBUG_INLINES,    /* to the function that was inlined: "leaf (inlined in main)" */
    QN_DEBUG_CHAINS      /* the same with all calls between: "leaf (inlined in middle at /src/a.c:9, in main at /src/a.c:20)" */
};

/* For all modules, before the first is opened. */
struct qn_debug_settings {
    enum qn_debug_inlines inlines;
    bool keep_names;        /* C++ and Rust names are not demangled */
    const char *extra_root; /* a directory like /usr/lib/debug, searched before that; NULL: none */
};
void qn_debug_configure(const struct qn_debug_settings *settings);

/* Opens an ELF64 x86-64 file.  NULL: `why` says in a few words what is wrong with it. */
struct qn_debug *qn_debug_open(const char *path, char *why, size_t size);

/* The same for an open file, which the module closes, even if this fails; `path` is its name. */
struct qn_debug *qn_debug_open_fd(int fd, const char *path, char *why, size_t size);

/* The same for an image in memory, which must stay there (the vDSO). */
struct qn_debug *qn_debug_open_memory(const void *image, size_t bytes, char *why, size_t size);

void qn_debug_close(struct qn_debug *d);

/* Whether the open file has this inode.  (Devices are not compared: on btrfs and overlayfs the number
 * in /proc/PID/maps is not that of stat.) */
bool qn_debug_has_inode(const struct qn_debug *d, uint64_t ino);

/* The ELF address of a byte of the file, if a segment holds it. */
bool qn_debug_address(const struct qn_debug *d, uint64_t offset, uint64_t *address);

/* The bytes of the file from an offset on, *count of them; NULL: the file ends before. */
const uint8_t *qn_debug_bytes(const struct qn_debug *d, uint64_t offset, size_t *count);

/* Always fills `place`. */
void qn_debug_find(struct qn_debug *d, uint64_t address, struct qn_debug_place *place);

/* The place of code as its author sees it: code inlined from a library (a system header, a crate) belongs to the line that called it. */
void qn_debug_find_user(struct qn_debug *d, uint64_t address, struct qn_debug_place *place);

/* "FILE:LINE" of the first address whose line is in one of the files, which are compared without their folders and of which NULL is the
 * last.  address[0] is a pc, the others may be return addresses.  false: there is none. */
bool qn_debug_say_where(const char *program, const uint64_t *address, unsigned n, const char *const *files, char *text, size_t size);

/* The reverse of qn_debug_address: the offset in the file of a byte at an address.  false: no segment has it in the file. */
bool qn_debug_offset(const struct qn_debug *d, uint64_t address, uint64_t *offset);

typedef void qn_debug_take_range(void *data, uint64_t start, uint64_t end);

/* Lines of a source file, named as users do: "b.c" and "a/b.c" both mean "/x/a/b.c", ".c" does not. */
struct qn_debug_lines_asked {
    const char *file;
    uint32_t first, last;
    uint32_t below, above; /* answer: the nearest lines with code outside, 0 none */
    const char *path;      /* answer: a file of that name that has code; NULL: none */
};

/* Calls `take` for every range of addresses that qn_debug_find assigns to these lines, in ascending order. */
void qn_debug_find_lines(struct qn_debug *d, struct qn_debug_lines_asked *asked, qn_debug_take_range *take, void *data);

/* `chooses`: an IFUNC, whose code returns the address of the function that does the work. */
typedef void qn_debug_take_function(void *data, uint64_t start, bool chooses);

/* Calls `take` for the entry of every function of a name.  The name may be that of the symbol, or the one that profiles show, with or
 * without the parentheses at its end; * stands for any characters, ? for one. */
void qn_debug_find_functions(struct qn_debug *d, const char *name, qn_debug_take_function *take, void *data);

/* The same for each function, by its symbol's (mangled) name; an address with several names comes once for each. */
typedef void qn_debug_take_symbol(void *data, const char *name, uint64_t start, uint64_t end);
void qn_debug_list_functions(struct qn_debug *d, qn_debug_take_symbol *take, void *data);

#define QN_DEBUG_BELOW_MAIN "(below main)" /* what such functions are called */
/* The ranges of functions as qn_debug_find knows them, in ascending order; and the sections of stubs that jump elsewhere (PLT). */
void qn_debug_list_ranges(struct qn_debug *d, qn_debug_take_range *take, void *data);
void qn_debug_list_stubs(const struct qn_debug *d, qn_debug_take_range *take, void *data);
/* Is this symbol one of those that are shown as (below main)? */
bool qn_debug_is_below_main(const char *name);
/* The name to show for the function whose symbol covers the address, even if another is inlined there; NULL: none does. */
const char *qn_debug_name_function(struct qn_debug *d, uint64_t address);

struct qn_debug_symbol {
    uint64_t start, end; /* end exclusive */
    const char *name;    /* as in the string table */
    char *shown;         /* demangled; NULL: not demangled yet, or the same as name */
    bool tried;          /* demangling was tried */
    bool chooses;        /* STT_GNU_IFUNC: its code returns the address of the function */
};

/* The variables of the symbol tables, sorted by address; they do not overlap. */
const struct qn_debug_symbol *qn_debug_list_objects(struct qn_debug *d, size_t *count);
/* The variable that covers the address, and its name to show; NULL: none does. */
const struct qn_debug_symbol *qn_debug_find_object(struct qn_debug *d, uint64_t address);
const char *qn_debug_name_object(struct qn_debug *d, uint64_t address);
/* The addresses of loadable segment number 0, 1, ...; false: there are no more. */
bool qn_debug_segment(const struct qn_debug *d, size_t number, uint64_t *start, uint64_t *end);

/* How many calls of a function were inlined, by the debug information; names as above. */
unsigned qn_debug_count_inlined(struct qn_debug *d, const char *name);

/* Whether a part of the debug information that was read so far is damaged. */
bool qn_debug_is_damaged(const struct qn_debug *d);
/* The section that says it unpacks to so much that no debug information of the file is read; NULL: none does. */
const char *qn_debug_too_large(const struct qn_debug *d);

/* Lower-case hex digits, "" if the file has none. */
const char *qn_debug_build_id(const struct qn_debug *d);

/* ---- types of objects in memory, and the part of an object at an offset ----
 *
 *   struct particle { double x, y; char name[40]; } swarm[1000];
 *
 *   qn_debug_find_variable(d, 404040, &v)       -> v.type: struct particle, an array of them
 *   qn_debug_allocated(d, 401150)               -> the type of the block that the call that returns to 401150 has allocated: struct node
 *   qn_debug_put_part(type, 8, 1, text, size)   -> "y";  of an array of numbers, 40 bytes from 8 on: "[1..5]"
 *
 * The type of an array is that of its elements.  The type of a heap block is that of the variable, member, argument or function that
 * receives the address that the call returns (DWARF does not record casts), in C++ and Rust the parameter of the template that allocates.
 *
 * Invariants: types are valid until the module is closed; NULL means a type that is not known.
 */

struct qn_debug_type;

struct qn_debug_variable {
    const char *name, *file; /* file: where it is declared; NULL: not known */
    uint32_t line;           /* 0: not known */
    uint64_t start, size;    /* address in the file; bytes, 0 = not known */
    const struct qn_debug_type *type;
};

/* Does the module have debug information that can describe types? */
bool qn_debug_has_types(struct qn_debug *d);

/* The global variable that covers the address.  false: debug information has none. */
bool qn_debug_find_variable(struct qn_debug *d, uint64_t address, struct qn_debug_variable *v);

/* The type of the block that was allocated by the call that returns to this address; NULL: not known. */
const struct qn_debug_type *qn_debug_allocated(struct qn_debug *d, uint64_t returns_to);

/* Bytes of one element; 0: not known. */
uint64_t qn_debug_type_size(const struct qn_debug_type *t);

/* "struct particle", "geo::point", "double"; valid until the module is closed. */
const char *qn_debug_type_name(const struct qn_debug_type *t);

/* The size of a structure in bytes: in an array of them an offset modulo this size is that of the member.  0: the type is no structure, or its
 * objects differ in size (it ends in an array without bounds). */
uint32_t qn_debug_type_element(const struct qn_debug_type *t);

/* Writes the name of the part at `bytes` bytes from the offset on: a member of a structure, an index of anything else; "" is the whole. */
void qn_debug_put_part(const struct qn_debug_type *t, uint64_t offset, uint64_t bytes, char *text, size_t size);

/* Calls `take` for each member of a structure, in the order of their offsets; a structure inside it gives its members instead. */
typedef void qn_debug_take_member(void *data, const char *name, uint64_t offset, uint64_t bytes);
void qn_debug_list_members(const struct qn_debug_type *t, qn_debug_take_member *take, void *data);

/* ---- frames ---- */

/* Where something is saved: `offset` bytes from a register as it is at the address of code, or from the frame's CFA. */
struct qn_debug_slot {
    enum { QN_DEBUG_FROM_NOTHING, QN_DEBUG_FROM_RSP, QN_DEBUG_FROM_RBP, QN_DEBUG_FROM_CFA } from;
    int64_t offset;
};

/* A frame ends below its CFA (canonical frame address), which is the caller's stack pointer once the function has returned. */
struct qn_debug_frame {
    struct qn_debug_slot cfa;
    bool stored;             /* the slot `cfa` holds the CFA's value */
    bool interrupted;        /* the frame is a signal's: the caller was interrupted at exactly the return address */
    struct qn_debug_slot ret, rbp; /* the return address and the caller's rbp; FROM_NOTHING: no caller is known; rbp has not changed */
};

/* Finds the frame at an address of code, by .eh_frame or .debug_frame.  false: they have no rules for it, or rules that are not modelled. */
bool qn_debug_find_frame(struct qn_debug *d, uint64_t pc, struct qn_debug_frame *f);

struct qn_debug_local {
    int64_t start, end;      /* bytes from the CFA; end exclusive */
    uint64_t id;             /* of the variable, in this file */
};

/* Calls `take` for the variables and parameters in the function's frame at pc; where some overlap, the first one counts. */
typedef void qn_debug_take_local(void *data, const struct qn_debug_local *local);
void qn_debug_list_locals(struct qn_debug *d, uint64_t pc, const struct qn_debug_frame *frame, qn_debug_take_local *take, void *data);
/* One of those, by the pc and the id with which it was listed; its `start` is 0. */
bool qn_debug_find_local(struct qn_debug *d, uint64_t pc, uint64_t id, struct qn_debug_variable *v);

#endif
