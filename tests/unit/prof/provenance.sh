#!/bin/sh
# Is there a warning where profiles of different simulators, caches or rules of counting are put together, and none where these are equal?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

# profile NAME [SED-SCRIPT]: a profile of its own, changed
profile() {
    sed "${2:-}" >"$1" <<'END'
desc: I1 cache:         32768 B, 64 B, 8-way associative
desc: D1 cache:         32768 B, 64 B, 8-way associative
desc: LL cache:         1048576 B, 64 B, 16-way associative
desc: Simulator:        quern 0.1, quern-engine 0123456789abcdef
desc: Modules:          I1=lru D1=lru LL=lru BC=cachegrind BI=cachegrind
desc: Counting:         exact
desc: Seed:             1
desc: Program:          /bin/one, build-id 00
cmd: one
events: Ir Dr
fl=a.c
fn=f
1 10 5
summary: 10 5
END
}
profile one
profile other 's/bin.one/bin\/two/;s/^cmd: one/cmd: two/;s/^desc: Seed: .*/desc: Seed:             2/'
profile cache '2s/32768/4096/'
profile simulator 's/0123456789abcdef/fedcba9876543210/'
profile module 's/D1=lru/D1=srrip/'
profile counting 's/exact/cachegrind/'
profile less '/^desc: Counting/d'

# warned COMMAND...: what it says on stderr; the command has to succeed.
warned() {
    "$QUERN" "$@" 2>&1 >/dev/null || echo "status $?"
}
for command in merge diff 'annotate --diff'; do
    # shellcheck disable=SC2086 # words
    {
        is "$(warned $command one one)" '' "$command: the same, no word"
        is "$(warned $command one other)" '' "$command: another program, another seed: no word"
        is "$(warned $command one cache)" "quern ${command%% *}: warning: one and cache differ in D1 cache: \`32768 B, 64 B, 8-way associative' and \`4096 B, 64 B, 8-way associative'" \
            "$command: another cache"
        is "$(warned $command one simulator)" "quern ${command%% *}: warning: one and simulator differ in Simulator: \`quern 0.1, quern-engine 0123456789abcdef' and \`quern 0.1, quern-engine fedcba9876543210'" \
            "$command: another simulator"
        is "$(warned $command one module | cut -c -60)" "$(printf '%.60s' "quern ${command%% *}: warning: one and module differ in Modules: \`I1=lru D1")" \
            "$command: another module in a slot"
        is "$(warned $command one counting)" "quern ${command%% *}: warning: one and counting differ in Counting: \`exact' and \`cachegrind'" \
            "$command: other rules of counting"
        is "$(warned $command one less)" "quern ${command%% *}: warning: one and less differ in Counting: \`exact' and \`'" \
            "$command: rules that are not known"
    }
done
is "$(warned merge one one cache one counting | wc -l)" 2 'merge: one line for each profile that differs from the first'
is "$("$QUERN" merge one cache 2>/dev/null | tail -n 1)" 'summary: 20 10' 'and the sum all the same'

# What quern run says of its simulator.
if [ -x "$top_builddir/quern-engine" ]; then
    "$QUERN" run -q --out-file=all true
    ok 'modules are named' grep -q '^desc: Modules: *I1=.* BI=' all
    "$QUERN" run -q --cache-sim=no --out-file=none true
    is "$(sed -n 's/^desc: Modules: *//p' none)" none 'without simulation there are none'
else
    bail 'there is no engine in this build'
fi
done_testing
