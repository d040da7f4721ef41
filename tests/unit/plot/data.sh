#!/bin/sh
# Are the numbers in a picture's data those of its input?  What is expected is worked out here by rules of its own: awk on the
# input, sums by `quern csv`, and a knee of a curve by hand.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

in=$top_srcdir/tests/golden/plot/in
mkdir -p nothing
no() { ! "$@"; }
plot() { (PATH=$SCRATCH/nothing; export PATH; exec "$QUERN" plot "$@" 2>err); }

# A sweep: each cell is the rate of the row with that program, simulator and size.
plot size "$in/sweep.csv" -o size.svg
is "$? $(grep -c 'there is no gnuplot here' err)" '1 1' 'size: its data and script, without gnuplot'
ok 'failed runs are told' grep -q 'runs that failed and are left out: 1' err
is "$(head -n 1 size.csv)" "D1_size,sort: lru,sort: fifo,it's_odd: lru,it's_odd: fifo" 'a column for each curve, quotes made harmless'
# shellcheck disable=SC2016
is "$(tail -n +2 size.csv)" "$(sed 's/"sort .*b.",/c,/;s/"it""s_odd",/odd,/' "$in/sweep.csv" | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["status"] == "ok" { v[$at["program"], $at["sim"], $at["D1_size"]] = sprintf("%.4f", 100 * ($at["D1mr"] + $at["D1mw"]) / ($at["Dr"] + $at["Dw"])) }
    END { for (s = 1024; s <= 4096; s *= 2)
        print s "," v["sort", "lru", s] "," v["sort", "fifo", s] "," v["odd", "lru", s] "," v["odd", "fifo", s] }')" \
    'rates by size, an empty cell for the run that failed'

# Options that a predictor has not make no curves of their own: its points are one.
plot budget "$in/predictors.csv" -o budget.svg
is "$(cat budget.csv)" 'BC_bits,gshare,local
134,6.7000,
520,26.0000,
12288,,11.0000' 'budget: bits against mispredicts'

# The three Cs per 1000 instructions; in the input they are n, 5n, 5n of 1000.
plot threec "$in/sweep.csv" --where=sim=lru --where=program=sort -o threec.svg
is "$(cat threec.csv)" 'run,compulsory,capacity,conflict
1 KiB,1.0000,5.0000,5.0000
2 KiB,2.0000,10.0000,10.0000
4 KiB,3.0000,15.0000,15.0000' 'three Cs'
ok 'the only thing that differs is the axis' grep -q "^set xlabel 'size of the D1'" threec.gp

# Functions: sums of `quern csv`, the largest first.
plot top "$in/a.prof" -o top.svg
is "$(tail -n +2 top.csv | sed 's/^"[^"]*"/map/' | cut -d, -f2)" "$("$QUERN" csv --by=function --metadata=no --crlf=no --show='v=D1mr+D1mw' "$in/a.prof" |
    tail -n +2 | sed 's/.*,//' | sort -rn | grep -v '^0$')" 'top: sums by function'
is "$(sed -n 2p top.csv)" 'hot,155,155,95.7%' 'the share of the whole: 155 of 162'
plot top "$in/a.prof" --region=solve -o region.svg
is "$(tail -n +2 region.csv)" 'hot,5,5,100.0%' 'of a region: what was counted there'
plot top "$in/a.prof" --by=line -o line.svg
is "$(sed -n '2,3p' line.csv)" 'a.c:10,150,150,92.6%
a.c:12,5,5,3.1%' 'top: lines'
plot compare "$in/a.prof" "$in/b.prof" --mod-funcname='s/^h[a-z]*$/both/' --by=function -o renamed.svg
is "$(grep -c '^both' renamed.csv)" 1 'compare: functions under another name are one'
plot top "$in/a.prof" --by=line --mod-filename='s/a[.]c/z.c/' -o renamed.svg
is "$(sed -n '2s/,.*//p' renamed.csv)" z.c:10 'top: files under another name'
sed 's/a[.]c/old.c/' "$in/a.prof" >old.prof
plot compare old.prof "$in/a.prof" --by=line --mod-filename='s/old[.]c/a.c/' -o renamed.svg
is "$(grep '^a.c:10,' renamed.csv)" a.c:10,150,150,150,0 'compare: lines of files under another name are one'
# A name in little room keeps what is said behind it.  Hashes of modules are left out where the names have no room with them.
hash=0123456789abcdef
printf 'desc: Modules:  I1=lru D1=lru LL=lru AN=3c:%s AN=sets:%s AN=mattson:%s\ncmd: p\n' $hash $hash $hash >noline.prof
printf 'events: Ir D1mr DLmr D1mw DLmw AN.compulsory AN.capacity AN.conflict\nfl=a.cc\nfn=std::__cxx11::basic_string<char>::put(unsigned long) const\n0 90 4 0 0 0 4 0 0\nsummary: 90 4 0 0 0 4 0 0\n' >>noline.prof
for kind in top cpi threec; do
    plot $kind noline.prof --by=line $([ $kind = top ] && echo --event=D1mr) -o $kind-noline.svg
    ok "$kind: code without a line" grep -q 'put() const (no line)' $kind-noline.csv
done
ok 'the caption names all modules' grep -q 'simulator: I1=lru D1=lru LL=lru AN=3c AN=sets AN=mattson' top-noline.gp
plot top "$in/a.prof" --size=640,400 --font='DejaVu Serif,9' -o small.png
ok 'size and font' grep -q "^set terminal pngcairo size 640,400 noenhanced font 'DejaVu Serif,9'" small.gp
plot compare "$in/a.prof" "$in/b.prof" -o compare.svg
is "$(sed -n '2,3p' compare.csv | sed 's/^std::map<>[^,]*/map/')" 'hot,155,25,155,-130
map,1,61,61,+60' 'compare: A, B, and B - A, the longest first; files in another folder are the same'

# A curve 90 85 40 39 30 10 9: it falls by 5 45 1 9 20 1.  Its height is 81; falls of a tenth and more: 45 and 9 and 20.
# Behind 45 comes 1, a knee at 4 lines; behind 9 comes 20, none; behind 20 comes 1, a knee at 32 lines.
plot mrc "$in/mattson.csv" -o mrc.svg
is "$(sed -n "s/^set label 1[0-9] '\([^']*\)'.*/\1/p" mrc.gp | tr '\n' ' ')" '256 B 2 KiB ' 'mrc: knees at 4 and 32 lines of 64 bytes'
is "$(cat mrc.csv)" 'size,miss_percent
64,90.0000
128,85.0000
256,40.0000
512,39.0000
1024,30.0000
2048,10.0000
4096,9.0000' 'mrc: per hundred lines touched'
plot sets "$in/sets.csv" -o sets.svg
is "$(tail -n +2 sets.csv | cut -d, -f2 | tr '\n' ' ')" '50000 0 70000 0 0 0 10000 0 0 0 0 200000 0 0 0 30000 ' 'sets: of the D1, over all intervals'
plot time "$in/intervals.csv" --y=D1m%,Dr -o time.svg
is "$(cat time.csv)" 'end,D1 misses per 100 references,data reads
1000000,25.0000,4
2000000,,0
2500000,50.0000,2' 'time: a rate of nothing is no point'

# Real runs: what comes from the analysis modules, and the same twice.
[ -f "$top_builddir/libquern-engine.a" ] || { bail 'libquern-engine.a is not built: make'; done_testing; }
"$QUERN" sim build --AN=mattson -o mattson && "$QUERN" sim build --AN=sets -o sets || bail 'cannot build'
caches='--I1=1024,2,64 --D1=1024,1,64 --LL=65536,8,64'
# shellcheck disable=SC2086
"$QUERN" run $caches --sim=./mattson --log-file=m.log --out-file=m.prof "$top_builddir/tests/guest/strides" &&
    "$QUERN" run $caches --sim=./sets --log-file=s.log --out-file=s.prof "$top_builddir/tests/guest/strides" || bail 'cannot run'
plot mrc m.prof.mattson.csv -o m.svg
ok '... from 1 MiB on with its unit' grep -q "^set xtics (.*'256' 256, '1 MiB' 1024, '4 MiB' 4096" m.gp
is "$(tail -n +2 m.csv)" "$(awk '/lines touched/ { t = $3 } / lines: / { printf "%d,%.4f\n", $3 * 64, 100 * $5 / t }' m.log)" 'mrc of a run'
plot sets s.prof.sets.csv s.prof -o s.svg
is "$(awk -F, 'NR > 1 { n++; sum += $2 } END { print n, sum }' s.csv)" \
    "16 $("$QUERN" csv --by=program --metadata=no --show='v=D1mr+D1mw' --crlf=no s.prof | tail -n 1 | sed 's/.*,//')" \
    'the misses of all 16 sets are those of the D1'
# shellcheck disable=SC2086
"$QUERN" run $caches --analysis=sizes --log-file=z.log --out-file=z.prof "$top_builddir/tests/guest/strides" || bail 'cannot run'
plot size z.prof.sizes.csv -o z.svg
is "$(tail -n +2 z.csv)" "$(sed 's/,//g' z.log | awk '/D   refs:/ { n = $4 } /AN: [0-9]+ bytes: / { printf "%d,%.4f\n", $3, 100 * ($5 + $6) / n }')" 'size of a run with the analysis sizes'
"$QUERN" plot size --level=LL -o z.svg z.prof.sizes.csv 2>err
is "$? $(cat err)" "1 quern plot: z.prof.sizes.csv:1: column: got none called 'LL_size', wanted it among 10" '... which knows no other level'
cp z.prof.sizes.csv before.csv
"$QUERN" plot mrc m.prof.mattson.csv -o z.prof.sizes.svg 2>err
is "$? $(cat err)" '1 quern plot: -o z.prof.sizes.svg: got a name whose z.prof.sizes.csv or z.prof.sizes.gp is there, and not of a picture, wanted another' 'the data of a picture in place of a table: refused'
same_file z.prof.sizes.csv before.csv '... the table is as it was'
"$QUERN" trace -q -o t.trace "$top_builddir/tests/guest/strides" || bail 'no trace'
# shellcheck disable=SC2086
"$QUERN" replay $caches --sim=AN=mattson --tables=r t.trace >r.out && plot mrc r.mattson.csv -o r.svg
is "$(tail -n +2 r.csv)" "$(awk '/lines touched/ { t = $2 } / lines: / { printf "%d,%.4f\n", $2 * 64, 100 * $4 / t }' r.out)" 'mrc of a replay'
is "$(cut -d, -f1,2 r.totals.csv | sed -n '5p;8p')" "$(sed 's/[,(]//g' r.out | awk '/D   refs:/ { print "Dr," $4; print "Dw," $7 }')" '... and its totals'
plot size z.prof.sizes.csv --where=D1_size=1024 -o w.svg
is "$(tail -n +2 w.csv | cut -d, -f1)" 1024 '... one of them'
cp s.csv before.csv
cp s.gp before.gp
plot sets s.prof.sets.csv s.prof -o s.svg
same_file s.csv before.csv 'the same twice: data'
same_file s.gp before.gp 'script'
# Invariance: by hand.  Registers: 100 executions with 95%, 300 with 50%, 100 with none; loads: 200 with all.
cat >findings.csv <<'END'
object,address,file,function,line,what,rank,value,other,count,of,share
a,0x10,f.c,f,1,rax,1,0x7,,95,100,95.00
a,0x10,f.c,f,1,rax,2,0x8,,5,100,5.00
a,0x14,f.c,f,1,rbx,1,0x1,,150,300,50.00
a,0x18,f.c,f,2,rcx,1,0x0,,0,100,0.00
a,0x1c,f.c,f,2,load,1,0x0,,200,200,100.00
a,0x20,f.c,f,2,target,1,0x0,,50,50,100.00
a,0x24,f.c,f,2,rdx,1,0x0,,9,9,100.00
END
plot invariance findings.csv -o invariance.svg
is "$(grep -E '^(share|0|2|50|52|94|96|100),' invariance.csv)" 'share,registers,loads
0,100.00,100.00
2,80.00,100.00
50,80.00,100.00
52,20.00,100.00
94,20.00,100.00
96,0.00,100.00
100,0.00,100.00' 'invariance: executions by share'
grep -v load findings.csv >registers.csv
plot invariance registers.csv -o invariance.svg
is "$(sed -n 2p invariance.csv)" '0,100.00' '... of what there is'
ok 'what was rarely observed is left out, which is said' grep -q 'without 9 of instructions that were observed less than 10 times' invariance.gp
grep -v ',r.x,' findings.csv | grep -v load >neither.csv
ok 'without values: refused' no plot invariance neither.csv -o invariance.svg
done_testing
