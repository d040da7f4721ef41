/* lib/debug/kept_dwarf.c - a cache on disk of debug information, unpacked as libdw reads it.
 *
 * In:  a debug file with compressed sections, as distributions ship it
 * Out: DIRECTORY/BUILD-ID.dwarf, which is mapped instead the next time:
 *
 *        header      who wrote it, which debug file it is from, how much follows, a checksum
 *        image       an ELF file of the debug sections only, unpacked
 *        globals     struct kept_global: variables.c's list, sorted
 *
 * For the C library's debug information (10 MB) libdw takes 40 ms to unpack it, and a walk through all entries 25 ms.
 *
 * Invariants: a file with impossible contents is ignored (kept_file.c has the rest).  Debug files that refer to others (.gnu_debugaltlink,
 * .dwo) are not cached: libdw looks for those beside them.
 */
#define _GNU_SOURCE
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/grow.h"
#include "base/hash.h"
#include "debug/kept.h"
#include "debug/memory.h"

#define KEPT_MAGIC QN_KEPT_MARK "dwarf 2\n\0" /* 16 bytes; raise the number with each change of the format */
#define IMAGE_LEAST (512u << 10)       /* bytes; smaller ones are read quickly enough */
#define IMAGE_MOST (128u << 20)        /* half of what all kept files may have */

static const char *const names[] = { ".debug_info", ".debug_abbrev", ".debug_types", ".debug_line", ".debug_str", ".debug_line_str",
                                     ".debug_str_offsets", ".debug_addr", ".debug_loc", ".debug_loclists", ".debug_ranges", ".debug_rnglists",
                                     ".debug_aranges", ".debug_frame" };
enum { SECTIONS = sizeof names / sizeof names[0] };

struct kept_header {
    char magic[16];
    uint64_t checksum; /* of all that follows */
    struct qn_kept_origin origin;
    uint64_t image, globals; /* bytes of the image; number of globals */
};

struct kept_global {
    uint64_t start, end, die; /* die: offset of the entry */
};

struct image {
    char *bytes;
    size_t size, room;
    Elf64_Shdr headers[SECTIONS + 2]; /* the empty first header, those of the sections, and that of their names */
    size_t count;
    char strings[512];
    size_t string_size;
};

/* ---- making it ---- */

static bool is_packed(Elf *elf)
{
    GElf_Shdr h;

    return qn_debug_section(elf, ".debug_info", &h) && (h.sh_flags & SHF_COMPRESSED) && !qn_debug_section(elf, ".gnu_debugaltlink", &h);
}

/* Does a unit refer to a .dwo file?  Such units take their addresses from .debug_addr. */
static bool is_split(Dwarf *dwarf, Elf *elf)
{
    GElf_Shdr h;
    Dwarf_CU *unit = NULL;
    uint8_t type = DW_UT_compile;

    if (!qn_debug_section(elf, ".debug_addr", &h))
        return false;
    while (type != DW_UT_skeleton && dwarf_get_units(dwarf, unit, &unit, NULL, &type, NULL, NULL) == 0)
        ;
    return type == DW_UT_skeleton;
}

static bool add_bytes(struct image *m, const void *bytes, size_t size)
{
    size_t end = qn_kept_padded(m->size + size);

    if (end > IMAGE_MOST)
        return false;
    if (end > m->room) {
        size_t room = m->room ? 2 * m->room : 1u << 20;
        char *more;

        while (room < end)
            room *= 2;
        if (!(more = realloc(m->bytes, room)))
            return false;
        m->bytes = more;
        m->room = room;
    }
    memcpy(m->bytes + m->size, bytes, size);
    memset(m->bytes + m->size + size, 0, end - m->size - size);
    m->size = end;
    return true;
}

static bool add_section(struct image *m, const char *name, unsigned type, const void *bytes, size_t size)
{
    m->headers[m->count++] = (Elf64_Shdr){ .sh_name = (Elf64_Word)m->string_size, .sh_type = type, .sh_offset = m->size, .sh_size = size,
                                           .sh_addralign = 1 };
    strcpy(m->strings + m->string_size, name);
    m->string_size += strlen(name) + 1;
    return add_bytes(m, bytes, size);
}

/* true: the image has all sections of the file. */
static bool fill(struct image *m, struct qn_debug *d, Elf *elf)
{
    Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_DYN,
                          .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_ehsize = sizeof header, .e_shentsize = sizeof m->headers[0] };
    GElf_Shdr h;
    bool done = add_bytes(m, &header, sizeof header);

    m->count = m->string_size = 1;
    for (size_t i = 0; i < SECTIONS && done; i++) {
        struct qn_section s;

        if (!qn_debug_section(elf, names[i], &h))
            continue;
        s = qn_debug_read_section(d, elf, names[i]);
        done = s.bytes && add_section(m, names[i], SHT_PROGBITS, s.bytes, s.size);
        qn_debug_free_section(&s);
    }
    header.e_shstrndx = (Elf64_Half)m->count;
    done = done && add_section(m, ".shstrtab", SHT_STRTAB, m->strings, sizeof m->strings);
    header.e_shoff = m->size;
    header.e_shnum = (Elf64_Half)m->count;
    done = done && add_bytes(m, m->headers, m->count * sizeof m->headers[0]);
    if (done)
        memcpy(m->bytes, &header, sizeof header);
    return done;
}

static void keep(struct qn_debug *d, const struct image *m)
{
    struct qn_memory *memory = qn_debug_memory(d);
    struct kept_header h = { .magic = KEPT_MAGIC, .image = m->size };
    struct kept_global *list;
    char path[PATH_MAX];

    if (m->size < IMAGE_LEAST || !memory || !qn_kept_name(d, QN_KEPT_DWARF, path) || !qn_kept_origin(d, &h.origin))
        return;
    qn_debug_read_globals(d, memory);
    h.globals = memory->nglobals;
    if (!(list = calloc(memory->nglobals + 1, sizeof *list)))
        return;
    for (size_t i = 0; i < memory->nglobals; i++)
        list[i] = (struct kept_global){ memory->globals[i].start, memory->globals[i].end, dwarf_dieoffset(&memory->globals[i].die) };
    h.checksum = qn_hash_words(QN_HASH_NONE, &h.origin, sizeof h - offsetof(struct kept_header, origin));
    h.checksum = qn_hash_words(h.checksum, m->bytes, m->size);
    h.checksum = qn_hash_words(h.checksum, list, h.globals * sizeof *list);
    qn_kept_write(path, (const struct iovec[]){ { &h, sizeof h }, { m->bytes, m->size }, { list, h.globals * sizeof *list } }, 3);
    free(list);
}

/* ---- taking it ---- */

static bool is_right(const struct kept_header *h, size_t bytes, const struct qn_kept_origin *origin)
{
    size_t from = offsetof(struct kept_header, origin);

    return !memcmp(h->magic, KEPT_MAGIC, sizeof h->magic) && !memcmp(&h->origin, origin, sizeof *origin) && h->image <= bytes &&
           h->image == qn_kept_padded(h->image) && h->globals <= bytes / sizeof(struct kept_global) &&
           bytes == sizeof *h + h->image + h->globals * sizeof(struct kept_global) &&
           h->checksum == qn_hash_words(QN_HASH_NONE, (const char *)h + from, bytes - from);
}

static bool take_globals(struct qn_debug *d, const struct kept_global *list, size_t count)
{
    struct qn_memory *m = qn_debug_memory(d);

    if (!m || m->globals_read || !(m->globals = calloc(count + 1, sizeof *m->globals)))
        return false;
    m->global_room = count + 1;
    m->globals_read = true;
    for (; m->nglobals < count; m->nglobals++)
        m->globals[m->nglobals] =
            (struct qn_global){ .start = list[m->nglobals].start, .end = list[m->nglobals].end, .offset = list[m->nglobals].die };
    return true;
}

static Dwarf *open_image(struct qn_debug *d, const void *bytes, size_t size)
{
    d->image.elf = elf_memory((char *)(uintptr_t)bytes, size);
    return d->image.elf ? dwarf_begin_elf(d->image.elf, DWARF_C_READ, NULL) : NULL;
}

static Dwarf *take_kept(struct qn_debug *d)
{
    const struct kept_header *h;
    struct qn_kept_origin origin;
    char path[PATH_MAX];
    Dwarf *dwarf;
    size_t bytes;

    if (!qn_kept_name(d, QN_KEPT_DWARF, path) || !qn_kept_origin(d, &origin) || !(h = qn_kept_map(path, sizeof *h, &bytes)))
        return NULL;
    d->image.mapped = (void *)(uintptr_t)h;
    d->image.mapped_bytes = bytes;
    dwarf = is_right(h, bytes, &origin) ? open_image(d, h + 1, h->image) : NULL;
    if (!dwarf || take_globals(d, (const struct kept_global *)((const char *)(h + 1) + h->image), h->globals))
        return dwarf;
    dwarf_end(dwarf);
    return NULL;
}

Dwarf *qn_debug_open_kept_dwarf(struct qn_debug *d, Elf *elf)
{
    struct image *m = qn_debug_settings.kept && is_packed(elf) ? calloc(1, sizeof *m) : NULL;
    const bool damaged = d->damaged;
    Dwarf *dwarf = m ? take_kept(d) : NULL;

    if (m && !dwarf) {
        qn_debug_free_image(d);
        if (fill(m, d, elf))
            dwarf = open_image(d, d->image.made = m->bytes, m->size);
        else
            free(m->bytes);
        if (dwarf && is_split(dwarf, elf)) {
            dwarf_end(dwarf);
            dwarf = NULL;
        }
        d->damaged = damaged;
        d->dwarf = dwarf;
        if (dwarf)
            keep(d, m);
        else
            qn_debug_free_image(d);
    }
    free(m);
    return dwarf;
}

void qn_debug_free_image(struct qn_debug *d)
{
    elf_end(d->image.elf);
    if (d->image.mapped)
        munmap(d->image.mapped, d->image.mapped_bytes);
    free(d->image.made);
    memset(&d->image, 0, sizeof d->image);
}
