#!/bin/sh
# Whatever stands in an input, is there a picture or one line that says why not, never a crash and never half a picture?
# Each golden input is corrupted at random: bytes changed, lines lost, doubled, cut off.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

golden=$top_srcdir/tests/golden/plot
LC_ALL=C
export LC_ALL
mkdir nothing in out
rounds=${ROUNDS:-12}

# corrupt FILE SEED
corrupt() {
    awk -v seed="$2" '
        function random(n) { seed = (seed * 1103515245 + 12345) % 2147483648; return int(seed / 65536) % n }
        BEGIN { for (i = 0; i < 7; i++) random(2); signs = "0189,.-:=#\"\047 xeN/%" }
        { line[NR] = $0 }
        END {
            for (k = 1 + random(3); k > 0; k--) {
                i = 1 + random(NR)
                what = random(6)
                if (what == 0) line[i] = ""
                else if (what == 1) line[i] = line[i] "\n" line[1 + random(NR)]
                else if (what == 2) last = i
                else if (what == 3) line[i] = substr(line[i], 1, random(length(line[i]) + 1))
                else {
                    at = 1 + random(length(line[i]) + 1)
                    line[i] = substr(line[i], 1, at - 1) substr(signs, 1 + random(length(signs)), 1 + random(2)) substr(line[i], at + random(3))
                }
            }
            for (i = 1; i <= (last ? last : NR); i++) print line[i]
        }' "$1"
}

seed=$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')
diag "seed $seed"
for command in "$golden"/*.kind; do
    name=$(basename "$command" .kind)
    drawn=0
    refused=0
    wrong=
    round=0
    while [ $round -lt "$rounds" ]; do
        round=$((round + 1))
        seed=$((seed + 1))
        cp "$golden"/in/* in/
        victim=$(sed 's/^[a-z]* *//; s/ *--.*//' "$command" | tr ' ' '\n' | awk -v n="$seed" '{ f[NR] = $0 } END { print f[1 + n % NR] }')
        corrupt "$golden/$victim" $seed >"$victim"
        # shellcheck disable=SC2046
        PATH=$SCRATCH/nothing "$QUERN" plot $(cat "$command") -o out/x.svg >stdout 2>stderr
        status=$?
        ! grep -q 'there is no gnuplot here' stderr || status=drawn
        case $status in
        drawn)
            drawn=$((drawn + 1))
            [ "$(ls -A out | tr '\n' ' ')" = 'x.csv x.gp ' ] || wrong="$wrong $seed:files"
            ;;
        1)
            refused=$((refused + 1))
            [ -z "$(ls -A out)" ] || wrong="$wrong $seed:files"
            ;;
        *) wrong="$wrong $seed:status-$status" ;;
        esac
        # a summary that does not fit its profile is told in three lines, as by all readers
        [ "$(grep -vc '^- [a-z]*:' stderr)" -eq 1 ] && [ ! -s stdout ] || wrong="$wrong $seed:lines"
        rm -f out/*
    done
    is "$wrong" '' "$name: $drawn drawn, $refused refused"
done
done_testing
