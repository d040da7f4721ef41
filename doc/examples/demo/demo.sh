#!/bin/sh
# demo.sh - profiles demo.c and shows its two loops; `./bootstrap demo` ends with this.
#
#   sh doc/examples/demo/demo.sh [FOLDER]       what it makes goes to FOLDER (build/demo); QUERN: the command (build/quern, or else quern)
set -u
folder=${1:-build/demo}
quern=${QUERN:-build/quern}
[ -x "$quern" ] || quern=quern

fail() {
    echo "demo.sh: $*" >&2
    exit 1
}

mkdir -p "$folder" || exit 1
gcc -g -O1 -o "$folder/demo" "$(dirname "$0")/demo.c" || fail 'gcc cannot compile demo.c'
"$quern" run --I1=32768,8,64 --D1=8192,2,64 --LL=1048576,16,64 --log-file="$folder/summary.txt" --out-file="$folder/demo.out" \
    -- "$folder/demo" >/dev/null || fail "quern run failed: $(tail -n 1 "$folder/summary.txt")"
"$quern" annotate --show=Ir,Dr,D1mr,DLmr "$folder/demo.out" >"$folder/annotated.txt" || fail 'quern annotate failed'

cat <<END

demo.c multiplies two matrices twice, in two loop orders. In a D1 of 8 KiB with
2 ways and lines of 64 bytes, the two inner loops have these data reads (Dr) and
read misses (D1mr):

            Dr          D1mr
$("$quern" annotate --show=Dr,D1mr --no-show-percs "$folder/demo.out" |
    awk '/ (sum \+= a\[i\]\[k\]|c\[i\]\[j\] \+= factor)/ { printf "%14s%14s", $1, $2; sub(/^[^a-z]*/, ""); print "    " $0 }')

They read as much, but the first walks down a column of b, where each step is on
another line of memory, and so it misses eight times as often.

The whole listing is in $folder/annotated.txt. Next, try

    $quern report --D1=8192,2,64 -o $folder/report $folder/demo
    $quern page -o $folder/page.html $folder/demo.out
END
