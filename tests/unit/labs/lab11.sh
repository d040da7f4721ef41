#!/bin/sh
# Lab 11: do the solution, the starter and typical mistakes get what they deserve?  Does the handout work?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/unit/labs/labs.inc"

lab 11 40
full_marks
nothing_yet
wrong timing.c 's/all_of(&levels\[i + 1\]), all_of(&levels\[0\]), 2/all_of(\&levels[i + 1]), all_of(\&levels[i]), 2/' '2' 'amat: local for global'
wrong timing.c 's/return l->loads + l->stores;/return l->loads;/' '1 2' 'amat: loads only'
wrong timing.c 's/levels\[i\].cycles \* all_of(&levels\[i\])/levels[i].cycles * (all_of(\&levels[i]) - (i + 1 < n ? all_of(\&levels[i + 1]) : 0))/' '1 2' 'amat: a miss does not pay the level that it misses'
wrong timing.c 's/(n\[BCM\] + n\[BIM\])/n[BCM]/' '3 4 5' 'stack: indirect branches are forgotten'
wrong timing.c 's/(n\[I1MR\] + n\[D1MR\] + n\[D1MW\])/(n[D1MR] + n[D1MW])/' '3 4 5' 'stack: misses of instructions are forgotten'
wrong timing.c 's/n\[D1MW\]) \* l/n[D1MW] - n[ILMR] - n[DLMR] - n[DLMW]) * l/' '3 4 5' 'stack: a miss of the last level does not pay for it'
wrong timing.c 's/sum\[i\] += n\[i\]/sum[i] = n[i]/' '4 5' 'stack: the total is the last function'
wrong timing.c 's/if (!strcmp(word, names\[i\]))/if (i == (columns == 2 ? 0 : columns - 2 < 3 ? columns - 2 : columns - 3 < 5 ? columns - 3 : columns - 4 < 7 ? columns - 4 : columns == 12 ? 7 : columns == 14 ? 8 : -1))/' \
    '3 4 5' 'stack: columns at fixed places'
wrong timing.c 's/(elements - 1) \* step \/ b + 1/bytes \/ b/' '6 7 9' 'predict: lines are not rounded up'
wrong timing.c 's/lines \* rounds/lines + (rounds - 1) * (lines - places)/' '6 7 8 9' 'predict: what fits of a walk that does not fit hits'
wrong timing.c 's/step < b ? (elements - 1)/1 ? (elements - 1)/' '8 9' 'predict: lines in the steps count, too'
wrong timing.c 's/lines <= places/lines < places/' '6 8' 'predict: a walk as long as the cache does not fit'
wrong timing.c 's/^    uint64_t references = elements/    for (volatile uint64_t i = 0; i < elements; i++)\n        ;\n&/' '9' 'predict: as long as a simulation'
wrong timing.c 's/flops \* w < peak \* bytes/flops * w > peak * bytes/' '10' 'roofline: the higher roof'
wrong timing.c 's/bytes = bytes_read + written/bytes = bytes_read/' '10' 'roofline: bytes read only'
wrong timing.c 's/flops \* w < peak \* bytes/flops * w <= peak * bytes/' '10' 'roofline: the ridge'
handout
done_testing
