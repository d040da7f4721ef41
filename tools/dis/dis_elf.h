/* tools/dis/dis_elf.h - the executable sections of an ELF file, for `quern dis`. */
#ifndef QN_DIS_ELF_H
#define QN_DIS_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dis_section {
    const char *name; /* "?" if it has none */
    const uint8_t *bytes;
    size_t size;
    uint64_t address;
};

/* Reads the file and calls header(is_32_bit) once and section(...) for each executable section, in the order of the
 * section headers.  Every offset is checked before it is used: the file may be truncated or hostile.
 * Returns NULL or what is wrong, as words for a message; sections before the wrong one have been given then. */
const char *dis_elf_read(const char *name, void (*header)(bool is_32_bit, void *data),
                         void (*section)(const struct dis_section *section, void *data), void *data);

#endif
