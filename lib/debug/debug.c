/* lib/debug/debug.c - opens and closes a module, and joins the answers of symbols and line tables.
 *
 * In:  a path (or an image in memory) and addresses.
 * Out: struct qn_debug_place, see debug.h.
 *
 * Invariants: opening reads the headers and the build-id only.
 */
#include "debug/debug.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "debug/inlines.h"
#include "debug/memory.h"

struct qn_debug_settings qn_debug_settings;

void qn_debug_configure(const struct qn_debug_settings *settings)
{
    qn_debug_settings = *settings;
}

static bool fail(char *why, size_t size, const char *text)
{
    snprintf(why, size, "%s", text);
    return false;
}

static bool read_segments(struct qn_debug *d)
{
    size_t count;

    if (elf_getphdrnum(d->main.elf, &count) || !(d->segments = calloc(count + 1, sizeof *d->segments)))
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr p;

        if (!gelf_getphdr(d->main.elf, (int)i, &p) || p.p_type != PT_LOAD)
            continue;
        if (p.p_vaddr + p.p_memsz < p.p_vaddr || p.p_vaddr + p.p_filesz < p.p_vaddr)
            return false; /* beyond the last address: a range there has no end */
        d->segments[d->nsegments++] = (struct qn_segment){
            p.p_offset, p.p_filesz, p.p_vaddr, p.p_memsz, (p.p_flags & PF_X) != 0 };
    }
    return true;
}

static bool check_header(struct qn_debug *d, char *why, size_t size)
{
    GElf_Ehdr header;

    if (!d->main.elf || elf_kind(d->main.elf) != ELF_K_ELF || !gelf_getehdr(d->main.elf, &header))
        return fail(why, size, "not an ELF file");
    if (gelf_getclass(d->main.elf) != ELFCLASS64 || header.e_machine != EM_X86_64)
        return fail(why, size, "not an ELF64 x86-64 file");
    if (!read_segments(d))
        return fail(why, size, "damaged program headers");
    qn_debug_read_build_id(d->main.elf, d->build_id);
    return true;
}

static struct qn_debug *new_module(void)
{
    struct qn_debug *d = calloc(1, sizeof *d);

    if (d)
        d->main.fd = d->separate.fd = -1;
    elf_version(EV_CURRENT);
    return d;
}

struct qn_debug *qn_debug_open_fd(int fd, const char *path, char *why, size_t size)
{
    struct qn_debug *d = new_module();
    struct stat st;

    fail(why, size, "no memory");
    if (!d) {
        close(fd);
        return NULL;
    }
    d->path = strdup(path);
    d->main.fd = fd;
    if (fstat(d->main.fd, &st)) {
        snprintf(why, size, "%m");
    } else if (!S_ISREG(st.st_mode)) {
        fail(why, size, "not a regular file");
    } else {
        d->dev = st.st_dev;
        d->ino = st.st_ino;
        d->main.elf = elf_begin(d->main.fd, ELF_C_READ_MMAP, NULL);
        if (check_header(d, why, size))
            return d;
    }
    qn_debug_close(d);
    return NULL;
}

struct qn_debug *qn_debug_open(const char *path, char *why, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd >= 0)
        return qn_debug_open_fd(fd, path, why, size);
    snprintf(why, size, "%m");
    return NULL;
}

struct qn_debug *qn_debug_open_memory(const void *image, size_t bytes, char *why, size_t size)
{
    struct qn_debug *d = new_module();

    fail(why, size, "no memory");
    if (!d)
        return NULL;
    d->main.elf = elf_memory((char *)(uintptr_t)image, bytes);
    if (check_header(d, why, size))
        return d;
    qn_debug_close(d);
    return NULL;
}

static void close_file(struct qn_elf_file *f)
{
    elf_end(f->elf);
    if (f->fd >= 0)
        close(f->fd);
}

void qn_debug_close(struct qn_debug *d)
{
    if (!d)
        return;
    qn_debug_free_inlines(d);
    qn_debug_free_memory(d);
    qn_debug_free_made_names(d);
    dwarf_end(d->dwarf);
    qn_debug_free_image(d);
    qn_debug_free_lines(&d->lines);
    qn_debug_free_symbols(&d->symbols);
    qn_debug_free_objects(d->objects);
    close_file(&d->separate);
    close_file(&d->main);
    free(d->directories);
    free(d->unit_ranges);
    free(d->segments);
    free(d->path);
    free(d);
}

bool qn_debug_has_inode(const struct qn_debug *d, uint64_t ino)
{
    return d->ino == ino;
}

bool qn_debug_address(const struct qn_debug *d, uint64_t offset, uint64_t *address)
{
    const struct qn_segment *s = d->segments, *end = s + d->nsegments;

    while (s < end && !(s->executable && offset >= s->offset && offset - s->offset < s->file_size))
        s++;
    if (s < end)
        *address = s->address + (offset - s->offset);
    return s < end;
}

const uint8_t *qn_debug_bytes(const struct qn_debug *d, uint64_t offset, size_t *count)
{
    size_t size = 0;
    const char *file = elf_rawfile(d->main.elf, &size);

    if (!file || offset >= size)
        return NULL;
    *count = size - offset;
    return (const uint8_t *)file + offset;
}

bool qn_debug_offset(const struct qn_debug *d, uint64_t address, uint64_t *offset)
{
    const struct qn_segment *s = d->segments, *end = s + d->nsegments;

    while (s < end && !(s->executable && address >= s->address && address - s->address < s->file_size))
        s++;
    if (s < end)
        *offset = s->offset + (address - s->address);
    return s < end;
}

bool qn_debug_is_code(const struct qn_debug *d, uint64_t address)
{
    for (size_t i = 0; i < d->nsegments; i++) {
        const struct qn_segment *s = &d->segments[i];

        if (s->executable && address >= s->address && address - s->address < s->memory_size)
            return true;
    }
    return false;
}

static void name_inlined(struct qn_debug *d, uint64_t address, struct qn_debug_place *place)
{
    const struct qn_inline *call = qn_debug_find_inline(d, address, &place->end);
    const char *name = call ? qn_debug_name_inline(d, call, place->function ? place->function : "???") : NULL;

    if (name)
        place->function = name;
}

void qn_debug_find(struct qn_debug *d, uint64_t address, struct qn_debug_place *place)
{
    uint64_t line_end = UINT64_MAX;

    *place = (struct qn_debug_place){ NULL, NULL, 0, UINT64_MAX };
    qn_debug_find_symbol(d, address, &place->function, &place->end);
    if (!place->function && !qn_debug_has_symbols(d))
        qn_debug_find_subprogram(d, address, &place->function, &place->end);
    if (qn_debug_settings.inlines)
        name_inlined(d, address, place);
    qn_debug_find_line(d, address, &place->file, &place->line, &line_end);
    if (line_end < place->end)
        place->end = line_end;
    if (place->end <= address)
        place->end = address + 1;
}

void qn_debug_read_ahead(struct qn_debug *d)
{
    qn_debug_load_symbols(d);
    qn_debug_load_lines(d);
}

const char *qn_debug_build_id(const struct qn_debug *d)
{
    return d->build_id;
}

bool qn_debug_is_damaged(const struct qn_debug *d)
{
    return d->damaged;
}
