/* lib/debug/debug.h - from an address in an ELF file to source file, function and line.
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
 * survive that ask from a child process (see lib/collect/finish.c).
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

/* The variables of the symbol tables, sorted by address; they do not overlap. */
struct qn_debug_object {
    uint64_t start, end; /* end exclusive */
    const char *name;    /* the symbol's */
    char *shown;         /* the name to show, made by objects.c when it is first asked for */
};
const struct qn_debug_object *qn_debug_list_objects(struct qn_debug *d, size_t *count);
/* The variable that covers the address, and its name to show; NULL: none does. */
const struct qn_debug_object *qn_debug_find_object(struct qn_debug *d, uint64_t address);
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

#endif
