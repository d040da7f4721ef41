#!/bin/sh
# Do the answers that are known from outside come out?  (Published handouts, textbooks, and counting by hand.)
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/models/models.inc"

build_model
out=$SCRATCH/out

# ---- hits, misses, evictions of small lackey traces; a modify is a load and a store ----

build_replay "$SCRATCH/lru" D1=lru
# small S E b TRACE
small() {
    line=$((1 << $3)) sets=$((1 << $1))
    "$SCRATCH/lru" --split-modify=yes --D1=$((line * sets * $2)),$2,$line "$4" >"$out"
    refs=$(count 'D   refs' "$out") misses=$(count 'D1  misses' "$out")
    echo "hits:$((refs - misses)) misses:$misses evictions:$(count D1.evictions "$out")"
}
printf ' L 10,1\n M 20,1\n L 22,1\n S 18,1\n L 110,1\n L 210,1\n M 12,1\n' | sed 's/^ \(.\) / \1 /' >"$SCRATCH/a.lk"
printf ' L 0,1\n L 1,1\n L 2,1\n L 3,1\n S 4,1\n L 5,1\n S 6,1\n L 7,1\n S 8,1\n L 9,1\n S a,1\n L b,1\n S c,1\n L d,1\n S e,1\n M f,1\n' >"$SCRATCH/b.lk"
printf ' L 10,4\n S 18,4\n L 20,4\n S 28,4\n S 50,4\n' >"$SCRATCH/c.lk"
is "$(small 1 1 1 "$SCRATCH/b.lk")" 'hits:9 misses:8 evictions:6' 'small trace b, s=1 E=1 b=1'
is "$(small 4 2 4 "$SCRATCH/a.lk")" 'hits:4 misses:5 evictions:2' 'small trace a, s=4 E=2 b=4'
is "$(small 2 1 4 "$SCRATCH/c.lk")" 'hits:2 misses:3 evictions:1' 'small trace c, s=2 E=1 b=4'

# ---- Belady's reference string ----

for page in 1 2 3 4 1 2 5 1 2 3 4 5; do echo "r $page 1"; done >"$SCRATCH/belady.xdin"
# faults POLICY: with 3 and with 4 frames
faults() {
    build_replay "$SCRATCH/$1" D1="$1"
    for frames in 3 4; do
        "$SCRATCH/$1" --D1=$frames,$frames,1 "$SCRATCH/belady.xdin" >"$out"
        count 'D1  misses' "$out"
    done | tr '\n' ' '
}
is "$(faults fifo)" '9 10 ' "fifo: Belady's anomaly"
is "$(faults lru)" '10 8 ' 'lru on the same string'
is "$(faults opt)" '7 6 ' 'opt on the same string'

# ---- a cyclic walk of N lines in a cache of C ----

"$SCRATCH/model" "$SCRATCH/walk" /dev/null kind=walk200 n=20
cyclic() {
    "$SCRATCH/$1" --D1=1024,16,64 "$SCRATCH/walk" >"$out"
    count 'D1  misses' "$out"
}
is "$(cyclic lru)" 4000 'lru misses always on 20 lines in 16 places'
is "$(cyclic fifo)" 4000 'fifo, too'
misses=$(cyclic opt)
ok "opt tends to (N-C)/(N-1): $misses of 4000" test "$misses" -ge 820 -a "$misses" -le 880

# ---- stack distances against brute force, at every size ----

build_replay "$SCRATCH/mattson" AN=mattson
"$SCRATCH/model" "$SCRATCH/mixed" /dev/null kind=zipf n=20000
"$SCRATCH/mattson" --D1=1024,2,32 --sim-opt=sets=16 "$SCRATCH/mixed" >"$SCRATCH/curve"
for lines in 1 2 4 8 16 32 64 128 256 512; do
    "$SCRATCH/lru" --D1=$((lines * 32)),$lines,32 --outcomes="$SCRATCH/o" "$SCRATCH/mixed" >"$out"
    # lines touched that missed = evictions + lines that are in at the end; all misses fill
    evictions=$(count D1.evictions "$out")
    curve=$(sed -n "s/^AN: $lines lines: //p" "$SCRATCH/curve")
    "$SCRATCH/lru" --D1=1048576,32768,32 "$SCRATCH/mixed" >"$SCRATCH/all"
    distinct=$(sed -n 's/^AN: 32768 lines: //p' "$SCRATCH/curve")
    is "$curve" $((evictions + (distinct < lines ? distinct : lines))) "the curve equals lru with $lines lines"
done

# ---- nested loops: mispredicts ----

# mispredicts MODULE K [OPTIONS]
mispredicts() {
    [ -x "$SCRATCH/$1" ] || build_replay "$SCRATCH/$1" BC="$1"
    "$SCRATCH/model" "$SCRATCH/nest" /dev/null kind=nest$2 n=10000
    "$SCRATCH/$1" ${3-} "$SCRATCH/nest" >"$out"
    count Mispredicts "$out"
}
is "$(mispredicts onebit 10)" 20002 'one bit, inner loop of 10'
is "$(mispredicts bimodal 10)" 10005 'two bits, inner loop of 10'
is "$(mispredicts bimodal 4)" 10005 'two bits, inner loop of 4'
for pair in 2:10 3:12 4:15 5:17 7:21 8:10020; do
    is "$(mispredicts cachegrind ${pair%:*})" ${pair#*:} "Cachegrind's predictor, inner loop of ${pair%:*}"
done
ok 'gshare with 12 bits of history learns an inner loop of 12' test "$(mispredicts gshare 12)" -lt 100
ok 'but not of 13' test "$(mispredicts gshare 13)" -gt 9000

# ---- prefetching a sequential walk of N lines ----

"$SCRATCH/model" "$SCRATCH/walk" /dev/null kind=walk1 n=1000
build_replay "$SCRATCH/nextline" D1=nextline
"$SCRATCH/nextline" --D1=8192,4,64 "$SCRATCH/walk" >"$out"
is "$(count 'D1  misses' "$out")" 500 'prefetch on a miss: N/2 demand misses'
"$SCRATCH/nextline" --D1=8192,4,64 --sim-opt=tagged=1 "$SCRATCH/walk" >"$out"
is "$(count 'D1  misses' "$out")" 1 'tagged prefetch: one'

# ---- an exclusive pair holds the sum ----

"$SCRATCH/model" "$SCRATCH/walk" /dev/null kind=walk10 n=24
build_replay "$SCRATCH/exclusive" I1=lru D1=lru LL=exclusive
"$SCRATCH/exclusive" --D1=512,8,64 --LL=1024,16,64 "$SCRATCH/walk" >"$out"
is "$(count 'LL misses' "$out")" 24 'exclusive: 8 + 16 lines hold a walk of 24'
"$SCRATCH/lru" --D1=512,8,64 --LL=1024,16,64 "$SCRATCH/walk" >"$out"
is "$(count 'LL misses' "$out")" 240 'not so without exclusion'

done_testing
