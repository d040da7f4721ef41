#!/bin/sh
# Has every command a page, with all of its options and no others, that is formatted without complaint?
#
#   sh tests/unit/man/man.sh --update      writes usage and lists of options, as --help has them, into the pages, and that of commands into quern.1
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

pages=$top_srcdir/doc/man
commands=$("$QUERN" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')

# Commands whose --help comes from a table of options; the others (replay, valgrind) have texts of their own.
listed='run annotate top json trace diff merge csv convert sim machine sweep lab demo plot report page watch ctl serve doctor dis'

# list_of COMMAND: the list of options that its page must have.  marks, gradescope and export of lab have some of their own.
list_of() {
    "$QUERN" "$1" --help=all | awk -f "$top_srcdir/tests/unit/man/options.awk"
    [ "$1" != lab ] || { echo '.SS marks, gradescope and export' && "$QUERN" lab marks --help=all | awk -f "$top_srcdir/tests/unit/man/options.awk"; }
}

# usage_of COMMAND: "usage: quern lab start NN DIR" becomes .B quern lab, start NN DIR
usage_of() {
    "$QUERN" "$1" --help=all | sed -n 's/-/\\-/g; s/^\(usage:\|      \) \(quern [a-z]*\) *\(.*\)/.B \2\n\3/p' | sed '/^$/d; 2,$s/^\.B/.br\n.B/'
}

# commands_listed: the list of commands that quern.1 must have.
commands_listed() {
    "$QUERN" --help | sed -n 's/-/\\-/g; s/^  \([a-z][a-z]*\)  *\(.*\)/.TP\n.BR quern\\-\1 (1)\n\2/p'
}

# section PAGE HEAD: what stands in it
section() { awk -v head=".SH $2" '/^\.SH/ { on = 0 } on { print } $0 == head { on = 1 }' "$1"; }

# put PAGE HEAD: $SCRATCH/list becomes what stands there
put() {
    [ -s "$SCRATCH/list" ] || bail "$1: nothing for $2"
    awk -v list="$SCRATCH/list" -v head=".SH $2" '/^\.SH/ { on = 0 }
        !on { print }
        $0 == head { on = 1; while ((getline line <list) > 0) print line }' "$1" >"$SCRATCH/page" && cat "$SCRATCH/page" >"$1"
}

if [ "${1-}" = --update ]; then
    for command in $listed; do
        list_of "$command" >"$SCRATCH/list"
        put "$pages/quern-$command.1" OPTIONS
    done
    for command in $(echo "$commands" | grep -v valgrind); do
        usage_of "$command" >"$SCRATCH/list"
        put "$pages/quern-$command.1" SYNOPSIS
    done
    commands_listed >"$SCRATCH/list"
    put "$pages/quern.1" COMMANDS
    exit
fi

# The long and short options that stand in a text, one a line.
options() {
    grep -o '\(^\|[^a-zA-Z0-9./-]\)--\{0,1\}[a-zA-Z][a-zA-Z0-9-]*' | sed 's/^[^-]*//' | grep -v '^-[a-z][a-z]' | LC_ALL=C sort -u
}

# What a page describes: the options at the head of each paragraph of OPTIONS.
described() {
    sed -n '/^\.SH OPTIONS/,/^\.SH [^O]/s/^\.B \(\\-.*\)/\1/p' "$1" | sed 's/\\-/-/g' | options
}

is "$(section "$pages/quern.1" COMMANDS)" "$(commands_listed)" 'quern.1 has every command, in the words of the help'
version=$(sed -n 's/^AC_INIT(\[quern\], \[\([^]]*\)\].*/\1/p' "$top_srcdir/configure.ac")
is "$(grep -c '^\.TH QUERN[^ ]* 1 "20[0-9][0-9]-[01][0-9]-[0-3][0-9]" "quern '"$version"'" "quern manual"$' "$pages"/*.1 | grep -v ':1$')" '' \
    'each has a date and the version'
is "$(cd "$pages" && ls quern-*.1 | sed 's/quern-\(.*\)\.1/\1/')" "$(echo "$commands" | LC_ALL=C sort)" 'a page each'

for command in $commands; do
    page=$pages/quern-$command.1
    "$QUERN" "$command" --help=all >"$SCRATCH/help" 2>&1
    [ "$command" != lab ] || "$QUERN" lab marks --help=all >>"$SCRATCH/help"
    # Of the help: usage and the beginnings of lines; what follows tells about other commands, too.
    sed -n 's/^usage:.*/&/p; s/^       quern.*/&/p; s/^  \(-.*\)/\1/p' "$SCRATCH/help" | sed 's/   *[^ -].*//' |
        options >"$SCRATCH/wanted"
    described "$page" >"$SCRATCH/got"
    is "$(LC_ALL=C comm -23 "$SCRATCH/wanted" "$SCRATCH/got")" '' "quern-$command.1 has every option of the help"
    is "$(LC_ALL=C comm -13 "$SCRATCH/wanted" "$SCRATCH/got")" '' 'and no others'
done

for command in $listed; do
    is "$(section "$pages/quern-$command.1" OPTIONS)" "$(list_of "$command")" \
        "quern-$command.1 has the list of the help, word for word"
done
for command in $(echo "$commands" | grep -v valgrind); do
    is "$(section "$pages/quern-$command.1" SYNOPSIS)" "$(usage_of "$command")" "quern-$command.1 has the usage of the help"
done

if command -v groff >/dev/null; then
    for page in "$pages"/*.1; do
        is "$(groff -man -Tutf8 -ww -z "$page" 2>&1)" '' "groff has nothing to say about ${page##*/}"
    done
else
    absent 'groff is not installed' "$(ls "$pages" | wc -l)"
fi

done_testing
