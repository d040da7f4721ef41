#!/bin/sh
# bench.sh - what does quern cost?  CPU time over native of a dozen programs, and what /bin/true takes.
#
#   sh tests/perf/bench.sh                     native and quern: run only, Ir, caches, caches and branches
#   sh tests/perf/bench.sh --oracles           Valgrind and Cachegrind too (slow: about ten minutes a round)
#   sh tests/perf/bench.sh -n 5 -o RESULT      five rounds, the table also into a file
#   sh tests/perf/bench.sh -w 'perl sort'      these workloads only (true: start-up)
#   sh tests/perf/bench.sh -m 'native caches'  these modes only (what there is: --list)
#   sh tests/perf/bench.sh -s 20               a fifth of the work, for a quick look
#
# in:   QUERN (else build/quern), CC (else gcc); programs that are not installed are left out and named.
# out:  a table: seconds native, then for each mode times native; geometric means; microseconds of translation per
#       block; milliseconds for /bin/true.  Status 0 however slow it was: this is a measurement, not a test.
#
# CPU time is user and system time of the program and its helpers (cpu.c).  Rounds are interleaved: each workload
# runs in every mode before the next one does, so that a machine that slows down slows all of them.  Of the rounds
# the minimum counts: what disturbs a run only ever makes it longer.  The same cache geometry is given to everyone.
# What a mode prints is compared with what the program prints natively; if it differs the table says "wrong".
set -u

top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
folder=$top_srcdir/tests/perf
quern=${QUERN:-$top_srcdir/build/quern}
geometry='--I1=32768,8,64 --D1=32768,8,64 --LL=8388608,16,64'
all_workloads='cc1 python3 perl lua gawk sqlite3 gzip bzip2 xz zstd matmul chase sort openssl'
quern_modes='native run-only Ir caches branches'
oracle_modes='none cg-Ir cg-caches cg-branches'
modes=$quern_modes
workloads="$all_workloads true"
rounds=3
scale=100 # per cent
result=

usage() {
    sed -n '2,/^# in:/s/^# \{0,1\}//p' "$0" | sed '$d'
    exit "$1"
}

while [ $# -gt 0 ]; do
    case $1 in
    -n) rounds=$2 && shift ;;
    -o) result=$2 && shift ;;
    -w) workloads=$2 && shift ;;
    -m) modes=$2 && shift ;;
    -s) scale=$2 && shift ;;
    --oracles) modes="$quern_modes $oracle_modes" ;;
    --list) echo "workloads: $all_workloads true" && echo "modes: $quern_modes $oracle_modes" && exit 0 ;;
    -h | --help) usage 0 ;;
    *) usage 2 >&2 ;;
    esac
    shift
done

work=$(mktemp -d "${TMPDIR:-/tmp}/quern-bench.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
LC_ALL=C
PYTHONHASHSEED=0
# The AVX2 way of SHA-256: no SHA instructions, no AVX-512, so that Valgrind runs the same code.
OPENSSL_ia32cap='~0x0:~0xf0230000'
XDG_CACHE_HOME=$work/cache # not the user's; what is kept there after the first run is part of the machine, like the debug files
export LC_ALL PYTHONHASHSEED OPENSSL_ia32cap XDG_CACHE_HOME
cd "$work" || exit 1

# scaled N: N times the scale, at least 1.
scaled() { echo $((($1 * scale + 99) / 100)); }

# prepare: everything that the workloads read.  Sizes make each about a second native on a Zen 4.
prepare() {
    for program in cpu matmul chase; do
        ${CC:-gcc} -O2 -g -o $program "$folder/$program.c" || exit 1
    done
    awk -v functions="$(scaled 40)" -f "$folder/source.awk" >source.c
    awk -v lines="$(scaled 160000)" -f "$folder/input.awk" >log
    awk -v lines="$(scaled 30000)" -f "$folder/input.awk" >short-log
    cat log log >long-log
    cat long-log long-log long-log long-log >longest-log
    head -c 67108864 /dev/zero | tr '\0' q >noise
    for program in python3.py perl.pl lua.lua gawk.awk; do
        cp "$folder/workloads/$program" .
    done
    sed "s/ROWS/$(scaled 600000)/" "$folder/workloads/sqlite3.sql" >sqlite3.sql
}

# command_of WORKLOAD: the command line, on one line; empty: not installed.
command_of() {
    case $1 in
    cc1) program=$(${CC:-gcc} -print-prog-name=cc1) arguments='-quiet -O2 source.c -o /dev/stdout' ;;
    python3) program=/usr/bin/python3 arguments="-S python3.py $(scaled 60)" ;;
    perl) program=perl arguments="perl.pl $(scaled 2500000)" ;;
    lua) program=lua5.4 arguments="lua.lua $(scaled 80)" ;;
    gawk) program=gawk arguments='-f gawk.awk log' ;;
    sqlite3) program=sqlite3 arguments=":memory: -init sqlite3.sql .exit" ;;
    gzip) program=gzip arguments='-9nc log' ;;
    bzip2) program=bzip2 arguments='-9c long-log' ;;
    xz) program=xz arguments='-T1 -6 -c short-log' ;;
    zstd) program=zstd arguments='-q --single-thread -11 -c long-log' ;;
    matmul) program=./matmul arguments=$(scaled 40) ;;
    chase) program=./chase arguments=$(scaled 8000000) ;;
    sort) program=sort arguments='--parallel=1 -S 200M -k 3 longest-log' ;;
    openssl) program=openssl arguments="dgst -sha256 $(yes noise | head -n "$(scaled 10)" | tr '\n' ' ')" ;;
    true) program=/bin/true arguments= ;;
    esac
    command -v "$program" >/dev/null && echo "$(command -v "$program") $arguments"
}

# prefix_of MODE: what goes before the command; empty: nothing of that kind installed.
prefix_of() {
    under_quern="$quern run -q --stats=yes --log-file=stats --out-file=profile $geometry"
    under_valgrind="valgrind -q --vgdb=no"
    under_cachegrind="valgrind -q --vgdb=no --tool=cachegrind --cachegrind-out-file=profile $geometry"
    case $1 in
    native) echo env ;;
    run-only) echo "$under_quern --instr-at-start=no --" ;;
    Ir) echo "$under_quern --cache-sim=no --" ;;
    caches) echo "$under_quern --" ;;
    branches) echo "$under_quern --branch-sim=yes --" ;;
    none) command -v valgrind >/dev/null && echo "$under_valgrind --tool=none" ;;
    cg-Ir) command -v valgrind >/dev/null && echo "$under_cachegrind --cache-sim=no" ;;
    cg-caches) command -v valgrind >/dev/null && echo "$under_cachegrind --cache-sim=yes" ;;
    cg-branches) command -v valgrind >/dev/null && echo "$under_cachegrind --cache-sim=yes --branch-sim=yes" ;;
    *) echo "no such mode: $1" >&2 && exit 2 ;;
    esac
}

# measure WORKLOAD MODE TIMES: appends to $work/times: workload mode CPU wall right|wrong.
measure() {
    before=$(prefix_of "$2")
    command=$(command_of "$1")
    if [ -z "$before" ] || [ -z "$command" ]; then
        return
    fi
    rm -f record stats
    set -f
    # shellcheck disable=SC2086 # words are wanted, patterns are not
    for turn in $(seq "$3"); do
        ./cpu record $before $command >output 2>errors </dev/null
    done
    set +f
    cksum <output >"sum.$2"
    [ "$2" = native ] && cp sum.native "native.$1"
    right=right
    [ ! -f "native.$1" ] || cmp -s "native.$1" "sum.$2" || right=wrong
    awk -v workload="$1" -v mode="$2" -v right="$right" '
        { cpu += $1; wall += $2; if ($3 != 0) right = "wrong" }
        END { print workload, mode, cpu / NR, wall / NR, right }' record >>times
    [ "$2" = native ] || [ ! -f stats ] || awk -v workload="$1" -v mode="$2" '
        /translation:/ { for (i = 2; i <= NF; i++) if ($i == "us") print workload, mode, $(i - 1) }' \
        stats >>translation
    progress "$1 $2: $(tail -n 1 times)"
}

progress() { [ ! -t 2 ] || printf '%s\n' "$*" >&2; }

# table: the best of the rounds, as ratios.
table() {
    processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
    echo "quern: CPU time, times native; $(uname -m), $processor; best of $rounds"
    echo "geometry: $geometry"
    [ "$scale" = 100 ] || echo "scale: $scale per cent of the work"
    : >>translation
    awk -v modes="$modes" -v workloads="$workloads" '
    FILENAME == "times" {
        key = $1 SUBSEP $2
        if (!(key in cpu) || $3 < cpu[key]) cpu[key] = $3
        if (!(key in wall) || $4 < wall[key]) wall[key] = $4
        if ($5 == "wrong") wrong[key] = 1
        next
    }
    { key = $1 SUBSEP $2; if (!(key in each) || $3 < each[key]) each[key] = $3 }
    # times(THEIRS, OURS): how much faster, over the workloads that both ran.
    function times(theirs, ours,    j, w, logs, counted) {
        for (j = 1; j <= m; j++) {
            w = workload[j]
            if (w == "true" || (w, theirs) in wrong || (w, ours) in wrong) continue
            if (!((w, theirs) in cpu) || !((w, ours) in cpu)) continue
            logs += log(cpu[w, theirs] / cpu[w, ours])
            counted++
        }
        if (counted) printf "%s / %s: %.2f\n", theirs, ours, exp(logs / counted)
    }
    function milliseconds(time, of) { return ("true", of) in time ? sprintf("%.1f", time["true", of] / 1e3) : "-" }
    function cell(text) { printf "%12s", text }
    END {
        n = split(modes, mode, " ")
        m = split(workloads, workload, " ")
        printf "\n%-10s", ""
        for (i = 1; i <= n; i++) cell(mode[i] == "native" ? "native s" : mode[i])
        print ""
        for (j = 1; j <= m; j++) {
            w = workload[j]
            if (w == "true" || !((w, "native") in cpu)) continue
            printf "%-10s", w
            for (i = 1; i <= n; i++) {
                if (!((w, mode[i]) in cpu)) { cell("-"); continue }
                if (mode[i] == "native") { cell(sprintf("%.2f", cpu[w, "native"] / 1e6)); continue }
                if ((w, mode[i]) in wrong) { cell("wrong"); incomplete[i] = "*"; continue }
                ratio = cpu[w, mode[i]] / cpu[w, "native"]
                logs[i] += log(ratio)
                counted[i]++
                cell(sprintf("%.2f", ratio))
            }
            print ""
        }
        printf "%-10s", "geo. mean"
        for (i = 1; i <= n; i++) cell(counted[i] ? sprintf("%s%.2f", incomplete[i], exp(logs[i] / counted[i])) : "")
        print ""
        for (i = 1; i <= n; i++) if (incomplete[i]) { print "* of those that were right"; break }
        times("none", "run-only"); times("cg-Ir", "Ir")
        times("cg-caches", "caches"); times("cg-branches", "branches")
        print "\ntranslation, microseconds per block"
        for (j = 1; j <= m; j++) {
            w = workload[j]
            line = sprintf("%-10s", w)
            any = 0
            for (i = 1; i <= n; i++) {
                any += (w, mode[i]) in each
                line = line sprintf("%12s", (w, mode[i]) in each ? sprintf("%.2f", each[w, mode[i]]) : "")
            }
            if (any) print line
        }
        if (("true", "native") in cpu) {
            printf "\n%-10s\n%-10s", "/bin/true, milliseconds", "CPU"
            for (i = 1; i <= n; i++) cell(milliseconds(cpu, mode[i]))
            printf "\n%-10s", "elapsed"
            for (i = 1; i <= n; i++) cell(milliseconds(wall, mode[i]))
            print ""
        }
    }' times translation
    for workload in $workloads; do
        [ -n "$(command_of "$workload")" ] || echo "not installed: $workload"
    done
}

[ -x "$quern" ] || { echo "bench.sh: there is no $quern; QUERN=... says where" >&2; exit 2; }
prepare
: >times
for round in $(seq "$rounds"); do
    for workload in $workloads; do
        for mode in $modes; do
            case $workload in
            true) measure true "$mode" 20 ;;
            *) measure "$workload" "$mode" 1 ;;
            esac
        done
    done
done
table >table
cat table
[ -z "$result" ] || { cd "$OLDPWD" && cp "$work/table" "$result"; }
