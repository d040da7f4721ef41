#!/bin/sh
# Are marks of a class the same, byte for byte, when its checks are jobs of GNU parallel or of Slurm, some of which are lost?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

out=$SCRATCH/out err=$SCRATCH/err class="$SCRATCH/a class"
for i in 1 2 3 4 5 6; do
    mkdir -p "$class/student $i"
    printf '#include <stdio.h>\nint main(void) { puts("hits:%d misses:8 evictions:6"); return 0; }\n' $((i + 5)) >"$class/student $i/csim.c"
done
mkdir "$class/it's seven"
cp "$top_srcdir/labs/01-cache/starter/csim.c" "$class/it's seven"
# Names that CSV, a shell or a spreadsheet would take for something else, a link, and what is no student's.
mkdir "$SCRATCH/elsewhere"
cp "$class/student 1/csim.c" "$SCRATCH/elsewhere"
newline='new
line '
for name in 'lovelace, ada' 'quo"te' "$newline" '=cmd|calc' '-1' '@sum' '$(touch run)'; do
    mkdir "$class/$name"
    cp "$class/student 1/csim.c" "$class/$name"
done
ln -s ../elsewhere "$class/link"
: >"$class/marks.csv"
mkdir "$class/.hidden"
cd "$SCRATCH" || bail 'no scratch'

# marks STATUS WHAT OPTIONS...
marks() {
    wanted=$1 what=$2
    shift 2
    "$QUERN" lab marks "$@" 1 "$class" >"$out" 2>"$err"
    is $? "$wanted" "$what" || diag "$(cat "$out" "$err")"
}

marks 0 'marks here' -o here.csv
is "$(cat "$err")" "quern: lab: $class/.hidden: left out: hidden folders are no student's" 'each folder is a row, or left out by name'
is "$(tail -n +2 here.csv | sed 's/,[0-9,]*$//')" "\$(touch run)
'-1
'=cmd|calc
'@sum
it's seven
link
\"lovelace, ada\"
\"new
line \"
\"quo\"\"te\"
student 1
student 2
student 3
student 4
student 5
student 6" 'of all students, quoted, and no formula'
if "$QUERN" lab marks --json 1 "$class" >json 2>"$err"; then
    is "$(jq -r '.rows[].student' json | sed -n '2,5p' | tr '\n' ' ')" "-1 =cmd|calc @sum it's seven " 'JSON has names as they are'
else
    absent 'jansson is not installed'
fi
cp here.csv kept.csv
"$QUERN" lab marks --json -o kept.csv 1 "$class/none" >out 2>&1
is "$? $(cat out)" "1 quern: lab: $class/none: No such file or directory" 'a folder that is missing, as JSON'
"$QUERN" lab marks -o kept.csv 1 "$class/none" >out 2>&1
is "$? $(cat out)" "1 quern: lab: $class/none: No such file or directory" '... as a table: one line'
same_file kept.csv here.csv '... the marks that are there stay'
ln -s nowhere "$class/dangling"
marks 1 'a link to nowhere' -o less.csv
ok '... is named' grep -qF "$class/dangling: left out: No such file" "$err"
same_file less.csv here.csv '... and the others have their rows'
rm "$class/dangling"

mkdir -p two/ada two/bob
cp "$class/student 1/csim.c" two/ada
is "$("$QUERN" lab marks 1 two 2>"$err" | awk -F, 'NR > 1 { print $1 ": " $NF }')" 'ada: 
bob: csim.c was not handed in' 'a note says that a file is missing'

echo 'a key of this course' >"the key"
marks 0 'with a key' --key-file='the key' -o keyed.csv
if command -v parallel >/dev/null; then
    marks 0 'GNU parallel' --on=parallel --on-opt=--jobs=2 -o parallel.csv
    same_file parallel.csv here.csv 'the same table'
    marks 0 'GNU parallel, with a key' --on=parallel --key-file='the key' -o parallel.csv
    same_file parallel.csv keyed.csv 'the same table'
    ok 'and nothing else is left' test ! -e parallel.csv.parts
else
    absent 'GNU parallel is not installed' 5
fi

# In place of Slurm: runs the parts of --array=, one after the other, but those that ./lost has on a line, once each.
mkdir bin
cat >bin/sbatch <<'END'
#!/bin/sh
for script in "$@"; do case $script in --array=*) array=${script#--array=} ;; esac; done
echo "$array" >>submitted
for SLURM_ARRAY_TASK_ID in $(echo "$array" | tr , ' '); do
    export SLURM_ARRAY_TASK_ID
    if grep -qx "$SLURM_ARRAY_TASK_ID" lost; then
        sed -i "0,/^$SLURM_ARRAY_TASK_ID\$/{//d}" lost
    else
        sh "$script" || exit 1
    fi
done
END
chmod +x bin/sbatch
PATH=$SCRATCH/bin:$PATH
printf '%s\n' 2 5 5 >lost
marks 0 'Slurm, where jobs are lost' --on=slurm -o slurm.csv
same_file slurm.csv here.csv 'the same table'
is "$(tr '\n' ' ' <submitted)" "$(seq -s, 15) 2,5 5 " 'what was lost is given out again, and nothing else'
rm submitted
printf '%s\n' 3 3 3 >lost
marks 1 'a job that is lost each time' --on=slurm -o again.csv
is "$(tail -n 1 "$err")" "quern: lab: $class/=cmd|calc: could not be checked" 'is told'
rm submitted
marks 0 'the same command again' --on=slurm -o again.csv
is "$(cat submitted)" 3 'goes on with it'
same_file again.csv here.csv 'and has the same table'
marks 2 'without a file' --on=slurm
is "$(wc -l <"$err" | tr -d ' ')" 1 'is one line'
# An interrupted one: with --cancel its jobs go, too.
mkfifo never begun
printf '#!/bin/sh\necho 17\necho begun >begun\nread -r line <never\n' >bin/sbatch
printf '#!/bin/sh\necho "$@" >cancelled\n' >bin/scancel
chmod +x bin/scancel
for cancel in no yes; do
    "$QUERN" lab marks --on=slurm --cancel=$cancel -o cut.csv 1 "$class" >"$out" 2>"$err" &
    marking=$!
    read -r line <begun
    kill -TERM $marking
    wait $marking
    is "$? $(cat cancelled 2>"$SCRATCH/none")" "143 $([ $cancel = yes ] && echo 17)" "interrupted, --cancel=$cancel"
    is "$(grep -c 'jobs 17 go on; the same command takes their checks' "$err")" $([ $cancel = no ]; echo $((1 - $?))) '... is told'
done
printf '#!/bin/sh\necho gone >&2\nexit 127\n' >bin/sbatch
marks 1 'an engine that is not there' --on=slurm -o none.csv
done_testing
