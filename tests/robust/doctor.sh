#!/bin/sh
# Does `quern doctor` tell what is missing, and does quern say what to do first?
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/scratch.sh"

# line WHAT: its line
line() { grep "^..  $1 " out; }
"$QUERN" doctor >out 2>err
is "$? $(cat err) $(line run)" '0  ok  run          a program runs under the simulators' 'a run is tried'
is "$(grep -vc '^\(ok\|--\|no\)  [A-Za-z/]* .*' out)" 0 'all lines have one form'
is "$(line vectors | cut -c 1-2)" "$(grep -q '^flags.* avx2' /proc/cpuinfo && echo ok || echo --)" 'the processor'

mkdir -p bin home
HOME=$PWD/home XDG_CACHE_HOME='' PATH=$PWD/bin "$QUERN" doctor >out
is "$? $(line compiler | cut -c 1-2) $(line gnuplot | cut -c 1-2)" '0 -- --' 'programs that are not there'
ok '... and what it costs' grep -q '^--  gnuplot *none: plot and report draw no pictures' out
printf '#!/bin/sh\n' >bin/cc && chmod +x bin/cc
PATH=$PWD/bin "$QUERN" doctor >out
is "$(line compiler)" "ok  compiler     $PWD/bin/cc" 'one that is'
HOME=/nonexistent XDG_CACHE_HOME='' "$QUERN" doctor >out
is "$(line cache | cut -c 1-2)" '--' 'no cache'
"$CC" -o refuse "$top_srcdir/tests/robust/refuse.c" 2>log || bail "cc: $(cat log)"
./refuse 1 319 434 -- "$QUERN" doctor >out
is "$(line calls)" '--  calls        memfd_create, pidfd_open: refused by a filter or not in this kernel; others stand in, counts are the same' 'calls that a filter refuses'
is "$(line seccomp)" 'ok  seccomp      a filter of calls is in force' '... and the filter'
./refuse 1 56 57 58 435 -- "$QUERN" doctor >out 2>err
is "$? $(line run)" '1 no  run          `quern run` ended with status 127' 'where no process can be started, quern does not work'
if unshare -rm true 2>/dev/null; then
    mkdir -p tmp
    unshare -rm sh -c 'mount -t tmpfs -o noexec none tmp && TMPDIR=$PWD/tmp "$1" doctor' - "$QUERN" >out
    is "$(line TMPDIR | cut -c 1-2) $(line run | cut -c 1-2)" '-- ok' 'TMPDIR where no program may be executed'
    printf '/* none */\n' >mine.c && cat "$top_srcdir/lib/sim/policy/fifo.c" >>mine.c
    unshare -rm sh -c 'mount -t tmpfs -o noexec none tmp && TMPDIR=$PWD/tmp HOME=/nonexistent XDG_CACHE_HOME= "$1" run --sim=D1=mine.c --out-file=p true' - \
        "$QUERN" 2>err
    is "$? $(grep -c 'D1  misses' err)" '0 1' '... and a module is compiled elsewhere'
else
    skip 'no namespaces here' 2
fi
"$QUERN" doctor x 2>err
is $? 2 'no arguments'

"$QUERN" >out 2>err
is "$? $(cat out)" '2 ' 'quern alone is no command'
for words in 'gcc -g -O2 -o prog prog.c' 'quern run --out-file=prof ./prog' 'quern annotate prof' 'quern doctor'; do
    ok "... and says: $words" grep -q "^  $words " err
done

# ---- the help of run ----

"$QUERN" run --help >short
"$QUERN" run --help=all >all
names() { sed -n 's/^  \(-h, \)\{0,1\}\(-[^ =]*\).*/\2/p' "$1"; }
is "$(names short | tr '\n' ' ')" '--I1 --D1 --LL --machine --branch-sim --out-file --interval --explain --data --calls --sim --analysis --help ' 'what matters first'
is "$(names all | sort | uniq -d)" '' '--help=all: each option once'
ok '... all of them' test "$(names all | wc -l)" -gt 60
is "$(grep -c '^[a-z].*:$' all)" 7 '... in groups'
is "$("$QUERN" csv --help=all)" "$("$QUERN" csv --help)" 'of another command, --help=all is --help'
done_testing
