#!/bin/sh
# Tables of objects in memory and misses on them, behind a profile's summary: what merge, diff, csv and annotate make of them, and what is
# refused.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

cat >head <<'END'
cmd: ./demo
events: Ir D1mr DLmr D1mw DLmw
fl=/src/demo.c
fn=main
17 300 30 3 4 0
18 300 5 1 0 0
summary: 600 35 4 4 0
END
cat >one <<'END'
#data: 3 4
#data-events: D1mr D1mw DLmr DLmw
#object: symbol 8192 0 0 table
#from: 3 /src/demo.c
#type: 16 struct point
#member: 0 8 x
#member: 8 8 y
#part: x
#part: y
#object: heap 64 10 640 malloc
#from: 9 /src/demo.c
#in: make
#object: stack 0 0 0 stack
#file: /src/demo.c
#function: main
#miss: 17 0 0 20 0 3 0
#miss: 17 0 1 10 0 0 0
#miss: 17 1 - 0 4 0 0
#miss: 18 2 - 5 0 1 0
END
cat >two <<'END'
#data: 2 2
#data-events: D1mr D1mw DLmr DLmw
#object: heap 100 5 500 malloc
#from: 9 /src/demo.c
#in: make
#object: symbol 8192 0 0 table
#from: 3 /src/demo.c
#type: 16 struct point
#member: 0 8 x
#member: 8 8 y
#part: y
#file: /src/demo.c
#function: main
#miss: 17 0 - 1 0 0 0
#miss: 17 1 0 34 4 4 0
END
cat head one >a
cat head two >b

# tables FILE: the tables, with numbers replaced by what they mean: "MISS line object part counts"
tables() {
    awk '/^#object: / { n++; object[n - 1] = $2 " " $6; print "OBJECT", $2, $6, $3, $4, $5 } /^#part: / { part[p++] = substr($0, 8) }
         /^#miss: / { o = object[$3]; k = $4 == "-" ? "-" : part[$4]; $1 = $2 = $3 = $4 = ""; print "MISS", o, k, $0 }
         /^#data: / { print } /^#lost: / { print }' "$1" | LC_ALL=C sort | sed 's/  */ /g'
}

"$QUERN" merge a b -o sum
tables sum >got
cat >wanted <<'END'
#data: 3 4
MISS heap malloc - 1 4 0 0
MISS stack stack - 5 0 1 0
MISS symbol table x 20 0 3 0
MISS symbol table y 44 4 4 0
OBJECT heap malloc 100 15 1140
OBJECT stack stack 0 0 0
OBJECT symbol table 8192 0 0
END
same_file got wanted 'merge adds objects of one place, parts of one name'
"$QUERN" diff a b -o less
tables less >got
cat >wanted <<'END'
#data: 3 4
MISS heap malloc - 1 -4 0 0
MISS stack stack - -5 0 -1 0
MISS symbol table x -20 0 -3 0
MISS symbol table y 24 4 4 0
OBJECT heap malloc 100 -5 -140
OBJECT stack stack 0 0 0
OBJECT symbol table 8192 0 0
END
same_file got wanted 'diff subtracts them'
"$QUERN" merge less a -o back
tables back >got
tables b >wanted
is "$(grep '^MISS' got)" "$(grep '^MISS' wanted)" 'a difference and what it was from add up to the other'
cat a | "$QUERN" merge less - | grep -v '^desc' >got
grep -v '^desc' back >wanted
same_file got wanted 'one of them from standard input'
"$QUERN" csv --by=data --crlf=no a | sed 's/^a,/-,/' >wanted
cat a | "$QUERN" csv --by=data --crlf=no - >got
same_file got wanted 'csv: from standard input'
"$QUERN" diff a a -o nothing
is "$(grep -c '^#data' nothing)" 0 'of equal ones nothing is left'

is "$("$QUERN" csv --by=data --metadata=no --crlf=no a)" \
    'profile,kind,data,data_file,data_line,data_function,type,part,file,function,line,D1mr,D1mw,DLmr,DLmw
a,symbol,table,/src/demo.c,3,,struct point,x,/src/demo.c,main,17,20,0,3,0
a,symbol,table,/src/demo.c,3,,struct point,y,/src/demo.c,main,17,10,0,0,0
a,heap,malloc,/src/demo.c,9,make,,,/src/demo.c,main,17,0,4,0,0
a,stack,stack,,,,,,/src/demo.c,main,18,5,0,1,0' 'csv --by=data has a row for each line, object and part'
"$QUERN" annotate --by=type --threshold=0 a b >listing
ok 'annotate --by=type adds up several profiles' grep -q '^  *64 (91.4%)  *4 (50.0%)  *7 (87.5%)  *0 (0.0%)  struct point$' listing
is "$("$QUERN" annotate --by=type --threshold=0 --show=DLmr,D1mr,all=D1mr+D1mw a b | sed -n '/^DLmr.*type/,$p' | sed '/^$/d; /^---/,$d')" \
'DLmr______  D1mr_______  all___  type, members
 7 (87.5%)   64 (91.4%)  68.000  struct point
 4 (50.0%)   44 (62.9%)  48.000      y
 3 (37.5%)   20 (28.6%)  20.000      x
 1 (12.5%)     6 (8.6%)  10.000  (type not known)' '--show tells which columns'
shown() { "$QUERN" annotate --by=data --threshold=0 "$@" a b | sed -n '/^-- Data/,/^-- Line/p' | sed -n 's/.* \(table\|malloc\|stack\)\( (.*\| in .*\|\)$/\1/p' | tr '\n' ' '; }
is "$(shown) $(shown --sort=D1mw)" 'table malloc stack  malloc table ' '--sort tells the order'
is "$("$QUERN" annotate --by=data a | grep '^Event.* s[ho]')" 'Events shown:     D1mr D1mw DLmr DLmw
Event sort order: D1mr+D1mw' '... which is told'
is "$("$QUERN" annotate --by=data --sort=DLmw --show=D1mr a | grep '^Event.* s[ho]')" 'Events shown:     D1mr
Event sort order: DLmw' '... and so is another'
for option in --show=Ir --sort=Ir --timing=width=2; do
    "$QUERN" annotate --by=data $option a >out 2>err
    is "$(wc -c <out) $(cat err)" "0 quern annotate: $(case $option in
        --timing*) echo '--timing: not with --by=data, by which only misses are counted; `quern annotate --help` describes it' ;;
        *) echo "error: ${option%=*} event \`Ir\` did not appear in \`events:\` line" ;; esac)" "$option is refused"
done
"$QUERN" csv --by=data --show=Ir a >out 2>err
is "$? $(cat err)" '1 quern csv: --show event `Ir` did not appear in `events:` line' 'csv: the same'
ok '... and their members' grep -q '44 (62.9%) .* y$' listing
"$QUERN" annotate --by=data --threshold=0 --diff a b >listing
ok 'annotate --diff subtracts them' grep -q -e '-20 (.*  x$' listing

# refused FILE MESSAGE WHAT: by csv
refused() {
    "$QUERN" csv --by=data "$1" >/dev/null 2>err
    is "$? $(cat err)" "1 quern csv: $2" "$3"
}
refused head 'head: objects in memory are not known; `quern run --data=yes` writes them into the profile' 'a profile without tables'
sed '$d' a >short
refused short 'short:25: the tables of data are not whole, got 3 rows, wanted 4' 'tables that are cut short'
sed 's/^#miss: 17 1 -/#miss: 17 7 -/' a >bad
refused bad 'bad:25: malformed row of misses, got `17 7 - 0 4 0 0`' 'an object that is none'
sed 's/^#miss: 17 1 -/#miss: 17 1 0/' a >bad
refused bad 'bad:25: a part of another object, got `17 1 0 0 4 0 0`' "another object's part"
sed 's/^#miss: 17 1 - .*/#miss: 17 1 - 9223372036854775807 4 0 0/' a >bad
refused bad 'bad:25: malformed row of misses, got `17 1 - 9223372036854775807 4 0 0`' 'counts too large to be added'
sed 's/^#miss: 17 1 - .*/#miss: 17 1 - 5000000000000000000 4 0 0/' a >large
"$QUERN" merge -o twice large large >out 2>err
is "$? $(cat err out) $(test -e twice && echo twice)" '1 quern merge: large: a sum of data does not fit in 64 bits ' 'sums too large'
{ sed '$d' a && echo '#data-events: D1mr D1mw DLmr DLmw compulsory capacity conflict' && tail -n 1 a; } >bad
refused bad "bad:$(wc -l <a): events of data behind rows of them, got \`D1mr D1mw DLmr DLmw compulsory capacity conflict\`" 'events that come too late'
sed 's/^#data-events: .*/#data-events: D1mr Ir/' a >bad
refused bad 'bad:9: unknown events of data, got `D1mr Ir`' 'other events'

# Pairs: whose lines had been evicted for whose.
sed 's/^#file: /#pair: 0 1 12 5\
#pair: 2 2 1 0\
&/' a >paired
"$QUERN" merge -o sum paired paired a 2>err
is "$(grep '^#pair' sum)" '#pair: 0 1 24 10
#pair: 2 2 2 0' 'merge adds up pairs'
"$QUERN" diff a paired >less 2>err
is "$(grep -c '^#pair' less) $("$QUERN" diff paired paired | grep -c '^#pair')" '0 0' 'diff drops pairs of objects without rows, and those that are alike'
is "$("$QUERN" annotate --threshold=0 --by=data paired | sed -n '/^-- Pair/,/^-- Line/p' | grep ', for')" \
    '              12 (30.8%)                 5 (12.8%)  table (global, demo.c:3, struct point), for malloc in make (demo.c:9)
                1 (2.6%)                  0 (0.0%)  stack, for stack' 'annotate names them'
is "$("$QUERN" csv --by=pair --metadata=no --crlf=no paired)" \
    'profile,kind,data,data_file,data_line,data_function,type,by_kind,by_data,by_file,by_line,by_function,by_type,misses,conflicts
paired,symbol,table,/src/demo.c,3,,struct point,heap,malloc,/src/demo.c,9,make,,12,5
paired,stack,stack,,,,,stack,stack,,,,,1,0' 'csv --by=pair has a row for each'
sed 's/^#file: /#pair: 0 9 12 5\
&/' a >wrong
refused wrong 'wrong:21: malformed pair of objects, got `0 9 12 5`' 'a pair of an object that is not there'

# Bytes used: of rows, and of parts.
sed 's/^#data-events: .*/& filled used\
#line: 64/
s/^#miss: .*/& 640 80/
s/^#file: /#use: 0 0 80 72\
&/' a >used
"$QUERN" merge -o sum used used a 2>err
is "$(grep -e '^#use' -e '^#line' sum; grep -c '^#miss: .* 1280 160$' sum)" '#line: 64
#use: 0 0 160 144
4' 'merge adds up bytes used'
"$QUERN" merge -o sum used a 2>err
is "$(grep '^#data-events' sum)" '#data-events: D1mr D1mw DLmr DLmw filled used' '... of one of two'
sed 's/^#line: 64/#line: 32/' used >other
"$QUERN" merge -o sum used other 2>err
is "$(grep '^#line' sum)" '#line: 0' '... with lines of several sizes'
ok 'which annotate shows by their share' sh -c '"$QUERN" annotate --by=data --threshold=0 sum | grep -q " 12.5%  table (global"'
is "$("$QUERN" csv --by=used --metadata=no --crlf=no used)" \
    'profile,kind,data,data_file,data_line,data_function,type,part,filled,used
used,symbol,table,/src/demo.c,3,,struct point,x,80,72' 'csv --by=used has a row for each part'
is "$("$QUERN" csv --by=used a 2>&1 >/dev/null)" \
    'quern csv: a: bytes used of a line are not known; `quern run --data=use` writes them into the profile' '... and says where they are not known'
sed 's/^#use: 0 0/#use: 1 0/' used >wrong
refused wrong 'wrong:22: a part of another object, got `1 0 80 72`' 'a part of another object in them'
done_testing
