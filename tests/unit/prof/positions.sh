#!/bin/sh
# Objects and instructions in a profile: what is kept, what adds up, what is refused, and what cg_annotate makes of it.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

cat >in <<'END'
desc: d
cmd: c
events: Ir Dr
#positions: object line instruction
#ob=/bin/a
fl=a.c
fn=f
1 7 0
#0x401136 488b45f8 3 0
#0x401136 90 4 0
#ob=/bin/b
1 2 1
#0x401136 488b45f8 1 1
#0x40113a 90 1 0
2 2 0
#0x10 - 2 0
fl=b.c
fn=f
0 0 0
summary: 11 1
END
"$QUERN" merge in | sed 's/^\([0-9]*\)   \(.*\) $/\1 \2/' >out
sed 's/^fl=b.c/&/' in >wanted
same_file out wanted 'merging one keeps objects, instructions and their order'
"$QUERN" merge in in | "$QUERN" merge - >twice
"$QUERN" merge in in >out
same_file out twice 'what merge wrote is read again'
is "$(grep -c '^#0x' twice) $(grep '^#0x10' twice)" '5 #0x10 - 4 0' 'instructions are added up'

printf 'desc: d\ncmd: c\nevents: Ir Dr\nfl=a.c\nfn=f\n1 1 1\nsummary: 1 1\n' >plain
is "$("$QUERN" merge --style=classic in plain | tail -n +4)" '#positions: object line
fl=a.c
fn=f
1   1 1 
#ob=/bin/a
1   7 0 
#ob=/bin/b
1   2 1 
2   2 0 
fl=b.c
fn=f
0   0 0 
summary: 12 2' 'with a profile that has no instructions, none are left'
is "$("$QUERN" merge --style=classic plain in)" "$("$QUERN" merge --style=classic in plain | sed 's/x/x/')" 'in either order'
is "$("$QUERN" annotate --by=object --no-show-percs --threshold=0 in | tail -n 4)" ' 7  0  /bin/a
 4  1  /bin/b
 0  0  ???' 'annotate --by=object'
is "$("$QUERN" diff in plain | tail -n 7)" 'fl=a.c
fn=f
0 -10 0
fl=b.c
fn=f
0 0 0
summary: -10 0' 'a difference is by function'

# refuses MESSAGE SED-SCRIPT
refuses() {
    sed "$2" in >x.out
    "$QUERN" merge x.out >got 2>got.err
    is "$? $(cat got)$(cat got.err)" "1 quern merge: x.out:$1" "refused: $1"
}
refuses '11: instructions do not add up to line 1, got a difference of -1 Ir, wanted none' '10s/ 4 / 5 /'
refuses '10: instructions do not add up to line 1, got a difference of 4 Ir, wanted none' '10d'
refuses '15: instructions do not add up to line 1, got a difference of 1 Dr, wanted none' '13s/1 1/1 0/'
refuses '16: instructions do not add up to line 2, got a difference of 2 Ir, wanted none' '16d'
refuses '16: instructions do not add up to line 2, got a difference of 2 Ir, wanted none' '16,19d'
refuses '9: malformed instruction, got `0x40113g 488b45f8 3 0`, wanted `#0xADDRESS BYTES` and counts' '9s/36/3g/'
refuses '9: malformed instruction, got `0x401136 488b45f 3 0`, wanted `#0xADDRESS BYTES` and counts' '9s/f8/f/'
refuses '9: malformed instruction, got `0x401136  3 0`, wanted `#0xADDRESS BYTES` and counts' '9s/488b45f8//'
refuses '9: malformed or too many event counts, got `3 0 1`, wanted at most 2 64-bit numbers or `.`' '9s/$/ 1/'
refuses '9: comment not known, got `1x401136 488b45f8 3 0`, wanted `#ob=`, or `#0x` where instructions were promised' '9s/0x/1x/'
refuses '11: comment not known, got `ab=/bin/b`, wanted `#ob=`, or `#0x` where instructions were promised' '11s/ob/ab/'
refuses '4: positions not known, got ` object line instructions`, wanted `object line` or `object line instruction`' '4s/$/s/'
refuses '5: `#positions:` too late, got ` object line instruction`, wanted it once, before the first function' '4p'
refuses '6: `#positions:` too late, got ` object line instruction`, wanted it once, before the first function' '4{h;d};6G'
refuses '5: instruction without its line, got `0x1 90 0 0`, wanted the counts of the line first' '4s/$/\n#0x1 90 0 0/'
refuses '8: instruction without its line, got `0x1 90 0 0`, wanted the counts of the line first' '7s/$/\n#0x1 90 0 0/'
refuses '10: instructions do not add up to line 1, got a difference of 4 Ir, wanted none' '9s/$/\nfn=f/'
refuses '9: comment not known, got `0x401136 488b45f8 3 0`, wanted `#ob=`, or `#0x` where instructions were promised' \
    '4s/ instruction//'
sed 4d in >x.out
is "$("$QUERN" merge x.out | grep -c '^#0x') $("$QUERN" merge x.out | grep -c '^#ob=')" '0 2' \
    'without #positions: only objects are more than remarks'

# The original annotator reads it as if objects and instructions were not there.
if command -v cg_annotate >/dev/null 2>&1 && cg_annotate --version 2>&1 | grep -q '^cg_annotate-3\.1'; then
    sed '/^#/d' in >bare
    cg_annotate in 2>&1 | sed 's/^Data file:.*//' >got
    cg_annotate bare 2>&1 | sed 's/^Data file:.*//' >wanted
    same_file got wanted 'cg_annotate shows the same with and without'
    for style in modern classic; do
        "$QUERN" annotate --style=$style in 2>&1 | grep -v '^Data file:\|^Invocation:' >got
        "$QUERN" annotate --style=$style bare 2>&1 | grep -v '^Data file:\|^Invocation:' >wanted
        same_file got wanted "so does quern annotate --style=$style"
    done
else
    absent 'cg_annotate 3.19 is not installed (Debian: valgrind)' 3
fi
done_testing
