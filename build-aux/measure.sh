#!/bin/sh
# measure.sh - how large is the house?
#
#   sh build-aux/measure.sh        `make measure`: a line for each figure
#   sh build-aux/measure.sh lines  one figure alone
#
# lines   .c, .h and .S of lib and tools, without labs' graders (lib/lab, tools/lab) and the modules of the zoo
# files   .c, .h and .S of lib and tools
# once    share of static functions, in per cent, that are called in one place only
# words   of doc/*.md, and the manual
set -u
cd "$(dirname "$0")/.." || exit 2

sources() { find lib tools -name '*.[chS]' | LC_ALL=C sort; }
house() { sources | grep -v '^lib/lab/\|^tools/lab/\|^lib/sim/\(policy\|prefetch\|level\|array\|coherence\|bpred\|analysis\)/'; }

measure() {
    case $1 in
    lines) house | xargs cat | wc -l ;;
    files) sources | wc -l ;;
    once)
        sources | grep '\.c$' | while read -r file; do
            tr -c 'A-Za-z0-9_\n' ' ' <"$file" | awk -v source="$file" '
                { for (i = 1; i <= NF; i++) used[$i]++ }
                END {
                    while ((getline line <source) > 0)
                        if (line ~ /^static [^=;]*\(/ && line !~ /;[ \t]*$/) {
                            sub(/\(.*/, "", line)
                            n = split(line, word, /[ *]/)
                            if (!seen[word[n]]++) { all++; once += used[word[n]] == 2 }
                        }
                    print once + 0, all + 0
                }'
        done | awk '{ once += $1; all += $2 } END { printf "%.0f\n", 100 * once / all }' ;;
    words) cat doc/*.md doc/manual/*.texi | wc -w ;;
    *) exit 2 ;;
    esac
}

if [ $# = 1 ]; then
    measure "$1"
else
    for what in lines files once words; do printf '%-6s %s\n' $what "$(measure $what)"; done
fi
