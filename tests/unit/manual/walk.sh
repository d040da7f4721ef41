#!/bin/sh
# reading.texi: is all that it names there, and does its hour lead from each function to the next?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

chapter=$top_srcdir/doc/manual/reading.texi
sed -n 's/@file{/\n&/gp' "$chapter" | sed -n 's/^@file{\([^}]*\)}.*/\1/p' | sort -u >files
while read -r file; do
    [ -e "$top_srcdir/$file" ] || ls "$top_srcdir/lib/decode/maps/$file"* >/dev/null 2>&1 || echo "$file"
done <files >missing
is "$(cat missing)" '' 'each file that the chapter names exists'

# "STOP FILE FUNCTION" for each function of the tour, "STOP FILE" for files without one
awk '/^@section From main/ { on = 1 } on && /^@end enumerate/ { exit }
    on && /^@item/ { stop++; next }
    on && stop {
        while (match($0, /@(file|code)\{[^}]*\}|\([0-9]+( minutes)?\)/)) {
            word = substr($0, RSTART, RLENGTH); $0 = substr($0, RSTART + RLENGTH)
            if (word ~ /^@file/) { file = substr(word, 7, length(word) - 7); print stop, file }
            else if (word ~ /^@code/) print stop, file, substr(word, 7, length(word) - 7)
            else minutes += substr(word, 2) + 0
        }
    }
    END { print stop, minutes >"sum" }' "$chapter" >tour
is "$(cat sum)" '16 60' 'sixteen stops take an hour'

# A function is defined in its file: at the start of a line, with a body.  It is called, from inside a function, in a file that has been read
# or in its own.  The engine is started by execve.
seen=
while read -r stop file function; do
    case " $seen " in *" $top_srcdir/$file "*) ;; *) seen="$seen $top_srcdir/$file" ;; esac
    [ -n "$function" ] || continue
    grep -q "^[a-z_].*\b$function(.*[^;]\$" "$top_srcdir/$file" || echo "$stop $file: $function is not defined there"
    # shellcheck disable=SC2086 # files
    [ "$function" = qn_engine_main ] || grep -q "^ .*\b$function(" $seen || echo "$stop $file: nothing calls $function"
done <tour >wrong
is "$(cat wrong)" '' 'each function is where it is said to be, and called by what has been read'

# The walk from a miss to a row of 3c, at most twelve files: each function, or struct, is defined in the file that is named.
awk '/^@section From a miss/ { on = 1 } on && /^@end enumerate/ { exit }
    on && match($0, /@file\{[^}]*\}/) {
        file = substr($0, RSTART + 6, RLENGTH - 7)
        print file >"row_files"
        while (match($0, /@code\{[^}]*\}/)) {
            print file, substr($0, RSTART + 6, RLENGTH - 7)
            $0 = substr($0, RSTART + RLENGTH)
        }
    }' "$chapter" >row
ok "$(wc -l <row_files) files lead to a row of 3c, at most 12" test "$(wc -l <row_files)" -le 12
while read -r file name; do
    grep -q "^\(.*[ *]\)\{0,1\}$name\((.*[^;]\| {\)\$" "$top_srcdir/$file" || echo "$file: $name is not defined there"
done <row >wrong
is "$(wc -l <row) $(cat wrong)" '12 ' 'and each function is where it is said to be'
done_testing
