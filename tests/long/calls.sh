#!/bin/sh
# calls.sh - quern run --calls beside Callgrind on programs of the distribution: calls and inclusive instructions of every caller and callee.
#
#   sh tests/long/calls.sh BUILD [NAME...]
#
# Both get the same environment, Valgrind's additions included, and the same variants of string functions.  What is left out is counted:
#   linker    the caller is of the dynamic linker, which asks for the processor first, and Valgrind shows another one
#   unnamed   one of both has no name in one of the two; stubs of a PLT, which Callgrind has as functions, are put together with what they lead to
# Prints a line for each program; the edges that differ stay in BUILD/calls/NAME.differ.  The status is 1 if an edge differs for which no reason of
# doc/counting.md is given below: `place`, `loop`, `unnamed`.
build=$(cd "${1:?usage: calls.sh BUILD [NAME...]}" && pwd) || exit 2
shift
valgrind=$(command -v valgrind.bin || command -v valgrind) || { echo 'calls.sh: valgrind is not installed' >&2; exit 2; }
preload=$(find /usr/libexec/valgrind /usr/lib/valgrind -name 'vgpreload_core-amd64-linux.so' 2>/dev/null | head -1)
mkdir -p "$build/calls" && cd "$build/calls" || exit 2
seq 2000 >numbers
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
                if (stub(to[k])) { i[k] -= c[k] * (in_cost[to[k]] - out_cost[to[k]]) / in_calls[to[k]]; to[k] = leads[to[k]] }
                key = from[k] OFS to[k]; calls[key] += c[k]; cost[key] += i[k]
            }
            for (key in calls) print key, calls[key], cost[key]
        }'
}

linker='^(_dl_[a-z_0-9]*|dl_main|_start|openaux|open_path|search_cache|handle_[a-z_.0-9]*|init_cpu_features.*|__tunable.*|__GI___tunables_init|intel_check_word.*|get_common.*|\(below main\)|__libc_start_main.*|exit|__run_exit_handlers)	'
named() { grep -vE '\?\?\?|0x0' "$1" | grep -vE "$linker" | LC_ALL=C sort; }

# How often each function with a name was called, by whomever.
callees() { awk -F'\t' '{ n[$2] += $3 } END { for (f in n) print f "\t" n[f] }' "$1" | grep -vE '^(\?\?\?|0x0)' | grep -vE "$linker" | LC_ALL=C sort; }

failed=0
# compare NAME REASON COMMAND...
compare() {
    name=$1 reason=$2
    program=$(PATH=/usr/bin:/bin command -v "$3") || { echo "$name: not installed"; return; }
    shift 3
    env="PATH=/usr/bin:/bin LC_ALL=C HOME=/ GLIBC_TUNABLES=glibc.cpu.hwcaps=-ERMS,-FSRM,Fast_Unaligned_Load PYTHONHASHSEED=0 PERL_HASH_SEED=0"
    # shellcheck disable=SC2086
    env -i $env "$valgrind" -q --tool=callgrind --vex-guest-chase=no --vex-iropt-level=0 --callgrind-out-file=callgrind "$program" "$@" >/dev/null 2>log
    # shellcheck disable=SC2086
    env -i $env LD_PRELOAD="$preload" "$build/quern" run -q --no-cache-sim --counting=cachegrind --cpu=x86-64-v3 --calls=yes --out-file=quern -- \
        "$program" "$@" >/dev/null 2>>log
    of_quern quern >q.all
    of_callgrind callgrind >c.all
    named q.all >q
    named c.all >c
    LC_ALL=C diff q c >"$name.differ"
    callees q.all >q.callees
    callees c.all >c.callees
    echo "$name: $(wc -l <c.all) edges, with names $(wc -l <c), equal $(LC_ALL=C comm -12 q c | wc -l), $(awk -F'\t' '{ n += $3 } END { print n + 0 }' c) calls;" \
        "functions called $(wc -l <c.callees), equally often $(LC_ALL=C comm -12 q.callees c.callees | wc -l)${reason:+; differs by $reason}"
    [ -s c ] && { [ -n "$reason" ] || [ ! -s "$name.differ" ]; } || failed=1
}

wanted=" $* "
is_wanted() { [ "$wanted" = '  ' ] || case $wanted in *" $1 "*) ;; *) false ;; esac; }
while IFS='|' read -r name reason words; do
    is_wanted "$name" && eval "compare $name '$reason' $words" </dev/null
done <<'END'
true||true
sort||sort words
wc||wc words
cksum||cksum words
od||od -x words
tr||tr a b
uniq||uniq -c words
cut||cut -c 1-2 words
factor||factor 600851475143 18446744073709551557
gzip||gzip -c numbers
bzip2|place|bzip2 -c numbers
xz|unnamed|xz -T1 -c numbers
sed||sed -n 's/7/x/p' numbers
grep||grep -c 7 numbers
mawk||mawk '{ n += $1 } END { print n }' numbers
bash|place, unnamed|bash -c 'for i in 1 2 3 4 5 6 7 8 9; do x=$x$i; done; echo ${#x}'
dash||dash -c 'for i in 1 2 3 4 5 6 7 8 9; do x=$x$i; done; echo ${#x}'
bc||bc -q numbers
perl|place, unnamed|perl -e 'print join ",", sort map { $_ * 7 % 101 } 1 .. 100'
python3|place, unnamed|python3 -S -E -c 'print(sum(i * i for i in range(100)))'
sqlite3|loop, unnamed|sqlite3 :memory: 'create table t(a, b); insert into t values (1, 2), (3, 4); select sum(a * b) from t'
find|place|find . -name numbers
diff||diff numbers words
END
exit $failed
