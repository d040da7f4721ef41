#!/bin/sh
# Do a teacher's commands work: marks of thirty students in a table, an autograder for Gradescope, the demonstrations of doc/teaching.md?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

out=$SCRATCH/out err=$SCRATCH/err
students=30

# ---- marks ----

if [ -d "$top_srcdir/labs/solutions" ]; then
    solution=$top_srcdir/labs/solutions/01-cache/csim.c
    for i in $(seq -w $students); do
        mkdir -p "$SCRATCH/class/s$i"
        case $i in
        *0) cp "$top_srcdir/labs/01-cache/starter/csim.c" "$SCRATCH/class/s$i" ;;
        *[1-4]) cp "$solution" "$SCRATCH/class/s$i" ;;
        *5) ;; # handed in nothing
        *) sed "s/op == 'I'/0/" "$solution" >"$SCRATCH/class/s$i/csim.c" ;;
        esac
    done
    "$QUERN" lab marks -o "$SCRATCH/marks.csv" 1 "$SCRATCH/class" >"$out" 2>"$err"
    is $? 0 'marks of a class' || diag "$(cat "$err")"
    is "$(head -n 1 "$SCRATCH/marks.csv")" 'student,points,1,2,3,4,5,6,7,8,9,10,11,note' 'a column for each test'
    is "$(wc -l <"$SCRATCH/marks.csv" | tr -d ' ')" $((students + 1)) 'a row for each student'
    is "$(awk -F, 'NR > 1 { n[$2]++ } END { print n[100], n[95], n[0] }' "$SCRATCH/marks.csv")" '12 12 6' 'each has what is right'
    is "$(awk -F, 'NR > 1 { sum = 0; for (i = 3; i < NF; i++) sum += $i; wrong += sum != $2 } END { print wrong + 0 }' "$SCRATCH/marks.csv")" 0 'points are the sum of the tests'
else
    skip 'the solutions are not here: this is a release' 5
fi
# Files of `start` that are cut, another's, missing, or begun without the key.
echo 'a key of this course' >"$SCRATCH/key"
mkdir "$SCRATCH/keyed"
for who in ada bob cyd dan eve; do
    "$QUERN" lab start 1 "$SCRATCH/keyed/$who" --student=$who --key-file="$SCRATCH/key" >"$out" 2>&1
done
cp "$SCRATCH/keyed/ada/.quern-lab" "$SCRATCH/keyed/bob"
echo 'lab 1' >"$SCRATCH/keyed/cyd/.quern-lab"
rm "$SCRATCH/keyed/dan/.quern-lab"
sed -i /variant/d "$SCRATCH/keyed/eve/.quern-lab"
notes() { sed -n '2,$s/\([^,]*\),.*,/\1:/p' | tr '\n' ' '; }
is "$("$QUERN" lab marks --key-file="$SCRATCH/key" 1 "$SCRATCH/keyed" 2>"$err" | notes)" \
    "ada: bob:.quern-lab is that of ada cyd:.quern-lab is cut or changed dan:no .quern-lab eve:begun without the class's key " 'whose folder it is'
is "$("$QUERN" lab marks 1 "$SCRATCH/keyed" 2>"$err" | notes)" \
    "ada:.quern-lab is that of bob bob:.quern-lab is that of ada cyd:.quern-lab is cut or changed dan:no .quern-lab eve:begun without the class's key " \
    '... and what shows without the key'
"$QUERN" lab marks 1 "$SCRATCH/nowhere" >"$out" 2>"$err"
is "$?:$(grep -c 'nowhere: No such file' "$err")" 1:1 'a folder that is not there is told'

# ---- Gradescope ----

# In a folder that stands for /autograder, as Gradescope lays it out; quern is there already, instead of setup.sh.
"$QUERN" lab gradescope 1 -o "$SCRATCH/autograder.zip" >"$out" 2>"$err"
is $? 0 'an autograder' || diag "$(cat "$err")"
"$QUERN" lab gradescope 1 -o "$SCRATCH/again.zip"
same_file "$SCRATCH/again.zip" "$SCRATCH/autograder.zip" 'made again it is the same'
if command -v unzip >/dev/null; then
    box=$SCRATCH/autograder
    mkdir -p "$box/source" "$box/submission" "$box/results" "$box/bin"
    ok 'it is a zip file' unzip -q "$SCRATCH/autograder.zip" -d "$box/source"
    is "$(cd "$box/source" && ls | tr '\n' ' ')" 'run_autograder setup.sh ' 'of two scripts'
    is "$(head -q -n 1 "$box/source/run_autograder" "$box/source/setup.sh" | sort -u)" '#!/bin/sh' 'that say what runs them'
    ok 'and may be run' test -x "$box/source/run_autograder" -a -x "$box/source/setup.sh"
    ok 'setup.sh is right shell' sh -n "$box/source/setup.sh"
    cp "$top_srcdir/labs/01-cache/starter/csim.c" "$box/submission"
    printf '#!/bin/sh\nexec %s "$@"\n' "$QUERN" >"$box/bin/quern" && chmod +x "$box/bin/quern"
    AUTOGRADER=$box PATH=$box/bin:$PATH "$box/source/run_autograder" >"$out" 2>"$err"
    is "$?:$(grep -c '"score": 0,' "$box/results/results.json")" 0:12 'it grades a submission' || diag "$(cat "$err")"
    # Gradescope's autograder specifications, "Output format" and "Test case status": compared with the published text.
    is "$(jq -c '[(keys - ["score", "execution_time", "output", "output_format", "visibility", "stdout_visibility", "extra_data", "tests", "leaderboard"]),
        ([.tests[] | keys[]] | unique - ["score", "max_score", "status", "name", "name_format", "number", "output", "output_format", "tags", "visibility",
        "extra_data"]), ([.tests[].status] | unique - ["passed", "failed"]), ([.tests[] | (.score | type), (.number | type), (.output | type)] | unique),
        ([.tests[] | .score <= .max_score] | all), .score == ([.tests[].score] | add)]' "$box/results/results.json")" \
        '[[],[],[],["number","string"],true,true]' 'its results have the fields that Gradescope documents, and no others'
else
    absent 'unzip is not installed' 7
fi
echo 'a key of this course' >"$SCRATCH/key"
"$QUERN" lab gradescope 3 --key-file="$SCRATCH/key" -o "$SCRATCH/x.zip"
ok 'with a key: it is in the zip file, and used' sh -c "grep -aq 'a key of this course' '$SCRATCH/x.zip' && grep -aq 'source/key' '$SCRATCH/x.zip'"

# ---- demonstrations ----

# What each must show, in the numbers that it prints, first to last.
shows() {
    case $1 in
    belady) echo '$1 == 9 && $3 == 10' ;;
    opt) echo '$1 == 8 && $3 == 6' ;;
    rows) echo '$1 == $3 && $4 > 7 * $2' ;;
    ways) echo '$2 == $1 && $4 < 50' ;;
    classes) echo '$3 > 50000 && $6 == 0' ;;
    stride) echo '$4 > 3 * $2 && $6 == $5 && $8 == $7' ;;
    onebit) echo '$1 > 1.9 * $4 && $4 > 9900' ;;
    history) echo '$1 > 9900 && $4 < 100' ;;
    prefetch) echo '$6 < 0.6 * $2 && $8 > 0.99 * $4' ;;
    sharing) echo '$1 > 15000 && $2 == 0 && $3 == 0 && $4 == 0' ;;
    layout) echo '$2 == $1 && $4 < 0.2 * $3' ;;
    *) echo 0 ;;
    esac
}
"$QUERN" demo >"$out"
is "$(sed 's/ .*//' "$out" | tr '\n' ' ')" 'belady classes history layout onebit opt prefetch rows sharing stride ways ' 'eleven demonstrations'
is "$(sed -n '/^## Eleven demonstrations/,/^## The/s/^| \([a-z]*\) |.*/\1/p' "$top_srcdir/doc/teaching.md" | LC_ALL=C sort | grep -v NAME | tr '\n' ' ')" \
    "$(sed 's/ .*//' "$out" | tr '\n' ' ')" 'doc/teaching.md has them'
mkdir -p "$SCRATCH/far/away" && cp "$QUERN" "$SCRATCH/far/away/quern"
ok 'a copy of quern somewhere else finds those of the tree that it was built from' sh -c "cd '$SCRATCH' && '$SCRATCH/far/away/quern' demo | cmp - '$out'"
for name in $(sed 's/ .*//' "$out"); do
    (cd "$SCRATCH" && "$QUERN" demo "$name") >"$SCRATCH/demo" 2>&1 </dev/null
    is $? 0 "demo $name" || diag "$(tail -n 5 "$SCRATCH/demo")"
    ok '... asks first, and tells the answer at the end' sh -c "sed -n 3p '$SCRATCH/demo' | grep -q ' ' && tail -n 1 '$SCRATCH/demo' | grep -q '[.]\$'"
    # Numbers in front of a source line, of a count of misses or of a class.
    sed -n '/^\$ /d; s/,//g; /^c[a-z]* *[0-9]* *D1 misses:/{s/^[a-z]* *\([0-9]*\) .*/\1/p;d}; s/^\( *[0-9][0-9]*  *[0-9][0-9]*\)  *[a-z].*/\1/p; s/.*[Mm]is[a-z]*: *//p' "$SCRATCH/demo" |
        sed 's/( *\([0-9]*\)[^+]*+ *\([0-9]*\).*/\1 \2/; s/^\([0-9]* \)  *\([0-9]*\) 0$/\1 \2/' | tr '\n' ' ' >"$SCRATCH/numbers"
    ok '... of which the numbers are what it says' awk "{ exit !($(shows "$name")) }" "$SCRATCH/numbers" || diag "$(cat "$SCRATCH/numbers" "$SCRATCH/demo")"
done
is "$(find "$SCRATCH" /tmp -maxdepth 1 -name 'quern-demo.*' -newer "$out" | wc -l | tr -d ' ')" 0 'nothing stays behind'
"$QUERN" demo --keep="$SCRATCH/kept" layout >"$out" 2>&1
ok 'but what is kept' test -x "$SCRATCH/kept/layout" -a -s "$SCRATCH/kept/layout.out"
"$QUERN" demo nothing >"$out" 2>"$err"
is "$?:$(cat "$err")" '2:quern demo: nothing: no such demonstration; `quern demo` lists them' 'another name: one line'
PATH=/nowhere "$QUERN" demo layout >"$out" 2>"$err"
is "$?:$(tail -n 1 "$err")" '1:quern demo: this command failed: cc -O1 -g -o layout layout.c' 'no compiler: the command that failed is named'
done_testing
