#!/bin/sh
# Lab 4: do the solution, the starter and typical mistakes get what they deserve?  Does the handout work?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/unit/labs/labs.inc"

lab 4 28
full_marks
nothing_yet
wrong mrc.c 's/marks_until(now - 1) - marks_until(last);/marks_until(now - 1) - marks_until(last) + 1;/' \
    '1 2 3 4 5 6 7' 'distances from 1'
wrong mrc.c 's/distance = marks_until(now - 1) - marks_until(last);/distance = now - 1 - last;/' \
    '1 2 3 4 5 6 7' 'references counted instead of lines'
wrong mrc.c 's/^        mark(last, -1);/        (void)0;/' '1 2 3 4 5 6 7' 'old marks stay'
wrong mrc.c 's/^        misses_always++;/        (void)0;/' '1 2 3 4 5 6 7' 'first uses left out'
wrong mrc.c 's/reference(addr >> b);/reference(addr);/' '5' 'addresses instead of lines'
wrong mrc.c 's/if (hit)/if (0)/; s/conflict += full_hit;/conflict += !hit - !full_hit;/' \
    '8 9 10' 'conflicts by subtraction'
wrong mrc.c 's/full_hit = hits(&full, line)/full_hit = hit || hits(\&full, line)/' \
    '8 9 10' 'the full cache sees only misses'
wrong mrc.c 's/capacity += !first \&\& !full_hit;/capacity += !full_hit;/' '8 9 10' 'a first use counted twice'
only='a tree'
wrong mrc.c 's/time <= TIMES; time += time & -time/time <= TIMES; time = TIMES + 1/; s/time > 0; time -= time & -time/time > 0; time--/' \
    1 \
    'a list where a tree is needed'
only=
handout
done_testing
