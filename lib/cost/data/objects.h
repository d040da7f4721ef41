/* lib/cost/data/objects.h - the part of the counts arena that --data fills: objects in memory, and the misses on each.
 *
 *   objects      3: heap, allocated by malloc for the caller that it returned to at 401150 of map 0; 1000 blocks, 64000 bytes
 *   data misses  site 4711 on object 3, 8 bytes after the beginning of the block: 950 misses of level 1, 12 of the LL; with an
 *                analysis of classes, 4 compulsory, 900 capacity, 46 conflict
 *
 * The collector appends symbols and segments while the engine waits for it (QN_MESSAGE_RESOLVED), and variables and frames on the stack
 * (QN_MESSAGE_TYPED).  The engine appends all others.  Object 0 is stack memory in no known frame.
 */
#ifndef QN_COST_OBJECTS_H
#define QN_COST_OBJECTS_H

#include <stdint.h>

#include "cost/arena.h"

enum qn_object_kind {
    QN_OBJECT_STACK,     /* frames of a function, but for its variables: start = an address of its code, map; object 0: 0 */
    QN_OBJECT_SYMBOL,    /* a variable that the symbol table has: start, size, map */
    QN_OBJECT_SEGMENT,   /* the rest of a segment of an ELF file: start, size, map */
    QN_OBJECT_HEAP,      /* all blocks that one call in the code allocates: start = its return address, map */
    QN_OBJECT_HEAP_REST, /* the parts of the heap ([heap], brk) that are in no block: allocators' own data, blocks that were freed */
    QN_OBJECT_FILE,      /* a mapped file: name */
    QN_OBJECT_ANONYMOUS, /* a mapping without a file: start, size */
    QN_OBJECT_LOCAL,     /* a variable in frames of a function: start as of STACK, size, map; inner: its number in the file, an address of
                            code where it is known */
    QN_OBJECT_UNKNOWN,   /* nothing is mapped there any more */
    QN_OBJECT_KINDS
};

/* The kinds of functions that allocate or free: the meaning of their arguments and of their result. */
enum qn_alloc {
    QN_ALLOC_MALLOC,     /* (bytes) -> block; also operator new, valloc */
    QN_ALLOC_CALLOC,     /* (n, bytes) -> block */
    QN_ALLOC_REALLOC,    /* (block, bytes) -> block */
    QN_ALLOC_ALIGNED,    /* (alignment, bytes) -> block */
    QN_ALLOC_POSIX,      /* (where to put the block, alignment, bytes) -> 0 */
    QN_ALLOC_MMAP,       /* (address, bytes, protection, flags ...) -> block; files do not count */
    QN_ALLOC_MREMAP,     /* (block, old bytes, bytes ...) -> block */
    QN_ALLOC_FREE,       /* (block) */
    QN_ALLOC_CUSTOM,     /* named by the user: what is allocated inside belongs to its caller; see QN_ALLOC_OF */
    QN_ALLOC_GROWER,     /* of a library: what it allocates itself belongs to its caller, see cost/data/allocators.h */
    QN_ALLOC_KINDS
};

/* `which` of a point: the kind; for a custom function the number of the argument with the bytes, from 1, and of the argument by which it is
 * multiplied, 0 = none; the number of the name in the collector's list (below 64). */
#define QN_ALLOC_OF(kind, bytes, times, name) ((uint16_t)((kind) | (bytes) << 4 | (times) << 7 | (name) << 10))
#define QN_ALLOC_KIND(which) ((which) & 15u)
#define QN_ALLOC_BYTES(which) ((which) >> 4 & 7u)
#define QN_ALLOC_TIMES(which) ((which) >> 7 & 7u)
#define QN_ALLOC_NAME(which) ((which) >> 10 & 63u)
#define QN_ALLOC_ARGS 6u

#define QN_OBJECT_INNER 4
enum { QN_LOCAL_ID, QN_LOCAL_PC }; /* what `inner` has of a LOCAL */

struct qn_object {
    uint64_t start, size;    /* bytes; see qn_object_kind */
    uint64_t blocks, bytes;  /* HEAP: allocated in the whole run */
    uint64_t inner[QN_OBJECT_INNER]; /* HEAP: return addresses of calls inside library functions, the innermost first; 0 = no more */
    uint32_t map;            /* index into maps; of `inner`, too */
    uint32_t name;           /* FILE: string; HEAP: point that it was allocated by, as QN_ALLOC_OF */
    uint32_t element;        /* bytes of an element of an array of known type; offsets are within it.  0 = not known; asked for where a
                                miss is on something larger than QN_OFFSET_EXACT */
    uint8_t kind;            /* enum qn_object_kind */
    uint8_t asked;           /* 1: the collector was asked for `element` */
    uint8_t pad[2];
};

/* Offsets are exact below QN_OFFSET_EXACT, and within an element of known type.  Above, of their bits the first 1 and
 * QN_OFFSET_BITS behind it count. */
#define QN_OFFSET_EXACT 1024u
#define QN_OFFSET_BITS 3u

/* Bytes that a rounded offset stands for. */
static inline uint64_t qn_offset_step(uint64_t offset)
{
    return offset < QN_OFFSET_EXACT ? 1 : 1ull << (63u - (unsigned)__builtin_clzll(offset) - QN_OFFSET_BITS);
}

/* How to find, from an address of code and from rsp and rbp there, the frame's CFA, its variables and its caller (debug/debug.h).  There is one
 * record for each address.  The engine writes pc and map, the collector the other fields. */
enum qn_frame_from { QN_FRAME_NOTHING, QN_FRAME_RSP, QN_FRAME_RBP, QN_FRAME_CFA };

struct qn_frame_rec {
    uint64_t pc;
    uint32_t map, object;    /* object: QN_OBJECT_STACK */
    uint32_t first, count;   /* of its variables: in qn_frame_variable */
    int32_t cfa, rbp, ret;   /* bytes from what follows: */
    uint8_t cfa_from, rbp_from, ret_from; /* enum qn_frame_from.  NOTHING: the CFA is not known; rbp has not changed; there is no caller */
    uint8_t stored, interrupted;
};

struct qn_frame_variable {
    int32_t start, end;      /* from the CFA */
    uint32_t object;         /* QN_OBJECT_LOCAL */
};

#define QN_FRAMES_MAX (QN_ARENA_FRAMES_SIZE / sizeof(struct qn_frame_rec))
#define QN_FRAME_VARIABLES_MAX (QN_ARENA_FRAME_VARIABLES_SIZE / sizeof(struct qn_frame_variable))

struct qn_data_row {
    uint32_t site, object;   /* index of the reference's counters; into objects */
    uint64_t offset;         /* bytes, in the object or its element; rounded down to qn_offset_step */
    uint64_t misses, ll_misses;
    uint64_t classes[QN_MISS_CLASSES]; /* of the misses, where an analysis tells them */
};

/* --data=use, for the row of the same number: the lines that were fetched for a reference of its site to its object, and have left the D1; the
 * bytes of these lines that were used in between. */
struct qn_data_use {
    uint64_t lines, bytes;
};

/* --data=use, by the bytes of an object: the lines that begin `at` bytes after the beginning of the object, or of the element in which they
 * begin, and contain its bytes `first` to `end` - 1.  After the record: for each byte of a line, how many times it was used.  The object is that of
 * the reference for which the line was fetched; the line may contain other objects, too.  Objects with rounded offsets have no such records. */
#define QN_USE_LINE_MAX (32u << 10) /* bytes: places in a line have 16 bits */

struct qn_used_lines {
    int64_t at;
    uint32_t object;
    uint16_t first, end;
    uint32_t element, pad;   /* bytes; 0: `at` counts from the beginning of the object */
    uint64_t lines;
};

static inline uint64_t qn_used_lines_bytes(uint32_t line) { return sizeof(struct qn_used_lines) + line * sizeof(uint64_t); }

/* --data with 3c or culprits: misses on lines of `object` that had been evicted for a line of `by`, which may be the same object. */
struct qn_data_pair {
    uint32_t object, by;
    uint64_t misses, conflicts; /* conflicts: conflict misses among them, by 3c */
};

#endif
