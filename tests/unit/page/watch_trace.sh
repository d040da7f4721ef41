#!/bin/sh
# Does `quern watch --trace` play what the program itself would have been shown to do?  A run and the replay of its trace are compared.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"
. "$top_srcdir/tests/unit/page/watch.inc"
command -v jq >/dev/null || absent_all 'jq is not installed' 31

two_arrays 7
"$QUERN" trace -o prog.trace ./prog
[ $? = 7 ] && [ -s prog.trace ] || bail 'no trace'

all_but_source='[[.steps[] | del(.[1])], .caches]'

# ---- the page ----

caches='--cache=lru:1024,2,64 --cache=lru:4096,4,64 --cache=srrip:4096,4,64'
# shellcheck disable=SC2086 # options are words
"$QUERN" watch -q $caches --references=100000 -o prog.html ./prog || bail 'no page of the program'
# shellcheck disable=SC2086
"$QUERN" watch -q $caches --references=100000 -o trace.html --trace=prog.trace >out 2>err
is "$? $(cat out err)" '0 ' 'three caches of a trace'
data "$all_but_source" prog.html >wanted
data "$all_but_source" trace.html >got
same_file got wanted 'all steps of all caches are those of the program'
is "$(data '.steps | length' trace.html)" 378 '... each reference of it'
is "$(data '[.places, .files, .objects, .title]' trace.html)" '[[["",0,""]],[],[],"prog.trace"]' '... without source, under the name of the trace'
"$QUERN" watch -q --cache=lru:1024,2,64 --from=7 --references=5 -o few.html --trace=prog.trace
is "$(data '[.steps[][0]]' few.html)" '[7,8,9,10,11]' '--from and --references'
is "$(data '.caches[0].steps[] | .[0]' few.html)" "$(data '.caches[0].steps[6:11][] | .[0]' trace.html)" '... the cache is what it is by then'
cp prog.trace ./-odd.trace
"$QUERN" watch -q --references=5 -o odd.html --trace=-odd.trace
is "$? $(data .title odd.html)" '0 -odd.trace' 'a name that begins with a minus'

# ---- the steps alone, of a real program ----

geometry='--I1=2048,2,32 --D1=4096,4,64 --LL=65536,8,64'
true=$(command -v true)
case $true in /*) ;; *) true=/bin/true ;; esac
"$QUERN" trace -o true.trace "$true" || bail 'no trace of true'

# without file, line, function (3 to 5) and object, thread, core (the last), which a trace does not tell
without_source() { sed 's/,"[^"]*",[0-9]*,"[^"]*",/,/; s/,"[^"]*",[0-9]*,[0-9]*$//; s/,file,source_line,function,/,/; s/,object,thread,core$//' "$1"; }

for sim in '' --sim=D1=srrip --sim=D1=victim; do
    # shellcheck disable=SC2086
    "$QUERN" run -q $geometry $sim --watch=4000 --watch-from=3000 --watch-file=run.csv --out-file=/dev/null "$true" >out 2>&1 || bail "run: $(cat out)"
    # shellcheck disable=SC2086
    "$QUERN" replay $geometry $sim --watch=4000 --watch-from=3000 --watch-file=replay.csv true.trace >summary 2>err
    is "$? $(cat err)" '0 ' "a replay writes its steps${sim:+ ($sim)}"
    without_source run.csv >wanted
    without_source replay.csv >got
    same_file got wanted '... as the run does'
    ok '... there are 4,000 and more' test "$(wc -l <got)" -gt 4000
    rm -f run.csv replay.csv
done
# shellcheck disable=SC2086
"$QUERN" replay $geometry --sim=D1=victim true.trace >plain
same_file summary plain 'the summary is that of a replay without --watch'
# shellcheck disable=SC2086
"$QUERN" replay $geometry --sim=D1=victim --check --watch=4000 --watch-from=3000 --watch-file=replay.csv true.trace >out 2>err
is "$? $(cat err)" '0 ' '--check at the same time'
without_source replay.csv | cmp -s - wanted
is $? 0 '... changes no step'

# ---- what cannot be ----

refused() { # STATUS TEXT COMMAND...
    wanted=$1 text=$2
    shift 2
    rm -f x.html x.csv
    "$QUERN" "$@" >out 2>err
    got=$?
    is "$got:$(wc -l <err | tr -d ' '):$(ls x.html x.csv 2>/dev/null)" "$wanted:1:" "refused in one line: $*"
    grep -q -e "$text" err || { diag "$(cat err)"; ok "... which says $text" false; }
}
refused 2 'not with a program' watch -q --trace=prog.trace -o x.html ./prog
refused 2 'names no source' watch -q --trace=prog.trace --line=prog.S:9 -o x.html
refused 2 'names no source' watch -q --trace=prog.trace --region=sum -o x.html
refused 2 'standard input' watch -q --trace=- -o x.html
refused 1 'nosuch.trace' watch -q --trace=nosuch.trace -o x.html
refused 1 'no references' watch -q --trace=prog.trace --from=379 -o x.html
head -c $(($(wc -c <true.trace) * 2 / 3)) true.trace >cut.trace
refused 1 'cut.trace' watch -q --trace=cut.trace --references=10 -o x.html
refused 2 'watch-file' replay --watch=5 prog.trace
refused 2 'got 0' replay --watch=0 --watch-file=x.csv prog.trace
refused 1 'no/such' replay --watch=5 --watch-file=no/such/x.csv prog.trace
refused 2 "got 'many', wanted a number" replay --watch=many --watch-file=x.csv prog.trace
if [ -c /dev/full ]; then
    refused 1 '/dev/full' replay --watch=5 --watch-file=/dev/full prog.trace
else
    skip 'no /dev/full'
fi
done_testing
