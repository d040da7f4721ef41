#!/bin/sh
# quern merge and quern diff print, byte for byte, what cg_merge and cg_diff print: those since Valgrind 3.21 (the modern
# style), and with --style=classic those before.
#
#   layout/cases.txt: number, tab, command and files; NN.out: what the modern cg_merge or cg_diff printed
#
# Profiles made here are compared with the cg_merge and cg_diff that are installed, in their style. The classic cg_diff leaves
# the order of functions to Perl's hashes: its blocks of fl=, fn=, counts are put in bytewise order. Only stdout and files are
# compared; quern does not repeat cg_merge's remarks on stderr.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

here=$top_srcdir/tests/golden/annotate
LC_ALL=C
export LC_ALL

cp -R "$here/layout" "$SCRATCH" && cd "$SCRATCH/layout" || bail 'no scratch directory'
while IFS='	' read -r number words; do
    # shellcheck disable=SC2086 # words
    "$QUERN" $words >../got 2>../got.err
    same_file ../got "$number.out" "$words, modern"
done <cases.txt
cd "$SCRATCH" || bail 'no scratch directory'

# The rest is compared with what is installed, in its style.
oracle=
if command -v cg_merge >/dev/null 2>&1 && command -v cg_diff >/dev/null 2>&1; then
    oracle=modern
    ! cg_diff --version 2>&1 | grep -q '^cg_diff-3\.1' || oracle=classic
fi
no_oracle='cg_merge and cg_diff are not installed (Debian: valgrind)'

# gen NUMBER EVENTS VARIABLE=VALUE...
gen() {
    number=$1
    events=$2
    shift 2
    set -- "$@" "seed=$number"
    for setting; do
        set -- "$@" -v "$setting"
        shift
    done
    # cg_merge knows no blank lines, no comments, and wants a description.
    awk -v "events=$events" "$@" -f "$here/profile.awk" </dev/null |
        awk 'NR == 1 && !/^desc: / { print "desc: generated" } /^$/ || /^#/ { next } { sub(/ $/, ""); print }' >"p$number"
}

all9='Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw'
for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
    gen $seed "$all9" files=$((seed % 5 + 2)) functions=$((seed % 7 + 1)) lines=$((seed % 9 + 1)) max=90000
done
for seed in 21 22 23 24; do
    gen $seed 'Ir Dr' files=4 functions=5 lines=6 max=90 short=1
done
for seed in 31 32 33; do
    gen $seed 'Ir Bc Bcm' files=5 functions=3 lines=4 max=2000 negative=1
done
gen 41 Ir files=1 functions=1 lines=1 max=5
cp "$here/modern/a.cgout" v1
cp "$here/modern/b.cgout" v2
cp "$here/modern/c.cgout" v3

compare_merge() {
    [ -n "$oracle" ] || { absent "$no_oracle: merge $*"; return; }
    cg_merge -o wanted "$@" 2>wanted.err || bail "cg_merge failed: $(cat wanted.err)"
    "$QUERN" merge --style=$oracle -o got "$@"
    same_file got wanted "merge --style=$oracle -o got $*"
}

# Profiles of our own, as quern run writes them by default: cg_merge and cg_diff read them.
if [ -x "$top_builddir/quern-engine" ]; then
    "$QUERN" run -q --branch-sim=yes --out-file=q1 true
    "$QUERN" run -q --branch-sim=yes --D1=4096,1,32 --out-file=q2 ls / >/dev/null
    "$QUERN" run -q --branch-sim=yes --out-file=q3 sh -c 'echo a; exit 3' >/dev/null
fi

# Blocks of three lines in order, the head and the summary where they are.
order_blocks() {
    awk '/^fl=/ { block = $0; getline; block = block "\n" $0; getline; print block "\n" $0 > blocks; next } { print }' \
        blocks="$1.blocks" "$1"
    [ ! -f "$1.blocks" ] || paste - - - <"$1.blocks" | sort
    rm -f "$1.blocks"
}

compare_diff() {
    [ -n "$oracle" ] || { absent "$no_oracle: diff $*" 2; return; }
    case "$oracle $*" in
    modern*'$'* | modern*=s[!/]*) skip "this cg_diff takes s/old/new/ with \1 only: diff $*" 2 && return ;;
    esac
    cg_diff "$@" >wanted 2>wanted.err || bail "cg_diff failed: $(cat wanted.err)"
    "$QUERN" diff --style=$oracle "$@" >got 2>got.err
    order=cat
    [ $oracle = modern ] || order=order_blocks
    $order wanted >wanted.n
    $order got >got.n
    same_file got.n wanted.n "diff --style=$oracle $*"
    ok "diff $*: functions are in order" ordered got
}

ordered() {
    awk '/^fl=/ { f = $0 } /^fn=/ { print f "\001" $0 }' "$1" >names
    sort -c names
}

# Merging: one, two, many, the same again; of real programs.
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 41; do
    compare_merge p$seed
done
compare_merge p1 p2
compare_merge p3 p3
compare_merge p1 p2 p3 p4 p5 p6 p7 p8 p9 p10 p11 p12
compare_merge p12 p11 p10 p9 p8 p7 p6 p5 p4 p3 p2 p1
compare_merge v1 v2
compare_merge v2 v1 v1
compare_merge v3 v3 v3 v3
if [ -f q3 ]; then
    compare_merge q1
    compare_merge q2 q1 q3
    compare_merge q1 q1 q2 q3 q3
    compare_diff q1 q2
    compare_diff q3 q3
    compare_diff '--mod-filename=s#^\./csu/(.*)#/src/$1#' '--mod-funcname=s/@@.*//' q1 q3
else
    bail 'there is no engine in this build'
fi
"$QUERN" merge -o wanted p1 p2
"$QUERN" merge p1 p2 >got
same_file got wanted 'merge p1 p2 on stdout'

for pair in 'p1 p2' 'p2 p1' 'p3 p3' 'p4 p12' 'p21 p22' 'p23 p24' 'p31 p32' 'p33 p31' 'v1 v2' 'v3 v3'; do
    # shellcheck disable=SC2086 # two words
    compare_diff $pair
done
compare_diff '--mod-filename=s/words[0-9]*/words/' v1 v2
compare_diff '--mod-filename=s#^(./)?#/root/#' '--mod-funcname=s/_/-/g' v1 v2
compare_diff '--mod-funcname=s/FUN(\d+)_\d/f$1/i' p1 p2
compare_diff '--mod-filename=s/f(\d)\.c$/sprintf/' '--mod-funcname=s/^ns::(\w+?)\d*\(.*$/$1/' p3 p4

# Thirty profiles: merging each alone, with itself and with the next; the difference of neighbours with twenty sets of options.
cat >options <<'END'

--mod-filename=s/f/g/
--mod-filename=s/f/g/g
--mod-filename=s/F/x/i
--mod-filename=s/[0-9]+/N/
--mod-filename=s#^.*/##
--mod-filename=s/(.)(.)$/$2$1/
--mod-filename=s/\.(c|h)$/.$1$1/
--mod-filename=s/^(?!src)/other\//
--mod-filename=s|^|/root/|
--mod-funcname=s/f/g/
--mod-funcname=s/\(.*$//
--mod-funcname=s/^ns::(\w+)/$1/
--mod-funcname=s/\d+//g
--mod-funcname=s/[aeiou]//gi
--mod-funcname=s/(u|n)+/<$1>/
--mod-funcname=s/x?/-/g
--mod-funcname=s{.*}{all}
--mod-filename=s/\d/N/ --mod-funcname=s/\d/N/
--mod-funcname=s/(fun)(\d)_(\d)/$3.$2.$1/ --mod-filename=s/^(\w+)\/.*$/$1/
END
first=51 last=80
for seed in $(seq $first $last); do
    case $((seed % 3)) in
    0) gen "$seed" "$all9" files=$((seed % 4 + 2)) functions=$((seed % 5 + 1)) lines=$((seed % 6 + 1)) max=9000 ;;
    1) gen "$seed" "$all9" files=$((seed % 5 + 2)) functions=3 lines=4 max=9 ties=1 ;;
    2) gen "$seed" "$all9" files=4 functions=$((seed % 4 + 1)) lines=5 max=70000 zero=2 ;;
    esac
done
for seed in $(seq $first $last); do
    next=$((seed < last ? seed + 1 : first))
    compare_merge p"$seed"
    compare_merge p"$seed" p"$seed"
    compare_merge p"$seed" p$next
    while read -r words; do
        # shellcheck disable=SC2086 # words
        compare_diff $words p"$seed" p$next
    done <options
done

# A difference is a profile: it can be annotated, and merged with what was subtracted.
"$QUERN" diff p1 p2 >d 2>/dev/null
ok 'a difference can be annotated' "$QUERN" annotate --no-annotate d
compare_diff d d

# Names with s/old/new/ in merge, which cg_merge does not have: two files become one.
printf 'desc: x\ncmd: y\nevents: Ir\nfl=one1.c\nfn=f\n1 2\nfl=one2.c\nfn=f\n1 3\n2 4\nsummary: 9\n' >m
is "$("$QUERN" merge --mod-filename 's/one\d/one/' m)" "desc: x
cmd: y
events: Ir
fl=one.c
fn=f
1 5
2 4
summary: 9" 'merge --mod-filename adds what becomes one'
is "$("$QUERN" merge --style=classic --mod-filename 's/one\d/one/' m)" "desc: x
cmd: y
events: Ir
fl=one.c
fn=f
1   5 
2   4 
summary: 9" '... in the classic style, too'

# Instructions stay with their lines, whichever order these come in.
printf 'desc: x\ncmd: y\nevents: Ir\n#positions: object line instruction\n#ob=o\nfl=a\nfn=f\n9 2\n#0x20 90 2\n3 1\n#0x10 90 1\nsummary: 3\n' >i1
printf 'desc: x\ncmd: y\nevents: Ir\n#positions: object line instruction\n#ob=o\nfl=a\nfn=f\n4 1\n#0x18 90 1\n9 5\n#0x20 90 1\n#0x08 90 4\nsummary: 6\n' >i2
is "$("$QUERN" merge i1 i2 | sed 1,3d | tr '\n' ';')" \
    '#positions: object line instruction;#ob=o;fl=a;fn=f;9 7;#0x8 90 4;#0x20 90 3;3 1;#0x10 90 1;4 1;#0x18 90 1;summary: 9;' \
    'merged lines keep the order of their first counts, with their instructions'

# Lines in a difference: where the sources are the same, and only there.
printf 'a\nb\n' >one.c
cp one.c two.c
printf 'a\nc\n' >three.c
printf 'desc: x\ncmd: y\nevents: Ir\nfl=one.c\nfn=f\n1 2\n2 2\nsummary: 4\n' >m1
printf 'desc: x\ncmd: y\nevents: Ir\nfl=two.c\nfn=f\n1 3\nsummary: 3\n' >m2
printf 'desc: x\ncmd: y\nevents: Ir\nfl=three.c\nfn=f\n1 3\nsummary: 3\n' >m3
is "$("$QUERN" diff --lines --mod-filename='s/one|two/x/' m1 m2 | tail -n 3)" '1 1
2 -2
summary: -1' 'diff --lines of equal sources'
is "$("$QUERN" diff --lines --mod-filename='s/one|three/x/' m1 m3 | tail -n 2)" '0 -1
summary: -1' 'diff --lines of different sources: by function'
is "$("$QUERN" diff --lines m1 m1 | tail -n 3)" '1 0
2 0
summary: 0' 'diff --lines of one source'
is "$("$QUERN" diff --mod-filename='s/one|two/x/' m1 m2 | tail -n 2)" '0 -1
summary: -1' 'diff without --lines: by function'

# A hundred profiles: memory is that of the rows, not of the inputs.
set --
for i in 1 2 3 4 5 6 7 8 9 10; do
    set -- "$@" p1 p2 p3 p4 p5 p6 p7 p8 p9 p10
done
compare_merge "$@"
done_testing
