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
else
    absent 'unzip is not installed' 6
fi
echo 'a key of this course' >"$SCRATCH/key"
"$QUERN" lab gradescope 3 --key-file="$SCRATCH/key" -o "$SCRATCH/x.zip"
ok 'with a key: it is in the zip file, and used' sh -c "grep -aq 'a key of this course' '$SCRATCH/x.zip' && grep -aq 'source/key' '$SCRATCH/x.zip'"

# ---- demonstrations ----

mkdir "$SCRATCH/bin"
printf '#!/bin/sh\nexec %s "$@"\n' "$QUERN" >"$SCRATCH/bin/quern" && chmod +x "$SCRATCH/bin/quern"
sed -n '/^## Ten demonstrations/,/^## /s/^    \$ //p' "$top_srcdir/doc/teaching.md" >"$SCRATCH/demonstrations"
is "$(wc -l <"$SCRATCH/demonstrations" | tr -d ' ')" 10 'ten demonstrations, of one command each'
cp -r "$top_srcdir/doc/examples" "$top_srcdir/labs" "$SCRATCH"
number=0
while IFS= read -r command; do
    number=$((number + 1))
    (cd "$SCRATCH" && PATH=$SCRATCH/bin:$PATH sh -c "$command") >"$out" 2>&1
    is $? 0 "demonstration $number: $command" || diag "$(tail -n 5 "$out")"
done <"$SCRATCH/demonstrations"
done_testing
