#!/bin/sh
# Simulators by name: is one found wherever modules are named, without a compiler if it ships; is one's own compiled once, and again when
# anything that it was made of changes; is what is wrong with it one line; and does nothing stay behind?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -f "$top_builddir/libquern-engine.a" ] || bail 'libquern-engine.a is not built: make'
XDG_CACHE_HOME=$SCRATCH/cache TMPDIR=$SCRATCH/tmp
export XDG_CACHE_HOME TMPDIR
mkdir cache tmp
kept=$SCRATCH/cache/quern/sims

# run OPTIONS: ./profile of the guest, what is said in ./said without the pid; the status
run() {
    rm -f profile
    "$QUERN" run --I1=2048,2,32 --D1=1024,4,32 --LL=16384,4,32 --branch-sim=yes --out-file=profile "$@" -- "$top_builddir/tests/guest/sort" 2>raw
    status=$?
    sed 's/^[-=]*[0-9]*[-=][-=] //' raw >said
    return $status
}
modules() { sed -n 's/^desc: Modules: *//p' profile; }
counts() { sed -n '/^events/,$p' profile; }
hash_of() { "$QUERN" sim show "$1" | sed -n "s/.*\.c  $1:\([0-9a-f]*\)$/\1/p"; }
lru='I1=lru D1=lru LL=lru BC=cachegrind BI=cachegrind'

# ---- what ships, without a compiler ----

named() { # WHAT MODULES: --sim=WHAT has these
    CC=/nowhere/cc run --sim="$1"
    is "$(modules | sed 's/:[0-9a-f]*//g')" "$2" "--sim=$1"
}
named default "$lru"
named srrip 'I1=lru D1=srrip LL=lru BC=cachegrind BI=cachegrind'
named nextline 'I1=lru D1=nextline LL=lru BC=cachegrind BI=cachegrind'
named inclusive 'I1=lru D1=lru LL=inclusive BC=cachegrind BI=cachegrind'
named gshare 'I1=lru D1=lru LL=lru BC=gshare BI=cachegrind'
named btb 'I1=lru D1=lru LL=lru BC=cachegrind BI=btb'
named 3c "$lru AN=3c"
named values "$lru AN=values"
named D1=srrip,BC=gshare 'I1=lru D1=srrip LL=lru BC=gshare BI=cachegrind'
named D1=srrip+LL=fifo+I1=plru 'I1=plru D1=srrip LL=fifo BC=cachegrind BI=cachegrind'
named fifo,gshare 'I1=lru D1=fifo LL=lru BC=gshare BI=cachegrind'
named D1=default "$lru"
named "D1=fifo:$(hash_of fifo)" 'I1=lru D1=fifo LL=lru BC=cachegrind BI=cachegrind'
named "$top_srcdir/lib/sim/policy/fifo.c" 'I1=lru D1=fifo LL=lru BC=cachegrind BI=cachegrind'
named "D1=$top_srcdir/lib/sim/cachesim_D1.c" "$lru"
cp "$top_srcdir/lib/sim/policy/fifo.c" copy.c
cp copy.c default.c
named default.c 'I1=lru D1=default LL=lru BC=cachegrind BI=cachegrind'
run --sim=copy.c
counts >wanted
run --sim=default.c
counts >got
same_file got wanted 'a module of that name is not the default one'
named copy.c 'I1=lru D1=copy LL=lru BC=cachegrind BI=cachegrind'
CC=/nowhere/cc run --versus=fifo
is "$? $(sed -n 's/^B: \(.*\)/\1/p' said | sed 's/:[0-9a-f]*//g')" '0 I1=lru D1=fifo LL=lru BC=cachegrind BI=cachegrind' '--versus=fifo'
CC=/nowhere/cc run --analysis=sets
is "$? $(modules | sed 's/:[0-9a-f]*//g')" "0 $lru AN=sets" '--analysis=sets'
is "$(ls cache tmp)" 'cache:

tmp:' 'nothing was compiled'

# ---- one's own ----

mkdir 'my rules'
echo '#define FIRST 0' >'my rules/first.h'
cat >mine.c <<'END'
#include "sim/module.h"
#include "my rules/first.h"
#define POLICY "mine"
static void policy_hit(unsigned set, unsigned way) { (void)set, (void)way; }
static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; }
static unsigned policy_victim(unsigned set) { (void)set; return FIRST; }
static bool policy_settled(unsigned set, unsigned way) { (void)set, (void)way; return true; }
END
# compiled WHAT: was a compiler called?
cat >cc <<END
#!/bin/sh
echo "\$*" >>$SCRATCH/calls
exec $CC "\$@"
END
chmod +x cc
own() { CC=$SCRATCH/cc run "$@"; }
compiled() {
    [ -s calls ]
    is $? "$1" "$2"
    rm -f calls
}
own --sim=mine.c
is "$? $(modules | sed 's/:[0-9a-f]*//g')" '0 I1=lru D1=mine LL=lru BC=cachegrind BI=cachegrind' 'a file'
compiled 0 'is compiled'
counts >first
own --sim=./mine.c
compiled 1 'and the second time not'
counts >second
same_file second first 'with the same counts'
own --sim=D1=mine.c,BC=gshare
is "$(modules | sed 's/:[0-9a-f]*//g')" 'I1=lru D1=mine LL=lru BC=gshare BI=cachegrind' 'nor with another module beside it'
compiled 1 'which comes by name'
own --versus=mine.c
compiled 1 'nor as the second of two'
"$QUERN" sim build --D1=mine.c -o built && own --sim=./built
counts >second
same_file second first 'as in a simulator that is built'
echo '#define FIRST 1' >'my rules/first.h'
own --sim=mine.c
compiled 0 'a header of its own is changed: compiled'
counts >second
is "$(cmp -s first second; echo $?)" 1 'to another policy'
CC="$SCRATCH/cc -DNOTHING" run --sim=mine.c
compiled 0 'other flags: compiled'
touch cc
own --sim=mine.c
compiled 0 'another compiler: compiled'
cp mine.c yours.c
sed 's/FIRST/FIRST + 1/' mine.c >yours.c
own --sim=mine.c --versus=yours.c
is "$? $(sed -n 's/^B: \(.*\)/\1/p' said | sed 's/:[0-9a-f]*//g')" '0 I1=lru D1=yours LL=lru BC=cachegrind BI=cachegrind' \
    'two files for one slot, of two simulators'

# What is in the cache is not believed.
rm -f "$kept"/*
own --sim=mine.c
for file in "$kept"/*; do head -c 5000 "$file" >cut; cat cut >"$file"; done
rm -f calls
own --sim=mine.c
is $? 0 'a file of the cache that is cut'
compiled 0 'is made again'
chmod g+w "$kept"/*
own --sim=mine.c
compiled 0 'and one that others may write'
chmod g-w "$kept"/*

# What is used least goes, of files that quern has named and marked.
for file in "$kept"/*; do cp -p "$file" one; done
# plant FOLDER FILE NAMES...: copies of a file, each an hour older
plant() {
    folder=$1 file=$2 hours=0
    shift 2
    for name in "$@"; do
        hours=$((hours + 1))
        cp "$file" "$folder/$name" && touch -d "-$hours hours" "$folder/$name"
    done
}
numbers=$(seq -w 0 70)
# shellcheck disable=SC2086 # numbers are words
plant "$kept" one $(printf '00000000000000%s ' $numbers)
own --sim=yours.c
is "$(ls "$kept" | wc -l) $(ls "$kept" | grep -c 0000000000000063)" '64 0' 'what is used least goes'
rm -f "$kept"/*
head -c 5000 one >unmarked
# shellcheck disable=SC2086
plant "$kept" unmarked $(printf '00000000000000%s ' $numbers)
# shellcheck disable=SC2086
plant "$kept" one $(printf 'photo-%s ' $numbers) $(printf '00000000000000%s.c ' $numbers) $(printf '0000000000000A%s ' $numbers)
mkdir "$kept/new.photos" "$kept/.quern-build.AbCdEf" "$kept/.quern-build.photos-of-1999"
ln -s "$SCRATCH/my rules" "$kept/.quern-build.links1"
touch -hd '-100 hours' "$kept/new.photos" "$kept/.quern-build."*
own --sim=yours.c
is "$? $(ls "$kept" | wc -l)" 0\ $((4 * 71 + 2)) 'nothing goes that quern has not both named and marked'
is "$(cd "$kept" && ls -d .quern*) $(ls 'my rules')" '.quern-build.links1
.quern-build.photos-of-1999 first.h' 'of folders, what a killed command has left'

# A folder that is a link, or that others may enter, is nobody's cache.
mkdir -m 700 mine
# shellcheck disable=SC2086
plant mine one $(printf '00000000000000%s ' $numbers)
rm -rf "$kept"
ln -s "$SCRATCH/mine" "$kept"
own --sim=yours.c
is "$? $(ls mine | wc -l) $(ls tmp)" '0 71 ' 'a link is not followed'
rm -f "$kept"
mkdir -m 750 "$kept"
own --sim=yours.c
is "$? $(ls "$kept" tmp | grep -vc :)" '0 1' 'nor is a folder used that others may enter'
rm -rf "$kept"
for i in 1 2 3 4; do "$QUERN" run -q --sim=mine.c --D1=1024,4,32 --out-file=p$i -- "$top_builddir/tests/guest/sort" & done
wait
for i in 1 2 3 4; do sed -n '/^events/,$p' p$i; done | sort -u >all
sed -n '/^events/,$p' p1 | sort -u >one
same_file all one 'four at a time'
is "$(ls "$kept" | wc -l)" 1 'make one file'
env -u XDG_CACHE_HOME -u HOME "$QUERN" run -q --sim=mine.c --out-file=profile -- /bin/true
is "$? $(ls tmp)" '0 ' 'without a home it is made in TMPDIR, and removed'
mkdir locked
chmod 555 locked
HOME=$SCRATCH/locked XDG_CACHE_HOME='' "$QUERN" run -q --sim=mine.c --out-file=profile -- /bin/true
is "$? $(ls tmp)" '0 ' 'or where the home cannot be written to'

# Ctrl-C and others, while the compiler runs.
cat >slow <<END
#!/bin/sh
: >$SCRATCH/begun
exec sleep 100000
END
chmod +x slow
for sig in INT TERM HUP; do
    rm -rf begun "$kept"
    env --default-signal=INT CC="$SCRATCH/slow" "$QUERN" run -q --sim=mine.c --out-file=profile -- /bin/true &
    pid=$!
    while [ ! -e begun ] && kill -0 $pid 2>/dev/null; do sleep 0.05; done
    kill -$sig $pid
    wait $pid
    is "$(($? - 128)) $(ls "$kept" tmp | tr '\n' ' ')" "$(kill -l $sig 2>/dev/null | sed 's/[^0-9]//g' | grep . || case $sig in INT) echo 2 ;; TERM) echo 15 ;; HUP) echo 1 ;; esac) $kept:  tmp: " \
        "SIG$sig ends it, and nothing stays behind"
done

# ---- how each slot is simulated ----

run -v --sim=D1=srrip,BC=gshare
is "$(sed -n 's/^\(I1\|D1\|LL\|BC\|BI\): \/.*\/\(.*\) [0-9a-f]\{16\}, /\1 \2 /p' said)" 'I1 cachesim_I1.c in emitted code
D1 srrip.c behind a filter
LL cachesim_LL.c in emitted code
BC gshare.c each reference a call
BI branchsim_BI.c in emitted code' '-v says so, with file and hash'
{ cat "$top_srcdir/lib/sim/cachesim_D1.c"; echo '/* changed */'; } >cachesim_D1.c
run -v --sim=cachesim_D1.c
is "$(sed -n 's/^D1: .* [0-9a-f]\{16\}, //p' said)" 'each reference a call: cachesim_D1.c is changed' 'and when a default file is changed'

# ---- what is wrong, in one line ----

# wrong SIM LINE
wrong() {
    run -q --sim="$1"
    is "$? $(cat said)" "2 quern: run: $2" "--sim=$1"
}
: >empty.c
grep -v policy_victim mine.c >novictim.c
{ grep -v policy_victim mine.c && echo '#error quern-module: policy_way is for caches'; } >says.c
{ grep -v 'include.*my' mine.c | sed 's/FIRST/(unsigned)(unsigned long)malloc(1)/' && echo; } | sed '1i void *malloc(unsigned long);' >libc.c
echo 'int main(void) { return 0; }' >program.c
nothing='nothing says what it is: #define POLICY, PREFETCHER or LEVEL is missing'
wrong D1=empty.c "D1=empty.c: $nothing"
wrong empty.c '--sim=empty.c: the file is empty: it defines none of POLICY, PREFETCHER, LEVEL, COHERENCE, PREDICTOR, ANALYSIS'
wrong LL=program.c "LL=program.c: $nothing"
wrong program.c '--sim=program.c: in which slot? It is no policy, level, predictor or analysis by itself; say D1=FILE'
wrong D1=/bin/true 'D1=/bin/true: is not C source'
wrong novictim.c 'D1=novictim.c: policy_victim is missing'
wrong LL=novictim.c 'LL=novictim.c: policy_victim is missing'
wrong says.c 'D1=says.c: policy_way is for caches'
wrong libc.c 'D1=libc.c: malloc is not there for modules; sim_alloc and sim_print are'
# A function that the engine would not call, because its #define is not there, or one that says that there is none is.
uncalled() { # SLOT=, MODULES+: the slot; FILE FUNCTION SCRIPT: a module that ships, changed by sed
    sed "$4" "$top_srcdir/lib/sim/$2" >uncalled.c
    cmp -s "$top_srcdir/lib/sim/$2" uncalled.c && bail "nothing was changed for $3"
    wrong "$1uncalled.c" "${1%%=*}=${1#*=}uncalled.c: $3 would not be called: see the #define behind it in sim/module.h"
}
uncalled D1= policy/plru.c policy_init '/define POLICY_INIT/d'
uncalled LL= policy/srrip.c policy_hit 's/^#define POLICY .*/&\n#define POLICY_HIT_IS_NOOP 1/'
uncalled D1= prefetch/nextline.c prefetcher_init '/define PREFETCHER_INIT/d'
uncalled D1=lru+ prefetch/nextline.c prefetcher_init '/define PREFETCHER_INIT/d'
uncalled D1= level/nowa.c cachesim_D1_settled '/define LEVEL_SETTLED/d'
uncalled D1= level/nowa.c cachesim_D1_drop '/define LEVEL_DROP/d'
uncalled BC= bpred/gshare.c branchsim_BC_init '/define PREDICTOR_INIT/d'
uncalled BC= bpred/gshare.c predictor_show '/define PREDICTOR_SHOWS/d'
uncalled BC= bpred/tage06.c branchsim_BC_path '/define PREDICTOR_PATH/d'
uncalled BI= bpred/ittage.c branchsim_BI_outcome '/define PREDICTOR_OUTCOMES/d'
{ cat mine.c && echo 'static unsigned policy_victim(unsigned set) { return set; }'; } >doubled.c
run -q --sim=doubled.c
is "$? $(tail -n 1 said)" '2 quern: run: D1=doubled.c: the compiler refuses it' 'a function that is there twice'
sed 's/beside_ref/beside_reference/' "$top_srcdir/lib/sim/level/tlb.c" >misspelt.c
wrong D1=misspelt.c 'D1=misspelt.c: beside_ref is missing'
wrong BC=mine.c 'BC=mine.c: this is no predictor: #define PREDICTOR is missing'
wrong AN=mine.c 'AN=mine.c: this is no analysis: #define ANALYSIS is missing'
# A module that is named is simulated, or it is refused by name.
twice='slot D1 has tlb already; `+` joins a policy, a prefetcher and tlb'
wrong BC=gshare,BC=bimodal '--sim=bimodal: slot BC has gshare already; a slot has one predictor'
wrong D1=victim+nowa '--sim=nowa: slot D1 has victim already; `+` joins a policy, a prefetcher and tlb'
wrong D1=tlb,D1=stride "--sim=stride: $twice"
wrong tlb,stride "--sim=stride: $twice"
wrong D1=tlb,LL=fifo,D1=default "--sim=default: $twice"
# refused TEXT COMMAND...: 2, and this one line
refused() {
    wanted=$1
    shift
    "$QUERN" "$@" >said 2>&1
    is "$? $(cat said)" "2 quern: $wanted" "quern $*"
}
refused "run: --sim=stride: $twice" run -q --sim=D1=tlb --sim=stride /bin/true
refused "run: --versus=stride: $twice" run -q --versus=D1=tlb,D1=stride /bin/true
refused "replay: --sim=stride: $twice" replay --sim=D1=tlb,D1=stride trace
refused "replay: --sim=stride: $twice" replay --sim=D1=tlb --sim=D1=stride trace
refused "replay: --sim=tlb: not beside --sim=/bin/true, a program, which has its modules" replay --sim=/bin/true --sim=tlb trace
refused "sim: --D1: got 'stride', wanted one module for a slot" sim build --D1=tlb --D1=stride -o made
refused 'run: --sim=gshare: not with --branch-sim=no' run -q --sim=BC=gshare --branch-sim=no /bin/true
refused 'run: --versus=btb: not with --branch-sim=no' run -q --versus=BI=btb --branch-sim=no /bin/true
refused 'run: --sim=srrip: not with --cache-sim=no' run -q --sim=LL=srrip --cache-sim=no /bin/true
refused 'run: --sim=srrip: not with an analysis module that observes instructions' run -q --sim=LL=srrip --analysis=values /bin/true
"$QUERN" run -q --sim=D1=fifo --sim=BC=gshare --analysis=3c --analysis=sets --out-file=profile /bin/true
is "$(modules | sed 's/:[0-9a-f]*//g') $(sed -n 's/^events:.* \(Bc Bcm\) .*/\1/p' profile)" 'I1=lru D1=fifo LL=lru BC=gshare BI=cachegrind AN=3c AN=sets Bc Bcm' \
    'options that are given twice add up; a predictor that is named is simulated'
sed 's/(void)set; return FIRST/unsigned char n[2] = {1, 1}; (void)set; memset(n, 0, 2); memcpy(n + 1, n, 1); return FIRST + n[1]/' mine.c >mem.c
run -q --sim=mem.c
is "$? $(cat said)" '0 ' 'memset and memcpy are declared by module.h'
sed 's/return FIRST/return FIRST + (unsigned)sim_pc * 0/' mine.c >no_pc.c
wrong no_pc.c 'D1=no_pc.c: WANTS_PC is missing: sim_pc needs #define WANTS_PC 1'
sed 's/sim_pc/sim_thread/' no_pc.c >no_thread.c
wrong no_thread.c 'D1=no_thread.c: WANTS_THREAD is missing: sim_thread needs #define WANTS_THREAD 1'
wrong D1=gshare 'D1=gshare: is not for this slot, only for BC'
wrong BC=srrip 'BC=srrip: is not for this slot, only for I1 D1 LL'
wrong D1=opt 'D1=opt: opt needs to know the future: it runs in `quern replay` only'
wrong D1=nobody 'D1=nobody: no such module; `quern sim list` shows them'
wrong D1=no.c 'D1=no.c: No such file or directory'
wrong 'D1=fifo:0123456789abcdef' 'D1=fifo:0123456789abcdef is in no engine that is there'
{ cat mine.c && echo 'static int twice = nothing;'; } >refused.c
run -q --sim=refused.c
is "$? $(grep -c 'refused.c:8:.*nothing' said) $(tail -n 1 said)" '2 1 quern: run: D1=refused.c: the compiler refuses it' \
    'where the code is wrong, what the compiler says, and a line'
sed 's/return FIRST/return (unsigned)(half * 0.5)/; 1a static volatile double half = 2;' mine.c >real.c
run -q --sim=real.c
is "$? $(tail -n 1 said)" '2 quern: run: D1=real.c: there is no floating point for modules' 'floating point is named'
echo '/* other */' >>mine.c
CC=/nowhere/cc run -q --sim=mine.c
is "$? $(cat said)" "2 quern: run: no C compiler: there is no '/nowhere/cc'; install gcc, or set CC" 'no compiler: one line'
is "$(ls tmp; ls "$kept" | grep new)" '' 'nothing stays behind'

# ---- other commands ----

"$QUERN" trace -o trace -- /bin/true || bail 'cannot record'
replay() { CC=$SCRATCH/cc "$QUERN" replay --D1=1024,4,32 "$@" trace | sed -n 's/^D1  misses: *\([0-9,]*\).*/\1/p'; }
replay --sim=D1=mine.c >first
compiled 0 'a replay is compiled'
replay --sim=D1=mine.c >second
compiled 1 'and kept'
same_file second first 'with the same misses'
"$QUERN" sweep -q -L sim=mine.c,srrip,fifo,gshare --branch-sim=yes --share=no --D1=1024,4,32 -o s.csv -- /bin/true 2>said
is "$? $(cut -d, -f16,18 s.csv | sed '1d;s/:[0-9a-f]*//g' | tr '\n' ' ')" '0 mine,cachegrind srrip,cachegrind fifo,cachegrind lru,gshare ' \
    'a sweep takes the same names'
done_testing
