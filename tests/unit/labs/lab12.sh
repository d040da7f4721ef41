#!/bin/sh
# Lab 12: do the solution, the starter and typical mistakes get what they deserve?  Does the handout work?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/unit/labs/labs.inc"

lab 12 33
full_marks
nothing_yet
wrong layout.c 's/^    unsigned \*x = room, \*v = room + n,/    struct half { unsigned x, y[7], v; } *p = (struct half *)room;\n    unsigned/; s/x\[i\]/p[i].x/; s/v\[i\]/p[i].v/; s/ x\[i\]/ p[i].x/' \
    '2' 'scan: half of each particle is copied'
wrong layout.c '/^void scan/,/^}/s/v\[i\] ^/in[i * WORDS_EACH + 8] ^/' '1 2' 'scan: one of two fields stays where it was'
wrong layout.c 's/carry = 5 \* carry/carry = 5 * (i ? carry : 0)/' '1 2' 'scan: each round begins anew'
wrong layout.c 's/LINE_WORDS 16/LINE_WORDS 12/' '4' 'lookup: records without padding'
wrong layout.c '/^void lookup/,/^}/s/^    unsigned h = 0;/    room += 8;\n&/' '4' 'lookup: padded, but not aligned'
wrong layout.c '/^void lookup/,/^}/s/first += LINE_WORDS/first += n/; s/i < first + LINE_WORDS && i < n/i < n/' '4' 'lookup: filled field by field'
wrong layout.c '/^void lookup/,/^}/s/record\[f\]/record[FIELDS - 1 - f]/' '3 4' 'lookup: the fields backwards'
wrong layout.c 's/CHILDREN 8/CHILDREN 2/' '6' 'events: two children'
wrong layout.c 's/room + CHILDREN - 1/room/' '6' 'events: eight children, in two lines'
wrong layout.c 's/unsigned time, number;/unsigned time, number, data[14];/' '5 6' 'events: as large as before'
wrong layout.c 's/ || (a.time == b.time && a.number < b.number)//' '5 6' 'events: equal times in any order'
handout
done_testing
