/* tools/dis/dis_elf.c - the executable sections of an ELF file; see dis_elf.h.
 *
 * 32-bit headers are widened to 64-bit ones as they are read, so that the rest knows one kind only. */
#include "dis_elf.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct image {
    const char *name;
    uint8_t *data;
    size_t size;
    bool is_32_bit;
};

/* Does [offset, offset + length) lie inside the file? */
static bool inside(const struct image *file, uint64_t offset, uint64_t length)
{
    return offset <= file->size && length <= file->size - offset;
}

static const char *read_image(struct image *file)
{
    FILE *in = fopen(file->name, "rb");
    size_t room = 0;
    const char *error = NULL;

    if (!in)
        return strerror(errno);
    while (!error && !feof(in)) {
        if (file->size == room) {
            uint8_t *more = realloc(file->data, room = room * 2 + 65536);
            if (!more) {
                error = "out of memory";
                break;
            }
            file->data = more;
        }
        file->size += fread(file->data + file->size, 1, room - file->size, in);
        if (ferror(in))
            error = strerror(errno);
    }
    fclose(in);
    return error;
}

static bool read_header(const struct image *file, Elf64_Ehdr *header)
{
    Elf32_Ehdr small;

    if (file->size < (file->is_32_bit ? sizeof small : sizeof *header))
        return false;
    if (!file->is_32_bit) {
        memcpy(header, file->data, sizeof *header);
        return true;
    }
    memcpy(&small, file->data, sizeof small);
    memcpy(header->e_ident, small.e_ident, EI_NIDENT);
    header->e_machine = small.e_machine;
    header->e_shoff = small.e_shoff;
    header->e_shentsize = small.e_shentsize;
    header->e_shnum = small.e_shnum;
    header->e_shstrndx = small.e_shstrndx;
    return true;
}

static size_t section_header_size(const struct image *file)
{
    return file->is_32_bit ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr);
}

static const char *check_header(struct image *file, Elf64_Ehdr *header)
{
    if (file->size < EI_NIDENT || memcmp(file->data, ELFMAG, SELFMAG))
        return "not an ELF file";
    file->is_32_bit = file->data[EI_CLASS] == ELFCLASS32;
    if (!read_header(file, header))
        return "ELF header is truncated";
    if ((!file->is_32_bit && header->e_ident[EI_CLASS] != ELFCLASS64) || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_machine != (file->is_32_bit ? EM_386 : EM_X86_64))
        return "not an ELF file for x86";
    if (header->e_shoff == 0)
        return "has no section headers";
    if (header->e_shentsize != section_header_size(file))
        return "section headers have another size than their class";
    if (!inside(file, header->e_shoff, section_header_size(file)))
        return "section headers lie outside the file";
    return NULL;
}

static void read_section(const struct image *file, const Elf64_Ehdr *header, uint64_t index, Elf64_Shdr *section)
{
    const uint8_t *from = file->data + header->e_shoff + index * section_header_size(file);
    Elf32_Shdr small;

    if (!file->is_32_bit) {
        memcpy(section, from, sizeof *section);
        return;
    }
    memcpy(&small, from, sizeof small);
    *section = (Elf64_Shdr){.sh_name = small.sh_name,
                            .sh_type = small.sh_type,
                            .sh_flags = small.sh_flags,
                            .sh_addr = small.sh_addr,
                            .sh_offset = small.sh_offset,
                            .sh_size = small.sh_size,
                            .sh_link = small.sh_link};
}

/* Number of sections and index of the name table, also where they do not fit the header (ELF gABI, section
 * header 0). */
static const char *find_sections(const struct image *file, const Elf64_Ehdr *header, uint64_t *count, Elf64_Shdr *names)
{
    Elf64_Shdr zero;
    uint64_t index;

    read_section(file, header, 0, &zero);
    *count = header->e_shnum ? header->e_shnum : zero.sh_size;
    index = header->e_shstrndx == SHN_XINDEX ? zero.sh_link : header->e_shstrndx;
    if (*count > file->size / section_header_size(file) ||
        !inside(file, header->e_shoff, *count * section_header_size(file)))
        return "section headers lie outside the file";
    memset(names, 0, sizeof *names);
    if (index < *count)
        read_section(file, header, index, names);
    if (!inside(file, names->sh_offset, names->sh_size) || names->sh_type != SHT_STRTAB)
        names->sh_size = 0;
    return NULL;
}

/* Name of a section; "?" if it does not end inside the table of names. */
static const char *section_name(const struct image *file, const Elf64_Shdr *names, uint32_t offset)
{
    const char *start = (const char *)file->data + names->sh_offset;

    if (offset >= names->sh_size || !memchr(start + offset, 0, names->sh_size - offset))
        return "?";
    return start + offset;
}

static const char *give_sections(const struct image *file, const Elf64_Ehdr *header,
                                 void (*give)(const struct dis_section *section, void *data), void *data)
{
    Elf64_Shdr names, section;
    uint64_t count;
    const char *error = find_sections(file, header, &count, &names);

    for (uint64_t i = 1; !error && i < count; i++) {
        struct dis_section found;
        read_section(file, header, i, &section);
        if (!(section.sh_flags & SHF_EXECINSTR) || section.sh_type == SHT_NOBITS || section.sh_size == 0)
            continue;
        if (!inside(file, section.sh_offset, section.sh_size))
            return "an executable section lies outside the file";
        found = (struct dis_section){section_name(file, &names, section.sh_name), file->data + section.sh_offset,
                                     section.sh_size, section.sh_addr};
        give(&found, data);
    }
    return error;
}

const char *dis_elf_read(const char *name, void (*header)(bool is_32_bit, void *data),
                         void (*section)(const struct dis_section *section, void *data), void *data)
{
    struct image file = {.name = name};
    Elf64_Ehdr elf;
    const char *error = read_image(&file);

    if (!error)
        error = check_header(&file, &elf);
    if (!error) {
        header(file.is_32_bit, data);
        error = give_sections(&file, &elf, section, data);
    }
    free(file.data);
    return error;
}
