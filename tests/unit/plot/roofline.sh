#!/bin/sh
# Are roof and points of a roofline what follows by hand from a profile and a machine, and are those that lack something refused in one line?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

mkdir nothing
plot() { (PATH=$SCRATCH/nothing; export PATH; exec "$QUERN" plot roofline "$@" 2>err); } # without gnuplot
refused() { # STATUS LINE ARGUMENTS...
    wanted="$1: quern plot: $2"
    shift 2
    plot "$@" -o no.svg
    is "$?: $(head -n 1 err)" "$wanted" "refused: $wanted"
}
machine() { # CORE MEMORY
    cat <<END
cache I1 { size = 32K  ways = 8  line = 64 }
cache D1 { size = 32K  ways = 8  line = 64  latency = 2 }
cache LL { size = 1M   ways = 16 line = 64  latency = 12 }
core { width = 2  mispredict = 0 $1 }
memory { latency = 100 $2 }
END
}
machine 'clock = 1000' 'bandwidth = 500' >m.machine
machine '' 'bandwidth = 500' >clockless.machine

# 2 * 1000 million instructions a second at most, 500 million bytes: the ridge is at 4.  Cycles: Ir / 2 + 10 for each miss of level 1 + 88 for each of
# the LL (a hit of the D1 costs nothing beyond its instruction).
profile() { # COUNTS OF far() COUNTS OF near() SUMMARY
    printf 'desc: LL cache:         1048576 B, 64 B, 16-way associative\ncmd: ./prog\nevents: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw LL.fills LL.writebacks\n'
    printf 'fl=a.c\nfn=far\n1 %s\nfn=near\n2 %s\nsummary: %s\n' "$1" "$2" "$3"
}
profile '1000 0 0 100 10 10 0 0 0 10 6' '3000 0 0 0 0 0 0 0 0 0 0' '4000 0 0 100 10 10 0 0 0 10 6' >one
profile '64000 0 0 0 0 0 0 0 0 1 0' '64000 0 0 0 0 0 0 0 0 1 0' '128000 0 0 0 0 0 0 0 0 2 0' >two

plot one two --machine=./m.machine -o all.svg
# one: 4000 / (16 * 64) = 3.90625; cycles 2000 + 100 + 880 = 2980.  two: 128000 / 128 = 1000; 64000 cycles
is "$(cat all.csv)" 'intensity,roof,one,two
0.976562,4.88281e+08,,
3.90625,1.95312e+09,1.34228e+09,
4,2e+09,,
1000,2e+09,,2e+09
4000,2e+09,,' 'two profiles'
plot one --machine=./m.machine -o one.svg
# far alone: 1000 / 1024; cycles 500 + 100 + 880.  near has no traffic.
is "$(cat one.csv)" 'intensity,roof,far,one
0.244141,1.2207e+08,,
0.976562,4.88281e+08,6.75676e+08,
3.90625,1.95312e+09,,1.34228e+09
4,2e+09,,
16,2e+09,,' 'a profile and its functions; one without traffic has no point'
ok 'axes are logarithmic' grep -q 'set logscale y' one.gp
ok 'the roof is a line' grep -q "using 1:.* with lines linestyle 5 title 'roof'" one.gp
ok 'its numbers are named' grep -q '2000 million instructions and 500 million bytes a second' one.gp

# ---- a run ----
guest=$top_builddir/tests/guest/sieve
[ -x "$guest" ] || bail "there is no $guest: make guests"
"$QUERN" run --D1=1024,2,64 --LL=4096,4,64 --sim=D1=writeback --out-file=run "$guest" 2>err || bail 'no run'
said=$(sed -n 's/.*LL\.intensity *\([0-9.]*\) .*/\1/p' err)
plot run --machine=skylake -o run.svg
is "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "run") at = i } NR > 1 && $at != "" { printf "%.3f", $1 }' run.csv | cut -c 1-5)" \
    "$(echo "$said" | cut -c 1-5)" 'of a run: the intensity is that of its summary'

# ---- refused ----
grep -v desc one | sed 's/ LL.fills LL.writebacks//; s/ [0-9]* [0-9]*$//' >plain
refused 1 'plain: events: got no LL.fills and LL.writebacks, wanted a profile of a run with --sim=D1=writeback' plain --machine=./m.machine
refused 2 "--machine: got './clockless.machine', wanted a machine whose file has core { width, clock } and memory { latency, bandwidth }" one --machine=./clockless.machine
# shellcheck disable=SC2016 # as it is printed
refused 2 'roofline: wanted --machine=NAME; `quern plot --help` describes it' one
done_testing
