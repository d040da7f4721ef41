#!/bin/sh
# Sweeps: are the rows what `quern run` says, are failures rows, and does a sweep that was killed end with the same file?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -f "$top_builddir/libquern-engine.a" ] || bail 'libquern-engine.a is not built: make'

# n passes over 8 KiB; 7 ends with a status, 8 by a signal, 9 never
cat >walk.c <<'END'
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static volatile char a[8192];

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1;

    for (int i = 0; i < n; i++)
        for (int k = 0; k < 8192; k += 16)
            a[k]++;
    if (n == 8)
        raise(SIGSEGV);
    while (n == 9)
        pause();
    return n == 7 ? 7 : 0;
}
END
"$CC" -O1 -g -o walk walk.c || bail 'cannot compile'
caches='--I1=32768,8,64 --LL=65536,8,64'

# cell FILE ROW COLUMN
cell() {
    awk -F, -v row="$2" -v column="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) c = i }
        NR == row + 1 { print $c }' "$1"
}

# shellcheck disable=SC2086
"$QUERN" sweep -q $caches --branch-sim=yes -L sim=default,D1=srrip+BC=gshare -P size 4096 8192 --D1=4096,2,64 -o s.csv -- ./walk 3
is $? 0 'a sweep'
is "$(wc -l <s.csv)" 5 'a row per run, and the names'
"$QUERN" sim build --D1=srrip --BC=gshare -o sim || bail 'cannot build'
# shellcheck disable=SC2086
env -i PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C ${QUERN_ENGINE_CPU:+QUERN_ENGINE_CPU="$QUERN_ENGINE_CPU"} "$QUERN" run -q --branch-sim=yes --sim=./sim $caches --D1=8192,2,64 --out-file=p -- ./walk 3
is "$(for event in Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim; do cell s.csv 4 $event; done | tr '\n' ' ')" \
    "$(sed -n 's/^summary: //p' p) " 'the counts of a row are those of quern run'
is "$(cell s.csv 4 D1_miss_percent)" "$(sed -n 's/^summary: //p' p | awk '{ printf "%.4f", 100 * ($5 + $8) / ($4 + $7) }')" 'a rate'
is "$(cell s.csv 4 Bc_mpki)" "$(sed -n 's/^summary: //p' p | awk '{ printf "%.4f", 1000 * $11 / $1 }')" 'MPKI'
is "$(cell s.csv 4 BC_bits)" 32780 'the storage of the predictor: 12 bits of history and 2^14 counters of 2 bits'
is "$(cell s.csv 4 D1_module) $(cell s.csv 4 BC_module)" "$(sed -n 's/desc: Modules:.* D1=\(.*\) LL=lru BC=\(.*\) BI.*/\1 \2/p' p)" \
    'modules with their hashes, as the profile has them'
is "$(cell s.csv 4 build_id)" "$(sed -n 's/.*build-id //p' p)" 'the build-id of the program'
is "$(cell s.csv 1 D1_size) $(cell s.csv 1 status)" '4096 ok' 'geometry and status'
ok 'no folder stays behind' test ! -e s.csv.work

# Failures are rows.
# shellcheck disable=SC2086
"$QUERN" sweep $caches --timeout=30 -L n=1,7,8,9 -o f.csv -- ./walk '{n}' 2>err
is $? 1 'a sweep with failures'
is "$(cat err)" 'quern sweep: f.csv: 4 runs, 3 of them failed: see column status' 'says so'
is "$(for i in 1 2 3 4; do cell f.csv $i n; cell f.csv $i status; done | tr '\n' ' ')" \
    '1 ok 7 exit status 7 8 SIGSEGV 9 stopped after 30 seconds ' 'each with its reason'
ok 'counts of one that ended by itself' test "$(cell f.csv 2 Ir)" -gt 1000
is "$(cell f.csv 3 Ir)$(cell f.csv 4 Ir)" '' 'none of those that did not'
cat >bad.c <<'END'
int main(void) { __asm__("int $0x80" : : "a"(20)); return 0; }
END
"$CC" -o bad bad.c || bail 'cannot compile'
# shellcheck disable=SC2086
"$QUERN" sweep -q $caches -o g.csv -- ./bad
ok 'what the engine refuses is told' grep -q ',"cannot decode the instruction cd 80.* at 0x.*, main in [^,]*bad",' g.csv || diag "$(cat g.csv)"

# Killed at any moment and resumed, the file is the same in the end.
"$QUERN" sim build --D1=fifo -o fifo && "$QUERN" sim build --D1=plru -o plru || bail 'cannot build'
sweep() { # in a subshell, which it becomes: then a kill of that is one of it
    # shellcheck disable=SC2086
    exec "$QUERN" sweep $caches --share=no -j 2 -L n=1..4 -L sim=default,./sim,./fifo,./plru -L 'D1=1024,2,64;2048,2,64' -o "$1" -- ./walk '{n}'
}
(sweep whole.csv 2>err)
is "$(wc -l <whole.csv)" 33 '32 runs without an interruption'
rows() { if [ -f "$1" ]; then wc -l <"$1"; else echo 0; fi; }

# killed_at SIGNAL ROWS: when the file has so many lines.
seed=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
diag "seed $seed"
kills=0
half=0
for round in 1 2 3; do
    rm -rf part.csv part.csv.work
    while [ "$(rows part.csv)" -lt 33 ]; do
        seed=$(((seed * 75 + 74) % 65537))
        wanted=$(($(rows part.csv) + seed % 7))
        (sweep part.csv 2>/dev/null) &
        child=$!
        while [ "$(rows part.csv)" -lt $wanted ] && kill -0 $child 2>/dev/null; do sleep 0.01; done
        i=$((seed % 2000))
        while [ $i -gt 0 ]; do i=$((i - 1)); done
        kill -KILL $child 2>/dev/null && kills=$((kills + 1))
        wait $child 2>/dev/null
        [ ! -f part.csv ] || [ "$(awk -F, '{ print NF }' part.csv | sort -u | wc -l)" = 1 ] || half=$((half + 1))
    done
    (sweep part.csv 2>/dev/null)
    same_file part.csv whole.csv "round $round: the same file"
done
ok "there were kills ($kills)" test $kills -ge 9
is $half 0 'and never half a row'

cp whole.csv part.csv
sed -i '4d;9d' part.csv
(sweep part.csv 2>/dev/null)
same_file part.csv whole.csv 'rows that are missing are made'
before=$(stat -c %Y whole.csv)
(sweep whole.csv 2>err)
is "$?: $(cat err)" '0: quern sweep: whole.csv: 32 runs' 'nothing to do'

# shellcheck disable=SC2086
"$QUERN" sweep $caches -L n=1..4 -o whole.csv -- ./walk '{n}' 2>err
is "$?: $(cat err)" "2: quern: sweep: whole.csv: row 1 is of another sweep: D1_size is '1024'; remove the file, or name another with -o" \
    'rows of another sweep are not thrown away' || diag "$before"
sed 's/,ok,/,exit status 1,/' whole.csv >part.csv
(sweep part.csv 2>/dev/null)
is $? 1 'failed rows are kept'
# shellcheck disable=SC2086
"$QUERN" sweep --retry -q $caches -L n=1..4 -L sim=default,./sim,./fifo,./plru -L 'D1=1024,2,64;2048,2,64' -o part.csv -- ./walk '{n}'
is $? 0 'unless they are to be run again'
same_file part.csv whole.csv 'and then are as they should be'
"$QUERN" sweep -q --D1=1024,2,64 -o /dev/stdout -- true 2>err | cat >out
is "$(cat err out)" 'quern: sweep: /dev/stdout: got a pipe, wanted a file, whose rows are read again' 'rows are not written to a pipe, which it would wait for'


(sweep int.csv 2>err) &
child=$!
while [ "$(rows int.csv)" -lt 3 ] && kill -0 $child 2>/dev/null; do sleep 0.01; done
kill -TERM $child
wait $child
is $? 143 'a sweep that is asked to stop ends by the signal'
ok 'and says how to go on' grep -q 'interrupted; the same command goes on' err
(sweep int.csv 2>err)
same_file int.csv whole.csv 'as it does'
# A variable that is given takes the place of the one of this name that each program has.
cat >locale.c <<'END_OF_C'
#include <stdlib.h>
int main(void)
{
    volatile int n = 0;
    for (int i = 0; i < (*getenv("LC_ALL") == 'X' ? 100000 : 10); i++)
        n++;
    return 0;
}
END_OF_C
"$CC" -O1 -o locale locale.c || bail 'locale.c does not compile'
"$QUERN" sweep -q --env=LC_ALL=Y --env=LC_ALL=X -o locale.csv -L D1=1024,2,64 -- ./locale
ok '--env replaces a variable that there is' test "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "Ir") at = i } NR == 2 { print $at }' locale.csv)" -gt 500000
done_testing
