#!/bin/sh
# Traces as text: does a model in Python, which reads pc, address and size, say hit or miss of each reference as quern does; and are the texts for other
# programs those that `quern replay` reads back?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -x "$top_builddir/quern-engine" ] || bail 'there is no engine in this build'
guests=$top_builddir/tests/guest

cat >model.py <<'END'
"""Two or three levels of caches with the least recently used line as victim.  Arguments: I1, D1, L2 if there is one, LL as SIZE,WAYS,LINE; a trace
as text on stdin."""
import sys


class Cache:
    def __init__(self, text):
        size, self.ways, self.line = map(int, text.split(","))
        self.sets = [[] for _ in range(size // self.ways // self.line)]

    def touch(self, number):
        lines = self.sets[number % len(self.sets)]
        hit = number in lines
        if hit:
            lines.remove(number)
        elif len(lines) == self.ways:
            lines.pop()
        lines.insert(0, number)
        return hit

    def refer(self, address, size):
        """Each line that is touched; a hit if all of them are."""
        return all([self.touch(n) for n in range(address // self.line, (address + size - 1) // self.line + 1)])


i1, d1, *below = map(Cache, sys.argv[1:])
wrong = seen = 0
for text in sys.stdin:
    kind, pc, address, size, *said = text.split()[:5 + len(below)] + [""]
    if kind not in "irwm":
        continue
    hit = (i1 if kind == "i" else d1).refer(int(address, 16), int(size))
    wanted = ["hit" if hit else "miss"]
    for level in below:
        wanted.append("-" if hit else "hit" if level.refer(int(address, 16), int(size)) else "miss")
        hit = wanted[-1] != "miss"
    seen += 1
    if said[:-1] != wanted:
        wrong += 1
        if wrong < 4:
            print(text.rstrip(), "- the model:", *wanted)
print(seen > 1000, wrong)
END
for guest in recursion sort; do
    for caches in '512,2,32 1024,2,32 8192,4,32' '512,2,32 1024,2,32 2048,4,32 8192,4,64' '256,1,64 1024,4,64 2048,16,64'; do
        set -- $caches
        levels="--I1=$1 --D1=$2 --LL=${4:-$3}${4:+ --L2=$3}"
        "$QUERN" trace --format=text -o text $levels "$guests/$guest" >log 2>&1 || bail "no trace: $(cat log)"
        if command -v python3 >/dev/null; then
            is "$(python3 model.py "$@" <text)" 'True 0' "$guest, $caches: each reference as the model says"
        else
            absent 'no python3'
        fi
        "$QUERN" trace -o trace "$guests/$guest" || bail 'no trace'
        "$QUERN" replay $levels --outcomes=again --format=text trace >log || bail 'no replay'
        same_file again text '... and a trace that was recorded before says the same'
    done
done
# The instruction of each data reference is the fetch before it.
is "$(awk '$1 == "i" { pc = $2 } $1 ~ /^[rwm]$/ && $2 != pc { print }' text)" '' 'pc is the instruction whose fetch came before'
is "$("$QUERN" replay trace | sed -n 's/^\(I\|D\) *refs: *\([0-9,]*\).*/\2/p' | tr -d , | tr '\n' ' ')" \
    "$(awk '$1 == "i" { i++ } $1 ~ /^[rwm]$/ { d++ } END { print i, d, "" }' text)" 'as many as the summary says'
is "$("$QUERN" replay trace | sed -n 's/^Branches: *\([0-9,]*\).*/\1/p; s/^Mispredicts: *\([0-9,]*\).*/\1/p' | tr -d , | tr '\n' ' ')" \
    "$(awk '$1 == "b" || $1 == "j" || ($1 == "t" && $5 != "-") { n++; wrong += $5 == "wrong" } END { print n, wrong + 0, "" }' text)" 'and branches and mispredictions'

# ---- for other programs ----

for format in lackey din; do
    "$QUERN" trace --format=$format -o "prog.$format" "$guests/sort" || bail "no $format"
    "$QUERN" replay --branch-sim=no "prog.$format" >got 2>&1
    "$QUERN" replay --branch-sim=no trace >wanted
    if [ $format = din ]; then # it has no sizes
        sed -n '/ refs/p' wanted >less && mv less wanted
        sed -n '/ refs/p' got >less && mv less got
    fi
    same_file got wanted "$format: read back"
    "$QUERN" replay --outcomes=again --format=$format trace >log
    same_file again "prog.$format" "$format: out of a trace that was recorded before"
done
is "$(head -n 1 prog.lackey | grep -c '^I  [0-9a-f]*,[0-9]*$') $(head -n 1 prog.din | grep -c '^2 [0-9a-f]*$')" '1 1' 'their lines'
if command -v xz >/dev/null; then
    "$QUERN" trace --format=lackey --from=10 --count=5 -o part.xz "$guests/sort"
    is "$(xz -dc part.xz | grep -c '^I ')" 5 'packed by its name; a part of the run'
else
    absent 'no xz'
fi
printf '#!/bin/sh\nexit 3\n' >exits
chmod +x exits
"$QUERN" trace --format=text -o x.text ./exits
is "$? $(head -c 6 x.text)" '3 # kind' 'the status is that of the program'
"$QUERN" trace --format=text -o none ./nosuch 2>err
is "$? $(cat err) $(ls none 2>/dev/null)" '127 quern: run: ./nosuch: No such file or directory ' 'a program that is not there'
"$QUERN" replay --format=csv trace >out 2>&1
is "$? $(cat out)" "2 quern: replay: --format: got 'csv', wanted outcomes, text, lackey or din" 'what is wanted'
done_testing
