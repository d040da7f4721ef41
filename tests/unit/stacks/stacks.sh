#!/bin/sh
# Paths of calls in the formats of other tools: `quern convert --to=folded|speedscope|pprof`, of a tree that is written by hand, one whose
# names are hostile, and one of 3,000 nodes. Referees: jq (the rules of speedscope's schema), protoc.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

tab=$(printf '\t')
# Nodes come in an order that is not depth first; g's own cost in the root is 0.
cat >p <<END
cmd: ./demo "x"
events: Ir D1mr Dr
fl=/src/demo.c
fn=main
17 1000 12 0
summary: 1000 12 0
#calls: 3 0 6
#call-events: Ir D1mr Dr
#ob: /src/demo
#fn: /src/demo.c${tab}main
#inclusive: 1 1000 12 0
#fn: /src/demo.c${tab}f(int; char*)
#inclusive: 3 670 8 0
#ob: ???
#fn: ???${tab}g
#inclusive: 3 200 0 0
#node: -1 0 1 300 4 0
#node: 0 1 1 500 8 0
#node: 0 2 1 0 0 0
#node: 1 2 1 70 0 0
#node: 2 1 1 100 0 0
#node: -1 2 1 30 0 0
END
"$QUERN" convert --to=folded p >got
cat >wanted <<'END'
main 300
main;f(int, char*) 500
main;f(int, char*);g 70
main;g;f(int, char*) 100
g 30
END
same_file got wanted 'folded: paths with a cost, depth first'
is "$("$QUERN" convert --to=folded --event=D1mr p)" 'main 4
main;f(int, char*) 8' 'folded: of another event'
"$QUERN" convert --to=folded --event=Dw p >out 2>err
is "$? $(cat err)" '1 quern convert: p: --event: got `Dw`, wanted one of Ir D1mr Dr' 'no such event'
"$QUERN" convert --to=pprof --event=Ir p >out 2>err
is "$?" 2 'pprof has all events'
sed 's/^#calls: 3 0 6/#calls: 3 0 0/; /^#node/d' p >none
for format in folded speedscope pprof; do
    "$QUERN" convert --to=$format none >out 2>err
    is "$? $(cat err)" '1 quern convert: none: paths of calls are not known; `quern run --calls=paths` writes them into the profile' "$format: no paths"
done
sed 's/^#node: 1 2 1 70/#node: 1 2 1 -70/' p >minus
for format in folded speedscope pprof; do
    rm -f none.out
    "$QUERN" convert --to=$format -o none.out minus >out 2>err
    is "$? $(cat err) $(ls none.out 2>&-)" '1 quern convert: minus: costs of paths: got -70, wanted none below 0: a profile, not a difference ' "$format: a difference"
done
sed 's/^#node: -1 0 1 300/#node: -1 0 1 9007199254740993/' p >large
"$QUERN" convert --to=speedscope large >out 2>err
is "$? $(cat err)" '1 quern convert: Ir is beyond 2^53: speedscope cannot add it up exactly' 'speedscope: sums that JavaScript does not have'
is "$("$QUERN" convert --to=folded large | head -n 1)" 'main 9007199254740993' 'folded: any sum'

# ---- a tree of 3,000 nodes, 50 deep, and hostile names ----

awk -v tab="$tab" 'BEGIN {
    print "cmd: ./big"; print "events: Ir D1mr"; print "fl=a.c"; print "fn=f0"
    seed = 7
    for (i = 0; i < 3000; i++) {
        seed = (seed * 1103515245 + 12345) % 2147483648
        parent[i] = i < 50 ? i - 1 : int(seed / 65536) % i; depth[i] = i ? depth[parent[i]] + 1 : 1
        if (depth[i] > 50) { parent[i] = 0; depth[i] = 2 }
        fn[i] = int(seed / 256) % 300; ir[i] = int(seed / 1024) % 5000; miss[i] = i % 7 ? 0 : i % 100
        irs += ir[i]; misses += miss[i]
    }
    print "1", irs, misses; print "summary:", irs, misses
    print "#calls: 300 0 3000"; print "#call-events: Ir D1mr"
    for (i = 0; i < 300; i++) { print "#fn: a.c" tab "f" i; print "#inclusive: 1 0 0" }
    for (i = 0; i < 3000; i++) print "#node:", parent[i], fn[i], 1, ir[i], miss[i]
}' >big
# By brute force: each path from its nodes.
awk 'BEGIN { n = 0 } /^#node/ { path[n] = ($2 < 0 ? "" : path[$2] ";") "f" $3; if ($5) print path[n], $5; n++ }' big | LC_ALL=C sort >wanted
"$QUERN" convert --to=folded big | LC_ALL=C sort >got
same_file got wanted 'folded: 3,000 nodes'
sed "s/${tab}f1\$/${tab}a\"b\\\\c<\/script>/; s/${tab}f2\$/${tab}$(printf '\377\303\244 \342\202')/" big >hostile

# ---- speedscope ----

if ! command -v jq >where; then
    absent 'jq is not installed' 5
else
    # The rules of file-format-schema.json for files of sampled profiles.
    cat >rules.jq <<'END'
def text: type == "string"; def whole: type == "number" and . >= 0 and floor == .;
(.["$schema"] == "https://www.speedscope.app/file-format-schema.json")
and ((keys - ["$schema", "activeProfileIndex", "exporter", "name", "profiles", "shared"]) == [])
and (.exporter | text) and (.name | text) and (.activeProfileIndex | whole) and .activeProfileIndex < (.profiles | length)
and (.shared | keys == ["frames"]) and (.shared.frames | type == "array")
and ([.shared.frames[] | (.name | text) and ((keys - ["col", "file", "line", "name"]) == []) and (.file == null or (.file | text))] | all)
and (.profiles | type == "array" and length > 0)
and ((.shared.frames | length) as $frames | [.profiles[] | .type == "sampled" and (.name | text)
    and (.unit | IN("bytes", "microseconds", "milliseconds", "nanoseconds", "none", "seconds"))
    and (keys == ["endValue", "name", "samples", "startValue", "type", "unit", "weights"])
    and .startValue == 0 and (.endValue | whole) and (.weights | add // 0) == .endValue and (.samples | length) == (.weights | length)
    and ([.weights[] | whole] | all) and ([.samples[] | type == "array" and length > 0 and ([.[] | whole and . < $frames] | all)] | all)] | all)
END
    for profile in p big hostile; do
        "$QUERN" convert --to=speedscope $profile >$profile.json
        is "$(jq -f rules.jq $profile.json 2>&1)" true "speedscope: $profile keeps the schema's rules"
    done
    # Folded stacks out of it are those that quern writes.
    jq -r '.shared.frames as $f | .profiles[] | select(.name == "D1mr") | [.samples, .weights] | transpose[] | "\(.[0] | map($f[.].name) | join(";")) \(.[1])"' big.json >got
    "$QUERN" convert --to=folded --event=D1mr big >wanted
    same_file got wanted 'speedscope: the same stacks'
    is "$(jq -c '[.name, [.profiles[].name], [.profiles[].endValue], .shared.frames[1:][]]' p.json)" \
        '["./demo \"x\"",["Ir","D1mr"],[1000,12],{"name":"f(int; char*)","file":"/src/demo.c"},{"name":"g"}]' 'speedscope: names, and the events that were counted'
fi

# ---- pprof ----

if ! command -v protoc >where; then
    absent 'protoc is not installed' 4
    done_testing
fi
# decode FILE: as text; it is packed if quern has libdeflate.
decode() {
    { gzip -dc <"$1" 2>/dev/null || cat "$1"; } | protoc --proto_path="$top_srcdir/tests/unit/stacks" --decode=Profile pprof.proto
}
"$QUERN" convert --to=pprof -o p.pb p
decode p.pb | tr -s ' \n' ' ' | sed 's/ $//; s/ \([a-z_]*\) {/\n\1 {/g; s/ \(string_table\|comment\|default\)/\n\1/g' >got
cat >wanted <<'END'
sample_type { type: 1 unit: 2 }
sample_type { type: 3 unit: 2 }
sample_type { type: 4 unit: 2 }
sample { location_id: 1 value: 300 value: 4 value: 0 }
sample { location_id: 2 location_id: 1 value: 500 value: 8 value: 0 }
sample { location_id: 3 location_id: 2 location_id: 1 value: 70 value: 0 value: 0 }
sample { location_id: 2 location_id: 3 location_id: 1 value: 100 value: 0 value: 0 }
sample { location_id: 3 value: 30 value: 0 value: 0 }
mapping { id: 1 filename: 10 has_functions: true }
location { id: 1 mapping_id: 1
line { function_id: 1 } }
location { id: 2 mapping_id: 1
line { function_id: 2 } }
location { id: 3
line { function_id: 3 } }
function { id: 1 name: 6 system_name: 6 filename: 7 }
function { id: 2 name: 8 system_name: 8 filename: 7 }
function { id: 3 name: 9 system_name: 9 }
string_table: ""
string_table: "Ir"
string_table: "count"
string_table: "D1mr"
string_table: "Dr"
string_table: "./demo \"x\""
string_table: "main"
string_table: "/src/demo.c"
string_table: "f(int; char*)"
string_table: "g"
string_table: "/src/demo"
comment: 5
default_sample_type: 1
END
is "$(cat got)" "$(cat wanted)" 'pprof: all of it'
for profile in big large; do
    "$QUERN" convert --to=pprof -o $profile.pb $profile
    is "$(decode $profile.pb | awk '/^sample \{/ { first = 1; n++ } /^  value:/ && first { sum += $2; first = 0 } END { printf "%d %.0f", n, sum }')" \
        "$(awk '/^#node/ && $5 + $6 { n++ } /^#node/ { sum += $5 } END { printf "%d %.0f", n, sum }' $profile)" "pprof: $profile, samples and their sum"
done
"$QUERN" convert --to=pprof -o hostile.pb hostile
ok 'pprof: any bytes in names' sh -c "{ gzip -dc <hostile.pb || cat hostile.pb; } | protoc --decode_raw >raw"
done_testing
