/* lib/trace/pack.h - writes bytes into a file, compressed by zstd, by xz or not at all.
 *
 *   struct qn_trace_pack *p = qn_trace_open_pack(file, QN_TRACE_XZ);
 *   qn_trace_pack(p, bytes, n); ... if (!qn_trace_close_pack(p)) ...
 */
#ifndef QN_TRACE_PACK_H
#define QN_TRACE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum qn_trace_packing { QN_TRACE_PLAIN, QN_TRACE_ZSTD, QN_TRACE_XZ };

struct qn_trace_pack;

/* Was quern built with the library that this needs? */
bool qn_trace_can_pack(enum qn_trace_packing how);

/* NULL: no memory. */
struct qn_trace_pack *qn_trace_open_pack(FILE *to, enum qn_trace_packing how);

/* false: a write failed, now or in an earlier call. */
bool qn_trace_pack(struct qn_trace_pack *p, const void *bytes, size_t n);

/* Writes the rest and frees p; the file stays open.  false: something was not written. */
bool qn_trace_close_pack(struct qn_trace_pack *p);

/* A packer compresses pieces, each by itself, in memory.  qn_trace_pack_bytes returns the packed piece, which is valid until the next call;
 * NULL: no memory, or the library failed. */
struct qn_trace_packer;
struct qn_trace_packer *qn_trace_open_packer(enum qn_trace_packing how);
const uint8_t *qn_trace_pack_bytes(struct qn_trace_packer *p, const uint8_t *bytes, size_t n, size_t *packed);
void qn_trace_close_packer(struct qn_trace_packer *p);

#endif
