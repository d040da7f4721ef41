#!/bin/sh
# Lab 1: do the solution, the starter and typical mistakes get what they deserve?  Does the handout work?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/unit/labs/labs.inc"

lab 1 23
full_marks
nothing_yet
wrong csim.c 's/memmove(lines + 1, lines, at \* sizeof \*lines);/if (!miss) return 0; &/' '3 4 11' \
    'first in, first out instead of least recently used'
wrong csim.c 's/(addr + size - 1) >> c->b/(addr + size) >> c->b/' '8 9' 'the last byte taken as a + size'
wrong csim.c 's/line <= (addr + size - 1) >> c->b/line <= addr >> c->b/' \
    '8 9' 'only the line of the first byte looked up'
wrong csim.c "s/op == 'M'/0/" '1 5' 'a modify counted once'
wrong csim.c "s/op == 'I'/0/" '6' 'fetches counted as loads'
wrong csim.c 's/uint64_t line = addr >> c->b;/uint64_t line = (uint32_t)addr >> c->b;/; s/(addr + size - 1) >>/(uint32_t)(addr + size - 1) >>/' \
    '7' 'addresses cut to 32 bits'
wrong csim.c 's/c->misses += miss;/c->misses += miss, c->evictions += miss;/; s/c->evictions++, at--/at--/' \
    '1 2 3 4 5 6 7 8 9 10 11' 'every miss counted as an eviction'
handout
done_testing
