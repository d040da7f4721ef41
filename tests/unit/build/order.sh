#!/bin/sh
# Does every include keep to lib/ORDER, does no hot file name a feature, are there no circles but those that it names, and do the checks notice when one does not?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

order=$top_srcdir/build-aux/order.sh

ok 'the includes of lib and tools keep to lib/ORDER' sh "$order" "$top_srcdir"
for hot in $(sed -n 's/^hot: //p' "$top_srcdir/lib/ORDER"); do ok "$hot is there" test -f "$top_srcdir/lib/$hot"; done
is "$(sh "$order" --unused "$top_srcdir")" '' 'each edge of lib/ORDER is needed'

# circles BUILD: folders with circles, as ORDER lists them
circles() { sh "$top_srcdir/build-aux/circles.sh" "$1" | sed 's/:.*//' | sort -u | tr '\n' ' '; }
is "$(circles "$top_builddir")" "$(sed -n 's/^circles: //p' "$top_srcdir/lib/ORDER") " 'files need each other only in the folders that lib/ORDER names'

# In a folder without circles: operands.c needs encoding.c, and now encoding.c needs operands.c through features.c.
mkdir -p "$SCRATCH/objects/lib/decode"
printf 'void a(void); void b(void); void a(void) { b(); }\n' >"$SCRATCH/operands.c"
printf 'void b(void); void c(void); void b(void) { c(); }\n' >"$SCRATCH/encoding.c"
printf 'void c(void); void a(void); void c(void) { a(); }\n' >"$SCRATCH/features.c"
for name in operands encoding features; do $CC -c -o "$SCRATCH/objects/lib/decode/$name.o" "$SCRATCH/$name.c" || bail "$name.c cannot be compiled"; done
is "$(sh "$top_srcdir/build-aux/circles.sh" "$SCRATCH/objects")" 'decode: encoding.c features.c operands.c' 'a circle through three files'
printf 'void c(void) { }\n' | $CC -c -x c -o "$SCRATCH/objects/lib/decode/features.o" - || bail 'features.c cannot be compiled'
is "$(sh "$top_srcdir/build-aux/circles.sh" "$SCRATCH/objects")" '' 'none once it is open'

ok 'the graph of the sources has an edge that ORDER allows' sh -c "sh '$top_srcdir/build-aux/includes.sh' | grep -q '\"out\" -> \"prof\"'"

# A small tree of its own: x sees y only, and of z one header.
tree=$SCRATCH/tree
mkdir -p "$tree/lib/base" "$tree/lib/x" "$tree/lib/y" "$tree/lib/z/deep" "$tree/tools"
printf '%s\n' 'base:' 'x: y z/one.h' 'x/door.c: z/two.h' 'y:' 'z:' 'tools: *' 'hot: x/hot.c' 'features: qn_data_ qn_calls_' >"$tree/lib/ORDER"
for header in base/base.h x/x.h y/y.h z/one.h z/two.h z/deep/three.h; do : >"$tree/lib/$header"; done

# breaks LINE FILE WANTED DESCRIPTION: with LINE alone in FILE the check says WANTED.
breaks() {
    printf '%s\n' "$1" >"$tree/$2"
    is "$(sh "$order" "$tree")" "$3" "$4"
    rm -f "$tree/$2"
}

breaks '#include "y/y.h"' lib/x/a.c '' 'an edge that is listed'
breaks '#include "base/base.h"' lib/y/a.c '' 'base is open to all'
breaks '#include "x.h"' lib/x/a.c '' 'a header next to the file'
breaks '#include "z/one.h"' lib/x/a.c '' 'a single header that is listed'
breaks '#include "z/two.h"' lib/x/a.c 'lib/x/a.c:1: x may not include z/two.h (lib/ORDER)' 'its neighbour'
breaks '#include "z/two.h"' lib/x/door.c '' 'an edge of one file'
breaks '  #  include "x/x.h"' lib/y/a.h 'lib/y/a.h:1: y may not include x/x.h (lib/ORDER)' 'an edge that is not listed'
breaks '#include "../y/y.h"' lib/z/a.c 'lib/z/a.c:1: z may not include y/y.h (lib/ORDER)' 'a way round by ..'
breaks '#include "y/y.h"' lib/z/deep/a.c 'lib/z/deep/a.c:1: z may not include y/y.h (lib/ORDER)' 'from a folder deeper'
breaks '#include "z/deep/three.h"' lib/x/a.S 'lib/x/a.S:1: x may not include z/deep/three.h (lib/ORDER)' 'in assembly'
breaks '#include "x/x.h"' lib/base/a.c 'lib/base/a.c:1: base may not include x/x.h (lib/ORDER)' 'base includes nobody'
breaks '#include "z/two.h"' tools/a.c '' 'tools see everything'
breaks '#include QN_SIM_D1_FILE' lib/x/a.c '' 'a macro is nobody'"'"'s edge'
breaks 'void f(void) { qn_calls_enter(); }' lib/x/hot.c 'lib/x/hot.c:1: a hot file may not name qn_calls_ (lib/ORDER)' 'a hot file that names a feature'
breaks 'void f(void) { qn_calls_enter(); }' lib/x/a.c '' 'another one may'
breaks 'void f(void) { qn_slices_begin(); }' lib/x/hot.c '' 'and a hot file names what is no feature'
mkdir "$tree/lib/new"
breaks '' lib/new/a.c 'lib/new/a.c: folder new is not in lib/ORDER' 'a folder that ORDER does not know'

is "$(sh "$order" --unused "$tree" | LC_ALL=C sort)" 'tools: * is needed by no include
x/door.c: z/two.h is needed by no include
x: y is needed by no include
x: z/one.h is needed by no include' 'edges that nothing needs'

done_testing
