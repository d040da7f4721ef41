#!/bin/sh
# Advice of annotate --by=data: does each rule hold where it says so, and not where its condition is just missed?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

# profile X Y BYTES GAP CONFLICTS: x is missed on X times by walk, y Y times by draw; the type has BYTES bytes, of which GAP lie between
profile() {
    cat <<END
cmd: ./demo
events: Ir D1mr DLmr D1mw DLmw
fl=/src/demo.c
fn=main
17 300 1000 0 0 0
summary: 300 1000 0 0 0
#data: 2 3
#data-events: D1mr D1mw DLmr DLmw compulsory capacity conflict
#object: heap 64000 1 64000 malloc
#from: 9 /src/demo.c
#in: make
#type: $3 struct item
#member: 0 8 x
#member: $((8 + $4)) 8 y
#member: $((16 + $4)) $(($3 - 16 - $4)) rest
#part: x
#part: y
#object: symbol 8192 0 0 table
#file: /src/demo.c
#function: draw
#miss: 20 0 1 $2 0 0 0 $2 0 0
#miss: 21 1 - $((1000 - $1 - $2)) 0 0 0 0 $((1000 - $1 - $2 - $5)) $5
#function: walk
#miss: 10 0 0 $1 0 0 0 $1 0 0
END
}

advice() { profile "$@" >p && "$QUERN" annotate --by=data p | sed -n '/^-- Advice/,$p' | sed '1,2d;/^$/d'; }

is "$(advice 400 20 128 0 0)" 'struct item: 128 bytes, 42.0% of the D1 misses
    95.2% of its D1 misses are on x, 8 bytes: what is used with it belongs beside it, the rest elsewhere' 'nearly all misses are on one member'
is "$(advice 300 120 64 0 0)" '' 'a structure of one line, of which two members are missed on'
is "$(advice 300 120 128 0 0)" 'struct item: 128 bytes, 42.0% of the D1 misses
    Functions that miss on x do not miss on y: two structures would do' '... of two lines, whose members are missed on by different functions'
is "$(advice 395 20 64 8 0)" 'struct item: 64 bytes, 41.5% of the D1 misses
    8 of its 64 bytes are padding: members in the order of their size need less' 'padding'
is "$(advice 395 20 72 8 0 | grep -c padding)" 0 '... of less than 12 per cent'
# order SIZE OFFSETS SIZES: a type of these members
order() {
    profile 395 20 64 0 0 | awk -v size="$1" -v at="$2" -v of="$3" '/^#type: / { $2 = size } /^#member: / { if (n++) next
        k = split(at, a, " "); split(of, b, " "); for (i = 1; i <= k; i++) print "#member: " a[i], b[i], (i == 1 ? "x" : i == 2 ? "y" : "m" i); next } { print }' >p
    "$QUERN" annotate --by=data p | grep -o '[0-9]* of its [0-9]* bytes are padding'
}
is "$(order 24 '0 8 16' '1 8 1')" '8 of its 24 bytes are padding' '... a char on each side of a double'
is "$(order 16 '0 8' '1 8')" '' '... not a char and a double: in any order they need 16'
is "$(order 64 '0 8' '8 8')" '' '... nor what alignas adds at the end'
is "$(order 12 '0 4 8' '2 4 2')" '4 of its 12 bytes are padding' '... shorts on each side of an int'
is "$(advice 40 5 128 64 0)" '' 'a type with less than 5 per cent of the misses'
is "$(advice 0 0 64 0 200)" 'table (global): 100.0% of the D1 misses
    20.0% of its D1 misses are conflict misses: other distances between its rows, or to what is used with it, would avoid them' 'conflict misses'
is "$(advice 0 0 64 0 199)" '' '... fewer than 20 per cent'
profile 400 20 128 0 0 >p
is "$("$QUERN" annotate --by=data --diff p p | grep -c 'Advice')" 0 'a difference gives none'

profile 0 0 64 0 200 | sed 's/^#file: /#pair: 1 0 90 50\
#pair: 1 1 300 150\
&/' >p
is "$("$QUERN" annotate --by=data p | sed -n '/^-- Advice/,$p' | grep evicted)" '    75.0% of its conflict misses are on lines that had been evicted for other lines of its own' 'conflict misses, most with itself'
sed -i 's/^#pair: 1 0 90 50/#pair: 1 0 190 160/' p
is "$("$QUERN" annotate --by=data p | sed -n '/^-- Advice/,$p' | grep evicted)" '    80.0% of its conflict misses are on lines that had been evicted for malloc in make (demo.c:9), struct item' '... with another object'

profile 0 0 64 0 200 | sed "s/^#type: 64 struct item/#type: 64 struct $(printf '%0160d' 0)/; s/^#miss: 21 1/#miss: 21 0/" >p
is "$("$QUERN" annotate --by=data p | sed -n 's/.* malloc in make (demo.c:9), struct //p' | head -n 1)" "$(printf '%0143d' 0)..." 'a name that is too long is cut, and says so'

# with_use LINE_USED X Y: of lines of 64 bytes that came for struct item LINE_USED hundredths were used; of 8000 bytes of x X, of y Y; of rest none
with_use() {
    profile 400 20 64 0 0 | sed "s/^#data-events: .*/& filled used\\
#line: 64/
s/^#miss: 10 .*/& 6400 $((64 * $1))/
s/^#miss: 2. .*/& 0 0/
s/^#object: symbol/#part: rest\\
#object: symbol/
s/^#file: /#use: 0 0 8000 $2\\
#use: 0 1 8000 $3\\
#use: 0 2 8000 0\\
#file: /" >p
    "$QUERN" annotate --by=data p | sed -n '/^-- Advice/,$p' | sed '1,2d;/^$/d'
}
is "$(with_use 12 8000 2000)" 'struct item: 64 bytes, 42.0% of the D1 misses
    7.7 of the 64 bytes of a line are used before it leaves; 80.0% of the bytes used are of x: an array of this member alone would fill lines with it' \
    'bytes used: an array of structures that is walked by one member'
is "$(with_use 49 7999 2000)" 'struct item: 64 bytes, 42.0% of the D1 misses
    31.4 of the 64 bytes of a line are used before it leaves; never used are rest: these belong elsewhere' '... by two of three'
is "$(with_use 50 8000 0)" '' '... not where half of a line is used'
is "$(profile 0 0 64 0 0 | sed 's/^#data-events: .*/& filled used\
#line: 64/
s/^#miss: 21 .*/& 64000 8000/
s/^#miss: .. 0 .*/& 0 0/' >p && "$QUERN" annotate --by=data p | sed -n '/^-- Advice/,$p' | sed '1,2d;/^$/d')" 'table (global): 100.0% of the D1 misses
    8.0 of the 64 bytes of a line are used before it leaves: what is used one after the other does not lie together, or comes too late' \
    '... of an object of no known type'
done_testing
