#!/bin/sh
# Do analyses that read records (doc/reference.md, "Who looks on") find what they find when they are called for each
# reference, on caches of many shapes; do several at once find what each finds alone; and do their counts survive every end of a program?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

guests=$top_builddir/tests/guest
[ -x "$guests/sort" ] || skip_all 'the guest programs are not built: make guests'

# run NAME OPTIONS COMMAND...: NAME.profile, NAME.said without the process number, NAME.profile.findings.csv sorted
run() {
    name=$1
    shift
    rm -f "$name".*
    "$QUERN" run --LL=65536,8,64 --out-file="$name.profile" --log-file="$name.log" "$@" >/dev/null 2>&1 </dev/null
    sed 's/^[-=]*[0-9]*[-=][-=] *//' "$name.log" | grep '^AN' >"$name.said"
    [ ! -f "$name.profile.findings.csv" ] || sort "$name.profile.findings.csv" >"$name.found"
}
same() { cmp "$1.profile" "$2.profile" && cmp "$1.said" "$2.said" && [ -s "$1.said" ]; }

# how OPTIONS: as -v says
how() { "$QUERN" run -v --out-file=/dev/null "$@" "$guests/sort" 2>&1 | sed -n 's/.*AN: .*\.c [0-9a-f]*, //p'; }

# alike OPTIONS COMMAND...: as it is, and with each reference a call
alike() {
    run fast --analysis=3c,sets,latency "$@"
    run slow --no-filter --analysis=3c,sets,latency "$@"
    same fast slow && cmp fast.found slow.found && [ -s fast.found ]
}

for shape in 32768,8,64 1024,2,64 512,1,64 2048,4,32 49152,12,64 4096,64,64; do
    ok "$shape: sort" alike --D1=$shape "$guests/sort"
done
ok 'lines that straddle, string instructions' alike --D1=2048,2,64 "$guests/strings"
# (How much memory sort takes is said, or it asks how much there is.)
ok 'a real program' alike --D1=1024,2,64 sort -S 1M --parallel=1 -n "$top_srcdir/lib/ORDER"
ok 'with intervals' alike --D1=8192,4,64 --interval=100000 --interval-file=intervals "$guests/sort"
ok 'with branches' alike --D1=8192,4,64 --branch-sim=yes "$guests/sort"
ok 'an inclusive last level, which takes lines away' alike --sim=LL=inclusive --D1=8192,4,64 "$guests/sort"
ok 'another policy, which has no times' alike --sim=D1=fifo --D1=8192,4,64 "$guests/sort"

# Loads by level alone: of each reference only the first miss is told, of all others the address is written down.
alone() {
    run fast --analysis=latency "$@"
    run slow --no-filter --analysis=latency "$@"
    same fast slow && cmp fast.found slow.found && [ -s fast.found ]
}
for batch in never always; do
    ok "loads alone, batches $batch: sort" alone --batch=$batch --D1=1024,2,64 "$guests/sort"
    ok '... lines that straddle, string instructions' alone --batch=$batch --D1=2048,2,64 "$guests/strings"
done
ok '... reads and writes of one instruction' alone --D1=1024,2,64 "$guests/rmw"

# Which way was it?
is "$(how --analysis=3c)" 'reads records' 'three Cs by misses'
is "$(how --analysis=3c --no-filter)" 'reads records' '... or without the filter'
is "$(how --analysis=3c --sim=D1=fifo)" 'each reference a call' '... where the D1 has no times'
is "$(how --analysis=sets --sim=D1=srrip)" 'reads records' 'misses are told by any module in slot D1'

# Several at once, and each alone.
run all --analysis=sets,3c "$guests/sort"
run one --analysis=3c "$guests/sort"
run other --analysis=sets "$guests/sort"
sort all.said >all.sorted
cat one.said other.said | sort >alone.sorted
is "$(cat all.sorted)" "$(cat alone.sorted)" 'two at once say what each says alone'
is "$(sed '1,/^events/d' all.profile)" "$(sed '1,/^events/d' one.profile)" '... and the columns are the same'
run none "$guests/sort"
is "$(sed -n 's/^events: //p' none.profile)" 'Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw' 'without an analysis there is no column of it'

# Loads by level, beside a module that counts each of them.
run loads --analysis="$top_srcdir/tests/unit/sim/slow/loads.c" --D1=2048,2,64 "$guests/sort"
run latency --analysis=latency --D1=2048,2,64 "$guests/sort"
without_rows() { sed 's/,[0-9]*$//'; } # how many rows the whole file has
is "$(grep -v ,cycles, latency.found | without_rows)" "$(without_rows <loads.found)" 'loads by level are those that were seen one by one'

# The curve: told of lines that come near, and of each reference.
curves() {
    run fast "$@"
    run slow --no-filter "$@"
    same fast slow && [ "$(grep -c ' lines: ' fast.said)" -ge 15 ]
}
for shape in 32768,8,64 1024,2,64 512,1,64 2048,4,32 4096,64,64 8192,4,128; do
    ok "mattson, $shape: sort" curves --analysis=mattson --D1=$shape "$guests/sort"
    ok '... strings' curves --analysis=mattson --D1=$shape "$guests/strings"
done
ok 'mattson: a real program' curves --analysis=mattson --D1=32768,8,64 sort -n "$top_srcdir/lib/ORDER"
ok '... sizes of one line on' curves --analysis=mattson --sim-opt=smallest=1 --D1=2048,4,64 "$guests/sort"
ok '... beside other analyses' curves --analysis=3c,mattson,sets --D1=2048,4,64 "$guests/sort"
ok '... and one that sees each reference' curves --analysis=interval,mattson --D1=2048,4,64 "$guests/sort"
ok '... a sample of the lines' curves --analysis=mattson --sim-opt=shards=50 --D1=2048,4,64 "$guests/sort"
ok '... of one line in 20 and no fewer than 10' curves --analysis=mattson --sim-opt=shards=10 --sim-opt=shards-part=20 --D1=2048,4,64 "$guests/sort"
run exact --analysis=mattson "$guests/sort"
run part --analysis=mattson --sim-opt=shards-part=1000 "$guests/sort"
is "$(sed -n 's/, give or take 0$//p' part.said | grep ' lines: ')" "$(grep ' lines: ' exact.said)" '... which is exact where there are no more than 8192 lines'
is "$(how --analysis=mattson)" 'reads records' 'mattson: hits are not told'
is "$(how --analysis=mattson --sim-opt=sets=4)" 'reads records' '... nor where each associativity is asked for'
# Records of references, of which only the latest line is recent: a module of the same policy in slot D1.
for analysis in 3c mattson sizes sets latency; do
    run fast --analysis=$analysis --D1=2048,2,64 "$guests/sort"
    run slow --analysis=$analysis --D1=2048,2,64 --sim=D1=lru "$guests/sort"
    sed -i "/^desc: Modules/d" fast.profile slow.profile
    ok "$analysis: the same by records of a D1 that does not tell of its lines" same fast slow
done

# Sizes: the same, where lines that come near are no more than the ways.
sizes() {
    run fast "$@"
    run slow --no-filter "$@"
    same fast slow && [ "$(grep -c ' bytes: ' fast.said)" -gt 4 ] && own "$@"
}
own() { # the D1 of the run is one of them
    for word in "$@"; do case $word in --D1=*) size=${word#--D1=} ;; esac; done
    [ "$(sed -n "s/^AN: ${size%%,*} bytes: //p" fast.said)" = "$(awk '/^summary/ { print $6, $9 }' fast.profile)" ]
}
for shape in 32768,8,64 1024,2,64 512,1,64 2048,4,32 49152,12,64 4096,64,64 8192,4,128 64,1,16; do
    ok "sizes, $shape: sort" sizes --analysis=sizes --D1=$shape "$guests/sort"
    ok '... strings' sizes --analysis=sizes --D1=$shape "$guests/strings"
done
ok 'sizes: a real program' sizes --analysis=sizes --D1=32768,8,64 sort -S 1M --parallel=1 -n "$top_srcdir/lib/ORDER"
ok '... beside other analyses, with the curve of few ways' sizes --analysis=3c,mattson,sizes,sets --D1=2048,2,64 "$guests/sort"
ok '... one that sees each reference' sizes --analysis=interval,sizes --D1=2048,4,64 "$guests/sort"
ok '... branches and intervals' sizes --analysis=sizes --branch-sim=yes --interval=100000 --interval-file=intervals --D1=2048,2,64 "$guests/sort"
for size in 512 1024 4096 16384; do
    "$QUERN" run --LL=65536,8,64 --D1=$size,2,64 --out-file=alone.profile "$guests/sort" >/dev/null 2>&1
    is "$(sed -n "s/^AN: $size bytes: //p" fast.said)" "$(awk '/^summary/ { print $6, $9 }' alone.profile)" "sizes: a D1 of $size bytes by itself"
done
is "$(how --analysis=sizes)" 'reads records' 'sizes: hits on lines that are near are not told'

# Who evicted it, beside a cache of lists that sees each reference.
culprits() {
    run culprits --analysis=culprits "$@"
    cp culprits.profile.culprits.csv by_line
    run slow --analysis="$top_srcdir/tests/unit/sim/slow/culprits.c" "$@"
    for name in culprits slow; do cut -d, -f1-6,8- "$name.found" | sort >"$name.cut"; done # without the rank
    cmp culprits.cut slow.cut && cmp culprits.said slow.said && [ "$(wc -l <culprits.cut)" -gt 2 ] && cmp by_line slow.profile.culprits.csv
}
for shape in 2048,2,64 512,1,64 4096,4,32 1024,16,64; do ok "culprits, $shape: sort" culprits --D1=$shape "$guests/sort"; done
ok 'culprits: lines that straddle, string instructions' culprits --D1=512,2,64 "$guests/strings"
ok 'culprits: a real program' culprits --D1=1024,2,64 sort -S 1M --parallel=1 -n "$top_srcdir/lib/ORDER"
ok '... by line of source: as many as by instruction' \
    awk -F, 'FNR == 1 { f++; next } f == 1 { n += $10 } f == 2 { lines += $1 } END { exit !(n > 0 && n == lines) }' \
    culprits.profile.findings.csv culprits.profile.culprits.csv

# With everything else in one run: a second simulator, intervals, branches, and the reasons of a line.
columns() { # FIRST-FILE SECOND-FILE: the columns of the first are the first ones of the second, line by line
    awk '/^[0-9]/ && FNR == NR { a[++n] = $0 } /^[0-9]/ && FNR != NR { b[++m] = $0 }
        END { for (i = 1; i <= n; i++) if (index(b[i] " ", a[i] " ") != 1) { print a[i]; print b[i]; exit 1 }; exit !(n > 9 && n == m) }' "$1" "$2"
}
for analyses in 3c,sets,latency,culprits 3c,interval; do
    with="--D1=2048,2,64 --branch-sim=yes --interval=20000 --interval-file=intervals --analysis=$analyses"
    # shellcheck disable=SC2086 # words
    run alone $with "$guests/sort"
    # shellcheck disable=SC2086
    run versus $with --versus=D1=fifo "$guests/sort"
    # shellcheck disable=SC2086
    run explained $with --explain=sort.c:55 --explain-file=explained "$guests/sort"
    ok "$analyses with --versus: the same columns" columns alone.profile versus.profile
    ok "... and words" cmp alone.said versus.said
    ok "... and as many misses of B as without it" eval '"$QUERN" run --LL=65536,8,64 --D1=2048,2,64 --branch-sim=yes --versus=D1=fifo --out-file=b.profile \
        "$guests/sort" >/dev/null 2>&1 && [ "$(sed -n "s/^summary: .* \([0-9]* [0-9]* [0-9]* [0-9]*\)$/\1/p" b.profile)" = \
        "$(sed -n "s/^summary: .* \([0-9]* [0-9]* [0-9]* [0-9]*\)$/\1/p" versus.profile)" ]'
    ok "$analyses with --explain: the same columns" columns alone.profile explained.profile
    ok "... and words" cmp alone.said explained.said
done

# What an analysis counts at a miss belongs to the instruction that missed, also where references are simulated many at a time.
cat >counts.c <<'END'
#define ANALYSIS "missed"
#define ANALYSIS_RECORDS SIM_MISSES
#include "sim/module.h"
static unsigned event;
static void analysis_init(const struct sim_config *c) { event = sim_event(c->slot, "missed", "D1 misses of data"); }
static void analysis_observe(const struct sim_record *r, uint32_t n)
{
    for (; n--; r++)
        if (r->what & SIM_L1_MISS)
            sim_count_for(r->site, event, 1);
}
static void analysis_finish(void) {}
END
for policy in default srrip; do
    for batch in never always; do
        run missed --analysis=./counts.c --sim=D1=$policy --batch=$batch --D1=2048,2,64 "$guests/sort"
        ok "D1=$policy, --batch=$batch: each line has as many of its events as misses" \
            awk '/^[0-9]/ { n++; if ($11 + 0 != $6 + $9) exit wrong = 1 } END { exit wrong || n < 10 }' missed.profile
    done
done

# However the program ends.
run killed --analysis=3c,sets,latency,culprits --D1=1024,2,64 sh -c 'i=0; while [ $i -lt 300 ]; do i=$((i + 1)); done; kill -9 $$'
ok 'a program that is killed leaves the classes of its misses' \
    awk '$1 == "summary:" && $11 > 0 && $12 > 0 && $11 + $12 + $13 == $6 + $9 { found = 1 } END { exit !found }' killed.profile

# Nor do the lines of a reference begin anew behind the last one of memory: what lies before a null pointer.
cat >last.c <<'END'
#include <signal.h>
#include <unistd.h>
static void end(int number) { _exit(number == SIGSEGV ? 3 : 4); }
int main(int argc, char **argv)
{
    (void)argv;
    signal(SIGSEGV, end);
    return (int)*(volatile long *)(argc - 9l);
}
END
$CC -O1 -g -o last last.c || bail 'last.c cannot be compiled'
for option in --data=use --analysis=sizes --analysis=mattson --explain=last.c:8; do
    cpu_limited 60 "$QUERN" run -q "$option" --out-file=last.profile ./last >/dev/null 2>&1
    is $? 3 "the last 8 bytes of memory are read: $option"
done

# The classes pass through what reads profiles: the sums by line and by function, twice one profile, and one less itself.
run one --analysis=3c "$guests/sort"
sums() { # PROFILE BY: of the three classes
    "$QUERN" csv --by="$2" --metadata=no --crlf=no --show=AN.compulsory,AN.capacity,AN.conflict "$1" |
        awk -F, 'NR > 1 { a += $(NF - 2); b += $(NF - 1); c += $NF } END { print a, b, c }'
}
"$QUERN" merge -o merged.profile one.profile one.profile
"$QUERN" diff one.profile one.profile >differ.profile
wanted=$(awk '/^summary/ { print $11, $12, $13 }' one.profile)
is "$(sums one.profile line)" "$wanted" 'csv by line has all misses of each class'
is "$(sums one.profile function)" "$wanted" '... and by function'
is "$(sums merged.profile line)" "$(awk '/^summary/ { print 2 * $11, 2 * $12, 2 * $13 }' one.profile)" 'merge adds them up'
is "$(awk '/^summary/ { print $11, $12, $13 }' differ.profile)" '0 0 0' 'diff takes them off'
ok 'annotate shows them' sh -c '"$0" annotate --show=AN.compulsory,AN.capacity,AN.conflict one.profile | grep -q "AN.conflict"' "$QUERN"

refused() { # MESSAGE OPTIONS...
    message=$1
    shift
    "$QUERN" run "$@" /bin/true 2>err
    is "$? $(cat err)" "2 quern: run: $message" "$*"
}
refused '--analysis=sets: the same analysis twice' --analysis=sets,3c,sets
refused '--analysis: those that observe instructions (values, conflicts) not with others: nothing is simulated' --analysis=3c,values
done_testing
