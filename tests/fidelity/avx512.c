/* avx512.c - 512-bit vectors, masks, upper registers, embedded rounding; their state in a signal frame. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>

#define USE __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))
#include <immintrin.h>

static uint64_t out[8] __attribute__((aligned(64)));

static void clobber(int number)
{
    (void)number;
    __asm__ volatile("vpxord %%zmm17, %%zmm17, %%zmm17; vpxord %%zmm31, %%zmm31, %%zmm31; kxorq %%k3, %%k3, %%k3; vzeroall" ::: "memory");
}

USE static void compute(void)
{
    int32_t index[16];
    double values[64];
    __m512d sum = _mm512_setzero_pd();
    __mmask16 odd = 0xaaaa;

    for (int i = 0; i < 64; i++)
        values[i] = 1.0 / (i + 1);
    for (int i = 0; i < 16; i++)
        index[i] = i * 7 % 16;
    for (int i = 0; i < 64; i += 8)
        sum = _mm512_fmadd_round_pd(_mm512_loadu_pd(values + i), _mm512_set1_pd(3), sum, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
    _mm512_store_pd((double *)out, sum);
    for (int i = 0; i < 8; i++)
        printf("%016llx\n", (unsigned long long)out[i]);
    __m512i gathered = _mm512_mask_i32gather_epi32(_mm512_set1_epi32(-1), odd, _mm512_loadu_si512(index), values, 4);
    _mm512_mask_compressstoreu_epi32(out, odd, gathered);
    printf("%016llx %016llx\n", (unsigned long long)out[0], (unsigned long long)out[1]);
    printf("%016llx\n", (unsigned long long)_mm512_cmpgt_epi8_mask(_mm512_load_si512(out), _mm512_set1_epi8(5)));
}

USE static void interrupted(void)
{
    signal(SIGUSR1, clobber);
    __asm__ volatile("mov $0x1234567, %%eax; vpbroadcastd %%eax, %%zmm17; vpslld $3, %%zmm17, %%zmm31; mov $0x5a5a5a5a, %%rcx;"
                     "kmovq %%rcx, %%k3; mov $39, %%eax; syscall; mov %%eax, %%edi; mov %1, %%esi; mov $62, %%eax; syscall;"
                     "kmovq %%k3, %%rcx; mov %%rcx, %0; vpaddd %%zmm17, %%zmm31, %%zmm17%{%%k3%}; vmovdqu64 %%zmm17, %2"
                     : "=m"(out[0]) : "i"(SIGUSR1), "m"(out) : "rax", "rcx", "rdi", "rsi", "r11", "memory");
    for (int i = 0; i < 8; i++)
        printf("%016llx\n", (unsigned long long)out[i]);
}

int main(void)
{
    if (!__builtin_cpu_supports("avx512bw")) {
        printf("no AVX-512 here\n");
        return 77;
    }
    compute();
    interrupted();
    return 0;
}
