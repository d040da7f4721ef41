#!/bin/sh
# Misses by set and time: are the numbers of the picture's data those of PROFILE.sets.csv, and has the picture a box for each of them?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

in=$top_srcdir/tests/golden/plot/in/by_set.csv
[ -x "$top_builddir/tests/guest/conflict" ] || skip_all 'the guest programs are not built: make guests' 25
mkdir nothing
plot() { (PATH=$SCRATCH/nothing; export PATH; exec "$QUERN" plot heat "$@" 2>err); }
refused() {
    wanted=$1
    shift
    plot "$@" -o no.svg
    is "$?: $(cat err)" "1: quern plot: $wanted" "refused: $wanted"
}

# By hand.
plot "$in" --level=LL -o LL.svg
is "$(cat LL.csv)" 'start,end,set,sets,misses
0,20000,0,16,40
0,20000,48,16,1
20000,40003,0,16,0
40003,45000,0,16,3' 'the rows of the LL'
is "$(sed -n 's/^set \([xycb]*range.*\|ytics.*\)/\1/p' LL.gp | tr '\n' ' ')" 'xrange [0:45000] yrange [-0.5:63.5] ytics 0,4 cbrange [0:40] ' '... axes as far as they go'
ok '... that 16 sets are together' grep -q 'intervals of 20000 instructions;  16 sets together;  white: no misses' LL.gp
"$QUERN" plot heat --json "$in" >heat.json
is "$?$(tr -d ' \n' <heat.json | grep -c '"start".*"misses"')" 01 'as JSON'

printf 'desc: D1 cache:         16384 B, 64 B, 4-way associative\ncmd: ./x\nevents: Ir\nfl=x.c\nfn=f\n1 5\nsummary: 5\n' >x.prof
plot "$in" x.prof -o x.svg
is "$(sed -n 's/^set yrange //p' x.gp)" '[-0.5:63.5]' 'the profile tells how many sets there are'
ok '... and whose they are' grep -q "^set label 1 './x;  D1: 16 KiB, 4 ways, lines of 64 B;" x.gp
sed 's/16384/128/;s/4-way/1-way/' x.prof >small.prof
refused "small.prof: sets of the D1: got 2, wanted 4 at least: is it of another run?" "$in" small.prof

# A table that is none of ours.
refused "$in: rows of the I1: got 0, wanted 1 to 200000: --level=D1 or LL" "$in" --level=I1
sed '3s/60/x/' "$in" >odd.csv
refused "odd.csv:3: misses: got 'x', wanted a number" odd.csv
sed '3s/0,20000/20000,0/' "$in" >odd.csv
refused 'odd.csv:3: interval: got 20000 to 0, wanted one that ends behind its start' odd.csv
sed '3s/3,1,60/3,0,60/' "$in" >odd.csv
refused 'odd.csv:3: set, sets, misses: got 3, 0, 60, wanted at least 0, 1, 0' odd.csv
sed 's/^cache/level/' "$in" >odd.csv
refused "odd.csv:1: column: got none called 'cache', wanted it among 8" odd.csv
sed '$d' "$in" >odd.csv
refused 'odd.csv:9: cut off or changed: got 8 rows, wanted 9 as column of_rows says' odd.csv
printf 'cache,start,end,set,sets,misses\nD1,0,5,0,1,0\n' >none.csv
refused 'none.csv: misses of the D1: got none, wanted one at least' none.csv
is "$(echo no.*)" 'no.*' '... without a file'

# A real run: all rows of each cache, as they are; all misses of the profile.
"$QUERN" run -q --analysis=sets --interval=20000 --interval-file=intervals --I1=1024,2,64 --D1=4096,2,64 --LL=65536,4,64 --out-file=run.prof \
    "$top_builddir/tests/guest/conflict" </dev/null >/dev/null 2>&1 || bail 'cannot run'
for cache in D1 LL; do
    plot run.prof.sets.csv run.prof --level=$cache -o $cache.svg
    is "$? $(grep -c 'there is no gnuplot here' err)" '1 1' "a run: $cache, without gnuplot"
    awk -F, -v OFS=, -v cache=$cache '$1 == cache { print $3, $4, $5, $6, $7 }' run.prof.sets.csv >wanted
    sed 1d $cache.csv >got
    same_file got wanted '... its rows'
    ok '... more than twenty of them' test "$(wc -l <got)" -gt 20
done
is "$(awk -F, 'NR > 1 { n += $5 } END { print n }' D1.csv)" "$(awk '/^summary/ { print $6 + $9 }' run.prof)" 'the misses of the D1 are those of the profile'
is "$(sed -n 's/^set yrange //p' D1.gp)" '[-0.5:31.5]' '4 KiB, two ways, 64 bytes: 32 sets'

# gnuplot draws a box for each row with misses.
if command -v gnuplot >/dev/null; then
    # Each box has a group of its own within that of the plot, behind whose end another begins.
    boxes() {
        gnuplot -d "$1.gp" && awk '/<g id="gnuplot_plot_1"/ { inside = 1 } inside && /<polygon/ { print }
            inside && before && /^<g / { exit } { before = /^\t<\/g>$/ }' "$1.svg"
    }
    boxes D1 >found
    is "$(wc -l <found)" "$(awk -F, 'NR > 1 && $5 > 0' D1.csv | wc -l)" 'a box for each row with misses'
    plot "$in" -o hand.svg
    is "$(boxes hand | sed "s/.*'rgb(\([^)]*\)).*/\1/" | awk -F, '{ print $1 + $2 + $3, NR }' | sort -n | sed 's/.* //' | tr '\n' ' ')" '2 1 3 4 ' '100, 60, 25, 7: the more, the darker'
    awk -F, -v OFS=, 'NR > 1 { $7 *= 999 } { print }' "$in" >large.csv
    plot large.csv -o wide.svg
    boxes wide >/dev/null
    ok 'the label beside the colours is in the picture, also behind numbers of five digits' test "$(grep -B 1 '<text>D1 misses<' wide.svg | sed -n 's/.*translate(\([0-9]*\).*/\1/p')" -lt 1180
else
    absent 'gnuplot is not installed' 3
fi
done_testing
