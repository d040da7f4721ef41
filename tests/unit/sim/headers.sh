#!/bin/sh
# With nothing but what is installed: does a compiler say what is wrong with a module before it is built, for every kind, as C compiler
# and editors are told by pkg-config?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$top_builddir" DESTDIR="$SCRATCH/stage" prefix=/usr datarootdir=/usr/share \
    datadir=/usr/share libdir=/usr/lib install-pkgconfigDATA install-nobase_pkgdataDATA >log 2>&1 ||
    bail "make install: $(tail -n 1 log)"
there=$SCRATCH/stage/usr

# The file was written for configure's prefix; pkg-config takes another one.
if command -v pkg-config >/dev/null; then
    flags=$(PKG_CONFIG_PATH=$there/lib/pkgconfig pkg-config --define-variable=prefix="$there" \
        --define-variable=datarootdir="$there/share" --cflags quern-modules)
    is "$?" 0 'pkg-config knows quern-modules'
else
    flags="-I$there/share/quern/lib -DQN_SIM_UNIT=1"
    skip 'no pkg-config'
fi
ok 'it names the installed headers, and nothing of the source tree' \
    test "$(echo "$flags" | tr ' ' '\n' | grep '^-I')" = "-I$there/share/quern/lib"

# says FILE: status and errors of the compiler
says() {
    # shellcheck disable=SC2086 # words
    $CC -std=gnu11 -Wall -Wextra -Wno-unused-function $flags -c -o module.o "$1" >said 2>&1
    echo "$? $(sed -n 's/.*error: //p' said)"
}

# The examples of the guide; of the kinds that have none there, a module that ships.
awk '/^    #include "sim\// { n++; inside = 1 }
    /^[^ ]/ { inside = 0 }
    inside { print substr($0, 5) > "example" n ".c" }' "$top_srcdir/doc/modules.md"
cp "$top_srcdir/lib/sim/analysis/interval.c" example.ships.analysis.c
cp "$top_srcdir/lib/sim/policy/fifo.c" example.ships.policy.c
cp "$top_srcdir/lib/sim/level/victim.c" example.ships.level.c
for kind in POLICY PREFETCHER LEVEL PREDICTOR ANALYSIS; do
    example=$(grep -l "^#define $kind " example*.c | head -n 1)
    is "$(says "${example:-none}")" '0 ' "the guide's $kind is compiled" || diag "$(cat said)"
done

sed 's/policy_victim(unsigned/policy_victim(sometype/' "$(grep -l '^#define POLICY ' example*.c | head -n 1)" >wrong.c
ok 'a mistake is named' test "$(says wrong.c | cut -c1)" = 1
ok 'with file and line' grep -q '^wrong.c:[0-9]*:.*error' said
done_testing
