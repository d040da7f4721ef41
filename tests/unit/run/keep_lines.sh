#!/bin/sh
# Are line tables kept where the user has such things, by one run for the next, and never where they are not wanted?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

# More than 64 KiB of line tables; less is not kept.
awk -v functions=100 -f "$top_srcdir/tests/unit/debug/many_lines.awk" >program.c
"$CC" -g -gz=zlib -O0 -Wl,--build-id=0x0123456789abcdef program.c -o program 2>cc || skip_all 'this compiler does not pack debug information' 16
kept=0123456789abcdef.lines

# run OPTIONS...: a profile
run() { "$QUERN" run -q --out-file=profile "$@" -- ./program; }
# lines [PROFILE]: what it says of the program's own lines; misses depend on the environment
lines() { awk '/^fl=/ { own = /program\.c$/ } own { print $1, $2 }' "${1-profile}"; }

unset XDG_CACHE_HOME
HOME=$SCRATCH/home
export HOME
mkdir home
run --keep-lines=no
lines >wanted
ok 'the program has lines' test "$(wc -l <wanted)" -ge 6
is "$(ls -A home)" '' '--keep-lines=no: nothing is kept'
run
lines >first
ok 'the first run keeps them in ~/.cache/quern' test -f "home/.cache/quern/$kept"
ok 'and has the same lines' cmp -s wanted first
number=$(stat -c '%i %y %a' "home/.cache/quern/$kept")
run
lines >second
ok 'the second run has them, too' cmp -s wanted second
is "$(stat -c '%i %y %a' "home/.cache/quern/$kept")" "${number% *} 600" 'it leaves the file alone, which is the user'"'"'s only'
is "$(stat -c %a home/.cache/quern)" 700 'and so is the directory'

XDG_CACHE_HOME=$SCRATCH/other/deeper
export XDG_CACHE_HOME
run
is "$(stat -c %a other other/deeper other/deeper/quern | tr '\n' ' ')" '700 700 700 ' 'XDG_CACHE_HOME: it and its parents are made, in a folder of the user'
rm -rf other
mkdir -m 777 other
run
is "$(ls other)" '' 'but not where others may write'
chmod 700 other
for i in 1 2 3 4 5 6; do
    "$QUERN" run -q --out-file="profile.$i" -- ./program &
done
wait
ok 'six runs at once: the file is there' test -f "other/deeper/quern/$kept"
is "$(find other -name '*.lines.*')" '' 'and nothing else'
for i in 1 2 3 4 5 6; do
    lines "profile.$i" | cmp -s - wanted || echo "$i"
done >wrong
is "$(cat wrong)" '' 'all have the same lines'

rm -rf home/.cache
XDG_CACHE_HOME=relative run
ok 'a relative one is not used' test -f "home/.cache/quern/$kept" -a ! -e relative
rm -rf home/.cache
env -u HOME -u XDG_CACHE_HOME "$QUERN" run -q --out-file=profile -- ./program
lines >third
ok 'without a home: the same lines' cmp -s wanted third
XDG_CACHE_HOME=/dev/null run 2>errors
lines >fourth
ok 'nor where nothing can be kept' cmp -s wanted fourth
is "$(cat errors)" '' 'and not a word about it'

# The C library's debug information is packed, where it is installed: the first run unpacks it, the second has it as it was kept.
XDG_CACHE_HOME=$SCRATCH/data
mkdir data
for keep in no yes yes; do
    "$QUERN" run -q --data=yes --keep-lines=$keep --out-file=data.$keep -- ./program
    sed '/^cmd:/d; /^desc:/d' data.$keep >>data.all
done
is "$(awk 'NR == FNR { n++; next } { line[(FNR - 1) % (n / 3) "," $0] = 1 } END { for (l in line) k++; print n % 3, k == n / 3 }' data.all data.all)" '0 1' '--data=yes: three times the same'

done_testing
