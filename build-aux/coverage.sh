#!/bin/sh
# coverage.sh - of a build with --coverage whose tests have run: how many lines of lib/ did they execute?
#
#   coverage.sh BUILD SRCDIR
#
# Out: a line per folder and one for all of lib/; BUILD/coverage.info for genhtml.  Files that no test has touched count with
# all their lines.  `make coverage` runs this; lcov is needed.
set -u
build=$1
source=$2
command -v lcov >/dev/null || { echo 'coverage.sh: lcov is not installed' >&2; exit 1; }
cd "$build" || exit 1

take() { lcov -q -c -d . --no-external -b "$source" --rc lcov_branch_coverage=0 "$@"; }
{
    take -i -o all.info && take -o run.info && lcov -q -a all.info -a run.info -o both.info &&
        lcov -q -e both.info "$source/lib/*" -o coverage.info
} 2>lcov.log || { cat lcov.log >&2 && exit 1; }

# SF: file, LF: lines, LH: lines hit
awk -F: -v top="$source/lib/" '
    $1 == "SF" { folder = substr($2, length(top) + 1); sub(/\/.*/, "", folder) }
    $1 == "LF" { lines[folder] += $2; all += $2 }
    $1 == "LH" { hit[folder] += $2; all_hit += $2 }
    END {
        for (folder in lines) printf "%-8s %6d of %6d lines  %5.1f%%\n", folder, hit[folder], lines[folder], 100 * hit[folder] / lines[folder] | "sort"
        close("sort")
        printf "%-8s %6d of %6d lines  %5.1f%%\n", "lib/", all_hit, all, 100 * all_hit / all
    }' coverage.info
