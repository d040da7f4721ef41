#!/bin/sh
# Can rows be sorted by estimated cycles and their parts, and does the threshold mean a part of these?  Worked out by hand.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

# cycles (Ir + 10 D1 + 100 LL + 10 Bcm):  few 100 + 0 + 9000 + 0 = 9100;  many 5000;  data 200 + 4000 + 0 + 0 = 4200;  toss 100 + 1500 = 1600
cat >profile <<'END'
cmd: ./x
events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim
fl=x.c
fn=many
1 5000 0 0 10 0 0 0 0 0 0 0 0 0
fn=few
2 100 0 0 90 0 90 0 0 0 0 0 0 0
fn=data
3 200 0 0 500 400 0 0 0 0 0 0 0 0
fn=toss
4 100 0 0 0 0 0 0 0 0 500 150 0 0
summary: 5400 0 0 600 400 90 0 0 0 500 150 0 0
END
# order OPTIONS...: functions as annotate has them
order() {
    "$QUERN" annotate --no-annotate --by=function --color=never "$@" profile 2>err | sed '1,/^-- Function summary/d' | grep -o 'many\|few\|data\|toss' | tr '\n' ' '
    cat err
}
is "$(order --threshold=0)" 'many data few toss ' 'by instructions'
is "$(order --threshold=0 --sort=cycles)" 'few many data toss ' 'by estimated cycles: 9100 5000 4200 1600'
is "$(order --threshold=20 --sort=cycles)" 'few many data ' '... from 20% of 19900 on'
is "$(order --threshold=0 --sort=cycles --timing=LL=1)" 'many data toss few ' '... with another timing: 5000 4200 1600 190'
is "$(order --threshold=0.1 --sort=cycles.D1)" 'data ' 'by cycles of D1 misses: one function has all'
is "$(order --threshold=0.1 --sort=cycles.LL)" 'few ' '... of LL misses'
is "$(order --threshold=0.1 --sort=cycles.branch)" 'toss ' '... of mispredicts'
is "$(order --threshold=0 --sort=cycles.I1,cycles.D1,cycles.LL,cycles.branch)" 'data few toss many ' 'by one part, then by another'
is "$("$QUERN" annotate --style=classic --auto=no --sort=cycles:21 profile | grep -o '\(many\|few\|data\|toss\)$' | tr '\n' ' ')" 'few many data ' \
    'the classic style, with a threshold of its own: the functions from 21% on'
is "$("$QUERN" annotate --no-annotate --sort=cycles profile | grep -c '^Event sort order: *cycles$\|^Estimated cycles: *instructions ')" 2 'the head tells of it'
is "$("$QUERN" csv --metadata=no --crlf=no --by=program --show=cycles,cycles.issue,cycles.I1,cycles.D1,cycles.LL,cycles.branch profile | tail -n 1)" \
    'profile,19900,5400,0,4000,9000,1500' 'the parts add up'
"$QUERN" annotate --sort=CPI profile >out 2>err
is "$?: $(cat err)" '1: quern annotate: error: --sort event `CPI` did not appear in `events:` line' 'a ratio does not sort'
# Misses of one level without those of the other: a sum would look like the time.
for lacks in ILmr 'ILmr DLmr DLmw' DLmr D1mw; do
    awk -v lacks="$lacks" '/^events:/ { n = split($0, e, " "); split(lacks, l, " ") }
        /^(events|summary):/ || /^[0-9]/ { for (i = 2; i <= n; i++) for (k in l) if (e[i] == l[k]) $i = ""; gsub("  +", " ") } { print }' profile >less
    for what in cycles CPI cycles.LL; do
        "$QUERN" csv --by=program --show=$what less >out 2>err
        case $what in
        *.*) [ "$lacks" != 'ILmr DLmr DLmw' ] || continue; is $? 0 "without $lacks: $what" ;;
        *) is "$?: $(cat err)" "1: quern csv: --show \`$what\` is of the misses of each level, but not all of these events appeared in \`events:\` line" "without $lacks: no $what" ;;
        esac
    done
done
is "$(printf 'events: Ir Bc Bcm\nfl=x.c\nfn=f\n1 100 50 5\nsummary: 100 50 5\n' >less; "$QUERN" csv --metadata=no --crlf=no --by=program --show=cycles less | tail -n 1)" \
    less,150 'without caches: of what is there'
done_testing
