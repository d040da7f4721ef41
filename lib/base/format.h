/* lib/base/format.h - a small formatter for places that have no libc.
 *
 *   qn_format(buf, sizeof buf, "%s: %d bytes at %x", "x", 3, 0x10ul)  ->  "x: 3 bytes at 10"
 *
 * Conversions: %s string, %c char, %d int, %u unsigned, %D int64_t, %U uint64_t, %x uint64_t in hex without
 * prefix, %X uint8_t as two hex digits, %%.  Always NUL-terminates; returns the length written, cut at size-1.
 */
#ifndef QN_BASE_FORMAT_H
#define QN_BASE_FORMAT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

size_t qn_format(char *buf, size_t size, const char *format, ...);
size_t qn_format_v(char *buf, size_t size, const char *format, va_list args);

/* The number that text begins with, in digits (hexadecimal: small letters) without sign; where it ends. */
const char *qn_parse_decimal(const char *text, uint64_t *value);
const char *qn_parse_hex(const char *text, uint64_t *value);

/* "/usr/./bin/..//lib" -> "/usr/lib", in place: the same file, unless one of these is a symbolic link. */
void qn_normalise_path(char *path);

#endif
