#!/bin/sh
# Is a page whole, of bounded size, the same each time, and unmoved by hostile names and sources?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"
command -v jq >/dev/null || absent_all 'jq is not installed' 52

# data FILTER FILE: what the data of a page say.
data() { sed -n '/<script type="application\/json" id="data">/,/<\/script>/p' "$2" | sed 's/.*id="data">//; s/<\/script>$//' | jq -cr "$1"; }

printf 'int a;\nint main(void)\n{\n    return a</script><script>alert(1)</script>;\n}\n' >a.c
printf 'desc: Seed: 1\ncmd: ./p <b>&\nevents: Ir D1mr\nfl=%s\nfn=main\n4 9 1\n2 1 0\nfl=???\nfn=f<script>\n0 5 9007199254740993\nsummary: 15 9007199254740994\n' \
    "$PWD/a.c" >p
"$QUERN" page -o page.html p >out 2>err
is "$? $(cat out err)" '0 ' 'a page, and no words'
is "$(data .after.command page.html)" './p <b>&' 'the command'
is "$(data .after.events page.html)" '["Ir","D1mr"]' 'the events'
is "$(data .after.totals page.html)" '[0,15,"9007199254740994"]' 'the totals, exact beyond 2^53'
is "$(data '[.after as $p | $p.functions[] | [$p.names[.[0]], .[3], .[4]]]' page.html)" '[["main",10,1],["f<script>",5,"9007199254740993"]]' 'the functions'
is "$(data '[.after.files[] | select(.text) | .lines[] | [.[0], .[3], .[4]]]' page.html)" '[[2,1,null],[4,9,1]]' 'the lines'
is "$(data '.after.files[] | select(.text) | .text[0][1][3]' page.html)" '    return a</script><script>alert(1)</script>;' 'the source'
is "$(grep -c '<script>alert\|f<script>\|<b>' page.html)" 0 'no text of the program is markup'
is "$(grep -o '<script[^>]*>' page.html | tr '\n' ' ')" '<script type="application/json" id="data"> <script> ' 'two scripts, of its own'
ok 'requests are forbidden by the page itself' grep -q "Content-Security-Policy\" content=\"default-src 'none'" page.html
is "$(grep -c 'https\?://' page.html)" "$(grep -c 'http://www.w3.org/2000/svg' page.html)" 'no address but the name of SVG'
ok 'a table for who has no scripts' grep -q '<tr><td>main</td><td>10</td><td>1</td></tr>' page.html
"$QUERN" page -o again.html p
same_file again.html page.html 'the same profile, the same page'

# Lines of a megabyte, NUL bytes, marks of direction, no newline at the end.
{ printf 'int main(void) {'; head -c 1000000 /dev/zero | tr '\0' x; printf '\n\0\342\200\256};\377'; } >b.c
printf 'cmd: p\nevents: Ir\nfl=%s\nfn=main\n1 9\n2 1\nsummary: 10\n' "$PWD/b.c" >b
"$QUERN" page -o b.html b
ok 'a line of a megabyte is cut' test "$(wc -c <b.html)" -lt 200000
is "$(data '.after.files[0].text[0][1][0][1]' b.html)" 1000016 'and its length told'
is "$(data '.after.files[0].text[0][1][1] | explode' b.html)" '[0,8238,125,59,65533]' 'NUL, right-to-left override, a byte that is no UTF-8'

# A file of 40,000 lines, of which few are counted; 60,000 counted lines.
awk 'BEGIN { for (i = 1; i <= 40000; i++) print "int line_number_" i ";" }' >c.c
awk -v file="$PWD/c.c" 'BEGIN { print "cmd: p\nevents: Ir\nfl=" file "\nfn=main\n100 9\n20000 1\nsummary: 10" }' >c
"$QUERN" page -o c.html c
is "$(data '[.after.files[0].text[] | [.[0], (.[1] | length)]]' c.html) $(data .after.files[0].size c.html)" '[[92,17],[19992,17]] 40000' \
    'of a long file what lies around its counts'
awk 'BEGIN { print "cmd: p\nevents: Ir\nfl=d.c"; for (i = 1; i <= 60000; i++) { print "fn=function_with_a_name_" i "\n" i, i; s += i } print "summary:", s }' >d
"$QUERN" page -o d.html d
is "$(data '.after.left' d.html)" '{"functions":50000,"lines":30000}' 'what found no room is counted'
ok 'a large profile: at most 3 MB' test "$(wc -c <d.html)" -lt 3000000
is "$(data '[.after.files[0].lines[][0]] | min' d.html)" 30001 'what is left out costs least'

"$QUERN" page -o none.html nothing 2>err
is "$? $(wc -l <err) $(ls none.html 2>&1 | grep -c 'No such')" '1 1 1' 'no profile: one line, no page'
printf 'cmd: p\nevents: Ir\nfl=a\nfn=b\n1 2\n' >cut
"$QUERN" page -o none.html cut 2>err
is "$? $(wc -l <err) $(ls none.html 2>&1 | grep -c 'No such')" '1 1 1' 'a profile that is cut short: no page'
"$QUERN" page --diff p 2>err
is "$? $(cat err)" "2 quern page: --diff takes two profiles; \`quern page --help\` describes it" 'one profile to compare'
mv c.c moved.c
"$QUERN" page -I "$PWD/none" -o e.html c
is "$(data '.after.files[0].why' e.html)" 'No such file or directory' 'why a source is not there'

# Objects, culprits and logs; those that cannot be right are refused, each with its line.
printf 'cmd: p\nevents: Ir D1mr D1mw\nfl=%s\nfn=main\n4 9 7 0\nsummary: 9 7\n#data: 2 2\n#object: symbol 80 0 0 a</script>\n#from: 1 a.c\n#part: x\n#object: heap 64 2 128 malloc\n#file: a.c\n#function: main\n#miss: 4 0 0 5 0 1 0\n#miss: 4 1 - 2 0 0 0\n' "$PWD/a.c" >o
"$QUERN" page -o o.html o
is "$(data '.after.data.objects' o.html)" '[["symbol","a</script>","","a.c",1,"",80,0,0,0],["heap","malloc","","",0,"",64,2,128,0]]' 'objects'
is "$(data '.after as $p | [$p.data.misses[] | [$p.names[.[0]], $p.names[.[1]]] + .[2:]]' o.html)" '[["a.c","main",4,0,0,5,0,1],["a.c","main",4,1,-1,2]]' 'misses on them, the most costly first'
printf 'cmd: p\nevents: D1mr\nfl=a.c\nfn=f\n1 100\nsummary: 100\n#data: 1 1\n#object: heap 128 1 128 malloc\n#type: 128 struct </script>\n#member: 0 8 x\n#member: 8 120 y\n#part: x\n#file: a.c\n#function: f\n#miss: 1 0 0 100 0 0 0\n' >advised
"$QUERN" page -o advised.html advised
is "$(data '.after.data.advice[][]' advised.html)" "$("$QUERN" annotate --by=data advised | sed -n '/^-- Advice/,$p' | sed '1,2d; s/^ *//; /^$/d')" 'advice, as annotate --by=data gives it'
awk 'BEGIN { print "cmd: p\nevents: D1mr\nfl=a.c\nfn=f\n1 1\nsummary: 1\n#data: 1 25000\n#object: symbol 8 0 0 x\n#file: a.c\n#function: f"; for (i = 1; i <= 25000; i++) print "#miss:", i, "0 - 1 0 0 0" }' >many
"$QUERN" page -o many.html many
is "$(data '[(.after.data.misses | length), ([.after.data.misses[][5]] | add), .after.data.misses[-1][2]]' many.html)" '[8001,25000,0]' 'rows beyond those that find room are one of each object'
# 2,500 objects, each evicted by 8 others: those that cost least are one, and all sums stay.
awk 'BEGIN { print "cmd: p\nevents: D1mr\nfl=a.c\nfn=f\n1 1\nsummary: 1\n#data: 2500 2500"; for (i = 0; i < 2500; i++) {
    printf "#object: heap 8 2 16 malloc\n#from: %d a.c\n#type: %d struct t%d\n", i, i % 1250, i % 1250; if (i < 1250) print "#member: 0 8 x"; print "#part: x" }
    for (i = 0; i < 2500; i++) for (k = 1; k <= 8; k++) print "#pair:", i, (i * 7 + k * 311) % 2500, i + k, k
    print "#file: a.c\n#function: f"; for (i = 0; i < 2500; i++) print "#miss:", i, i, i, i + 1, "0 0 0" }' >objects
"$QUERN" page -o objects.html objects
is "$(data '.after.data | [.objects | length, .[-1][0, 1, 4, 7, 8], .[0][4]]' objects.html)" '[1001,"others","others",1500,3000,24000,1500]' 'objects without room are one'
is "$(data '.after.data | [([.misses[][5]] | add), ([.misses[] | select(.[3] == 1000) | .[5]] | add), ([.misses[][3]] | max)]' objects.html)" \
    "[$((2500 * 2501 / 2)),$((1500 * 1501 / 2)),1000]" '... which has their misses'
is "$(data '.after.data | [([.pairs[][2]] | add), ([.pairs[][3]] | add), (.pairs | length) < 6002, ([.pairs[] | select(.[1] >= 1000 or .[0] > 1000)] | length)]' objects.html)" \
    "[$((8 * 2500 * 2499 / 2 + 2500 * 36)),$((2500 * 36)),true,0]" '... and who evicts them in sum what it was'
is "$(data '.after.data as $d | [([$d.misses[] | select(.[4] >= 0 and $d.parts[.[4]][0] != .[3])] | length), ($d.parts | length), ($d.members | length)]' objects.html)" '[0,1000,1000]' \
    '... the parts and members of the rest are still theirs'
# 20,000 contexts: each second one below the one before it; 12,000 functions.
awk 'BEGIN { print "cmd: p\nevents: Ir\nfl=a.c\nfn=f\n1 1\nsummary: 1\n#calls: 12000 20000 20000\n#call-events: Ir"
    for (i = 0; i < 12000; i++) printf "#fn: a.c\tf%d\n#inclusive: 1 %d\n", i, 12000 - i
    for (i = 0; i < 20000; i++) printf "#edge: %d 1 %d 1 %d\n", i % 50, i / 50, i + 1
    for (i = 0; i < 20000; i++) print "#node:", i % 2 ? i - 1 : -1, i % 12000, 1, 20000 - i }' >calls
"$QUERN" page -o calls.html calls
is "$(data '.after.calls | [(.functions | length), (.edges | length), .left]' calls.html)" '[5001,4000,[7000,16000,17500]]' 'functions, edges and contexts that find room, and how many do not'
is "$(data '[.after.calls.nodes[][3]] | add' calls.html)" 200010000 'contexts without room are summed up'
is "$(data '.after.calls as $c | [$c.nodes | to_entries[] | select(.value[0] >= .key or .value[1] >= ($c.functions | length))] | length' calls.html)" 0 'each lies below one that comes before it'
head=count,of,file,function,line,evictor_file,evictor_function,evictor_line,of_rows
printf '%s\n8,9,a.c,main,4,a.c,"f<b>",2,1\n' $head >culprits.csv
"$QUERN" page --culprits=culprits.csv -o c.html p
is "$(data '.after as $p | $p.culprits.rows[0] | [.[0], .[1], $p.names[.[2]], $p.names[.[3]], .[4], $p.names[.[5]], $p.names[.[6]], .[7]]' c.html)" '[8,9,"a.c","main",4,"a.c","f<b>",2]' 'culprits'
printf '%s\n8,x,a.c,main,4,a.c,f,2,1\n' $head >bad.csv
"$QUERN" page --culprits=bad.csv -o none.html p 2>err
is "$? $(cat err) $(ls none.html 2>&1 | grep -c 'No such')" '1 quern page: bad.csv:2: got `x` as of, wanted a number 1' 'a culprit that is no number'
"$QUERN" page --culprits=o.html -o none.html p 2>err
is "$? $(wc -l <err) $(grep -c 'o.html:' err)" '1 1 1' 'no table of culprits'
printf 'cache,interval,start,end,set,sets,misses\nD1,1,0,9,3,1,7\n' >sets.csv
"$QUERN" page --sets=sets.csv -o s.html p
is "$(data '.sets.rows' s.html)" '[["D1",0,9,3,1,[7]]]' 'misses by set and time'
printf '%s\n' cache,interval,start,end,set,sets,misses,of_rows D1,1,0,9,3,1,7,6 D1,1,0,9,5,1,8,6 D1,1,0,9,4,1,9,6 D1,2,9,20,0,2,1,6 D1,2,9,20,2,2,900719925,6 LL,2,9,20,4,2,3,6 >by-set.csv
"$QUERN" page --sets=by-set.csv -o by-set.html p
is "$(data '.sets | .columns, .rows' by-set.html | tr '\n' ' ')" \
    '["cache","start","end","set","sets","misses"] [["D1",0,9,3,1,[7,0,8]],["D1",0,9,4,1,[9]],["D1",9,20,0,2,[1,900719925]],["LL",9,20,4,2,[3]]] ' '... those of an interval in a row'
sed 's/7$/<b>/' sets.csv >bad.csv
"$QUERN" page --sets=bad.csv -o none.html p 2>err
is "$? $(cat err)" '1 quern page: bad.csv:2: got `<b>` as misses, wanted a number' 'a number of misses that is none'
"$QUERN" page --sets=culprits.csv -o none.html p 2>err
is "$? $(cat err)" '1 quern page: culprits.csv:1: got no column `cache`, wanted PROFILE.sets.csv of the analysis sets' 'no table of them'
printf 'size,lines,misses,error,touched,first,of_rows\n1024,16,400,0,900,30,1\n' >curve.csv
printf 'cache,interval,start,end,set,sets,misses,of_rows\nD1,1,0,9,0,1,3,4\nD1,1,0,9,2,1,5,4\nD1,2,9,12,2,1,2,4\nLL,1,0,9,2,1,9,4\n' >sets.csv
"$QUERN" page --mattson=curve.csv --sets=sets.csv -o l.html p
is "$(data .caches l.html)" '{"line":64,"touched":900,"first":30,"curve":[[16,400]],"sets":[3,0,7]}' 'misses by size, and by set over all intervals'
sed 's/,400/,901/' curve.csv >bad.csv
"$QUERN" page --mattson=bad.csv -o none.html p 2>err
is "$? $(cat err) $(ls none.html 2>&1 | grep -c 'No such')" '1 quern page: bad.csv:2: got 901 misses, wanted no more than lines touched 1' 'more misses than references'
printf 'cache,interval,start,end,set,sets,misses,of_rows\nD1,1,0,9,0,1,5,1\n' >sets.csv
"$QUERN" page --intervals=sets.csv -o none.html p 2>err
is "$? $(cat err) $(ls none.html 2>&1 | grep -c 'No such')" '1 quern page: sets.csv:1: got no columns `start`, `end` and an event of the profile, wanted the counts of `quern run --interval=N` 1' \
    'misses by set and interval are no counts by interval'
for option in intervals sharing sets culprits; do
    "$QUERN" page --$option=p -o none.html p 2>err
    is "$? $(cat err)" '1 quern page: p: got a profile, wanted a table of comma-separated values' "--$option: a profile"
done
done_testing
