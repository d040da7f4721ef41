/* lib/sim/many/vectors.h - rows of four and of eight lines in a vector register each, where the processor has AVX-512; see
 * stacks.h, which includes it.
 *
 *   row [A B C D E F G H], C is referenced     equal to C: 00100000     to move, up to there: 11100000
 *                                              [C A B D E F G H]
 *
 * The engine is compiled to leave vector registers alone, since what they hold is the program's: the two and the mask used here
 * are saved before and restored after.  For the same reason nothing else changes them in between.
 */
static struct {
    uint64_t row[8], line[8], mask;
} saved __attribute__((aligned(64)));

#define VECTOR_WAYS(ways) MANY_VECTOR_WAYS(ways)

ALWAYS_INLINE void vectors_begin(void)
{
    __asm__ volatile("vmovdqa64 %%zmm16, %0\n\t"
                     "vmovdqa64 %%zmm17, %1\n\t"
                     "kmovq %%k1, %2" : "=m"(saved.row), "=m"(saved.line), "=m"(saved.mask));
}

ALWAYS_INLINE void vectors_end(void)
{
    __asm__ volatile("vmovdqa64 %0, %%zmm16\n\t"
                     "vmovdqa64 %1, %%zmm17\n\t"
                     "kmovq %2, %%k1" : : "m"(saved.row), "m"(saved.line), "m"(saved.mask));
}

/* The line that the next moves are about. */
ALWAYS_INLINE void vectors_take(uint64_t line) { __asm__ volatile("vpbroadcastq %0, %%zmm17" : : "r"(line)); }

/* vpcompressq: the row without the line, the rest moved up.  valignq: that behind eight times the line, less the first seven of
 * these.  Returns the bits of the other lines (many_place).  Nothing on the way to the new row waits for what is found out in general registers. */
ALWAYS_INLINE unsigned move_by_vector(uint64_t *row, unsigned ways)
{
    uint32_t others;

    if (ways == 8)
        __asm__ volatile("vmovdqa64 %1, %%zmm16\n\t"
                         "vpcmpneqq %%zmm17, %%zmm16, %%k1\n\t"
                         "kmovd %%k1, %0\n\t"
                         "vpcompressq %%zmm16, %%zmm16%{%%k1%}\n\t"
                         "valignq $7, %%zmm17, %%zmm16, %%zmm16\n\t"
                         "vmovdqa64 %%zmm16, %1" : "=r"(others), "+m"(*(uint64_t(*)[8])row));
    else
        __asm__ volatile("vmovdqa64 %1, %%ymm16\n\t"
                         "vpcmpneqq %%ymm17, %%ymm16, %%k1\n\t"
                         "kmovd %%k1, %0\n\t"
                         "vpcompressq %%ymm16, %%ymm16%{%%k1%}\n\t"
                         "valignq $3, %%ymm17, %%ymm16, %%ymm16\n\t"
                         "vmovdqa64 %%ymm16, %1" : "=r"(others), "+m"(*(uint64_t(*)[4])row));
    return others;
}
