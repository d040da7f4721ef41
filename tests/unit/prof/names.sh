#!/bin/sh
# Do odd names and counts pass unharmed from profile to profile, and harmless to the terminal?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

# survives FILE FUNCTION WHAT: merging gives the same names; annotate shows them.
survives() {
    # shellcheck disable=SC2059 # names are printf formats, so that they can have any byte
    { printf 'desc: d\ncmd: c\nevents: I\nfl='; printf "$1"; printf '\nfn='; printf "$2"; printf '\n1 5\nsummary: 5\n'; } >in
    "$QUERN" merge in >out
    same_file out in "merge: $3"
    # shellcheck disable=SC2059
    { printf '< 5  '; printf "$1"; printf ':'; printf "$2"; printf '\n'; } >wanted
    "$QUERN" annotate --no-annotate --no-show-percs in | grep -a '^< ' >got
    same_file got wanted "annotate: $3"
}
survives 'a b.c' 'operator new(unsigned long)' 'blanks'
survives ' a ' ' f ' 'blanks at both ends'
survives 'a:b:c' 'ns::f' 'colons'
survives '#a' '#f' 'a hash'
survives "it's \"a\"" "'f'" 'quotes'
survives 'a\\b' 'f\\n' 'backslashes'
survives 'caf\303\251.c' '\316\273' 'UTF-8'
survives 'caf\351.c' '\377\376' 'bytes that are not UTF-8'
survives 'fl=x' 'fn=y' 'keywords'
survives 'summary: 1' '1 2 3' 'what looks like other lines'
survives '/%%s/%%n' '%%d' 'conversions of printf'
long=$(awk 'BEGIN { for (i = 0; i < 100000; i++) printf "x" }')
survives "$long" "$long" 'names of 100000 bytes'

# Control bytes are made visible wherever a name is printed, and when it is written.
printf 'desc: d\a\ncmd: c\033c\nevents: I\nfl=a\tb\nfn=f\033[2J\177\n1 5\nsummary: 5\n' >in
is "$("$QUERN" merge in | head -n 5)" 'desc: d\x07
cmd: c\x1bc
events: I
fl=a\tb
fn=f\x1b[2J\x7f' 'merge escapes control bytes'
is "$("$QUERN" annotate in | tr -d '\n\040-\176')" '' 'the modern report has no control byte'
is "$("$QUERN" annotate --style=classic in | tr -d '\n\040-\176')" '' 'nor has the classic one'
is "$("$QUERN" diff in in | tr -d '\n\040-\176')" '' 'nor a difference'
is "$("$QUERN" annotate --no-annotate --no-show-percs in | grep '^[<>]')" '< 5  a\tb:f\x1b[2J\x7f
> 5  f\x1b[2J\x7f:a\tb' 'names are escaped in the tables'
cp in "$(printf 'n\na\033me')"
is "$("$QUERN" annotate --style=classic "$(printf 'n\na\033me')" | grep '^Data')" 'Data file:        n\na\x1bme' \
    'and so is the name of the profile'

printf 'cmd: c\nevents: Ir\nsummary: 1\n' >"$(printf 'n\na\033me')"
is "$("$QUERN" merge "$(printf 'n\na\033me')" 2>&1)" "quern merge: n\\na\\x1bme:3: \`summary:\` line doesn't match computed total
- summary:  [1]
- computed: [0]" 'also in a message that has newlines of its own'

name=$(printf -- '--no\033[1m')
for command in merge 'diff x' csv annotate; do
    # shellcheck disable=SC2086 # words
    is "$("$QUERN" $command "$name" in 2>&1 | tr -d '\n\040-\176')" '' "$command: nor has a message about an option"
done
# Whatever a command cannot use is named so that one can see it.
name=$(printf 'o\033[31m\nx')
for command in '' dis 'dis --hex' sim 'sim list' lab 'lab check' sweep report; do
    # shellcheck disable=SC2086 # words
    message=$("$QUERN" $command ${command:+--}"$name" x 2>&1)
    is "$(printf %s "$message" | tr -d '\n\040-\176') $(printf %s "$message" | grep -c 'o\\x1b\[31m\\nx')" ' 1' "${command:-a command}: nor one about what is none"
done
# visible TEXT COMMAND...: its message has the name so, and no control byte
visible() {
    text=$1
    shift
    message=$("$QUERN" "$@" 2>&1 >/dev/null)
    is "$(printf %s "$message" | tr -d '\n\040-\176') $(printf %s "$message" | grep -c 'o\\x1b\[31m\\nx')" ' 1' "$text"
}
visible 'replay: an option' replay --"$name"=1 x
visible 'replay: a value' replay --D1="$name" x
visible 'replay: a trace' replay "$name"
visible 'replay: modules' replay --sim="$name=lru" x
visible 'lab start: a folder that cannot be made' lab start 1 "$name/lab"
mkdir "$name" "$name/full"
visible 'lab start: a folder that is not empty' lab start 1 "$name"
visible 'lab box: a program' lab box --seed=1 . "./$name/none"
for desc in a b; do printf 'desc: I1 cache: %s\ncmd: c\nevents: I\nfl=a\nfn=f\n1 5\nsummary: 5\n' $desc >"$name/$desc"; done
for command in merge diff 'annotate --diff'; do
    # shellcheck disable=SC2086 # words
    visible "$command: profiles that differ" $command "$name/a" "$name/b"
done
if [ -x "$top_builddir/quern-engine" ]; then
    name=$(printf 'w\nx\033[1m')
    cp /bin/true "$name"
    "$QUERN" run --cache-sim=no --out-file="$name.out" "./$name" "$(printf 'a\007')" 2>banner
    is "$(tr -d '\n\040-\176' <banner) $(grep -c 'Command: ./w\\nx\\x1b\[1m a\\x07$' banner)" ' 1' 'run: nor has a line about the program'
    is "$("$QUERN" run -q --cache-sim=no "./$name.out" 2>&1 | tr -d '\n\040-\176')" '' 'run: nor a failure'
else
    bail 'there is no engine in this build'
fi

# Events: any blanks between the names; control bytes in them.
printf 'desc: d\ncmd: c\nevents:\tIr\t Dr\v\n' >in
printf 'fl=a\nfn=f\n1 5 6\nsummary: 5 6\n' >>in
is "$("$QUERN" merge in | sed -n 3p) $("$QUERN" merge in | "$QUERN" merge - | tail -n 1)" 'events: Ir Dr summary: 5 6' \
    'tabs between events'
printf 'desc: d\ncmd: c\nevents: I\001r\nfl=a\nfn=f\n1 5\nsummary: 5\n' >in
is "$("$QUERN" merge in | sed -n 3p) $("$QUERN" diff in in | sed -n 3p)" 'events: I\x01r events: I\x01r' 'control bytes in them'

# An empty name, a name only in fn=, a file without fn=.
printf 'cmd: c\nevents: I\nfl=\nfn=\n1 5\nsummary: 5\n' >in
is "$("$QUERN" annotate --no-annotate --no-show-percs in | grep '^[<>]')" '< 5  :
> 5  :' 'empty names'
printf 'cmd: c\nevents: I\nfn=f\n1 5\nfl=a.c\n2 6\nsummary: 11\n' >in
is "$("$QUERN" annotate --no-annotate --no-show-percs in | grep '^[<>]')" '< 6  a.c:<unspecified>
< 5  ???:f
> 6  <unspecified>:a.c
> 5  f:???' 'a function without a file, a file without a function'

# Counts: the largest, the smallest, leading zeros.
printf 'desc: d\ncmd: c\nevents: A B C\nfl=a\nfn=f\n4294967295 9223372036854775807 -9223372036854775807 -1\nsummary: 9223372036854775807 -9223372036854775807 -1\n' >in
is "$("$QUERN" merge in)" "$(cat in)" 'the largest and the smallest counts'
is "$("$QUERN" annotate --no-annotate in | grep '^<')" \
    '< 9,223,372,036,854,775,807 (100.0%, 100.0%) -9,223,372,036,854,775,807 (100.0%, 100.0%) -1 (100.0%, 100.0%)  a:f' \
    'as annotate shows them'
"$QUERN" diff in in >out
is "$? $(tail -n 1 out)" '0 summary: 0 0 0' 'and their difference with themselves'
printf 'cmd: c\nevents: A\nfl=a\nfn=f\n1 9223372036854775807\n2 -9223372036854775807\nsummary: 0\n' >in2
"$QUERN" annotate --diff in2 in2 >out 2>&1
is "$? $(grep -c TOTALS out)" '0 1' 'sums that touch the limit are right'
printf 'cmd: c\nevents: A\nfl=b\nfn=g\n1 -9223372036854775807\nsummary: -9223372036854775807\n' >in3
printf 'cmd: c\nevents: A\nfl=b\nfn=g\n1 2\nsummary: 2\n' >in4
"$QUERN" annotate --diff in3 in4 >out 2>&1
is "$? $(cat out)" '1 quern annotate: error: in4: a sum of counts does not fit in 64 bits' 'sums beyond it are refused'
printf 'desc:x\ncmd:c\nevents:A B\nfl=a\nfn=f\n007 010 .\n\n# remark\n7 1\nfi=b\n8\nfe=a\n9 . 4\nsummary:11 4\n' >in
is "$("$QUERN" merge in | tail -n +4)" 'fl=a
fn=f
7 11 0
9 0 4
fl=b
fn=f
8 0 0
summary: 11 4' 'leading zeros, dots, short lines, remarks, fi= and fe='
sed 's/$/\r/' in >in.crlf
"$QUERN" merge in | tail -n +4 >wanted
"$QUERN" merge in.crlf | tail -n +4 >got
same_file got wanted 'the same with CRLF'
printf '%s' "$(cat in)" >in.short
"$QUERN" merge in.short | tail -n +4 >got
same_file got wanted 'the same without the last newline'
"$QUERN" merge - <in | tail -n +4 >got
same_file got wanted 'the same from standard input'
done_testing
