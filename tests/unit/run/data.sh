#!/bin/sh
# quern run --data=yes: is each miss counted for the object that was missed on?  Beside a slow model that looks at a table of all ranges at each miss of a
# trace (data/model.c), on programs that say what they allocate (data/notes.h); do the tables add up to the profile; what
# does annotate make of them?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

. "$top_srcdir/tests/unit/run/data/modelled.inc"
data_options='--alloc=xmalloc --alloc=pool_get:2*3'
cc_program() { $CC -std=gnu11 -O1 -g "$@" "$here/objects.c" -pthread || bail "objects.c cannot be compiled: $*"; }
cc_program -o objects
cc_program -DTHREADS -o threads
cc_program -static -o static

# sums PROFILE: "KIND:NAME-OR-FUNCTION READS WRITES" by object
sums() {
    awk '
        /^#object: / { n++; kind = $2; name[n] = kind ":" $6 }
        /^#in: / { if (kind == "heap") name[n] = "heap:" substr($0, 6) }
        /^#miss: / { reads[$3 + 1] += $5; writes[$3 + 1] += $6 }
        END { for (i = 1; i <= n; i++) { r[name[i]] += reads[i]; w[name[i]] += writes[i] }
              for (k in r) print k, r[k], w[k] }' "$1" | LC_ALL=C sort
}

# as_modelled GEOMETRY OPTIONS -- PROGRAM: the objects that the model knows, number for number
as_modelled() {
    run_both '' "$@" || return 1
    mv modelled wanted
    sums profile >all
    awk 'NR == FNR { key = $0; sub(/ [0-9]* [0-9]*$/, "", key); known[key] = 1; next }
        { key = $0; sub(/ [0-9]* [0-9]*$/, "", key) } key in known' wanted all >got
    [ "$(wc -l <wanted)" -ge "${least:-12}" ] && diff wanted got
}

# classified GEOMETRY OPTIONS -- PROGRAM: the classes of misses on the objects that the model knows
classified() {
    geometry=$1
    shift
    run_both classes "$geometry" --analysis=3c "$@" || return 1
    grep -v ' 0 0 0$' modelled >wanted
    awk '
        /^#object: / { n++; kind = $2; name[n] = kind ":" $6 }
        /^#in: / { if (kind == "heap") name[n] = "heap:" substr($0, 6) }
        /^#miss: / { for (k = 0; k < 3; k++) c[name[$3 + 1], k] += $(9 + k) }
        END { for (i = 1; i <= n; i++) if (!(name[i] in done)) { done[name[i]] = 1; print name[i], c[name[i], 0] + 0, c[name[i], 1] + 0, c[name[i], 2] + 0 } }
        ' profile | LC_ALL=C sort >all
    awk 'NR == FNR { known[$1] = 1; next } $1 in known' wanted all >got
    [ "$(wc -l <wanted)" -ge 12 ] && diff wanted got
}

ok 'objects of a C program' as_modelled 4096,4,64 -- ./objects
ok '... in a small cache' as_modelled 1024,1,64 -- ./objects
ok '... in one with lines of 32 bytes' as_modelled 2048,2,32 -- ./objects
ok '... of a module in slot D1' as_modelled 4096,4,64 --sim=D1=lru -- ./objects
ok '... references simulated many at a time' as_modelled 4096,4,64 --batch=always -- ./objects
ok '... with a code cache that is always full' as_modelled 4096,4,64 --tcache-size=512K --block-max=3 -- ./objects
ok '... with intervals' as_modelled 4096,4,64 --interval=1000 --interval-file=intervals -- ./objects
ok '... of a static program' as_modelled 4096,4,64 -- ./static
# Threads may take turns otherwise in one run than in the other, and then evict each other's lines elsewhere: both runs again, until they agree.
ok '... on two threads' some_time as_modelled 4096,4,64 -- ./threads
if command -v "${CXX:-g++}" >/dev/null && "${CXX:-g++}" -O1 -g -o objectscc "$here/objects.cc" 2>/dev/null; then
    least=4
    ok 'objects of a C++ program' as_modelled 4096,4,64 -- ./objectscc
else
    absent 'g++ is not installed: objects of a C++ program'
fi

# What a site's last miss was on is looked at first, but not where each reference is a call.
# remembered PROGRAM...: that makes no difference
remembered() {
    for filter in yes no; do
        "$QUERN" run -q --data=yes --alloc=part_of:3 --D1=4096,4,64 --filter=$filter --out-file=profile "$@" >/dev/null 2>&1
        sed '/^cmd:/d; /^desc:/d' profile >$filter
    done
    [ "$(grep -c '^#miss:' yes)" -gt 30 ] && diff no yes
}
$CC -std=gnu11 -O1 -g -o recent "$here/recent.c" || bail 'recent.c cannot be compiled'
ok 'memory that becomes something else under a loop' remembered ./recent

ok 'classes of misses by object' classified 4096,4,64 -- ./objects
ok '... in a small cache' classified 1024,1,64 -- ./objects
ok '... of a module in slot D1' classified 4096,4,64 --sim=D1=lru -- ./objects
ok '... of references simulated many at a time' classified 4096,4,64 --batch=always -- ./objects
ok '... each reference a call' classified 4096,4,64 --filter=no -- ./objects

# paired GEOMETRY OPTIONS -- PROGRAM: for whose lines those of an object had been evicted that it misses, among the objects that the model knows
paired() {
    run_both pairs "$@" || return 1
    grep -v ' 0 0$' modelled >wanted
    awk '
        /^#object: / { n++; kind = $2; name[n] = kind ":" $6 }
        /^#in: / { if (kind == "heap") name[n] = "heap:" substr($0, 6) }
        /^#pair: / { k = name[$2 + 1] " " name[$3 + 1]; m[k] += $4; c[k] += $5 }
        END { for (k in m) print k, m[k], c[k] }' profile | LC_ALL=C sort >all
    awk 'NR == FNR { known[$1] = known[$2] = 1; next } $1 in known && $2 in known' wanted all >got
    [ "$(wc -l <wanted)" -ge 12 ] && diff wanted got
}

ok 'pairs: for whose lines those had been evicted that miss' paired 4096,4,64 --analysis=3c -- ./objects
ok '... in a small cache' paired 1024,1,64 --analysis=3c -- ./objects
ok '... with culprits beside classes' paired 4096,4,64 --analysis=3c,culprits -- ./objects

# adds_up: the rows of ./profile and what the summary has of D1mr DLmr D1mw DLmw are the same
adds_up() {
    awk '
        $1 == "summary:" { wanted = $6 " " $9 " " $7 " " $10 }
        /^#data: / { objects = $2; rows = $3 }
        /^#object: / { objects-- }
        /^#miss: / { for (i = 0; i < 4; i++) s[i] += $(5 + i); rows--; all += $5 + $6; for (i = 9; i <= NF; i++) classes += $i; columns = NF }
        END { got = s[0] " " s[1] " " s[2] " " s[3]; print "got " got ", wanted " wanted ", left " objects " " rows ", classes " classes
              exit got != wanted || objects || rows || (columns > 8 && classes != all) }' profile
}
"$QUERN" run -q --data=yes --out-file=profile ls -lR "$top_srcdir/lib" >/dev/null 2>&1
ok 'the tables add up to the profile of a real program' adds_up
"$QUERN" run -q --data=yes --analysis=3c --out-file=profile ls -lR "$top_srcdir/lib" >/dev/null 2>&1
ok '... and classes to the misses' adds_up
"$QUERN" run -q --data=yes --dump-instr=yes --out-file=profile ./objects 2>&1
ok '... with instructions' adds_up
ok '... which annotate reads' "$QUERN" annotate --asm profile
"$QUERN" run -q --data=yes --out-file=profile sh -c 'i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done; kill -9 $$' >/dev/null 2>&1
ok '... of a program that is killed' adds_up
"$QUERN" run -q --data=yes --trace-children=yes --out-file=profile sh -c '(exit 1); exec ./threads' >/dev/null 2>&1
ok '... of one that was executed' adds_up

"$QUERN" run -q --out-file=plain.profile --D1=4096,4,64 ./objects >/dev/null 2>&1
"$QUERN" run -q --data=yes --alloc=xmalloc --out-file=profile --D1=4096,4,64 ./objects >/dev/null 2>&1
is "$(sed '/^#data/,$d' profile)" "$(cat plain.profile)" 'everything else in the profile is what it is without --data'

"$QUERN" annotate --threshold=0 --by=data profile >listing 2>&1
ok 'annotate --by=data names variables' grep -q ' table (global' listing
ok '... allocations by their callers' grep -q ' malloc in by_malloc (objects.c:[0-9]*)' listing
ok '... and what the user has named' grep -q ' xmalloc in by_xmalloc (objects.c:[0-9]*)' listing
ok '... and lines with the objects that they miss on' grep -q 'misses: .* on malloc in by_malloc' listing
is "$("$QUERN" annotate --by=data plain.profile 2>&1 >/dev/null)" \
    'quern annotate: error: plain.profile: objects in memory are not known; `quern run --data=yes` writes them into the profile' \
    'a profile without the tables says how to get them'
sed '$d' profile >short
"$QUERN" annotate --by=data short >/dev/null 2>err
is "$? $(sed 's/[0-9][0-9]*/N/g' err)" '1 quern annotate: error: short:N: the tables of data are not whole, got N rows, wanted N' \
    'tables that are cut short are an error'

refused() { # MESSAGE OPTIONS...
    message=$1
    shift
    "$QUERN" run "$@" true 2>err
    is "$? $(cat err)" "2 quern: run: $message" "$*"
}
refused "--alloc: got 'f:7', wanted FUNCTION, FUNCTION:N or FUNCTION:N*M, arguments from 1 to 6" --data=yes --alloc=f:7
refused '--alloc: needs --data; `quern run --help=all` describes it' --alloc=f
refused '--data: not with --cache-sim=no; `quern run --help=all` describes it' --data=yes --cache-sim=no
done_testing
