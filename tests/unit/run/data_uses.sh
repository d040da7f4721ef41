#!/bin/sh
# quern run --data=use: are the bytes of each line that are used between its fill and its eviction counted?  Beside a slow model
# that marks byte for byte what a trace references (data/model.c), by object and by member; do lines of source and rows of data say the same?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

here=$top_srcdir/tests/unit/run/data
$CC -std=gnu11 -O2 -I"$top_srcdir/lib" -o model "$here/model.c" || bail 'model.c cannot be compiled'
$CC -std=gnu11 -O1 -g -o uses "$here/uses.c" || bail 'uses.c cannot be compiled'
$CC -std=gnu11 -O1 -g -o objects "$here/objects.c" -pthread || bail 'objects.c cannot be compiled'

# sums PROFILE: "KIND:NAME-OR-FUNCTION FILLED USED" by object, "part:TYPE:MEMBER FILLED USED" by member of the objects that the model knows
sums() {
    awk '
        /^#data-events:/ { for (i = 2; i <= NF; i++) if ($i == "filled") filled = i + 3 }
        /^#object: / { n++; name[n] = $2 ":" $6; type = "" }
        /^#in: / && name[n] ~ /^heap:/ { name[n] = "heap:" substr($0, 6) }
        /^#type: / { type = $0; sub(/^#type: [0-9]* /, "", type) }
        /^#part: / { part[p++] = name[n] ~ /^(heap:by_|symbol:swarm$|symbol:alone$)/ ? "part:" type ":" substr($0, 8) : "" }
        /^#use: / { f[part[$3]] += $4; u[part[$3]] += $5 }
        /^#miss: / { f[name[$3 + 1]] += $filled; u[name[$3 + 1]] += $(filled + 1) }
        END { for (k in f) if (f[k]) print k, f[k], u[k] }' "$1" | LC_ALL=C sort
}

# as_modelled LEAST GEOMETRY OPTIONS -- PROGRAM: the objects and members that the model knows, at least so many, number for number
as_modelled() {
    least=$1 geometry=$2 options=
    shift 2
    while [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    shift
    wanted=wanted.${1##*/}.$geometry
    if [ ! -f "$wanted" ]; then
        "$QUERN" trace --format=lackey -o plain "$@" >/dev/null 2>&1 || return 1
        ./model plain events.txt "$geometry" used | grep -v ' 0 0$' | LC_ALL=C sort >"$wanted" || return 1
    fi
    # shellcheck disable=SC2086 # options are words
    "$QUERN" run -q --data=use --alloc=xmalloc --alloc=pool_get:2\*3 --D1="$geometry" --LL=1048576,16,64 $options --out-file=profile "$@" >/dev/null 2>&1
    sums profile >all
    awk '{ key = $0; sub(/ [0-9]* [0-9]*$/, "", key) } NR == FNR { known[key] = 1; next } key in known' "$wanted" all >got
    diff "$wanted" got && [ "$(wc -l <"$wanted")" -ge "$least" ]
}

ok 'bytes used, by object and by member' as_modelled 17 4096,4,64 -- ./uses
ok '... in a small cache' as_modelled 17 1024,1,64 -- ./uses
ok '... in one with lines of 32 bytes' as_modelled 17 2048,2,32 -- ./uses
ok '... with lines of 128 bytes' as_modelled 17 8192,2,128 -- ./uses
ok '... in one set' as_modelled 17 512,8,64 -- ./uses
ok '... in a cache that nothing has to leave: all is told at the end' as_modelled 13 1048576,16,64 -- ./uses
ok '... each reference a call' as_modelled 17 4096,4,64 --filter=no -- ./uses
ok '... with a code cache that is always full' as_modelled 17 4096,4,64 --tcache-size=512K --block-max=3 -- ./uses
ok '... where references would be simulated many at a time' as_modelled 17 1024,1,64 --batch=always -- ./uses
ok '... with classes of misses' as_modelled 17 4096,4,64 --analysis=3c -- ./uses
ok '... with an analysis that sees lines that come near' as_modelled 17 4096,4,64 --analysis=mattson -- ./uses
ok '... with lines that are explained' as_modelled 17 4096,4,64 --explain=uses.c:57 --explain-file=explained -- ./uses
ok '... of objects that come and go' as_modelled 12 4096,4,64 -- ./objects

# adds_up: the rows of ./profile and its counts by line are the same
adds_up() {
    awk '/^#data-events:/ { for (i = 2; i <= NF; i++) if ($i == "filled") filled = i + 3 } /^#miss: / { f += $filled; u += $(filled + 1) }
         $1 == "events:" { for (i = 2; i <= NF; i++) if ($i == "D1.filled") at = i } $1 == "summary:" { wanted = $at " " $(at + 1) }
         END { print f " " u ", wanted " wanted; exit f " " u != wanted || !f || u > f }' profile
}
"$QUERN" run -q --data=use --out-file=profile ls -lR "$top_srcdir/lib" >/dev/null 2>&1
ok 'rows of data add up to the events D1.filled and D1.used of a real program' adds_up
"$QUERN" run -q --data=use --sim=LL=inclusive --D1=4096,4,64 --LL=8192,4,64 --out-file=profile ./uses >/dev/null 2>&1
ok '... and where an inclusive last level takes lines away' adds_up

"$QUERN" run -q --data=use --D1=4096,4,64 --out-file=profile ./uses >/dev/null 2>&1
sums profile >one
"$QUERN" merge -o two profile profile
sums two >got
ok 'merge adds them up' sh -c 'awk "{ print \$0; }" one | sed "s/.* \([0-9]*\) \([0-9]*\)$/\1 \2/" | awk "{ print 2 * \$1, 2 * \$2 }" >wanted
    sed "s/.* \([0-9]*\) \([0-9]*\)$/\1 \2/" got | diff wanted -'
"$QUERN" diff profile two >difference
sums difference >got
is "$(cat got)" "$(cat one)" 'diff takes one from the other'
"$QUERN" annotate --by=data profile >listing 2>&1
is "$(sed -n 's/.*  \([0-9.]* of 64 B\)  swarm .*/\1/p' listing)" "$(awk '$1 == "symbol:swarm" { printf "%.1f of 64 B\n", 64 * $3 / $2 }' one)" \
    'annotate --by=data shows bytes used of a line'
"$QUERN" annotate --by=data --show=D1use%,D1mr --sort=D1.used profile >listing 2>&1
is "$(sed -n 's/^ *\([0-9.]*\)% .*  swarm .*/\1/p' listing)" "$(awk '$1 == "symbol:swarm" { printf "%.1f\n", 100 * $3 / $2 }' one)" '... and as a ratio, by the names that csv has'
is "$("$QUERN" annotate --by=data --show=used,foo profile 2>&1)" 'quern annotate: error: --show event `foo` did not appear in `events:` line' '... but no other names'
is "$("$QUERN" run --data=use --sim=D1=fifo ./uses 2>&1; echo "$?")" 'quern: run: --data=use: not with another module in slot D1
2' 'another module in the D1 is refused, before the program begins'
done_testing
