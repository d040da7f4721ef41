#!/bin/sh
# Does `quern sweep --stage=FOLDER` give the same rows on nodes that see that folder, but neither quern nor the program, its input, module and folder?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -x "$top_builddir/quern-engine" ] || bail 'there is no engine in this build'
rm -rf home stage sweep.d seen
mkdir -p home/ada/work home/ada/bin bin || bail 'no folders'
sources=$top_srcdir/lib/sim/policy
# What it does depends on each name that it sees.
cat >names.c <<'END'
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
static volatile unsigned char table[65536];
static unsigned long sum;
static void eat(const char *s)
{
    for (; *s; s++) {
        sum = sum * 31 + (unsigned char)*s;
        table[sum & 65535]++;
    }
}
int main(int argc, char **argv)
{
    char exe[4096] = "", cwd[4096], line[256];
    struct stat st;
    FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;

    if (readlink("/proc/self/exe", exe, sizeof exe - 1) < 0 || !f || stat(exe, &st))
        return 3;
    eat(exe);
    eat(argv[0]);
    eat((const char *)getauxval(AT_EXECFN));
    eat(getcwd(cwd, sizeof cwd));
    sum += (unsigned long)st.st_mtime + st.st_mode;
    while (fgets(line, sizeof line, f) || fgets(line, sizeof line, stdin))
        eat(line);
    for (unsigned i = 0; i < sum % 100000 + 10000; i++)
        table[i * 7 & 65535]++;
    return 0;
}
END
cp "$QUERN" "$top_builddir/quern-engine" home/ada/bin/ || bail 'no copy of quern'
own=$SCRATCH/home/ada/bin/quern # which nodes do not have either
work=home/ada/work
"$CC" -O1 -g -o $work/names names.c 2>log || bail "cc: $(cat log)"
sed 's/^ \* /&(mine) /' "$sources/fifo.c" >$work/mine.c
seq 500 >$work/data
seq 1000 1500 >$work/input
chmod 600 $work/input
cat >$work/names.exp <<'END'
I1 = "4096,2,32"
D1 = "{size},2,32"
LL = "65536,8,64"
axis sim  { values = {lru, "mine.c"} }
axis size { values = {1024, 4096} }
program names { command = {"./names", "data"}  input = "input" }
END

# In place of Slurm: each part on a node of its own, which has nothing in the place of home, or another program there.
cat >bin/sbatch <<END
#!/bin/sh
for script in "\$@"; do
    case \$script in --array=*) array=\${script#--array=} ;; --output=*) logs=\${script#--output=} logs=\${logs%/*} ;; esac
done
echo 17
[ ! "\$DAMAGED" ] || echo changed >>"\$DAMAGED"
for part in \$(echo "\$array" | tr , ' '); do
    \$UNSHARE sh -c 'mount -t tmpfs none "\$2" && { [ ! "\$4" ] || mkdir -p "\$2/ada/work"; } && { [ "\$4" != other ] || cp /bin/true "\$2/ada/work/names"; } &&
        { [ ! "\$LACKS" ] || { mount -t tmpfs none "$top_srcdir/lib" && mount --bind /dev/null "$top_builddir/libquern-engine.a"; }; } &&
        cd / && sh "\$1" "\$3" >"\$5" 2>&1' sh "\$script" "\$HIDDEN" "\$part" "\$HAS" "\$logs/\$part.log" || status=1
    cat "\$logs/\$part.log" >>"\$NODE_LOG"
done
exit \$status
END
chmod +x bin/sbatch
if unshare -m true 2>/dev/null; then UNSHARE='unshare -m'; else UNSHARE='unshare -rm'; fi
$UNSHARE sh -c 'mount -t tmpfs none "$1"' sh "$SCRATCH/home" 2>log || absent_all 'no mount namespaces'
HIDDEN=$SCRATCH/home NODE_LOG=$SCRATCH/node.log HAS= LACKS=
export UNSHARE HIDDEN NODE_LOG HAS LACKS

cd $work || bail 'no folder'
"$QUERN" sweep -q -o here.csv names.exp 2>"$SCRATCH/err" || bail "the sweep here: $(cat "$SCRATCH/err")"
is "$(wc -l <here.csv) $(grep -c ',ok' here.csv)" '5 4' 'four rows here'
PATH=$SCRATCH/bin:$PATH
stage=$SCRATCH/stage
# staged WHAT: the same file
staged() {
    rm -f there.csv "$NODE_LOG"
    "$QUERN" sweep --on=slurm --parts=2 --stage="$stage" -o there.csv names.exp >"$SCRATCH/out" 2>"$SCRATCH/err"
    is "$? $(cmp here.csv there.csv 2>&1)" '0 ' "$1" || diag "$(cat "$SCRATCH/err" "$NODE_LOG")"
}
staged 'nodes that have nothing of it'
ok 'what is staged, and what is not, is said' grep -q 'files with [0-9]* bytes are in .*; libraries, and what programs open besides, are those of the nodes' "$SCRATCH/err"
is "$(find "$SCRATCH/stage" -type d | wc -l)" 1 'the parts are gone'
ls "$SCRATCH/stage" >"$SCRATCH/contents"
for file in "$SCRATCH"/stage/*; do
    cmp -s "$file" input && is "$(stat -c %a "$file")" 600 'what nobody else may read stays so'
done
cp names again
"$QUERN" sweep -q --on=slurm --stage="$SCRATCH/stage" -L sim=lru --D1=1024,2,32 -o again.csv -- ./again data <input 2>"$SCRATCH/err"
is "$(ls "$SCRATCH/stage")" "$(cat "$SCRATCH/contents")" 'another name for the same program is no other file'
mkdir "$SCRATCH/sweep.d"
stage=$SCRATCH/sweep.d/stage
staged 'a folder whose path looks like that of parts'
stage=$SCRATCH/stage
HAS=folder
staged 'nodes that have the folder, and nothing in it'
HAS=other
staged 'nodes that have another program there'
LACKS=compiled
staged 'nodes that have neither the sources of simulators nor what a module of the own is compiled with'
LACKS=
HAS=
for file in "$SCRATCH"/stage/*; do
    cmp -s "$file" names && DAMAGED=$file
done
echo changed >>"$DAMAGED"
staged 'a staged file that was changed is copied again'
ok '... and is what it was' cmp "$DAMAGED" names
export DAMAGED
"$QUERN" sweep -q --on=slurm --stage="$stage" -o there2.csv names.exp >"$SCRATCH/out" 2>"$SCRATCH/err"
is $? 1 'one that changes while jobs run'
ok 'is not used, which a line of the job says' grep -q 'is not there as it was staged, for .*/names$' "$NODE_LOG"
list=$(ls "$stage"/sweep.*/files)
cp "$list" "$SCRATCH/list"
echo >'two
lines'
"$QUERN" sweep -q --on=slurm --stage="$stage" -L sim=lru --D1=1024,2,32 -o there2.csv -- ./names 'two
lines' 2>"$SCRATCH/err"
is "$? $(grep -c 'lines: Invalid argument' "$SCRATCH/err")" '1 1' 'a name that the list cannot hold'
ok '... leaves the list that other jobs read as it was' cmp "$list" "$SCRATCH/list"
$UNSHARE -u sh -c 'hostname elsewhere && exec "$0" sweep -q --on=slurm --stage="$1" -o there2.csv names.exp' "$QUERN" "$stage" \
    >"$SCRATCH/out" 2>"$SCRATCH/err"
is "$(find "$stage" -name files | wc -l)" 2 'the same path on another host is another sweep' || diag "$(cat "$SCRATCH/err")"
DAMAGED=
"$own" sweep -q -o own.csv -L sim=lru,srrip --D1=1024,2,32 -- ./names data <input 2>"$SCRATCH/err" || bail 'the sweep here, of another quern'
"$own" sweep -q --on=slurm --stage="$stage" -o own2.csv -L sim=lru,srrip --D1=1024,2,32 -- ./names data <input 2>"$SCRATCH/err"
is "$? $(cmp own.csv own2.csv 2>&1)" '0 ' 'nodes that have no quern take that of the sweep' || diag "$(cat "$SCRATCH/err" "$NODE_LOG")"
mkdir "$SCRATCH/seen"
HAS=folder
"$own" sweep -q --on=slurm -o "$SCRATCH/seen/own.csv" -L sim=lru,srrip --D1=1024,2,32 -- ./names data <input 2>"$SCRATCH/err"
is "$? $(cat "$SCRATCH/err")" "1 quern: sweep: job 1: quern: sweep: this node, $(uname -n), has no quern: $own
quern: sweep: $SCRATCH/seen/own.csv: 2 of 2 runs have no row; the same command goes on with them" '... or are said to have none'
"$QUERN" sweep -q --stage="$SCRATCH/stage" -o there3.csv names.exp 2>"$SCRATCH/err"
is "$? $(grep -c 'wanted --on=parallel or --on=slurm, too' "$SCRATCH/err")" '2 1' 'without --on'

# The copy in FOLDER goes on as quern in its own place, here /bin/echo; a quern in FOLDER-own is no copy.
mkdir -p "$SCRATCH/here/sweep.1" "$SCRATCH/here-own"
printf 'cwd /\nquern /bin/echo\n' >"$SCRATCH/here/sweep.1/files"
for folder in here here-own; do
    cp "$QUERN" "$SCRATCH/$folder/quern"
    QUERN_SWEEP_STAGED=$SCRATCH/here/sweep.1/files "$SCRATCH/$folder/quern" sweep /none.exp >"$SCRATCH/$folder/said" 2>&1
done
is "$(cat "$SCRATCH/here/said")" 'sweep /none.exp' 'a copy of quern goes on in its own place'
ok '... one in a folder whose name only begins so is no copy' grep -q 'none.exp: No such file' "$SCRATCH/here-own/said"
done_testing
