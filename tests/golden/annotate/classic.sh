#!/bin/sh
# The classic style prints, byte for byte after normalise.awk, what cg_annotate 3.19 prints: 42 profiles times 23 sets of options.
#
# Profiles: made by profile.awk, written below (the edges), taken with valgrind --tool=cachegrind where it is there, and with
# quern run.
# What the original leaves to chance is put in order on both sides (normalise.awk); all else is compared as it is.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

here=$top_srcdir/tests/golden/annotate
oracle=${CG_ANNOTATE:-cg_annotate}
version=$("$oracle" --version 2>&1)
no_oracle=
case $version in
cg_annotate-3.1*) ;;
*) no_oracle="no cg_annotate of the classic kind is installed (Debian: valgrind)" ;;
esac
LC_ALL=C
export LC_ALL
cd "$SCRATCH" || bail 'no scratch directory'

# Sources: short ones, a long one, one without a last newline, one that ends in a lone 0, an empty one, a directory.
make_sources() {
    mkdir -p src sub other/missing src/f10.c
    for k in 0 1 5 6; do
        awk -v k=$k 'BEGIN { for (i = 1; i <= 30 + 40 * k; i++) printf "line %d of %d\twith a tab\n", i, k }' >"src/f$k.c"
    done
    awk 'BEGIN { for (i = 1; i < 12; i++) print "h" i; printf "no newline" }' >g2.h
    awk 'BEGIN { for (i = 1; i < 12; i++) print "i" i; printf "0" }' >sub/g7.h
    awk 'BEGIN { for (i = 1; i <= 200; i++) print "m" i }' >other/missing/m3.c
    : >src/f11.c
    echo 'never in a profile' >extra.c
    find . -type f -exec touch -d '2020-01-01 12:00:00' {} +
    touch -d '2021-01-01 12:00:00' src/f1.c # newer than the profiles
    touch -d '2020-06-01 12:00:00' src/f5.c # of the same second
}

all13='Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim'
all9='Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw'

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
    awk -v "events=$events" "$@" -f "$here/profile.awk" </dev/null >"p$number.cgout"
}

make_profiles() {
    gen 1 Ir files=3 functions=4 lines=6 max=1000
    gen 2 Ir files=8 functions=3 lines=9 max=100000
    gen 3 'Ir Dr' files=4 functions=5 lines=7 max=500
    gen 4 "$all9" files=6 functions=6 lines=5 max=30000
    gen 5 "$all13" files=7 functions=4 lines=8 max=2000
    gen 6 "$all13" files=12 functions=9 lines=12 max=4000
    gen 7 'Ir Dr' files=5 functions=4 lines=6 max=300 dots=1
    gen 8 "$all9" files=5 functions=5 lines=6 max=900 dots=1 short=1
    gen 9 'Ir Bc Bcm' files=6 functions=3 lines=4 max=2000 short=1
    gen 10 'Ir Dr' files=6 functions=4 lines=5 max=2000 negative=1
    gen 11 "$all9" files=5 functions=5 lines=5 max=40000 negative=1
    gen 12 'Ir Bc' files=6 functions=8 lines=3 max=9 ties=1
    gen 13 "$all9" files=8 functions=6 lines=4 max=9 ties=1 negative=1
    gen 14 'Ir Dr Dw' files=5 functions=5 lines=5 max=700 zero=1
    gen 15 'Ir Dr Dw' files=5 functions=5 lines=5 max=700 zero=2 dots=1
    gen 16 'A B' files=1 functions=1 lines=1 max=100
    gen 17 'A B' files=2 functions=30 lines=2 max=100000
    gen 18 'averylongeventname x' files=4 functions=3 lines=4 max=30
    gen 19 "$all13" files=10 functions=12 lines=3 max=60000
    gen 20 'Ir Dr' files=9 functions=2 lines=40 max=600
    gen 21 'Ir Dr' files=12 functions=2 lines=25 max=600 short=1 ties=1
    gen 22 "$all13" files=13 functions=5 lines=9 max=100000 negative=1 dots=1 short=1
}

# Edges, each a few lines by hand.
make_edges() {
    cat >e1.cgout <<'END'
cmd: empty of counts
events: Ir Dr
fl=src/f0.c
fn=main
3 0 0
summary: 0 0
END
    cat >e2.cgout <<'END'
desc: counts beyond 2^53
cmd: big
events: Ir Dr
fl=src/f0.c
fn=main
3 9007199254740993 1
4 9007199254740995 92233720368547758
fl=src/f6.c
fn=f
5 1 0
9 1000000000000000000 2
summary: 1018014398509481989 92233720368547761
END
    cat >e3.cgout <<'END'
desc: names with a colon, blanks, # and quotes; UTF-8 and bytes that are not
cmd: ./a b "c" #d
events: Ir Dr
fl=src/has:colon.c
fn=f
3 10 1
fl=src/has blank.c
fn=operator()(int, char)
4 20 2
fl=#hash.c
fn="quoted" 'twice'
1 30 3
fl=caf\303\251.c
fn=na\357\277\275me
1 40 4
fl=src/f0.c:12
fn=g
1 50 5
summary: 150 15
END
    printf "$(cat e3.cgout)\n" | sed 's/café/caf\xff/' >e4.cgout
    printf 'cmd: none\nevents: Ir\nfl=src/f0.c\nfn=unknown line\n0 7\nfl=src/f1.c\nfn=past the end\n900 3\n1000 4\n' >e5.cgout
    printf 'fl=g2.h\nfn=header\n40 4\nsummary: 18\n' >>e5.cgout
    cat >e6.cgout <<'END'
desc: the same line twice, a file again later
cmd: again
events: Ir Dr
fl=src/f0.c
fn=a
1 1 1
1 2 2
fl=src/f1.c
fn=b
1 4 4
fl=src/f0.c
fn=a
1 8 8
9 100 100
fl=
fn=
3 500 1
fl=src/f11.c
fn=no lines in the source
7 9 9
fl=src/f10.c
fn=the source is a directory
7 9 9
summary: 633 134
END
    cat >e7.cgout <<'END'
desc: percentages at their edges
cmd: edges
events: A B
fl=src/f0.c
fn=a
1 99995 -99995
fl=src/f1.c
fn=b
2 5 -9995
fl=src/f5.c
fn=c
3 0 9990
summary: 100000 -100000
END
    cat >e8.cgout <<'END'
desc: a difference: totals near nothing, parts far from it
cmd: difference
events: Ir Dr
fl=src/f0.c
fn=a
0 -123456789 12
fl=src/f1.c
fn=b
0 123456790 -13
summary: 1 -1
END
}

make_words() {
    cp "$here/modern/words.c" "$here/modern/list.h" src/
    (cd src && touch -d '2020-01-01 12:00:00' words.c list.h && $CC -g -O1 -o ../words words.c) || bail 'cannot compile words.c'
}

# Without valgrind these profiles, and q6, are not there.
absent_profiles='v1 v2 v3 v4 v5 v6 q6'
take_with_valgrind() {
    command -v valgrind >/dev/null 2>&1 || return
    absent_profiles=
    take() {
        out=$1
        shift
        valgrind -q --tool=cachegrind --cachegrind-out-file="$out" "$@" >/dev/null 2>&1
    }
    take v1.cgout ./words
    take v2.cgout --branch-sim=yes ./words
    take v3.cgout --cache-sim=no ./words
    take v4.cgout --cache-sim=no --branch-sim=yes ls -l /
    take v5.cgout sh -c 'echo a; cd /; test -d /usr'
    take v6.cgout awk 'BEGIN { for (i = 0; i < 1000; i++) s += i; print s }'
}

# Profiles of our own: by line, with objects and instructions (remarks to the original), as Cachegrind counts.
take_with_quern() {
    "$QUERN" run -q --out-file=q1.cgout ./words >/dev/null
    "$QUERN" run -q --branch-sim=yes --counting=cachegrind --dump-instr=yes --out-file=q2.cgout ./words >/dev/null
    "$QUERN" run -q --cache-sim=no --dump-objects=yes --out-file=q3.cgout ls -l / >/dev/null
    "$QUERN" run -q --branch-sim=yes --D1=4096,1,32 --out-file=q4.cgout sh -c 'echo a; cd /; test -d /usr' >/dev/null
    "$QUERN" merge -o q5.cgout q4.cgout q4.cgout
    [ ! -f v1.cgout ] || "$QUERN" diff -o q6.cgout q1.cgout v1.cgout 2>/dev/null
}

# refusal OPTIONS...: what the original says of them, in its first line, and what we say.
refusal() {
    case $* in
    *--show=Nonesuch*) echo "--show event \`Nonesuch' did not appear in input: 0
quern annotate: --show event \`Nonesuch\` did not appear in \`events:\` line: 1, 0 bytes" ;;
    *not-there.c) echo "File not-there.c not found in any of: : 0
quern annotate: not-there.c: not found here or in a directory given by -I: 1, 0 bytes" ;;
    *) echo 'nothing: both print a report' ;;
    esac
}

# compare EVENTS OPTIONS...: by which events functions are sorted, and the command
compare() {
    profile=$1
    sorts=$2
    shift 2
    if [ -n "$no_oracle" ]; then
        absent "$no_oracle: annotate --style=classic $*"
        return
    fi
    "$oracle" "$@" >wanted 2>wanted.err
    wanted_status=$?
    "$QUERN" annotate --style=classic "$@" >got 2>got.err
    got_status=$?
    awk -v "sort=$sorts" -f "$here/normalise.awk" wanted >wanted.n
    awk -v "sort=$sorts" -f "$here/normalise.awk" got >got.n
    if [ $wanted_status = 0 ] && [ $got_status = 0 ]; then
        same_file got.n wanted.n "annotate --style=classic $*"
    else
        # Where the original gives up, so do we, with nothing on stdout that could be taken for a report.  Its status is that of
        # Perl's die, errno, if it is not 0.
        is "$(head -n 1 wanted.err): $([ $wanted_status != 0 ]; echo $?)
$(cat got.err): $got_status, $(wc -c <got) bytes" "$(refusal "$@")" "annotate --style=classic $* is refused, as by the original"
    fi
}

# compare_all PROFILE: 23 points
compare_all() {
    p=$1
    all=$(sed -n 's/^events: *//p' "$p" | head -n 1 | tr -s ' ' , | sed 's/,$//')
    one=${all%%,*}
    last=${all##*,}
    compare "$p" "$all" "$p"
    compare "$p" "$all" --auto=no "$p"
    compare "$p" "$all" --show-percs=no "$p"
    compare "$p" "$all" --threshold=0 "$p"
    compare "$p" "$all" --threshold=1 "$p"
    compare "$p" "$all" --threshold=20 --context=1 "$p"
    compare "$p" "$all" --threshold=0.50% "$p"
    compare "$p" "$all" --context=0 "$p"
    compare "$p" "$all" --context=2 --show="$one" "$p"
    compare "$p" "$all" --context=1000 "$p"
    compare "$p" "$one" --sort="$one" "$p"
    compare "$p" "$last" --sort="$last" --show-percs=no "$p"
    compare "$p" "$last,$one" --sort="$last:5,$one" "$p"
    compare "$p" "$one,$last" --sort="$one:2.5%,$last:10" --show="$last,$one" "$p"
    compare "$p" "$last" --show="$last" --sort="$last" "$p"
    compare "$p" "$all" --show="$last,$one,$last" "$p"
    compare "$p" "$all" -Isub -Iother/ "$p"
    compare "$p" "$all" --include=other --include=sub/ --threshold=0 "$p"
    compare "$p" "$all" "$p" src/f0.c extra.c
    compare "$p" "$all" --auto=no "$p" src/f6.c src/f0.c src/f0.c
    compare "$p" "$all" -I=sub --auto=no "$p" g7.h
    compare "$p" "$all" --show=Nonesuch "$p"
    compare "$p" "$all" "$p" not-there.c
}

make_sources
make_profiles
make_edges
make_words
take_with_valgrind
take_with_quern
find . -name '*.cgout' -exec touch -d '2020-06-01 12:00:00' {} +
for p in *.cgout; do
    compare_all "$p"
done
for p in $absent_profiles; do
    absent "valgrind is not installed: no profile $p" 23
done
done_testing
