#!/bin/sh
# Can many curves of one picture be told apart: each two of them by two of colour, dash and marker?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

# curves N: a picture of N curves; their styles, "COLOUR DASH MARKER" each.
curves() {
    awk -v n="$1" 'BEGIN { print "sim,x,y"; for (i = 0; i < n; i++) for (x = 1; x < 4; x++) printf "s%02d,%d,%d\n", i, x, x * i + 1 }' >in.csv
    rm -f out.*
    "$QUERN" plot curve in.csv --x=x --y=y --curve=sim -o out.svg 2>log
    sed -n "s/^set style line \([0-9]*\) linecolor rgb '\(.*\)' dashtype \(.*\) pointtype \([0-9]*\) .*/\1 \2 \3 \4/p" out.gp >styles
    sed -n '/with linespoints linestyle/s/.*linestyle \([0-9]*\).*/\1/p' out.gp | sort -nu >used
    awk 'NR == FNR { of[$1] = $2 " " $3 " " $4; next } { print of[$1] }' styles used
}
for n in 3 8 16 24; do
    curves $n >seen
    is "$(wc -l <seen)" $n "$n curves: a style each"
    is "$(awk '{ for (i in a) { split(a[i], s); if ((s[1] == $1) + (s[2] == $2) + (s[3] == $3) > 1) print a[i], "and", $0 } a[NR] = $0 }' seen)" '' \
        '... which differ in two of three'
done
if command -v gnuplot >/dev/null; then
    is "$("$QUERN" plot curve in.csv --x=x --y=y --curve=sim -o drawn.svg 2>&1)" '' 'gnuplot draws them'
    ok '... into a picture' test -s drawn.svg
else
    absent 'no gnuplot' 2
fi
done_testing
