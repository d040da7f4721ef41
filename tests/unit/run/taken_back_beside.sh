#!/bin/sh
# When an instruction faults, is what looks on beside the caches right, too: --versus, --explain, --analysis=latency?  The programs and the
# referee, which executes them step by step, are those of taken_back.sh.
#
#   --versus      B's columns are those of the referee, and so is the number of references and fetches
#   --explain     references, misses and their sum of classes, of the line that faults, are those of the profile, whose sum is the referee's
#   latency       loads by the level that served them
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -x "$QUERN" ] || bail "there is no $QUERN"
here=$top_srcdir/tests/unit/run/faults
$CC -std=gnu11 -O2 -I"$top_srcdir/lib" -o stepped "$here/stepped.c" "$top_builddir/libquern.a" || bail 'stepped.c cannot be compiled'
cp "$here/shapes.S" .
line=$(awk '/^ *SHAPE$/ { print FNR }' shapes.S)
caches='1024,2,64 4096,4,64 65536,8,64'
options='--I1=1024,2,64 --D1=4096,4,64 --LL=65536,8,64'

# run OPTIONS...: of ./program; out: ./profile, and ./said
run() {
    # shellcheck disable=SC2086
    "$QUERN" run $options --out-file=profile "$@" -- ./program >said 2>&1
}

# differ A B [OPTION]: B's columns, and the number of references and fetches that were compared
differ() {
    run --sim=D1="$1" --versus=D1="$2" ${3:-}
    awk '/^events:/ { for (i = 2; i <= NF; i++) at[$i] = i }
        /^summary:/ { print $2, $at["B.I1mr"], $at["B.ILmr"], $5, $at["B.D1mr"], $at["B.DLmr"], $8, $at["B.D1mw"], $at["B.DLmw"] }' profile
    sed -n 's/^==.*== No difference in \([0-9]*\) references\.$/\1/p;s/^==.*== Different: [0-9]* of \([0-9]*\) references.*/\1/p' said
}

# explained: references, misses and LL misses of the line; the classes add up
explained() {
    sed -n 's/^\([0-9]*\) references: [0-9]* hits, \([0-9]*\) misses (\([0-9]*\) .*: \([0-9]*\) compulsory, \([0-9]*\) capacity, \([0-9]*\) conflict\./\1 \2 \3 \4 \5 \6/p' told |
        awk '{ print $1, $2, $3, $4 + $5 + $6 }'
}

# in_profile: the same by the profile
in_profile() { awk -v line="$line" '$1 == line { refs += $5 + $8; misses += $6 + $9; ll += $7 + $10 } END { print refs, misses, ll, misses }' profile; }

# served: loads, those that the LL serves, those that memory serves
served() {
    run --analysis=latency
    awk -F, '$6 ~ /^[DLM]$/ { n[$6] += $10 } END { print n["D"] + n["L"] + n["M"], n["L"] + 0, n["M"] + 0 }' profile.findings.csv
}

# shape NAME ASSEMBLY [INSTRUCTIONS]: the number of instructions, if Ir counts repetitions
shape() {
    $CC -g -nostdlib -static -no-pie -Wl,--build-id=none -DFLAGS=0x0c000000 "-DSHAPE=$2" -o program shapes.S || bail "shape $1"
    # shellcheck disable=SC2086
    wanted=$(./stepped $caches ./program) || bail "stepped: $wanted"
    references=$(echo "$wanted" | awk -v less="${3:-0}" '{ print $1 + $4 + $7 - less }')
    for way in --filter --no-filter; do
        is "$(differ fifo lru $way)" "$wanted
$references" "$1: --versus $way, B is least recently used"
    done
    is "$(differ lru fifo --no-filter | tail -1)" "$references" "$1: --versus --no-filter, A is"
    is "$(differ lru lru | tail -1)" "$references" "$1: --versus, both are"
    for way in yes no; do
        run --explain="shapes.S:$line" --explain-file=told --filter="$way"
        is "$(sed -n 's/^summary: //p' profile); $(explained)" "$wanted; $(in_profile)" "$1: --explain --filter=$way"
    done
    is "$(served)" "$(echo "$wanted" | awk '{ print $4, $5 - $6, $6 }')" "$1: latency"
}

shape 'a store to a page that can only be read' 'lea 0x1f80(%rbx),%rdi; mov $200,%ecx; 1: movb $0,(%rdi); inc %rdi; dec %ecx; jnz 1b'
shape 'read and write in place' 'lea 0x1f80(%rbx),%rdi; mov $200,%ecx; 1: incb (%rdi); inc %rdi; dec %ecx; jnz 1b'
shape 'the one before misses each time' 'lea 0x1fe0(%rbx),%rdi; mov %rbx,%rsi; 1: mov (%rsi),%al; mov %al,(%rdi); add $64,%rsi; inc %rdi; jmp 1b'
shape 'the one behind hits and misses' 'lea 0x1fe0(%rbx),%rdi; mov %rbx,%rsi; 1: mov %al,(%rdi); mov (%rsi),%al; lea 16(%rsi),%rsi; inc %rdi; jmp 1b'
shape 'flags live over all' 'lea 0x1f80(%rbx),%rdi; mov %rbx,%rsi; 1: mov (%rsi),%rax; adc %rax,(%rdi); adc %rax,8(%rdi); adc %rax,16(%rdi); lea 8(%rdi),%rdi; lea 24(%rsi),%rsi; jmp 1b'
shape 'over two lines and two pages' 'lea 0x1f82(%rbx),%rdi; 1: mov %eax,(%rdi); add $4,%rdi; jmp 1b'
shape 'two in an instruction: push from memory' 'lea 0x40c0(%rbx),%rdi; 1: push (%rdi); sub $8,%rdi; jmp 1b'
shape '... movs' 'lea 0x1f80(%rbx),%rdi; mov %rbx,%rsi; 1: movsb; jmp 1b'
shape 'repeated strings, in the middle' 'lea 0x1f00(%rbx),%rdi; mov %rbx,%rsi; 1: mov $24,%ecx; rep movsb; jmp 1b' 245 # 256 repetitions, 11 instructions
shape '... at their beginning' 'lea 0x1f00(%rbx),%rdi; mov %rbx,%rsi; 1: mov $32,%ecx; rep movsb; jmp 1b' 248
shape 'loads off one page, behind another load' 'lea 0x40c0(%rbx),%rdi; mov %rbx,%rsi; 1: mov (%rsi),%rax; mov (%rdi),%rax; mov (%rsi),%rdx; add $64,%rsi; sub $8,%rdi; jmp 1b'
shape 'a function that is called' 'lea 0x1f80(%rbx),%rdi; 1: call 2f; jmp 1b; 2: movb $0,(%rdi); inc %rdi; ret'
shape 'three times, each in its own place' 'lea 0x1f80(%rbx),%rdi; lea 2f(%rip),%r15; 1: movb $0,(%rdi); inc %rdi; jmp 1b; 2: lea 0x1ec0(%rbx),%rdi; lea 3f(%rip),%r15; jmp 1b; 3: lea 0x1e00(%rbx),%rdi; lea done(%rip),%r15; jmp 1b'
done_testing
