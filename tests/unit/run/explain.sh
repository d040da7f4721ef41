#!/bin/sh
# quern run --explain=FILE:LINE: are set, tag, hit, class and victim those that a student works out by hand?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -f "$top_builddir/libquern-engine.a" ] || bail 'libquern-engine.a is not built: make'
cp "$top_builddir/quern-engine" engine || bail 'there is no quern-engine'

# explain WHERE OPTIONS...: ./told about ./guest, ./profile
explain() {
    where=$1
    shift
    "$QUERN" run -q --sim="${sim-./engine}" --I1=2048,2,32 --LL=65536,4,64 --explain="$where" --explain-file=told --out-file=profile "$@" -- ./guest
}

# body FILE: a profile without its descriptions
body() { grep -v '^desc:' "$1"; }

# ---- Belady's string, by hand: three places, all lines in one set ----

cat >belady.S <<'END'
        .macro string pages:vararg
        .irp page, \pages
        mov     page0 + 4096 * \page, %eax
        .endr
        .endm
        .globl  _start
_start:
        string 1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5
        mov     $60, %eax
        xor     %edi, %edi
        syscall
        .bss
page0:  .skip   65536
END
$CC -nostdlib -static -no-pie -g -Wl,-Tbss=0x500000 -o guest belady.S || bail 'cannot assemble'
line=$(grep -n 'string 1, 2' belady.S | cut -d: -f1)

# accesses: each as "PAGE hit" or "PAGE class [victim's page]"; page n is at 0x500000 + 0x1000 * n, tag 0x50n00 with 16-byte lines
accesses() {
    awk '/ reads /  { page = $0; sub(/.*at 0x50/, "", page); sub(/000,.*/, "", page) }
        /: a hit/   { print page, "hit" }
        /: a miss/  { class = $0; sub(/.*a miss, /, "", class); sub(/:.*/, "", class) }
        /The set held/ && class != "" {
            victim = ""
            if (/leaves/) { victim = $0; sub(/ leaves.*/, "", victim); sub(/.* 50/, " ", victim); sub(/00$/, "", victim) }
            print page, class victim; class = "" }' told
}
explain belady.S:"$line" --D1=48,3,16
is "$(accesses)" '1 compulsory
2 compulsory
3 compulsory
4 compulsory 1
1 capacity 2
2 capacity 3
5 compulsory 4
1 hit
2 hit
3 capacity 5
4 capacity 1
5 capacity 2' 'least recently used, three places: ten misses, each with its victim'
is "$(grep references: told)" '12 references: 2 hits, 10 misses (5 of them miss the LL, too): 5 compulsory, 5 capacity, 0 conflict.' 'the sums'
is "$(sed -n 's/.*\(The set held.*\)/\1/p' told | sed -n '1p;4p;8p;12p')" 'The set held . . . (the one used last first).
The set held 50300 50200 50100 (the one used last first); 50100 leaves, last used at reference 1 of the run by belady.S:8.
The set held 50500 50200 [50100] (the one used last first).
The set held 50400 50300 50200 (the one used last first); 50200 leaves, last used at reference 9 of the run by belady.S:8.' 'the set before some of them'
is "$(grep 'evicted at' told | head -n 2)" '        It was evicted at reference 4 of the run by belady.S:8.
        It was evicted at reference 5 of the run by belady.S:8.' 'who had evicted the line'
is "$(grep -A1 'evicted by' told)" 'What it missed and had been in the D1 before was evicted by
               5  belady.S:8' 'and how often'
ok 'the source line is shown' grep -q '^    8          string 1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5$' told
is "$(sed -n 4p told)" 'place in the line, the next 0 the set, the rest is the tag (hexadecimal below).' 'the bits of an address'

"$QUERN" sim build --D1=fifo -o fifo || bail 'cannot build'
sim=./fifo explain belady.S:"$line" --D1=48,3,16
is "$(accesses)" '1 compulsory
2 compulsory
3 compulsory
4 compulsory 1
1 capacity 2
2 capacity 3
5 compulsory 4
1 hit
2 hit
3 capacity 1
4 capacity 2
5 hit' 'first in, first out: nine misses'
is "$(grep -c '(by way)' told)" 12 'its sets are shown by way'
sim=./fifo explain belady.S:"$line" --D1=64,4,16
is "$(accesses | grep -vc hit)" 10 "four places: ten, which is Belady's anomaly"
is "$(accesses | tail -n 5)" '1 conflict 2
2 conflict 3
3 capacity 4
4 capacity 5
5 capacity 1' 'conflicts where a fully associative cache, least recently used, would have had the line'

# ---- sets, conflicts, references over two lines ----

cat >sets.S <<'END'
        .globl  _start
_start: mov     $100, %ecx
1:      mov     0x600000, %eax          # set 0, tag 0x6000
        mov     0x600110, %eax          # set 1, tag 0x6001
        mov     0x600200, %eax          # set 0, tag 0x6002: these two evict each other
        movups  0x60032c, %xmm0         # sets 2 and 3
        addl    $1, 0x600044            # set 4
        loop    1b
        mov     $60, %eax
        xor     %edi, %edi
        syscall
        .bss
        .skip   4096
END
$CC -nostdlib -static -no-pie -g -Wl,-Tbss=0x600000 -o guest sets.S || bail 'cannot assemble'
explain sets.S:3 --D1=256,1,16 --explain-first=2 --explain-every=49
is "$(sed -n 's/^100 ref/ref/p' told)" 'references: 0 hits, 100 misses (1 of them miss the LL, too): 1 compulsory, 0 capacity, 99 conflict.' 'two lines of one set'
is "$(sed -n 's/^        set 0, tag \([^.]*\).*/\1/p' told | uniq -c | sed 's/^ *//')" '1 6000: a miss, compulsory: the program has not used this line before
3 6000: a miss, conflict: a fully associative cache of this size would have the line' 'set and tag'
is "$(sed -n 's/.* reference \([0-9]*\) of this line.*/\1/p' told | tr '\n' ' ')" '1 2 51 100 ' 'the first two, then one of 49'
is "$(grep -A1 'evicted by' told | tail -n 1)" '              99  sets.S:5' 'the culprit'
explain sets.S:4 --D1=256,1,16 --explain-first=3 --explain-every=0
is "$(grep -c 'reference [0-9]* of this line' told)" 3 'no sample'
is "$(sed -n 's/.*set 1, tag 6001: //p' told | sed -n '2,$p')" 'a hit; last used at reference 2 of the run by sets.S:4.
a hit; last used at reference 7 of the run by sets.S:4.' 'hits tell when the line was used last'
explain sets.S:6 --D1=256,1,16 --explain-first=1
is "$(sed -n 's/^ *\(It reaches.*\)/\1/p;s/.*\(set [0-9], tag [0-9a-f]*: a [a-z]*\).*/\1/p' told | head -n 3)" \
    'It reaches over 2 lines of the cache, and is one miss at most.
set 2, tag 6003: a miss
set 3, tag 6003: a miss' 'a reference over two lines'
explain sets.S:7 --D1=256,1,16
ok 'a modify reads and writes' grep -q 'reads and writes 4 bytes at 0x600044' told
explain sets.S:3-5 --D1=256,1,16 --explain-first=4
is "$(sed -n 's/.*of the run: \([^ ]*\) reads.*/\1/p' told | head -n 4 | tr '\n' ' ')" 'sets.S:3 sets.S:4 sets.S:5 sets.S:3 ' 'a range of lines'
is "$(grep -c '^    [345]  ' told)" 3 'is shown'

# ---- the sums are those of the profile and of a slow model ----

$CC -std=gnu11 -O2 -I"$top_srcdir/lib" -o by_pc "$top_srcdir/tests/unit/sim/slow/by_pc.c" "$top_srcdir"/lib/trace/read.c "$top_srcdir"/lib/trace/champsim_read.c "$top_srcdir"/lib/trace/parts.c -lzstd -llzma ||
    bail 'cannot compile the slow model'
for program in matmul conflict sort rep masked; do
    cp "$top_builddir/tests/guest/$program" guest || bail "no guest program $program"
    "$QUERN" run -q --I1=2048,2,32 --D1=1024,2,32 --LL=65536,4,64 --out-file=plain -- ./guest
    "$QUERN" trace -o raw -- ./guest
    ./by_pc lru 1024,2,32 raw >pcs
    cut -d' ' -f1 pcs | addr2line -e guest | sed 's/ (disc.*//; s/.*\///' | paste -d' ' - pcs >model
    # the lines with most misses, and one without
    awk '/^fl=/ { file = $0; sub(/.*[\/=]/, "", file) } /^[0-9]/ { print $6 + $9, file ":" $1 }' plain | sort -rn | sed -n '1,4p;12p' |
        cut -d' ' -f2 >lines
    for line in $(cat lines); do
        explain "$line" --D1=1024,2,32 || continue
        is "$(body profile)" "$(body plain)" "$line: the profile is as without --explain"
        is "$(sed -n 's/^\([0-9]*\) references: \([0-9]*\) hits, \([0-9]*\) misses ([0-9]*[^:]*: \(.*\) compulsory, \(.*\) capacity, \(.*\) conflict./\1 \3 \4 \5 \6/p' told)" \
            "$(awk -v line="$line" '/^fl=/ { file = $0; sub(/.*[\/=]/, "", file) }
                file ":" $1 == line { refs += $5 + $8 } END { printf "%d ", refs }' plain
            awk -v line="$line" '$1 == line { m += $3 + $4; a += $5; b += $6; c += $7 } END { print m + 0, a + 0, b + 0, c + 0 }' model)" \
            "$line: references of the profile, misses and classes of the slow model"
    done
done

# ---- modules ----

cat >own.c <<'END'
#include "sim/module.h"
#define LEVEL "own"
static uint64_t last;
static void cachesim_X_initcache(const struct sim_config *c) { (void)c; }
static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)size, (void)kind;
    result->miss = addr / sim.line != last;
    last = addr / sim.line;
}
END
"$QUERN" sim build --D1=own.c -o own || bail 'cannot build'
cp "$top_builddir/tests/guest/matmul" guest
sim=./own explain matmul.c:44 --D1=1024,2,32
is "$?$(grep -c 'The set held' told)" 00 'a level that does not show its sets'
"$QUERN" sim build --D1=victim -o victim || bail 'cannot build'
cp "$top_builddir/tests/guest/conflict" guest
sim=./victim explain conflict.c:27 --D1=1024,1,32 --explain-first=1000
ok 'a victim buffer: not there, but no miss' grep -q 'not there, but no miss: the module found it elsewhere; conflict' told

# ---- libraries that come later ----

cat >lib.c <<'END'
int sum(const int *p, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += p[i * 16];
    return s;
}
END
cat >main.c <<'END'
#include <dlfcn.h>
static int numbers[1600];
int main(void)
{
    void *lib = dlopen("./lib.so", RTLD_NOW);
    int (*sum)(const int *, int) = (int (*)(const int *, int))dlsym(lib, "sum");
    return sum(numbers, 100);
}
END
$CC -g -O1 -fPIC -shared -o lib.so lib.c && $CC -g -O1 -o guest main.c -ldl || bail 'cannot compile'
explain lib.c:5 --D1=1024,2,64
is "$(sed -n 's/^\([0-9]* references: [0-9]* hits, [0-9]* misses\).*/\1/p' told)" '100 references: 0 hits, 100 misses' 'a line of a library that is loaded later'
ok 'in its function and file' grep -q "^lib.c:5 in sum of .*/lib.c\$" told

# ---- beside an analysis that asks which instruction it is: a string instruction's references, which are made from C ----

cat >string.S <<'END'
        .globl  _start
_start: mov     $20, %ebx
1:      mov     $buffer, %esi
        mov     $buffer + 4096, %edi
        mov     $300, %ecx
        rep movsb
        dec     %ebx
        jnz     1b
        mov     $60, %eax
        xor     %edi, %edi
        syscall
        .bss
        .balign 4096
buffer: .skip   8192
END
$CC -nostdlib -static -no-pie -g -o strings string.S || bail 'cannot assemble'
for explain in '' string.S:7; do
    "$QUERN" run -q --analysis=culprits --D1=1024,1,64 ${explain:+--explain=$explain --explain-file=told} --out-file="profile$explain" ./strings
done
ok 'the findings of culprits are those of a run without --explain' cmp profile.findings.csv profilestring.S:7.findings.csv
ok '... which has some of the string instruction' grep -q ',6,evictor,1,0x.*,100.00,1$' profile.findings.csv

# ---- mistakes ----

# refused STATUS TEXT WHAT OPTION
refused() {
    explain "$4" --D1=1024,2,64 >out 2>err
    is $? "$1" "status $1: $3"
    is "$(sed "s/[^ ]*\/main.c/main.c/" err)" "quern: run: $2" "said: $3"
    is "$(cat out)" '' "nothing run: $3"
}
rm -f told
refused 2 "--explain: got 'main.c', wanted FILE:LINE or FILE:FIRST-LAST" 'no line' main.c
refused 2 "--explain: got 'main.c:0', wanted FILE:LINE or FILE:FIRST-LAST" 'line 0' main.c:0
refused 2 "--explain: got 'main.c:7-3', wanted FILE:LINE or FILE:FIRST-LAST" 'a range backwards' main.c:7-3
refused 2 '--explain=main.c:2: the program has no code for this line of main.c; the nearest line with code is 4' 'a line before all code' main.c:2
refused 2 '--explain=main.c:99: the program has no code for this line of main.c; the nearest line with code is 8' 'a line after all code' main.c:99
"$QUERN" run --explain=main.c:5 --no-cache-sim ./guest 2>err
is "$?$(cat err)" '2quern: run: --explain: not with --cache-sim=no; `quern run --help=all` describes it' 'without caches'
"$QUERN" run --explain-file=lost ./guest 2>err
is "$?$(cat err)" '2quern: run: --explain-file: needs --explain; `quern run --help=all` describes it' 'a file for what nobody asked for'
"$QUERN" run --watch-file=lost ./guest 2>err
is "$?$(cat err)" '2quern: run: --watch-file: needs --watch; `quern run --help=all` describes it' 'the same of --watch'
explain nosuch.c:7 --D1=1024,2,64 2>err
ok 'a file that nobody has is told in the end' grep -q -- '--explain=nosuch.c:7: nothing that was executed has code for it' err
ok 'and in the file' grep -q '^    No code that was executed' told

done_testing
