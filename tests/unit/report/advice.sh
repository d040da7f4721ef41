#!/bin/sh
# Is each sentence of advice said where the numbers in lib/report/sentences.h say so, and not where they just do not?  Do the pages of a planted bug
# name it first, all alike, with its cause?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

LC_ALL=C
export LC_ALL

# ---- sentences ----

# profile ROW...: a profile of main in a.c.  A row: LINE EVENT=COUNT...; or fn=NAME, or ob=OBJECT
cache='32768 B, 64 B, 8-way associative'
events='Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim AN.compulsory AN.capacity AN.conflict'
descs=
profile() {
    printf '%s\n' "$@" | awk -v events="$events" -v I1="${I1:-$cache}" -v D1="${D1:-$cache}" -v LL="${LL:-65536 B, 64 B, 16-way associative}" -v descs="$descs" '
        BEGIN { n = split(events, e, " "); print "desc: I1 cache: " I1 "\ndesc: D1 cache: " D1 "\ndesc: LL cache: " LL descs "\ncmd: ./prog\nevents: " events
            print "#positions: object line\n#ob=/tmp/prog\nfl=/src/a.c\nfn=main" }
        /^ob=/ { print "#" $0 "\nfl=/src/ld.c"; next }
        /=/ && !/^[0-9]/ { print; next }
        { split("", of); for (i = 2; i <= NF; i++) { split($i, kv, "="); of[kv[1]] = kv[2] }
          line = $1; for (i = 1; i <= n; i++) { line = line " " of[e[i]] + 0; all[i] += of[e[i]] }
          print line }
        END { line = "summary:"; for (i = 1; i <= n; i++) line = line " " all[i] + 0; print line }' >p
}
# said OPTIONS: what the page of p says, a line for each finding and hint
said() {
    "$QUERN" page -o p.html "$@" p || return
    sed -n '/^,*"findings":/,/^"classes"/p' p.html | sed 's/^"classes".*//' | sed 's/\\"/"/g' | tee -a all.txt
}
# says SENTENCE WHAT; says_not SENTENCE WHAT: of the profile that was made last; more options in $with
says() { said $with >now; ok "$2: $1" grep -qF -e "$1" now; }
says_not() { said $with >now; ok "$2: not $1" sh -c '! grep -qF -e "$1" now' - "$1"; }
with=

d1() { profile "10 Ir=1000 Dr=${4:-1000} D1mr=100 AN.compulsory=$1 AN.capacity=$2 AN.conflict=$3"; }
d1 51 49 0; says 'Compulsory misses: ' '51 of 100 are compulsory'
d1 50 50 0; says_not 'Compulsory misses: ' '50 are'
says 'No class of misses prevails' '... and 50 capacity'
d1 49 51 0; says 'Capacity misses: the data used between two uses of a line exceeds the D1 (32 KiB)' '51 are capacity'
says_not 'No class of misses prevails' '... a class prevails'
d1 50 50 0; says_not 'Capacity misses: ' '50 are'
d1 49 0 51; says 'Conflict misses: ' '51 are conflicts'
d1 50 0 50; says_not 'Conflict misses: ' '50 are'
d1 49 51 0; says_not 'quern run --analysis=3c' 'classes are known'
d1 49 51 0 719; says 'serves 7.2 references' '7.19 references to a line'
says 'quern report --data=use tells on which' '... whose bytes are not known'
printf '%s\n' '#data: 1 1' '#data-events: D1mr D1mw DLmr DLmw compulsory capacity conflict' '#object: symbol 8 0 0 b' '#file: /src/a.c' '#function: main' \
    '#miss: 10 0 - 100 0 0 0 49 11 40' >>p
says 'quern report --data=use tells which fields' '... of known objects'
says '. b (global) in the whole run: 40.0% of its D1 misses are conflict misses: ' 'advice on the object of a line is not about the line alone'
d1 49 51 0 720; says_not 'serves ' '7.2 of them'
d1 0 10 90 100; says_not 'serves ' 'conflicts'
says_not '--data=use' '... of conflicts'
profile '10 Ir=1000 Dr=1000 D1mr=100' fn=other '10 Ir=90 Dr=60 D1mr=1'; says 'a.c:10, in main and others: 101 D1 misses' 'a line of two functions'
all=$events events='Ir Dr D1mr DLmr Dw D1mw DLmw'
d1 0 0 0; says 'quern run --analysis=3c tells whether they are compulsory' 'no classes'
profile '10 Ir=1000 Dr=1000 D1mr=100 DLmr=60'; says 'quern run --analysis=3c tells whether they are first uses' '... of the LL'
# The names that Cachegrind 3.5 and older gave the last level.
events='Ir I1mr I2mr Dr D1mr D2mr Dw D1mw D2mw'
profile '10 Ir=1000 Dr=1000 D1mr=100 D2mr=60'; says '60 LL misses of data' 'D2mr'
is "$("$QUERN" csv --metadata=no --crlf=no --by=program --show=cycles,CPI,LLmr%,MPKI p | tail -n 1)" 'p,8000,8,3,60' '... cycles, CPI, rates'
is "$(sed -n 's/.*"weights":\(\[[0-9,]*\]\).*/\1/p' p.html)" '[1,10,100,0,10,100,0,10,100]' '... what they cost on the page'
is "$("$QUERN" report -q --diff -o old.d p p 2>&1)$(grep -c 'Left out' old.d/index.html)" 0 '... a comparison'
d1 0 0 0; cp p old; sed 's/I2mr/ILmr/; s/D2m/DLm/g' old >new
is "$("$QUERN" report -q --diff -o old.d old new 2>&1)$(grep -c 'Left out' old.d/index.html)" 0 '... with one that has the new names'
events="$all D1.filled D1.used"
profile '10 Ir=1000 Dr=100 D1mr=100 AN.capacity=100 D1.filled=6400 D1.used=3199'; says 'Of a line that is fetched here, 32.0 of 64 bytes' '3,199 of 6,400 bytes used'
says_not '--data=use' '... which is known'
profile '10 Ir=1000 Dr=100 D1mr=100 AN.capacity=100 D1.filled=6400 D1.used=3200'; says_not 'Of a line that is fetched here' '3,200'
events=$all
profile '0 Ir=1000 Dr=1000 D1mr=100 AN.capacity=100' '9 Ir=1'; says ' Which line has them is not known' 'a function without lines'
profile '10 Ir=1000 Dr=1000 D1mr=100 AN.capacity=100'; says_not 'Which line has them' 'a line'
profile '0 Ir=1000 Bc=200 Bcm=100'; says 'Which line has them is not known' 'mispredicts of a function without lines'
says_not 'The predictor finds no pattern' '... which has many branches'

ll() { profile "10 Ir=1000 Dr=1000 D1mr=$1 DLmr=$1 AN.compulsory=$2 AN.capacity=$(($1 - $2))" "11 Ir=100000 Dr=10000 D1mr=$3 AN.compulsory=$3"; }
ll 1000 501 0; says 'First uses: most of these lines come from memory' '501 of 1,000 are first uses'
ll 1000 500 0; says_not 'First uses: most of these lines' '500 are'
ll 1000 500 525; says 'the data of the run (64.1 KiB) exceeds the LL (64 KiB)' '1,025 lines and an LL of 1,024'
says_not 'they fall into the same sets' '... no conflict is claimed'
ll 1000 500 524; says 'although data and code of the run (64 KiB) fit the LL (64 KiB)' '1,024 lines'
says_not 'exceeds the LL' '... do not exceed it'
code_ll() { profile "10 Ir=1000 ILmr=$1 Dr=1000 D1mr=1000 DLmr=1000 AN.compulsory=500 AN.capacity=500" "11 Ir=100000 Dr=10000 D1mr=500 AN.compulsory=500"; }
code_ll 25; says 'the data and code of the run (64.1 KiB) exceed the LL (64 KiB)' '1,000 lines of data, 25 of code'
says_not 'the data of the run' '... data alone fit'
LL='65536 B, 128 B, 8-way associative'
ll 1000 501 0; says_not 'First uses: most of these' 'an LL with longer lines'
LL=

I1='1024 B, 64 B, 2-way associative'
code() { profile 'fn=f' "10 Ir=10000 I1mr=1000 ILmr=$1" 'fn=once' '20 Ir=100000 I1mr=40 ILmr=40' "30 Ir=1 Dr=1 DLmr=${2:-0}"; }
code 17; says 'Capacity misses of code: the functions that miss again and again have 1.06 KiB of code, the I1 holds 1 KiB' '17 lines and an I1 of 16'
code 16; says_not 'Capacity misses of code' '16 lines'
says 'Code was evicted from the I1 (1 KiB) before it was executed again' '... which may be either'
code 8; says 'Conflict misses of code: the functions that miss again and again have 512 B of code, which the I1 (1 KiB) could hold' '8 lines'
says_not 'Code was evicted from' '... so it is known'
code 9; says_not 'Conflict misses of code' '9 lines'
code 17 968; says_not 'Capacity misses of code' 'an LL that evicts lines: the size of the code is not known'
I1=
profile '10 Ir=1000 I1mr=100 ILmr=100' '11 Ir=10 DLmr=924'; says 'First uses: all lines that came from memory fit the LL' '1,024 lines from memory'
profile '10 Ir=1000 I1mr=100 ILmr=100' '11 Ir=10 DLmr=925'; says_not 'First uses: all lines that came' '1,025'
says 'Code and data that came from memory exceed the LL (64 KiB)' '... exceed it'
profile '10 Ir=1000 I1mr=100 ILmr=100' '11 Ir=10 DLmr=924'; says_not 'exceed the LL' '1,024 do not'

profile '10 Ir=1000 Bc=1000 Bcm=101'; says 'The predictor finds no pattern' '101 of 1,000 branches'
says_not 'It is predicted mostly' '... are many'
profile '10 Ir=1000 Bc=1000 Bcm=100'; says_not 'The predictor finds no pattern' '100'
says 'Fewer tests (unrolling' '... are few'
profile '10 Ir=1000 Bi=1000 Bim=101'; says 'The target changes from one execution to the next' '101 of 1,000 indirect branches'
says_not 'A direct call' '... are many'
profile '10 Ir=1000 Bi=1000 Bim=100'; says_not 'The target changes' '100'
says 'A direct call, where the target is known' '... are few'
spread() {
    set --
    for i in 1 2 3 4 5 6 7 8 9 10 11; do set -- "$@" "1$i Ir=100 Bc=100 Bcm=50"; done
    profile "$@"
}
spread; says 'No line stands out: begin with' 'eleven lines alike'
profile '10 Ir=100 Bc=100 Bcm=50' '11 Ir=100 Bc=100 Bcm=50'; says_not 'No line stands out' 'two'

start() { profile "10 Ir=$1 Dr=100 D1mr=$4 AN.capacity=$4" 'ob=/lib/ld-linux-x86-64.so.2' 'fn=dl_main' "20 Ir=$2 Dr=100 D1mr=$3 AN.capacity=$3"; }
start 1000 1000 0 0; says 'The run is too short' 'half of the cycles in the dynamic linker'
start 1001 1000 0 0; says_not 'The run is too short' 'less'
start 2000 500 50 0; says 'This is the dynamic linker at the start' 'a place there'
says_not 'Capacity misses' '... gets no advice'
start 2000 500 0 50; says_not 'This is the dynamic linker' 'a place in the program'

# ---- the whole run ----

sets() { # sets MISSES...: of sixteen sets
    set=0
    echo cache,interval,start,end,set,sets,misses
    for misses; do
        echo "D1,1,0,9,$set,1,$misses"
        set=$((set + 1))
    done
}
sets 51 5 4 3 3 4 3 3 3 3 3 3 3 3 3 3 >sets.csv
with='--sets=sets.csv'
d1 0 0 100; says 'Lines that fall into these sets evict each other' 'a set with 51 of 100 misses'
ok '... one of sixteen' grep -q '1 of 16 sets has 51%' now
d1 0 100 0; says_not 'Lines that fall into these sets' '... which are capacity misses'
events='Ir Dr D1mr DLmr Dw D1mw DLmw'
d1 0 0 0; says 'If these are lines that come back' '... of no known class'
events=$all
d1 0 0 100; says_not 'If these are lines' '... which is known'
sets 49 5 5 3 4 4 3 3 3 3 3 3 3 3 3 3 >sets.csv
d1 0 0 100; says_not 'Lines that fall into these sets' 'a set with 49'
printf 'D1_size,D1_ways,D1_line,D1_miss_percent,status\n32768,8,64,10,ok\n65536,8,64,5,ok\n' >runs.csv
with='--runs=runs.csv'
d1 0 0 100; says 'what the larger cache has is more sets' 'a D1 twice as large misses half as often'
says_not 'this D1 is large enough' '... conflicts'
d1 0 100 0; says 'if the program works on less at a time' '... capacity misses'
says 'The curve by size has a knee at 64 KiB' '... it has a knee there'
says_not 'more sets' '... are no conflicts'
d1 50 50 0; says 'So much less would be missed' '... neither'
says_not 'knee' '... no capacity misses, no knee'
printf 'D1_size,D1_ways,D1_line,D1_miss_percent,status\n32768,8,64,10,ok\n65536,8,64,5.1,ok\n' >runs.csv
d1 0 100 0; says_not 'if the program works on less' '... a little more than half'
d1 50 50 0; says_not 'So much less' '... a little more than half, of no class'
intervals() { awk -v most="$1" 'BEGIN { print "interval,start,end,Ir,D1mr,D1mw"; for (i = 0; i < 20; i++) print i "," i * 50 "," i * 50 + 50 ",50," (i == 4 ? most : 1) ",0" }' >intervals.csv; }
with='--intervals=intervals.csv'
intervals 12; d1 0 100 0; says 'Look at what the program does then' '13 of 31 misses in a tenth of the run'
intervals 10; says_not 'Look at what the program does then' '11 of 29'

sharing() { # sharing SHARED WRITES FALSE
    echo address,shared,thread,object,offset,file,function,line,reads,writes,read,written,true,false,cold,upgrades
    echo "0x4040,$1,1,counts,0,/src/a.c,f,10,0,$2,0x0,0xff,0,$3,1,0"
    echo "0x4040,$1,2,counts,8,/src/a.c,g,20,0,$2,0x0,0xff00,0,0,0,1"
}
with='--sharing=sharing.csv'
sharing false 500 2 >sharing.csv; says 'False sharing: the threads use different bytes' '1,000 writes of two threads'
ok '... by 2 threads, on counts' grep -q '2 threads write to a line of memory that they share falsely, 0x4040, in counts' now
echo '0x4040,false,0,got,16,/src/ld.c,bind,30,0,9,0x0,0xff0000,0,0,1,0' >>sharing.csv; says 'False sharing' 'a third thread that wrote nine times'
ok '... which is not counted' grep -q '2 threads write' now
sharing false 499 2 >sharing.csv; says_not 'False sharing' '998 writes'
sharing false 500 2 | sed '$s/,500,/,0,/; 2s/,500,/,1000,/' >sharing.csv; says 'One thread writes to a line of memory that others share falsely' 'a thread that writes, one that reads'
sharing true 500 2 >sharing.csv; says_not 'False sharing' 'true sharing'
with_pad() { # OBJECT OF THE OTHER
    sharing false 500 2 | sed "1s/\$/,with_thread,with_object,with_offset,with_file,with_line,apart,pad/; 2s|\$|,2,$1,8,/src/a.c,20,8,64|; 3s|\$|,1,counts,0,/src/a.c,10,8,64|"
}
with_pad counts >sharing.csv; says 'Pad the elements of counts from 8 to 64 bytes: counts+0 (thread 1, a.c:10) and counts+8 (thread 2, a.c:20) are 8 bytes apart in one line' 'bytes of one object: what padding ends it'
with_pad other >sharing.csv; says 'Give counts+0 (thread 1, a.c:10) and other+8 (thread 2, a.c:20) a line of their own (alignas(64))' '... of two'
sharing false 500 1 >sharing.csv; says_not 'False sharing' 'threads that took the line once each'
with=
all=$events events='Ir Dr D1mr DLmr Dw D1mw DLmw D1.true D1.false' # --cores
profile '10 Ir=1000 Dr=1000 D1mr=100 D1.false=60'; says 'False sharing: the threads use different bytes' '60 of 100 D1 misses are of false sharing'
says '60 misses of false sharing' '... and counted'
says_not 'D1 misses of data' '... no other advice for them'
says_not 'tells whether they are compulsory' '... nor a class'
says_not 'True sharing' '... none of true sharing'
profile '10 Ir=1000 Dr=1000 D1mr=100 D1.true=60'; says 'True sharing: the threads pass data to each other' '60 of true sharing'
says_not 'False sharing' '... not of false'
profile '10 Ir=1000 Dr=1000 D1mr=100 D1.false=50'; says 'tells whether they are compulsory' '50 of 100: the others have their advice'
descs='\ndesc: Threads: 3'
says_not 'one cache serves them all' '... each thread has its own caches'
events=$all
descs='\ndesc: Threads: 3'
d1 0 100 0; says 'The program has 3 threads; one cache serves them all here' 'threads'
with='--sharing=sharing.csv'; says_not 'The program has 3 threads' '... whose sharing was looked at'
with=''
descs=''
d1 0 100 0; says_not 'threads' 'no threads'
says_not 'compile it with -g' 'lines'
profile '0 Ir=1000 Dr=1000'; says 'The program has no line numbers: compile it with -g' 'no lines'

# Each sentence of sentences.h was said above.
echo '#include "report/sentences.h"' | "$CC" -I"$top_srcdir/lib" -E -dM - | sed -n 's/^#define SAY_[A-Z0-9_]* "\(.*\)"$/\1/p' |
    sed 's/" *"//g; s/^ *//; s/%[.0-9]*[sf]/N/g' >sentences
missing=
while read -r sentence; do
    pattern=$(printf '%s' "$sentence" | sed 's/\bN\b/@/g; s/[][\.*^$(){}+?|]/\\&/g; s/@/.*/g')
    grep -qE -e "$pattern" all.txt || missing="$missing$sentence
"
done <sentences
is "$missing" '' "each of $(wc -l <sentences) sentences is said in some case"

# ---- planted bugs ----

cat >bugs.c <<'END'
#include <stdlib.h>
#include <string.h>
struct particle { double x, y, z, vx, vy, vz, mass, charge; char name[64]; };
static volatile int matrix[256][256];
static volatile double filled[256][256];
static volatile char rows[512 * 4096], small[16384], again[96 << 10];
static volatile struct particle particles[4000];
static volatile int sum;
static int data[4096];
struct node { struct node *next; long rest[15]; };

int main(int argc, char **argv)
{
    const char *bug = argc > 1 ? argv[1] : "";
    unsigned seed = 1;

    for (int i = 0; i < 4096; i++) {
        seed = seed * 1103515245 + 12345;
        data[i] = seed >> 16 & 255;
    }
    if (!strcmp(bug, "column"))
        for (int n = 0; n < 4; n++)
            for (int j = 0; j < 256; j++)
                for (int i = 0; i < 256; i++)
                    sum += matrix[i][j]; /* column */
    if (!strcmp(bug, "filled")) {
        for (int i = 0; i < 256; i++)
            for (int j = 0; j < 256; j++)
                filled[i][j] = i;
        for (int j = 0; j < 256; j++)
            for (int i = 0; i < 256; i++)
                sum += filled[i][j]; /* filled */
    }
    if (!strcmp(bug, "stride"))
        for (int n = 0; n < 4000; n++)
            for (int i = 0; i < 16; i++)
                sum += rows[i * 4096]; /* stride */
    if (!strcmp(bug, "field"))
        for (int n = 0; n < 20; n++)
            for (int i = 0; i < 4000; i++)
                sum += particles[i].charge; /* field */
    if (!strcmp(bug, "random"))
        for (int n = 0; n < 40; n++)
            for (int i = 0; i < 4096; i++)
                if (data[i] >= 128) /* random */
                    sum += data[i];
    if (!strcmp(bug, "once"))
        for (int i = 0; i < 512 * 4096; i += 64)
            sum += rows[i]; /* once */
    if (!strcmp(bug, "twice"))
        for (int n = 0; n < 9; n++)
            for (int i = 0; i < 512 * 4096; i += 64)
                sum += rows[i]; /* twice */
    if (!strcmp(bug, "fits"))
        for (int n = 0; n < 3; n++)
            for (int i = 0; i < 96 << 10; i += 64)
                sum += again[i]; /* fits */
    if (!strcmp(bug, "good"))
        for (int n = 0; n < 200; n++)
            for (int i = 0; i < 16384; i++)
                sum += small[i]; /* good */
    return 0;
}
END
{
    echo 'volatile int v;'
    awk 'BEGIN { for (i = 0; i < 200; i++) { printf "__attribute__((noinline)) static void f%d(void) {", i; for (k = 0; k < 20; k++) printf " v += 1;"; print " }" }
        printf "int main(void) { for (int n = 0; n < 100; n++) {"; for (i = 0; i < 200; i++) printf " f%d();", i; print " } }" }'
} >code.c
"$CC" -O1 -fno-tree-vectorize -g -o bugs bugs.c && "$CC" -O1 -g -o code code.c || bail 'cannot compile'
echo 'int main(void) { return 0; }' >short.c && "$CC" -g -o short short.c || bail 'cannot compile'
# text FOLDER: the findings of the report, one per line, as the JSON of its page to explore has them
text() {
    sed -n '/<h2 id="first">/,/<\/section>/p' "$1/index.html" | grep '^<li>\|^<p class="advice">' | tr '\n' ' ' | sed 's/<li>/\n&/g' | grep '^<li>' | sed 's/<[^>]*>/ /g; s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g; s/  */ /g; s/^ //; s/ $//'
}
json() {
    sed -n '/^,*"findings":/,/^"hints"/p' "$1" | sed 's/.*"findings":\[//; s/\\"/"/g' | grep '^{"what"' | sed 's/^{"what":"//; s/","proof":"/ . /; s/","advice":"/ /; s/","file":.*//; s/"}[],]*$//; s/  */ /g'
}
bug() { # bug NAME PROGRAM CAUSE...
    name=$1 program=$2
    shift 2
    "$QUERN" report -q --I1=16384,4,64 --D1=32768,8,64 --LL=1048576,16,64 -o "$name.d" -- ./"$program" "$name" || bail "no report of $name"
    text "$name.d" >now
    for cause; do ok "$name: first: $cause" sh -c 'head -n 1 now | grep -qF -e "$1"' - "$cause"; done
    json "$name.d/explore.html" | sed 's/ \. /. /' >other
    is "$(cat other)" "$(cat now)" '... the page to explore says the same'
}
at() { echo "bugs.c:$(grep -n "/\* $1 \*/" bugs.c | sed 's/:.*//'), in main: "; }
bug column bugs "$(at column)" 'Conflict misses' 'exchange the loops'
bug filled bugs "$(at filled)" 'Conflict misses' 'exchange the loops'
bug stride bugs "$(at stride)" 'Conflict misses' 'Pad rows'
bug field bugs "$(at field)" 'Capacity misses' 'serves 3.0 references' 'in an array of their own'
bug random bugs "$(at random)" 'The predictor finds no pattern' 'Sort or partition'
bug code code 'I1 misses, in many places' 'Capacity misses of code' 'Make the code smaller'
bug once bugs "$(at once)" 'First uses: most of these lines come from memory'
bug twice bugs "$(at twice)" 'were evicted: the data of the run' 'Process the data in blocks'
bug fits bugs "$(at fits)" 'First uses: most of these lines'
ok '... no LL miss of a walk that fits it is called evicted' sh -c '! grep -q "were in the LL before" now'
bug short short 'The dynamic linker has' 'The run is too short'
bug good bugs
ok 'a walk that hits: nothing of its line' sh -c '! grep -qF "$1" now' - "$(at good)"

# ---- hints elsewhere ----

cat >loop.c <<'END'
#include <pthread.h>
static volatile int n;
static void *count(void *x) { for (int i = 0; i < 300000; i++) n++; return x; }
int main(int argc, char **argv)
{
    pthread_t t;
    (void)argv;
    if (argc > 1 && !pthread_create(&t, 0, count, 0))
        pthread_join(t, 0);
    count(0);
    return 0;
}
END
{ "$CC" -O1 -pthread -o plain loop.c && "$CC" -O1 -pthread -g -o lines loop.c; } || bail 'cannot compile'
"$QUERN" run --out-file=plain.p ./plain 2>err
is "$(grep -c "== No line numbers in $PWD/plain: compiled without -g?\$" err)" 1 'run tells of a program without lines'
"$QUERN" run -q --out-file=plain.p ./plain 2>err
is "$(cat err)" '' '... but not with -q'
"$QUERN" run --out-file=lines.p ./lines 2>err
is "$(grep -c 'No line numbers' err)" 0 '... nor of one with lines'
is "$("$QUERN" annotate plain.p 2>&1 >/dev/null)" 'quern annotate: warning: most of Ir is in code without line numbers: compile with -g' 'annotate does, too'
is "$("$QUERN" annotate lines.p 2>&1 >/dev/null)" '' '... nor of lines'
"$QUERN" run -q --out-file=threads.p ./lines 2
is "$(grep -a '^desc: Threads' lines.p threads.p)" 'threads.p:desc: Threads:          2' 'a profile has the number of its threads'
"$QUERN" report -q -o threads.d threads.p
is "$(grep -c 'class="hint">The program has 2 threads; one cache serves them all' threads.d/index.html)" 1 '... of which the report speaks'
"$QUERN" page --runs=field.d/runs.csv -o page.html field.d/profile
is "$(json page.html | sed 's/ \. /. /' | head -n 1)" "$(text field.d | head -n 1)" 'quern page says the same first'
"$QUERN" run -q --I1=16384,4,64 --D1=32768,8,64 --LL=1048576,16,64 --out-file=filled.p ./bugs filled
"$QUERN" page -o filled.html filled.p
ok '... also of a run without classes: the walk, not the loop that filled' sh -c 'printf "%s\n" "$2" | grep -qF "$1"' - "$(at filled)" "$(json filled.html | head -n 1)"
"$QUERN" report -q --data=use --D1=32768,8,64 --LL=1048576,16,64 -o use -- ./bugs field
ok 'with the bytes used: the field' sh -c 'head -n 1 now | grep -q "8.0 of the 64 bytes of a line are used before it leaves; 100.0% of the bytes used are of charge: an array of this member alone"' - \
    "$(text use >now)"
"$QUERN" report -q --data=use --D1=32768,8,64 --LL=65536,8,64 -o once -- ./bugs twice
text once >now
ok '... the object, by its name' sh -c 'head -n 1 now | grep -q " rows (global, bugs.c:$1, char) in the whole run: [0-9.]* of the 64 bytes of a line are used"' - "$(grep -n 'rows\[512' bugs.c | sed 's/:.*//')"
done_testing
