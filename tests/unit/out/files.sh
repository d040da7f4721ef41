#!/bin/sh
# The order of annotated files: by name, or by cost with the user's own first.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

cat >profile <<'END'
desc: made by hand
cmd: ./prog
events: Ir
fl=/home/me/a.c
fn=f
1 10
fl=/home/me/b.c
fn=g
1 500
fl=/usr/include/c++/12/bits/v.h
fn=h
1 5000
fl=./elf/dl.c
fn=i
1 700
fl=/usr.c
fn=j
1 30
fl=???
fn=k
1 9000
summary: 15240
END
order() { "$QUERN" annotate --threshold=0 "$@" profile | sed -n 's/^-- Annotated source file: //p' | tr '\n' ' '; }
is "$(order)" './elf/dl.c /home/me/a.c /home/me/b.c /usr.c /usr/include/c++/12/bits/v.h ' 'by name'
is "$(order --files=name)" "$(order)" '... which may be said'
is "$(order --files=cost)" '/home/me/b.c /usr.c /home/me/a.c /usr/include/c++/12/bits/v.h ./elf/dl.c ' 'by cost, files of the system last'
"$QUERN" annotate --files=size profile >out 2>err
is $? 2 'another order is wrong usage'
ok '... and named' grep -q "^quern annotate: --files: got 'size', wanted name or cost$" err
done_testing
