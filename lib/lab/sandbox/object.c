/* lib/lab/sandbox/object.c - refuses object files that have more than functions, variables and constants, because anything else could take effect
 * at link time, or run before it is called.
 *
 *   .init_array, .ctors, sections of other names     would run at the start, or have a place of their own in the program
 *   thread-local variables                           are not counted as variables
 *   weak symbols, other versions, ifuncs             could replace other symbols, or run at the start
 */
#define _GNU_SOURCE
#include <elf.h>
#include <string.h>

#include "lab/sandbox/inspect.h"

static const char *const usual[] = { ".text", ".rodata", ".data", ".bss", ".comment", ".note.", ".eh_frame", ".rela.", ".symtab",
                                     ".strtab", ".shstrtab", ".debug_", ".group", ".llvm_addrsig" };
/* Sections whose names begin like those of usual ones. */
static const char *const unusual[] = { ".rela.init_array", ".rela.fini_array", ".rela.preinit_array", ".rela.ctors", ".rela.dtors" };

static bool begins_with_one(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strncmp(name, list[i], strlen(list[i])))
            return true;
    return false;
}

static bool section_is_usual(struct qn_lab_check *c, const char *name, const Elf64_Shdr *s)
{
    if (s->sh_flags & SHF_TLS)
        return qn_lab_say(c, "the code has a variable of threads (section %.40s): only functions and plain variables, please", name);
    if (!strcmp(name, ".note.GNU-stack") && s->sh_flags & SHF_EXECINSTR)
        return qn_lab_say(c, "the code wants an executable stack (a function within a function?): only plain functions, please");
    if (s->sh_flags & SHF_EXECINSTR && (s->sh_flags & SHF_WRITE || strncmp(name, ".text", 5)))
        return qn_lab_say(c, "the code has instructions in section %.40s, or some that can be changed: only functions and variables, please",
                          name);
    return !*name || (begins_with_one(name, usual, QN_ARRAY_LEN(usual)) && !begins_with_one(name, unusual, QN_ARRAY_LEN(unusual)))
           || qn_lab_say(c, "the code has a section of its own, %.40s: only functions and variables, please", name);
}

/* May a module call this?  Its services, functions that compilers call, and those for output in a replay. */
static bool may_be_called(const char *name)
{
    static const char *const services[] = { "sim_", "memcpy", "memset", "memmove", "printf", "fprintf", "puts", "putchar", "stdout", "stderr",
                                            "fwrite", "fputs", "fputc", "_GLOBAL_OFFSET_TABLE_" };

    return begins_with_one(name, services, QN_ARRAY_LEN(services));
}

static bool symbol_is_usual(struct qn_lab_check *c, const char *name, const Elf64_Sym *s, bool module)
{
    unsigned bind = ELF64_ST_BIND(s->st_info), type = ELF64_ST_TYPE(s->st_info);

    if (bind == STB_WEAK)
        return qn_lab_say(c, "the symbol %.60s is weak: only plain functions and variables, please", name);
    if (type == STT_GNU_IFUNC)
        return qn_lab_say(c, "the function %.60s is chosen at the start (ifunc): only plain functions, please", name);
    if (bind != STB_LOCAL && bind != STB_GLOBAL)
        return qn_lab_say(c, "the symbol %.60s is of an unusual kind", name);
    if (module && s->st_shndx == SHN_UNDEF && !may_be_called(name))
        return qn_lab_say(c, "the code calls %.60s: modules may call what sim/module.h has", name);
    return !strchr(name, '@') || qn_lab_say(c, "the symbol %.60s has a version: only plain functions and variables, please", name);
}

struct object {
    const uint8_t *file;
    size_t size;
    const Elf64_Shdr *sections;
    unsigned n;
};

/* The text at an offset of a table of names; "" if there is none, or it does not end. */
static const char *name_at(const struct object *o, unsigned section, uint64_t offset)
{
    const Elf64_Shdr *s = section < o->n ? &o->sections[section] : NULL;

    if (!s || s->sh_type != SHT_STRTAB || offset >= s->sh_size || !memchr(o->file + s->sh_offset + offset, 0, s->sh_size - offset))
        return "";
    return (const char *)o->file + s->sh_offset + offset;
}

static bool symbols_are_usual(struct qn_lab_check *c, const struct object *o, const Elf64_Shdr *s, bool module)
{
    const Elf64_Sym *symbols = (const void *)(o->file + s->sh_offset);

    for (size_t i = 1; i < s->sh_size / sizeof *symbols; i++)
        if (!symbol_is_usual(c, name_at(o, s->sh_link, symbols[i].st_name), &symbols[i], module))
            return false;
    return true;
}

bool qn_lab_object_is_usual(struct qn_lab_check *c, const uint8_t *file, size_t size, bool module)
{
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)file;
    struct object o = { file, size, (const Elf64_Shdr *)(file + e->e_shoff), e->e_shnum };

    for (unsigned i = 0; i < o.n; i++) {
        const Elf64_Shdr *s = &o.sections[i];

        if (!section_is_usual(c, name_at(&o, e->e_shstrndx, s->sh_name), s))
            return false;
        if (s->sh_type == SHT_SYMTAB && !symbols_are_usual(c, &o, s, module))
            return false;
    }
    return true;
}
