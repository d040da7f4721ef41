#!/bin/sh
# Machines: is each that ships what its file says, does each number have a source, and is what quern cannot do refused by line?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

guests=$top_builddir/tests/guest
[ -x "$guests/sort" ] || bail 'there is no sort: make guests'
counts() { sed -n '/^events:/,/^summary:/p' "$1"; }

# ---- those that ship ----

machines=$("$QUERN" machine list | cut -d ' ' -f 1)
is "$(echo "$machines" | awk 'END { print (NR >= 14) }')" 1 'fourteen machines or more'
for machine in $machines; do
    file=$top_srcdir/machines/$machine.machine
    # Each line of numbers has a comment that says assumed, or names a source of the head.
    is "$(awk '/^# *\[[A-Z0-9]+\] [A-Za-z0-9]/ { known[substr($2, 2, 2)] = 1 }
        /^(cache|tlb|predictor|core|memory|cores)/ && !($1 $2 == "cacheI1" || $1 $2 == "cacheD1" || $1 $2 == "cacheLL") || /[}] *#/ {
            rest = $0; sub(/.*[}]/, "", rest); good = rest ~ /assumed/
            while (match(rest, /\[[^]]*\]/)) {
                n = split(substr(rest, RSTART + 1, RLENGTH - 2), names, /[, ]+/)
                for (i = 1; i <= n; i++) if (names[i] ~ /^[A-Z0-9][A-Z0-9]$/) { good = 1; if (!(names[i] in known)) print FILENAME ": " names[i] }
                rest = substr(rest, RSTART + RLENGTH)
            }
            if (!good) print FILENAME ":" FNR ": no source"
        }' "$file")" '' "$machine: each line of numbers has its source"
    "$QUERN" machine show "$machine" >shown 2>err
    ok '   show prints its file' sh -c 'head -n "$(wc -l <"$1")" shown | cmp -s - "$1"' - "$file"
    "$QUERN" run -q --machine="$machine" --out-file=by-name "$guests/sort" >log 2>&1
    # shellcheck disable=SC2046
    "$QUERN" run -q $(sed -n 's/^# quern run //p' shown) --out-file=by-options "$guests/sort" >>log 2>&1
    is "$(cat log)" '' '   it runs, and so do the options that it stands for'
    is "$(counts by-name | cksum)" "$(counts by-options | cksum)" '   ... with the same counts of each line'
    is "$(sed -n 's/^desc: Machine: *//p' by-name | sed 's/:[0-9a-f]\{16\}$/ and a hash/')" "$machine and a hash" '   the profile records it'
    is "$("$QUERN" annotate --timing="$machine" by-name 2>&1 | sed -n '/^--$/q; s/ *PROGRAM TOTALS.*//p')" \
        "$("$QUERN" annotate "$(sed -n 's/^# quern annotate //p' shown)" by-options 2>&1 | sed -n '/^--$/q; s/ *PROGRAM TOTALS.*//p')" '   its latencies'
done

# ---- what is given on the command line comes first ----

cat >small.machine <<'END'
title = "small"
cache I1 { size = 1K  ways = 2  line = 32 }
cache D1 { size = 2K  ways = 2  line = 32  latency = 2  policy = fifo }
cache L2 { size = 8K  ways = 4  line = 32  latency = 10 }
cache LL { size = 32K ways = 8  line = 64  latency = 30 }
predictor BC { module = gshare  options = {"bits=6", "gshare-history=4"} }
core { width = 2  mispredict = 9 }
memory { latency = 110 }
END
same() { # NAME OPTIONS-WITH-MACHINE OPTIONS-WITHOUT
    # shellcheck disable=SC2086
    "$QUERN" run -q $2 --out-file=with "$guests/sort" >log 2>&1 && "$QUERN" run -q $3 --out-file=without "$guests/sort" >>log 2>&1
    is "$(counts with | cksum) $(cat log)" "$(counts without | cksum) " "$1"
}
caches='--I1=1024,2,32 --D1=2048,2,32 --L2=8192,4,32 --LL=32768,8,64'
gshare='--sim-opt=bits=6,gshare-history=4'
same 'a file' --machine=./small.machine "$caches --sim=D1=fifo,BC=gshare $gshare"
same 'a file by its ending' --machine=small.machine "$caches --sim=D1=fifo,BC=gshare $gshare"
same '--D1' '--machine=small.machine --D1=1024,1,32' "$caches --D1=1024,1,32 --sim=D1=fifo,BC=gshare $gshare"
same '--L2 alone is the middle level' '--machine=small.machine --L2=4096,2,32' "$caches --L2=4096,2,32 --sim=D1=fifo,BC=gshare $gshare"
same '--sim in a slot of its' '--machine=small.machine --sim=D1=lru' "$caches --sim=D1=lru,BC=gshare $gshare"
same '--sim-opt' '--machine=small.machine --sim-opt=bits=9' "$caches --sim=D1=fifo,BC=gshare $gshare --sim-opt=bits=9"
same '--branch-sim=no' '--machine=small.machine --branch-sim=no' "$caches --sim=D1=fifo"
same '--cache-sim=no' '--machine=small.machine --cache-sim=no' "--cache-sim=no --sim=BC=gshare $gshare"
"$QUERN" run --machine=small.machine --sim=D1=lru,BC=gshare --out-file=profile true 2>err
is "$(sed -n 's/^==[0-9]*== \(Slot\)/\1/p' err)" "Slot D1: lru, in place of the machine's fifo" 'a module of the machine that is replaced is named'
"$QUERN" trace -o small.trace true >log 2>&1 || bail "no trace: $(cat log)"
"$QUERN" run --machine=skylake --sim=D1=srrip --out-file=profile true 2>err
is "$(grep -c Slot err) $(grep -o ' D1=[a-z+]*' profile)" '0  D1=srrip+tlb' "... but its TLB stands beside one's own cache"
is "$("$QUERN" replay --machine=skylake --sim=D1=srrip small.trace 2>&1 | grep -c '^D1.dtlb-misses\|^D1.evictions')" 2 '... in a replay, too'
"$QUERN" run --machine=small.machine --out-file=profile true 2>err
is "$(grep -c Slot err)" 0 '... none without --sim'
is "$(grep -c 'cache: .*, as --machine says$' err)" 4 'the banner'
is "$("$QUERN" machine show small.machine | sed -n 's/^# quern annotate --timing=//p')" 'width=2,hit=2,L1=8,L2=20,LL=80,branch=9' \
    'latencies count from the processor, --timing from the level above'

# ---- cores ----

same_cores() { # NAME OPTIONS OPTIONS
    # shellcheck disable=SC2086
    "$QUERN" run -q $2 --out-file=with "$guests/sort" >log 2>&1 && "$QUERN" run -q $3 --out-file=without "$guests/sort" >>log 2>&1
    is "$(sed '/^cmd:/d; /^desc:/d' with | cksum) $(cat log)" "$(sed '/^cmd:/d; /^desc:/d' without | cksum) " "$1"
}
skylake='--I1=32768,8,64 --D1=32768,8,64 --L2=262144,4,64 --LL=8388608,16,64 --sim=D1=mesi+tlb,LL=inclusive,BC=tage,BI=btb'
same_cores '--machine=skylake --cores=2: two cores with L2s, TLBs and predictors, an inclusive LL' '--machine=skylake --cores=2' "$skylake --cores=2"
same_cores '--cores=machine: its four' '--machine=skylake --cores=machine' "$skylake --cores=4"
"$QUERN" run --machine=skylake --cores=machine --out-file=profile nproc 2>err >out
is "$(cat out)" 4 '   which the program sees'
is "$(grep -c Slot err)" 0 '   nothing of the machine is left out'
"$QUERN" run --machine=small.machine --cores=2 --out-file=profile true 2>err
is "$(sed -n 's/^==[0-9]*== \(Slot\)/\1/p' err)" "Slot D1: mesi, in place of the machine's fifo" '   but a policy of the D1 is, and named'
is "$("$QUERN" machine show skylake | tail -n 1)" '# of threads, with I1, D1 and L2 for each core: --cores=4' '   show'
is "$("$QUERN" run --machine=pentium --cores=machine true 2>&1 | sed 's/;.*//') $("$QUERN" run --cores=machine true 2>&1 | sed 's/;.*//')" \
    'quern: run: --cores=machine: --machine says of no cores quern: run: --cores=machine: needs --machine' '   a machine that says nothing, and none'

# ---- other commands ----

"$QUERN" trace -o trace "$guests/sort" >log 2>&1 || bail "no trace: $(cat log)"
for machine in small.machine nehalem; do
    # shellcheck disable=SC2046
    set -- $("$QUERN" machine show $machine | sed -n 's/^# quern run //p')
    "$QUERN" replay --machine=$machine trace >got 2>&1
    "$QUERN" replay "$@" trace >wanted 2>&1
    same_file got wanted "replay: $machine"
done
"$QUERN" replay --machine=small.machine --D1=1024,1,32 --sim=D1=lru trace >got 2>&1
# shellcheck disable=SC2086
"$QUERN" replay $caches --D1=1024,1,32 --sim=D1=lru,BC=gshare $gshare trace >wanted 2>&1
same_file got wanted 'replay: other options come first'
"$QUERN" sweep -q -o sweep.csv -L machine=small.machine,pentium,nehalem -L n=1,2 -- "$guests/sort" {n} >log 2>&1
is "$? $(cat log)" '0 ' 'a sweep'
for machine in small.machine pentium nehalem; do
    "$QUERN" run -q --machine=$machine --branch-sim=no --processors=4 --out-file=alone "$guests/sort" 1 2>log
    is "$("$QUERN" csv --by=program --metadata=no --crlf=no --show=D1mr,D1mw,DLmr alone | tail -n 1 | grep -o '[0-9]*,[0-9]*,[0-9]*$')" \
        "$(sed 's/"[^"]*"/options/g' sweep.csv | awk -F, -v m=$machine 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $at["machine"] == m && $at["n"] == 1 { print $at["D1mr"] "," $at["D1mw"] "," $at["DLmr"] }')" "   $machine: the run's counts"
done
is "$(sed 's/"[^"]*"/options/g' sweep.csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 { print $at["L2_size"] }' | uniq | tr '\n' ' ')" '8192 0 262144 ' \
    '   a machine without L2 beside others'
"$QUERN" run -q --machine=nehalem --branch-sim=no --processors=4 --out-file=alone "$guests/sort" 1
is "$("$QUERN" csv --by=program --metadata=no --crlf=no --timing=nehalem --show=CPI,AMAT alone | sed -n '2s/^alone,//p' | awk -F, '{ printf "%.4f %.4f", $1, $2 }')" \
    "$(sed 's/"[^"]*"/options/g' sweep.csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    $at["machine"] == "nehalem" && $at["n"] == 1 { print $at["CPI"], $at["AMAT"] }')" '   CPI and AMAT, as annotate has them with these latencies'
is "$("$QUERN" sweep --list --D1=1024,1,32 --branch-sim=yes -L machine=small.machine -L sim=lru -- "$guests/sort" | grep -o -e '--sim=[^ ]*' -e '--[IDL].=[^ ]*' | tr '\n' ' ')" \
    '--sim=lru --I1=1024,2,32 --D1=1024,1,32 --LL=32768,8,64 --L2=8192,4,32 ' '   settings and sim come first'
is "$("$QUERN" sweep --list -L machine=none -- true 2>&1)" 'quern: sweep: -L machine: machine: none: no machine of this name; `quern machine list` has all' '   an unknown one'
"$QUERN" report -q --machine=small.machine -o report -- "$guests/sort" >log 2>&1
is "$? $(cat log) $(sed -n 's/^desc: Machine: *\(small\):.*/\1/p' report/profile)" '0  small' 'a report'
ok '   with its latencies' grep -q 'instructions/2 + 8 x L1 misses + 20 x L2 misses + 80 x LL misses + 9 x mispredicts' report/index.html

"$QUERN" plot curve sweep.csv --x=machine --y=CPI --curve=n -o picture.svg >log 2>&1
is "$? $(cat log) $(cut -d , -f 1 picture.csv | tr '\n' ' ')" '0  machine small.machine pentium nehalem ' 'a plot over names, in the order of the sweep'
is "$(grep -c "using 0:[23]:xticlabels(1)" picture.gp)" 2 '   which stand below the axis'

# ---- policy, prefetcher and tlb in one slot ----

awk '/^cache D1/ { print "cache D1 { size = 2K  ways = 2  line = 32  policy = fifo  prefetcher = stride  options = {\"degree=2\"} }"; next } { print }
    END { print "tlb { entries = 4  ways = 4 }" }' small.machine >joined.machine
"$QUERN" run --machine=joined.machine --branch-sim=no --out-file=joined --log-file=joined.log true
"$QUERN" run --machine=small.machine --branch-sim=no --sim=D1=fifo+stride+tlb --out-file=by-hand --log-file=by-hand.log \
    --sim-opt=degree=2,tlb-entries=4,tlb-ways=4,stlb-entries=1,stlb-ways=1,page-bits=12 true
is "$(tail -n 1 joined)" "$(tail -n 1 by-hand)" 'a machine with policy, prefetcher and tlb counts as --sim=D1=fifo+stride+tlb'
is "$(sed -n 's/^==[0-9]*== *\(D1.*:\)/\1/p' joined.log)" "$(sed -n 's/^==[0-9]*== *\(D1.*:\)/\1/p' by-hand.log)" '   and tells the same'
"$QUERN" run --machine=joined.machine --branch-sim=no --sim=D1=srrip --out-file=other true 2>log
is "$(sed -n 's/^==[0-9]*== Slot //p' log)" "D1: srrip, in place of the machine's fifo+stride+tlb" '   what --sim puts there takes their place'

# ---- this machine ----

"$QUERN" machine host >host.machine 2>err
is "$? $(cat err)" '0 ' 'host'
"$QUERN" machine show host.machine >shown 2>err
is "$? $(cat err)" '0 ' '   is a machine'
"$QUERN" run --machine=host.machine true 2>as-machine
"$QUERN" run true 2>plain
is "$(sed -n 's/.*\(\(I1\|D1\) cache: .* associative\).*/\1/p' as-machine)" "$(sed -n 's/.*\(\(I1\|D1\) cache: .* associative\).*/\1/p' plain)" \
    '   level 1 is what a run takes without it'

# ---- mistakes ----

# mistake 'LINE: MESSAGE' 'LINE OF THE FILE' ...: in place of those of small.machine that begin with the same two words
mistake() {
    said=$1
    shift
    cp small.machine bad.machine
    for line; do
        awk -v line="$line" 'BEGIN { split(line, a, " ") } $1 == a[1] && ($2 == a[2] || $2 == "{") && !done { $0 = line; done = 1 } { print }
            END { if (!done) print line }' bad.machine >bad && mv bad bad.machine
    done
    "$QUERN" run --machine=bad.machine --out-file=never true >out 2>err
    is "$? $(cat err)" "2 quern: run: --machine: bad.machine$said" "${1:-}"
    ok '   nothing was run' test ! -e never
}
mistake ":9: no such option 'sockets'" 'sockets = 4'
mistake ":9: cores: got '65', wanted 1 to 64" 'cores = 65'
mistake ":5: no such option 'writeback'" 'cache LL { size = 32K ways = 8 line = 64 writeback = yes }'
mistake ":9: cache: got 'L3', wanted I1, D1, L2 or LL: quern has no others" 'cache L3 { size = 32K  ways = 8  line = 64 }'
mistake ":4: L2 policy: got 'plru', wanted lru: it has no module" 'cache L2 { size = 8K  ways = 4  line = 32  policy = plru }'
mistake ":4: L2 prefetcher: got 'stride', wanted none: prefetchers are modules of I1 and D1" 'cache L2 { size = 8K ways = 4 line = 32 prefetcher = stride }'
mistake ":3: D1 inclusion: got 'nine', wanted none: only the LL has it" 'cache D1 { size = 2K  ways = 2  line = 32  inclusion = nine }'
mistake ":5: LL inclusion: got 'exclusive', wanted nine or inclusive: an L2 does not tell the LL which lines it gives up" \
    'cache LL { size = 32K ways = 8  line = 64  inclusion = exclusive }'
mistake ":5: LL inclusion: got 'some', wanted nine, inclusive or exclusive" 'cache LL { size = 32K ways = 8  line = 64  inclusion = some }'
mistake ":3: D1: got '2048,3,32', wanted a size that is sets * ways * line" 'cache D1 { size = 2K  ways = 3  line = 32 }'
mistake ":3: cache D1: got '', wanted its line" 'cache D1 { size = 2K  ways = 2 }'
mistake ":3: D1 size: got 'big', wanted a number below 2^32" 'cache D1 { size = big  ways = 2  line = 32 }'
mistake ":3: D1 options: got 'x=1', wanted a module beside them, which takes them" 'cache D1 { size = 2K  ways = 2  line = 32  options = {"x=1"} }'
mistake ":9: predictor: got 'BX', wanted BC, of conditional branches, or BI, of indirect ones" 'predictor BC { }' 'predictor BX { module = gshare }'
mistake ":5: LL latency: got '3', wanted no less than that of the level above" 'cache LL { size = 32K ways = 8  line = 64  latency = 3 }'
mistake ":7: core width: got '0', wanted at least 1" 'core { width = 0 }'
mistake ": wanted memory { latency } beside core" 'memory { }'
mistake ":2: size is given twice" 'cache I1 { size = 1K  size = 2K  ways = 2  line = 32 }'
grep -v '^cache LL' small.machine >bad.machine
is "$("$QUERN" machine show bad.machine 2>&1)" 'quern: machine show: bad.machine: wanted cache LL { size, ways and line }' 'no LL'
sed 's/fifo/filo/' small.machine >bad.machine
is "$("$QUERN" run --machine=bad.machine true 2>&1)" 'quern: run: --machine: bad.machine:3: D1=filo: no such module; `quern sim list` shows them' 'a policy that there is not'
is "$("$QUERN" run --machine=z80 true 2>&1)" 'quern: run: --machine: z80: no machine of this name; `quern machine list` has all' 'a name that there is not'
is "$("$QUERN" annotate --timing=z80 by-name 2>&1)" 'quern: --timing: z80: no machine of this name; `quern machine list` has all' '... for --timing'
is "$("$QUERN" machine 2>&1; echo $?)" 'quern: machine: wanted list, show or host; `quern machine --help` describes it
2' 'wrong usage'
done_testing
