/* lib/debug/segments.c - segments of an ELF file: from offsets in the file to addresses and back, and where code is. */
#include <stdlib.h>

#include "debug/internal.h"

bool qn_debug_read_segments(struct qn_debug *d)
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

bool qn_debug_address(const struct qn_debug *d, uint64_t offset, uint64_t *address)
{
    const struct qn_segment *s = d->segments, *end = s + d->nsegments;

    while (s < end && !(s->executable && offset >= s->offset && offset - s->offset < s->file_size))
        s++;
    if (s < end)
        *address = s->address + (offset - s->offset);
    return s < end;
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
