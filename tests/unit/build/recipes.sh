#!/bin/sh
# Do HACKING's recipes work?  Its tests in C and in shell run, and each diff of doc/examples/recipes does what its recipe promises.
#
# A diff that does not apply any more is made anew in a clean checkout:
#
#     patch -p1 <doc/examples/recipes/NAME.patch     then mend by hand what was refused (*.rej)
#     git add -N . && git diff -U1 >NAME.new         only what the recipe says; move it to doc/examples/recipes, and git checkout .
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

# example SECTION [BEGINS]: the indented lines of a section from the first that BEGINS on
example() {
    awk -v section="$1" -v begins="${2:-#include}" '
        /^---/ { on = title == section }
        { title = $0 }
        on && index($0, "    ") == 1 && (begun || index($0, begins)) { begun = 1; print substr($0, length($0) - length(substr($0, 5)) + 1); next }
        on && begun && /^$/ { print; next }
        begun { exit }' "$top_srcdir/HACKING"
}

example 'Add a test' >nop.c
$CC -std=gnu11 -I"$top_srcdir/lib" -I"$top_srcdir/tests/tap" -o nop nop.c "$top_builddir/libquern-decode.a" 2>said
is "$? $(./nop | tr '\n' ' ')" '0 ok 1 - nop is an instruction ok 2 - of one byte 1..2 ' 'a test in C' || diag "$(cat said)"
example 'Add a test' '. "$' >cache.sh
rm -rf inner && mkdir inner
is "$(SCRATCH=$SCRATCH/inner sh ./cache.sh | tr '\n' ' ')" 'ok 1 - an impossible cache is a usage error ok 2 - which is named 1..2 ' 'a test in shell'

# ---- the diffs ----

if ! command -v patch >/dev/null; then
    skip 'patch is not installed' 18
    done_testing
    exit
fi
rm -rf tree && mkdir tree
(cd "$top_srcdir" && tar cf - lib tools build-aux doc/man doc/profiles.md labs tests) | (cd tree && tar xf -) && chmod -R u+w tree || bail 'no copy'
for recipe in event column command syscall; do
    patch -s -p1 -F0 -d tree <"$top_srcdir/doc/examples/recipes/$recipe.patch" >said 2>&1
    is "$?" 0 "doc/examples/recipes/$recipe.patch applies" || diag "$(cat said); the head of tests/unit/build/recipes.sh says how to make it anew"
done

# A quern with the new column and the new command: what they touch is compiled, the rest is of the build.
env -u MAKEFLAGS -u MFLAGS make -s -C "$top_builddir" --eval='words: ; @echo "$(CFLAGS) $(LDFLAGS)" && echo "$(quern_OBJECTS)" && echo "$(libraries)"' words |
    tail -n 3 >words
{ read -r flags && read -r objects && read -r libraries; } <words
sh tree/build-aux/page-files.sh page_files.h tree/lib/page/scripts/*.css tree/lib/page/scripts/*.js tree/lib/page/scripts/*/*.js
here=$PWD
# shellcheck disable=SC2086 # words
(cd "$top_builddir" && $CC $flags -std=gnu11 -DHAVE_CONFIG_H -I"$here" -I. -I"$here/tree/lib" -o "$here/quern" "$here"/tree/tools/main.c "$here"/tree/tools/events.c \
    "$here"/tree/lib/out/columns.c "$here"/tree/lib/plot/words.c "$here"/tree/lib/page/shell.c \
    $(echo "$objects" | sed 's|tools/main.o||') $libraries) >said 2>&1
is "$?" 0 'column and command: what they touch is compiled' || diag "$(tail -n 20 said)"

printf 'cmd: refs\nevents: Ir Dr Dw\nfl=f\nfn=g\n1 8 3 1\nsummary: 8 3 1\n' >refs
is "$(./quern events refs | tr '\n' ' ')" 'Ir 8 Dr 3 Dw 1 ' 'command: it does what it is for'
./quern events no >said 2>&1
is "$? $(cat said)" '1 quern events: no: cannot open: No such file or directory' '... and says what is wrong'
QUERN=$PWD/quern top_srcdir=$PWD/tree sh tree/tests/unit/man/man.sh --update
is "$(./quern --help | grep -c '^  events ')$(grep -c 'quern.-events (1)' tree/doc/man/quern.1)" 11 '... --help and quern.1 name it'
is "$(cat tree/doc/man/quern-events.1)" "$(sed -n '/quern-events.1$/,/^---/s/^+\([^+]\)/\1/p' "$top_srcdir/doc/examples/recipes/command.patch")" '... its page has its options'
sh tree/build-aux/sources.sh --update && ok '... sources.mk has its file' grep -q '[[:space:]]tools/events.c' tree/sources.mk

is "$(./quern annotate --show=Ir,Dref% --no-annotate refs | grep 'TOTALS')" '8 (100.0%) 50.0%  PROGRAM TOTALS' 'column: annotate shows it'
is "$(./quern csv --by=function --metadata=no --crlf=no refs | tail -n 1)" 'refs,???,f,g,8,3,1,50' '... csv has it'
./quern page -o page.html refs && ok '... so has the page' grep -q "'Dref%', 100, 'Dr+Dw', 'Ir'" page.html
./quern plot top --event=Dref% -o top.svg refs >said 2>&1
ok '... and pictures have its name' grep -q 'data references per 100 instructions' top.gp

cat >call.c <<'END'
#include <stdio.h>

#include "run/kernel/kernel.h"

uint8_t qn_stack_guard_low[1];
struct qn_thread *qn_self;
void *qn_engine_alloc(uint64_t bytes) { return bytes ? qn_self : NULL; }
bool qn_read_guest(uint64_t from, void *to, uint64_t size) { return !from && to && !size; }
bool qn_write_guest(uint64_t to, const void *from, uint64_t size) { return !to && from && !size; }
bool qn_is_engine_range(uint64_t start, uint64_t size) { return start == 0x70001000 && size; }

int main(void)
{
    long a[6] = { 0x70001000, 0x70001000, 0x70001000, 0x70001000 };

    qn_pointers_hide(470, a);
    for (int i = 0; i < 4; i++)
        putchar(a[i] == (long)(uintptr_t)qn_stack_guard_low ? 'p' : '0');
    return 0;
}
END
# shellcheck disable=SC2086 # words
$CC $flags -std=gnu11 -Itree/lib -o call call.c tree/lib/run/kernel/pointers.c >said 2>&1
is "$(./call)" pp00 'system call: pointers into quern are hidden from the kernel' || diag "$(cat said)"
$CC -o syscalls tree/tests/fidelity/syscalls.c >said 2>&1 || diag "$(cat said)"
is "$(./syscalls listns | grep -c '^470 listns:')" 1 '... and the comparison has it'

if [ -f "$top_builddir/libquern-engine.a" ]; then
    echo 'static volatile char a[64]; int main(void) { for (int i = 0; i < 1000; i++) a[(i & 31) * 2 + 1] = 1; return a[0]; }' >prog.c
    $CC -g -O1 -o prog prog.c || bail 'prog.c cannot be compiled'
    "$QUERN" run --sim=AN=tree/lib/sim/analysis/odd.c --out-file=prof ./prog >said 2>&1
    ok 'event: in the summary' grep -q 'AN.odd .*references at odd addresses' said
    is "$(awk '/^events:/ { for (i = 2; i <= NF; i++) if ($i == "AN.odd") at = i } /^fl=/ { mine = /prog\.c$/ } /^[0-9]/ && mine { n += $at }
        END { print n + 0 }' prof)" 1000 '... by line'
fi
done_testing
