#!/bin/sh
# Do data and script of each kind of picture stay as they are?  NAME.kind is the command; NAME.csv and NAME.gp what must come of it.
# The inputs are made up, so that each number can be followed into its cell; tests/unit/plot/data.sh works some out by rule.
#
#   sh tests/golden/plot/run.sh --update      makes the expected files anew: look at the pictures before you commit that
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

here=$top_srcdir/tests/golden/plot
cd "$here" || bail 'no goldens'

# without gnuplot, which makes no difference to data and script
mkdir -p "$SCRATCH/nothing"
for command in *.kind; do
    name=${command%.kind}
    # shellcheck disable=SC2046 # words of a command
    PATH=$SCRATCH/nothing "$QUERN" plot $(cat "$command") -o "$SCRATCH/$name.svg" 2>"$SCRATCH/err"
    is "$? $(grep -c 'there is no gnuplot here' "$SCRATCH/err")" '1 1' "$name: $(cat "$command")" || diag "$(cat "$SCRATCH/err")"
    if [ "${1-}" = --update ]; then
        cp "$SCRATCH/$name.gp" "$name.gp"
        cp "$SCRATCH/$name.csv" "$name.csv"
    fi
    same_file "$SCRATCH/$name.csv" "$name.csv" '... its data'
    same_file "$SCRATCH/$name.gp" "$name.gp" '... its script'
    # A pipe can be read only once.
    # shellcheck disable=SC2002,SC2046
    cat "$(grep -o 'in/[^ ]*' "$command" | head -n 1)" | PATH=$SCRATCH/nothing "$QUERN" plot $(sed 's/in\/[^ ]*/\/dev\/stdin/' "$command") -o "$SCRATCH/piped.svg" 2>"$SCRATCH/err"
    same_file "$SCRATCH/piped.csv" "$name.csv" '... the same of a pipe'
    rm -f "$SCRATCH/piped.csv"
done
done_testing
