#!/bin/sh
# Does the comparison with Cachegrind see every difference that matters, and only those?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

lines() {
    awk -f "$top_srcdir/tests/guest/lines.awk" | LC_ALL=C sort
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

done_testing
