#!/bin/sh
# Names and lines from every form in which compilers and distributions keep debug information.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/unit/cost/fake/fake.sh"

source=$top_srcdir/tests/unit/cost/fake/fake_engine.c
# place FLAGS...: where the fake engine's block falls if it is compiled so
place() {
    compile "$@" || bail "cannot compile with $*"
    fake -q true block 1
    where
}
compile() { ${compiler:-$CC} -std=gnu11 -O1 -I "$top_srcdir/lib" "$@" -o "$FAKE" 2>"$SCRATCH/cc"; }
where() { sed -n 's/^fl=//p;s/^fn=//p;s/^\([0-9][0-9]*\) .*/\1/p' cachegrind.out.* | tr '\n' ' '; }

wanted="$source landmark $LANDMARK "
for version in 2 3 4 5; do
    is "$(place -gdwarf-$version -gstrict-dwarf "$source")" "$wanted" "DWARF $version"
done
is "$(place -g -gz "$source")" "$wanted" 'compressed by the compiler'
is "$(place -g -gsplit-dwarf "$source")" "$wanted" 'split DWARF'
is "$(place -g -static "$source")" "$wanted" 'a static program'
is "$(place -g -static-pie "$source")" "$wanted" 'a static position independent program'
is "$(place -g -no-pie "$source")" "$wanted" 'a program at a fixed address'
if command -v clang >/dev/null; then
    compiler=clang
    is "$(place -g "$source")" "$wanted" 'clang'
    compiler=
else
    absent 'clang is not installed'
fi

mkdir -p "$SCRATCH/src/sub"
cp "$source" "$SCRATCH/src/sub/f.c"
relative() { (cd "$SCRATCH/src" && compile "$@" sub/f.c) && fake -q true block 1 && where; }
for version in 4 5; do
    is "$(relative -gdwarf-$version)" "$SCRATCH/src/sub/f.c landmark $LANDMARK " "a relative name is made absolute (DWARF $version)"
done
is "$(relative -gdwarf-4 "-fdebug-prefix-map=$SCRATCH/src=./x")" "./x/sub/f.c landmark $LANDMARK " \
    'a relative directory of the compilation stays as it is'

if command -v objcopy >/dev/null && command -v strip >/dev/null; then
    compile -g "$source"
    cp "$FAKE" "$SCRATCH/whole"
    strip -g "$FAKE"
    fake -q true block 1
    is "$(where)" '??? landmark 0 ' 'without debug information the symbol is left'
    cp "$SCRATCH/whole" "$FAKE"
    strip "$FAKE"
    fake -q true block 1
    is "$(where)" '??? ??? 0 ' 'stripped, nothing is left'
    cp "$SCRATCH/whole" "$FAKE"
    objcopy --strip-all --keep-section='.debug*' "$FAKE"
    fake -q true block 1
    is "$(where)" "$wanted" 'without symbols the function comes from DWARF'
    (cd "$SCRATCH" && objcopy --only-keep-debug whole fake.debug && cp whole "$FAKE" && strip "$FAKE" &&
        objcopy --add-gnu-debuglink=fake.debug "$FAKE")
    fake -q true block 1
    is "$(where)" "$wanted" 'a separate debug file beside the program'
    mkdir "$SCRATCH/.debug" && mv "$SCRATCH/fake.debug" "$SCRATCH/.debug"
    fake -q true block 1
    is "$(where)" "$wanted" 'or in .debug'
    sed 's/x \* 3/x * 4/' "$source" >"$SCRATCH/src/other.c"
    (compile -g "$SCRATCH/src/other.c" && cd "$SCRATCH" && objcopy --only-keep-debug "$FAKE" .debug/fake.debug &&
        cp whole "$FAKE" && strip "$FAKE" && objcopy --add-gnu-debuglink=.debug/fake.debug "$FAKE" 2>/dev/null)
    fake -q true block 1
    is "$(where)" '??? ??? 0 ' 'that of another program is not used'
else
    absent 'objcopy is not installed' 6
fi

# Packed sections, in each form that objcopy knows; the section must really be packed.
if command -v objcopy >/dev/null && command -v readelf >/dev/null; then
    compile -g "$source" && cp "$FAKE" "$SCRATCH/whole"
    # pack FORM SECTION: `FLAGS` of the line table, as readelf shows them
    pack() {
        objcopy --compress-debug-sections="$1" "$SCRATCH/whole" "$FAKE" 2>/dev/null || return
        readelf -SW "$FAKE" | sed -n "s/.* $2  *PROGBITS *[0-9a-f]* *[0-9a-f]* *\([0-9a-f]*\) 00 *\(C*\) .*/\2/p"
    }
    is "$(pack zlib '\.debug_line')" C 'packed by zlib'
    fake -q true block 1
    is "$(where)" "$wanted" '  ... it is read'
    is "$(pack zlib-gnu '\.debug_line')" '' "packed in GNU's older form"
    ok '  ... it has another name' test -n "$(readelf -SW "$FAKE" | grep '\.zdebug_line')"
    fake -q true block 1
    is "$(where)" "$wanted" '  ... it is read'
    if [ "$(pack zstd '\.debug_line')" != C ]; then
        skip 'objcopy does not know zstd' 3
    else
        fake -q true block 1
        is "$(where)" "$wanted" 'packed by zstd'
        offset=$(readelf -SW "$FAKE" | sed -n 's/.* \.debug_line  *PROGBITS  *[0-9a-f]*  *\([0-9a-f]*\) .*/\1/p')
        cp "$FAKE" "$SCRATCH/packed"
        for at in 8 40; do # the size that it unpacks to (as large as can be), what is packed
            cp "$SCRATCH/packed" "$FAKE"
            printf '\377\377\377\377\377\377\377\377' | dd of="$FAKE" bs=1 seek=$((0x$offset + at)) conv=notrunc 2>/dev/null
            fake true block 1
            is "$(where) $(grep -cE 'damaged debug information|unpacks to more than' "$SCRATCH/err")" '??? landmark 0  1' "  ... damaged at byte $at"
        done
    fi
else
    absent 'objcopy is not installed' 8
fi

is "$(place -g "$source" -Wl,--build-id=none)" "$wanted" 'a program without build-id'

done_testing
