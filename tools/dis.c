/* tools/dis.c - `quern dis`: the decoder on its own, as a disassembler.
 *
 * In:  quern dis ELF            or  quern dis --hex 4889e5
 * Out: quern dis --hex 4889e5c3
 *             0:<TAB>48 89 e5             <TAB>mov    %rsp,%rbp
 *             3:<TAB>c3                   <TAB>ret
 *      An ELF file's executable sections come one after the other, each under a heading; lines are those of
 *      `objdump -d -w -z` without symbols.  Messages on stderr; exit 0, 1 (file), 2 (usage).
 * Every offset of the file is checked before it is used: the file may be truncated or hostile.
 * Not done: symbols, other machines, objdump's "..." for runs of zeros.
 */
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "tools.h"

#define TEXT_SIZE 256
#define BYTES_COLUMN 7 /* bytes for which the column has room; more push the text to the right */

static const char help[] =
    "usage: quern dis FILE\n"
    "       quern dis --hex BYTES\n"
    "\n"
    "Disassembles the executable sections of an ELF file for x86-64, or bytes given in\n"
    "hexadecimal (\"4889e5\" or \"48 89 e5\"), as objdump -d does.\n"
    "\n"
    "  --hex BYTES  disassemble these bytes, from address 0\n"
    "  -h, --help   show this text\n"
    "  --version    show the version\n";

static int complain(const char *file, const char *what)
{
    fprintf(stderr, "quern: dis: %s: %s\n", file, what);
    return 1;
}

static int usage_error(const char *what, const char *argument)
{
    fprintf(stderr, "quern dis: %s%s; `quern dis --help` tells how\n", what, argument);
    return QN_EXIT_USAGE;
}

static void print_line(uint64_t address, const uint8_t *bytes, unsigned n, const char *text)
{
    printf("%8llx:\t", (unsigned long long)address);
    for (unsigned i = 0; i < n; i++)
        printf("%02x ", bytes[i]);
    for (unsigned i = n; i < BYTES_COLUMN; i++)
        fputs("   ", stdout);
    printf("\t%s\n", text);
}

static void disassemble(const uint8_t *bytes, size_t size, uint64_t address)
{
    size_t at = 0;

    while (at < size) {
        char text[TEXT_SIZE];
        struct qn_insn insn;

        /* of what it cannot decode objdump skips prefixes and opcode, too; so does the printer */
        qn_decode_insn(bytes + at, size - at, &insn);
        qn_decode_print(bytes + at, &insn, address + at, text, sizeof text);
        print_line(address + at, bytes + at, insn.len, text);
        at += insn.len;
    }
}

static int finish_output(const char *name)
{
    return fflush(stdout) || ferror(stdout) ? complain(name, "cannot write the output") : 0;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Reads pairs of digits, blanks between them ignored.  Returns the number of bytes, -1 = not hexadecimal. */
static long parse_hex(const char *s, uint8_t *bytes)
{
    long n = 0;

    while (*s) {
        if (*s == ' ' || *s == '\t' || *s == '\n') {
            s++;
            continue;
        }
        if (hex_digit(s[0]) < 0 || hex_digit(s[1]) < 0)
            return -1;
        bytes[n++] = hex_digit(s[0]) << 4 | hex_digit(s[1]);
        s += 2;
    }
    return n;
}

static int disassemble_hex(int count, char **words)
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
            return usage_error("not pairs of hexadecimal digits: ", words[i]);
        }
        total += n;
    }
    disassemble(bytes, total, 0);
    free(bytes);
    return finish_output("--hex");
}

struct image {
    const char *name;
    uint8_t *data;
    size_t size;
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

static const char *check_header(const struct image *file, Elf64_Ehdr *header)
{
    if (file->size < EI_NIDENT || memcmp(file->data, ELFMAG, SELFMAG))
        return "not an ELF file";
    if (file->size < sizeof *header)
        return "ELF header is truncated";
    memcpy(header, file->data, sizeof *header);
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_machine != EM_X86_64)
        return "not an ELF file for x86-64";
    if (header->e_shoff == 0)
        return "has no section headers";
    if (header->e_shentsize != sizeof(Elf64_Shdr))
        return "section headers have a size other than 64 bytes";
    if (!inside(file, header->e_shoff, sizeof(Elf64_Shdr)))
        return "section headers lie outside the file";
    return NULL;
}

static void read_section(const struct image *file, const Elf64_Ehdr *header, uint64_t index,
                         Elf64_Shdr *section)
{
    memcpy(section, file->data + header->e_shoff + index * sizeof *section, sizeof *section);
}

/* Number of sections and index of the name table, also where they do not fit the header (ELF gABI, section
 * header 0). */
static const char *find_sections(const struct image *file, const Elf64_Ehdr *header, uint64_t *count,
                                 Elf64_Shdr *names)
{
    Elf64_Shdr zero;
    uint64_t index;

    read_section(file, header, 0, &zero);
    *count = header->e_shnum ? header->e_shnum : zero.sh_size;
    index = header->e_shstrndx == SHN_XINDEX ? zero.sh_link : header->e_shstrndx;
    if (*count > file->size / sizeof(Elf64_Shdr) ||
        !inside(file, header->e_shoff, *count * sizeof(Elf64_Shdr)))
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

static const char *disassemble_sections(const struct image *file, const Elf64_Ehdr *header)
{
    Elf64_Shdr names, section;
    uint64_t count;
    const char *error = find_sections(file, header, &count, &names);

    for (uint64_t i = 1; !error && i < count; i++) {
        read_section(file, header, i, &section);
        if (!(section.sh_flags & SHF_EXECINSTR) || section.sh_type == SHT_NOBITS || section.sh_size == 0)
            continue;
        if (!inside(file, section.sh_offset, section.sh_size))
            return "an executable section lies outside the file";
        printf("\nDisassembly of section %s:\n\n", section_name(file, &names, section.sh_name));
        disassemble(file->data + section.sh_offset, section.sh_size, section.sh_addr);
    }
    return error;
}

static int disassemble_file(const char *name)
{
    struct image file = {.name = name};
    Elf64_Ehdr header;
    const char *error = read_image(&file);

    if (!error)
        error = check_header(&file, &header);
    if (!error) {
        printf("\n%s:     file format elf64-x86-64\n\n", name);
        error = disassemble_sections(&file, &header);
    }
    free(file.data);
    return error ? complain(name, error) : finish_output(name);
}

int qn_tool_dis(int argc, char **argv)
{
    if (argc < 2)
        return usage_error("no file given", "");
    if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))
        return fputs(help, stdout) < 0;
    if (!strcmp(argv[1], "--version"))
        return puts("quern dis " QN_VERSION) < 0;
    if (!strncmp(argv[1], "--hex=", 6)) {
        argv[1] += 6;
        return disassemble_hex(argc - 1, argv + 1);
    }
    if (!strcmp(argv[1], "--hex"))
        return argc < 3 ? usage_error("--hex wants bytes", "") : disassemble_hex(argc - 2, argv + 2);
    if (argv[1][0] == '-' && argv[1][1])
        return usage_error("no such option: ", argv[1]);
    if (argc > 2)
        return usage_error("one file at a time, got also ", argv[2]);
    return disassemble_file(argv[1]);
}
