#!/bin/sh
# Is a bad input told in one line that says where, what came and what was wanted, and is nothing written then?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

in=$top_srcdir/tests/golden/plot/in
mkdir out

# refused STATUS MESSAGE ARGUMENTS...
refused() {
    wanted_status=$1
    wanted=$2
    shift 2
    "$QUERN" plot "$@" >stdout 2>stderr
    is "$?: $(cat stderr)" "$wanted_status: quern plot: $wanted" "plot $(echo "$*" | sed "s|$in/||g")"
    [ ! -s stdout ] || fail 'nothing on stdout'
}
usage='; `quern plot --help` describes it'
refused 2 "name a kind of picture, and a file$usage"
refused 2 "'pie' is no kind of picture$usage" pie in.csv
refused 2 "files of size: got 0, wanted 1 (a sweep)$usage" size
refused 2 "files of compare: got 1, wanted 2 (two profiles)$usage" compare a
refused 2 "files of time: got 3, wanted 1 or 2 (intervals)$usage" time a b c
refused 1 "$in/a.prof: got a profile, wanted a table of comma-separated values" time "$in/a.prof" -o out/x.svg
refused 2 "-o: wanted a name that ends in .svg, .png or .pdf$usage" size a -o out/x.gif
refused 2 "-o: wanted a name that ends in .svg, .png or .pdf$usage" size a -o out/.svg
refused 2 "curve: wanted --x=COLUMN and --y=COLUMN$usage" curve a --x=b
refused 2 "--level: got 'L3', wanted I1, D1, LL, BC or BI" size a --level=L3
refused 2 "--level=BC and BI are for budget$usage" size a --level=BC
refused 2 "--most: got '0', wanted 1 to 60" top a --most=0
refused 2 "--where: got 'x', wanted COLUMN=VALUE" size a --where=x
refused 2 "--log: got 'z', wanted x, y, xy or none" size a --log=z
refused 2 "--by: got 'file', wanted function or line" top a --by=file
refused 2 "--size: got '640', wanted WIDTH,HEIGHT" size a --size=640
refused 2 "--size: got '640,1', wanted WIDTH,HEIGHT" size a --size=640,1
refused 2 "--font: got 'a'b,9', wanted NAME,POINTS" size a --font="a'b,9"
refused 2 "--timing: got 'L3=1', wanted width=N,hit=N,L1=N,L2=N,LL=N,branch=N, or some of them" top a --timing=L3=1
refused 2 '--title: no value given, wanted TEXT' top a --title
refused 2 "--titel=x: no such option$usage" top a --titel=x
refused 2 "--help=x: it has no value$usage" top a --help=x

refused 1 'none.csv: cannot open: No such file or directory' size none.csv -o out/x.svg
refused 1 "$in/predictors.csv:1: column: got none called 'D1_size', wanted it among 17" size "$in/predictors.csv" -o out/x.svg
refused 1 "$in/sweep.csv:1: column: got none called 'a', wanted it among 35" curve "$in/sweep.csv" --x=a --y=Ir -o out/x.svg
refused 1 "$in/sweep.csv:1: column: got none called 'a', wanted it among 35" size "$in/sweep.csv" --panel=a -o out/x.svg
refused 1 "$in/sweep.csv:1: --where=a=b: got no such column, wanted COLUMN=VALUE" size "$in/sweep.csv" --where=a=b -o out/x.svg
refused 1 "$in/sweep.csv: rows: got none that --where leaves in, wanted one at least" size "$in/sweep.csv" --where=sim=x -o out/x.svg
sed '3s/,fifo,/,7,/; 3s/,lru,/,7,/' "$in/sweep.csv" >names.csv
refused 1 "names.csv:2: sim: got 'lru', wanted a number" curve names.csv --x=sim --y=Ir -o out/x.svg
refused 1 "$in/sweep.csv:5: got the same place in the picture as line 2, wanted one row for each: choose rows with --where, or columns with --curve" \
    size "$in/sweep.csv" --panel= --curve= --where=program=sort -o out/x.svg
refused 1 "$in/predictors.csv:1: column: got none called 'BI_bits', wanted it among 17" budget "$in/predictors.csv" --level=BI -o out/x.svg
refused 1 "$in/predictors.csv:1: column: got no AN.compulsory, wanted a sweep with sim=3c" threec "$in/predictors.csv" -o out/x.svg
refused 1 "$in/sweep.csv: --region: got rows, wanted a profile, which has regions" size "$in/sweep.csv" --region=a -o out/x.svg
refused 1 "$in/sets.csv: --region: got rows, wanted a profile, which has regions" sets "$in/sets.csv" --region=a -o out/x.svg
refused 1 "$in/a.prof: --event=Nix: got events that the profile has not, wanted some of: Ir Dr D1mr Dw D1mw AN.compulsory AN.capacity AN.conflict" \
    top "$in/a.prof" --event=Nix -o out/x.svg
refused 1 "$in/sets.csv:1: got no column \`size\`, wanted PROFILE.mattson.csv of the analysis mattson" mrc "$in/sets.csv" -o out/x.svg
refused 1 "$in/mattson.csv:1: got no column \`cache\`, wanted PROFILE.sets.csv of the analysis sets" sets "$in/mattson.csv" -o out/x.svg
refused 1 "out/none/x.svg: cannot create: No such file or directory" top "$in/a.prof" -o out/none/x.svg

printf 'a,b\n1,2\n3\n' >short.csv
refused 1 'short.csv:3: cells: got 1, wanted 2' curve short.csv --x=a --y=b -o out/x.svg
printf 'a,b\n1,2\n\n3,"x\ny"\n5,\n' >number.csv
refused 1 'number.csv:4: b: got '\''x\ny'\'', wanted a number' curve number.csv --x=a --y=b -o out/x.svg
printf 'a,b\n1,2\n\n3,4\n5,\n' >number.csv
refused 1 "number.csv:5: b: got '', wanted a number" curve number.csv --x=a --y=b -o out/x.svg
printf 'a,b\n1,nan\n' >nan.csv
refused 1 "nan.csv:2: b: got 'nan', wanted a number" curve nan.csv --x=a --y=b -o out/x.svg
: >empty.csv
refused 1 'empty.csv: rows: got none, wanted one at least' size empty.csv -o out/x.svg
sed 's/^summary: .*/summary: 1 1 1 1 1 1 1 1/' "$in/a.prof" >sum.prof
"$QUERN" plot top sum.prof -o out/x.svg 2>stderr
is $? 1 'a profile whose summary is wrong'
ok '... by file and line' grep -q '^quern plot: sum.prof:2[0-9]: ' stderr
sed '3d' "$in/sets.csv" >part.csv
refused 1 "part.csv:8: cut off or changed: got 7 rows, wanted 8 as column of_rows says" sets part.csv -o out/x.svg
sed 's/50000/x/' "$in/sets.csv" >odd.csv
refused 1 "odd.csv:2: got \`x\` as misses, wanted a number" sets odd.csv -o out/x.svg
sed 's/,900,/,1001,/' "$in/mattson.csv" >more.csv
refused 1 'more.csv:2: got 1001 misses, wanted no more than lines touched' mrc more.csv -o out/x.svg

printf 'x,y\n0,0\n1,-2\n' >low.csv
refused 1 '--log=y: got no value above 0, wanted one for a logarithmic y axis' curve low.csv --x=x --y=y --log=y -o out/x.svg

is "$(ls -A out)" '' 'nothing was written'

# What has no place on an axis is told.
printf '2,8\n3,0\n' >>low.csv
"$QUERN" plot curve low.csv --x=x --y=y --log=xy -o told.svg 2>err
is "$(cat err)" "quern plot: the x axis is not logarithmic, since it has 0; values that are 0 or less and so not on the logarithmic y axis: 3" \
    'values that a logarithmic axis has no place for'

# The data of a picture must not take the place of its input.
cp "$in/sweep.csv" mine.csv
refused 1 '-o mine.svg: got a name whose mine.csv is the input, wanted another' size mine.csv -o mine.svg
same_file mine.csv "$in/sweep.csv" 'the input is as it was'
ln -s mine.csv link.csv
refused 1 '-o mine.png: got a name whose mine.csv is the input, wanted another' size link.csv -o mine.png
# ... nor of what else is there.
echo 'rows of a sweep' >out/rows.csv
refused 1 '-o out/rows.svg: got a name whose rows.csv or rows.gp is there, and not of a picture, wanted another' size mine.csv -o out/rows.svg
is "$(cat out/rows.csv)" 'rows of a sweep' 'a table of the user is as it was'
: >out/own.csv
echo 'plot x' >out/own.gp
refused 1 '-o out/own.svg: got a name whose own.csv or own.gp is there, and not of a picture, wanted another' size mine.csv -o out/own.svg
refused 1 '-o out/a\n!touch b.svg: got a character in the name that no script of gnuplot has, wanted another name' size mine.csv -o 'out/a
!touch b.svg'
if command -v gnuplot >/dev/null; then
    "$QUERN" plot size mine.csv -o -first.svg && "$QUERN" plot size mine.csv -o -first.svg
    is "$? $(ls -- -first*)" "0 -first.csv
-first.gp
-first.svg" 'a name that begins with -, drawn twice'
    printf 'cmd: p\351 \357\277\276\nevents: Ir\nfl=a.c\nfn=f\377<\357\277\277>\n1 7\nsummary: 7\n' >latin.prof
    "$QUERN" plot top -o latin.svg --title="$(printf '\344 <')" latin.prof
    ok 'names in another encoding: the picture is UTF-8' iconv -f UTF-8 -t UTF-8 -o /dev/null latin.svg
    is "$(LC_ALL=C grep -c "$(printf '\357\277[\276\277]')" latin.svg) $(LC_ALL=C grep -c "f$(printf '\357\277\275')" latin.svg)" '0 1' '... and has no character that XML has not'
else
    absent 'gnuplot' 3
fi
done_testing
