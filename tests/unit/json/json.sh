#!/bin/sh
# Is the JSON of a profile, of a sweep and of the list of modules valid by doc/json.md, and does it say what the files say?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"
command -v jq >/dev/null || absent_all 'jq is not installed' 19

# valid SCHEMA FILE: "true" if it is as doc/json.md says
cat >profile.jq <<'END'
(.events | length) as $n |
.schema == "quern-profile" and .version == 1 and (.command | type == "string") and (.descriptions | all(type == "string")) and
(.events | all(type == "string")) and ((.totals | keys) == (.events | unique)) and (.totals | all(type == "number")) and
((.rows // []) | all((.file | type == "string") and (.function | type == "string") and (.line | type == "number") and
    (.counts | length == $n and all(type == "number"))))
END
cat >sweep.jq <<'END'
.schema == "quern-sweep" and .version == 1 and (.rows | length > 0 and all(type == "object" and (.status | type == "string") and (.program | type == "string") and
    (.Ir | . == null or type == "number"))) and ([.rows[] | keys] | unique | length == 1)
END
cat >modules.jq <<'END'
.schema == "quern-modules" and .version == 1 and (.slots | type == "string") and (.modules | length > 20 and all((.name, .kind, .text | type == "string") and
    (.hash | test("^[0-9a-f]{16}$")) and (.slots | length > 0 and all(IN("I1", "D1", "LL", "BC", "BI", "AN")))))
END
valid() { jq -f "$1.jq" "$2" 2>&1; }

# ---- a profile ----

"$QUERN" run -q --branch-sim=yes --dump-objects=yes --out-file=p sh -c 'echo x >said; read y <said' || bail 'no profile'
"$QUERN" json p >p.json
is "$?" 0 'a profile'
is "$(valid profile p.json)" true 'is valid'
is "$(jq -c '[.events, .command]' p.json)" \
    "$(awk '/^cmd: / { command = substr($0, 6) } /^events:/ { for (i = 2; i <= NF; i++) e = e (i > 2 ? "," : "") "\"" $i "\""; printf "[[%s],\"%s\"]", e, command }' p)" \
    'its events, its command'
is "$(jq -r '.events as $e | .totals as $t | [$e[] | $t[.]] | join(" ")' p.json)" "$(sed -n 's/^summary: //p' p)" 'its totals'
jq -r '.rows[] | [.object, .file, .function, .line, .counts[]] | map(tostring) | join("|")' p.json >rows.json
awk '/^#ob=|^ob=/ { ob = $0; sub(/^#*ob=/, "", ob) } /^fl=|^fi=|^fe=/ { fl = substr($0, 4) } /^fn=/ { fn = substr($0, 4) }
    /^events:/ { n = NF - 1 } /^[0-9]/ { line = ob "|" fl "|" fn "|" $1; for (i = 2; i <= n + 1; i++) line = line "|" ($i == "." || $i == "" ? 0 : $i); print line }' p >rows.text
is "$(cmp rows.json rows.text 2>&1; wc -l <rows.json)" "$(wc -l <rows.text)" 'its rows, each number'
is "$(jq -c '[.rows[].counts] | transpose | map(add)' p.json)" "$(jq -c '.events as $e | .totals as $t | [$e[] | $t[.]]' p.json)" \
    'rows add up to the totals'
"$QUERN" json --totals -o totals.json p
is "$? $(valid profile totals.json) $(jq -c 'has("rows")' totals.json)" '0 true false' '--totals, -o'
is "$(jq -S . totals.json)" "$(jq -S 'del(.rows)' p.json)" 'the same without rows'
printf 'desc: x \001 "\ncmd: \\ \344 \303\244\nevents: Ir\nfl=\377.c\nfn=f\n1 2\nsummary: 2\n' >odd
"$QUERN" json odd >odd.json
is "$? $(valid profile odd.json) $(jq -c '[.command, .descriptions[0], .rows[0].file]' odd.json)" \
    "0 true $(printf '["\\\\ \357\277\275 \303\244","x \\u0001 \\"","\357\277\275.c"]')" 'names that are no UTF-8, control bytes, quotes'

# ---- a sweep ----

"$QUERN" sweep -q -L sim=lru,srrip -L seed=1,2 --I1=4096,2,32 --D1=1024,2,32 --LL=65536,8,64 -o s.csv -- sh -c 'exit "$1"' 3 0
"$QUERN" json s.csv >s.json
is "$? $(valid sweep s.json)" '0 true' 'a sweep is valid'
is "$(jq -r '.rows[] | [.sim, .seed, .status, .D1_size] | map(tostring) | join(" ")' s.json)" \
    "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["sim"], $at["seed"], $at["status"], $at["D1_size"] }' s.csv)" \
    'its rows'
"$QUERN" sweep -q -L sim=lru,srrip --I1=4096,2,32 --D1=1024,2,32 --LL=65536,8,64 -o t.csv -- true
"$QUERN" json t.csv >t.json
is "$(valid sweep t.json) $(jq -r '.rows[] | [.Ir, .D1mr, .I1_miss_percent] | join(" ")' t.json)" \
    "true $(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { printf "%d %d %s\n", $at["Ir"], $at["D1mr"], $at["I1_miss_percent"] + 0 }' t.csv)" \
    'counts and rates are numbers'

# ---- modules ----

"$QUERN" sim list --json >m.json
is "$? $(valid modules m.json)" '0 true' 'the modules are valid'
is "$(jq -r '.modules[].name' m.json | sort)" "$("$QUERN" sim list | sed -n '3,$s/^  \([a-z0-9]*\) .*/\1/p' | sort)" 'those that sim list shows'
is "$(jq -r '.modules[] | select(.name == "srrip") | .hash' m.json)" "$("$QUERN" sim show srrip | sed -n 's/.*srrip.c  srrip:\([0-9a-f]\{16\}\)$/\1/p')" 'the hash that sim show has'
is "$(jq -c '[.modules[] | select(.name == "btb" or .name == "gshare" or .name == "nowa") | .slots]' m.json)" '[["D1"],["BI"],["BC"]]' 'their slots'

# ---- what is wrong ----

# refused STATUS TEXT WORDS...
refused() {
    wanted="$1 $2"
    shift 2
    said=$("$QUERN" "$@" 2>&1)
    is "$? $said" "$wanted" "quern $*"
}
head -n 20 p >cut
refused 1 "$("$QUERN" merge cut 2>&1 | sed 's/quern merge/quern json/')" json -o cut.json cut
ok 'and nothing is half-written' test ! -e cut.json
refused 1 'quern json: /nonexistent: cannot open: No such file or directory' json /nonexistent
refused 2 'quern json: --frobnicate: no such option; `quern json --help` describes it' json --frobnicate p
done_testing
