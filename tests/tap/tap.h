/* tap.h - TAP for tests in C.  Header only; include it in the one C file of the test.
 *
 *   #include "tap.h"
 *
 *   int main(void)
 *   {
 *       ok(len == 1, "nop has one byte");
 *       is_int(len, 1, "length of %s", "nop");     (got, wanted, description as for printf)
 *       is_str(text, "nop", "text of 90");
 *       is_mem(bytes, wanted, 4, "encoding of nop");
 *       skip(2, "no AVX-512 here");
 *       return done_testing();
 *   }
 *
 * A point that fails prints where, what came and what was wanted, and the command that runs the test again. */
#ifndef TAP_H
#define TAP_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char *program_invocation_name;

static int tap_count, tap_failed;

#define TAP_UNUSED __attribute__((unused))
#define TAP_PRINTF(f, a) __attribute__((unused, format(printf, f, a)))

/* A line of comment in the log. */
static TAP_PRINTF(1, 2) void diag(const char *format, ...)
{
    va_list args;

    fputs("# ", stdout);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

/* Give up: the set-up failed, so nothing can be said about the code under test. */
static TAP_PRINTF(1, 2) void bail(const char *format, ...)
{
    va_list args;

    fputs("Bail out! ", stdout);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    exit(99);
}

static TAP_UNUSED bool tap_point(bool passed, const char *file, int line, const char *format, va_list args)
{
    printf("%sok %d - ", passed ? "" : "not ", ++tap_count);
    vprintf(format, args);
    putchar('\n');
    if (!passed) {
        tap_failed++;
        diag("failed at %s:%d; run again: %s", file, line, program_invocation_name);
    }
    fflush(stdout); /* what was proven before a crash stays in the log */
    return passed;
}

static TAP_PRINTF(4, 5) bool tap_ok(bool passed, const char *file, int line, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    tap_point(passed, file, line, format, args);
    va_end(args);
    return passed;
}

static TAP_PRINTF(5, 6) bool tap_is_int(int64_t got, int64_t wanted, const char *file, int line,
                                        const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (!tap_point(got == wanted, file, line, format, args))
        diag("got %" PRId64 " (0x%" PRIx64 "), wanted %" PRId64 " (0x%" PRIx64 ")", got, got, wanted, wanted);
    va_end(args);
    return got == wanted;
}

static TAP_PRINTF(5, 6) bool tap_is_str(const char *got, const char *wanted, const char *file, int line,
                                        const char *format, ...)
{
    bool same = got && wanted ? strcmp(got, wanted) == 0 : got == wanted;
    va_list args;

    va_start(args, format);
    if (!tap_point(same, file, line, format, args))
        diag("got \"%s\", wanted \"%s\"", got ? got : "(null)", wanted ? wanted : "(null)");
    va_end(args);
    return same;
}

static TAP_UNUSED void tap_print_bytes(const char *what, const unsigned char *bytes, size_t size)
{
    printf("# %s", what);
    for (size_t i = 0; i < size; i++)
        printf(" %02x", bytes[i]);
    putchar('\n');
}

static TAP_PRINTF(6, 7) bool tap_is_mem(const void *got, const void *wanted, size_t size, const char *file,
                                        int line, const char *format, ...)
{
    bool same = memcmp(got, wanted, size) == 0;
    va_list args;

    va_start(args, format);
    if (!tap_point(same, file, line, format, args)) {
        tap_print_bytes("got   ", got, size);
        tap_print_bytes("wanted", wanted, size);
    }
    va_end(args);
    return same;
}

#define ok(passed, ...) tap_ok((passed), __FILE__, __LINE__, __VA_ARGS__)
#define is_int(got, wanted, ...) tap_is_int((got), (wanted), __FILE__, __LINE__, __VA_ARGS__)
#define is_str(got, wanted, ...) tap_is_str((got), (wanted), __FILE__, __LINE__, __VA_ARGS__)
#define is_mem(got, wanted, size, ...) tap_is_mem((got), (wanted), (size), __FILE__, __LINE__, __VA_ARGS__)

/* `count` points cannot be tested here. */
static TAP_PRINTF(2, 3) void skip(int count, const char *format, ...)
{
    while (count-- > 0) {
        va_list args;

        printf("ok %d # SKIP ", ++tap_count);
        va_start(args, format);
        vprintf(format, args);
        va_end(args);
        putchar('\n');
    }
}

/* The `count` points of this test miss a package of packages.debian: a failure where QUERN_ORACLES is "required" (tap.sh). */
static TAP_UNUSED void absent_all(int count, const char *reason)
{
    const char *oracles = getenv("QUERN_ORACLES");
    bool required = oracles && strcmp(oracles, "required") == 0;

    printf("1..%d\n", count);
    if (!required)
        skip(count, "%s", reason);
    for (int i = 1; required && i <= count; i++)
        printf("not ok %d - %s, and QUERN_ORACLES is required\n", i, reason);
    exit(required);
}

/* Print the plan; the value is main's. */
static TAP_UNUSED int done_testing(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed != 0;
}

#endif
