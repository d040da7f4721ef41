/* Rows of a least recently used cache (lib/sim/fast/rows.h): does each way of moving them give what a list gives, at every depth, and
 * does it leave vector registers as they were? */
#include "sim/fast/rows.h"
#include "tap.h"

#define STEPS 20000

static bool has(enum qn_vectors with)
{
    return with == QN_VECTORS_SCALAR || (with == QN_VECTORS_AVX2 && __builtin_cpu_supports("avx2")) ||
           (with == QN_VECTORS_AVX512 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"));
}

static bool wide; /* there are zmm registers */

/* ---- the list ---- */

static unsigned list_move(uint64_t *list, unsigned words, uint64_t line)
{
    unsigned depth = 0;

    while (depth < words && list[depth] != line)
        depth++;
    memmove(list + 1, list, (depth < words ? depth : words - 1) * sizeof *list);
    list[0] = line;
    return depth;
}

/* ---- one move, the compiler's registers saved around it as the engine saves the program's ---- */

#define MOVE(name, with, words) \
    static __attribute__((noinline)) unsigned name(uint64_t *row, uint64_t line) \
    { \
        unsigned depth; \
        rows_begin(with, wide); \
        rows_take(with, line); \
        depth = row_depth(row_move(with, row, words, line)); \
        rows_end(with, wide); \
        return depth; \
    }
#define MOVES(name, with) MOVE(name##_1, with, 1) MOVE(name##_2, with, 2) MOVE(name##_4, with, 4) MOVE(name##_8, with, 8) MOVE(name##_16, with, 16)
MOVES(scalar, QN_VECTORS_SCALAR)
MOVES(avx2, QN_VECTORS_AVX2)
MOVES(avx512, QN_VECTORS_AVX512)
static unsigned search_3(uint64_t *row, uint64_t line) { return row_search(row, 3, line); }
static unsigned search_32(uint64_t *row, uint64_t line) { return row_search(row, 32, line); }

typedef unsigned move_function(uint64_t *row, uint64_t line);

static uint64_t state = 1;

static uint32_t draw(uint32_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 32) * below >> 32);
}

static void against_list(const char *name, move_function *move, unsigned words)
{
    static uint64_t row[40] __attribute__((aligned(128))), list[40];
    bool same = true, beside = true;
    unsigned seen[40] = {0}, all = 1;

    memset(row, 0, sizeof row);
    memset(list, 0, sizeof list);
    row[words] = 0x123456789abcdef;
    for (unsigned i = 0; i < STEPS && same; i++) { /* some lines more than there is room for; one far away */
        uint64_t line = 1 + draw(words + 3) + ((uint64_t)draw(2) << 50);
        unsigned depth = move(row, line), wanted = list_move(list, words, line);

        same = depth == wanted && !memcmp(row, list, words * sizeof *row);
        beside &= row[words] == 0x123456789abcdef;
        seen[depth]++;
    }
    for (unsigned depth = 0; depth <= words; depth++)
        all &= seen[depth] > 0;
    ok(same, "%s: rows of %u are as the list", name, words);
    ok(beside && all, "%s: every depth came up, and what lies behind is as it was", name);
}

/* ---- registers ---- */

struct registers {
    uint8_t zmm[32][64];
    uint64_t k[8];
};

#define EACH_8(X) X("0", 0) X("1", 1) X("2", 2) X("3", 3) X("4", 4) X("5", 5) X("6", 6) X("7", 7)
#define EACH_16(X) EACH_8(X) X("8", 8) X("9", 9) X("10", 10) X("11", 11) X("12", 12) X("13", 13) X("14", 14) X("15", 15)
#define EACH_32(X) EACH_16(X) X("16", 16) X("17", 17) X("18", 18) X("19", 19) X("20", 20) X("21", 21) X("22", 22) X("23", 23) \
    X("24", 24) X("25", 25) X("26", 26) X("27", 27) X("28", 28) X("29", 29) X("30", 30) X("31", 31)
#define PUT_Z(r, n) "vmovdqu64 " #n "*64(%0), %%zmm" r "\n\t"
#define GET_Z(r, n) "vmovdqu64 %%zmm" r ", " #n "*64(%1)\n\t"
#define PUT_K(r, n) "kmovq 2048+" #n "*8(%0), %%k" r "\n\t"
#define GET_K(r, n) "kmovq %%k" r ", 2048+" #n "*8(%1)\n\t"
#define PUT_Y(r, n) "vmovdqu " #n "*64(%0), %%ymm" r "\n\t"
#define GET_Y(r, n) "vmovdqu %%ymm" r ", " #n "*64(%1)\n\t"
#define CALL "subq $128, %%rsp\n\tmovq %2, %%rdi\n\tmovq %3, %%rsi\n\tcallq *%4\n\taddq $128, %%rsp\n\t"
#define USED "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", \
    "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

/* The registers hold *before, the row moves, and then they hold *after. */
static __attribute__((noinline)) void call_between(const struct registers *before, struct registers *after, uint64_t *row, move_function *move)
{
    register const struct registers *b __asm__("rbx") = before;
    register struct registers *a __asm__("r12") = after;
    register uint64_t *r __asm__("r13") = row;
    register uint64_t line __asm__("r14") = 5;
    register move_function *f __asm__("r15") = move;

    if (wide)
        __asm__ volatile(EACH_32(PUT_Z) EACH_8(PUT_K) CALL EACH_32(GET_Z) EACH_8(GET_K) "vzeroupper"
                         : : "r"(b), "r"(a), "r"(r), "r"(line), "r"(f) : USED);
    else
        __asm__ volatile(EACH_16(PUT_Y) CALL EACH_16(GET_Y) "vzeroupper" : : "r"(b), "r"(a), "r"(r), "r"(line), "r"(f) : USED);
}

static void registers_stay(const char *name, move_function *move)
{
    static struct registers before, after;
    static uint64_t row[17] __attribute__((aligned(128))) = {1, 2, 3, 4, 5, 6};
    unsigned bytes = wide ? 64 : 32, registers = wide ? 32 : 16;

    for (int above = 1; above >= 0; above--) {
        bool same = true;

        for (unsigned i = 0; i < sizeof before; i++)
            ((uint8_t *)&before)[i] = (uint8_t)draw(256);
        for (unsigned r = 0; r < 32 && !above; r++)
            memset(before.zmm[r] + 16, 0, 48);
        call_between(&before, &after, row, move);
        for (unsigned r = 0; r < registers; r++)
            same &= !memcmp(before.zmm[r], after.zmm[r], bytes);
        same &= !wide || !memcmp(before.k, after.k, sizeof before.k);
        ok(same, "%s: the registers are as they were%s", name, above ? "" : ", with nothing above 128 bits");
    }
}

int main(void)
{
    static const struct {
        const char *name;
        enum qn_vectors with;
        move_function *move[5];
    } ways[] = {{"words", QN_VECTORS_SCALAR, {scalar_1, scalar_2, scalar_4, scalar_8, scalar_16}},
                {"AVX2", QN_VECTORS_AVX2, {avx2_1, avx2_2, avx2_4, avx2_8, avx2_16}},
                {"AVX-512", QN_VECTORS_AVX512, {avx512_1, avx512_2, avx512_4, avx512_8, avx512_16}}};

    wide = has(QN_VECTORS_AVX512);
    for (unsigned w = 0; w < 3; w++)
        for (unsigned i = 0; i < 5; i++) {
            if (!has(ways[w].with)) {
                skip(4, "this processor has no %s", ways[w].name);
                continue;
            }
            against_list(ways[w].name, ways[w].move[i], 1u << i);
            if (has(QN_VECTORS_AVX2))
                registers_stay(ways[w].name, ways[w].move[i]);
            else
                skip(2, "this processor has no AVX2");
        }
    if (wide) { /* as on a processor without AVX-512: nothing above 256 bits is saved */
        static struct registers before, after;
        static uint64_t row[16] __attribute__((aligned(128)));
        bool same = true;

        memset(&before, 0, sizeof before);
        for (unsigned r = 0; r < 16; r++)
            memset(before.zmm[r], (int)r + 1, 32);
        wide = false;
        call_between(&before, &after, row, avx2_8);
        for (unsigned r = 0; r < 16; r++)
            same &= !memcmp(before.zmm[r], after.zmm[r], 32);
        ok(same, "AVX2 alone: the registers are as they were");
    } else {
        skip(1, "this processor has no AVX-512: AVX2 alone is all that was tested");
    }
    against_list("search", search_3, 3);
    against_list("search", search_32, 32);
    return done_testing();
}
