#!/bin/sh
# Do the events of modules stand beside the source lines that caused them?  A slow model works from a recording and counts
# by instruction; addr2line tells the lines.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

[ -f "$top_builddir/libquern-engine.a" ] || bail 'libquern-engine.a is not built: make'
command -v addr2line >"$SCRATCH/which" || absent_all 'addr2line (binutils) is not installed' 56
cd "$SCRATCH" || bail "no $SCRATCH"
D1=1024,2,32
$CC -std=gnu11 -O2 -I"$top_srcdir/lib" -o by_pc "$top_srcdir/tests/unit/sim/slow/by_pc.c" "$top_srcdir"/lib/trace/read.c "$top_srcdir"/lib/trace/champsim_read.c "$top_srcdir"/lib/trace/parts.c -lzstd -llzma ||
    bail 'cannot compile the slow model'

# run ENGINE OPTIONS...: ./profile of ./guest
run() {
    engine=$1
    shift
    "$QUERN" run -q --sim=./"$engine" --I1=2048,2,32 --D1=$D1 --LL=16384,4,32 --out-file=profile "$@" -- ./guest
}

# wanted MODEL: "FILE:LINE counts..." of every line, added up
wanted() {
    ./by_pc "$1" $D1 raw >pcs
    cut -d' ' -f1 pcs | addr2line -e guest | sed 's/ (disc.*//; s/.*\///' | paste -d' ' - pcs | awk '
        { key[$1]; for (i = 3; i <= NF; i++) sum[$1, i] += $i; n = NF }
        END {
            for (k in key) {
                line = k; some = 0
                for (i = 3; i <= n; i++) { line = line " " sum[k, i]; some += sum[k, i] }
                if (some) print line
            }
        }' | sort
}

# got EVENT...: the same from the profile; an event that it does not have is all zeros
got() {
    awk -v names="$*" '
        BEGIN { n = split(names, name, " ") }
        /^events:/ { for (i = 2; i <= NF; i++) column[$i] = i }
        /^fl=/ { file = $0; sub(/.*[\/=]/, "", file) }
        /^[0-9]/ { key[file ":" $1]; for (i = 1; i <= n; i++) if (name[i] in column) sum[file ":" $1, i] += $column[name[i]] }
        END {
            for (k in key) {
                line = k; some = 0
                for (i = 1; i <= n; i++) { line = line " " sum[k, i] + 0; some += sum[k, i] }
                if (some) print line
            }
        }' profile | sort
}
all='D1mr D1mw AN.compulsory AN.capacity AN.conflict D1.writebacks D1.prefetches D1.useful-prefetches D1.unused-prefetches'

# summary EVENT: its total in the profile; said EVENT: what the run printed
summary() { awk -v name="$1" '/^events:/ { for (i = 2; i <= NF; i++) if ($i == name) at = i } /^summary:/ { print $at }' profile; }
said() { sed -n "s/^==[0-9]*== $1 *\\([0-9]*\\) .*/\\1/p" "$2"; }

# programs MODEL ENGINE: on several programs
programs() {
    for program in conflict matmul sort strings rmw straddle rep masked; do
        cp "$top_builddir/tests/guest/$program" guest || bail "no guest program $program"
        run "$2"
        cp profile "profile.$program"
        # by the same engine: its name is on the program's stack, and would move it
        "$QUERN" trace -o raw --sim=./"$2" -- ./guest
        # shellcheck disable=SC2086
        is "$(got $all)" "$(wanted "$1")" "$1: events by source line, $program"
    done
}

"$QUERN" sim build --AN=3c -o 3c_lru || bail 'cannot build'
programs lru 3c_lru
ok 'a line with conflict misses is among them' sh -c "grep -q . profile.conflict && grep -q 'AN.conflict' profile.conflict"
cp profile.matmul profile
is "$(awk '/^[0-9]/ { if ($6 + $9 != $11 + $12 + $13) print }' profile)" '' 'the classes of a line add up to its misses'
run 3c_lru --quiet=no 2>err
for class in compulsory capacity conflict; do is "$(summary AN.$class)" "$(said AN.$class err)" "$class: the total printed is that of the profile"; done
"$QUERN" sim build --D1=writeback --AN=3c -o 3c_wbk && programs writeback 3c_wbk
"$QUERN" sim build --D1=nextline --AN=3c -o 3c_nxt && programs nextline 3c_nxt

# Filtered, without an analysis module: the same columns.
"$QUERN" sim build --D1=writeback -o bk || bail 'cannot build'
cp "$top_builddir/tests/guest/matmul" guest
run bk --block-max=3
got D1.writebacks >filtered
run bk --no-filter
is "$(got D1.writebacks)" "$(cat filtered)" 'writebacks, filtered and unfiltered'
ok 'are many' test "$(summary D1.writebacks)" -gt 1000

"$QUERN" run --sim=./bk --I1=2048,2,32 --D1=$D1 --LL=16384,4,32 --out-file=profile ./guest 2>err
is "$(sed -n 's/.*LL\.intensity *\([0-9.]*\) .*/\1/p' err)" "$(awk -v n="$(summary Ir)" -v fills="$(summary LL.fills)" -v back="$(summary LL.writebacks)" 'BEGIN { printf "%.3f", n / ((fills + back) * 32) }')" \
    'arithmetic intensity: instructions by byte from and to memory'
ok 'none without write-backs' sh -c '! "$0" run --out-file=other ./guest 2>&1 | grep LL.intensity' "$QUERN"

# Events of a predictor, and of a module that counts when no reference is being made.
cat >odd.c <<'END'
#include "sim/module.h"
#define PREDICTOR "odd"
#define PREDICTOR_INIT 1
#define PREDICTOR_FINISH 1
static unsigned asked, started;
static uint64_t *predicted;
static void branchsim_BC_init(const struct sim_config *c)
{
    predicted = sim_cells(2);
    sim_row(&(struct sim_term){.cells = predicted, .n = 1, .times = 1}, 1, "no {cell} %%U");
    sim_table(c->slot, "table", "which count");
    sim_row(&(struct sim_term){.cells = predicted, .n = 1, .times = 1}, 1, "odd: {all, \"so far\"}: {%%U}");
    sim_row(&(struct sim_term){.cells = predicted, .n = 2, .times = 2}, 1, "{twice}{%%U}");
    asked = sim_event(c->slot, "asked", "predictions");
    started = sim_event(c->slot, "started", "at the start");
    sim_count(started, 7);
}
static unsigned branchsim_BC_predict(uint64_t pc) { (void)pc; sim_count(asked, 1); ++*predicted; return 0; }
static void branchsim_BC_finish(void) { sim_total("BC", "end", *predicted, "in the end"); }
static void branchsim_BC_update(uint64_t pc, unsigned taken) { (void)pc, (void)taken; }
END
"$QUERN" sim build --BC=odd.c -o odd || bail 'cannot build odd'
for program in branches rep; do
    cp "$top_builddir/tests/guest/$program" guest
    for counting in exact cachegrind; do
        run odd --branch-sim=yes --counting=$counting
        is "$(got BC.asked)" "$(got Bc)" "a predictor is asked once per branch: $program, $counting"
        is "$(summary BC.asked)" "$(summary Bc)" 'also in the total'
        is "$(awk '/^fl=/ { file = $0 } /^fn=/ { fn = $0 } /^0 / { print file, fn, $NF }' profile)" 'fl=??? fn=??? 7' \
            'what no reference caused has no line'
    done
done

# Its tables
n=$(summary BC.asked)
is "$(cat profile.BC.table.csv)" "which,count,of_rows
\"all, \"\"so far\"\"\",$n,2
twice,$((2 * n)),2" 'the cells in braces are a table beside the profile'
is "$(cat profile.totals.csv)" "name,count,text,of_rows
BC.asked,$n,predictions,3
BC.started,7,at the start,3
BC.end,$n,in the end,3" 'and so are the totals'
"$QUERN" run --branch-sim=yes --counting=cachegrind --sim=./odd --out-file=profile -- ./guest 2>said
is "$(sed -n 's/^==[0-9]*== \(no\|odd\|BC.end\)/\1/p; /twice/p' said)" "no {cell} $n
odd: all, \"so far\": $n
BC.end $n  in the end" 'lines have no braces, and what is cells only is no line'

# An instruction that faults causes nothing.
cat >guest.S <<'END'
        .globl  _start
_start: mov     $buffer, %eax
        mov     $64, %ecx
1:      movl    $1, (%rax)
        add     $4096, %rax
        loop    1b
        xor     %ecx, %ecx
        mov     %eax, buffer
        movl    $1, (%rcx)
        mov     $60, %eax
        xor     %edi, %edi
        syscall
        .bss
        .balign 4096
buffer: .skip   4096*65
END
$CC -nostdlib -static -g -o guest guest.S || bail 'cannot assemble'
"$QUERN" sim build --AN=3c -o 3c_lru
(ulimit -c 0; run 3c_lru --D1=1024,1,32)
is "$(got D1mr D1mw AN.compulsory AN.capacity AN.conflict)" 'guest.S:4 0 64 64 0 0
guest.S:8 0 1 0 1 0' 'an instruction that faults causes no event'
(ulimit -c 0; run bk --D1=1024,1,32)
is "$(got D1.writebacks)" 'guest.S:4 63
guest.S:8 1' 'nor does it with a level that writes back'

# Names
# refused NAME WHAT
refused() {
    sed "s/\"asked\"/\"$1\"/" odd.c >bad.c
    "$QUERN" sim build --BC=bad.c -o bad || bail 'cannot build bad'
    run bad --branch-sim=yes >err 2>&1
    is $? 70 "$2: refused"
    ok 'and named' grep -q "sim_event.*a name needs 1 to 28 letters" err
}
refused 'two words' 'a blank in a name'
refused 'a-name-that-is-longer-than-fits' 'a name too long'
cp "$top_builddir/tests/guest/matmul" guest
run 3c_nxt
# shown COLUMN: the first number of the line of totals
shown() { "$QUERN" annotate --show="$1" profile | awk '/PROGRAM TOTALS/ { gsub(",", ""); print int($1) }'; }
is "$(shown 'x=D1.prefetches-D1.useful-prefetches')" "$(($(summary D1.prefetches) - $(summary D1.useful-prefetches)))" \
    'annotate computes with names that have dots and signs'
is "$(shown D1.useful-prefetches)" "$(summary D1.useful-prefetches)" 'and shows them'

done_testing
