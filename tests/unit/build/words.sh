#!/bin/sh
# Does one word stand for one thing?  No file uses a word that words.txt has retired; and a file's first line names that file.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

list=$top_srcdir/tests/unit/build/words.txt

# found FOLDER: lines with retired words, below it; but icache is a stressor, and processors have shadow stacks
found() {
    grep -v '^#' "$list" | while IFS='	' read -r word better; do
        # shellcheck disable=SC2086 # folders
        (cd "$1" && grep -rniE --include='*.[chS]' --include='*.inc' --include='*.md' --include='*.texi' --include='*.1' --include='*.js' --include='*.sh' \
            -e "$word" $folders README.md 2>/dev/null) | grep -v '^tests/\(unit/build/words\|unit/decode/\|corpus/stress\)' | sed "s|\$| -> $better|"
    done
}
folders='lib tools include labs doc tests'
is "$(found "$top_srcdir")" '' 'no retired word is used'

folders=lib
mkdir -p "$SCRATCH/lib"
printf '/* a line that is thrown out */\n' >"$SCRATCH/lib/x.c"
ok 'one that is used is found' test -n "$(found "$SCRATCH")"

# misnamed FOLDER: files below it whose first line begins with the name of another file
misnamed() {
    # shellcheck disable=SC2086 # folders
    (cd "$1" && find $folders -name '*.[chS]' -exec awk 'FNR == 1 && $1 == "/*" && $3 == "-" &&
        substr(FILENAME, length(FILENAME) - length($2) + 1) != $2 { print FILENAME ": " $2 }' {} +)
}
folders='lib tools include'
is "$(misnamed "$top_srcdir")" '' 'a first line that names a file names its own'
folders=lib
printf '/* lib/y.c - writes */\n' >"$SCRATCH/lib/x.c"
is "$(misnamed "$SCRATCH")" 'lib/x.c: lib/y.c' 'one that names another is found'

# gone FOLDER: files that its sources and documents name, and that are not there
gone() {
    (cd "$1" && folder=$(cd lib && echo *) && grep -rnoE --include='*.[chS]' --include='*.md' --include='*.texi' --include=HACKING --include='*.mk' --include='*.am' \
        -e "\\b((lib/)?($(echo "$folder" | tr ' ' '|'))|tools|tests|build-aux)(/[a-z0-9_-]+)+\\.([chS]|sh|inc|awk)\\b" $folders |
        grep -v ':\(base/csim\|lab/mine\)\.c$' | while IFS=: read -r file line name; do
            [ -e "$name" ] || [ -e "lib/$name" ] || [ -e "tools/$name" ] || [ -e "tests/unit/$name" ] || echo "$file:$line: $name"
        done)
}
folders='lib tools doc labs HACKING Makefile.am tests/local.mk'
is "$(gone "$top_srcdir")" '' 'files that sources and documents name are there'
folders=lib
printf '/* lib/x.c - writes what lib/y/z.c reads */\n' >"$SCRATCH/lib/x.c"
mkdir "$SCRATCH/lib/y"
is "$(gone "$SCRATCH")" 'lib/x.c:1: lib/y/z.c' 'one that is not there is found'
done_testing
