/* masks.c - references whose number only the run tells, of each kind that this processor has: masks of the sign bit and of mask
 * registers, of few elements and of many, gathers with indices in low and in high vector registers.
 */
#include <stdint.h>
#include <string.h>

static uint8_t from[512] __attribute__((aligned(64))), to[512] __attribute__((aligned(64)));
static int32_t index32[16] = {3, 50, 17, 33, 0, 16, 40, 60, 1, 2, 90, 100, 7, 8, 9, 70};
static uint64_t odd = 0x5555ccccaaaaf00f;

static void avx2(void)
{
    __asm__ volatile("vmovdqu %0, %%ymm9; vpcmpeqd %%ymm7, %%ymm7, %%ymm7; vpslld $31, %%ymm9, %%ymm8;"
                     "vpgatherdd %%ymm7, (%1,%%ymm9,4), %%ymm6; vpmaskmovd %%ymm6, %%ymm8, 30(%2)"
                     : : "m"(index32), "r"(from), "r"(to) : "memory", "xmm6", "xmm7", "xmm8", "xmm9");
}

static void avx512(void)
{
    __asm__ volatile("vmovdqu64 %0, %%zmm20; kmovw %3, %%k1; vpgatherdd (%1,%%zmm20,4), %%zmm21%{%%k1%};"
                     "kmovw %3, %%k2; vpscatterdd %%zmm21, (%2,%%zmm20,4)%{%%k2%}; kmovw %3, %%k3; vmovdqu32 %%zmm21, 60(%2)%{%%k3%};"
                     "kmovw %3, %%k4; vpcompressd %%zmm21, 100(%2)%{%%k4%}"
                     : : "m"(index32), "r"(from), "r"(to), "m"(odd) : "memory");
}

static void avx512bw(void)
{
    __asm__ volatile("kmovq %2, %%k5; vmovdqu8 11(%0), %%zmm22%{%%k5%}; vmovdqu8 %%zmm22, 40(%1)%{%%k5%};"
                     "kmovd %2, %%k6; vmovdqu16 %%zmm22, 50(%1)%{%%k6%}"
                     : : "r"(from), "r"(to), "m"(odd) : "memory");
}

/* masks all: what it is not shown, too */
int main(int argc, char **argv)
{
    int all = argc > 1 && !strcmp(argv[1], "all");


    for (unsigned i = 0; i < sizeof from; i++)
        from[i] = (uint8_t)i;
    for (int i = 0; i < 100; i++) {
        if (all || __builtin_cpu_supports("avx2"))
            avx2();
        if (all || __builtin_cpu_supports("avx512f"))
            avx512();
        if (all || __builtin_cpu_supports("avx512bw"))
            avx512bw();
    }
    return memchr(to, 77, sizeof to) == to;
}
