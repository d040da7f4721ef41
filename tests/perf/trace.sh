#!/bin/sh
# What recording a trace costs: processor time of `quern trace`, its writer with it, over the program's own, the least of three each.
#
#   sh tests/perf/trace.sh [PROGRAM...]      without: gzip python3 cc1
#
# Bar: 15 times native; 2 bits a reference.
programs=${*:-gzip python3 cc1}
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/begin.inc"
# shellcheck source-path=SCRIPTDIR
. "$folder/programs.inc"

# least COMMAND...: microseconds
least() {
    rm -f record
    for _ in 1 2 3; do ./cpu record "$@" >/dev/null 2>&1; done
    sort -n record | sed -n '1s/ .*//p'
}

for name in $programs; do
    command=$(command_of "$name")
    # shellcheck disable=SC2086 # a command line
    native=$(least $command) traced=$(least "$quern" trace -o trace $command)
    "$quern" trace --info trace | sed -n 's/.*bits per reference \([0-9.]*\),.*/\1/p' |
        awk -v name="$name" -v native="$native" -v traced="$traced" \
            '{ printf "%-8s %7.3f s, traced %7.2f s: %5.1f times native; %s bits a reference\n", name, native / 1e6, traced / 1e6, traced / native, $1 }'
done
