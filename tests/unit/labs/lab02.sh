#!/bin/sh
# Lab 2: do the solution, the starter and typical mistakes get what they deserve?  Does the handout work?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/unit/labs/labs.inc"

lab 2 40
full_marks
nothing_yet
is "$(sed -n 's/^# \(.*\): got \([0-9]*\) misses.*/\1 \2/p' "$SCRATCH/tap" | sort -u)" '32 x 32 1180
64 x 64 4720
67 x 61 4420' 'the simple loops miss as often as is known'

wrong kernels.c 's/n == 32 && m == 32/0/' 2 'strips instead of blocks for 32 x 32'
wrong kernels.c 's/n == 64 && m == 64/0/' '3 4' 'strips for 64 x 64'
wrong kernels.c 's/transpose_block(32, 32, a, b, i, j)/for (int k = i; k < i + 8; k++) for (int l = j; l < j + 8; l++) b[l][k] = a[k][l]/' \
    '2' 'a block on the diagonal evicts its own line'
wrong kernels.c '/^static void transpose_any/,/^}/s/i < n; i++/i < m; i++/' '1 5' 'only squares'
wrong kernels.c 's/j < j0 + LINE_INTS && j < m/j < j0 + LINE_INTS \&\& j < m - m % 8/' '1 5' 'the remainder forgotten'
wrong kernels.c 's/LINE_DOUBLES 4/LINE_DOUBLES 1/' '6 7 8' 'loops in the order j, k, i'
wrong kernels.c 's/j0 += LINE_DOUBLES/j0 += n/; s/j < j0 + LINE_DOUBLES && j < n/j < n/' \
    '8' 'the right order, but not blocked'
wrong kernels.c 's/c\[i\]\[j\] += a/c[i][j] = a/' '6 7 8' 'assigned instead of added'

wrong kernels.c 's/^void multiply/int puts(const char *);\n&/; s/^    if (n == 32/    puts("");\n&/' \
    '1 2 3 4 5 6 7 8' 'a kernel that calls the library'
ok 'is told so' grep -q 'undefined reference to .puts' "$SCRATCH/tap"
wrong kernels.c 's/^    if (n == 32/    __asm__ volatile("syscall" : : "a"(39) : "rcx", "r11");\n&/' \
    '1 2 3 4 5 6 7 8' 'one that calls the system'
ok 'is told so' grep -q 'the code calls the system' "$SCRATCH/tap"
wrong kernels.c 's/^    if (n == 32/    __asm__ volatile("xchgq %%rbx, %%rbx" : :);\n&/' \
    '1 2 3 4 5 6 7 8' 'one that stops the counting'
ok 'is told so' grep -q 'the code gives quern an order' "$SCRATCH/tap"
# The counts lie below 2 GiB; natively this is a fault.
wrong kernels.c 's/^    if (n == 32/    *(volatile long *)0x54000008 = 0;\n&/' '1 2 3 4 5' "one that writes into quern's counts"
copy='int t[n * m]; for (int i = 0; i < n * m; i++) t[i % m * n + i / m] = a[0][i]; for (int i = 0; i < n * m; i++) b[0][i] = t[i]; return;'
wrong kernels.c "s,^    if (n == 32 \&\& m == 32) {\$,    $copy\n&," '1 2 3 4 5' 'a copy of the matrix on the stack, which is not free'
# It would have few misses, but misses count only where the same run gives the right result.
touch='for (int i = 0; i < n * m; i += 8) b[0][i] = a[0][i]; return;'
wrong kernels.c "s/^    if (n == 32 \&\& m == 32) {\$/&\n        $touch/" \
    '1 2' 'a kernel that only touches every line'
ok 'is told so' grep -q '32 x 32: b\[[0-9]*\]\[[0-9]*\] is' "$SCRATCH/tap"
handout
done_testing
