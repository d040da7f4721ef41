/* lib/debug/separate.c - reads the build-id of a file, and finds the separate debug file that belongs to it.
 *
 * In:  /bin/true with build-id 0123ab...
 * Out: ROOT/.build-id/01/23ab....debug, or what .gnu_debuglink names:
 *      DIR/NAME, DIR/.debug/NAME, ROOT/DIR/NAME  (DIR = where the program lies)
 *      ROOT is --extra-debuginfo-path if that was given, then /usr/lib/debug
 *
 * Invariants: a debug file is used only if its build-id equals that of the program; if either
 * has none, only if the checksum in .gnu_debuglink is right (CRC-32 as in zlib).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "debug/internal.h"

#define CRC32_POLYNOMIAL 0xedb88320u /* reflected 0x04c11db7 */

void qn_debug_put_hex(char text[2 * QN_BUILD_ID_MAX + 1], const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n && i < QN_BUILD_ID_MAX; i++)
        sprintf(text + 2 * i, "%02x", bytes[i]);
}

static bool read_note(Elf_Data *data, char *text)
{
    GElf_Nhdr note;
    size_t name, desc, at = 0;

    while (data && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
        const unsigned char *base = data->d_buf;

        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof "GNU"
            || memcmp(base + name, "GNU", sizeof "GNU"))
            continue;
        qn_debug_put_hex(text, base + desc, note.n_descsz);
        return true;
    }
    return false;
}

void qn_debug_read_build_id(Elf *elf, char text[2 * QN_BUILD_ID_MAX + 1])
{
    size_t count;
    GElf_Phdr p;

    text[0] = 0;
    if (elf_getphdrnum(elf, &count))
        count = 0;
    for (size_t i = 0; i < count; i++)
        if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_NOTE
            && read_note(elf_getdata_rawchunk(elf, (int64_t)p.p_offset, p.p_filesz,
                                              p.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR), text))
            return;
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
        GElf_Shdr h;

        if (gelf_getshdr(s, &h) && h.sh_type == SHT_NOTE && read_note(elf_getdata(s, NULL), text))
            return;
    }
}

static uint32_t crc32_bytes(const unsigned char *p, size_t n)
{
    uint32_t table[256], crc = ~0u;

    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;

        for (int bit = 0; bit < 8; bit++)
            c = c >> 1 ^ (c & 1 ? CRC32_POLYNOMIAL : 0);
        table[i] = c;
    }
    while (n--)
        crc = crc >> 8 ^ table[(crc ^ *p++) & 255];
    return ~crc;
}

static bool crc_fits(int fd, uint32_t wanted)
{
    struct stat st;
    void *map;
    bool fits;

    if (fstat(fd, &st) || st.st_size <= 0)
        return false;
    map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return false;
    fits = crc32_bytes(map, (size_t)st.st_size) == wanted;
    munmap(map, (size_t)st.st_size);
    return fits;
}

static bool belongs(struct qn_debug *d, const struct qn_elf_file *f, const uint32_t *crc)
{
    char id[2 * QN_BUILD_ID_MAX + 1];

    if (elf_kind(f->elf) != ELF_K_ELF || gelf_getclass(f->elf) != ELFCLASS64)
        return false;
    qn_debug_read_build_id(f->elf, id);
    if (id[0] && d->build_id[0])
        return !strcmp(id, d->build_id);
    return crc && crc_fits(f->fd, *crc);
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

/* The directories of debug files; NULL: none. */
static const char *const *roots(void)
{
    static const char *list[2];

    list[0] = qn_debug_settings.extra_root;
    list[1] = QN_DEBUG_ROOT;
    return list;
}

static bool try_build_id(struct qn_debug *d)
{
    bool found = false;

    for (size_t i = 0; i < 2 && !found && strlen(d->build_id) > 2; i++) {
        char *path;

        if (!roots()[i] || asprintf(&path, "%s/.build-id/%.2s/%s.debug", roots()[i], d->build_id, d->build_id + 2) < 0)
            continue;
        found = try_file(d, path, NULL);
        free(path);
    }
    return found;
}

/* Tries ROOT DIR INFIX NAME, where DIR is that of the program. */
static bool try_linked(struct qn_debug *d, const char *root, const char *infix, const char *name, uint32_t crc)
{
    int directory = (int)(strrchr(d->path, '/') - d->path);
    char *path;
    bool found;

    if (!root || asprintf(&path, "%s%.*s%s%s", root, directory, d->path, infix, name) < 0)
        return false;
    found = try_file(d, path, &crc);
    free(path);
    return found;
}

static void try_debuglink(struct qn_debug *d)
{
    GElf_Shdr h;
    Elf_Scn *s = qn_debug_section(d->main.elf, ".gnu_debuglink", &h);
    Elf_Data *data = s ? elf_rawdata(s, NULL) : NULL;
    const char *name;
    size_t length;
    uint32_t crc;

    if (!data || !data->d_buf || !strchr(d->path, '/') || data->d_size < 8)
        return;
    name = data->d_buf;
    length = strnlen(name, data->d_size);
    if (length == 0 || ((length + 4) & ~3ul) + sizeof crc > data->d_size || memchr(name, '/', length))
        return;
    memcpy(&crc, name + ((length + 4) & ~3ul), sizeof crc);
    if (try_linked(d, "", "/", name, crc) || try_linked(d, "", "/.debug/", name, crc)
        || try_linked(d, roots()[0], "/", name, crc))
        return;
    try_linked(d, roots()[1], "/", name, crc);
}

void qn_debug_find_separate(struct qn_debug *d)
{
    GElf_Shdr h;

    if (d->separate.elf || !d->path)
        return;
    if (qn_debug_has_lines(d->main.elf) && qn_debug_section(d->main.elf, ".symtab", &h))
        return;
    if (!try_build_id(d))
        try_debuglink(d);
}

Elf *qn_debug_dwarf_file(struct qn_debug *d)
{
    Elf *elf;

    qn_debug_find_separate(d);
    elf = qn_debug_has_lines(d->main.elf) ? d->main.elf : d->separate.elf;
    return !d->too_large && qn_debug_is_bounded(d, elf) ? elf : NULL;
}
