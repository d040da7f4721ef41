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
#include "lab/sandbox/inspect.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/decode.h"

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
           && (visit != visit_code || qn_lab_object_is_usual(c, file, (size_t)st.st_size, *(const enum qn_lab_code *)data == QN_LAB_MODULE));
    munmap(file, (size_t)st.st_size);
    return good;
}

bool qn_lab_inspect(struct qn_lab_check *c, const char *path, enum qn_lab_code kind)
{
    return visit_file(c, path, visit_code, &kind);
}

bool qn_lab_storage(struct qn_lab_check *c, const char *path, uint64_t *bytes)
{
    *bytes = 0;
    return visit_file(c, path, visit_data, bytes);
}
