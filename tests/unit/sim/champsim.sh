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

for program in calls indirect flow; do
    guest=$guests/$program
    "$QUERN" trace --format=champsim -o t "$guest" 2>told
    is "$(kinds 64 t)" "$(cat told)" "$program: kinds and numbers are those that quern trace tells"
    "$QUERN" run --branch-sim=yes --out-file=p "$guest" 2>summary
    is "$(sed -n 's/instructions \([0-9]*\), reads \([0-9]*\), writes \([0-9]*\)/\1/p; s/branches: \([0-9]*\) cond.* \([0-9]*\) indirect jumps.* \([0-9]*\) indirect calls.*/\1 \2 \3/p' told |
        awk 'NR == 1 { ir = $1 } NR == 2 { print ir, $1, $2 + $3 }')" \
        "$(awk '/^events/ { for (i = 2; i <= NF; i++) at[$i] = i } /^summary/ { print $at["Ir"], $at["Bc"], $at["Bi"] }' p)" \
        "$program: instructions, conditional branches, indirect ones as quern run counts them"
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
refused 2 "quern: trace: --format: got 'pin', wanted quern, champsim, champsim72 or records" trace --format=pin "$guest"
refused 2 "quern: trace: --count: got '1x', wanted a number" trace --count=1x "$guest"
refused 2 "quern: replay: --from: got 'x', wanted a number of instructions" replay --from=x t
refused 1 'quern: trace: /nonexistent/t: cannot create: No such file or directory' trace --format=champsim -o /nonexistent/t "$guest"
done_testing
