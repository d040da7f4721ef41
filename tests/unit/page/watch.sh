#!/bin/sh
# Is what `quern watch` plays what the caches did?  Each step beside a slow model of its own, their sum beside the profile.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"
. "$top_srcdir/tests/unit/page/watch.inc"
command -v jq >/dev/null || absent_all 'jq is not installed' 28

two_arrays 0

# lines FILE K: of each step of cache K its address, size, and 1 for a miss
steps() { data ".steps as \$s | .caches[$2].steps | to_entries[] | \"\\(\$s[.key][4]) \\(\$s[.key][5]) \\(.value[0] % 2)\"" "$1"; }

# model POLICY SETS WAYS: reads "address size miss", says where it is of another opinion; lines of 64 bytes.
model() {
    awk -v policy="$1" -v sets="$2" -v ways="$3" '
    function touch(line,    set, i, way, oldest) {
        set = line % sets
        for (i = 0; i < ways; i++)
            if (held[set, i] == line && (set, i) in held) { if (policy == "lru") time[set, i] = ++now; return 0 }
        oldest = 0
        for (i = 0; i < ways; i++) {
            if (!((set, i) in held)) { oldest = i; break }
            if (time[set, i] < time[set, oldest]) oldest = i
        }
        held[set, oldest] = line
        time[set, oldest] = ++now
        return 1
    }
    {
        missed = 0
        first = int($1 / 64); last = int(($1 + $2 - 1) / 64)
        for (line = first; line <= last; line++) if (touch(line)) missed = 1
        sum += missed
        if (missed != $3) { print "step " NR ": address " $1 ": " $3 ", the model has " missed; exit }
    }
    END { print NR, sum }'
}

"$QUERN" watch -q --cache=lru:1024,2,64 --cache=fifo:1024,2,64 --cache=lru:4096,4,64 --references=100000 -o all.html ./prog >out 2>err
is "$? $(cat out err)" '0 ' 'three caches, all references'
"$QUERN" run -q --D1=1024,2,64 --out-file=p ./prog || bail 'cannot run'
"$QUERN" run -q --sim=D1=fifo --D1=1024,2,64 --out-file=q ./prog || bail 'cannot run'
sums() { awk '/^events:/ { for (i = 2; i <= NF; i++) at[$i] = i } /^summary:/ { print $at["Dr"] + $at["Dw"], $at["D1mr"] + $at["D1mw"] }' "$1"; }
is "$(steps all.html 0 | model lru 8 2)" "$(sums p)" 'lru: each step as the model has it, in sum as the profile'
is "$(steps all.html 1 | model fifo 8 2)" "$(sums q)" 'fifo: the same'
is "$(steps all.html 2 | model lru 16 4 | cut -d' ' -f1)" "$(sums p | cut -d' ' -f1)" 'lru of another size: each step as the model has it'
is "$(data '[.caches[] | [.sets, .ways, .line]]' all.html)" '[[8,2,64],[8,2,64],[16,4,64]]' 'sets, ways, lines'
is "$(data '[.steps[0][0], (.steps | length)]' all.html)" "[1,$(sums p | cut -d' ' -f1)]" 'from the first reference to the last'
is "$(data '[.steps[:3][] | .[3]]' all.html)" '["read","modify","write"]' 'a read, a modify, a write'
is "$(data '[.places[] | select(.[1] > 0) | .[1]] | sort | unique' all.html)" '[9,10,11]' 'places are lines of source'

# Who leaves, of a cache in which the order of its lines is shown: the last of the row before.
wrong='[.caches[0].steps[] | .[1:][] | select(.[1] == 0 and .[3] >= 0 and (.[4] | type) == "array") | select(.[3] != .[4][-1])] | length'
is "$(data "$wrong" all.html)" 0 'the victim is the line used longest ago'
ok 'there are victims' test "$(data '[.caches[0].steps[] | .[1:][] | select(.[3] >= 0)] | length' all.html)" -gt 50

"$QUERN" watch -q --cache=lru:1024,2,64 --from=7 --references=5 -o few.html ./prog
is "$(data '[.steps[][0]]' few.html)" '[7,8,9,10,11]' '--from and --references'
is "$(data '[.caches[0].steps[][0] % 2]' few.html)" "$(data '[.caches[0].steps[6:11][][0] % 2]' all.html)" '... the cache is what it is by then'
"$QUERN" watch -q --cache=lru:1024,2,64 --line=prog.S:11 --references=4 -o line.html ./prog
is "$(data '.steps[0][0]' line.html)" 3 '--line begins where the line refers to data first'
"$QUERN" watch -q --references=2 -o again1.html ./prog && "$QUERN" watch -q --references=2 -o again2.html ./prog
same_file again1.html again2.html 'the same program, the same page'
ok 'requests are forbidden by the page itself' grep -q "Content-Security-Policy\" content=\"default-src 'none'" all.html

# ---- a region, and names of variables ----

cat >region.c <<'END'
#include <quern.h>
double first[64], second[64];
int main(void)
{
    for (int i = 0; i < 64; i++)
        first[i] = i;
    QUERN_REGION_BEGIN("sum");
    for (int i = 0; i < 64; i++)
        second[i] += first[i];
    QUERN_REGION_END("sum");
    return 0;
}
END
"$CC" -g -O1 -fno-tree-vectorize -I"$top_srcdir/include" -o region region.c || bail 'cannot compile'
"$QUERN" watch -q --region=sum --references=60 -o region.html ./region || bail 'no page'
is "$(data '. as $d | [.steps[] | select($d.places[.[1]][1] == 9)] | [length >= 58, (.[0][0] - $d.steps[0][0] < 3)]' region.html)" '[true,true]' \
    '--region begins where the region begins'
is "$(data '[.objects[] | select(. == "first" or . == "second")] | sort' region.html)" '["first","second"]' 'lines have the names of variables'
named='. as $d | [.steps[] | select($d.places[.[1]][1] == 9) | .[4]] | unique | .[0] as $low | [$d.lines[] | select(.[0] <= $low and $low < .[0] + 64)][0][1] | $d.objects[.]'
symbol=$(nm region | awk '$3 == "first" || $3 == "second" { print $1, $3 }' | sort | awk 'NR == 1 { print $2 }')
is "$(data "$named" region.html)" "$symbol" '... as the symbol table has them'

# Without a word of where to begin: in main, not in ld.so.
echo 'static int table[100]; int main(void) { for (int i = 0; i < 100; i++) table[i] += i; return 0; }' >main.c
$CC -O1 -g -o main main.c || bail 'cannot compile main'
"$QUERN" watch -q --references=100 -o main.html ./main
is "$(data '. as $d | [.steps[] | $d.places[.[1]] | tostring | test("main.c")] | [length, all]' main.html)" '[100,true]' 'the first step is in main'
"$QUERN" watch -q --references=3 --from=1 -o start.html ./main
is "$(data '. as $d | [.steps[] | $d.places[.[1]] | tostring | test("main.c")] | any' start.html)" false '... with --from=1 in ld.so'
strip -o stripped main
"$QUERN" watch -q --references=3 -o stripped.html ./stripped
is "$? $(data '.steps | length' stripped.html)" '0 3' '... without names at the beginning'

# ---- what cannot be ----

refused 2 'size: got 1000' --cache=lru:1000,2,64 -o x.html ./prog
refused 2 'nosuch' --cache=nosuch -o x.html ./prog
refused 127 'nobody' -o x.html ./nobody
"$QUERN" watch -o x.html ./nobody >said 2>&1
is "$? $(cat said)" '127 quern: run: ./nobody: No such file or directory' '... and no run is announced'
refused 2 'not with --region' --region=sum --from=3 -o x.html ./prog
refused 1 'no references' --region=none -o x.html ./prog
refused 2 'references' --references=0 -o x.html ./prog
refused 1 'no/such' -o no/such/x.html ./prog
refused 2 'prog.S:1' --line=prog.S:1 -o x.html ./prog

# Ten thousand steps of a real program.
"$QUERN" watch -q --cache=lru:32768,8,64 --references=10000 -o big.html "$(command -v ls)" / >out 2>err
is "$? $(data '.steps | length' big.html)" '0 10000' 'ten thousand steps'
ok 'are less than two megabytes' test "$(wc -c <big.html)" -lt 2000000
done_testing
