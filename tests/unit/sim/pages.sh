#!/bin/sh
# Is the head of every module that ships its page (`quern sim show NAME`), with an example, its storage, its source, every option and
# every event; and has it a unit test that draws its state?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

# says WHAT PATTERN: the section has it
says() { grep -q -- "$2" "$SCRATCH/section" || { echo "nothing about $1"; return 1; }; }

# page FOLDER NAME FILE
page() {
    "$QUERN" sim show "$2" >"$SCRATCH/all" || return 1
    sed "/$2\.c  $2:[0-9a-f]*\$/,\$d" "$SCRATCH/all" >"$SCRATCH/section" # the page; behind it is the source text
    says 'an example' '^  ' && says 'storage' '^Storage: ' && says 'its source' '^Source: ' || return 1
    # A source has a year, or is another module's.
    sed -n '/^Source:/,$p' "$SCRATCH/section" | grep -qE '(19|20)[0-9][0-9]|as [a-z]+|Cachegrind' || { echo 'a source without a year'; return 1; }
    # Options and events are string literals in the module and in the headers beside it that it includes.
    files="$3 $(sed -n 's/^#include "sim\/\([a-z]*\/[a-z]*\.h\)"/\1/p' "$3" | sed "s|^|$top_srcdir/lib/sim/|" | tr '\n' ' ')"
    # shellcheck disable=SC2086 # files are words
    for key in $(sed -n 's/.*\(sim_option\|sim_option_within\|bits_option\)([^"]*"\([a-z0-9-]*\)".*/\2/p' $files); do
        says "the option $key" "\`$key\`" || return 1
    done
    # shellcheck disable=SC2086
    for event in $(sed -n 's/.*sim_event([^"]*"\([a-z0-9-]*\)".*/\1/p' $files); do
        says "the event $event" "\`$event\`" || return 1
    done
}

for folder in policy level array prefetch bpred analysis; do
    for file in "$top_srcdir"/lib/sim/$folder/*.c; do
        name=$(basename "$file" .c)
        ok "$folder $name has its section" page $folder "$name" "$file"
        ok "... and its unit test" test -f "$top_srcdir/tests/unit/sim/$name.c" -o -f "$top_srcdir/tests/unit/sim/$name.sh"
    done
done
is "$("$QUERN" sim show lru | head -n 1)" 'policy/lru.c - least recently used: the victim is the line that was not used for the longest time.' 'a page is plain text'
for module in lru tagescl; do
    file=$(echo "$top_srcdir"/lib/sim/*/$module.c)
    is "$("$QUERN" sim show $module | sed "1,/$module\.c  $module:[0-9a-f]*\$/d")" "$(echo; sed '1,/\*\//d' "$file")" "behind the page of $module is its source text"
done
is "$("$QUERN" sim show nothing 2>&1; echo $?)" 'quern: sim show: nothing: no module that ships; `quern sim list` lists them
1' 'a name that is no module'
done_testing
