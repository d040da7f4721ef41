/* lib/debug/demangle_v0.h - the parts of the demangler of Rust's v0 names (demangle_v0.c), shared by its files only.
 *
 * Every step reads at `p` and prints to `out`.  What does not fit the grammar sets `bad`, after which nothing
 * is read or printed any more.
 */
#ifndef QN_DEBUG_DEMANGLE_V0_H
#define QN_DEBUG_DEMANGLE_V0_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QN_V0_OUTPUT_MAX 65536
#define QN_V0_DEPTH_MAX 200
#define QN_V0_STEPS_MAX 100000

struct qn_v0 {
    const char *text, *p; /* text: behind "_R", where back references count from */
    char *out;
    size_t size;
    unsigned depth, steps, lifetimes;
    bool silent, bad;
};

struct qn_v0_name {
    const char *text;
    size_t length;
    uint64_t number; /* disambiguator */
};

/* demangle_v0_text.c: output, letters, numbers, what several rules of the grammar need. */
void qn_v0_put_bytes(struct qn_v0 *s, const char *text, size_t n);
void qn_v0_put(struct qn_v0 *s, const char *text);
void qn_v0_put_number(struct qn_v0 *s, uint64_t n);
/* The letter `c`, if it comes next; any letter. */
bool qn_v0_eat(struct qn_v0 *s, char c);
char qn_v0_next(struct qn_v0 *s);
/* "_" is 0, "0_" is 1, digits are 0-9a-zA-Z; behind `tag` one more, and 0 without it. */
uint64_t qn_v0_base62(struct qn_v0 *s);
uint64_t qn_v0_optional62(struct qn_v0 *s, char tag);
struct qn_v0_name qn_v0_identifier(struct qn_v0 *s, bool numbered);
/* Counts a step and a level; false: too many.  Whoever enters takes one off `depth` at its end. */
bool qn_v0_enter(struct qn_v0 *s);
/* Goes back to an earlier place and prints from there.  The tag has been read. */
void qn_v0_back(struct qn_v0 *s, void (*print)(struct qn_v0 *));
/* Items up to E; returns their number. */
unsigned qn_v0_list(struct qn_v0 *s, const char *separator, void (*item)(struct qn_v0 *));

/* demangle_v0.c: `value`: as in an expression, with ::<> around generic arguments. */
void qn_v0_path(struct qn_v0 *s, bool value);
void qn_v0_generic_argument(struct qn_v0 *s);
void qn_v0_constant(struct qn_v0 *s);

/* demangle_v0_types.c */
void qn_v0_type(struct qn_v0 *s);
void qn_v0_lifetime(struct qn_v0 *s, uint64_t index);

#endif
