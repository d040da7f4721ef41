/* input.h - what the tests of the decoder decode: code of ELF files, systematic strings, random strings.
 *
 *   each_code("/usr/bin/bash", ELFCLASS64, fn, data)   fn(bytes, size, address, data) for each executable section
 *   systematic_string(n, mode, s)                      the n-th of SYSTEMATIC strings: every map, opcode and ModRM byte
 *                                                      with the prefixes and vector fields that matter
 *   random_string(mode, s)                             more often than not with prefixes, an escape or a vector prefix
 *
 * Header only; strings are QN_INSN_MAX_LEN bytes and end with random bytes. */
#ifndef DECODE_INPUT_H
#define DECODE_INPUT_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"

#define INPUT_UNUSED __attribute__((unused))

static uint64_t random_state = 1;

static unsigned random_byte(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return random_state >> 56;
}

static void random_tail(uint8_t s[QN_INSN_MAX_LEN], unsigned from)
{
    for (unsigned i = from; i < QN_INSN_MAX_LEN; i++)
        s[i] = random_byte();
}

/* REX comes last of the prefixes, mostly: elsewhere it is dead, and objdump gives it a line of its own. */
static INPUT_UNUSED void random_string(enum qn_machine machine, uint8_t s[QN_INSN_MAX_LEN])
{
    static const uint8_t legacy[] = {0x66, 0x66, 0xf2, 0xf3, 0x67, 0x64, 0x65, 0x26, 0x36, 0x3e, 0xf0, 0x2e};
    unsigned n = 0;

    random_tail(s, 0);
    for (unsigned k = random_byte() % 3; k; k--)
        s[n++] = legacy[random_byte() % sizeof legacy];
    if (!(machine & QN_MACHINE_32) && (random_byte() & 1))
        s[n++] = 0x40 | (random_byte() & 15);
    switch (random_byte() % 8) {
    case 0:
    case 1:
        break;
    case 2:
        s[n] = 0x0f;
        break;
    case 3:
        s[n] = 0x0f;
        s[n + 1] = random_byte() & 1 ? 0x38 : 0x3a;
        break;
    case 4:
        s[0] = 0xc5;
        break;
    case 5:
        s[0] = random_byte() & 3 ? 0xc4 : 0x8f;
        s[1] = (s[1] & 0xe0) | (1 + random_byte() % 3 + (s[0] == 0x8f ? 7 : 0));
        break;
    default:
        s[0] = 0x62;
        s[1] = (s[1] & 0xf0) | (1 + random_byte() % 6);
        s[2] |= 4;
        if (random_byte() & 1)
            s[2] |= 0x78, s[3] |= 8;
        break;
    }
}

/* Legacy: 24 sets of prefixes, 4 maps; then VEX, EVEX and XOP with their fields; each with 256 opcodes, 256 ModRM. */
#define BLOCK (256ul * 256)
#define SYSTEMATIC_LEGACY (24ul * 4)
#define SYSTEMATIC_VEX (3ul * 4 * 2 * 2 * 2)           /* map, pp, L, W, vvvv none or not */
#define SYSTEMATIC_XOP (3ul * 4 * 2 * 2 * 2)
#define SYSTEMATIC_EVEX (6ul * 4 * 3 * 2 * 2 * 3)      /* map, pp, L'L, W, b, mask none, k, kz */
#define SYSTEMATIC ((SYSTEMATIC_LEGACY + SYSTEMATIC_VEX + SYSTEMATIC_XOP + SYSTEMATIC_EVEX) * BLOCK)

static unsigned take(unsigned long *n, unsigned choices)
{
    unsigned choice = *n % choices;

    *n /= choices;
    return choice;
}

static unsigned legacy_start(unsigned long n, uint8_t *s)
{
    static const char prefixes[24][5] = {
        "",         "\x66",     "\xf2",     "\xf3",     "\x67",     "\xf0",     "\x66\xf2",     "\x66\xf3",
        "\x66\x67", "\x67\xf3", "\x2e",     "\x65",     "\x48",     "\x41",     "\x4f",         "\x66\x48",
        "\xf3\x48", "\xf2\x48", "\x67\x4c", "\x66\x41", "\xf2\xf3\x66", "\x3e", "\xf0\x48",     "\xf3\x66\x45"};
    static const char escapes[4][3] = {"", "\x0f", "\x0f\x38", "\x0f\x3a"};
    const char *prefix = prefixes[take(&n, 24)];
    const char *escape = escapes[take(&n, 4)];
    unsigned used = 0;

    while (*prefix)
        s[used++] = *prefix++;
    while (*escape)
        s[used++] = *escape++;
    return used;
}

/* R, X and B are random, and 1 in 32-bit mode, where others would be les, lds, bound. */
static unsigned upper_bits(enum qn_machine machine)
{
    return machine & QN_MACHINE_32 ? 0xe0 : random_byte() & 0xe0;
}

static unsigned vex_start(enum qn_machine machine, unsigned first, unsigned first_map, unsigned long n, uint8_t *s)
{
    s[0] = first;
    s[1] = upper_bits(machine) | (first_map + take(&n, 3));
    s[2] = take(&n, 4);                              /* pp */
    s[2] |= take(&n, 2) << 2 | take(&n, 2) << 7;     /* L, W */
    s[2] |= take(&n, 2) ? random_byte() & 0x78 : 0x78;
    return 3;
}

static unsigned evex_start(enum qn_machine machine, unsigned long n, uint8_t *s)
{
    static const uint8_t maps[6] = {1, 2, 3, 5, 6, 4};
    unsigned mask;

    s[0] = 0x62;
    s[1] = upper_bits(machine) | (random_byte() & 0x10) | maps[take(&n, 6)];
    s[2] = 4 | take(&n, 4) | (random_byte() & 1 ? 0x78 : random_byte() & 0x78);
    s[3] = take(&n, 3) << 5 | 8;
    s[2] |= take(&n, 2) << 7;
    s[3] |= take(&n, 2) << 4;
    mask = take(&n, 3);
    s[3] |= mask ? (1 + random_byte() % 7) | (mask == 2 ? 0x80 : 0) : 0;
    if (random_byte() % 8 == 0)
        s[3] ^= 8; /* V' */
    return 4;
}

/* n < SYSTEMATIC.  The low 16 bits of n are opcode and ModRM. */
static INPUT_UNUSED void systematic_string(unsigned long n, enum qn_machine machine, uint8_t s[QN_INSN_MAX_LEN])
{
    unsigned opcode = n & 0xff, modrm = n >> 8 & 0xff, used;
    unsigned long fields = n / BLOCK;

    random_tail(s, 0);
    if (fields < SYSTEMATIC_LEGACY)
        used = legacy_start(fields, s);
    else if ((fields -= SYSTEMATIC_LEGACY) < SYSTEMATIC_VEX)
        used = vex_start(machine, 0xc4, 1, fields, s);
    else if ((fields -= SYSTEMATIC_VEX) < SYSTEMATIC_XOP)
        used = vex_start(machine, 0x8f, 8, fields, s);
    else
        used = evex_start(machine, fields - SYSTEMATIC_XOP, s);
    s[used++] = opcode;
    s[used] = modrm;
}

static uint8_t *read_whole_file(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    uint8_t *data = NULL;

    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && ftell(file) >= (long)sizeof(Elf64_Ehdr)) {
        *size = ftell(file);
        rewind(file);
        data = malloc(*size);
        if (data && fread(data, 1, *size, file) != *size) {
            free(data);
            data = NULL;
        }
    }
    fclose(file);
    return data;
}

typedef void code_fn(const uint8_t *bytes, size_t size, uint64_t address, void *data);

#define EACH_SECTION(Ehdr, Shdr)                                                                            \
    do {                                                                                                    \
        const Ehdr *eh = (const void *)file;                                                                \
        for (unsigned i = 0; i < eh->e_shnum; i++) {                                                        \
            const Shdr *sh = (const void *)(file + eh->e_shoff + (size_t)i * eh->e_shentsize);              \
            if ((const uint8_t *)(sh + 1) > file + size)                                                    \
                break;                                                                                      \
            if ((sh->sh_flags & SHF_EXECINSTR) && sh->sh_type == SHT_PROGBITS &&                            \
                sh->sh_offset + sh->sh_size <= size)                                                        \
                fn(file + sh->sh_offset, sh->sh_size, sh->sh_addr, data);                                   \
        }                                                                                                   \
    } while (0)

/* False if the file cannot be read or is no x86 ELF file of that class. */
static INPUT_UNUSED bool each_code(const char *name, unsigned class, code_fn *fn, void *data)
{
    size_t size;
    uint8_t *file = read_whole_file(name, &size);
    unsigned machine = class == ELFCLASS64 ? EM_X86_64 : EM_386;
    bool fits = file && memcmp(file, ELFMAG, SELFMAG) == 0 && file[EI_CLASS] == class &&
                ((const Elf64_Ehdr *)file)->e_machine == machine;

    if (fits && class == ELFCLASS64)
        EACH_SECTION(Elf64_Ehdr, Elf64_Shdr);
    else if (fits)
        EACH_SECTION(Elf32_Ehdr, Elf32_Shdr);
    free(file);
    return fits;
}

#endif
