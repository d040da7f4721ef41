/* lib/debug/sections.c - reads and unpacks the debug sections of an ELF file.
 *
 * In:  ".debug_line" of a file that has it uncompressed, compressed by zlib or zstd (SHF_COMPRESSED), or as ".zdebug_line"
 *      (the older form, by zlib)
 * Out: its bytes
 *
 * libelf unpacks zlib, but libdeflate is more than twice as fast.  libelf unpacks zstd only from its version 0.189 on;
 * where it fails, libzstd does.
 *
 * Invariants: a section that cannot be unpacked has no bytes, and the module counts as damaged.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libdeflate.h>
#include <zstd.h>

#include "base/ready.h"
#include "debug/internal.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2 /* the generic ABI; <elf.h> of glibc from 2.37 on */
#endif

Elf_Scn *qn_debug_section(Elf *elf, const char *name, GElf_Shdr *header)
{
    size_t names;

    if (!elf || elf_getshdrstrndx(elf, &names))
        return NULL;
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
        const char *this = gelf_getshdr(s, header) ? elf_strptr(elf, names, header->sh_name) : NULL;

        if (this && !strcmp(this, name))
            return s;
    }
    return NULL;
}

/* The section in the older compressed form, where ".debug_line" is called ".zdebug_line". */
static Elf_Scn *old_section(Elf *elf, const char *name, GElf_Shdr *header)
{
    char packed[40];

    snprintf(packed, sizeof packed, ".z%s", name + 1);
    return qn_debug_section(elf, packed, header);
}

bool qn_debug_has_lines(Elf *elf)
{
    GElf_Shdr h;

    return qn_debug_section(elf, ".debug_line", &h) || old_section(elf, ".debug_line", &h);
}

/* ---- bounds ---- */

#define SMALL (64ull << 20)       /* bytes that any section may unpack to */
#define RATIO_MOST 64             /* beyond that: debug information is packed to a third, seldom to a tenth */
#define ALL_MOST (8ull << 30)     /* bytes that the sections of one file may unpack to */
#define OLD_HEAD (4 + 8)          /* of .zdebug sections: "ZLIB", and the size, its highest byte first */

/* The bytes that a section says it unpacks to; 0: it is not packed. */
static uint64_t unpacked_size(Elf_Scn *s, const GElf_Shdr *h, const char *name)
{
    GElf_Chdr packed;
    Elf_Data *data;
    uint64_t size = 0;

    if (h->sh_flags & SHF_COMPRESSED)
        return gelf_getchdr(s, &packed) ? packed.ch_size : 0;
    data = !strncmp(name, ".zdebug", 7) ? elf_rawdata(s, NULL) : NULL;
    if (!data || !data->d_buf || data->d_size < OLD_HEAD || memcmp(data->d_buf, "ZLIB", 4))
        return 0;
    for (int i = 4; i < OLD_HEAD; i++)
        size = size << 8 | ((const uint8_t *)data->d_buf)[i];
    return size;
}

bool qn_debug_is_bounded(struct qn_debug *d, Elf *elf)
{
    uint64_t all = 0;
    size_t names;

    if (!elf || elf_getshdrstrndx(elf, &names))
        return true;
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
        GElf_Shdr h;
        const char *name = gelf_getshdr(s, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;
        uint64_t size = name ? unpacked_size(s, &h, name) : 0;

        if (size <= ALL_MOST && (all += size) <= ALL_MOST && (size <= SMALL || size / RATIO_MOST <= h.sh_size))
            continue;
        if (!d->too_large)
            d->too_large = strdup(name);
        return false;
    }
    return true;
}

const char *qn_debug_too_large(const struct qn_debug *d) { return d->too_large; }

/* ---- unpacking ---- */

/* Unpacks bytes of one form; returns the unpacked size, any other number after an error. */
typedef size_t unpack_function(void *to, size_t room, const void *from, size_t size);

static size_t unpack_zlib(void *to, size_t room, const void *from, size_t size)
{
    struct libdeflate_decompressor *unpacker = libdeflate_alloc_decompressor();
    size_t n = 0;

    if (!unpacker || libdeflate_zlib_decompress(unpacker, from, size, to, room, &n) != LIBDEFLATE_SUCCESS)
        n = 0;
    libdeflate_free_decompressor(unpacker);
    return n;
}

static size_t unpack_zstd(void *to, size_t room, const void *from, size_t size)
{
    return ZSTD_decompress(to, room, from, size); /* errors are larger than any size */
}

#define PACKED_TO_MOST 32768u /* bytes that one byte stands for: of zstd a block of 128 KiB in 4 bytes; of zlib 1032 */
#define RATIO_MAX 8 /* debug information is packed to a third or a quarter; the size that a damaged file claims may be anything */

/* Unpacks a section of this type of compression; the result has no bytes if that is not possible. */
static struct qn_section unpack_by(Elf_Scn *s, unsigned type, unpack_function *unpack)
{
    Elf_Data *data = unpack ? elf_rawdata(s, NULL) : NULL;
    struct qn_section out = { NULL, 0, NULL };
    Elf64_Chdr header;

    if (!data || !data->d_buf || data->d_size < sizeof header)
        return out;
    qn_ready_to_read(data->d_buf, data->d_size);
    memcpy(&header, data->d_buf, sizeof header);
    if (header.ch_type != type || !header.ch_size || header.ch_size / PACKED_TO_MOST > data->d_size ||
        !(out.owned = malloc(header.ch_size)))
        return out;
    qn_ready(out.owned, header.ch_size < RATIO_MAX * data->d_size ? header.ch_size : RATIO_MAX * data->d_size);
    out.size = unpack(out.owned, header.ch_size, (const char *)data->d_buf + sizeof header,
                      data->d_size - sizeof header);
    if (out.size == header.ch_size) {
        out.bytes = out.owned;
        return out;
    }
    free(out.owned);
    return (struct qn_section){ NULL, 0, NULL };
}

struct qn_section qn_debug_read_section(struct qn_debug *d, Elf *elf, const char *name)
{
    GElf_Shdr h;
    Elf_Scn *s = qn_debug_section(elf, name, &h);
    struct qn_section unpacked = { NULL, 0, NULL };
    Elf_Data *data;
    bool failed = false;

    if (s && h.sh_flags & SHF_COMPRESSED)
        unpacked = unpack_by(s, ELFCOMPRESS_ZLIB, unpack_zlib);
    if (unpacked.bytes)
        return unpacked;
    if (s && h.sh_flags & SHF_COMPRESSED && elf_compress(s, 0, 0) < 0) {
        unpacked = unpack_by(s, ELFCOMPRESS_ZSTD, unpack_zstd);
        d->damaged |= !unpacked.bytes;
        return unpacked;
    }
    if (!s && (s = old_section(elf, name, &h)))
        failed = elf_compress_gnu(s, 0, 0) < 0;
    data = s && !failed ? elf_getdata(s, NULL) : NULL;
    d->damaged |= s && h.sh_type != SHT_NOBITS && h.sh_size > 0 && !data;
    return data && data->d_buf ? (struct qn_section){ data->d_buf, data->d_size, NULL }
                               : (struct qn_section){ NULL, 0, NULL };
}

void qn_debug_free_section(struct qn_section *s)
{
    free(s->owned);
    *s = (struct qn_section){ NULL, 0, NULL };
}
