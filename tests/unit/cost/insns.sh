#!/bin/sh
# Are the counts by instruction right, and is the disassembly that of objdump?
#
# Lines: the sum of a line's instructions is what Cachegrind counts for the line. Instructions: how often each one runs is known by
# hand for a small program. Text: objdump -d of the same object.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -x "$top_builddir/quern-engine" ] || bail 'there is no engine in this build'
guests=$top_builddir/tests/guest
lines=$top_srcdir/tests/guest/lines.awk
geometry='--I1=1024,2,32 --D1=1024,2,32 --LL=4096,4,32'

# A profile whose lines are made of their instructions only.
from_instructions() {
    awk '/^#0x/ { $1 = $2 = ""; sub(/^ */, ""); print line, $0; next }
        /^#/ { next }
        /^[0-9]/ { line = $1; next }
        { print }' "$1"
}

for name in sort matmul rep straddle indirect atomics sse; do
    [ -x "$guests/$name" ] || bail "no $guests/$name: run make guests"
    # shellcheck disable=SC2086 # words
    "$QUERN" run -q --counting=cachegrind --branch-sim=yes $geometry --dump-instr=yes --out-file=$name.out -- "$guests/$name"
    from_instructions $name.out >$name.sums
    awk -f "$lines" $name.out | LC_ALL=C sort >wanted
    awk -f "$lines" $name.sums | LC_ALL=C sort >got
    ok "$name: something was counted" test "$(wc -l <wanted)" -gt 5
    same_file got wanted "$name: instructions add up to their lines"
    "$QUERN" merge $name.out >again && "$QUERN" csv --by=instruction $name.out | "$QUERN" csv --to-profile - >back
    same_file back $name.out "$name: CSV by instruction and back, byte for byte"
done
if command -v valgrind >/dev/null 2>&1; then
    for name in sort matmul straddle indirect; do
        # shellcheck disable=SC2086 # words
        valgrind -q --tool=cachegrind --vex-guest-chase=no --vex-iropt-level=0 --branch-sim=yes $geometry \
            --cachegrind-out-file=theirs "$guests/$name" >/dev/null 2>&1
        source=$(ls "$top_srcdir/tests/guest/$name".[cS])
        awk -v "source=$source" -f "$lines" theirs | LC_ALL=C sort >wanted
        awk -v "source=$source" -f "$lines" $name.sums | LC_ALL=C sort >got
        same_file got wanted "$name: instructions add up to what Cachegrind counts, line by line"
    done
else
    absent 'valgrind is not installed' 4
fi

# A program whose every instruction is known, without debug information.
cat >known.S <<'END'
        .globl  start
        .type   start, @function
start:  mov     $7, %ecx
1:      add     %rcx, %rax
        push    %rax
        pop     %rdx
        dec     %ecx
        jne     1b
        test    %ecx, %ecx
        jne     2f
        call    tail1
2:      mov     $60, %eax
        xor     %edi, %edi
        syscall
        .size   start, . - start
        .type   tail1, @function
tail1:   ret
        .size   tail1, . - tail1
END
"$CC" -Wl,-e,start -nostdlib -static -Wl,--build-id=none -o known known.S || bail 'cannot assemble'
"$QUERN" run -q --cache-sim=no --branch-sim=yes --dump-instr=yes --out-file=known.out ./known
objdump=$(command -v objdump || :)
is "$("$QUERN" csv --by=instruction --metadata=no --crlf=no --show=Ir,Bc known.out | sed 's/^known.out,[^,]*\/known,//;s/0x[0-9a-f]*,//' |
    sed 's/jne    [0-9a-f]*/jne    TO/;s/call   [0-9a-f]*/call   TO/')" 'profile,object,file,function,line,address,bytes,instruction,Ir,Bc
???,start,0,b907000000,"mov    $0x7,%ecx",1,0
???,start,0,4801c8,"add    %rcx,%rax",7,0
???,start,0,50,push   %rax,7,0
???,start,0,5a,pop    %rdx,7,0
???,start,0,ffc9,dec    %ecx,7,0
???,start,0,75f7,jne    TO,7,7
???,start,0,85c9,"test   %ecx,%ecx",1,0
???,start,0,7505,jne    TO,1,1
???,start,0,e809000000,call   TO,1,0
???,start,0,b83c000000,"mov    $0x3c,%eax",1,0
???,start,0,31ff,"xor    %edi,%edi",1,0
???,start,0,0f05,syscall,1,0
???,tail1,0,c3,ret,1,0' 'each instruction of a program in assembler'
"$QUERN" annotate --asm --no-show-percs --show=Ir known.out |
    sed -n '/Annotated function/,/Annotation summary/p' | sed 's/ [0-9a-f]*:  / AT:  /;s/jne    .*/jne    TO/;s/call   .*/call   TO/;s/in .*\//in /' >got
cat >wanted <<'END'
-- Annotated function: start
--------------------------------------------------------------------------------
Ir 

        start in known
 1        AT:  mov    $0x7,%ecx
 7        AT:  add    %rcx,%rax
 7        AT:  push   %rax
 7        AT:  pop    %rdx
 7        AT:  dec    %ecx
 7        AT:  jne    TO
 1        AT:  test   %ecx,%ecx
 1        AT:  jne    TO
 1        AT:  call   TO
 1        AT:  mov    $0x3c,%eax
 1        AT:  xor    %edi,%edi
 1        AT:  syscall

--------------------------------------------------------------------------------
-- Annotated function: tail1
--------------------------------------------------------------------------------
Ir 

        tail1 in known
 1        AT:  ret

--------------------------------------------------------------------------------
-- Annotation summary
END
same_file got wanted 'annotate --asm of it: by function'
"$CC" -g -Wl,-e,start -nostdlib -static -Wl,--build-id=none -o known.g known.S || bail 'cannot assemble'
"$QUERN" run -q --cache-sim=no --dump-instr=yes --out-file=known.out ./known.g
"$QUERN" annotate --asm --no-show-percs known.out | grep -A 2 'add .*rax' | head -n 3 | sed 's/    [0-9a-f]*:  /    AT:  /;s/in .*\//in /' >got
cat >wanted <<'END'
 7  1:      add     %rcx, %rax
        start in known.g
 7        AT:  add    %rcx,%rax
END
same_file got wanted 'with debug information: under its source line'

# The text is objdump's, for all instructions of real programs.
if [ -n "$objdump" ]; then
    "$QUERN" run -q --cache-sim=no --dump-instr=yes --out-file=real.out sh -c 'echo "a b" | tr a-z A-Z; exit 3' >/dev/null
    is $? 3 'a real program runs'
    grep '^#ob=/' real.out | sort -u | cut -c5- >objects
    ok 'it has several objects' test "$(wc -l <objects)" -ge 3
    # shellcheck disable=SC2013 # no blanks in these paths
    for object in $(cat objects); do
        "$QUERN" csv --by=instruction --metadata=no --crlf=no real.out |
            awk -v "object=,$object," 'index($0, object) { if (match($0, /,0x[0-9a-f]*,[0-9a-f]*,/)) {
                text = substr($0, RSTART + RLENGTH); sub(/,[0-9]*$/, "", text); gsub(/^"|"$/, "", text)
                at = substr($0, RSTART + 3, RLENGTH - 4); sub(/,/, "\t", at); print at "\t" text } }' | sort -u >ours
        objdump -d -w -z "$object" | awk -F '\t' '/^ *[0-9a-f]+:\t/ {
            sub(/^ */, "", $1); sub(/:/, "", $1); gsub(/ /, "", $2); sub(/ <[^>]*>/, "", $3); sub(/ +$/, "", $3)
            print $1 "\t" $2 "\t" $3 }' | sort -u >theirs
        comm -23 ours theirs >differ
        ok "$object: $(wc -l <ours) instructions, each as objdump prints it" \
            sh -c 'test -s ours && { head -n 20 differ; ! test -s differ; }'
    done
else
    absent 'objdump is not installed' 4
fi

# Objects, without instructions.
"$QUERN" run -q --dump-objects=yes --out-file=objects.out ./known.g
"$QUERN" run -q --out-file=plain.out ./known.g
is "$(grep -v '^#' objects.out)" "$(cat plain.out)" '--dump-objects adds nothing but remarks'
is "$(sed -n 's/^#ob=.*\///p;/^#pos/p' objects.out)" '#positions: object line
known.g' 'it names the object'
is "$(grep -c '^#' plain.out)" 0 'without it a profile has no remarks, which cg_merge would refuse'
is "$("$QUERN" annotate --by=object --no-show-percs --show=Ir objects.out | tail -n 2 | sed 's/.*\///')" 'known.g' 'annotate --by=object shows it'
is "$("$QUERN" annotate --asm plain.out 2>&1 >/dev/null; echo $?)" \
    'quern annotate: error: plain.out: no counts of instructions, got counts by line, wanted a profile of `quern run --dump-instr=yes`
1' 'annotate --asm of a profile without instructions'
done_testing
