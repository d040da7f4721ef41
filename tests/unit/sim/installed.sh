#!/bin/sh
# From an installed quern that was moved since: are simulators built with nothing but a C compiler, several at a time, found by name
# and by path, and do list and profile say what is in them?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -f "$top_builddir/libquern-engine.a" ] || bail 'libquern-engine.a is not built: make'
make -s -C "$top_builddir" install DESTDIR="$SCRATCH/stage" prefix=/usr libexecdir=/usr/libexec datarootdir=/usr/share \
    >install.log 2>&1 || bail "make install: $(tail -n 1 install.log)"
mv stage/usr there
there=$SCRATCH/there

# Nothing in PATH but the compiler, and what it calls by name.
mkdir bin
for tool in as ld; do ln -s "$(command -v $tool)" "bin/$tool" || bail "no $tool"; done
printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v "${CC%% *}")" >bin/cc
chmod +x bin/cc
quern() { env -i PATH="$SCRATCH/bin" TMPDIR="$SCRATCH" "$there/bin/quern" "$@"; }
run() { quern run --out-file=profile --D1=2048,4,32 "$@" -- "$top_builddir/tests/guest/sort" 2>&1 | sed 's/^==[0-9]*== //'; }

cat >mine.c <<'END'
#include "sim/module.h"
#define POLICY "mine"
static void policy_hit(unsigned set, unsigned way) { (void)set, (void)way; }
static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; }
static unsigned policy_victim(unsigned set) { (void)set; return 0; }
static bool policy_settled(unsigned set, unsigned way) { (void)set, (void)way; return true; }
END
before=$(date +%s%N)
ok 'a simulator is built' quern sim build --I1=lru --D1=mine.c --LL=inclusive --BC=gshare --BI=btb -o mysim
diag "in $((($(date +%s%N) - before) / 1000000)) ms"
quern sim build --verbose --D1=mine.c -o other 2>command
is "$(grep -c "$there/share/quern/lib/sim/slots.c" command) $(tr ' ' '\n' <command | grep "^-I\|^/\|\.[ca]$" | grep -vc "$SCRATCH")" '1 0' \
    'out of the installed files, none of the source or build tree'

# ---- which ----

modules='I1=lru D1=mine:HASH LL=inclusive:HASH BC=gshare:HASH BI=btb:HASH'
unhash() { sed 's/:[0-9a-f]\{16\}/:HASH/g;s/I1=lru:HASH/I1=lru/'; }
is "$(quern sim list ./mysim | unhash)" "./mysim: $modules" 'list says what is in it'
run --sim=./mysim >said
is "$(sed -n 's/^desc: Modules: *//p' profile | unhash)" "$modules" 'so does the profile'
quern sim list >list
for module in inclusive gshare btb; do
    is "$(quern sim show $module | sed -n "s/.*\.c  $module:\([0-9a-f]\{16\}\)$/\1/p")" "$(sed -n "s/^desc: Modules:.*=$module:\([0-9a-f]*\).*/\1/p" profile)" \
        "show has the hash of $module that the profile has"
done
is "$(sed -n '2s/^ *//p' list)" 'I1=lru D1=lru LL=lru BC=cachegrind BI=cachegrind' 'list says what stands in the slots without --sim'
is "$(sed -n 's/^\([A-Z].*\)/\1/p' list | sed 's/  .*//' | tr '\n' ,)" 'I1 D1 LL,I1 D1,D1,LL,BC,BI,AN,' 'and has the modules by slot'

# ---- where ----

mkdir -p elsewhere
cp mysim there/libexec/quern/inlibexec
cp mysim there/libexec/quern/quern-engine-short
cp mysim there/bin/beside
cp mysim here
for sim in inlibexec short beside ./here "$SCRATCH/here" elsewhere/../here; do
    rm -f profile
    run --sim="$sim" >said
    is "$(sed -n 's/^desc: Modules: *//p' profile 2>&1 | unhash)" "$modules" "--sim=$sim is found"
done

# refused SIM TEXT: status 2, one line, nothing run, no profile
refused() {
    rm -f profile
    quern run --sim="$1" --out-file=profile -- "$top_builddir/tests/guest/sort" >said 2>&1
    is "$? $(cat said) $([ -e profile ] && echo profile)" "2 quern: run: --sim=$1: $2 " "--sim=$1 is refused"
}
unknown='no such simulator beside quern or in its libexec, and no module'
refused here "$unknown; a file of this directory is reached as ./here"
refused nobody "$unknown"
refused ./nobody 'No such file or directory'
refused ./elsewhere 'is a directory'
cp mine.c plain
refused ./plain 'Permission denied'
wrong='not a simulator; `quern sim build` makes them'
refused ./bin/cc "$wrong"
refused "$there/bin/quern" "$wrong"
{ echo '#!/bin/sh'; strings "$there/libexec/quern/quern-engine" | grep 'quern-sim-build'; } >script
chmod +x script
refused ./script "$wrong"
quern sim build --replay --D1=mine.c -o replay 2>replay.log || bail "cannot build a replay: $(head -n 3 replay.log)"
refused ./replay "$wrong"
is "$(quern sim list ./replay | unhash)" './replay: I1=lru D1=mine:HASH LL=lru BC=cachegrind BI=cachegrind, a replay' 'though list knows what it is'
quern sim list ./script >said 2>&1
is "$? $(cat said)" '1 quern: sim list: ./script: not a simulator' 'list of what is no simulator: one line, status 1'

# ---- several at a time ----

alone() { run --sim="$1" >/dev/null && sed -n '/^events/,$p' profile; }
policies='fifo lru plru srrip'
for policy in $policies; do quern sim build --D1=$policy -o "$policy" & done
wait
for policy in $policies; do
    quern sim build --D1=$policy -o "$policy.again" && alone "./$policy.again" >"$policy.wanted" || bail "cannot build $policy"
done
for policy in $policies; do
    quern run -q --sim="./$policy" --out-file="$policy.profile" --D1=2048,4,32 -- "$top_builddir/tests/guest/sort" 2>"$policy.said" &
done
wait
for policy in $policies; do
    sed -n '/^events/,$p' "$policy.profile" >"$policy.got"
    same_file "$policy.got" "$policy.wanted" "$policy, built and run beside others, is as alone"
done
is "$(cat ./*.wanted | grep -c '^summary') $(for p in $policies; do sed -n 's/^summary//p' $p.wanted; done | sort -u | wc -l)" '4 4' \
    'each policy has other counts'

# Two builds of one name: the last one wins, and a failed build leaves what was there.
quern sim build --D1=fifo -o same & quern sim build --D1=fifo -o same &
wait
ok 'two builds of one name at a time: a simulator' quern sim list ./same
echo 'static int;' >>mine.c
echo 'no C' >>mine.c
quern sim build --D1=mine.c -o same 2>said
is "$? $(quern sim list ./same | unhash)" '1 ./same: I1=lru D1=fifo:HASH LL=lru BC=cachegrind BI=cachegrind' \
    'a build that fails leaves the simulator that was there'
is "$(ls -d ./*.part 2>&1 | grep -c '^\./.*part$')" 0 'and nothing else'
env -i PATH=/nowhere "$there/bin/quern" sim build --D1=fifo -o none 2>said
is "$? $(tail -n 1 said)" "1 quern: sim build: no C compiler: there is no 'cc'; install gcc, or set CC" 'no compiler: one line'

# Installed with umask 077 by another user: what is there and cannot be read or executed is named.
cp -r "$there" closed
closed=$SCRATCH/closed
unreadable() { # MODE FILE OPTIONS...: what `quern run` says
    chmod "$1" "$closed/$2"
    file=$2
    shift 2
    as_user 'quern: run: ' "$@"
    chmod 755 "$closed/$file"
}
as_user() { # what the first line says behind a prefix, as a user to whom modes matter
    prefix=$1
    shift
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=65534 --regid=65534 --clear-groups "$closed/bin/quern" run -q --out-file=/dev/null "$@" -- /bin/true 2>&1
    else
        "$closed/bin/quern" run -q --out-file=/dev/null "$@" -- /bin/true 2>&1
    fi | sed -n "1s|^$prefix||p" | sed "s|$closed|CLOSED|g; s|bin/../||"
}
if [ "$(id -u)" -ne 0 ] || { command -v setpriv >/dev/null && chmod 711 "$SCRATCH" &&
    setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$closed/libexec/quern/quern-engine"; }; then
    is "$(unreadable 700 libexec/quern/quern-engine)" 'no engine: CLOSED/libexec/quern/quern-engine: Permission denied' 'an engine that is closed is named'
    is "$(unreadable 711 libexec/quern/quern-engine)" 'no engine: CLOSED/libexec/quern/quern-engine: Permission denied' 'or may be executed only'
    is "$(unreadable 700 libexec/quern)" 'no engine: CLOSED/libexec/quern/quern-engine: Permission denied' 'its folder'
else
    skip 'this user cannot become another' 3
fi
done_testing
