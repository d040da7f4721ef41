#!/bin/sh
# Regions of a profile: what --region chooses, what every reader shows of it, what is refused, and what the original makes of it.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

cat >in <<'END'
desc: I1 cache: none
cmd: c
events: Ir Dr
fl=a.c
fn=f
1 100 10
2 200 20
fl=b.c
fn=g
7 1000 100
summary: 1300 130
#regions: 4
#region: solve
#fl=a.c
#fn=f
#1 1 0
#2 2 0
#summary: 3 0
#region: solve/step
#fl=a.c
#fn=f
#2 10 1
#fl=b.c
#fn=g
#7 20 .
#summary: 30 1
#region: step
#fl=b.c
#fn=g
#7 100 2
#summary: 100 2
#region: step two
#fl=b.c
#fn=g
#9 5 5
#summary: 5 5
END

# body REGION FILE: what merge makes of it, on one line
body() { "$QUERN" merge --region="$1" "$2" | sed '1,/^events/d' | tr -s ' \n' '  '; }

is "$(body solve in)" 'fl=a.c fn=f 1 1 0 2 12 1 fl=b.c fn=g 7 20 0 summary: 33 1 ' 'a region with what is inside it'
is "$(body step in)" 'fl=a.c fn=f 2 10 1 fl=b.c fn=g 7 120 2 summary: 130 3 ' 'wherever it is'
is "$(body solve/step in)" 'fl=a.c fn=f 2 10 1 fl=b.c fn=g 7 20 0 summary: 30 1 ' 'a path'
is "$(body 'step two' in)" 'fl=b.c fn=g 9 5 5 summary: 5 5 ' 'a name with a blank'
for name in nosuch ste solve/ /step step/solve '' 'step tw' olve; do
    "$QUERN" merge --region="$name" in >out 2>err
    is "$? $(cat out err)" "1 quern merge: in: no region \`$name\`, it has solve, solve/step, step, step two" "no region '$name'"
done

# ---- everything that reads ----

"$QUERN" merge --region=step -o step in
sed '/^#/d' in >whole
for style in modern classic; do
    "$QUERN" annotate --style=$style --region=step in 2>&1 | grep -v '^Data file:\|^Invocation:' >got
    "$QUERN" annotate --style=$style step 2>&1 | grep -v '^Data file:\|^Invocation:' >wanted
    same_file got wanted "annotate --style=$style --region"
    "$QUERN" annotate --style=$style in 2>&1 | grep -v '^Data file:\|^Invocation:' >got
    "$QUERN" annotate --style=$style whole 2>&1 | grep -v '^Data file:\|^Invocation:' >wanted
    same_file got wanted 'and without it all of the run'
    "$QUERN" annotate --style=$style --region=nosuch in >out 2>err
    is "$? $(cat out err | sed 's/error: //')" "1 quern annotate: in: no region \`nosuch\`, it has solve, solve/step, step, step two" 'no such region'
done
ok 'they differ' sh -c "! cmp -s step whole"
is "$("$QUERN" csv --region=step in)" "$("$QUERN" csv step | sed 's/^step,/in,/')" 'csv --region'
is "$("$QUERN" csv in)" "$("$QUERN" csv whole | sed 's/^whole,/in,/')" 'and without'
is "$("$QUERN" diff --region=step in in | sed -n 's/^summary: //p')" '0 0' 'diff --region, of itself'
sed 's/^#7 100 2/#7 101 2/; s/^#summary: 100 2/#summary: 101 2/' in >more
is "$("$QUERN" diff --region=step in more | sed -n 's/^summary: //p')" '1 0' 'and of another'
is "$("$QUERN" merge --region=step in more | sed -n 's/^summary: //p')" '261 6' 'merge adds the regions of all files'
is "$("$QUERN" merge in in | grep -c '^#')" 0 'without --region it drops them'

# Which regions there are is described; behind --region, which one it is; where they are dropped, nothing.
sed '1i\
desc: Regions:          solve, solve/step, step, step two' in >described
is "$("$QUERN" annotate described | grep '^Region')" 'Regions:          solve, solve/step, step, step two' 'the whole lists its regions'
is "$("$QUERN" annotate --region=step described | grep '^Region')" 'Region:           step' 'a part says which it is'
is "$("$QUERN" merge --region=step described | head -n 1)" 'desc: Region:           step' 'also as a profile of its own'
is "$("$QUERN" csv --region=step --by=program --crlf=no described | cut -d, -f 3)" 'Region
step' 'and in CSV'
is "$("$QUERN" merge described described | head -n 1)" 'desc: I1 cache: none' 'what has none left does not list any'

# ---- cut short, damaged ----

# refuses REGION MESSAGE SED-SCRIPT
refuses() {
    sed "$3" in >x.out
    "$QUERN" merge ${1:+--region="$1"} x.out >got 2>got.err
    is "$? $(cat got)$(cat got.err)" "1 quern merge: x.out:$2" "refused: $2"
}
for last in 12 13 15 17 18; do
    refuses step "$((last + 1)): regions cut short, got $((last > 12)), wanted 4 and their summaries" "$last"q
    refuses '' "$((last + 1)): regions cut short, got $((last > 12)), wanted 4" "$last"q
done
wanted='wanted `#region: PATH` and its counts, each behind a #'
refuses step '37: regions cut short, got 4, wanted 5 and their summaries' 's/regions: 4/regions: 5/'
refuses step "12: malformed number of regions, got \`#regions: x\`, $wanted" 's/regions: 4/regions: x/'
refuses '' "12: malformed number of regions, got \`#regions: -1\`, $wanted" 's/regions: 4/regions: -1/'
refuses step "26: \`summary:\` line doesn't match computed total
- summary:  [31, 1]
- computed: [30, 1]" 's/summary: 30/summary: 31/'
refuses step "26: a region without its summary, got \`#region: step\`, $wanted" 26d
refuses solve "14: text behind the summary, got \`fl=a.c\`, $wanted" 's/^#fl/fl/'
refuses '' "14: text behind the summary, got \`fl=a.c\`, $wanted" 's/^#fl/fl/'
refuses step '20: counts outside a function, got `2 10 1`, wanted `fl=` and `fn=` lines first' 20,21d
sed 26d in >x.out
is "$(body 'step two' x.out)" 'fl=b.c fn=g 9 5 5 summary: 5 5 ' 'what is not wanted is not looked at'
printf 'cmd: c\nevents: Ir\nfl=a\nfn=f\n1 1\nsummary: 1\n' >bare
is "$("$QUERN" merge --region=a bare 2>&1)" 'quern merge: bare: no region `a`, it has none' 'a profile without regions'

# ---- instructions and objects ----

cat >insns <<'END'
desc: d
cmd: c
events: Ir
#positions: object line instruction
#ob=/bin/a
fl=a.c
fn=f
1 7
#0x401136 488b45f8 3
#0x40113a 90 4
summary: 7
#regions: 1
#region: a
##positions: object line instruction
##ob=/bin/a
#fl=a.c
#fn=f
#1 3
##0x401136 488b45f8 1
##0x40113a 90 2
#summary: 3
END
is "$(body a insns)" '#positions: object line instruction #ob=/bin/a fl=a.c fn=f 1 3 #0x401136 488b45f8 1 #0x40113a 90 2 summary: 3 ' \
    'by instruction'

# ---- the original ----

if command -v cg_annotate >/dev/null 2>&1 && cg_annotate --version 2>&1 | grep -q '^cg_annotate-3\.1'; then
    for file in in insns; do
        sed '/^#/d' $file >bare
        cg_annotate $file 2>&1 | sed 's/^Data file:.*//' >got
        cg_annotate bare 2>&1 | sed 's/^Data file:.*//' >wanted
        same_file got wanted "cg_annotate shows the same of $file with and without"
        ok 'and no error' grep -q 'PROGRAM TOTALS' got
    done
else
    absent 'cg_annotate 3.19 is not installed (Debian: valgrind)' 4
fi
done_testing
