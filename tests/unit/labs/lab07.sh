#!/bin/sh
# Lab 7: do the solution, the starter and typical mistakes get what they deserve?  Does the handout work?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/unit/labs/labs.inc"

lab 7 32
full_marks
nothing_yet
only=nextline
wrong nextline.c 's/(missed)/(true)/' '1 2 3 4 5' 'nextline: guesses at every reference'
wrong nextline.c 's/i = 1; i <= degree/i = 0; i < degree/' \
    '1 2 3 4 5' 'nextline: the first line of the guess is the line itself'
wrong nextline.c 's/lines_has(&lines, line)/lines_find(\&lines, line)/' \
    '2 3 4' 'nextline: looking moves a line to the front'
wrong nextline.c 's/    if (lines_has(&lines, line))/    if (0)/' '2 3 4' 'nextline: brings in what is there'
wrong nextline.c 's/^            \*flags = 0;/            (void)0;/' '4' 'nextline: marks stay'
wrong nextline.c 's/bring_in(line, SIM_PREFETCH, PREFETCHED);/lines_add(\&lines, line, PREFETCHED);/' \
    '5' 'nextline: the LL is not asked'
only=tagged
wrong tagged.c 's/missed || was_guessed/missed/' '1 2 3' 'tagged: guesses on misses only'
wrong tagged.c 's/missed || was_guessed/missed || flags/' '1 2 3' 'tagged: guesses at every reference'
only=exclusive
wrong exclusive.c 's/!lines_remove(&lines, line)/!lines_find(\&lines, line)/' '1 2' 'exclusive: keeps what it gives'
wrong exclusive.c 's/^            result->miss = true;/            result->miss = true, lines_add(\&lines, line, 0);/' \
    '1 2' 'exclusive: keeps a copy of what comes from memory'
wrong exclusive.c 's/kind == SIM_EVICT || kind == SIM_WRITEBACK/0/' '1 2' 'exclusive: takes nothing from above'
only=
handout
done_testing
