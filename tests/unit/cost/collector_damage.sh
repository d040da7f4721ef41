#!/bin/sh
# A guest may scribble over the arena, and debug information may be damaged: neither harms the collector.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/unit/cost/fake/fake.sh"

rounds=60
bad= unsound=0 profiles=0
for seed in $(seq $rounds); do
    fake --branch-sim=yes --stats=yes true block 5 damage "$seed" exit 5
    case $status in
    5 | 70 | 126 | 127) ;;
    *) bad="$bad seed $seed: status $status;" ;;
    esac
    [ -s "$(echo cachegrind.out.*)" ] || continue
    profiles=$((profiles + 1))
    awk '/^[0-9]/ { for (i = 2; i <= NF; i++) sum[i] += $i }
         /^summary:/ { for (i = 2; i <= NF; i++) if ($i != sum[i]) exit 1; found = 1 }
         END { exit !found }' cachegrind.out.* || unsound=$((unsound + 1))
done
is "$bad" '' "$rounds damaged arenas: quern always ends in order"
is "$unsound" 0 "and what it wrote ($profiles profiles) adds up"

# The program's debug information, one byte in 40 changed at random; it still runs, only its names suffer.
sound=$FAKE
rounds=20
bad= noisy=0
for seed in $(seq $rounds); do
    FAKE=$SCRATCH/damaged-engine
    for section in .debug_info .debug_line .debug_abbrev .debug_line_str .symtab .strtab; do
        readelf -SW "$sound" | awk -v s=$section '{ sub(/^ *\[ *[0-9]+\] */, "") } $1 == s { print "0x" $4, "0x" $5 }'
    done >"$SCRATCH/sections"
    cp "$sound" "$FAKE"
    while read -r offset size; do
        od -An -v -t u1 -w1 -j $((offset)) -N $((size)) "$sound" |
            awk -v seed=$((seed * 1000003 + size)) 'BEGIN { srand(seed) }
                { printf "%c", rand() < 1 / 40 ? int(rand() * 256) : $1 + 0 }' |
            dd of="$FAKE" bs=4096 oflag=seek_bytes seek=$((offset)) conv=notrunc status=none
    done <"$SCRATCH/sections"
    fake -q true block 5 exit 5
    [ "$status" = 5 ] || bad="$bad seed $seed: status $status;"
    [ "$(sed -n 's/^summary: \([0-9]*\).*/\1/p' cachegrind.out.* 2>/dev/null)" = 15 ] || bad="$bad seed $seed: counts;"
    [ "$(lines "$SCRATCH/err")" -le 1 ] || noisy=$((noisy + 1))
done
is "$bad" '' "$rounds programs with damaged debug information: every count is there"
is "$noisy" 0 'with one warning at most'

# The process that reads debug information dies.
FAKE=$sound
fresh
"$QUERN" run -q --sim="$FAKE" true block 5 handler 15 print ready pause exit 5 >"$SCRATCH/out" 2>"$SCRATCH/err" &
quern=$!
wait_for grep -q ready "$SCRATCH/out"
kill_reader() {
    for child in $(cat "/proc/$quern/task/$quern/children"); do
        [ "$(readlink "/proc/$child/exe")" = "$(readlink "/proc/$quern/exe")" ] && kill -9 "$child" && return
    done
    return 1
}
ok 'the reader was there to be killed' wait_for kill_reader
kill -TERM $quern
wait $quern
is $? 5 'without it the run ends as ever'
is "$(sed -n 's/^fn=//p;s/^summary: \([0-9]*\).*/\1/p' cachegrind.out.*)" 'landmark
15' 'and its profile has counts and names'

done_testing
