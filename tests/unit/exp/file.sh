#!/bin/sh
# Experiment files: are they read, and is each mistake named by file and line, with nothing run?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"


cat >good.exp <<'END'
# what is fixed
I1 = "32K,8,64"
LL = "1M,16,64"
D1 = "32K,{ways},64"
branch-sim = yes
options = {"bits={ways}"}

axis ways    { values = {2, 4} }
axis sim     { values = {mine, default} }
axis D1.size { from = 16K  to = 64K }   // powers of two

simulator mine { D1 = srrip  BC = "gshare"  options = {"BC.gshare-history=3"} }
program true  { command = {/bin/true, "a b", "{ways}", "{other}"} }
program false { command = {/bin/false}  input = "good.exp" }
END
"$QUERN" sweep --list good.exp >list
is "$(wc -l <list)" 24 '2 programs, 2 ways, 2 simulators, 3 sizes'
ok 'the first' grep -q "run --sim=D1=srrip,BC=gshare .*--D1=16384,2,64 .*--branch-sim=yes .*--sim-opt=bits=2,BC.gshare-history=3 .* -- /bin/true 'a b' 2 '{other}'\$" list
ok 'the last' grep -q 'run --sim=/.*/quern-engine .*--D1=65536,4,64 .*--sim-opt=bits=4 .* -- /bin/false <good.exp$' list
cat >named.exp <<'END'
axis sim { values = {lru, "D1=fifo"} }
simulator lru { D1 = fifo  options = {"D1.x=1"} }
program true { command = {/bin/true} }
END
printf 'D1 = "1024,2,64"\nprogram p { command = {cat, "-n", "-", "a  b"}  input = "in '"'"'put" }\n' >fed.exp
printf 'some words\n' >"in 'put"
printf 'other words\n' >'a  b'
"$QUERN" sweep --list fed.exp | sed "s|^quern|'$QUERN'|" >fed.sh
is "$(sh fed.sh 2>/dev/null)" '     1	some words
     2	other words' 'a command of the list reads what the sweep gives the program'
printf 'D1 = "1024,2,64"\naxis n { values = {1, 2} }\nprogram p { command = {/usr/bin/tail, "-c{n}"}  input = "a  b" }\n' >reads.exp
"$QUERN" sweep -q reads.exp -o reads.csv
ok 'a row has a hash of the input' grep -q '^[^,]*,p,/usr/bin/tail -c2,a  b,.*,fnv1a:[0-9a-f]*,ok,' reads.csv
cp reads.csv before.csv && echo more >>'a  b'
is "$("$QUERN" sweep -q reads.exp -o reads.csv 2>&1 | sed 's/fnv1a:[0-9a-f]*/HASH/')" \
    "quern: sweep: reads.csv: row 1 is of another sweep: input_hash is 'HASH'; remove the file, or name another with -o" 'an input that has changed: another sweep'
is "$(cmp reads.csv before.csv)" '' '... whose rows stay'
is "$("$QUERN" sweep . 2>&1)" 'quern: sweep: .: Is a directory' 'a folder in place of an experiment'
is "$("$QUERN" run --machine=./ true 2>&1)" 'quern: run: --machine: ./: Is a directory' '... of a machine'
is "$("$QUERN" sweep --list named.exp | grep -o -e '--sim=[^ ]*' | tr '\n' ' ')" '--sim=D1=fifo --sim=D1=fifo ' 'a simulator that has the name of another one: its modules'
is "$("$QUERN" sweep --list good.exp --LL=2M,16,64 -L seed=1,2 | grep -c 'LL=2097152,16,64')" 48 'options come on top'

# mistake 'LINE: MESSAGE' <<END ...
number=0
mistake() {
    number=$((number + 1))
    cat >"bad.exp"
    "$QUERN" sweep bad.exp -o "out$number.csv" >out 2>err
    is "$?: $(cat err)" "2: quern: sweep: bad.exp:$1" "line $1"
    ok '   nothing was run or written' test ! -e "out$number.csv" -a ! -e "out$number.csv.work" -a ! -e ran -a ! -s out
}
run='program p { command = {/usr/bin/touch, ran} }'

mistake "2: no such option 'cached'" <<END
$run
cached = yes
END
printf '%s\n\0\n' "$run" >nul
mistake '2: cannot be read, wanted settings, axes, programs and simulators' <nul
mistake '3: unexpected closing brace' <<END
$run

}
END
mistake "1: no such option 'commant'" <<END
program p { commant = {/usr/bin/touch, ran} }
END
mistake '1: program p: wanted command = {PROGRAM, ARGUMENT, ...}' <<END
program p { }
END
mistake '4: axis sim: wanted values, or from and to' <<END
$run
axis sim {
    from = 3
}
END
mistake "3: from: got 'many', wanted a size" <<END
$run
axis D1.size {
    from = many
END
mistake "4: D1.size: got '5K', wanted a last value that is not below the first" <<END
$run
axis D1.size {
    from = 16K to = 5K
}
END
mistake "4: D1: got '1000,2,64', wanted a size that is sets * ways * line" <<END
$run
axis D1 { values = {
   "1024,2,64",
   "1000,2,64"
} }
END
mistake "2: seed is given twice" <<END
seed = 1
seed = 2
$run
END
mistake "2: counting: got 'loose', wanted exact or cachegrind" <<END
$run
counting = loose
END
mistake "2: nothing has a {n} that could vary" <<END
$run
axis n { values = {1, 2} }
END
mistake "1: program './nothing': not a program" <<END
program p { command = {./nothing} }
END
mistake "1: program 'no-such-program': not in /usr/local/bin, /usr/bin or /bin" <<END
program p { command = {no-such-program} }
END
mistake "2: input 'nowhere': No such file or directory" <<END
$run
program q { command = {/bin/cat} input = nowhere }
END
mistake "3: found duplicate title 'p'" <<END
$run

program p { command = {/bin/true} }
END
mistake "3: premature end of file" <<END
$run
LL = "1M,16,64
END

echo 'program p { command = {/bin/true} } axis sim { values = {nobody} }' >bad.exp
"$QUERN" sweep bad.exp -o no.csv 2>err
is "$?: $(cat err)" '2: quern: sweep: bad.exp:1: sim=nobody: no such simulator beside quern or in its libexec, and no module' 'a simulator that is not there'
"$QUERN" sweep nowhere.exp 2>err
is "$?: $(cat err)" '2: quern: sweep: nowhere.exp: No such file or directory' 'a file that is not there'
done_testing
