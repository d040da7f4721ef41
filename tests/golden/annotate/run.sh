#!/bin/sh
# The modern style prints, byte for byte, what the modern cg_annotate prints; and the same rules hold in our own cases.
#
# modern/cases.txt and own/cases.txt: number, tab, options and files.  NN.out is stdout, NN.err stderr and then
# "exit STATUS".  modern/ has the 32 outputs of cg_annotate itself, with `quern annotate` put for its name; the
# messages of 22, 23, 30 and 31 are ours.  own/ was worked out from the rules (own/README).
#
# To see a case: cd into a copy of the folder, touch the sources into the past, run the line.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

here=$top_srcdir/tests/golden/annotate

# Sources older than profiles, except those that a case wants newer (own/newer*).
copy_folder() {
    rm -rf "${SCRATCH:?}/$1"
    cp -R "$here/$1" "$SCRATCH/$1" || bail "cannot copy $1"
    chmod -R u+w "$SCRATCH/$1"
    find "$SCRATCH/$1" -type f -exec touch -d '2020-01-01 12:00:00' {} +
    find "$SCRATCH/$1" -name '*.cgout' -exec touch -d '2020-06-01 12:00:00' {} +
    find "$SCRATCH/$1" -name 'newer*' ! -name '*.cgout' -exec touch -d '2021-01-01 12:00:00' {} +
    [ ! -f "$SCRATCH/$1/make-sources.sh" ] || (cd "$SCRATCH/$1" && sh ./make-sources.sh)
}

# run_case FOLDER ARGUMENTS: in modern/ plain words; in own/ words of the shell, quotes and all.
run_case() (
    cd "$SCRATCH/$1" || exit 1
    if [ "$1" = own ]; then
        eval "\"\$QUERN\" annotate $2"
    else
        set -f
        # shellcheck disable=SC2086 # split into words
        "$QUERN" annotate $2
    fi >"$SCRATCH/got.out" 2>"$SCRATCH/got.err" </dev/null
    echo "exit $?" >>"$SCRATCH/got.err"
)

for folder in modern own; do
    [ -d "$here/$folder" ] || continue
    copy_folder "$folder"
    while IFS='	' read -r number arguments; do
        run_case "$folder" "$arguments"
        if [ "${REMAKE:-}" = "$folder" ]; then
            cp "$SCRATCH/got.out" "$here/$folder/$number.out"
            cp "$SCRATCH/got.err" "$here/$folder/$number.err"
        fi
        same_file "$SCRATCH/got.out" "$here/$folder/$number.out" "case $folder/$number: stdout of annotate $arguments"
        same_file "$SCRATCH/got.err" "$here/$folder/$number.err" "case $folder/$number: stderr and status"
    done <"$here/$folder/cases.txt"
done
done_testing
