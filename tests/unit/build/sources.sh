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

plan 2
ok 'sources.mk lists what the folders hold' sh "$top_srcdir/build-aux/sources.sh" --check
is "$(for_any_shell)" '' 'scripts are read by any shell'
done_testing
