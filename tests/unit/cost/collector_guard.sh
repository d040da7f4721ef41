#!/bin/sh
# Debug information that crashes the library that reads it, never ends, or wants all memory: does it cost names only?
#
# A library that is loaded before libelf plays the bad one for files whose name has POISON in it; so the quern of this test
# is one that has shared libraries.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/unit/cost/fake/fake.sh"
QUERN=${QUERN%/*}/quern-shared
[ -x "$QUERN" ] || bail "there is no $QUERN; make quern-shared"

cat >"$SCRATCH/poison.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
Elf *elf_begin(int fd, Elf_Cmd command, Elf *archive)
{
    Elf *(*real)(int, Elf_Cmd, Elf *) = (Elf *(*)(int, Elf_Cmd, Elf *))dlsym(RTLD_NEXT, "elf_begin");
    const char *poison = getenv("POISON");
    char link[64], path[4096] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (poison && readlink(link, path, sizeof path - 1) > 0 && strstr(path, poison + 1)) {
        if (poison[0] == 'c')
            abort();
        while (poison[0] == 'h')
            __asm__ volatile("");
        for (size_t n = (size_t)1 << 30; poison[0] == 'm';) {
            char *all = malloc(n);
            if (!all)
                return NULL;
            all[n / 2] = 1;
        }
    }
    return real(fd, command, archive);
}
END
"$CC" -shared -fPIC -o "$SCRATCH/poison.so" "$SCRATCH/poison.c" -ldl 2>"$SCRATCH/cc" || skip_all 'libelf.h is not installed' 7
LD_PRELOAD=$SCRATCH/poison.so "$QUERN" --version >/dev/null 2>&1 ||
    skip_all 'this quern does not start behind another library (AddressSanitizer wants to be the first)' 7
places() { sed -n 's/^fl=.*\//fl=/p;s/^fl=???/fl=???/p;s/^fn=/fn=/p;/^summary/p' cachegrind.out.*; }
poisoned() {
    export POISON="$1"
    LD_PRELOAD=$SCRATCH/poison.so fake -q true block 10 exit 3
    unset POISON
}

poisoned x/nothing/of/that/name
is "$status $(places | tr '\n' ' ')" '3 fl=fake_engine.c fn=landmark summary: 30 2 1 10 5 1 0 0 0 ' 'a library that behaves'
lost='fl=??? fn=??? summary: 30 2 1 10 5 1 0 0 0 '
for what in crash memory; do
    poisoned "$(echo $what | cut -c1)fake-engine"
    is "$status $(places | tr '\n' ' ')" "3 $lost" "$what: names are lost, counts are not"
    is "$(grep -c 'fake-engine: .*is shown without names' "$SCRATCH/err") $(wc -l <"$SCRATCH/err")" '1 1' "$what: one line says so"
done
# The time that the user allows is less than ours.
if (ulimit -t 2) 2>/dev/null; then
    (ulimit -t 2 && poisoned hfake-engine && echo "$status" >"$SCRATCH/status")
    is "$(cat "$SCRATCH/status") $(places | tr '\n' ' ')" "3 $lost" 'no end: names are lost, counts are not'
    is "$(grep -c 'fake-engine: .*is shown without names' "$SCRATCH/err") $(wc -l <"$SCRATCH/err")" '1 1' 'no end: one line says so'
else
    skip 'no limit on time here' 2
fi
done_testing
