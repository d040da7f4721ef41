#!/bin/sh
# quern run --analysis=sets --interval=N: are the misses by set in each interval those of caches made of lists, which get the references of a
# recording; is the table well formed; and is that of a process that forks?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

guests=$top_builddir/tests/guest
[ -x "$guests/sort" ] || skip_all 'the guest programs are not built: make guests'
${CC:-cc} -std=gnu11 -O2 -I"$top_srcdir/lib" -o by_set "$top_srcdir/tests/unit/sim/slow/by_set.c" \
    "$top_srcdir"/lib/trace/read.c "$top_srcdir"/lib/trace/champsim_read.c "$top_srcdir"/lib/trace/parts.c -lzstd -llzma || bail 'cannot compile the recount'

# sets NAME OPTIONS COMMAND...: NAME.profile.sets.csv
sets() {
    name=$1
    shift
    rm -f "$name".profile*
    "$QUERN" run -q --analysis=sets --I1=1024,2,64 --interval-file=intervals --out-file="$name.profile" "$@" </dev/null >/dev/null 2>err || return 1
}
counted() { awk -F, 'NR > 1 && $7 { print $1, $2, $5, $7 }' "$1.profile.sets.csv" | sort; }

# beside PROGRAM N D1 LL OPTIONS...
beside() {
    program=$1 n=$2 D1=$3 LL=$4
    shift 4
    sets run --interval="$n" --D1="$D1" --LL="$LL" "$@" "$guests/$program" || return 1
    counted run >got
    ./by_set "$n" "$program.trace" 1024,2,64 "$D1" "$LL" | sort >wanted
    [ "$(wc -l <got)" -gt 20 ] && cmp got wanted
}

for program in conflict matmul sort hash; do
    "$QUERN" trace --compress=none -o "$program.trace" "$guests/$program" >/dev/null 2>&1 || bail 'no recording'
    ok "$program" beside $program 20000 4096,2,64 16384,4,64
    ok '... lines of two lengths, one way, more sets than rows' beside $program 7000 65536,1,32 131072,2,64
    ok '... each reference a call, small blocks' beside $program 20000 4096,2,64 16384,4,64 --no-filter --block-max=3
done

# The table: the intervals of the other file, all sets of the first row, and sums that are those of the run.
sets run --interval=20000 --D1=4096,2,64 --LL=1048576,4,64 "$guests/sort"
table=run.profile.sets.csv
is "$(head -n 1 $table)" 'cache,interval,start,end,set,sets,misses,of_rows' 'its columns'
is "$(awk -F, '$1 == "D1" { print $2, $3, $4 }' $table | uniq)" "$(awk -F, 'NR > 1 { print $1, $2, $3 }' intervals)" 'its intervals are those of the counts'
is "$(awk -F, '$1 == "LL" { print $2 }' $table | uniq)" "$(awk -F, 'NR > 1 { print $1 }' intervals)" '... of the LL, too'
is "$(awk -F, '$1 == "D1" { n += $7 } END { print n }' $table)" "$(awk '/^summary/ { print $6 + $9 }' run.profile)" 'all misses of the D1'
is "$(awk -F, '$1 == "LL" { n += $7 } END { print n }' $table)" "$(awk '/^summary/ { print $7 + $10 }' run.profile)" 'all misses of data of the LL'
is "$(awk -F, '$1 == "LL" && $6 != 16' $table)" '' 'of 4,096 sets 16 are counted together'
is "$(awk -F, 'NR > 1 { print $8 }' $table | uniq)" "$(($(wc -l <$table) - 1))" 'each row tells how many there are'

# Intervals that are made longer: the sums stay, and so do the ends.
sets auto --interval=auto --D1=4096,2,64 --LL=16384,4,64 "$guests/matmul"
is "$(awk -F, '$1 == "D1" { n += $7 } END { print n }' auto.profile.sets.csv)" "$(awk '/^summary/ { print $6 + $9 }' auto.profile)" '--interval=auto: all misses'
is "$(awk -F, '$1 == "D1" { print $2, $3, $4 }' auto.profile.sets.csv | uniq)" "$(awk -F, 'NR > 1 { print $1, $2, $3 }' intervals)" '... in its intervals'

# Without one of the two options there is no table.
sets none --D1=4096,2,64 "$guests/sort"
ok 'without --interval there is none' test ! -e none.profile.sets.csv
"$QUERN" run -q --interval=20000 --interval-file=intervals --out-file=none.profile "$guests/sort"
ok 'without the analysis there is none' test ! -e none.profile.sets.csv

# A process that is forked counts on: what it inherits is the parent's until then.
cat >fork.c <<'END_OF_C'
#include <sys/wait.h>
#include <unistd.h>
static volatile char block[1 << 20];
static void walk(int step) { for (int i = 0; i < 1 << 20; i += step) block[i]++; }
int main(void)
{
    walk(64);
    int pid = fork();
    walk(pid ? 128 : 256);
    return pid ? wait(0) < 0 : 0;
}
END_OF_C
${CC:-cc} -O1 -o fork fork.c || bail 'the program does not compile'
rm -f both.*
"$QUERN" run -q --trace-children=yes --analysis=sets --interval=10000 --interval-file=both.%p.intervals --D1=4096,2,64 --out-file=both.%p ./fork >/dev/null 2>&1
is "$(ls both.*.sets.csv | wc -l)" 2 'two processes have two tables'
for table in both.*.sets.csv; do
    is "$(awk -F, '$1 == "D1" { n += $7 } END { print n }' "$table")" "$(awk '/^summary/ { print $6 + $9 }' "${table%.sets.csv}")" 'with all of their misses'
done
done_testing
