#!/bin/sh
# Are options taken in all forms that lib/text/options.h promises, and is what is wrong told in one line?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"
printf 'desc: x\ncmd: x\nevents: Ir\nfl=f\nfn=g\n1 1\nsummary: 1\n' >p
cp p ./-p

# same WHAT WORDS...: as `quern merge -o wanted p`
"$QUERN" merge -o wanted p || bail 'no profile'
same() {
    what=$1
    shift
    rm -f got
    said=$("$QUERN" merge "$@" 2>&1)
    is "$? $said $(cmp wanted got 2>&1)" '0  ' "$what"
}
same 'a letter and its value' -o got p
same 'in one word' -ogot p
same 'with =' -o=got p
same 'behind what is no option' p -o got
same '-- ends options' -o got -- -p
same 'the last of several counts' -o other -o got p

# refused TEXT WORDS...: status 2 and one line
refused() {
    wanted=$1
    shift
    said=$("$QUERN" "$@" 2>&1 >out)
    is "$? $said$(cat out)" "2 $wanted" "$*"
}
refused 'quern merge: --out=x: no such option; `quern merge --help` describes it' merge --out=x p
refused 'quern merge: -x: no such option; `quern merge --help` describes it' merge -x p
refused 'quern merge: -o: no value given, wanted OUT' merge p -o
refused 'quern diff: --lines=yes: it has no value; `quern diff --help` describes it' diff --lines=yes p p
refused "quern csv: --crlf: got 'maybe', wanted yes or no" csv --crlf=maybe p
refused "quern csv: --by: got 'x\\ny', wanted program, object, file, function, line, instruction, thread, inclusive, call, data, pair or used" csv "--by=x
y" p
refused 'quern csv: --no-by: no such option; `quern csv --help` describes it' csv --no-by p
refused 'quern csv: --no-crlf=no: no such option; `quern csv --help` describes it' csv --no-crlf=no p
refused 'quern: sweep: -P: no value given, wanted NAME FROM TO' sweep -P size 1
refused 'quern: run: no program given; `quern run --help=all` describes it' run -q --

# ends WORDS...: how many pieces of the CSV have a carriage return
ends() { "$QUERN" csv "$@" -o out.csv p && od -An -c out.csv | grep -c '\\r'; }
for no in --crlf=no --no-crlf '--crlf no' '--crlf=yes --no-crlf'; do
    # shellcheck disable=SC2086 # words
    is "$(ends $no)" 0 "no: $no"
done
for yes in '' --crlf --crlf=yes '--crlf yes' '--no-crlf --crlf'; do
    # shellcheck disable=SC2086 # words
    ok "yes: $yes" test "$(ends $yes)" -ge 1
done
"$QUERN" merge --help >wanted
"$QUERN" merge -x --help >got 2>err
is "$(wc -c <got) $(wc -l <err)" '0 1' 'what is wrong before --help is told'
"$QUERN" merge -o none --help none >got
same_file got wanted '--help behind others: nothing else is done'
"$QUERN" merge --help >wanted
"$QUERN" help merge >got
same_file got wanted 'help COMMAND'
is "$("$QUERN" help)" "$("$QUERN" --help)" 'help'
refused 'quern: nothing: no such command; `quern --help` lists them' help nothing
for c in $("$QUERN" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p') '' 'lab check' 'lab marks'; do
    # shellcheck disable=SC2086 # words
    "$QUERN" $c --help | awk -v c="$c" 'length > 110 { print c ": " $0 }'
done >wide
is "$(cat wide)" '' 'no line of a help is longer than 110 columns'
done_testing
