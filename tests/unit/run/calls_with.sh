#!/bin/sh
# quern run --calls beside --check and --versus: are the costs of calls those of a run without, and those of the second simulator alone?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

programs='recursion sort hash strings'
caches='--I1=1024,2,64 --D1=1024,2,64 --LL=16384,4,64'

# calls_of PROGRAM OPTIONS...: calls and their costs, in ./profile
calls_of() {
    guest=$top_builddir/tests/guest/$1
    shift
    [ -x "$guest" ] || bail "no $guest: make guests"
    # shellcheck disable=SC2086
    "$QUERN" run -q $caches --branch-sim=yes --out-file=profile "$@" -- "$guest" >/dev/null 2>log || bail "$guest fails with $*"
}

rows() { grep -E '^#(fn|edge|inclusive|node): ' profile; }

# columns EVENT...: of each edge and function the counts of these events
columns() {
    awk -v events="$*" '
        /^#call-events: / { for (i = 2; i <= NF; i++) at[$i] = i - 2; n = split(events, wanted, " ") }
        /^#edge: / { row($0, 6); next }
        /^#inclusive: / { row($0, 3); next }
        function row(line, first,   w, i, text) {
            split(line, w, " ")
            text = w[1]
            for (i = 2; i < first; i++) text = text " " w[i]
            for (i = 1; i <= n; i++) text = text " " w[first + at[wanted[i]]]
            print text
        }' profile
}

for program in $programs; do
    calls_of "$program" --calls=paths
    rows >wanted
    calls_of "$program" --calls=paths --check
    rows >got
    is "$(cat got)" "$(cat wanted)" "$program: --check changes none of $(wc -l <wanted) rows"
    calls_of "$program" --calls=yes
    columns Ir D1mr Bcm >wanted
    calls_of "$program" --calls=yes --versus=I1=fifo,D1=fifo,BC=gshare
    columns Ir D1mr Bcm >got
    is "$(cat got)" "$(cat wanted)" "$program: --versus changes no cost of A"
    columns Ir B.I1mr B.D1mr B.DLmr B.D1mw B.Bcm >got
    calls_of "$program" --calls=yes --sim=I1=fifo,D1=fifo,BC=gshare
    columns Ir I1mr D1mr DLmr D1mw Bcm >wanted
    is "$(cat got)" "$(cat wanted)" "$program: those of B are those of a run with it, $(awk '/^#edge/ { n += $7 + $8 } END { print n }' wanted) misses"
done
done_testing
