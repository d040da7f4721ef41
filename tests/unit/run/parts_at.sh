#!/bin/sh
# --dump-before, --dump-after, --zero-before, --toggle-collect: are the parts of a run those of Callgrind 3.19, and is what is counted?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"
. "$top_srcdir/tests/tap/freestanding.sh"

[ -x "$top_builddir/quern-engine" ] || bail 'there is no engine in this build'
HOME=$SCRATCH
export HOME
unset VALGRIND_OPTS

# Without libc: it does the same under Valgrind.  last() jumps to inner().
cat >at.c <<'END'
#include "guest.h"
#define FUNCTION __attribute__((noinline, used)) static void
static volatile int cell = 1, table[4096];
FUNCTION work(int n)
{
    while (n-- > 0)
        table[n * 16 & 4095] += cell++;
}
FUNCTION inner(int n)
{
    work(n);
}
FUNCTION in_between(int n)
{
    work(n);
    inner(n + 1);
    work(n + 2);
    cell++;
}
FUNCTION deep(int n)
{
    work(n);
    if (n > 0)
        deep(n - 1);
    cell++;
}
FUNCTION last(int n)
{
    cell++;
    inner(n);
}
FUNCTION run(void)
{
    work(10);
    in_between(20);
    inner(5);
    deep(3);
    in_between(7);
    deep(2);
    last(9);
    work(4);
}
static int guest_main(void)
{
    run();
    return 0;
}
END
"$CC" $freestanding -I"$top_srcdir/tests/guest" -foptimize-sibling-calls -o at at.c 2>log || bail "cc: $(cat log)"
caches='--cache-sim=yes --I1=1024,2,64 --D1=2048,2,32 --LL=16384,4,64'
# csv EVENTS WORDS...
csv() {
    events=$1
    shift
    "$QUERN" csv --metadata=no --crlf=no --show="$events" "$@" | sed '1d; s/^[^,]*,//' | LC_ALL=C sort
}
nine=Ir,Dr,Dw,I1mr,D1mr,D1mw,ILmr,DLmr,DLmw
valgrind --version 2>/dev/null | grep -q '^valgrind-3\.19\.' && referee=yes || referee=no

# parts NUMBER WORDS...: so many files but for the last one, each as Callgrind's
parts() {
    wanted=$1
    shift
    rm -f q q.* v v.* q-* v-*
    "$QUERN" valgrind --tool=callgrind -q $caches --callgrind-out-file=q "$@" ./at 2>err
    is "$? $(cat err) $(ls q.* 2>/dev/null | wc -l)" "0  $wanted" "$*"
    if [ $referee = no ]; then
        absent 'no Valgrind 3.19' 4
        return
    fi
    valgrind -q --tool=callgrind $caches --callgrind-out-file=v "$@" ./at >log 2>&1 || bail "callgrind: $(cat log)"
    is "$(echo q*)" "$(echo v* | sed 's/v/q/g')" '... the files'
    for tool in q v; do
        for file in "$tool" "$tool".*; do
            [ -f "$file" ] || continue
            "$QUERN" convert -o profile "$file"
            csv $nine --by=line profile | sed "/,guest_start,/d; s/^/${file#?} /" >>$tool-rows # where the program ends: Callgrind does not count that block
            csv $nine --by=call profile | sed "s/^/${file#?} /" >>$tool-calls
            sed -n 's/^part: \([0-9]*\).*/part \1/p; s/^desc: Trigger: *\(--.*\)/\1/p' "$file" >>$tool-heads
        done
    done
    same_file q-rows v-rows '... nine counts of each line'
    same_file q-calls v-calls '... each call with its line, number and nine inclusive costs'
    is "$(cat q-heads)" "$(cat v-heads)" '... their numbers, and what ended them'
}
parts 4 --dump-before=inner
parts 2 --dump-after=in_between
parts 2 --dump-before=deep
parts 2 --dump-after=deep
parts 0 --zero-before=in_between
parts 0 --zero-before=inner
parts 1 --dump-before=run
parts 2 --dump-before=last --dump-after=last --zero-before=last
parts 6 --dump-before=inner --dump-after=deep --zero-before=in_between
parts 6 '--dump-before=in*'
parts 6 '--dump-after=in*'
parts 6 '--dump-after=in_*' --dump-before=inner

# What is counted in a line, misses included: both simulate where they do not count.
toggled() {
    "$QUERN" valgrind --tool=callgrind -q $caches --callgrind-out-file=q "$@" ./at || bail quern
    if [ $referee = no ]; then
        absent 'no Valgrind 3.19' 2
        return
    fi
    valgrind -q --tool=callgrind $caches --callgrind-out-file=v "$@" ./at >log 2>&1 || bail "callgrind: $(cat log)"
    for tool in q v; do
        "$QUERN" convert -o profile $tool
        csv $nine --by=line profile | grep -v ',guest_start,' >$tool-rows
        csv $nine --by=call profile >$tool-calls
    done
    same_file q-rows v-rows "$*"
    same_file q-calls v-calls '... each call with its line, number and nine inclusive costs'
}
rm -f q.* v.*
toggled --toggle-collect=in_between
toggled '--toggle-collect=in*'
toggled --toggle-collect=deep --toggle-collect=last
toggled --collect-atstart=no --toggle-collect=inner
toggled --toggle-collect=inner --collect-atstart=yes
toggled '--toggle-collect=*e*'

# quern run has the option, too, and begins as Callgrind does.
for options in --toggle-collect=inner '--collect-atstart=yes --toggle-collect=inner' '--toggle-collect=inner --collect-atstart=yes'; do
    "$QUERN" valgrind --tool=callgrind -q $caches --callgrind-out-file=q $options ./at && "$QUERN" convert -o profile q || bail quern
    "$QUERN" run -q $caches --counting=cachegrind --out-file=got $options ./at || bail quern
    is "$(sed -n 's/^summary: //p' got)" "$(sed -n 's/^summary: //p' profile)" "quern run $options"
done

# ---- with other things ----

for options in '--batch=always' '--data=yes' '--branch-sim=yes --analysis=3c' '--block-max=1' '--calls=paths --filter=no'; do
    rm -f got got.* merged
    "$QUERN" run -q $caches --calls=yes $options --out-file=whole ./at || bail 'quern'
    "$QUERN" run -q $caches --calls=yes $options --dump-before=inner --dump-after=deep --out-file=got ./at || bail 'quern'
    "$QUERN" merge -o merged got.1 got.2 got.3 got.4 got.5 got.6 got 2>err
    is "$? $(cat err)" '0 ' "parts can be added ($options)"
    for file in merged whole; do
        { csv $nine --by=line $file; csv $nine --by=call $file; } >$file.counts
    done
    same_file merged.counts whole.counts 'together they are the run'
done
"$QUERN" run -q --out-file=got --dump-before=nothing_such ./at 2>err
ok 'a function that there is not' grep -q -- '--dump-before=nothing_such: nothing that was executed has a function of that name' err
ln -s /dev/null device
"$QUERN" run -q --out-file=device --dump-before=deep ./at 2>err
is "$? $(cat err)$(echo device*)" '0 device' 'parts of a profile that goes to a device go there, too'
for option in --interval=1000 --versus=D1=srrip; do
    "$QUERN" run -q $option --out-file=got --dump-before=deep ./at 2>err
    is "$? $(cat err)" "2 quern: run: --dump-before: not with ${option%%=*}; \`quern run --help=all\` describes it" "$option"
done
"$QUERN" run -q --analysis=values --out-file=got --dump-before=deep ./at 2>err
is "$? $(cat err)" '2 quern: run: --dump-before: not with an analysis module that observes instructions' '--analysis=values'
done_testing
