#!/bin/sh
# library.sh - the decoder as others use it: libquern-decode.a, <quern/decode.h>, pkg-config.
#
# Are they installed, do they need nothing else, do they keep to their names, and does the program in doc/decoder.md compile,
# as C and as C++, and print what objdump says of the same bytes?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

root=$SCRATCH/root
make -s -C "$top_builddir" prefix=/usr libdir=/usr/lib includedir=/usr/include DESTDIR="$root" install-libLIBRARIES \
    install-pkgincludeHEADERS install-pkgconfigDATA >"$SCRATCH/install" 2>&1 || bail "$(tail -n 1 "$SCRATCH/install")"
library=$root/usr/lib/libquern-decode.a

nm -A "$library" | awk '$(NF - 1) == "U" { print $NF }' | sort -u >"$SCRATCH/wanted"
nm -A "$library" | awk '$(NF - 1) ~ /^[TDBR]$/ { print $NF }' | sort -u >"$SCRATCH/offered"
is "$(comm -23 "$SCRATCH/wanted" "$SCRATCH/offered" | grep -v -e _GLOBAL_OFFSET_TABLE_ -e __stack_chk_fail)" '' \
    'the library needs no other'
is "$(grep -v '^qn_decode' "$SCRATCH/offered")" '' 'its names begin with qn_decode'

sed -n '/^```c$/,/^```$/p' "$top_srcdir/doc/decoder.md" | grep -v '^```' >"$SCRATCH/example.c"
cp "$SCRATCH/example.c" "$SCRATCH/example.cc"
wanted='len 5: add    0x8(%rsi,%rcx,4),%rax
  reads 8 bytes at rsi + 4*rcx + 8
len 6: vpaddd %ymm1,%ymm0,%ymm2{%k1}
  needs avx512f avx512vl'
for language in c cc; do
    compiler=$CC
    [ $language = c ] || compiler=$(command -v g++ || command -v c++ || echo)
    if [ -z "$compiler" ]; then
        absent "g++ is not installed"
        continue
    fi
    "$compiler" -Wall -Wextra -Werror -I"$root/usr/include" -o "$SCRATCH/example" "$SCRATCH/example.$language" "$library" \
        2>"$SCRATCH/errors" || diag "$(cat "$SCRATCH/errors")"
    is "$("$SCRATCH/example" 2>&1)" "$wanted" "the example of doc/decoder.md, as $language"
done

if command -v pkg-config >/dev/null 2>&1; then
    said=$(PKG_CONFIG_PATH=$root/usr/lib/pkgconfig pkg-config --libs quern-decode 2>&1)
    ok "pkg-config knows it" test "${said%-lquern-decode*}" != "$said"
else
    skip 'no pkg-config'
fi
done_testing
