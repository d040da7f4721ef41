#!/bin/sh
# Do several modules in one slot ("D1=srrip+stride+tlb") do together what their slow models do together: every reference, every event, filtered and
# not, in run and replay?  And is what does not go together refused by name?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/models/models.inc"

HOME=$SCRATCH
unset XDG_CACHE_HOME
export HOME
small=tlb-entries=4,tlb-ways=1,stlb-entries=8,stlb-ways=8,page-bits=10

said() { sed -n 's/^\(D1\.[a-z0-9-]*\) *\([0-9][0-9]*\)  .*/\1 \2/p; /coverage/p' "$1" | grep -v 'evictions\| 0$' | sort; }

# compare MODEL-OPTIONS REPLAY-OPTIONS
compare() {
    # shellcheck disable=SC2086 # options are words
    "$SCRATCH/model" "$SCRATCH/trace" "$SCRATCH/wanted" $1 | sort >"$SCRATCH/wanted.events" || bail "model $1"
    for check in no yes; do
        # shellcheck disable=SC2086
        "$SCRATCH/replay" $2 --check=$check --outcomes="$SCRATCH/got" "$SCRATCH/trace" >"$SCRATCH/out" 2>&1
        status=$?
        said "$SCRATCH/out" >"$SCRATCH/got.events"
        [ $status -eq 0 ] && cmp -s "$SCRATCH/wanted" "$SCRATCH/got" && cmp -s "$SCRATCH/wanted.events" "$SCRATCH/got.events" && continue
        echo "model $1; replay $2 --check=$check: status $status, $(tail -n 1 "$SCRATCH/out")"
        echo "first difference at reference $(cmp -l "$SCRATCH/wanted" "$SCRATCH/got" | head -n 1 | awk '{ print int(($1 + 2) / 3) }')"
        diff "$SCRATCH/wanted.events" "$SCRATCH/got.events"
        return 1
    done
}

everywhere() {
    for kind in random cyclic stride zipf mixed; do
        for g in 1024,2,32:4096,4,32 4096,8,32:16384,8,64 256,16,16:4096,16,16 256,1,64:1024,1,64; do
            compare "kind=$kind n=4000 seed=3 d1=$1 opt=$2 D1=${g%:*} LL=${g#*:}" "--I1=1024,2,32 --D1=${g%:*} --LL=${g#*:} ${2:+--sim-opt=$2}" || return 1
        done
    done
}

# together NAMES OPTIONS
together() {
    build_replay "$SCRATCH/replay" D1="$1"
    ok "D1=$1${2:+ with $2} is its model" everywhere "$1" "$2"
}

build_model
together lru+stride 'degree=2,regions=4'
together fifo+nextline 'tagged=1,degree=2'
together srrip+stride ''
together nru+ghb 'ghb=32,ghb-table=2,ghb-degree=3'
together srrip+spp ''
together srrip+bop ''
together fifo+tlb $small
together srrip+tlb $small
together stride+tlb $small
together victim+tlb "victim-lines=1,$small"
together nowa+tlb $small
together fpj+nru+tlb "table=4,$small"
together srrip+nextline+tlb "degree=3,$small"

# ---- in a run: what each counts by itself, both count together ----

QUERN_FLAGS="-q --D1=4096,4,64 --LL=65536,8,64 --sim-opt=tlb-entries=8,tlb-ways=2"
counts() { # MODULES EVENTS: totals of the profile
    # shellcheck disable=SC2086
    "$QUERN" run $QUERN_FLAGS --sim=D1="$1" --check --out-file="$SCRATCH/profile" -- "$QUERN" sim list >/dev/null 2>"$SCRATCH/err" || cat "$SCRATCH/err"
    awk -v names="$2" '/^events:/ { for (i = 2; i <= NF; i++) at[$i] = i } /^summary:/ { n = split(names, name, ",")
        for (i = 1; i <= n; i++) printf "%s%s", (i > 1 ? " " : ""), $(at[name[i]]) }' "$SCRATCH/profile"
}
caches=D1mr,D1mw,DLmr buffers=D1.dtlb-misses,D1.stlb-misses,Ir
lru=$(counts lru $caches) srrip=$(counts srrip $caches) tlb=$(counts tlb $buffers)
ok 'the counts differ by policy, and are counts' sh -c "[ '$lru' != '$srrip' ] && [ '${lru%% *}' -gt 0 ] && [ '${tlb%% *}' -gt 0 ]"
is "$(counts lru+tlb $caches)" "$lru" 'lru+tlb: the misses of lru'
is "$(counts srrip+tlb $caches)" "$srrip" 'srrip+tlb: the misses of srrip'
is "$(counts srrip+tlb $buffers)" "$tlb" '... and the pages of tlb'
is "$(counts lru+stride D1.prefetches,D1.useful-prefetches,D1mr)" "$(counts stride D1.prefetches,D1.useful-prefetches,D1mr)" 'lru+stride is stride'
"$QUERN" trace -o "$SCRATCH/real" -- /bin/true || bail 'cannot trace'
for modules in srrip+stride+tlb fifo+fpj stride+tlb victim+tlb; do
    "$QUERN" run -q --sim=D1=$modules --D1=2048,2,64 --LL=65536,8,64 --out-file="$SCRATCH/profile" /bin/true
    "$QUERN" replay --sim=D1=$modules --D1=2048,2,64 --LL=65536,8,64 --tables="$SCRATCH/replay" "$SCRATCH/real" >/dev/null 2>&1
    for side in run replay; do
        if [ $side = run ]; then file=$SCRATCH/profile.totals.csv; else file=$SCRATCH/replay.totals.csv; fi
        grep -o 'D1[.,][a-z0-9-]*-[a-z]*,[0-9]*\|D1,[a-z-]*,[0-9]*' "$file" | sort >"$SCRATCH/$side.events"
    done
    is "$(cat "$SCRATCH/run.events")" "$(cat "$SCRATCH/replay.events")" "$modules: run and replay count the same"
    ok '... and something' test -s "$SCRATCH/run.events"
done

# ---- any order, other slots, one's own file, its name in a profile ----

# shellcheck disable=SC2086
"$QUERN" run $QUERN_FLAGS --sim=D1=tlb+srrip --out-file="$SCRATCH/other" /bin/true
ok 'the profile names both' grep -q '^desc: Modules: .* D1=tlb+srrip:[0-9a-f]\{16\} ' "$SCRATCH/other"
"$QUERN" run -q --sim=LL=srrip+nextline+I1=fifo+stride,BC=gshare --out-file="$SCRATCH/other" /bin/true
ok 'at the LL and the I1, too' grep -q 'I1=fifo+stride:[0-9a-f]* D1=lru LL=srrip+nextline:[0-9a-f]* BC=gshare' "$SCRATCH/other"
"$QUERN" run -q --L2=65536,8,64 --LL=1048576,8,64 --sim=L2=srrip+stride --out-file="$SCRATCH/other" /bin/true
ok 'at the L2' grep -q '^event: L2.prefetches\|^events:.* L2.prefetches' "$SCRATCH/other"
sed 's/"srrip"/"mine"/' "$top_srcdir/lib/sim/policy/srrip.c" | sed 's/^static void policy_fill.*/static void policy_fill(unsigned set, unsigned way)\n{\n    static volatile unsigned zero;\n    way_state(set, way) = 2 \/ zero;\n}/' >"$SCRATCH/mine.c"
line=$(grep -n '/ zero' "$SCRATCH/mine.c" | cut -d: -f1)
for tool in run replay; do
    case $tool in run) what=/bin/true ;; *) what=$SCRATCH/real ;; esac
    "$QUERN" $tool --sim=D1="$SCRATCH/mine.c+stride" "$what" >"$SCRATCH/out" 2>"$SCRATCH/err"
    is "$? $(grep -c "module mine+stride in slot D1, policy_fill, .*: crashed: a division by zero.*, at .*mine.c:$line" "$SCRATCH/err")" '70 1' \
        "$tool: a mistake in one of two is at its file and line" || cat "$SCRATCH/err"
done

# ---- what does not go together ----

# refused MODULES TEXT
refused() {
    "$QUERN" run -q --sim="$1" --out-file="$SCRATCH/other" /bin/true 2>"$SCRATCH/err"
    status=$?
    is "$(sed 's/^quern: run: //' "$SCRATCH/err")" "$2" "$1 is refused"
    ok '... with a status that says so' test $status -ne 0
}
refused D1=nowa+stride 'D1=nowa+stride: nowa.c is a whole level, which brings in its lines itself: a prefetcher needs a policy, or nothing, before it'
refused D1=fpj+stride 'D1=fpj+stride: stride.c is one too many: a slot has one cache, and one prefetcher and one module beside it at most'
refused D1=srrip+lru '--sim=lru: slot D1 has srrip already; `+` joins a policy, a prefetcher and tlb'
refused LL=srrip+tlb 'module tlb in slot LL, LEVEL_SLOTS, reference 0: is not for this slot, only for I1 D1'
refused LL=exclusive,I1=lru,D1=srrip+stride 'module exclusive in slot LL, init, reference 0: cannot stand below D1=srrip+stride, which does not tell which lines it gives up; any policy by name does, as D1=lru'
HOME=/nonexistent refused D1=srrip+stride 'D1=srrip+stride: needs a folder that quern may keep files in: $XDG_CACHE_HOME/quern or ~/.cache/quern'

# ---- every policy that ships with every prefetcher, every level with what stands beside it: no name clashes ----

compiles() {
    for part in "$@"; do echo "#include \"$part\""; done >"$SCRATCH/pair.c"
    $CC -std=gnu11 -Wall -Wextra -Werror -fsyntax-only -I"$top_srcdir/lib" -I"$top_srcdir" -DQN_SIM_HOSTED=1 -DQN_SLOT=D1 -DQN_SLOT_FILE="\"$SCRATCH/pair.c\"" \
        "$top_srcdir/lib/sim/unit.c"
}
cd "$top_srcdir/lib" || bail 'no lib'
all_pairs() {
    for prefetcher in $(grep -l '#define PREFETCHER "' sim/prefetch/*.c); do
        for policy in sim/policy/*.c; do
            compiles "$policy" "$prefetcher" sim/level/tlb.c || { echo "$policy $prefetcher"; return 1; }
        done
    done
    for level in $(grep -l '#define LEVEL "' sim/level/*.c sim/array/*.c sim/prefetch/*.c); do
        compiles "$level" sim/level/tlb.c || { echo "$level"; return 1; }
    done
}
ok 'all pairs compile, without a warning' all_pairs
done_testing
