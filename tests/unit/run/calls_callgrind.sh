#!/bin/sh
# quern run --calls: are calls and inclusive instructions of each caller and callee those that Callgrind counts?
#
# The programs are those of tests/guest, which need neither a dynamic linker nor functions that are chosen by the processor: what they execute
# depends on nothing but themselves.  (Of other programs the string functions take other ways where a string lies at the end of a page.)
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

programs='branches calls chase conflict float footprint hash loops matmul recursion sort stack strings switch'
geometry='--I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64'
command -v valgrind >/dev/null || absent_all 'valgrind is not installed' $((2 * $(echo "$programs" | wc -w)))

# Both print: CALLER<tab>CALLEE calls Ir, sorted.
of_quern() {
    awk -F'\t' '/^#fn: / { name[n++] = $2 }
        /^#edge: / { split($0, w, " "); key = name[w[2]] "\t" name[w[4]]; c[key] += w[5]; i[key] += w[6] }
        END { for (key in c) print key, c[key], i[key] }' "$1" | LC_ALL=C sort
}

# Names are "(7) main" where they come up first, then "(7)"; the line behind calls= has the costs.
of_callgrind() {
    awk 'function name(text,   id) {
            id = text
            sub(/ .*/, "", id)
            if (text != id) known[id] = substr(text, length(id) + 2)
            return id in known ? known[id] : text
        }
        /^fn=/ { caller = name(substr($0, 4)) }
        /^cfn=/ { callee = name(substr($0, 5)) }
        calls { key = caller "\t" callee; gsub(/\047[0-9]+/, "", key); c[key] += calls; i[key] += $2; calls = 0; next }
        /^calls=/ { calls = substr($1, 7) }
        END { for (key in c) print key, c[key], i[key] }' "$1" | LC_ALL=C sort
}

for program in $programs; do
    guest=$top_builddir/tests/guest/$program
    [ -x "$guest" ] || bail "no $guest: make guests"
    # shellcheck disable=SC2086
    "$QUERN" run -q --counting=cachegrind $geometry --calls=yes --out-file=quern -- "$guest" >/dev/null || bail "$program fails"
    # shellcheck disable=SC2086
    valgrind -q --tool=callgrind --vex-guest-chase=no --vex-iropt-level=0 $geometry --callgrind-out-file=callgrind "$guest" >/dev/null 2>log ||
        bail "$program fails under Callgrind"
    of_quern quern >got
    of_callgrind callgrind >wanted
    is "$(cat got)" "$(cat wanted)" "$program: $(wc -l <wanted) edges, $(awk '{ n += $(NF - 1) } END { print n + 0 }' wanted) calls"
done

# Most calls are counted by code in assembly (emit/calls.c), but not with contexts: all events have to be the same.
calls_of() {
    # shellcheck disable=SC2086
    "$QUERN" run -q --branch-sim=yes --D1=1024,2,64 --calls="$1" --out-file=quern -- "$top_builddir/tests/guest/$2" >/dev/null || bail "$2 fails"
    grep -E '^#(fn|edge|inclusive): ' quern
}
for program in $programs; do
    calls_of yes "$program" >got
    calls_of paths "$program" >wanted
    is "$(cat got)" "$(cat wanted)" "$program: with and without contexts, all events of $(grep -c '^#edge' got) edges"
done
done_testing
