/* lib/base/format.h - printf for places that have no libc.
 *
 *   qn_format(buf, sizeof buf, "%s: %d bytes at %lx", "x", 3, 0x10ul)  ->  "x: 3 bytes at 10"
 *
 * Conversions d i u x X o c s p f F % with flags, width, precision and length, as printf's; e, g and a are written as f.  What is not a
 * conversion is copied.  Always NUL-terminates; returns the length written, cut at size-1.
 */
#ifndef QN_BASE_FORMAT_H
#define QN_BASE_FORMAT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

size_t qn_format(char *buf, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
size_t qn_format_v(char *buf, size_t size, const char *format, va_list args) __attribute__((format(printf, 3, 0)));

/* The same with arguments and strings that `read` reads, for instance those of the guest; false: it cannot, and a string is "(?)".  arguments:
 * a copy of the va_list.  Returns the length that there would have been. */
#define QN_VA_LIST_BYTES 24u
typedef bool qn_format_read(uint64_t from, void *to, size_t n);
size_t qn_format_by(char *text, size_t size, const char *format, const void *arguments, qn_format_read *read);

/* The number that text begins with, in digits (hexadecimal: small letters) without sign; where it ends. */
const char *qn_parse_decimal(const char *text, uint64_t *value);
const char *qn_parse_hex(const char *text, uint64_t *value);

/* "/usr/./bin/..//lib" -> "/usr/lib", in place: the same file, unless one of these is a symbolic link. */
void qn_normalise_path(char *path);

#endif
