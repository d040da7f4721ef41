#!/bin/sh
# Is what `quern watch --predictor` plays what replays of the recorded program write (which sim/shows.sh compares with models)?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"
. "$top_srcdir/tests/unit/page/watch.inc"
command -v jq >/dev/null || absent_all 'jq is not installed' 27

cat >prog.S <<'END'
    .globl _start
    .text
_start:
    mov $40, %ebp
1:  test $1, %ebp
    jz 2f                   # every second time
    nop
2:  mov $4, %ecx
3:  dec %ecx
    jnz 3b                  # three times of four
    call *to(%rip)
    dec %ebp
    jnz 1b
    mov $60, %eax
    mov $7, %edi
    syscall
done:
    ret
    .data
to: .quad done
END
"$CC" -g -nostdlib -static -o prog prog.S || bail 'cannot assemble'

options='gshare-history=5,bits=6'
"$QUERN" watch -q --predictor=gshare:$options --predictor=perceptron:perceptron-history=3 --references=10000 -o all.html ./prog >out 2>err
is "$? $(cat out err)" '0 ' 'two predictors of a program'
"$QUERN" trace -o prog.trace ./prog
"$QUERN" replay --sim=BC=gshare,BI=btb --sim-opt=$options --watch-of=BC --watch=10000 --watch-file=gshare.csv prog.trace >/dev/null || bail 'no replay'
"$QUERN" replay --sim=BC=perceptron,BI=ras --sim-opt=perceptron-history=3 --watch-of=BC --watch=10000 --watch-file=perceptron.csv prog.trace >/dev/null ||
    bail 'no replay'

# The page's steps as the rows that they come from.
rows='. as $d | range(.steps | length) as $i | .steps[$i] as $s | .predictors[K].steps[$i] as $p |
    def list: map(tostring) | join(";");
    def words($form; $values): if ($form | length) == 0 then [] else $form[0] as [$name, $kind, $least, $most] |
        if $kind == "counter" then ["\($name)=\($values[0])>\($values[1])/\($least):\($most)"] + words($form[1:]; $values[2:])
        elif $kind == "weights" then ["\($name)=\($values[0] | list)>\(if $values[1] == 0 then $values[0] else $values[1] end | list)/\($least):\($most)"]
            + words($form[1:]; $values[2:])
        elif $kind == "bits" then ["\($name)=0b\($values[0])"] + words($form[1:]; $values[1:])
        else ["\($name)=\($values[0])"] + words($form[1:]; $values[1:]) end end;
    "\($s[0]) \($s[2]) \($s[3]) \($s[4]) \($p[0]) \(words($d.forms[$p[1]]; $p[2:]) | join(" "))"'
as_rows() { awk -F, 'NR > 1' "$1" | sed 's/,cond,/,/; s/,,/,/; s/,/ /; s/,/ /; s/,/ /; s/,/ /; s/,/ /' | while read -r n pc rest; do echo "$n $((pc)) $rest"; done; }
data "$(echo "$rows" | sed 's/\[K\]/[0]/')" all.html >got
as_rows gshare.csv >wanted
same_file got wanted 'gshare: the steps of the page are those of a replay'
data "$(echo "$rows" | sed 's/\[K\]/[1]/')" all.html >got
as_rows perceptron.csv >wanted
same_file got wanted 'perceptron: the same'
is "$(data '[(.steps | length), .kind]' all.html)" '[240,"cond"]' 'each conditional branch'
is "$(data '[.places[] | .[1]] | sort' all.html)" '[6,10,13]' 'places are lines of source'
is "$(data '. as $d | [.steps[] | select($d.places[.[1]][1] == 6) | .[3]] | .[:6]' all.html)" '[1,0,1,0,1,0]' '... and the branch of line 6 alternates'
is "$(data '.files[0].text[0][1] | map(select(test("every second"))) | length' all.html)" 1 'the source is there'

"$QUERN" watch -q --predictor=gshare:$options --line=prog.S:10 --references=6 -o line.html ./prog
is "$(data '[.steps[][0]]' line.html)" '[2,3,4,5,6,7]' '--line begins with the first branch of the line'
"$QUERN" watch -q --predictor=gshare:$options --from=9 --references=3 -o from.html --trace=prog.trace
is "$(data '[.steps[][0]]' from.html)" '[9,10,11]' 'a trace, --from and --references'
is "$(data '[.predictors[0].steps[]]' from.html)" "$(data '[.predictors[0].steps[8:11][]]' all.html)" '... predictors are what they are by then'

"$QUERN" watch -q --predictor=btb -o btb.html ./prog
is "$(data '[.kind, (.steps | length), ([.predictors[0].steps[][0]] | add)]' btb.html)" '["indirect",40,1]' 'indirect branches, of which the first is not known'
"$QUERN" watch -q --predictor=ras -o ras.html ./prog
is "$(data '[(.steps | length), ([.steps[] | select(.[3] == "return")] | length), ([.predictors[0].steps[][0]] | add)]' ras.html)" '[80,40,1]' '... and returns'
is "$(data '[.places[] | .[1]] | sort' ras.html)" '[11,18]' '... with their lines'

# ---- a program with main: its branches, not those of ld.so ----

cat >with_main.c <<'END'
int main(int argc, char **argv)
{
    volatile int sum = 0;
    for (int i = 0; i < 10 * argc; i++)
        sum += i;
    return argv[0] ? 7 : 0;
}
END
"$CC" -g -O0 -o with_main with_main.c || bail 'cannot compile'
"$QUERN" watch -q --predictor=bimodal -o main.html ./with_main >out 2>err
is "$? $(cat out err)" '0 ' 'a program with main'
is "$(data '. as $d | [.steps[] | $d.places[.[1]][1]] | [.[0], ([.[] | select(. == 4)] | length)]' main.html)" '[4,11]' 'the first branch is that of its loop'
"$QUERN" watch -q --predictor=bimodal --from=1 --references=1 -o first.html ./with_main
ok '--from=1: the first of the run, which is of ld.so' test "$(data '.steps[0][2]' first.html)" != "$(data '.steps[0][2]' main.html)"

# ---- what cannot be ----

refused 2 'no predictor' --predictor=srrip -o x.html ./prog
refused 2 'nosuch' --predictor=nosuch -o x.html ./prog
refused 2 'not with --cache' --predictor=gshare --cache=lru -o x.html ./prog
refused 2 'not with --region' --predictor=gshare --region=a -o x.html ./prog
refused 2 'no branch of this line' --predictor=gshare --line=prog.S:7 -o x.html ./prog
refused 2 'wanted FILE:LINE' --predictor=gshare --line=prog.S -o x.html ./prog
refused 127 'nobody' --predictor=gshare -o x.html ./nobody
refused 70 'bits' --predictor=gshare:bits=99 -o x.html --trace=prog.trace
refused 70 'bits' --predictor=gshare --predictor=bimodal:bits=99 -o x.html ./prog
refused 2 '--sim-opt=bogus=6: no module has this option' --predictor=gshare:bogus=6 -o x.html ./prog
refused 1 'no branches' --predictor=gshare:$options --from=9999 -o x.html --trace=prog.trace
refused 1 'the same branches' --predictor=btb --predictor=ras -o x.html --trace=prog.trace
is "$(ls -d quern-* 2>/dev/null)" "" "no scratch is left"
done_testing
