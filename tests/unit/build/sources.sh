#!/bin/sh
# Is every C file, header and test in the lists that the makefile reads?  Is every script written for the shell that it names?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

# for_any_shell: scripts of `#!/bin/sh` that the most sparing of the shells here cannot read
for_any_shell() {
    shell=$(command -v dash || command -v sh)
    find "$top_srcdir/build-aux" "$top_srcdir/labs" "$top_srcdir/tests" "$top_srcdir/bootstrap" -type f \( -name '*.sh' -o -name bootstrap \) |
        while read -r script; do
            case $(head -n 1 "$script") in '#!/bin/sh') "$shell" -n "$script" 2>&1 ;; esac
        done
}

# left_behind: what somebody's quern has written in the top folder, and git has
left_behind() {
    (cd "$top_srcdir" && git ls-files -- ':(glob)*.csv' ':(glob)*.gp' ':(glob)*.svg' ':(glob)*.html' 2>/dev/null)
}

plan 3
ok 'sources.mk lists what the folders hold' sh "$top_srcdir/build-aux/sources.sh" --check
is "$(for_any_shell)" '' 'scripts are read by any shell'
is "$(left_behind)" '' 'no table, script or picture lies in the top folder'
done_testing
