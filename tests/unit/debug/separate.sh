#!/bin/sh
# Debug information that lies in other files: by build-id, by name, shared by several programs, split off by the compiler.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/unit/cost/fake/fake.sh"

command -v objcopy >/dev/null 2>&1 && command -v strip >/dev/null 2>&1 || absent_all 'objcopy is not installed' 24
source=$top_srcdir/tests/unit/cost/fake/fake_engine.c
compile() { "$CC" -std=gnu11 -O1 -I "$top_srcdir/lib" "$@" -o "$FAKE" 2>"$SCRATCH/cc" || bail "cannot compile: $*"; }
where() { sed -n 's/^fl=//p;s/^fn=//p;s/^\([0-9][0-9]*\) .*/\1/p' cachegrind.out.* | tr '\n' ' '; }
# place OPTIONS...: where the fake engine's block is found to lie
place() { fake -q "$@" true block 1 && where; }
build_id() { readelf -n "$1" | sed -n 's/^ *Build ID: //p'; }
wanted="$source landmark $LANDMARK "
nothing='??? ??? 0 '
roots=$SCRATCH/roots
mkdir -p "$roots"

# The program is stripped; `whole` keeps everything, `debug` what was taken off.
strip_off() {
    compile -g -Wl,--build-id "$source"
    cp "$FAKE" "$SCRATCH/whole"
    objcopy --only-keep-debug "$FAKE" "$SCRATCH/debug"
    strip "$FAKE"
}
strip_off
is "$(place)" "$nothing" 'a stripped program alone'
id=$(build_id "$FAKE")
ok 'it has a build-id' test ${#id} -ge 8
folder=$roots/.build-id/$(echo "$id" | cut -c1-2)
mkdir -p "$folder"
file=$folder/$(echo "$id" | cut -c3-).debug
cp "$SCRATCH/debug" "$file"
is "$(place --extra-debuginfo-path="$roots")" "$wanted" 'by build-id'
is "$(place --extra-debuginfo-path="$roots/nothing")" "$nothing" 'not where nothing is'
objcopy --compress-debug-sections "$SCRATCH/debug" "$file"
is "$(place --extra-debuginfo-path="$roots")" "$wanted" 'with its sections compressed'
ln -sf "$SCRATCH/debug" "$file"
is "$(place --extra-debuginfo-path="$roots")" "$wanted" 'through a link'
sed 's/x \* 3/x * 5/' "$source" >"$SCRATCH/other.c"
compile -g -Wl,--build-id "$SCRATCH/other.c"
rm "$file" && objcopy --only-keep-debug "$FAKE" "$file"
cp "$SCRATCH/whole" "$FAKE" && strip "$FAKE"
is "$(place --extra-debuginfo-path="$roots")" "$nothing" 'a file of that name that belongs to another program'
head -c 500 "$SCRATCH/debug" >"$file"
is "$(place --extra-debuginfo-path="$roots")" "$nothing" 'a file that is cut short'
: >"$file"
is "$(place --extra-debuginfo-path="$roots")" "$nothing" 'an empty file'
rm "$file" && mkfifo "$file"
is "$(place --extra-debuginfo-path="$roots")" "$nothing" 'a FIFO: nobody waits for it'
rm "$file"

# By name, below the same directory; with and without build-id.
for id_option in --build-id --build-id=none; do
    compile -g "-Wl,$id_option" "$source"
    objcopy --only-keep-debug "$FAKE" "$SCRATCH/fake.debug"
    strip "$FAKE"
    (cd "$SCRATCH" && objcopy --add-gnu-debuglink=fake.debug "$FAKE")
    mkdir -p "$roots$SCRATCH"
    mv "$SCRATCH/fake.debug" "$roots$SCRATCH/fake.debug"
    is "$(place --extra-debuginfo-path="$roots")" "$wanted" "by .gnu_debuglink below the directory ($id_option)"
    is "$(place)" "$nothing" '  ... which has to be named'
    echo >>"$roots$SCRATCH/fake.debug"
    [ $id_option = --build-id ] ||
        is "$(place --extra-debuginfo-path="$roots")" "$nothing" '  ... and whose checksum has to fit'
done

# Split DWARF: lines from the program, functions from the .dwo file where there are no symbols.
for version in 4 5; do
    rm -f "$SCRATCH"/*.dwo
    (cd "$SCRATCH" && compile -g -gdwarf-$version -gsplit-dwarf "$source")
    is "$(place)" "$wanted" "split DWARF $version"
    objcopy --strip-all --keep-section='.debug*' "$FAKE"
    is "$(place)" "$wanted" '  ... of a program without symbols'
    mkdir -p "$SCRATCH/away" && mv "$SCRATCH"/*.dwo "$SCRATCH/away"
    is "$(place)" "$source ??? $LANDMARK " '  ... and without its .dwo file: lines only'
done

# .gnu_debugaltlink, as dwz makes it: names in a file that several programs share. Written by hand, since dwz need not be here.
[ -x "$top_builddir/quern-engine" ] || { bail 'there is no engine in this build'; done_testing; }
cd "$WORK" || bail 'no scratch directory'
fresh
cat >main.S <<'END'
        .globl  start
start:  mov     $60, %eax
        xor     %edi, %edi
        syscall
end:
        .section .debug_abbrev,"",@progbits
        .uleb128 1, 0x11                /* DW_TAG_compile_unit: name (DW_FORM_GNU_strp_alt), low_pc, high_pc */
        .byte   1
        .uleb128 0x03, 0x1f21, 0x11, 0x01, 0x12, 0x07, 0, 0
        .uleb128 2, 0x2e                /* DW_TAG_subprogram: the same */
        .byte   0
        .uleb128 0x03, 0x1f21, 0x11, 0x01, 0x12, 0x07, 0, 0
        .byte   0
        .section .debug_info,"",@progbits
        .long   2f - 1f
1:      .short  4
        .long   0
        .byte   8
        .uleb128 1
        .long   0
        .quad   start, end - start
        .uleb128 2
        .long   8
        .quad   start, end - start
        .byte   0
2:      .section .debug_line,"",@progbits
        .section .gnu_debugaltlink,"",@progbits
        .asciz  "common.debug"
        .byte   1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20
END
cat >common.S <<'END'
        .section .debug_abbrev,"",@progbits
        .uleb128 1, 0x11
        .byte   0, 0, 0, 0
        .section .debug_info,"",@progbits
        .long   8
        .short  4
        .long   0
        .byte   8
        .uleb128 1
        .section .debug_str,"",@progbits
        .asciz  "alt.c"
        .skip   2
        .asciz  "known_by_alt"
END
"$CC" -nostdlib -static -Wl,-e,start -Wl,--build-id=none -o main main.S &&
    "$CC" -nostdlib -shared -Wl,--build-id=0x0102030405060708090a0b0c0d0e0f1011121314 -o common.debug common.S &&
    objcopy --strip-all --keep-section='.debug*' --keep-section=.gnu_debugaltlink main || bail 'cannot assemble'
is "$("$QUERN" run -q --out-file=out ./main; sed -n 's/^fn=//p' out)" known_by_alt 'a name in the file of .gnu_debugaltlink'
"$CC" -nostdlib -shared -Wl,--build-id=0x0102030405060708090a0b0c0d0e0f1011121315 -o common.debug common.S
is "$("$QUERN" run -q --out-file=out ./main; sed -n 's/^fn=//p' out)" '???' 'not if that has another build-id'
rm common.debug
is "$("$QUERN" run -q --out-file=out ./main 2>&1; sed -n 's/^fn=//p' out)" '???' 'nor without it, and without a word'
done_testing
