#!/bin/sh
# Is every kind of JSON that quern writes valid by doc/quern.schema.json, as python3-jsonschema reads it; does --json say what the table says?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
schema=$top_srcdir/doc/quern.schema.json
python3 -c 'import jsonschema' 2>/dev/null || absent_all 'python3-jsonschema is not installed' 55
command -v jq >/dev/null || absent_all 'jq is not installed' 55
cd "$SCRATCH" || bail 'no scratch'

cat >validate.py <<'END'
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft7Validator.check_schema(schema)
for name in sys.argv[2:]:
    document = json.load(open(name))
    # the branch of its own kind says more than "not valid under any"
    kind = document.get("schema", "")[6:]
    error = jsonschema.exceptions.best_match(jsonschema.Draft7Validator(schema).iter_errors(document))
    if error and kind in schema["definitions"]:
        error = jsonschema.exceptions.best_match(jsonschema.Draft7Validator(dict(schema["definitions"][kind], definitions=schema["definitions"])).iter_errors(document)) or error
    print("%s %s" % (document.get("schema"), "valid" if not error else error.message[:200]))
END
# valid KIND FILE DESCRIPTION: asked at the end, of all at once; python takes its time to begin
: >asked
valid() { printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>asked; }

cat >prog.c <<'END'
static volatile long a[512];
__attribute__((noinline)) static void fill(int n) { int i; for (i = 0; i < 512; i++) a[i] += n; }
int main(int argc, char **argv) { int i; (void)argv; for (i = 0; i < 3 + argc; i++) fill(i); return 0; }
END
$CC -g -O1 -o prog prog.c || bail 'cannot compile'
"$QUERN" run -q --branch-sim=yes --dump-objects=yes --out-file=a ./prog && "$QUERN" run -q --branch-sim=yes --out-file=b ./prog more || bail 'no profile'

"$QUERN" json a >profile.json
valid profile profile.json 'json of a profile'
"$QUERN" json --totals a >totals.json
valid profile totals.json 'without rows'
"$QUERN" csv --json a >csv.json
valid table csv.json 'csv --json'
is "$(jq -r '[.rows[].Ir] | add' csv.json)" "$(jq .totals.Ir profile.json)" 'its Ir are those of the profile'
is "$(jq -r '.columns | join(",")' csv.json)" "$("$QUERN" csv --crlf=no a | head -n 1)" 'its columns those of the CSV'
"$QUERN" csv --json --by=program -o program.json a b
valid table program.json 'csv --json --by=program -o, of two profiles'
is "$(jq '.rows | length' program.json)" 2 'a row for each'
"$QUERN" csv --crlf=no a >a.csv
"$QUERN" csv --json --to-profile a.csv >back.json
valid profile back.json 'csv --json --to-profile'
printf ' L 1000,8\n S 1010,4\n L 5000,8\nI 400000,4\n' | sed 's/^I /I  /' >lackey
"$QUERN" replay --json --sim=AN=3c --D1=1024,1,32 lackey >replay.json
valid replay replay.json 'replay --json'
is "$(jq -c '[.totals.Dr, .totals.Dw, .totals.D1mr, .totals.D1mw, .totals.Ir]' replay.json) $(jq -r '.counts[] | "\(.name) \(.count)"' replay.json | tr '\n' ' ')" \
    '[2,1,2,0,1] AN.compulsory 2 AN.capacity 0 AN.conflict 0 ' 'its counts'
"$QUERN" replay --json lackey 2>err >&-
is "$? $(cat err)" '1 quern replay: standard output: cannot write: Bad file descriptor' 'a standard output that is closed'
"$QUERN" replay --json nothing >none.json 2>err
is "$? $(cat none.json)" '1 ' 'of no trace nothing'
"$QUERN" merge --json a b >merge.json
valid profile merge.json 'merge --json'
"$QUERN" merge -o m a b
is "$(jq -c .totals merge.json)" "$("$QUERN" json --totals m | jq -c .totals)" 'says what merge writes'
"$QUERN" diff --json a b >diff.json
valid profile diff.json 'diff --json'
is "$(jq '[.rows[].counts[0]] | add' diff.json)" "$(($("$QUERN" json --totals b | jq .totals.Ir) - $(jq .totals.Ir profile.json)))" 'its rows add up to the difference'
"$QUERN" annotate --json a >annotate.json
valid table annotate.json 'annotate --json'
is "$(jq -r '.rows[] | select(.function == "fill") | .Dw' annotate.json)" \
    "$("$QUERN" csv --by=function --crlf=no --metadata=no a | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["function"] == "fill" { print $at["Dw"] }')" 'has the function'
"$QUERN" annotate --json --by=line --show=Ir,Dw a >lines.json
valid table lines.json 'annotate --json --by=line --show'
is "$("$QUERN" annotate --json --sort=Ir a 2>&1; "$QUERN" annotate --json nothing 2>&1)" 'quern annotate --json: --sort=Ir: no such option; `quern csv --help` describes it
quern annotate --json: nothing: cannot open: No such file or directory' '... whose messages are its own'
is "$(jq -r '.columns[-2:] | join(" ")' lines.json)" 'Ir Dw' 'with these events'
"$QUERN" sweep -q --json -L sim=lru,srrip --I1=4096,2,32 --D1=1024,2,32 --LL=65536,8,64 -o s.csv -- ./prog >sweep.json
valid sweep sweep.json 'sweep --json'
is "$(jq '.rows | length' sweep.json)" 2 'with all rows'
"$QUERN" sim list --json >modules.json
valid modules modules.json 'sim list --json'
"$QUERN" trace -o t -- ./prog && "$QUERN" trace --info t --json >trace.json
valid trace trace.json 'trace --info --json'
is "$(jq -r '"parts \(.parts), instructions \(.instructions), references \(.references)"' trace.json)" "$("$QUERN" trace --info t | head -n 1)" 'what trace --info says'
"$QUERN" run -q --D1=1024,2,32 --explain=prog.c:2 --explain-first=3 --explain-every=900 --explain-file=why.json --out-file=/dev/null ./prog
"$QUERN" run -q --D1=1024,2,32 --explain=prog.c:2 --explain-first=3 --explain-every=900 --explain-file=why.text --out-file=/dev/null ./prog
valid explanation why.json 'run --explain-file=FILE.json'
is "$(jq -r '.explained[0] | "\(.references) references: \(.hits) hits, \(.misses) misses (\(.LL_misses) of them miss the LL, too): \(.classes.compulsory) compulsory, \(.classes.capacity) capacity, \(.classes.conflict) conflict."' why.json)" \
    "$(grep '^[0-9]* references: ' why.text)" 'says how many, as the sentences do'
is "$(jq -r '.explained[0].accesses[] | "reference \(.nth) of this line, \(.reference) of the run: \({read: "reads", write: "writes", modify: "reads and writes"}[.kind]) \(.bytes) bytes at \(.address), by the instruction at \(.pc)", (.lines[] | "set \(.set), tag \(.tag): \(if .hit then "a hit" else "a miss" end)")' why.json)" \
    "$(sed -n 's/^    *\(reference [0-9]* of this.*\)/\1/p; s/^    *\(set [0-9]*, tag [0-9a-f]*: a [a-z]*\).*/\1/p' why.text)" 'and of each access the same'
is "$(jq -r '.explained[0].evicted_by[] | "\(.lines)  \(.place)"' why.json)" "$(sed -n '/^What it missed/,/^The first/s/^ *\([0-9]*  [^ ]*\)$/\1/p' why.text)" 'and who evicted'

printf 'student,points,1\nada,10,10\n' >marks.csv
"$QUERN" json marks.csv >marks.json
valid table marks.json 'json of another table'

# A run that waits for a byte.
cat >waits.c <<'END'
#include <unistd.h>
int main(void) { char byte; write(1, "\n", 1); return read(0, &byte, 1) != 1; }
END
$CC -O1 -o waits waits.c && mkfifo in out || bail 'cannot compile'
"$QUERN" run -q --out-file=/dev/null ./waits <in >out &
run=$!
exec 5>in 6<out
read -r line <&6
pid=$("$QUERN" ctl $run status | sed -n 's/^pid: //p')
while kill -0 "$pid" && [ "$(sed 's/.*) //; s/ .*//' "/proc/$pid/stat")" != S ]; do :; done
"$QUERN" ctl --json $run status >status.json
"$QUERN" ctl $run status >status
"$QUERN" ctl --json $run dump >err 2>&1
is "$? $(cat err)" "2 quern ctl: --json: wanted status, which alone has it; \`quern ctl --help\` describes it" 'ctl dump has no --json'
echo >&5
wait $run
valid status status.json 'ctl status --json'
is "$(jq -r '"pid: \(.pid)", "command: \(.command)"' status.json)" "$(sed '/^seconds/,$d' status)" 'says what ctl status says'
is "$(jq -r '.totals | to_entries[] | "\(.key): \(.value)"' status.json)" "$(sed '1,/^instructions/d' status)" 'event by event'
is "$(jq '.seconds >= 0 and .instructions_per_second > 0' status.json)" true 'with its speed'

# A lab: one test of it, on what the work begins with and on nothing; the name of a student is text.
mkdir class
"$QUERN" lab start --seed=1 1 class/007 >/dev/null || bail 'no lab'
printf '#include <stdio.h>\nint main(void) { puts("\\303\\244\\377\\"\\033"); return 0; }\n' >class/007/csim.c
"$QUERN" lab check --case-seed=7 --only=small 1 class/007 >tap
tap=$?
"$QUERN" lab check --json --case-seed=7 --only=small 1 class/007 >lab.json
is $? $tap 'lab check --json: the exit status of lab check'
valid lab lab.json 'and a document'
is "$(jq -r '.tests[] | "\(if .passed then "" else "not " end)ok \(.number) - \(.name) (\(.points) of \(.of) points)"' lab.json)" "$(grep -E '^(not )?ok' tap)" \
    'which says of each test what TAP says'
is "$(jq -r '.tests[].remarks[]' lab.json)" "$(sed -n '/^not ok/,$s/^# //p' tap | sed '$d' | LC_ALL=C sed "s/$(printf '\377')/$(printf '\357\277\275')/g")" \
    'with its remarks, as UTF-8'
is "$(jq -r '"\(.points) of \(.of) points"' lab.json)" "$(sed -n '$s/^# //p' tap)" 'and the points'
"$QUERN" lab check --json 1 class/nobody >broken.json 2>err
is "$? $(jq -r .broken broken.json)" '3 there is nothing to check' 'a folder that is not there'
valid lab broken.json 'is a document, too'
"$QUERN" lab marks --json 1 class >class.json
valid table class.json 'lab marks --json'
"$QUERN" lab marks 1 class >marks.csv
is "$(jq -r '(.columns | join(",")), (.columns as $c | .rows[] | [.[$c[]]] | join(","))' class.json)" "$(cat marks.csv)" 'says what lab marks says'
is "$(jq -c '[.rows[].student]' class.json)" '["007"]' 'a name is text, whatever it looks like'

# Of pictures their data.
"$QUERN" plot --json top a >top.json
valid table top.json 'plot --json top'
is "$(jq -r '.rows[] | select(.function == "fill") | .["D1mr+D1mw"]' top.json)" \
    "$("$QUERN" json a | jq '(.events | index("D1mr")) as $r | (.events | index("D1mw")) as $w | [.rows[] | select(.function == "fill") | .counts[$r] + .counts[$w]] | add')" \
    'says what the profile says'
"$QUERN" plot --json curve --x=D1_size --y=D1mr -o curve.json s.csv
valid table curve.json 'plot --json curve -o'
is "$(jq -c '.rows' curve.json)" "$("$QUERN" json s.csv | jq -c '[{D1_size: .rows[0].D1_size, lru: .rows[0].D1mr, srrip: .rows[1].D1mr}]')" 'says what the sweep says'
is "$("$QUERN" plot --json flame a 2>&1; echo $?)" "quern plot: flame: --json: wanted another kind; this one has no table; \`quern plot --help\` describes it
2" 'a flame graph has none'
ok 'no picture' test ! -e curve.svg -a ! -e top.svg -a ! -e curve.gp -a ! -e table.svg

# shellcheck disable=SC2046 # names without blanks
python3 validate.py "$schema" $(cut -f2 asked) >verdicts 2>&1
tab=$(printf '\t')
while IFS=$tab read -r kind file what; do
    read -r verdict <&3
    is "$file: $verdict" "$file: quern-$kind valid" "$what: valid"
done <asked 3<verdicts

# What is not valid is found.
jq '.totals.Ir = "many"' profile.json >bad.json
is "$(python3 validate.py "$schema" bad.json)" "quern-profile 'many' is not of type 'integer'" 'the validator finds a count that is none'
jq '.version = 2' profile.json >bad.json
is "$(python3 validate.py "$schema" bad.json | sed 's/.*profile //')" '1 was expected' 'and another version'
is "$("$QUERN" csv --json absent 2>&1)" "$("$QUERN" csv absent 2>&1)" 'a profile that is not there: the same message'
ok 'and nothing is left behind' test -z "$(find . -name 'quern-json*' -o -name 'quern-marks*')"
done_testing
