#!/bin/sh
# Does the page name the line that is to blame, with figures that `quern csv` confirms and the class that the program was written
# to have?  Is it well-formed, harmless, the same each time, and complete or not there?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -f "$top_builddir/libquern-engine.a" ] || bail 'libquern-engine.a is not built: make'
LC_ALL=C
export LC_ALL

# Each loop is written to miss in one way, with a direct-mapped D1 of 8 KiB and lines of 64 bytes.
cat >walk.c <<'END'
#include <stdio.h>
#include <string.h>
static volatile char far_apart[2 * 8192], twice_the_cache[16384], once[4 << 20];
static unsigned seed = 1;

static volatile int heads, tails;

static void toss(void)
{
    seed = seed * 1103515245 + 12345;
    if (seed >> 30 & 1) /* branch */
        heads++;
    else
        tails++;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int c;

    if (!strcmp(what, "conflict"))
        for (int i = 0; i < 100000; i++)
            far_apart[i % 2 * 8192]++; /* conflict */
    if (!strcmp(what, "capacity"))
        for (int n = 0; n < 400; n++)
            for (int i = 0; i < 16384; i += 64)
                twice_the_cache[i]++; /* capacity */
    if (!strcmp(what, "compulsory"))
        for (int i = 0; i < 4 << 20; i += 64)
            once[i]++; /* compulsory */
    if (!strcmp(what, "branch"))
        for (int i = 0; i < 100000; i++)
            toss();
    if (!strcmp(what, "input"))
        while ((c = getchar()) != EOF)
            far_apart[c % 2 * 8192]++; /* input */
    return strcmp(what, "fail") ? 0 : 3;
}
END
"$CC" -O1 -fno-inline -g -o walk walk.c || bail 'cannot compile'
caches='--I1=32768,8,64 --D1=8192,1,64 --LL=65536,8,64'
report() {
    # shellcheck disable=SC2086
    "$QUERN" report -q $caches "$@" 2>err
}
line_of() { grep -n "/\* $1 \*/" walk.c | sed 's/:.*//'; }
# first FOLDER: the text of the first finding, and what is advised
first() { sed -n '/<ol class="first">/,/<\/p>/p' "$1/index.html" | sed '/<\/p>/q' | sed 's/<[^>]*>//g' | tr '\n' ' '; }
# count FOLDER LINE EVENTS: what csv says of a line of walk.c
count() {
    "$QUERN" csv --by=line --metadata=no --crlf=no --show="v=$3" "$1/profile" |
        awk -F, -v line="$2" '$3 ~ /walk\.c$/ && $5 == line { s += $6 } END { print s }'
}
commas() {
    echo "$1" | awk '{ while (match($0, /[0-9][0-9][0-9][0-9]+/)) { n = RSTART + RLENGTH - 3
        $0 = substr($0, 1, n - 1) "," substr($0, n) } print }'
}
explore() { sed -n '/<script type="application\/json" id="data">/,/<\/script>/p' "$1/explore.html"; }
says() { # says TEXT PATTERN
    case $1 in *$2*) ;; *) echo "$1"; return 1 ;; esac
}

for class in conflict capacity; do
    report -o $class -- ./walk $class
    is "$?$(cat err)" 0 "$class: a page"
    line=$(line_of $class)
    misses=$(count $class "$line" D1mr+D1mw)
    ok "... the line and its D1 misses: $misses" says "$(first $class)" "walk.c:$line, in main: $(commas "$misses") D1 misses. "
    ok '... of that class' says "$(first $class)" " 100% $class"
    ok '... its source, marked' grep -q "<tr class=\"hot\"><td>$line</td>.*/\* $class \*/" $class/index.html
done
ok 'conflict: what helps' says "$(first conflict)" 'fall into the same sets, as addresses a power of two apart do. Pad rows'
ok '... and that a larger one only has more sets' grep -q 'what the larger cache has is more sets' conflict/index.html
percent=$(tail -n +2 conflict/sets.csv | sort -t, -k2 -rn | awk -F, '{ s += $2 } NR == 1 { t = $2 } END { printf "%.0f", 100 * t / s }')
ok "... and that one of 128 sets has nearly all: $percent%" says "$(grep 'One set' conflict/index.html)" "1 of 128 sets has $percent% of them"
ok '... which is not said of the others' sh -c "! grep -q 'sets* of the D1 ha' capacity/index.html"
is "$(awk -F, 'NR > 1 { s += $2 } END { print s }' conflict/sets.csv)" \
    "$("$QUERN" csv --by=program --metadata=no --crlf=no --show=v=D1mr+D1mw conflict/profile | sed -n '2s/.*,//p')" '... of all D1 misses'
# By set and time: a box for each row of the D1; all of its misses; the most of one box in words.
is "$(sed 1d conflict/heat.csv)" "$(awk -F, -v OFS=, '$1 == "D1" { print $3, $4, $5, $6, $7 }' conflict/profile.sets.csv)" 'misses by set and time are those of the run'
is "$(awk -F, 'NR > 1 { s += $5 } END { print s }' conflict/heat.csv)" "$(awk -F, 'NR > 1 { s += $2 } END { print s }' conflict/sets.csv)" '... all of them'
most=$(awk -F, 'NR > 1 && $5 > n { n = $5; most = "at most " n " between instructions " $1 " and " $2 ", in set " $3 } END { print most }' conflict/heat.csv)
ok "... in words: $most" grep -qF "src=\"heat.svg\" alt=\"Misses of the D1 by set, from left to right as the run goes: which sets have them, and when? $most" conflict/index.html
ok 'capacity: what helps' says "$(first capacity)" 'the data used between two uses of a line exceeds the D1 (8 KiB)'
ok '... a knee at twice the cache, 16 KiB' says "$(first capacity)" 'knee at 16 KiB'
ok '... which is told after the place' says "$(sed -n '/class="first"/,/<\/ol>/p' capacity/index.html | sed -n 's/^<li>.*D1 of 16 KiB.*/second/p')" second
ok '... and that a D1 of 16 KiB is enough' grep -q 'A D1 of 16 KiB instead of 8 KiB would miss half as often' capacity/index.html
is "$(count conflict "$(line_of conflict)" AN.conflict)" 99998 'as the program was written: all but the first two are conflicts'
report -o compulsory -- ./walk compulsory
line=$(line_of compulsory)
misses=$(count compulsory "$line" DLmr)
is "$misses" 65536 'compulsory: 4 MiB are 65536 lines'
ok '... the line and its LL misses' says "$(first compulsory)" "walk.c:$line, in main: 65,536 LL misses of data. "
ok '... of that class' says "$(first compulsory)" ' 100% of them are first uses'
ok '... what helps' says "$(first compulsory)" 'a larger LL has them no sooner'

report -o branch -- ./walk branch
line=$(line_of branch)
ok 'branch: the line' says "$(first branch)" "walk.c:$line, in toss: $(commas "$(count branch "$line" Bcm)") mispredicted conditional branches. "
ok '... which is wrong about every other time' test "$(count branch "$line" Bcm)" -gt 40000
ok '... without a pattern' says "$(first branch)" 'finds no pattern in what the branch depends on'

# Objects in memory and calls, collected with the rest.
report --data=yes --calls=yes --dump-instr=yes -o objects -- ./walk conflict
is "$?$(cat err)" 0 'a report with objects and calls'
is "$(explore objects | grep -o '"insns":\[\[' | sort -u)$(explore conflict | grep '"insns":\[\[')" '"insns":[[' '... and instructions, which other reports do not have'
is "$(sed -n 's/^"far_apart .*",//p' objects/data.csv)" 2,0,99998 '... misses of an array, by class, as the program was written'
ok '... in its section' says "$(sed -n '/<h2 id="data">/,/<h2 id="calls">/p' objects/index.html)" '<td>99,998</td>'
is "$(awk -F, '$1 == "main" { print $3 }' objects/calls.csv)" \
    "$("$QUERN" csv --by=function --metadata=no --crlf=no --show=Ir objects/profile | awk -F, '$4 == "main" { print $5 }')" '... instructions of main'
is "$(sed -n '2s/.*,\([0-9]*\),[0-9]*,[0-9]*,100.0%$/\1/p' objects/calls.csv)" \
    "$("$QUERN" csv --by=program --metadata=no --crlf=no --show=Ir objects/profile | sed -n '2s/.*,//p')" '... all of them with what is called from the start'
is "$(grep -c '<h2 id="\(data\|calls\)">' objects/index.html conflict/index.html | tr '\n' ' ')" 'objects/index.html:2 conflict/index.html:0 ' \
    '... which other reports do not have'

# Two hundred functions that run in turn, each of more than a line: I1 misses everywhere.
awk 'BEGIN {
    print "volatile int v;"
    for (i = 0; i < 200; i++) {
        printf "static void __attribute__((noinline, aligned(512))) f%d(void)\n{\n", i
        for (k = 0; k < 24; k++) print "    v++;"
        print "}"
    }
    print "int main(void)\n{\n    for (int i = 0; i < 100; i++) {"
    for (i = 0; i < 200; i++) printf "        f%d();\n", i
    print "    }\n    return 0;\n}"
}' >many.c
"$CC" -O1 -g -o many many.c || bail 'cannot compile'
caches='--I1=8192,2,64 --D1=8192,1,64 --LL=1048576,16,64'
report -o many-page -- ./many
caches='--I1=32768,8,64 --D1=8192,1,64 --LL=65536,8,64'
spread=$(grep 'in many places' many-page/index.html | sed 's/<[^>]*>//g')
diag "$spread"
all=$("$QUERN" csv --by=program --metadata=no --crlf=no --show=I1mr many-page/profile | tail -n 1 | sed 's/.*,//')
ok 'many places: the sum, and functions with the most' says "$spread" "$(commas "$all") I1 misses, in many places."
ok '... by name' sh -c "echo '$spread' | grep -q 'with the most: main ([0-9.]*%), f0 (0.5%), f1 (0.5%)'"

# Where it has two runs, they are made at the same time: the first waits for the second, at most a minute of processor time.
cat >meet.c <<'END'
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    if (argc < 3 || mkdir(argv[1], 0700))
        return argc < 3 || mkdir(argv[2], 0700);
    while (access(argv[2], F_OK))
        sched_yield();
    return 0;
}
END
"$CC" -O1 -g -o meet meet.c || bail 'cannot compile'
# shellcheck disable=SC2086
cpu_limited 60 "$QUERN" report -q $caches --analysis=3c,sets -o met -- ./meet "$PWD/first" "$PWD/second" 2>err
is "$?$(cat err)$(grep -c 'The program ended with' met/index.html)" 00 'the run for sizes goes on beside the other'
is "$(tail -n +2 met/runs.csv | grep -c ',ok,')" "$(tail -n +2 met/runs.csv | grep -c '')" '... and neither failed'

printf '%0100000d' 0 | sed 's/00/01/g' >text
report --input=text -o input -- ./walk input
is "$?$(cat err)" 0 'a program that reads'
is "$(count input "$(line_of input)" AN.conflict)" 99998 '... has read all of it'
# Both runs, the second one by an experiment file.
cat >say.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    FILE *note = fopen(getenv("NOTE"), "a");
    char *given = getenv("GIVEN"), *hidden = getenv("HIDDEN"), line[20] = "";
    return !note || !fgets(line, sizeof line, stdin) || fprintf(note, "%s %s %s", given ? given : "none", hidden ? hidden : "none", line) < 0;
}
END
"$CC" -O1 -g -o 'say "it"' say.c || bail 'cannot compile'
echo read >'a "file"'
GIVEN='"1 \"' HIDDEN=2
export GIVEN HIDDEN
report --env=NOTE="$PWD/noted" --env=GIVEN --input='a "file"' --analysis=3c,sets -o said -- './say "it"'
is "$?$(cat err) $(cat noted)" '0 "1 \" none read
"1 \" none read' 'variables of --env, and no others, and names that need quotes'
unset GIVEN HIDDEN
report -o fail -- ./walk fail
is "$?$(cat err)" 0 'a program that ends with a status'
ok '... which is told' grep -q 'The program ended with: exit status 3' fail/index.html

caches='--I1=32768,8,64 --D1=8192,1,64 --LL=65536,8,64'
report --analysis=3c,sets,mattson -o curve -- ./walk capacity
is "$?$(cat err)" 0 'a report with the curve of a fully associative cache'
ok '... which is flat to 8 KiB, and low from 16 KiB on' \
    awk -F, '$1 == 8192 { a = $2 } $1 == 16384 { b = $2 } END { exit !(a > 3 && a > 10 * b) }' curve/curve.csv
is "$(grep -c 'src="curve.svg"' curve/index.html)$(grep -c 'src="curve.svg"' capacity/index.html)" 10 '... and is shown, here only'

# One execution: what the analysis sizes says of D1s of other sizes is what a second one, a sweep, says of them.
d1() { # the columns that do not depend on the LL, by name
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i
            n = split("D1_size D1_ways D1_line status Dr D1mr Dw D1mw D1_miss_percent", name, " ") }
        { for (i = 1; i <= n; i++) printf "%s,", $at[name[i]]; print "" }' "$1/runs.csv"
}
for what in capacity conflict; do
    report --analysis=3c,sets -o two -- ./walk $what
    is "$?$(cat err)" 0 "$what: a report of two executions"
    is "$(d1 $what)" "$(d1 two)" '... D1s of other sizes are those of the usual one'
    is "$(cat $what/size.csv)" "$(cat two/size.csv)" '... and so is what the picture shows'
done
is "$(d1 two | grep -c ',ok,')" 10 '... ten of them'
"$QUERN" report -o told -- true 2>err
is "$?$(sed 's/^quern report: //' err)" '01 of 2: the program: caches, predictors, analyses, intervals
2 of 2: pictures and page
the page is told/index.html' 'the steps are told, and where the page is'
report -o once -- sh -c 'echo executed >>executions'
is "$?$(cat err) $(wc -l <executions)" '0 1' '... the program is executed once'
report --analysis=sets,sizes --D1=1024,4,64 -o small -- ./walk conflict
is "$(sed 1d small/size.csv | cut -d, -f1 | tr '\n' ' ')" '256 512 1024 2048 4096 8192 16384 ' '... from one set on'

# A quern whose D1 is another one: what the analysis says is not what that D1 would miss.
mkdir other && cp "$QUERN" other/quern && "$QUERN" sim build --D1=fifo -o other/quern-engine || bail 'no other engine'
other/quern report -q $caches --analysis=sizes -o fifo -- ./walk conflict 2>err
is "$?: $(cat err)" '0: quern report: --analysis=sizes: it knows LRU caches, and the D1 here is fifo: a second run is made for D1s of other sizes' 'a D1 that is not LRU is told'
is "$(d1 fifo | grep -c ',ok,')" 10 '... and its sizes are run'
other/quern report -q $caches -o fifo -- ./walk conflict 2>err
is "$?$(cat err) $(d1 fifo | grep -c ',ok,')$(grep -c 'misses of D1s by size' fifo/profile)" '0 100' '... so they are without a word where nobody named the analysis'

report --analysis=3c,zzz -o none -- ./walk
is $? 2 'no such analysis: status 2'

# Of a profile that is there: what it holds, and how the rest is collected.
"$QUERN" run -q --D1=8192,1,64 --LL=65536,8,64 --out-file=bare.prof ./walk conflict
"$QUERN" report -q -o bare-page bare.prof 2>err
is "$?$(cat err)" 0 'a report of a profile'
ok '... with its lines' grep -q "walk.c:$(line_of conflict), in main: 100,000 D1 misses\." bare-page/index.html
for way in 'quern run --branch-sim=yes' 'quern run --analysis=3c' 'quern sweep -o runs.csv' 'quern report --intervals=run.csv' 'quern report --sets=PROFILE.sets.csv'; do
    ok "... what is missing: $way" grep -q "class=\"missing\".*$way" bare-page/index.html
done
"$QUERN" run --branch-sim=yes --D1=8192,1,64 --LL=65536,8,64 --analysis=3c,sets --interval=auto --interval-file=run.csv \
    -q --out-file=full.prof ./walk conflict
"$QUERN" sweep -q -o runs.csv --D1=8192,1,64 -L D1.size=4096,8192,16384 -- ./walk conflict
"$QUERN" report -q -o full-page --intervals=run.csv --sizes=runs.csv --sets=full.prof.sets.csv full.prof 2>err
is "$?$(cat err)" 0 'with all that belongs to it'
is "$(grep -c 'class="missing"' full-page/index.html)" 0 '... nothing is missing'
ok '... phases, sizes, sets, classes' test -s full-page/phases.gp -a -s full-page/size.gp -a -s full-page/sets.gp -a -s full-page/heat.gp -a -s full-page/classes.gp
env -i PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C "$QUERN" run --D1=8192,1,64 --analysis=sizes -q --out-file=sizes.prof ./walk conflict
"$QUERN" report -q -o sizes-page --sizes=sizes.prof.sizes.csv sizes.prof 2>err
is "$?$(cat err) $(cat sizes-page/size.csv)" "0 $(cat conflict/size.csv)" 'sizes out of the table of a run'
"$QUERN" report --sets=full.prof.sets.csv -- ./walk 2>err
is "$?: $(cat err)" '2: quern report: --intervals, --sizes, --sets and --mattson: wanted one profile with them; `quern report --help` describes it' 'a program has them made'
"$QUERN" report --D1=1024,2,64 bare.prof 2>err
is $? 2 'a profile has its caches'
"$QUERN" report --intervals=none.csv -o none bare.prof 2>err
is "$?: $(cat err)" '1: quern report: none.csv: cannot open: No such file or directory' 'no such file'
"$QUERN" report --intervals=full.prof.sets.csv -o none full.prof 2>err
is "$?: $(cat err)" '1: quern report: full.prof.sets.csv:1: got no columns `start`, `end` and an event of the profile, wanted the counts of `quern run --interval=N`' 'misses by set are no intervals'
grep -v '^summary:' bare.prof >cut.prof
for files in cut.prof '--sizes=bare.prof full.prof' '--diff bare.prof cut.prof' '--diff cut.prof bare.prof'; do
    # shellcheck disable=SC2086 # words
    "$QUERN" report -o none $files 2>>cut.err
done
is "$(sed 's/:[0-9]*: .*//; s/: got.*//' cut.err) $(ls -d none* 2>&1 | grep -c '^none')" 'quern report: cut.prof
quern report: bare.prof
quern report: cut.prof
quern report: cut.prof 0' 'files that cannot be read are called what they were given as'
"$QUERN" report --sets=run.csv -o none full.prof 2>err
is "$?: $(cat err)" '1: quern report: run.csv:1: got no column `cache`, wanted PROFILE.sets.csv of the analysis sets' '... nor are intervals misses by set'

# Of two: what has changed.  The figures are those of csv.
"$QUERN" run -q --D1=8192,2,64 --LL=65536,8,64 --out-file=ways.prof ./walk conflict
mkfifo pipe || bail 'no pipe'
cat bare.prof >pipe &
"$QUERN" report -q -o piped pipe 2>err
is "$?$(cat err)$(cmp piped/profile bare.prof 2>&1)" 0 'a report of a profile that comes through a pipe'
"$QUERN" report -q --diff -o diff-page bare.prof ways.prof 2>err
is "$?$(cat err)" 0 'a report of two profiles'
before=$("$QUERN" csv --by=line --metadata=no --crlf=no --show=v=D1mr+D1mw bare.prof | awk -F, -v l="$(line_of conflict)" '$3 ~ /walk\.c$/ && $5 == l { print $6 }')
after=$("$QUERN" csv --by=line --metadata=no --crlf=no --show=v=D1mr+D1mw ways.prof | awk -F, -v l="$(line_of conflict)" '$3 ~ /walk\.c$/ && $5 == l { print $6 }')
row=$(sed -n '/<h2 id="lines">/,$p' diff-page/index.html | grep '^<tr><td>' | head -n 1)
ok "... the line that has changed most: $before before, $after after" says "$row" "<tr><td>walk.c:$(line_of conflict)</td>"
ok '... and by how much' says "$row" ">-$(commas $((before - after)))<"
cycles=$("$QUERN" csv --by=program --metadata=no --crlf=no --show=cycles bare.prof | sed -n '2s/.*,//p')
is "$(sed -n 's/^<tr><th scope="row">\(D1 cache\)<\/th><td>\([0-9]*\) B, .*/\1 \2/p' diff-page/index.html)" "$(sed -n 's/^desc: \(D1 cache\): *\([0-9]*\) B.*/\1 \2/p' diff-page/before diff-page/profile)" \
    '... where both come from, by name and value'
ok '... cycles of the run before' grep -q "cycles (estimated)</td><td>$(commas "$cycles")</td>" diff-page/index.html
"$QUERN" report -q --diff -o same-page bare.prof bare.prof
is "$(grep -c '<p>The same in both.</p>' same-page/index.html)" 2 'a profile and itself'
# Of code without symbols the object is named; what a stripped library exports has its name.
cat >lib.c <<'END'
static volatile int table[1 << 16], sum;
static __attribute__((noinline)) void hidden(void) { for (int i = 0; i < 1 << 16; i += 16) table[i]++; }
void exported(void) { for (int n = 0; n < 10; n++) { hidden(); for (int i = 0; i < 1 << 16; i += 16) sum += table[i]; } }
END
echo 'void exported(void); int main(void) { exported(); return 0; }' >uses.c
{ "$CC" -O1 -fPIC -shared -s -o libstripped.so lib.c && "$CC" -O1 -g -o uses uses.c ./libstripped.so; } || bail 'cannot compile'
report -o stripped -- ./uses
is "$?$(cat err)" 0 'a stripped library'
is "$(grep -c '??? in' stripped/index.html) $(grep -o '<td>libstripped.so (no symbols)</td>' stripped/index.html | sort -u) $(grep -o '<td>exported</td>' stripped/index.html)" \
    '0 <td>libstripped.so (no symbols)</td> <td>exported</td>' '... is named, and so is what it exports'
ok '... in the findings, too' says "$(sed -n '/class="first"/,/<\/ol>/p' stripped/index.html)" 'libstripped.so (no symbols): '

# Two builds in two folders: a file is the same if its path ends alike, for both pages; what runs of libc differ by is no row.
for side in one two; do
    mkdir -p $side/src
    cp walk.c $side/src/walk.c
    [ $side = one ] || sed -i 's/n < 400/n < 300/' two/src/walk.c
    "$CC" -O1 -fno-inline -g -o $side/walk "$PWD/$side/src/walk.c" || bail 'cannot compile'
    "$QUERN" run -q --data=yes --calls=yes --D1=8192,2,64 --LL=65536,8,64 --out-file=$side.prof $side/walk capacity
done
"$QUERN" report -q --diff -o moved-page one.prof two.prof 2>err
is "$?$(cat err) $(sed -n '/<h2 id="functions">/,/<h2 id="lines">/p' moved-page/index.html | grep -c '^<tr><td>') $(sed -n '/<h2 id="lines">/,/<h2 id="origin">/p' moved-page/index.html | grep '^<tr><td>' | grep -cv walk.c)" \
    '0 1 0' 'two builds in two folders: one function, lines of one file'
is "$(grep -c '"name":"[^"]*/one/src/walk.c"' moved-page/explore.html) $(grep -c '"name":"[^"]*/two/src/walk.c"' moved-page/explore.html)" '0 2' '... for the page to explore, too'
ok '... in objects and calls' sh -c '! grep -q "/one/src/" moved-page/explore.html'
"$QUERN" page --diff -o moved.html one.prof two.prof
is "$(grep -c '/one/src/' moved.html)$(cmp one.prof moved-page/before)" 0 '... and for quern page; the profile stays as it is'
sed 's|/one/src/|/three/deep/|; s|^fl=\./elf/|fl=/glibc/elf/|; s|^fl=\./nptl/|fl=/glibc/nptl/|' one.prof >three.prof
"$QUERN" report -q --diff -o moved-page three.prof one.prof
is "$(grep -c '<p>The same in both.</p>' moved-page/index.html)" 2 'several folders that moved'
# What only one of the two has is no change; nor are cycles that its mispredicts cost.
"$QUERN" run -q --branch-sim=yes --data=yes --calls=yes --D1=8192,1,64 --LL=65536,8,64 --out-file=branchy.prof ./walk conflict
"$QUERN" report -q --diff -o one-page bare.prof branchy.prof 2>err
is "$?$(cat err)$(sed -n 's/^<p>Left out/Left out/p' one-page/index.html)" '0Left out, also of the cycles, because only one of the two has it: Bc, Bcm, Bi, Bim (after).</p>' \
    'what only one of two profiles has is told'
is "$(grep -c 'mispredicts</t[dh]>' one-page/index.html) $(grep -c '^<tr><td>cycles (estimated)</td><td>'"$(commas "$cycles")"'</td>' one-page/index.html) $(grep -c 'Left out' diff-page/index.html)" \
    '0 1 0' '... and is in no table, nor in the cycles'
"$QUERN" report --diff bare.prof ./walk 2>err
is "$?: $(cat err)" '2: quern report: --diff: wanted two profiles; `quern report --help` describes it' 'no two profiles'

# Well-formed: every element that is opened is closed, in order.
balanced() {
    sed '/^<style>/,/<\/style>/d' "$1/index.html" | awk '
        { while (match($0, /<[^>]*>/)) {
            tag = substr($0, RSTART + 1, RLENGTH - 2)
            $0 = substr($0, RSTART + RLENGTH)
            if (tag ~ /^!|^meta|^img/) continue
            closing = sub(/^\//, "", tag)
            sub(/[ ].*/, "", tag)
            if (!closing) { stack[++n] = tag; all++ }
            else if (stack[n--] != tag) { print NR ": </" tag "> after <" stack[n + 1] ">"; exit bad = 1 }
        } }
        END { if (n || all < 100) print n " left, " all " in all"; exit bad || n || all < 100 }'
}
for folder in conflict branch objects input fail bare-page full-page diff-page; do
    ok "$folder: elements nest" balanced $folder
done
for name in $(sed 's/\(href\|src\)="/\n&/g' conflict/index.html | sed -n 's/^\(href\|src\)="\([^"]*\)".*/\2/p' | grep -v '^#' | sort -u); do
    ok "what it links to is there: $name" test -s "conflict/$name"
done
for id in first summary functions lines caches phases branches origin; do
    is "$(grep -c "<a href=\"#$id\">" conflict/index.html)$(grep -c "<h2 id=\"$id\">" conflict/index.html)" 11 "the contents lead to $id"
done
is "$(grep -c '<title>Gnuplot' conflict/*.svg | grep -vc ':0$')" 0 'no picture is called Gnuplot'
ok 'a picture says in words what it shows' grep -q 'src="classes.svg" alt="[^"]*: compulsory 2, capacity 0, conflict 99998' conflict/index.html
ok 'nothing from elsewhere, no script' sh -c "! grep -qi 'http:\|https:\|<script\|javascript\|@import\|url(' conflict/index.html"

# Names from outside are text.
cp walk.c 'x<i>.c'
"$CC" -O1 -g -o 'x<i>' 'x<i>.c' || bail 'cannot compile'
report -o names -- './x<i>' conflict '<script>alert(1)</script>&"'
is $? 0 'odd names'
ok '... are escaped' grep -qF '&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;' names/index.html
ok '... everywhere' sh -c "! grep -q '<script\|<i>' names/index.html"
ok '... in elements that nest' balanced names

# Beside it the page to explore, of the same profile, with intervals, runs and sets.
is "$(explore conflict | grep -o '"totals":\[0,[0-9]*' | grep -o '[0-9]*$')" "$("$QUERN" csv --metadata=no --crlf=no --by=program --show=Ir conflict/profile | sed -n '2s/.*,//p')" \
    'a page to explore has the counts of the profile'
is "$(explore conflict | grep -o '^"\(intervals\|runs\|sets\|caches\)":' | tr -d '\n')" '"intervals":"runs":"sets":"caches":' '... intervals, runs and sets'
is "$(explore diff-page | grep -c '^"before":')$(grep -c 'href="explore.html"' diff-page/index.html)" 11 '... of a comparison, too'

# The same again.
(umask 077; report -o again -- ./walk conflict)
is "$(stat -c %a again conflict | tr '\n' ' ')" '700 755 ' 'a folder for whom the umask allows'
is "$(diff -r conflict again)" '' 'the same again: every file'
before=$(stat -c %i conflict/index.html)
report -o conflict -- ./walk conflict
is "$?$(cat err)" 0 'a report takes the place of another'
ok '... (a new one)' test "$(stat -c %i conflict/index.html)" != "$before"
mkdir mine empty
echo mine >mine/file
report -o mine -- ./walk
is "$?: $(cat err)" '1: quern report: mine: is a folder without a report in it; name another with -o' 'but not of anything else'
is "$(ls mine)" file '... which stays'
for what in file folder link; do
    cp -r again theirs
    case $what in
    file) foreign=notes.csv && echo mine >theirs/notes.csv ;;
    folder) foreign=photos && mkdir theirs/photos ;;
    link) foreign=profile && rm theirs/profile && ln -s ../mine/file theirs/profile ;;
    esac
    report -o theirs -- ./walk
    is "$?: $(cat err)" "1: quern report: theirs/$foreign: is not of the report in this folder, and would be lost; name another with -o" \
        "nor of a report beside which there is a $what of the user's"
    ok '... which stays' test -e "theirs/$foreign" -a -e theirs/index.html
    rm -rf theirs
done
report -o mine/file -- ./walk
is "$?: $(cat err)" '1: quern report: mine/file: got a file, wanted the name of a folder' 'nor of a file'
report -o empty -- ./none
is "$? $(ls -d empty)" '127 empty' 'an empty folder stays where there is no program'
report -o empty/ -- ./walk
is $? 0 'an empty folder is filled'

"$QUERN" report 2>err
is "$?: $(cat err)" '2: quern report: name a program; `quern report --help` describes it' 'no program'
"$QUERN" report --D2=1 ./walk 2>err
is "$?: $(cat err)" '2: quern report: --D2=1: no such option; `quern report --help` describes it' 'no such option'
report -o none -- ./none
is $? 127 'no such program: status 127'
ok '... and a line' grep -q '^quern report: .*none' err
"$QUERN" report -o none -- ./none 2>err
is "$(cat err)" 'quern report: ./none: No such file or directory' '... alone, without the step that has begun'
caches=--D1=1000,3,7
report -o none -- ./walk
is $? 2 'an impossible cache: status 2'
caches='--I1=32768,8,64 --D1=8192,1,64 --LL=65536,8,64'
report --input=none -o none -- ./walk
is "$?: $(cat err)" '2: quern report: none: No such file or directory' 'no such input'
ok 'nothing is there then' test ! -e none

# One gnuplot draws all pictures; where it fails, each is drawn by itself.
gnuplot=$(command -v gnuplot)
if [ -n "$gnuplot" ] && grep -q '^#define QN_GNUPLOT "gnuplot"' "$top_builddir/config.h"; then
    mkdir counted
    printf '#!/bin/sh\necho "$*" >>"%s/started"\n[ $# -gt 2 ] && [ -e "%s/fails" ] && exit 1\nexec "%s" "$@"\n' "$PWD" "$PWD" "$gnuplot" >counted/gnuplot
    chmod +x counted/gnuplot
    PATH=$PWD/counted:$PATH "$QUERN" report -q -o drawn bare.prof
    pictures=$(grep -c '<img ' drawn/index.html)
    is "$(wc -l <started) $((pictures > 1))$(grep -c 'No picture' drawn/index.html)" '1 10' "one gnuplot for $pictures pictures"
    : >started
    PATH=$PWD/counted:$PATH "$QUERN" report -q -o each --sets=full.prof.sets.csv full.prof
    is "$(tr ' ' '\n' <started | grep -c '^sets.gp$') $(tr ' ' '\n' <started | grep '\.gp$' | sort | uniq -d)" '1 ' '... each of them once'
    : >started
    : >fails
    PATH=$PWD/counted:$PATH "$QUERN" report -q -o alone bare.prof
    is "$(wc -l <started) $(diff drawn/index.html alone/index.html)" "$((1 + pictures)) " '... and one for each where that fails'
else
    absent 'gnuplot is not installed' 3
fi

# Neither gnuplot nor a compiler.
mkdir bare
ln -s "$(command -v rm)" bare/rm
(
    unset CC
    PATH=$SCRATCH/bare report -o bare-report -- ./walk conflict
)
is "$?$(cat err)" 0 'neither gnuplot nor a compiler: a page all the same'
ok '... that says so' grep -q 'No picture: there is no gnuplot here' bare-report/index.html
ok '... with the three Cs' test -s bare-report/classes.gp
ok '... with the scripts' test -s bare-report/functions.gp
ok '... in elements that nest' balanced bare-report
is "$(find . -maxdepth 1 | grep '\.[[:alnum:]]\{6\}$')" '' 'nothing of ours stays behind'
done_testing
