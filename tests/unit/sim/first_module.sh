#!/bin/sh
# Do the ten minutes of doc/modules.md work, command by command, and does what they change show?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

ln -s "$top_srcdir/lib" "$top_srcdir/doc" . || bail 'no links'
PATH=$top_builddir:$PATH
export PATH
sed -n '/^## Ten minutes/,/^## A policy/s/^    //p' "$top_srcdir/doc/modules.md" | sed "s/^gcc /${CC:-cc} /" >commands
[ "$(wc -l <commands)" -ge 8 ] || bail 'doc/modules.md has no such commands'

while IFS= read -r command; do
    sh -c "$command" >said 2>&1 </dev/null
    is $? 0 "$command" || diag "$(tail -n 3 said)"
    cat said >>all
done <commands

# misses FILE: of the D1, reads and writes.
misses() { sed -n 's/^summary: *//p' "$1" | awk '{ print $5 + $8 }'; }

ok 'the two caches do not miss as often' [ "$(misses default.out)" != "$(misses mine.out)" ]
is "$(sed -n 's/^desc: Modules:.*D1=\([^:]*\):.*/\1/p' mine.out)" mine 'the profile names the file'
ok 'and -v how it is simulated' grep -q 'D1: .*/mine\.c [0-9a-f]*, each reference a call' all
is "$(awk '/^events:/ { for (i = 2; i <= NF; i++) at[$i] = i } /^summary:/ { print $at["B.D1mr"] + $at["B.D1mw"] }' both.out)" \
    "$(misses mine.out)" 'as B of --versus it misses as often as alone'
is "$(misses both.out)" "$(misses default.out)" 'and A as the default'
done_testing
