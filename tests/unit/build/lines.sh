#!/bin/sh
# Does the comparison with Cachegrind see every difference that matters, and only those?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

lines() {
    awk -f "$top_srcdir/tests/guest/lines.awk" "$@" | LC_ALL=C sort
}

wanted='/a.c f 3 9 1 0
/a.c g 7 2 0 0
/b.c f 1 1 1 1
summary 12 2 1'

is "$(lines <<'END'
desc: anything
cmd: ./prog
events: Ir I1mr ILmr
fl=/a.c
fn=f
3 9 1 0
fn=g
7 2 0 0
fl=/b.c
fn=f
1 1 1 1
summary: 12 2 1
END
)" "$wanted" 'one record per file, function and line'

is "$(lines <<'END'
desc: something else
events: Ir I1mr ILmr
fl=/b.c
fn=f
1 1 1 1
fl=/a.c
fn=g
7 2 0 0
9 0 0 0
fn=f
3 4 0 0
fi=/a.c
3 5 1 0
summary: 12 2 1
END
)" "$wanted" 'order, header, lines of zeros and split entries make no difference'

is "$(lines <<'END'
events: Ir Bc
fl=/a c.c
fn=operator new(unsigned long)
0 5000000000 1
summary: 5000000000 1
END
)" '/a c.c operator new(unsigned long) 0 5000000000 1
summary 5000000000 1' 'blanks in names, counts beyond 32 bits'

printf '%s\n' 'a' 'b /* quirk: odd */' 'c' >"$SCRATCH/a.c"
is "$(lines -v source="$SCRATCH/a.c" <<END
events: Ir Bc
fl=$SCRATCH/a.c
fn=f
1 4 1
2 3 1
3 2 0
fl=b.c
2 1 0
summary: 10 2
END
)" "$SCRATCH/a.c f 1 4 1
$SCRATCH/a.c f 3 2 0
b.c f 2 1 0
summary 7 1" 'a line that is marked as a quirk, and the summary without it'

done_testing
