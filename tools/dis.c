/* tools/dis.c - `quern dis`: the decoder on its own, as a disassembler.
 *
 * In:  quern dis [OPTIONS] ELF            or  quern dis [OPTIONS] --hex 4889e5
 * Out: quern dis --hex 4889e5c3
 *             0:<TAB>48 89 e5             <TAB>mov    %rsp,%rbp
 *             3:<TAB>c3                   <TAB>ret
 *      An ELF file's executable sections come one after the other, each under a heading; lines are those of
 *      `objdump -d -w -z` without symbols.  Messages on stderr; exit 0, 1 (file), 2 (usage).
 * Not done: symbols, other machines, objdump's "..." for runs of zeros.
 */
#include <ctype.h>
#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/options.h"
#include "tools.h"
#include "decode/decode.h"

/* ---- an ELF file ---- */

struct image {
    const char *name;
    uint8_t *data;
    size_t size;
};

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

/* NULL, or why it cannot be disassembled. */
static const char *check_header(Elf *elf)
{
    GElf_Ehdr header;
    bool small = gelf_getclass(elf) == ELFCLASS32;
    size_t count = 0;

    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
        return "not an ELF file";
    if (header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != (small ? EM_386 : EM_X86_64))
        return "not an ELF file for x86";
    if (header.e_shoff == 0)
        return "has no section headers";
    if (header.e_shentsize != gelf_fsize(elf, ELF_T_SHDR, 1, EV_CURRENT))
        return "section headers have another size than their class";
    return elf_getshdrnum(elf, &count) || !count ? "section headers lie outside the file" : NULL;
}

/* ---- the command ---- */

#define TEXT_SIZE 256
#define HEX_COLUMN 8   /* digits of an address with --hex */
#define BYTES_COLUMN 7 /* bytes for which the column has room; more push the text to the right */

static const char help[] =
    "usage: quern dis [--syntax=att|intel] [--cpu=host|intel|amd] FILE\n"
    "       quern dis [--syntax=...] [--cpu=...] [--mode=64|32] --hex BYTES...\n"
    "\n"
    "Disassembles the executable sections of an ELF file for x86, 64-bit or 32-bit, or\n"
    "bytes given in hexadecimal (\"4889e5\" or \"48 89 e5\"), as objdump -d does.\n"
    "\n";

struct settings {
    enum qn_machine machine;
    enum qn_syntax syntax;
    int syntax_word, cpu, mode;
    char *hex; /* NULL: a file */
    const char *file; /* name for messages and headings */
    int column;       /* digits for which addresses have room; more push the line to the right */
};

enum { CPU_HOST, CPU_INTEL, CPU_AMD };

static const char *const syntaxes[] = {"att", "intel", NULL}, *const cpus[] = {"host", "intel", "amd", NULL},
                  *const modes[] = {"64", "32", NULL};

static const struct qn_option options[] = {
    QN_OPTION("--hex", "BYTES...", "disassemble these bytes, from address 0", qn_option_text, struct settings, hex),
    QN_OPTION_OF(syntaxes, "--syntax", "WHICH", "att (default) or intel", qn_option_word, struct settings, syntax_word),
    QN_OPTION_OF(cpus, "--cpu", "WHICH",
                 "whose processors to follow where they differ: host (default: the one that quern runs on), intel or amd",
                 qn_option_word, struct settings, cpu),
    QN_OPTION_OF(modes, "--mode", "BITS", "of --hex: 64 (default) or 32", qn_option_word, struct settings, mode),
    QN_OPTION_HELP, QN_OPTION_VERSION, QN_OPTIONS_END};

static const struct qn_option_rule rules[] = {{"--mode", false, "--hex", NULL}, {NULL, false, NULL, NULL}};

static const struct qn_options command = {.tool = "dis", .prefix = "quern dis", .begin = help, .own = options, .rules = rules};

static int complain(const char *file, const char *what)
{
    qn_text_complain("quern: dis: %s: %s", file, what);
    return 1;
}

static void print_line(const struct settings *s, uint64_t address, const uint8_t *bytes, unsigned n, const char *text)
{
    printf("%*llx:\t", s->column, (unsigned long long)address);
    for (unsigned i = 0; i < n; i++)
        printf("%02x ", bytes[i]);
    for (unsigned i = n; i < BYTES_COLUMN; i++)
        fputs("   ", stdout);
    printf("\t%s\n", text);
}

/* The code ends within an instruction: objdump prints the first byte, and a prefix by the name that it has where it has
 * no meaning, as before ud2. */
static void print_cut_off(const struct settings *s, uint8_t byte, struct qn_insn *insn, char *text, size_t size)
{
    const uint8_t before_ud2[] = {byte, 0x0f, 0x0b};

    qn_decode_insn_for(s->machine, before_ud2, sizeof before_ud2, insn);
    if (insn->opcode_off == 1) {
        qn_decode_print_as(s->syntax, before_ud2, insn, 0, text, size);
        text[strcspn(text, " ")] = 0;
    } else {
        snprintf(text, size, ".byte 0x%x", byte);
    }
    insn->len = 1;
}

static void disassemble(const struct settings *s, const uint8_t *bytes, size_t size, uint64_t address)
{
    size_t at = 0;

    while (at < size) {
        char text[TEXT_SIZE];
        struct qn_insn insn;

        /* of what it cannot decode objdump skips prefixes and opcode, too; so does the printer */
        if (qn_decode_insn_for(s->machine, bytes + at, size - at, &insn) == QN_DEC_TRUNCATED)
            print_cut_off(s, bytes[at], &insn, text, sizeof text);
        else
            qn_decode_print_as(s->syntax, bytes + at, &insn, address + at, text, sizeof text);
        print_line(s, address + at, bytes + at, insn.len, text);
        at += insn.len;
    }
}

/* Reads pairs of digits, blanks between them ignored.  Returns the number of bytes, -1 = not hexadecimal. */
static long parse_hex(const char *s, uint8_t *bytes)
{
    static const char blanks[] = " \t\n";
    long n = 0;

    for (s += strspn(s, blanks); *s; s += 2, s += strspn(s, blanks)) {
        if (!isxdigit((unsigned char)s[0]) || !isxdigit((unsigned char)s[1]))
            return -1;
        bytes[n++] = (uint8_t)strtoul((char[]){s[0], s[1], 0}, NULL, 16);
    }
    return n;
}

static int disassemble_hex(const struct settings *s, int count, char **words)
{
    size_t room = 1;
    uint8_t *bytes;
    long n, total = 0;

    for (int i = 0; i < count; i++)
        room += strlen(words[i]) / 2;
    bytes = malloc(room);
    if (!bytes)
        return complain("--hex", "out of memory");
    for (int i = 0; i < count; i++) {
        n = parse_hex(words[i], bytes + total);
        if (n < 0) {
            free(bytes);
            return qn_options_wrong(&command, words[i], "not pairs of hexadecimal digits");
        }
        total += n;
    }
    disassemble(s, bytes, total, 0);
    free(bytes);
    return 0;
}

/* Digits of the column of addresses, as objdump has it: of all that the machine has, zeros in front of the section's end
 * are dropped by fours, as long as a fifth is behind them. */
static int address_column(enum qn_machine machine, uint64_t end)
{
    int digits = machine & QN_MACHINE_32 ? 8 : 16;

    while (digits > 4 && end >> (4 * (digits - 5)) == 0)
        digits -= 4;
    return digits;
}

/* NULL, or what is wrong; the sections before the wrong one have been printed then. */
static const char *print_sections(struct settings *s, Elf *elf)
{
    GElf_Shdr section;
    Elf_Scn *scn = NULL;
    size_t names = 0;

    elf_getshdrstrndx(elf, &names);
    while ((scn = elf_nextscn(elf, scn)) && gelf_getshdr(scn, &section)) {
        const Elf_Data *code;
        const char *name;

        if (!(section.sh_flags & SHF_EXECINSTR) || section.sh_type == SHT_NOBITS || section.sh_size == 0)
            continue;
        code = elf_rawdata(scn, NULL);
        if (!code || code->d_size < section.sh_size)
            return "an executable section lies outside the file";
        name = elf_strptr(elf, names, section.sh_name);
        s->column = address_column(s->machine, section.sh_addr + section.sh_size);
        printf("\nDisassembly of section %s:\n\n", name ? name : "?");
        disassemble(s, code->d_buf, code->d_size, section.sh_addr);
    }
    return NULL;
}

static int disassemble_file(struct settings *s)
{
    struct image file = {.name = s->file};
    const char *error = read_image(&file);
    Elf *elf = NULL;

    elf_version(EV_CURRENT);
    if (!error)
        error = check_header(elf = elf_memory((char *)file.data, file.size));
    if (!error) {
        bool small = gelf_getclass(elf) == ELFCLASS32;

        s->machine = (s->machine & ~QN_MACHINE_32) | (small ? QN_MACHINE_32 : 0);
        printf("\n%s:     file format %s\n\n", s->file, small ? "elf32-i386" : "elf64-x86-64");
        error = print_sections(s, elf);
    }
    elf_end(elf);
    free(file.data);
    return error ? complain(s->file, error) : 0;
}

static enum qn_machine choose_machine(const struct settings *s)
{
    bool amd = s->cpu == CPU_HOST ? (s->machine & QN_MACHINE_AMD) != 0 : s->cpu == CPU_AMD;

    return (s->machine & ~(QN_MACHINE_AMD | QN_MACHINE_32)) | (amd ? QN_MACHINE_AMD : 0) | (s->mode ? QN_MACHINE_32 : 0);
}

int qn_tool_dis(int argc, char **argv)
{
    struct settings s = {.machine = qn_decode_host(), .column = HEX_COLUMN};
    char **words;
    int n = 0, status = qn_options_take(&command, &s, argv, &words);

    (void)argc;
    if (status >= 0)
        return status;
    while (words[n])
        n++;
    s.machine = choose_machine(&s);
    s.syntax = s.syntax_word ? QN_SYNTAX_INTEL : QN_SYNTAX_ATT;
    if (s.hex) {
        argv[0] = s.hex; /* before the other words */
        return disassemble_hex(&s, 1 + n, argv);
    }
    if (n == 0)
        return qn_options_wrong(&command, "", "no file given");
    if (n > 1)
        return qn_options_wrong(&command, words[1], "one file at a time");
    s.file = words[0];
    return disassemble_file(&s);
}
