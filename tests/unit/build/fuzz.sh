#!/bin/sh
# Can the fuzzers be built?  `make fuzz` takes hours, so nobody would notice for long: each is linked with libquern.a, without sanitizers, and gets
# three inputs that are bad in every form, and must return.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

cd "$SCRATCH" || bail 'no scratch directory'
cat >main.c <<'END'
#include <stddef.h>
#include <stdint.h>
#include <string.h>
void __lsan_disable(void) {}
void __lsan_enable(void) {}
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int main(void)
{
    static const char *const inputs[] = { "", "\n", "events: Ir\nfl=a\nfn=f\n1 3\nsummary: 4\n" };
    for (int i = 0; i < 3; i++)
        LLVMFuzzerTestOneInput((const uint8_t *)inputs[i], strlen(inputs[i]));
    return 0;
}
END
libraries=$(sed -n "s/^libraries='\(.*\)'/\1/p" "$top_srcdir/tests/fuzz/fuzz.sh")
(cd "$top_builddir/tools" && ar cr "$SCRATCH/tools.a" prof_args.o annotate.o csv.o valgrind.o machine.o) || bail 'no objects of tools'
for file in "$top_srcdir"/tests/fuzz/*.c; do
    name=$(basename "$file" .c)
    # shellcheck disable=SC2086 # words
    "$CC" -std=gnu11 -g -O0 -I"$top_srcdir/lib" -I"$top_srcdir/tools" -I"$top_builddir" -o "$name" "$file" main.c -Wl,--start-group tools.a "$top_builddir/libquern.a" \
        -Wl,--end-group $libraries >"$name.log" 2>&1 && "./$name" >"$name.log" 2>&1 </dev/null
    is "$?" 0 "$name" || diag "$(grep -v warning "$name.log" | head -n 5)"
    case " $(sed -n "s/^names='\(.*\)'/\1/p" "$top_srcdir/tests/fuzz/fuzz.sh") " in *" $name "*) ;; *) ok "$name is one that fuzz.sh runs" false ;; esac
done
done_testing
