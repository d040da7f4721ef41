/* lib/lab/sandbox/inspect.c - checks that compiled code only computes.
 *
 *   0f 05                    syscall: it could write anywhere, and map the counts
 *   cd 80, 0f 34             int, sysenter: the same
 *   48 87 db                 xchg rbx,rbx: the mark of a request to quern, as in quern.h: it could stop the counting
 *
 * All executable sections are decoded from their first byte to their last, with quern's decoder.  Bytes that are no
 * instruction are refused, too: compilers do not make them.  For kernels, which could jump into the middle of an instruction, none of the
 * above may begin at any byte.
 */
#define _GNU_SOURCE
#include "lab/check.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/decode.h"

/* ---- object files: anything but functions, variables and constants could take effect at link time, or run before it is called ----
 *
 *   .init_array, .ctors, sections of other names     would run at the start, or have a place of their own in the program
 *   thread-local variables                           are not counted as variables
 *   weak symbols, other versions, ifuncs             could replace other symbols, or run at the start
 */

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

static bool object_is_usual(struct qn_lab_check *c, const uint8_t *file, size_t size, bool module)
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

/* ---- code: each instruction of it ---- */

#define XCHG 0x87
#define RBX_RBX 0xdb

static const char *what_is_wrong(const struct qn_insn *insn)
{
    if (insn->cls == QN_CLS_SYSCALL || insn->cls == QN_CLS_SYSENTER || insn->cls == QN_CLS_INT)
        return "calls the system";
    if (insn->map == 0 && insn->opcode == XCHG && insn->modrm_off && insn->modrm == RBX_RBX)
        return "gives quern an order";
    return NULL;
}

static bool hides_anywhere(struct qn_lab_check *c, const uint8_t *code, size_t size)
{
    static const struct {
        uint8_t bytes[3];
        size_t n;
        const char *what;
    } hidden[] = { { { 0x0f, 0x05 }, 2, "syscall" }, { { 0x0f, 0x34 }, 2, "sysenter" }, { { 0xcd, 0x80 }, 2, "int 0x80" },
                   { { 0x48, 0x87, 0xdb }, 3, "an order to quern" } };

    for (size_t i = 0; i < QN_ARRAY_LEN(hidden); i++) {
        const uint8_t *at = memmem(code, size, hidden[i].bytes, hidden[i].n);

        if (at)
            return !qn_lab_say(c, "the bytes of %s are in the code, at byte %zu, within another instruction (by chance? change a "
                                  "constant): only C that computes, please", hidden[i].what, (size_t)(at - code));
    }
    return false;
}

static bool inspect_code(struct qn_lab_check *c, const uint8_t *code, size_t size, bool everywhere)
{
    struct qn_insn insn;

    for (size_t at = 0; at < size; at += insn.len) {
        const char *wrong = qn_decode_insn(code + at, size - at, &insn) == QN_DEC_OK
                                ? what_is_wrong(&insn)
                                : "has bytes that are no instruction";

        if (wrong)
            return qn_lab_say(c, "the code %s, at byte %zu: only C that computes, please", wrong, at);
    }
    return !everywhere || !hides_anywhere(c, code, size);
}

/* Checks a section; false ends the visits. */
typedef bool visit_section(struct qn_lab_check *c, const uint8_t *file, const Elf64_Shdr *section, void *data);

static bool visit_code(struct qn_lab_check *c, const uint8_t *file, const Elf64_Shdr *s, void *data)
{
    if (!(s->sh_flags & SHF_EXECINSTR) || !s->sh_size)
        return true;
    return s->sh_type == SHT_NOBITS ? qn_lab_say(c, "the code has room to be written to: only C that computes, please")
                                    : inspect_code(c, file + s->sh_offset, s->sh_size, *(const enum qn_lab_code *)data == QN_LAB_KERNEL);
}

/* Notes in data, a bool, whether an instruction is one step for other threads, too: a lock prefix, or xchg with memory. */
static bool visit_atomic(struct qn_lab_check *c, const uint8_t *file, const Elf64_Shdr *s, void *data)
{
    struct qn_insn insn;

    (void)c;
    for (size_t at = 0; s->sh_flags & SHF_EXECINSTR && s->sh_type != SHT_NOBITS && at < s->sh_size; at += insn.len) {
        const uint8_t *code = file + s->sh_offset + at;

        if (qn_decode_insn(code, s->sh_size - at, &insn) != QN_DEC_OK)
            break;
        *(bool *)data |= insn.attr & QN_ATTR_LOCK || (insn.map == 0 && (insn.opcode | 1) == XCHG && insn.modrm_off && insn.modrm >> 6 != 3);
    }
    return true;
}

static bool visit_data(struct qn_lab_check *c, const uint8_t *file, const Elf64_Shdr *s, void *data)
{
    (void)c, (void)file;
    if (s->sh_flags & SHF_WRITE)
        *(uint64_t *)data += s->sh_size;
    return true;
}

/* Calls `visit` for each section.  A section outside of the file is refused. */
static bool visit_sections(struct qn_lab_check *c, const uint8_t *file, size_t size, visit_section *visit, void *data)
{
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)file;
    bool good = size >= sizeof *e && !memcmp(e->e_ident, ELFMAG, SELFMAG) && e->e_shentsize == sizeof(Elf64_Shdr)
                && e->e_shoff <= size && (size - e->e_shoff) / sizeof(Elf64_Shdr) >= e->e_shnum;

    for (unsigned i = 0; good && i < e->e_shnum; i++) {
        const Elf64_Shdr *s = (const Elf64_Shdr *)(file + e->e_shoff) + i;

        good = s->sh_type == SHT_NOBITS || (s->sh_offset <= size && s->sh_size <= size - s->sh_offset);
        if (good && !visit(c, file, s, data))
            return false;
    }
    return good || qn_lab_say(c, "the object file is damaged");
}

static bool visit_file(struct qn_lab_check *c, const char *path, visit_section *visit, void *data)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    void *file = MAP_FAILED;
    bool good;

    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0)
        file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    if (file == MAP_FAILED)
        return qn_lab_say(c, "the object file cannot be read");
    good = visit_sections(c, file, (size_t)st.st_size, visit, data)
           && (visit != visit_code || object_is_usual(c, file, (size_t)st.st_size, *(const enum qn_lab_code *)data == QN_LAB_MODULE));
    munmap(file, (size_t)st.st_size);
    return good;
}

bool qn_lab_inspect(struct qn_lab_check *c, const char *path, enum qn_lab_code kind)
{
    return visit_file(c, path, visit_code, &kind);
}

bool qn_lab_has_atomic(struct qn_lab_check *c, const char *path)
{
    bool has = false;

    return visit_file(c, path, visit_atomic, &has) && has;
}

bool qn_lab_storage(struct qn_lab_check *c, const char *path, uint64_t *bytes)
{
    *bytes = 0;
    return visit_file(c, path, visit_data, bytes);
}
