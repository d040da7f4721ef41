/* lib/debug/sections.c - reads and unpacks the debug sections of an ELF file, and finds the separate debug file that belongs to it.
 *
 * In:  ".debug_line" of a file that has it uncompressed, compressed by zlib or zstd (SHF_COMPRESSED), or as ".zdebug_line"
 *      (the older form, by zlib)
 * Out: its bytes
 *
 * libdeflate unpacks zlib more than twice as fast as libelf does; libelf unpacks zstd only from its version 0.189 on.
 *
 * Invariants: a section that cannot be unpacked has no bytes, and the module counts as damaged.
 */
#define _GNU_SOURCE

#include <elf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
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

/* Does the file have line tables, compressed or not? */
static bool has_lines(Elf *elf)
{
    GElf_Shdr h;

    return qn_debug_section(elf, ".debug_line", &h) || old_section(elf, ".debug_line", &h);
}

/* ---- bounds ---- */

#define SMALL (64ull << 20)       /* bytes that any section may unpack to */
#define RATIO_MOST 64             /* beyond that: debug information is packed to a third, rarely to a tenth */
#define ALL_MOST (8ull << 30)     /* bytes that the sections of one file may unpack to */
#define OLD_HEAD (4 + 8)          /* of .zdebug sections: "ZLIB", and the size, its highest byte first */

/* The bytes that a section of the older form says it unpacks to; 0: it is damaged. */
static uint64_t old_size(Elf_Scn *s)
{
    Elf_Data *data = elf_rawdata(s, NULL);
    uint64_t size = 0;

    if (!data || !data->d_buf || data->d_size < OLD_HEAD || memcmp(data->d_buf, "ZLIB", 4))
        return 0;
    for (int i = 4; i < OLD_HEAD; i++)
        size = size << 8 | ((const uint8_t *)data->d_buf)[i];
    return size;
}

/* The bytes that a section says it unpacks to; 0: it is not packed. */
static uint64_t unpacked_size(Elf_Scn *s, const GElf_Shdr *h, const char *name)
{
    GElf_Chdr packed;

    if (h->sh_flags & SHF_COMPRESSED)
        return gelf_getchdr(s, &packed) ? packed.ch_size : 0;
    return !strncmp(name, ".zdebug", 7) ? old_size(s) : 0;
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

static size_t unpack_zlib(void *to, size_t room, const void *from, size_t size)
{
    struct libdeflate_decompressor *unpacker = libdeflate_alloc_decompressor();
    size_t n = 0;

    if (!unpacker || libdeflate_zlib_decompress(unpacker, from, size, to, room, &n) != LIBDEFLATE_SUCCESS)
        n = 0;
    libdeflate_free_decompressor(unpacker);
    return n;
}

#define PACKED_TO_MOST 32768u /* bytes that one byte stands for: of zstd a block of 128 KiB in 4 bytes; of zlib 1032 */
#define RATIO_MAX 8 /* debug information is packed to a third or a quarter; the size that a damaged file claims may be anything */

void qn_debug_free_section(struct qn_section *s)
{
    free(s->owned);
    *s = (struct qn_section){ NULL, 0, NULL };
}

/* Unpacks `size` bytes from behind the head of a section; none if that is not possible. */
static struct qn_section unpack(Elf_Scn *s, unsigned type, size_t head, uint64_t size)
{
    Elf_Data *data = elf_rawdata(s, NULL);
    struct qn_section out = { NULL, size, NULL };
    const char *from;
    size_t n = 0;

    if (!data || !data->d_buf || data->d_size < head || !size || size / PACKED_TO_MOST > data->d_size || !(out.owned = malloc(size)))
        return (struct qn_section){ NULL, 0, NULL };
    from = (const char *)data->d_buf + head;
    qn_ready_to_read(data->d_buf, data->d_size);
    qn_ready(out.owned, size < RATIO_MAX * data->d_size ? size : RATIO_MAX * data->d_size);
    if (type == ELFCOMPRESS_ZLIB)
        n = unpack_zlib(out.owned, size, from, data->d_size - head);
    else if (type == ELFCOMPRESS_ZSTD)
        n = ZSTD_decompress(out.owned, size, from, data->d_size - head); /* errors are larger than any size */
    if (n == size)
        out.bytes = out.owned;
    else
        qn_debug_free_section(&out);
    return out;
}

struct qn_section qn_debug_read_section(struct qn_debug *d, Elf *elf, const char *name)
{
    struct qn_section out = { NULL, 0, NULL };
    GElf_Shdr h;
    GElf_Chdr packed;
    Elf_Scn *s = qn_debug_section(elf, name, &h);
    Elf_Data *data;

    if (s && !(h.sh_flags & SHF_COMPRESSED)) {
        data = elf_getdata(s, NULL);
        d->damaged |= h.sh_type != SHT_NOBITS && h.sh_size > 0 && !data;
        if (data && data->d_buf)
            out = (struct qn_section){ data->d_buf, data->d_size, NULL };
        return out;
    }
    if (s && gelf_getchdr(s, &packed))
        out = unpack(s, packed.ch_type, sizeof(Elf64_Chdr), packed.ch_size);
    else if (!s && (s = old_section(elf, name, &h)))
        out = unpack(s, ELFCOMPRESS_ZLIB, OLD_HEAD, old_size(s));
    d->damaged |= s && !out.bytes;
    return out;
}

/* ---- the separate debug file ----
 *
 * In:  /bin/true with build-id 0123ab...
 * Out: ROOT/.build-id/01/23ab....debug, or what .gnu_debuglink names:
 *      DIR/NAME, DIR/.debug/NAME, ROOT/DIR/NAME  (DIR = where the program lies)
 *      ROOT is --extra-debuginfo-path if that was given, then /usr/lib/debug
 *
 * Invariants: a debug file is used only if its build-id equals that of the program; if either
 * has none, only if the checksum in .gnu_debuglink is right (CRC-32 as in zlib).
 */

void qn_debug_put_hex(char text[2 * QN_BUILD_ID_MAX + 1], const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n && i < QN_BUILD_ID_MAX; i++)
        sprintf(text + 2 * i, "%02x", bytes[i]);
}

void qn_debug_read_build_id(Elf *elf, char text[2 * QN_BUILD_ID_MAX + 1])
{
    const void *bytes;
    ssize_t n = dwelf_elf_gnu_build_id(elf, &bytes);

    text[0] = 0;
    if (n > 0)
        qn_debug_put_hex(text, bytes, (size_t)n);
}

static bool belongs(struct qn_debug *d, const struct qn_elf_file *f, const uint32_t *crc)
{
    char id[2 * QN_BUILD_ID_MAX + 1], *bytes;
    size_t size;

    if (elf_kind(f->elf) != ELF_K_ELF || gelf_getclass(f->elf) != ELFCLASS64)
        return false;
    qn_debug_read_build_id(f->elf, id);
    if (id[0] && d->build_id[0])
        return !strcmp(id, d->build_id);
    bytes = crc ? elf_rawfile(f->elf, &size) : NULL;
    return bytes && libdeflate_crc32(0, bytes, size) == *crc;
}

/* Takes the file if it is there and belongs to the module. */
static bool try_file(struct qn_debug *d, const char *path, const uint32_t *crc)
{
    struct qn_elf_file f = { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), NULL };
    struct stat st;

    if (f.fd < 0)
        return false;
    if (!fstat(f.fd, &st) && S_ISREG(st.st_mode) && !(st.st_dev == d->dev && st.st_ino == d->ino))
        f.elf = elf_begin(f.fd, ELF_C_READ_MMAP, NULL);
    if (f.elf && belongs(d, &f, crc)) {
        d->separate = f;
        return true;
    }
    elf_end(f.elf);
    close(f.fd);
    return false;
}

/* Directories of debug files; NULL: none. */
static const char *root(size_t i) { return i ? QN_DEBUG_ROOT : qn_debug_settings.extra_root; }

static bool try_build_id(struct qn_debug *d)
{
    bool found = false;

    for (size_t i = 0; i < 2 && !found && strlen(d->build_id) > 2; i++) {
        char *path;

        if (!root(i) || asprintf(&path, "%s/.build-id/%.2s/%s.debug", root(i), d->build_id, d->build_id + 2) < 0)
            continue;
        found = try_file(d, path, NULL);
        free(path);
    }
    return found;
}

/* Tries BELOW DIR INFIX NAME, where DIR is that of the program. */
static bool try_linked(struct qn_debug *d, const char *below, const char *infix, const char *name, uint32_t crc)
{
    int directory = (int)(strrchr(d->path, '/') - d->path);
    char *path;
    bool found;

    if (!below || asprintf(&path, "%s%.*s%s%s", below, directory, d->path, infix, name) < 0)
        return false;
    found = try_file(d, path, &crc);
    free(path);
    return found;
}

static void try_debuglink(struct qn_debug *d)
{
    GElf_Word crc;
    const char *name = dwelf_elf_gnu_debuglink(d->main.elf, &crc);

    if (!name || !*name || strchr(name, '/') || !strchr(d->path, '/'))
        return;
    if (!try_linked(d, "", "/", name, crc) && !try_linked(d, "", "/.debug/", name, crc) && !try_linked(d, root(0), "/", name, crc))
        try_linked(d, root(1), "/", name, crc);
}

void qn_debug_find_separate(struct qn_debug *d)
{
    GElf_Shdr h;

    if (d->separate.elf || !d->path)
        return;
    if (has_lines(d->main.elf) && qn_debug_section(d->main.elf, ".symtab", &h))
        return;
    if (!try_build_id(d))
        try_debuglink(d);
}

Elf *qn_debug_dwarf_file(struct qn_debug *d)
{
    Elf *elf;

    qn_debug_find_separate(d);
    elf = has_lines(d->main.elf) ? d->main.elf : d->separate.elf;
    return !d->too_large && qn_debug_is_bounded(d, elf) ? elf : NULL;
}
