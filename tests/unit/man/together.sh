#!/bin/sh
# Is an option refused that has no effect with the others that were given? And do outputs that would be lost stop a run before it begins?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

# refused COMMAND OPTION WHAT WORDS...: one line and status 2
refused() {
    command=$1 wanted=$2 help=--help
    shift 2
    [ "$command" != run ] || help=--help=all
    said=$("$QUERN" "$command" "$@" 2>&1 >out </dev/null)
    is "$? $said$(cat out)" "2 quern$wanted; \`quern $command $help\` describes it" "$command $*"
}
refused run ': run: --calls-room: needs --calls or --profile-format=callgrind' --calls-room=5 true
refused run ': run: --calls-depth: needs --calls or --profile-format=callgrind' --calls=no --calls-depth=5 true
refused run ': run: --interval-file: needs --interval' --interval-file=x true
refused run ': run: --explain-first: needs --explain' --explain-first=3 true
refused run ': run: --watch-from: needs --watch' --watch-from=3 true
refused run ': run: --trace-blocks: needs --trace' --trace-blocks=1-2 true
refused run ': run: --toggle-collect: not with --toggle, which counts only inside its function' --toggle=main --toggle-collect=exit true
refused run ': run: --analysis: not with --check' --analysis=sets --check true
refused csv ' csv: --timing: not with --by=data, by which only misses are counted' --by=data --timing=width=1 p
refused csv ' csv: --timing: not with --by=used, whose columns are always the same' --by=used --timing=width=1 p
refused csv ' csv: --show: not with --by=pair, whose columns are always the same' --by=pair --show=Ir p
refused csv ' csv: --to-profile: not with --metadata=no' --to-profile --metadata=no p
refused plot ' plot: --event: not with data' data --event=D1mr p
refused plot ' plot: --level: not with top' top --level=D1 p
refused plot ' plot: --level: not with curve' curve --x=a --y=b --level=D1 p
refused plot ' plot: --timing: not with time' time --timing=width=1 p
refused dis ' dis: --mode: needs --hex' --mode=32 p
refused page ' page: --sets-before: needs --diff' --sets-before=x p
refused convert ' convert: --event: needs --to=folded or --to=speedscope' --event=Ir p
refused sweep ': sweep: --on-opt: needs --on=parallel or --on=slurm or --part' --on-opt=--x -- true
refused lab ': lab: --on-opt: needs --on=parallel or --on=slurm' marks --on-opt=--x 1 .

# told STATUS TEXT COMMAND...: one line without a word of help
told() {
    wanted=$1
    shift
    said=$("$QUERN" "$@" 2>&1 >out </dev/null)
    is "$? $said$(cat out)" "$wanted" "$*"
}
told '2 quern: run: --analysis: nothing is simulated that could be analysed' run --analysis=sets --cache-sim=no true
told '2 quern: run: --dump-before: got '"''"', wanted the name of a function' run --dump-before= true
told '2 quern: run: --toggle: got '"''"', wanted the name of a function' run --toggle= true
told '2 quern: run: --data=use: got D1 lines of 65536 bytes, wanted at most 32768' run --data=use --D1=131072,2,65536 true
for analysis in 3c sets mattson sizes latency; do
    said=$("$QUERN" run -q --analysis=$analysis --cache-sim=no --branch-sim=yes --out-file=none true 2>&1)
    is "$? $(echo "$said" | sed -n 's/.*\(module .*\)/\1/p')" "70 module $analysis in slot AN, init, reference 0: is told of references to data, and --cache-sim=no simulates none" \
        "$analysis without caches"
done
printf 'I  04,4\n L 100,4\n' >trace
if "$QUERN" replay trace >/dev/null 2>&1; then
    told '2 quern: replay: --watch-of: needs --watch; `quern replay --help` describes it' replay --watch-of=BC trace
    told '2 quern: replay: --sim-opt=bogus=6: no module has this option' replay --sim=BC=gshare --sim-opt=bits=12,bogus=6 trace
else
    skip 'no compiler for quern replay' 2
fi

# lost TEXT OPTIONS...: nothing is run
lost() {
    text=$1
    shift
    "$QUERN" run -q "$@" touch ran >out 2>err
    is "$? $(cat err) $(ls ran 2>/dev/null)" "1 quern: run: $text " "run $*"
}
lost 'no profile: both: is the file of the log' --out-file=both --log-file=both
lost 'no profile: /dev/stdout: is a descriptor of the program; wanted a file' --out-file=/dev/stdout
lost 'no intervals: /proc/self/fd/1: is a descriptor of the program; wanted a file' --out-file=p --interval=auto --interval-file=/proc/self/fd/1
lost 'no trace: both: is the file of the log' --log-file=both --trace=decode --trace-file=both

"$QUERN" run -q --out-file=p --sim=BC=bimodal --branch-sim=yes --sim-opt=bits=9,D1.bogus=6 true 2>err
is "$? $(sed 's/^--[0-9]*-- //' err)" '0 --sim-opt=D1.bogus=6: no module has this option' 'a run tells of an option that no module has'

"$QUERN" json -o p.json p
is "$(stat -c %a p.json)" "$(stat -c %a p)" 'JSON of a profile is as private as the profile'
done_testing
