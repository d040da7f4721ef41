#!/bin/sh
# Files that an earlier release wrote: does each command read them, with the numbers of then (doc/profiles.md: what a later quern reads)?
# A folder for each release; its files are never changed.  prog.c there is what was run, with D1 1024,2,64.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

command -v jq >/dev/null || absent_all 'not installed: jq' 16
for old in "$top_srcdir"/tests/golden/formats/[0-9]*; do
    of=$(basename "$old")
    rm -rf "$SCRATCH/work" && cp -r "$old" "$SCRATCH/work" && chmod -R u+w "$SCRATCH/work" && cd "$SCRATCH/work" || bail 'no copy'
    says() { # WHAT PATTERN COMMAND...: the command ends well and prints the pattern
        what=$1 pattern=$2
        shift 2
        "$@" >said 2>&1
        is "$? $(grep -c -e "$pattern" said)" '0 1' "$of: $what" || diag "$(head -n 5 said)"
    }
    says 'a profile, annotated' '^ *2,560 .* 252 .*prog.c:7' "$QUERN" annotate --by=line --show=Ir,D1mr profile
    "$QUERN" csv profile >said 2>&1
    is "$(cmp said lines.csv 2>&1)" '' "$of: ... as CSV"
    "$QUERN" csv --to-profile -o again lines.csv && "$QUERN" csv again | cut -d, -f2- >said
    is "$(wc -l <said)" "$(wc -l <lines.csv)" "$of: CSV as a profile"
    "$QUERN" json profile >now.json
    is "$(jq -nr --slurpfile a profile.json --slurpfile b now.json '$a[0] as $old | $b[0] as $new | [$old | paths(scalars)] | map(select(. as $p | ($old | getpath($p)) != ($new | getpath($p)))) | length')" 0 \
        "$of: ... as JSON, each name and number of then"
    says 'added to itself' 'summary: 8066 ' sh -c '"$1" merge -o sum profile profile && cat sum' sh "$QUERN"
    says 'for Callgrind' '^totals: 4033 ' sh -c '"$1" convert --to=callgrind -o c profile && cat c' sh "$QUERN"
    says 'calls' '^> 4,022 .* 4 .*prog.c:walk, line 14' "$QUERN" annotate --by=calls --show=Ir profile
    says 'data' '252 misses: 252 on a (global' "$QUERN" annotate --by=data profile
    "$QUERN" page --mattson=profile.mattson.csv --sets=profile.sets.csv --culprits=profile.culprits.csv --intervals=interval.csv --runs=runs.csv -o page.html profile >said 2>&1
    is "$?" 0 "$of: a page of a profile and its tables" || diag "$(cat said)"
    "$QUERN" plot mrc profile.mattson.csv -o mrc.svg >said 2>&1 && "$QUERN" plot sets profile.sets.csv -o sets.svg >said 2>&1 && "$QUERN" plot time interval.csv profile -o time.svg >said 2>&1
    is "$?" 0 "$of: pictures of tables" || diag "$(cat said)"
    "$QUERN" plot curve --x=D1_size --y=D1_mpki runs.csv -o curve.svg >said 2>&1
    is "$?" 0 "$of: a picture of a sweep" || diag "$(cat said)"
    says 'a trace' 'instructions 4033' "$QUERN" trace --info trace
    says '... replayed' 'D1  misses: *257' "$QUERN" replay --I1=1024,2,64 --D1=1024,2,64 --LL=8192,4,64 trace
    says 'a module' 'D1=module' sh -c '"$1" run -q --D1=1024,2,64 --sim=D1=module.c --out-file=p true && cat p' sh "$QUERN"
    says 'a machine' 'D1 cache: *1024 B, 64 B, 2-way' sh -c '"$1" run -q --machine=./machine --out-file=p true && cat p' sh "$QUERN"
    "$QUERN" sweep -q -o new.csv experiment >said 2>&1
    is "$? $(wc -l <new.csv)" '0 3' "$of: an experiment" || diag "$(cat said)"
done
done_testing
