#!/bin/sh
# calls.sh - quern run --calls beside Callgrind on programs of the distribution: calls and inclusive instructions of every caller and callee.
#
#   sh tests/long/calls.sh BUILD [NAME...]
#
# Both get the same environment, Valgrind's additions included, the same variants of string functions, and, by calls_place.c, the same addresses of
# heap and stack.  calls_judge.awk compares the edges; what is not equal is of one of the kinds of doc/counting.md, by what is found in the code of the
# functions, or it `differs`, and the status is 1.  Prints a line for each program; what is not equal stays in BUILD/calls/NAME.decided.
build=$(cd "${1:?usage: calls.sh BUILD [NAME...]}" && pwd) || exit 2
here=$(cd "$(dirname "$0")" && pwd) || exit 2
shift
valgrind=$(command -v valgrind.bin || command -v valgrind) || { echo 'calls.sh: valgrind is not installed' >&2; exit 2; }
preload=$(find /usr/libexec/valgrind /usr/lib/valgrind -name 'vgpreload_core-amd64-linux.so' 2>/dev/null | head -1)
mkdir -p "$build/calls" && cd "$build/calls" || exit 2
${CC:-cc} -O1 -fno-builtin -shared -fPIC -o place.so "$here/calls_place.c" -ldl || exit 2
seq 2000 >numbers
mkdir -p tree/a/b && touch tree/a/numbers
sed 's/[05]/ & /g' numbers >words

of_quern() {
    awk -F'\t' '/^#fn: / { name[n++] = $2 }
        /^#edge: / { split($0, w, " "); key = name[w[2]] "\t" name[w[4]]; c[key] += w[5]; i[key] += w[6] }
        END { for (key in c) print key "\t" c[key] "\t" i[key] }' "$1"
}

of_callgrind() {
    awk 'function name(text,   id) {
            id = text
            sub(/ .*/, "", id)
            if (text != id) known[id] = substr(text, length(id) + 2)
            return id in known ? known[id] : text
        }
        /^fn=/ { caller = name(substr($0, 4)) }
        /^cfn=/ { callee = name(substr($0, 5)) }
        calls { key = caller "\t" callee; gsub(/\047[0-9]+/, "", key); c[key] += calls; i[key] += $2; calls = 0; next }
        /^calls=/ { calls = substr($1, 7) }
        END { for (key in c) print key "\t" c[key] "\t" i[key] }' "$1" | without_stubs
}

# A function without a name that calls one other as often as it is called, one or two instructions later, is a stub.
without_stubs() {
    awk -F'\t' -v OFS='\t' '{ from[NR] = $1; to[NR] = $2; c[NR] = $3; i[NR] = $4; in_calls[$2] += $3; in_cost[$2] += $4; out[$1]++; out_calls[$1] += $3; out_cost[$1] += $4; leads[$1] = $2 }
        function stub(f,   own) {
            own = in_cost[f] - out_cost[f]
            return f ~ /^0x/ && out[f] == 1 && in_calls[f] == out_calls[f] && (own == in_calls[f] || own == 2 * in_calls[f])
        }
        END {
            for (k = 1; k <= NR; k++) {
                if (stub(from[k])) continue
                while (stub(to[k])) { i[k] -= c[k] * (in_cost[to[k]] - out_cost[to[k]]) / in_calls[to[k]]; to[k] = leads[to[k]] }
                key = from[k] OFS to[k]; calls[key] += c[k]; cost[key] += i[k]
            }
            for (key in calls) print key, calls[key], cost[key]
        }'
}

# Objects of functions, as Callgrind names them: FUNCTION<tab>FILE
objects() {
    awk 'function name(text,   id) {
            id = text
            sub(/ .*/, "", id)
            if (text != id) known[substr(key, 1, 2) id] = substr(text, length(id) + 2)
            return known[substr(key, 1, 2) id]
        }
        /^ob=/ { key = "ob"; ob = name(substr($0, 4)) }
        /^cob=/ { key = "ob"; name(substr($0, 5)) }
        /^fn=/ { key = "fn"; f = name(substr($0, 4)); gsub(/\047[0-9]+/, "", f); if (!(f in seen)) print f "\t" ob; seen[f] = 1 }
        /^cfn=/ { key = "fn"; name(substr($0, 5)) }' "$1"
}

# Compares two lists of edges; prints: KIND<tab>CALLER<tab>CALLEE<tab>what of both; "count" lines: edges compared, equal, callees.
# Symbols of an object and of its debug file: START<tab>END<tab>NAME, decimal.
symbols() {
    id=$(readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p')
    rest=${id#??}
    for file in "$1" "/usr/lib/debug/.build-id/${id%"$rest"}/$rest.debug"; do
        [ -f "$file" ] && readelf -Ws "$file" 2>/dev/null
    done | awk '$4 ~ /^(FUNC|IFUNC|NOTYPE)$/ && $7 != "UND" { size = $3 ~ /^0x/ ? 0 : $3 + 0; print $2 "\t" size "\t" $8 }' | sort -u
}

# jumps OBJECT FUNCTION: "self" if it jumps to its own first instruction; "away" if it jumps where no symbol is, or through a register or memory;
# "into" if what lies before it runs on into it.
jumps() {
    [ -f "$1" ] || return
    key=$(echo "$1" | tr / _)
    [ -f "$key.symbols" ] || symbols "$1" >"$key.symbols"
    awk -F'\t' -v f="$2" '{ n = $3; sub(/@.*/, "", n); g = f; sub(/@.*/, "", g) } n == g && $2 { print $1, $2; exit }' "$key.symbols" | {
        read -r start size || exit
        objdump -d --no-show-raw-insn --start-address=$((0x$start - 64)) --stop-address=$((0x$start + size)) "$1" 2>/dev/null |
            awk -v start="$start" -v size="$size" -v symbols="$key.symbols" '
                function number(hex,   i, n) { n = 0; hex = tolower(hex); for (i = 1; i <= length(hex); i++) n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1; return n }
                BEGIN { first = number(start); while ((getline line <symbols) > 0) { split(line, w, "\t"); if (w[2] > 0) { at[++m] = number(w[1]); end[m] = at[m] + w[2] } } }
                /^ *[0-9a-f]+:\t/ {
                    here = $1; sub(/:/, "", here); pc = number(here)
                    if (pc < first) { if ($2 !~ /^(nop|data16|xchg|cs|int3)/) before = $2; next }
                    if ($2 !~ /^j/) next
                    if ($3 ~ /^\*/) { away = 1; next }
                    to = number($3)
                    if (to == first) self = 1
                    else if (to < first || to >= first + size) { covered = 0; for (k = 1; k <= m; k++) if (to >= at[k] && to < end[k]) covered = 1; if (!covered) away = 1 }
                }
                END { if (self) print "self"; if (away) print "away"; if (before !~ /^(jmp|ret|hlt|ud2|call|$)/) print "into" }'
    }
}

# Is what the kinds say so?  What is not becomes "differs".
decide() {
    awk -F'\t' 'FILENAME == "objects" { object[$1] = $2; next } $1 == "loop" || $1 == "unnamed" || $1 == "callee" { f = $1 == "callee" ? $3 : $2; print f "\t" (f in object ? object[f] : object["_Exit"]) }' objects "$1.judged" |
        sort -u | while IFS="$tab" read -r f ob; do jumps "$ob" "$f" | sed "s|^|$f$tab|"; done >"$1.jumps"
    awk -F'\t' -v OFS='\t' 'FILENAME ~ /jumps$/ { is[$1, $2] = 1; next }
        $1 == "loop" && !is[$2, "self"] && !is[$2, "away"] || $1 == "unnamed" && !is[$2, "away"] { $1 = "differs" }
        $1 == "callee" { $1 = is[$3, "into"] && $4 + 0 > $5 + 0 ? "into" : "differs" }
        { print }' "$1.jumps" "$1.judged" >"$1.decided"
}

judge() {
AWKCALL
}
place=$PWD/place.so
failed=0
tab=$(printf '\t')
# compare NAME COMMAND...
compare() {
    name=$1
    program=$(PATH=/usr/bin:/bin command -v "$2") || { echo "$name: not installed"; return; }
    shift 2
    env="PATH=/usr/bin:/bin LC_ALL=C HOME=/ LD_BIND_NOW=1 GLIBC_TUNABLES=glibc.cpu.hwcaps=-ERMS,-FSRM,Fast_Unaligned_Load PERL_HASH_SEED=0"
    # shellcheck disable=SC2086
    env -i $env LD_PRELOAD="$place" "$valgrind" -q --tool=callgrind --vex-guest-chase=no --vex-iropt-level=0 --callgrind-out-file=callgrind \
        "$program" "$@" >/dev/null 2>log
    # shellcheck disable=SC2086
    env -i $env LD_PRELOAD="$preload:$place" "$build/quern" run -q --no-cache-sim --counting=cachegrind --cpu=x86-64-v3,+pclmulqdq --calls=yes \
        --out-file=quern -- "$program" "$@" >/dev/null 2>log.quern
    of_quern quern >q.all
    of_callgrind callgrind >c.all
    objects callgrind >objects
    awk -F'\t' -v OFS='\t' -f "$here/calls_judge.awk" objects q.all c.all >"$name.judged"
    decide "$name"
    awk -F'\t' -v name="$name" '{ n[$1]++ } $1 == "count" { edges = $2; equal = $3; callees = $4 }
        END {
            printf "%s: %d edges, %d equal, %d callees; end %d, unnamed %d, loop %d, into %d, differs %d\n", name, edges, equal, callees, n["end"], n["unnamed"],
                n["loop"], n["into"], n["differs"]
            exit n["differs"] || !equal
        }' "$name.decided" || failed=1
}

wanted=" $* "
is_wanted() { [ "$wanted" = '  ' ] || case $wanted in *" $1 "*) ;; *) false ;; esac; }
while IFS='|' read -r name words; do
    is_wanted "$name" && eval "compare $name $words" </dev/null
done <<'END'
true|true
sort|sort words
wc|wc words
cksum|cksum words
od|od -x words
tr|tr a b
uniq|uniq -c words
cut|cut -c 1-2 words
nl|nl words
tac|tac words
ls|ls -lR tree
factor|factor 600851475143 18446744073709551557
gzip|gzip -c numbers
bzip2|bzip2 -c numbers
xz|xz -T1 -c numbers
sed|sed -n 's/7/x/p' numbers
grep|grep -c 7 numbers
mawk|mawk '{ n += $1 } END { print n }' numbers
bash|bash -c 'for i in 1 2 3 4 5 6 7 8 9; do x=$x$i; done; echo ${#x}'
dash|dash -c 'for i in 1 2 3 4 5 6 7 8 9; do x=$x$i; done; echo ${#x}'
bc|bc -q numbers
perl|perl -e 'print join ",", sort map { $_ * 7 % 101 } 1 .. 100'
sqlite3|sqlite3 :memory: 'create table t(a, b); insert into t values (1, 2), (3, 4); select sum(a * b) from t'
diff|diff numbers words
END
exit $failed
