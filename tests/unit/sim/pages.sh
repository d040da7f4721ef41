#!/bin/sh
# Has every module that ships its section in the manual (doc/modules/), with an example, its storage, its source, every option and
# every event; and a unit test that draws its state?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

# section FOLDER NAME: the text under "## NAME"
section() {
    awk -v name="$2" '/^## / { on = $2 == name } on' "$top_srcdir/doc/modules/$1.md"
}

# says WHAT PATTERN: the section has it
says() { grep -q -- "$2" "$SCRATCH/section" || { echo "nothing about $1"; return 1; }; }

# page FOLDER NAME FILE
page() {
    section "$1" "$2" >"$SCRATCH/section"
    [ -s "$SCRATCH/section" ] || { echo "no section '## $2' in doc/modules/$1.md"; return 1; }
    says 'an example' '^    ' && says 'storage' '^\* Storage: ' && says 'its source' '^\* Source: ' || return 1
    # A source has a year, or is another section's.
    sed -n '/^\* Source:/,$p' "$SCRATCH/section" | grep -qE '(19|20)[0-9][0-9]|as [a-z]+|Cachegrind' || { echo 'a source without a year'; return 1; }
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

for folder in policy level prefetch bpred analysis; do
    for file in "$top_srcdir"/lib/sim/$folder/*.c; do
        name=$(basename "$file" .c)
        ok "$folder $name has its section" page $folder "$name" "$file"
        ok "... and its unit test" test -f "$top_srcdir/tests/unit/sim/$name.c" -o -f "$top_srcdir/tests/unit/sim/$name.sh"
        ok "... and is named in doc/modules/README.md" grep -qw -- "$name" "$top_srcdir/doc/modules/README.md"
        # The file's own head has the same name of the source.
        ok "... and names its source itself" grep -q 'Source' "$file"
    done
    for name in $(sed -n 's/^## //p' "$top_srcdir/doc/modules/$folder.md"); do
        [ -f "$top_srcdir/lib/sim/$folder/$name.c" ] || fail "doc/modules/$folder.md has a section '$name', which is no module"
    done
done
done_testing
