#!/bin/sh
# Lab 10: do the solution, the starter and typical mistakes get what they deserve?  Does the handout work?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/unit/labs/labs.inc"

lab 10 35
full_marks
nothing_yet
only=tlb
wrong tlb.c 's/lines_find(&first, page)/lines_has(\&first, page)/' '1 2 3' 'tlb: a hit leaves the order as it is'
wrong tlb.c 's/LINES_OF(line, addr, size)/for (uint64_t line = addr >> 12 << 12, last = 0; !last; last = 1)/' '2' 'tlb: the first page only'
wrong tlb.c 's/unsigned level = from; level-- > to;/unsigned level = to; level < from; level++/' '3' 'tlb: from the last level up'
wrong tlb.c 's/#define LEVELS 4/#define LEVELS 3/' '3' 'tlb: three levels'
wrong tlb.c 's/8 \* (addr/4 * (addr/' '3' 'tlb: entries of four bytes'
wrong tlb.c 's/    lines_add(&first, page, 0);/    if (page >> 12 \& 1)\n        lines_add(\&first, page, 0);/' '1 2 3' 'tlb: pages that are never filled'
only=levels
wrong levels.c 's/    if (lines_find(&second, page))/    if (0)/' '1 2' 'levels: a walk in spite of the second buffer'
wrong levels.c 's/    lines_add(&first, page, 0);//; s/    lines_add(&second, page, 0);/&\n    lines_add(\&first, page, 0);/' \
    '1 2' 'levels: a hit of the second does not fill the first'
wrong levels.c 's/4 \* c->sets, 2 \* c->ways/c->sets, c->ways/' '1 2' 'levels: a second buffer as large as the first'
wrong levels.c 's/    lines_add(&walks, entry_of(CACHED, page), 0);//' '2' 'levels: the walk cache is never filled'
wrong levels.c 's/#define CACHED 1/#define CACHED 2/' '2' 'levels: the walk cache has entries of level 2'
wrong levels.c 's/entry_of(CACHED, page)))/page))/; s/lines_add(&walks, entry_of(CACHED, page), 0)/lines_add(\&walks, page, 0)/' '2' 'levels: the walk cache has pages'
only=huge
wrong huge.c 's/last ? &huge : &first/\&first/' '1 2 3' 'huge: one buffer for both sizes'
wrong huge.c 's/return walk(page, LEVELS, last)/return walk(page, LEVELS, 0)/' '2' 'huge: a walk that reads level 0, too'
wrong huge.c 's/page >> huge.bits << huge.bits/page/' '1 2 3' 'huge: pages of 4 KiB in their buffer'
wrong huge.c 's/page >= HUGE_FROM/page > HUGE_FROM << 4/' '1 2 3' 'huge: the wrong border'
only=
handout
done_testing
