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
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "dis_elf.h"
#include "tools.h"

#define TEXT_SIZE 256
#define BYTES_COLUMN 7 /* bytes for which the column has room; more push the text to the right */

static const char help[] =
    "usage: quern dis [--syntax=att|intel] [--cpu=host|intel|amd] FILE\n"
    "       quern dis [--syntax=...] [--cpu=...] [--mode=64|32] --hex BYTES...\n"
    "\n"
    "Disassembles the executable sections of an ELF file for x86, 64-bit or 32-bit, or\n"
    "bytes given in hexadecimal (\"4889e5\" or \"48 89 e5\"), as objdump -d does.\n"
    "\n"
    "  --hex BYTES     disassemble these bytes, from address 0\n"
    "  --syntax=WHICH  att (default) or intel\n"
    "  --cpu=WHICH     whose processors to follow where they differ: host (default: the one\n"
    "                  that quern runs on), intel or amd\n"
    "  --mode=BITS     of --hex: 64 (default) or 32\n"
    "  -h, --help      show this text\n"
    "  --version       show the version\n";

struct settings {
    enum qn_machine machine;
    enum qn_syntax syntax;
    const char *file; /* name for messages and headings */
};

static int complain(const char *file, const char *what)
{
    qn_tool_complain("quern: dis: %s: %s", file, what);
    return 1;
}

static int usage_error(const char *what, const char *argument)
{
    qn_tool_complain("quern dis: %s%s; `quern dis --help` tells how", what, argument);
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
            return usage_error("not pairs of hexadecimal digits: ", words[i]);
        }
        total += n;
    }
    disassemble(s, bytes, total, 0);
    free(bytes);
    return finish_output("--hex");
}

static void print_heading(bool is_32_bit, void *data)
{
    struct settings *s = data;

    s->machine = (s->machine & ~QN_MACHINE_32) | (is_32_bit ? QN_MACHINE_32 : 0);
    printf("\n%s:     file format %s\n\n", s->file, is_32_bit ? "elf32-i386" : "elf64-x86-64");
}

static void print_section(const struct dis_section *section, void *data)
{
    printf("\nDisassembly of section %s:\n\n", section->name);
    disassemble(data, section->bytes, section->size, section->address);
}

static int disassemble_file(struct settings *s)
{
    const char *error = dis_elf_read(s->file, print_heading, print_section, s);

    return error ? complain(s->file, error) : finish_output(s->file);
}

/* "--name=value": the value, or NULL if the argument is another option. */
static const char *value_of(const char *argument, const char *name)
{
    size_t n = strlen(name);

    return strncmp(argument, name, n) == 0 && argument[n] == '=' ? argument + n + 1 : NULL;
}

/* One of the two words: 0 or 1; -1 = neither. */
static int choice(const char *value, const char *first, const char *second)
{
    return !strcmp(value, first) ? 0 : !strcmp(value, second) ? 1 : -1;
}

/* Take one option; 0, or the exit status of a usage error. */
static int take_option(struct settings *s, const char *argument)
{
    const char *value;
    int which = -1;

    if ((value = value_of(argument, "--syntax"))) {
        which = choice(value, "att", "intel");
        s->syntax = which ? QN_SYNTAX_INTEL : QN_SYNTAX_ATT;
    } else if ((value = value_of(argument, "--mode"))) {
        which = choice(value, "64", "32");
        s->machine = (s->machine & ~QN_MACHINE_32) | (which ? QN_MACHINE_32 : 0);
    } else if ((value = value_of(argument, "--cpu"))) {
        which = strcmp(value, "host") ? choice(value, "intel", "amd") : !!(qn_decode_host() & QN_MACHINE_AMD);
        s->machine = (s->machine & ~QN_MACHINE_AMD) | (which ? QN_MACHINE_AMD : 0);
    } else {
        return usage_error("no such option: ", argument);
    }
    return which < 0 ? usage_error("no such value: ", argument) : 0;
}

int qn_tool_dis(int argc, char **argv)
{
    struct settings s = {.machine = qn_decode_host()};
    int at = 1;

    for (; at < argc && argv[at][0] == '-' && argv[at][1]; at++) {
        int status;
        if (!strcmp(argv[at], "-h") || !strcmp(argv[at], "--help"))
            return fputs(help, stdout) < 0;
        if (!strcmp(argv[at], "--version"))
            return puts("quern dis " QN_VERSION) < 0;
        if (value_of(argv[at], "--hex")) {
            argv[at] += strlen("--hex=");
            return disassemble_hex(&s, argc - at, argv + at);
        }
        if (!strcmp(argv[at], "--hex") && at + 1 == argc)
            return usage_error("--hex wants bytes", "");
        if (!strcmp(argv[at], "--hex"))
            return disassemble_hex(&s, argc - at - 1, argv + at + 1);
        if ((status = take_option(&s, argv[at])))
            return status;
    }
    if (at == argc)
        return usage_error("no file given", "");
    if (at + 1 < argc)
        return usage_error("one file at a time, got also ", argv[at + 1]);
    s.file = argv[at];
    return disassemble_file(&s);
}
