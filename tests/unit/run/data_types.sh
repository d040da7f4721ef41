#!/bin/sh
# quern run --data=yes: of what type is what misses are on, and which member?  Types beside what the program was written for, at each
# level of optimisation; misses by member beside a slow model that looks at a table of all members at each miss of a trace
# (data/model.c).
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

here=$top_srcdir/tests/unit/run/data
$CC -std=gnu11 -O2 -I"$top_srcdir/lib" -o model "$here/model.c" || bail 'model.c cannot be compiled'

# types PROFILE: "FUNCTION BYTES TYPE" of blocks, "NAME BYTES TYPE" of variables
types() {
    awk '/^#object: / { name = $2 == "symbol" ? $6 : "" } /^#in: / { name = substr($0, 6) }
         /^#type: / && name { print name, substr($0, 8) }' "$1" | LC_ALL=C sort -u
}

wanted_types() {
    cat <<'END'
by_array 96 struct particle
by_chars 1 char
by_element 16 struct node
by_global 4 colour
by_local 16 struct node
by_member 16 struct node
by_open_end 8 struct text
by_parameter 96 struct particle
by_pointers 8 struct node *
by_result 16 struct node
by_table 16 struct node
swarm 96 struct particle
END
}

# members PROFILE: "part:TYPE:PART READS WRITES" of the objects that the model knows
members() {
    awk '/^#object: / { type = ""; known = $6 == "swarm" || $6 == "alone" } /^#in: by_array/ { known = 1 }
         /^#type: / { type = $0; sub(/^#type: [0-9]* /, "", type) } /^#part: / { part[p++] = known ? "part:" type ":" substr($0, 8) : "" }
         /^#miss: / && $4 != "-" { reads[part[$4]] += $5; writes[part[$4]] += $6 }
         END { for (k in reads) print k, reads[k], writes[k] }' "$1" | LC_ALL=C sort
}

geometry=1024,2,32

run() { "$QUERN" run -q --data=yes --D1=$geometry --LL=1048576,16,64 --out-file=profile "$@" >/dev/null 2>&1; }

has_types() {
    run "$@"
    types profile >all
    wanted_types | while read -r line; do grep -qxF "$line" all || echo "missing: $line"; done >missing
    grep '^by_nobody' all >>missing
    cat missing
    [ ! -s missing ]
}

as_modelled() {
    "$QUERN" trace --format=lackey -o plain "$@" >/dev/null 2>&1 || return 1
    ./model plain events.txt $geometry | grep -v ' 0 0$' | LC_ALL=C sort >wanted
    run "$@"
    members profile | grep '^part:struct particle:' >got
    [ "$(wc -l <wanted)" -ge 7 ] && diff wanted got
}

for level in 0 1 2 3; do
    $CC -std=gnu11 -O$level -fno-optimize-sibling-calls -g -o "types$level" "$here/types.c" || bail "types.c cannot be compiled with -O$level"
    ok "types, compiled with -O$level" has_types "./types$level"
done
ok 'members of a structure' as_modelled ./types1
ok '... with -O2' as_modelled ./types2
if command -v clang >/dev/null && clang -std=gnu11 -O1 -g -o typesclang "$here/types.c" 2>/dev/null; then
    ok 'types, compiled by clang' has_types ./typesclang
    ok '... and members' as_modelled ./typesclang
else
    absent 'clang is not installed' 2
fi

# owners PROFILE: "FUNCTION LINE TYPE" of blocks
owners() {
    awk '/^#object: / { heap = $2 == "heap"; line = "" } /^#from: / { line = $2 } /^#in: / { name = substr($0, 6) }
         /^#type: / && heap { print name, line, substr($0, index($0, $3)) }' profile | LC_ALL=C sort -u
}

# belongs FUNCTION TEXT SOURCE TYPE: a block of this type belongs to the function, at the line of the source that holds the text
belongs() {
    owners >got
    line=$(grep -n "$2" "$3" | head -n 1 | cut -d : -f 1)
    grep -F "$1 $line $4" got || { cat got; return 1; }
}

# What a library's header allocates belongs to the lines that it is inlined in, however the compiler spells the header's path.
for header in /usr/include/new.h /usr/bin/../lib/gcc/x86_64-linux-gnu/12/new.h /usr/./lib//new.h /opt/gcc/include/c++/14/new.h; do
    cat >inlined.c <<END_OF_C
#include <stdlib.h>
# 1 "$header" 1
static inline __attribute__((always_inline)) char *make(unsigned long n) { return malloc(n); }
# 1 "inlined.c" 2
int main(void)
{
    volatile char *a = make(100000);
    volatile char *b = make(200000);
    for (int i = 0; i < 100000; i += 64)
        a[i] = b[i] = 1;
    return 0;
}
END_OF_C
    $CC -O1 -g -o inlined inlined.c 2>log || bail "inlined.c: $(cat log)"
    run ./inlined
    is "$(awk '/^#object: heap/ { heap = 1 } /^#from: / && heap { sub(/.*\//, "", $3); if ($3 !~ /^dl-/) print $2, $3; heap = 0 }' profile | sort)" "3 inlined.c
4 inlined.c" "blocks of a header called $header"
done

for level in 0 1 2; do
    if command -v "${CXX:-g++}" >/dev/null && "${CXX:-g++}" -O$level -g -o grow$level "$here/grow.cc" 2>/dev/null; then
        run ./grow$level
        ok "a vector's elements belong to who makes it longer (-O$level)" belongs 'fill(int)' 'v.push_back' "$here/grow.cc" geo::point
        ok '... what a constructor allocates to it, not to the vector' belongs 'copying::copying(copying const&)' 'new char' "$here/grow.cc" char
        ok '... nodes of a map to who inserts' belongs 'tree(int)' 'm.i' "$here/grow.cc" 'std::_Rb_tree_node<'
        ok '... and what make_unique allocates' belongs 'main' 'make_unique' "$here/grow.cc" geo::point
    else
        absent 'g++ is not installed' 4
    fi
done

$CC -std=gnu11 -O1 -g -o rust "$here/rust.c" || bail 'rust.c cannot be compiled'
run ./rust
ok "functions with the names of Rust's library allocate for their callers" belongs 'fill' 'push(v' "$here/rust.c" 'struct item'
ok '... so do those of older compilers' belongs 'fill_older' 'push_older(v' "$here/rust.c" 'struct item'

run ./types1
ok 'an open end is one part' grep -qx '#part: bytes\[\]' profile
"$QUERN" annotate --by=type --threshold=0 profile >listing 2>&1
ok 'annotate --by=type adds up by type' grep -q ' struct particle$' listing
ok '... and member' grep -q '     *at\.x$' listing
"$QUERN" annotate --by=data --threshold=0 profile >listing 2>&1
ok 'annotate --by=data names the type' grep -q ' swarm (global, types.c:[0-9]*, struct particle)$' listing

# File and line of variables: the file of a unit is number 1 of DWARF 4, and of DWARF 5 number 1 (gcc) or 0 (clang); the files of a split unit are in
# the program.
cat >where.c <<'END'
struct item { long a; char rest[56]; };
static struct item table[300];
int other[4000];
int main(void)
{
    volatile struct item here[100];
    long s = 0;
    for (int i = 0; i < 4000; i++)
        other[i] = i, table[i % 300].a += i, here[i % 100].a = i;
    return table[3].a + here[7].a == s;
}
END
for compiler in "$CC" clang; do
    for flags in -g -gdwarf-4 '-g -gsplit-dwarf' '-gdwarf-4 -gsplit-dwarf' '-g -fdebug-types-section'; do
        # shellcheck disable=SC2086
        if command -v "${compiler%% *}" >/dev/null && $compiler -O1 $flags -o where where.c; then
            run ./where
            is "$("$QUERN" csv --by=data --metadata=no --crlf=no profile 2>&1 | awk -F, '$3 ~ /^(table|other|here)$/ { sub(/.*\//, "", $4); print $3, $4 ":" $5 }' |
                LC_ALL=C sort -u)" "$(printf 'here where.c:6\nother where.c:3\ntable where.c:2')" "where variables are declared: $compiler $flags"
        else
            absent "$compiler is not installed"
        fi
    done
done
done_testing
