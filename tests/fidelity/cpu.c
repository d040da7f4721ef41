/* cpu.c - what CPUID, xgetbv, AT_HWCAP and the xsave family say of the processor.
 *
 *   cpu            leaves 0 to 13 and 80000000 to 80000008, in hexadecimal; then whether all agree, a line for what does not
 *   cpu N          uses instructions of level N unasked (avx2: 3, avx512f: 4) */
#define _GNU_SOURCE
#include <cpuid.h>
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct regs { unsigned a, b, c, d; };

static struct regs ask(unsigned leaf, unsigned subleaf)
{
    struct regs r;

    __cpuid_count(leaf, subleaf, r.a, r.b, r.c, r.d);
    return r;
}

static void agree(int does, const char *what)
{
    if (!does)
        printf("does not agree: %s\n", what);
}

static void tell(unsigned leaf, unsigned subleaf)
{
    struct regs r = ask(leaf, subleaf);

    if (r.a | r.b | r.c | r.d)
        printf("%x.%x: %08x %08x %08x %08x\n", leaf, subleaf, r.a, r.b, r.c, r.d);
}

static uint64_t xgetbv(void)
{
    uint32_t low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

extern const char here[];

/* An area of just the size that cpuid tells, with nothing mapped behind it. */
static void check_xsave(unsigned size, uint64_t state)
{
    size_t room = (size + 4095) & ~4095u;
    uint8_t *page = mmap(NULL, room + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *area = page + room - size;
    uint64_t ip, used;

    munmap(page + room, 4096);
    memset(area, 0, size);
    __asm__ volatile("here: fld1\n mov $-1, %%eax\n mov $-1, %%edx\n xsave64 %0\n fstp %%st(0)" : "=m"(*area) :: "eax", "edx", "memory");
    memcpy(&ip, area + 8, 8);
    memcpy(&used, area + 512, 8);
    agree(ip == 0 || ip == (uint64_t)(uintptr_t)here, "the instruction pointer that xsave stores");
    agree((used & 1) && !(used & ~state), "what xsave says that it stored");
}

static void check_state(void)
{
    struct regs r = ask(0xd, 0);
    uint64_t state = xgetbv();
    unsigned size = 576;

    for (unsigned i = 2; i < 63; i++)
        if (state >> i & 1) {
            struct regs part = ask(0xd, i);

            agree(part.a != 0, "a component without a size");
            size = part.a + part.b > size ? part.a + part.b : size;
        }
    agree(state == (r.a | (uint64_t)r.d << 32), "xgetbv and leaf 13");
    agree(r.b == size, "the size of what xsave stores");
    agree(!(ask(1, 0).c >> 28 & 1) == !(state & 4), "AVX and its registers");
    agree(!(ask(7, 0).b >> 16 & 1) == !(state & 0xe0), "AVX-512 and its registers");
    check_xsave(r.b, state);
}

/* The kernel's word: getauxval gives glibc's own. */
static uint64_t word(uint64_t type)
{
    Elf64_auxv_t entry;
    uint64_t value = 0;
    FILE *f = fopen("/proc/self/auxv", "rb");

    while (f && fread(&entry, sizeof entry, 1, f) == 1)
        if (entry.a_type == type)
            value = entry.a_un.a_val;
    fclose(f);
    return value;
}

static void use(int level)
{
    uint32_t out[16] = {0};

    if (level == 3)
        __asm__ volatile("vpcmpeqd %%ymm0, %%ymm0, %%ymm0\n vpsrld $7, %%ymm0, %%ymm0\n vmovdqu %%ymm0, %0\n vzeroupper" : "=m"(out) :: "xmm0");
    else
        __asm__ volatile("mov $7, %%eax\n vpbroadcastd %%eax, %%zmm17\n vmovdqu64 %%zmm17, %0" : "=m"(out) :: "eax");
    printf("%x %x\n", out[0], out[15]);
}

int main(int argc, char **argv)
{
    struct regs one = ask(1, 0);

    if (argc > 1) {
        use(atoi(argv[1]));
        return 0;
    }
    for (unsigned leaf = 0; leaf <= 0xd; leaf++)
        tell(leaf, 0);
    tell(7, 1);
    for (unsigned leaf = 0x80000000; leaf <= 0x80000008; leaf++)
        tell(leaf, 0);
    agree(word(AT_HWCAP) && !(word(AT_HWCAP) & ~(uint64_t)one.d), "AT_HWCAP");
    agree(!(word(AT_HWCAP2) >> 1 & 1) || (ask(7, 0).b & 1), "AT_HWCAP2");
    agree(!(one.c >> 26 & 1) == !(one.c >> 27 & 1), "xsave and osxsave");
    if (one.c >> 27 & 1)
        check_state();
    return 0;
}
