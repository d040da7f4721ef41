/* lib/base/base.h - scalar types and small things that every folder may use.
 *
 * Freestanding: usable in the engine and in hosted tools alike.
 */
#ifndef QN_BASE_H
#define QN_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QN_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define QN_LIKELY(x) __builtin_expect(!!(x), 1)
#define QN_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define QN_PAGE 4096ull

/* A function that keeps all registers but the status flags, so that translated code may call it anywhere; QN_NCSR_TYPE for types
 * of pointers to them.  The attribute is for code without vector registers; hosted programs, which have them, do without.
 * Declarations have QN_NCSR, too, beside qn_slow_call: clang 14 forgets it of a function that is used before its definition, and gives
 * the registers back before a jump to a function that does not keep them, if it may jump. */
#ifdef __SSE__
#define QN_NCSR_TYPE
#define QN_NCSR
#else
#define QN_NCSR_TYPE __attribute__((no_caller_saved_registers))
#ifdef __clang__
#define QN_NCSR QN_NCSR_TYPE __attribute__((disable_tail_calls))
#else
#define QN_NCSR QN_NCSR_TYPE
#endif
#endif
typedef QN_NCSR_TYPE void qn_slow_call(void);

/* For qsort: negative, 0 or positive, as a is below, equal to or above b. */
#define QN_COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/* How many elements of a sorted list come first, by halves: those of which `holds`, which names its number i, is true.
 *   QN_COUNT_WHILE(i, n, list[i].start <= address)    begin at or before the address */
#define QN_COUNT_WHILE(i, count, holds)                             \
    ({                                                              \
        __typeof__((count) + 0u) low_ = 0, high_ = (count);         \
                                                                    \
        while (low_ < high_) {                                      \
            __typeof__(low_) i = low_ + (high_ - low_) / 2;         \
                                                                    \
            if (holds)                                              \
                low_ = i + 1;                                       \
            else                                                    \
                high_ = i;                                          \
        }                                                           \
        low_;                                                       \
    })

static inline uint64_t qn_round_down(uint64_t x, uint64_t unit) { return x & ~(unit - 1); }
static inline uint64_t qn_round_up(uint64_t x, uint64_t unit) { return (x + unit - 1) & ~(unit - 1); }
static inline bool qn_fits_i32(int64_t x) { return x == (int32_t)x; }
static inline bool qn_fits_i8(int64_t x) { return x == (int8_t)x; }
static inline bool qn_is_pow2(uint64_t x) { return x && !(x & (x - 1)); }

/* The set of a line number.  A last level may have any number of sets, as processors whose last level consists of slices do. */
static inline uint64_t qn_set_of(uint64_t number, uint32_t sets) { return sets & (sets - 1) ? number % sets : number & (sets - 1); }
static inline unsigned qn_log2(uint64_t x) { return 63u - (unsigned)__builtin_clzll(x); }

/* Where a table of so many buckets has the block that begins at pc: neighbours side by side, so that few pages of it are touched. */
#define QN_BUCKET_BYTES 32u /* blocks that begin in as many, aligned, are in one bucket */
static inline uint32_t qn_bucket_of(uint64_t pc, uint32_t buckets) { return (uint32_t)((pc / QN_BUCKET_BYTES ^ pc >> 23) % buckets); }

#endif
