/* lib/debug/needed.c - the dynamic linker and the libraries that an ELF file asks for.
 *
 * In:  /bin/true
 * Out: its interpreter, /lib64/ld-linux-x86-64.so.2 (PT_INTERP), and libc.so.6 (DT_NEEDED)
 *
 * The names only: the dynamic linker finds the files.
 */
#include <string.h>

#include "debug/internal.h"

const char *qn_debug_interpreter(const struct qn_debug *d)
{
    size_t count, size = 0;
    const char *file = elf_rawfile(d->main.elf, &size);

    if (!file || elf_getphdrnum(d->main.elf, &count))
        return NULL;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr p;

        if (!gelf_getphdr(d->main.elf, (int)i, &p) || p.p_type != PT_INTERP)
            continue;
        if (p.p_offset > size || p.p_filesz > size - p.p_offset || !memchr(file + p.p_offset, 0, p.p_filesz))
            return NULL;
        return file + p.p_offset;
    }
    return NULL;
}

static const char *needed_in(Elf *elf, Elf_Scn *section, size_t strings, size_t *number)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Dyn entry;

    for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
        if (entry.d_tag == DT_NEEDED && (*number)-- == 0)
            return elf_strptr(elf, strings, entry.d_un.d_val);
    return NULL;
}

const char *qn_debug_needed(const struct qn_debug *d, size_t number)
{
    GElf_Shdr h;

    for (Elf_Scn *s = elf_nextscn(d->main.elf, NULL); s; s = elf_nextscn(d->main.elf, s))
        if (gelf_getshdr(s, &h) && h.sh_type == SHT_DYNAMIC)
            return needed_in(d->main.elf, s, h.sh_link, &number);
    return NULL;
}
