#!/bin/sh
# quern run --data=yes: of which function, and which of its variables, is a miss on the stack?  Beside a slow model that looks at a table
# of all variables at each miss of a trace (data/model.c), on a program that says where its variables lie (data/frames.c).
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

. "$top_srcdir/tests/unit/run/data/modelled.inc"

# sums PROFILE: "local:FUNCTION.NAME READS WRITES", "stack:FUNCTION READS WRITES"
sums() {
    awk '/^#object: / { n++; kind = $2; name[n] = kind == "local" ? $6 : "" }
         /^#in: / { if (kind == "local" || kind == "stack") name[n] = kind ":" substr($0, 6) (kind == "local" ? "." name[n] : "") }
         /^#miss: / { reads[$3 + 1] += $5; writes[$3 + 1] += $6 }
         END { for (i = 1; i <= n; i++) if (name[i]) { r[name[i]] += reads[i]; w[name[i]] += writes[i] }
               for (k in r) print k, r[k], w[k] }' "$1" | LC_ALL=C sort
}

# as_modelled GEOMETRY OPTIONS -- PROGRAM: the variables that the model knows, number for number.  What a function has on its stack besides
# variables is at least what the model knows of.
as_modelled() {
    run_both '' "$@" || return 1
    mv modelled known
    sums profile >all
    grep '^local:' known | grep -v ' 0 0$' >wanted
    awk 'NR == FNR { known[$1] = 1; next } $1 in known' wanted all >got
    [ "$(wc -l <wanted)" -ge 11 ] && diff wanted got || return 1
    awk 'NR == FNR { if (/^stack:/) { r[$1] = $2; w[$1] = $3 } next }
         $1 in r { print $1 " known " r[$1] " " w[$1] ", told " $2 " " $3; n += $2 >= r[$1] && $3 >= w[$1] } END { exit n != 1 }' known all
}

compile() { $CC -std=gnu11 -g "$@" "$here/frames.c" -pthread || bail "frames.c cannot be compiled: $*"; }
for level in 0 1 2 3; do
    compile -O$level -o "frames$level"
    ok "variables on the stack, compiled with -O$level" as_modelled 2048,2,64 -- "./frames$level"
done
compile -O2 -fno-omit-frame-pointer -o pointers
ok '... with frame pointers' as_modelled 2048,2,64 -- ./pointers
compile -O1 -static -o static
ok '... of a static program' as_modelled 2048,2,64 -- ./static
compile -O1 -DTHREADS -o threads
# Threads may take turns otherwise in one run than in the other, and then evict each other's lines elsewhere: both runs again, until they agree.
ok '... on two threads' some_time as_modelled 2048,2,64 -- ./threads
ok '... of a module in slot D1' as_modelled 2048,2,64 --sim=D1=lru -- ./frames1
ok '... each reference a call' as_modelled 2048,2,64 --filter=no -- ./frames1
ok '... with a code cache that is always full' as_modelled 2048,2,64 --tcache-size=512K --block-max=3 -- ./frames2
ok '... with classes of misses' as_modelled 2048,2,64 --analysis=3c -- ./frames2
if command -v clang >/dev/null && clang -std=gnu11 -g -O0 -o clanged "$here/frames.c" -pthread; then
    ok '... of clang' as_modelled 2048,2,64 -- ./clanged
else
    absent 'clang is not installed: ... of clang'
fi

# Without debug information the function is known, by the unwind information that every program has.
strip -g -o stripped frames2
"$QUERN" run -q --data=yes --D1=2048,2,64 --out-file=profile ./stripped >/dev/null 2>&1
ok 'without debug information the function is told' grep -q '^#object: stack .* stack of plain$' profile
is "$(sums profile | grep -c '^local:\(plain\|below\)\.')" 0 '... and no variable'

"$QUERN" run -q --data=yes --D1=2048,2,64 --out-file=profile ./frames2 >/dev/null 2>&1
ok 'annotate names variable, function and line' sh -c '"$1" annotate --by=data --threshold=0 profile | grep -q "array (stack of plain, frames.c:[0-9]*, char)"' - "$QUERN"

# Unwind information that does not fit, on a stack of which a page is gone: the run goes on.
$CC -O1 -g -o hole "$here/hole.c" || bail 'hole.c cannot be compiled'
for how in protect unmap; do
    "$QUERN" run -q --data=yes --D1=2048,2,64 --out-file=profile ./hole $how >said 2>err
    is "$? $(cat said err)" '0 read' "a stack with a page that cannot be read: $how"
done

# Code that lies where other code was: the variables are its own.
$CC -O1 -g -o over "$here/over.c" || bail 'over.c cannot be compiled'
for name in alpha beta; do
    $CC -O0 -g -shared -fPIC -DBUFFER=$name -o $name.so "$here/over.c" || bail "$name.so cannot be compiled"
done
"$QUERN" run -q --data=yes --D1=2048,2,64 --out-file=profile ./over ./alpha.so ./beta.so >said 2>err
is "$? $(cat said err)" '0 moved' 'code is moved over other code'
is "$(sums profile | sed -n 's/^local:run\.\([a-z]*\) .*/\1/p' | grep a | xargs)" 'alpha beta' '... and the variables of both are told'

# Of a deep recursion not all frames are followed at each miss.
$CC -std=gnu11 -O1 -g -fno-optimize-sibling-calls -o deep "$here/deep.c" || bail 'deep.c cannot be compiled'
for depth in 4000 5000; do
    "$QUERN" run -q --data=yes --D1=2048,2,64 --out-file=profile ./deep $depth >/dev/null 2>&1
    sums profile | sed -n "s/^local:main\.buffer \([0-9]*\) .*/$depth \1/p"
done >told
is "$(xargs <told)" '4000 1024 5000 0' 'what is 4096 frames away and more is not looked for'
done_testing
