#!/bin/sh
# Is a trace for ChampSim what the program did: instructions, references, kinds of branches by ChampSim's own rule; and does quern replay
# make of it what it makes of quern's own trace?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"
guests=$top_builddir/tests/guest

# kinds BYTES FILE: instructions, addresses read and written, and branches of each kind; by the rules of ChampSim's inc/instruction.h, which look at
# registers 6 (stack pointer), 25 (flags) and 26 (instruction pointer)
kinds() {
    od -An -v -tu1 -w"$1" "$2" | awk '
        function address(from,  i) { for (i = 0; i < 8; i++) if ($(from + i)) return 1; return 0 }
        { sp = ip = flags = other = sets_sp = sets_ip = 0
          for (i = 13; i <= 16; i++) if ($i == 6) sp = 1; else if ($i == 26) ip = 1; else if ($i == 25) flags = 1; else if ($i) other = 1
          for (i = 11; i <= 12; i++) if ($i == 6) sets_sp = 1; else if ($i == 26) sets_ip = 1
          writes += address(17) + address(25); reads += address(33) + address(41) + address(49) + address(57)
          kind = !sets_ip ? 0 : !sp && !flags && !other ? "jump" : !sp && !ip && !flags ? "indirect" : !sp && ip && !sets_sp ? "cond" : \
              sp && ip && sets_sp && !flags ? (other ? "icall" : "call") : sp && !ip && sets_sp ? "return" : "none of these"
          if ((kind != 0) != $9) bad++; if (kind) n[kind]++; taken += kind == "cond" && $10 }
        END { printf "instructions %d, reads %d, writes %d\nbranches: %d conditional (%d taken), %d jumps, %d indirect jumps, %d calls, %d indirect calls, %d returns\n%s",
              NR, reads, writes, n["cond"], taken, n["jump"], n["indirect"], n["call"], n["icall"], n["return"], bad n["none of these"] }'
}

# ---- what the program did ----

for program in calls indirect flow rep; do
    guest=$guests/$program
    "$QUERN" trace --format=champsim -o t "$guest" 2>told
    is "$(kinds 64 t)" "$(cat told)" "$program: kinds and numbers are those that quern trace tells"
    "$QUERN" run --branch-sim=yes --out-file=p "$guest" 2>summary
    is "$(sed -n 's/instructions \([0-9]*\), reads \([0-9]*\), writes \([0-9]*\)/\1/p; s/branches: \([0-9]*\) cond.* \([0-9]*\) indirect jumps.* \([0-9]*\) indirect calls.*/\1 \2 \3/p' told |
        awk 'NR == 1 { ir = $1 } NR == 2 { print ir, $1, $2 + $3 }')" \
        "$(awk '/^events/ { for (i = 2; i <= NF; i++) at[$i] = i } /^summary/ { print $at["Ir"], $at["Bc"], $at["Bi"] }' p)" \
        "$program: instructions, conditional branches, indirect ones as quern run counts them"
    is "$(sed -n 's/.*reads \([0-9]*\), writes \([0-9]*\)/\1 \2/p' told)" "$(awk '/^events/ { for (i = 2; i <= NF; i++) at[$i] = i } /^summary/ { print $at["Dr"], $at["Dw"] }' p)" \
        "$program: reads and writes, too"
    "$QUERN" trace -o own "$guest"
    for sims in D1=srrip,BC=gshare D1=lru,BC=bimodal; do
        "$QUERN" replay --sim="$sims" --D1=4096,2,64 own >own.out && "$QUERN" replay --sim="$sims" --D1=4096,2,64 t >t.out
        is "$(grep -v '^LL\|^D\|^I1' t.out)" "$(grep -v '^LL\|^D\|^I1' own.out)" "$program: replay with $sims: branches as of quern's own trace"
    done
done

# ---- references: of a program whose references lie in one line each ----

guest=$guests/chase
"$QUERN" trace -q --format=champsim -o t "$guest" && "$QUERN" trace -o own "$guest"
for sims in srrip ship; do
    "$QUERN" replay --sim=D1=$sims --D1=4096,2,64 --I1=1024,2,64 own >own.out && "$QUERN" replay --sim=D1=$sims --D1=4096,2,64 --I1=1024,2,64 t >t.out
    is "$(grep '^D' t.out)" "$(grep '^D' own.out)" "chase: replay with $sims: data misses as of quern's own trace"
done

# ---- repeated string instructions: a record for each step; what has no room in a record ----

cat >steps.S <<'END'
        .globl _start
_start: lea from(%rip), %rsi
        lea to(%rip), %rdi
        mov $3, %ecx
copy:   rep movsb
        lea from(%rip), %rsi
        lea to(%rip), %rdi
        mov $2, %ecx
same:   repe cmpsw
        mov $4, %ecx
clear:  rep stosq
none:   rep lodsb
        lea from(%rip), %rdi
        movdqu all(%rip), %xmm0
scatter: maskmovdqu %xmm0, %xmm0
        mov $60, %eax
        xor %edi, %edi
        syscall
        .data
from:   .skip 64
to:     .skip 64
all:    .fill 16, 1, 0xff
END
# records SYMBOL: the addresses of each record of the instruction there, from the beginning of `from` on: written, then read
records() {
    od -An -v -tu8 -w64 steps.t | awk -v pc="$(at "$1")" -v from="$(at from)" '$1 == pc {
        line = "" ; for (i = 3; i <= 8; i++) if ($i) line = line (i < 5 ? "w" : "r") $i - from " "; printf "%s%s", n++ ? ", " : "", substr(line, 1, length(line) - 1) } END { print "" }'
}
at() { echo $((0x$(nm steps | sed -n "s/^0*\([0-9a-f]*\) . $1\$/\1/p"))); }
${CC:-cc} -static -nostdlib -o steps steps.S || bail 'no compiler'
said=$("$QUERN" trace -q --format=champsim -o steps.t ./steps 2>&1)
is "$(records copy)" 'w64 r0, w65 r1, w66 r2' 'rep movsb: a record for each step, with its own read and write'
is "$(records same)" 'r0 r64, r2 r66' 'repe cmpsw: with its two reads'
is "$(records clear)" 'w68, w76, w84, w92' 'rep stosq'
is "$(od -An -v -tu8 -w64 steps.t | awk -v pc="$(at none)" '$1 == pc' | wc -l | tr -d ' ')" 1 'no step: one record'
is "$said" '14 references were left out: a record has four reads and two writes' 'maskmovdqu writes 16 bytes one by one: the message comes with -q, too'
"$QUERN" trace -o steps.own ./steps
is "$("$QUERN" replay steps.t | grep '^[ID] *refs' | sed 's/[0-9,]* wr)//; s/^D .*(/D /')" "$("$QUERN" replay steps.own | grep '^[ID] *refs' | sed 's/[0-9,]* wr)//; s/^D .*(/D /')" \
    'replay: instructions and reads as of quern'"'"'s own trace'
for window in '3 1' '3 2' '4 9'; do
    set -- $window
    is "$("$QUERN" replay --from="$1" --count="$2" steps.t | grep '^I *refs')" "$("$QUERN" replay --from="$1" --count="$2" steps.own | grep '^I *refs')" \
        "... and instructions $1 to $(($1 + $2 - 1)), where a repeated one is one"
done

# ---- lengths, compression ----

"$QUERN" trace -q --format=champsim72 -o long "$guest"
is "$(wc -c <long)" "$(($(wc -c <t) / 64 * 72))" 'longer records'
is "$(kinds 72 long)" "$(kinds 64 t)" 'have the same in them'
"$QUERN" replay t >t.out
"$QUERN" replay long | cmp - t.out
is $? 0 'and are found out by replay'
if command -v xz >/dev/null; then
    "$QUERN" trace -q --format=champsim -o t.xz "$guest"
    is "$(xz -dc t.xz | cmp - t 2>&1)" '' 'xz, by the name of the file'
    is "$("$QUERN" replay t.xz | cmp - t.out 2>&1)" '' 'replay of xz'
    head -c 300 t.xz >cut.xz
    is "$("$QUERN" replay cut.xz 2>&1)" 'quern: replay: cut.xz: cut off: got 300 bytes, wanted the rest of what xz compressed' 'xz that was cut off'
else
    skip 'no xz' 3
fi
if command -v zstd >/dev/null; then
    "$QUERN" trace -q --format=champsim --compress=zstd -o t.z "$guest"
    is "$(zstd -qdc t.z | cmp - t 2>&1)" '' 'zstd, asked for'
    is "$("$QUERN" replay t.z | cmp - t.out 2>&1)" '' 'replay of zstd'
else
    skip 'no zstd' 2
fi

# ---- windows by instruction ----

"$QUERN" trace -q --format=champsim -o a --count=1000 "$guest"
"$QUERN" trace -q --format=champsim -o b --from=1000 "$guest"
# The last record of a window does not know what follows; the way of its branch is recorded.
is "$(cat a b | cmp - t 2>&1)" '' 'two windows are the whole'
"$QUERN" trace -q --format=champsim -o c --from=500 --count=700 "$guest"
is "$("$QUERN" replay c)" "$("$QUERN" replay --from=500 --count=700 t)" 'replay of a window, and of the trace of that window'
"$QUERN" trace -o d --from=500 --count=700 "$guest"
is "$("$QUERN" replay d)" "$("$QUERN" replay --from=500 --count=700 own)" "the same of quern's own trace"
is "$("$QUERN" replay --from=1 --count=1 d | sed -n 's/^I *refs: *//p')" 1 'a window of one instruction'

# ---- what is wrong ----

# refused STATUS TEXT WORDS...
refused() {
    wanted="$1 $2"
    shift 2
    said=$("$QUERN" "$@" 2>&1)
    is "$? $said" "$wanted" "quern $*"
}
head -c 1000 t >cut
refused 1 "quern: replay: cut:16: cut off: got 'a part of a record', wanted a whole one" replay cut
gzip -c t >t.gz
refused 1 'quern: replay: t.gz: is compressed by gzip: unpack it first, as in gzip -dc FILE | quern replay -' replay t.gz
is "$(gzip -dc t.gz | "$QUERN" replay - | cmp - t.out)" '' 'as that says'
refused 2 "quern: trace: --format: got 'pin', wanted quern, champsim, champsim72, text, lackey or din" trace --format=pin "$guest"
refused 2 "quern: trace: --count: got '1x', wanted a number" trace --count=1x "$guest"
refused 2 "quern: replay: --from: got 'x', wanted a number" replay --from=x t
refused 1 'quern: trace: /nonexistent/t: cannot create: No such file or directory' trace --format=champsim -o /nonexistent/t "$guest"
done_testing
