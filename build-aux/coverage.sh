#!/bin/sh
# coverage.sh - of a build with --coverage whose tests have run: how many lines of lib/ and tools/ did they execute?
#
#   coverage.sh BUILD SRCDIR
#
#   lib/run/kernel/process.c             180 of    196 lines   91.8%      in BUILD/coverage.txt, for each file
#   run          1702 of   1833 lines   92.9%                      a line per folder of lib/, one for tools/, and one for all
#
# A line is what gcov calls one: code that gcc made something of.  It was executed if it was in any object that has it: the quern
# command, the engine, a simulator that a test built, a test in C.  Objects that never ran count with all their lines.
# BUILD/coverage.info is the same for genhtml (of lcov).  `make coverage` runs this.
set -u
build=$1
source=$(cd "$2" && pwd -P) || exit 1 # as gcov writes it
cd "$build" || exit 1

# gcov -t prints, for each source of an object:   COUNT:LINE:text   with line 0 for the name, - for no code, ##### for never.
find . -name '*.gcno' -exec gcov -t {} + 2>gcov.log | awk -F: -v top="$source/" '
    { count = $1; line = $2 + 0 }
    line == 0 && $3 == "Source" { file = substr($0, index($0, "Source:") + 7); ours = index(file, top "lib/") == 1 || index(file, top "tools/") == 1; next }
    !ours || line == 0 { next }
    { sub(/^ +/, "", count); sub(/\*$/, "", count) }
    count == "-" { next }
    count ~ /^[#=]/ { count = 0 }
    { times[file, line] += count; if (last[file] < line) last[file] = line }
    END {
        for (file in last) {
            lines = hit = 0
            print "SF:" file
            for (line = 1; line <= last[file]; line++)
                if ((file, line) in times) {
                    lines++
                    hit += times[file, line] > 0
                    printf "DA:%d,%d\n", line, times[file, line]
                }
            print "LF:" lines "\nLH:" hit "\nend_of_record"
        }
    }' >coverage.info

awk -F: -v top="$source/" '
    function percent(part, whole) { return sprintf("%6d of %6d lines  %5.1f%%", part, whole, 100 * part / whole) }
    $1 == "SF" { file = substr($2, length(top) + 1); split(file, part, "/"); folder = part[1] == "tools" ? "tools" : part[2] }
    $1 == "LF" { lines = $2; all[folder] += $2; total += $2 }
    $1 == "LH" {
        run[folder] += $2
        total_run += $2
        printf "%-32s %s\n", file, percent($2, lines) | "sort >coverage.txt"
    }
    END {
        if (!total) { print "coverage.sh: nothing was counted; see gcov.log" >"/dev/stderr"; exit 1 }
        for (folder in all) printf "%-8s %s\n", folder, percent(run[folder], all[folder]) | "sort"
        close("sort")
        printf "%-8s %s\n", "all", percent(total_run, total)
    }' coverage.info
