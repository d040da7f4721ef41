/* libopcodes.h - the text that binutils' libopcodes, which objdump prints with, makes of an instruction.
 *
 *   prepare(setting); region = ...; their_result(offset in the region, &result) */
#ifndef QN_TEST_LIBOPCODES_H
#define QN_TEST_LIBOPCODES_H

#define PACKAGE "quern" /* bfd.h insists */
#include <bfd.h>
#include <dis-asm.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "decode/decode.h"

#define TEXT 256

struct setting {
    enum qn_machine machine;
    enum qn_syntax syntax;
};

/* Code under comparison; addresses are offsets into it plus base. */
struct region {
    const uint8_t *bytes;
    size_t size;
    uint64_t base;
};

struct result {
    unsigned len;
    char text[TEXT];
};

static struct disassemble_info info;
static disassembler_ftype print_theirs;
static struct region region;
static char theirs[TEXT];
static size_t theirs_used;

static void add_text(const char *format, va_list arguments)
{
    int n = vsnprintf(theirs + theirs_used, TEXT - theirs_used, format, arguments);

    if (n > 0)
        theirs_used = theirs_used + n < TEXT ? theirs_used + n : TEXT - 1;
}

static int plain(void *stream, const char *format, ...)
{
    va_list arguments;

    (void)stream;
    va_start(arguments, format);
    add_text(format, arguments);
    va_end(arguments);
    return 0;
}

static int styled(void *stream, enum disassembler_style style, const char *format, ...)
{
    va_list arguments;

    (void)stream;
    (void)style;
    va_start(arguments, format);
    add_text(format, arguments);
    va_end(arguments);
    return 0;
}

static int read_bytes(bfd_vma address, bfd_byte *to, unsigned n, struct disassemble_info *unused)
{
    (void)unused;
    if (address < region.base || address - region.base + n > region.size)
        return -1;
    memcpy(to, region.bytes + (address - region.base), n);
    return 0;
}

static void memory_error(int status, bfd_vma address, struct disassemble_info *unused)
{
    (void)status, (void)address, (void)unused;
}

static void print_address(bfd_vma address, struct disassemble_info *unused)
{
    (void)unused;
    plain(NULL, "%llx", (unsigned long long)address);
}

static void prepare(struct setting s)
{
    static char options[64];

    snprintf(options, sizeof options, "%s,%s,%s", s.machine & QN_MACHINE_32 ? "i386" : "x86-64",
             s.syntax == QN_SYNTAX_INTEL ? "intel" : "att", s.machine & QN_MACHINE_AMD ? "amd64" : "intel64");
    init_disassemble_info(&info, NULL, plain, styled);
    info.arch = bfd_arch_i386;
    info.mach = s.machine & QN_MACHINE_32 ? bfd_mach_i386_i386 : bfd_mach_x86_64;
    info.read_memory_func = read_bytes;
    info.memory_error_func = memory_error;
    info.print_address_func = print_address;
    info.disassembler_options = options;
    disassemble_init_for_target(&info);
    print_theirs = disassembler(bfd_arch_i386, false, info.mach, NULL);
}

static void cut_blanks(char *text)
{
    size_t n = strlen(text);

    while (n && text[n - 1] == ' ')
        text[--n] = 0;
}

static void their_result(uint64_t at, struct result *r)
{
    int n;

    theirs_used = 0;
    theirs[0] = 0;
    n = print_theirs(region.base + at, &info);
    r->len = n > 0 ? n : 0;
    strcpy(r->text, theirs);
    cut_blanks(r->text);
}

/* objdump makes one line of fwait and the x87 instruction after it. */
static bool joins_fwait(const struct result *their, const struct result *our)
{
    size_t n = strlen(our->text);

    return their->len > our->len && n >= 5 && strcmp(our->text + n - 5, "fwait") == 0;
}

/* Code that ends within an instruction: objdump prints one byte, or one prefix, for which the decoder has no text
 * (quern dis has, dis_objdump.sh). */
static bool is_cut_off(enum qn_decode_status status, const struct result *their)
{
    return status == QN_DEC_TRUNCATED && their->len == 1 &&
           (!strncmp(their->text, ".byte ", 6) || !strchr(their->text, ' '));
}

#endif
