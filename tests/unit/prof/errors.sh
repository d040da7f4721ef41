#!/bin/sh
# Does every malformed profile give one message FILE:LINE: what, got, wanted, exit 1 and nothing on stdout?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

# refuses MESSAGE PROFILE: the profile is a printf format. merge, diff and both styles of annotate, csv, json, convert, page
# and plot must refuse it, and write nothing; merge says it with the message given.
refuses() {
    # shellcheck disable=SC2059 # it is a format
    printf "$2" >x.out
    "$QUERN" merge x.out >got 2>got.err
    is "$? $(cat got)$(cat got.err)" "1 quern merge: x.out:$1" "refused: $(printf '%s' "$1" | tr '\n' ' ')"
    failed=
    for command in 'annotate' 'annotate --style=classic' 'annotate --by=line' 'diff x.out' csv json convert 'page -o x.html' 'plot flame -o x.svg'; do
        # shellcheck disable=SC2086 # a command and its option
        "$QUERN" $command x.out >got 2>got.err
        { [ $? = 1 ] && [ ! -s got ] && [ -s got.err ] && [ ! -e x.html ] && [ ! -e x.svg ]; } || failed="$failed $command"
    done
    is "$failed" '' "  ... by all commands that read profiles, with nothing on stdout"
}

head='desc: x\ncmd: y\nevents: Ir Dr\n'
body="${head}fl=a.c\nfn=f\n"

refuses '1: got an empty file, wanted a profile of quern, Cachegrind or Callgrind: was the run that wrote it killed?' ''
refuses '1: missing a `command:` line, got `events: Ir`, wanted `cmd: COMMAND`' 'events: Ir\n'
refuses '2: missing a `command:` line, got `garbage`, wanted `cmd: COMMAND`' 'desc: a\ngarbage\n'
refuses '2: missing an `events:` line, got the end of the file, wanted `events: A B ...`' 'cmd: x\n'
refuses '2: missing an `events:` line, got `fl=a`, wanted `events: A B ...`' 'cmd: x\nfl=a\n'
refuses '2: second command, got `cmd: y`, wanted one `cmd:` line' 'cmd: x\ncmd: y\n'
refuses '2: no events, got an empty `events:` line, wanted at least one name' 'cmd: x\nevents:  \n'
refuses '1: not text, got a NUL byte, wanted a profile' 'cm\000d: x\nevents: Ir\n'
refuses '6: malformed or too many event counts, got `1 2 3`, wanted at most 2 64-bit numbers or `.`' "${body}7 1 2 3\n"
refuses '6: malformed or too many event counts, got `1 two`, wanted at most 2 64-bit numbers or `.`' "${body}7 1 two\n"
refuses '6: malformed or too many event counts, got `1 2x`, wanted at most 2 64-bit numbers or `.`' "${body}7 1 2x\n"
refuses '6: malformed or too many event counts, got `1 --2`, wanted at most 2 64-bit numbers or `.`' "${body}7 1 --2\n"
refuses '6: malformed or too many event counts, got `1 +2`, wanted at most 2 64-bit numbers or `.`' "${body}7 1 +2\n"
refuses '6: malformed or too many event counts, got `1 0x2`, wanted at most 2 64-bit numbers or `.`' "${body}7 1 0x2\n"
refuses '6: malformed or too many event counts, got `1 2.5`, wanted at most 2 64-bit numbers or `.`' "${body}7 1 2.5\n"
refuses '6: malformed or too many event counts, got `1 ..`, wanted at most 2 64-bit numbers or `.`' "${body}7 1 ..\n"
refuses '6: malformed or too many event counts, got `9223372036854775808`, wanted at most 2 64-bit numbers or `.`' \
    "${body}7 9223372036854775808\n"
refuses '6: malformed or too many event counts, got `99999999999999999999999999999999999999`, wanted at most 2 64-bit numbers or `.`' \
    "${body}7 99999999999999999999999999999999999999\n"
refuses '6: malformed or too many event counts, got `1`, wanted at most 2 64-bit numbers or `.`' "${body}7 1\0002\n"
refuses '6: malformed line number, got `7a 1 2`, wanted a number below 2^32 and counts' "${body}7a 1 2\n"
refuses '6: malformed line number, got `4294967296 1 2`, wanted a number below 2^32 and counts' "${body}4294967296 1 2\n"
refuses '6: malformed line, got `-7 1 2`, wanted `fl=`, `fn=`, counts or `summary:`' "${body}-7 1 2\n"
refuses '6: malformed line, got ` 7 1 2`, wanted `fl=`, `fn=`, counts or `summary:`' "${body} 7 1 2\n"
refuses '6: malformed line, got `calls=1 2`, wanted `fl=`, `fn=`, counts or `summary:`' "${body}calls=1 2\n"
refuses '6: malformed line, got `\x1b[2J\x07`, wanted `fl=`, `fn=`, counts or `summary:`' "${body}\033[2J\007\n"
refuses '4: counts outside a function, got `7 1 2`, wanted `fl=` and `fn=` lines first' "${head}7 1 2\n"
refuses '6: malformed name, got `a`, wanted a name without NUL bytes' "${body}fn=a\000b\n"
refuses '7: sum out of range, got `1`, wanted sums within 64 bits' "${body}1 9223372036854775807\n2 1\n"
refuses '7: missing `summary:` line, aborting, got the end of the file, wanted `summary: COUNTS`' "${body}7 1 2\n"
refuses '7: malformed or too many event counts, got `1 2 3`, wanted at most 2 64-bit numbers or `.`' \
    "${body}7 1 2\nsummary: 1 2 3\n"
refuses '8: text after the summary, got `fn=g`, wanted the end of the file' "${body}7 1 2\nsummary: 1 2\nfn=g\n"
refuses '8: text after the summary, got `8 1 2`, wanted the end of the file' "${body}7 1 2\nsummary: 1 2\n8 1 2\n"
refuses "7: \`summary:\` line doesn't match computed total
- summary:  [1, 3]
- computed: [1, 2]" "${body}7 1 2\nsummary: 1 3\n"
refuses "7: \`summary:\` line doesn't match computed total
- summary:  [0, 0]
- computed: [-1, 2]" "${body}7 -1 2\nsummary:\n"

# Long lines are quoted in part; long names do not break a message.
long=$(awk 'BEGIN { for (i = 0; i < 20000; i++) printf "x" }')
printf "${body}%s\n" "$long" >x.out
"$QUERN" merge x.out >got 2>got.err
is "$(wc -l <got.err | tr -d ' ') $(tr -s x <got.err)" \
    '1 quern merge: x.out:6: malformed line, got `x`, wanted `fl=`, `fn=`, counts or `summary:`' 'a line of 20000 bytes'
ok '  ... is quoted in part' test "$(wc -c <got.err)" -lt 200

# Events that do not match.
printf "${body}7 1 2\nsummary: 1 2\n" >a.out
printf 'cmd: y\nevents: Ir Dw\nfl=a\nfn=f\n1 1 1\nsummary: 1 1\n' >b.out
"$QUERN" merge a.out b.out >got 2>got.err
is "$? $(cat got got.err)" "1 quern merge: b.out: events don't match, got \`events: Ir Dw\`, wanted \`events: Ir Dr\`" \
    'merge wants the same events'
"$QUERN" diff a.out b.out >got 2>got.err
is "$? $(cat got got.err)" "1 quern diff: events in data files don't match" 'so does diff'

# Files that cannot be read.
"$QUERN" merge nothing.out >got 2>got.err
is "$? $(cat got got.err)" '1 quern merge: nothing.out: cannot open: No such file or directory' 'a file that is not there'
"$QUERN" annotate . >got 2>got.err
is "$? $(cat got got.err)" '1 quern annotate: error: .: got a folder, wanted a file: name one of those in it' 'a directory'

# Provenance: a warning where numbers cannot be compared, and only there.
printf 'desc: D1 cache: 1\ndesc: quern: 1\ncmd: y\nevents: Ir\nfl=a\nfn=f\n1 1\nsummary: 1\n' >a.out
printf 'desc: D1 cache: 2\ndesc: quern: 2\ncmd: y\nevents: Ir\nfl=a\nfn=f\n1 1\nsummary: 1\n' >b.out
printf 'desc: D1 cache: 1\ndesc: quern: 3\ncmd: y\nevents: Ir\nfl=a\nfn=f\n1 1\nsummary: 1\n' >c.out
"$QUERN" merge a.out b.out 2>got.err >/dev/null
is "$? $(cat got.err)" "0 quern merge: warning: a.out and b.out differ in D1 cache: \`1' and \`2'" 'merge warns of other caches'
"$QUERN" diff a.out b.out 2>got.err >/dev/null
is "$? $(cat got.err)" "0 quern diff: warning: a.out and b.out differ in D1 cache: \`1' and \`2'" 'diff warns of other caches'
"$QUERN" diff a.out c.out 2>got.err >/dev/null
is "$? $(cat got.err)" '0 ' 'but not of another version'
"$QUERN" annotate --diff a.out b.out 2>got.err >/dev/null
is "$? $(cat got.err)" "0 quern annotate: warning: a.out and b.out differ in D1 cache: \`1' and \`2'" \
    'annotate --diff warns as well'

# Usage errors: 2, and one line.
for arguments in '' '-o' '--nonsense a.out' '--mod-filename=x a.out' '--mod-filename'; do
    # shellcheck disable=SC2086 # words
    "$QUERN" merge $arguments >got 2>got.err
    is "$? $(wc -c <got | tr -d ' ') $(wc -l <got.err | tr -d ' ')" '2 0 1' "usage error: merge $arguments"
done
for arguments in '' 'a.out' 'a.out b.out c.out' '-x a.out b.out'; do
    # shellcheck disable=SC2086 # words
    "$QUERN" diff $arguments >got 2>got.err
    is "$? $(wc -c <got | tr -d ' ') $(wc -l <got.err | tr -d ' ')" '2 0 1' "usage error: diff $arguments"
done
for command in annotate merge diff; do
    for option in -h --help --version; do
        "$QUERN" $command $option >got 2>got.err
        is "$? $(wc -c <got.err | tr -d ' ') $([ -s got ] && echo text)" '0 0 text' "$command $option prints on stdout"
    done
done
done_testing
