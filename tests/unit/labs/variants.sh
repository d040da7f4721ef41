#!/bin/sh
# Do policies written from a student's handout pass her variant, and only hers?  Is the key needed?  (Copies: tests/unit/lab/copied.c.)
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/unit/labs/variants.inc"

out=$SCRATCH/out err=$SCRATCH/err key=$SCRATCH/key
echo 'a key of this course' >"$key"

run() {
    wanted=$1 what=$2
    shift 2
    "$QUERN" lab "$@" >"$out" 2>"$err"
    is $? "$wanted" "$what" || diag "$(cat "$out" "$err")"
}

run 0 'a variant' start 3 "$SCRATCH/ada" --student=ada --key-file="$key"
ok 'its rules are in the handout' grep -q '^\*\*This is the variant of ada.\*\*' "$SCRATCH/ada/HANDOUT.md"
run 0 'another one' start 3 "$SCRATCH/bob" --student=bob --key-file="$key"
rules() { sed -n '5,/^$/p' "$SCRATCH/$1/HANDOUT.md"; }
ok 'which differs' test "$(rules ada)" != "$(rules bob)"
run 2 'a student without a key' start 3 "$SCRATCH/x" --student=ada
is "$(cat "$err")" 'quern: lab: --student and --key-file belong together' 'is told'
run 2 'a key that is not there' start 3 "$SCRATCH/x" --student=ada --key-file="$SCRATCH/nokey"
for lab in 1 2 4 5 7 8 9 10 11 12 13; do
    run 0 "lab $lab has variants" start $lab "$SCRATCH/v$lab" --student=ada --key-file="$key"
    ok 'which its handout tells of' grep -q '^\* \*\*\|^\* The index' "$SCRATCH/v$lab/HANDOUT.md"
done
run 0 'a black box from the key' start 6 "$SCRATCH/box" --student=ada --key-file="$key"
run 0 'again' start 6 "$SCRATCH/box2" --student=ada --key-file="$key"
is "$(cat "$SCRATCH/box/.quern-lab")" "$(cat "$SCRATCH/box2/.quern-lab")" 'is the same box'

# ---- what the handout says ----

run 0 'a third one' start 3 "$SCRATCH/cyd" --student=cyd --key-file="$key"
for who in ada bob cyd; do
    write_policies "$SCRATCH/$who"
    run 0 "policies written from $who's handout: full marks" check --case-seed=1 --student=$who --key-file="$key" 3 "$SCRATCH/$who"
done
run 0 'they pass without the key, for practice' check --case-seed=1 3 "$SCRATCH/ada"
ok 'which is said' grep -q '^# the variant of this folder; what counts is checked with the key' "$out"
run 1 "ada's as bob's" check --case-seed=1 --student=bob --key-file="$key" 3 "$SCRATCH/ada"
ok 'where they differ they get nothing' grep -q '^not ok.*fifo\|^not ok.*lru: every\|^not ok.*srrip\|^not ok.*opt: every' "$out"
sed -i 's/^variant .*/variant 1/' "$SCRATCH/ada/.quern-lab"
run 0 'what the folder says does not count' check --case-seed=1 --student=ada --key-file="$key" 3 "$SCRATCH/ada"
done_testing
