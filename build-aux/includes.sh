#!/bin/sh
# includes.sh - who includes whom: the folders of lib/ and tools/ as a graph, out of the sources.
#
#   sh build-aux/includes.sh >includes.dot               then: dot -Tsvg includes.dot >includes.svg   (graphviz)
#
#   "emit" -> "tcache" [label=3];                        three files of lib/emit include a header of lib/tcache
#
# Left out: lib/base and lib/text, which all may include (text: all that is hosted), and tools/, which sees everything.
set -u
cd "$(dirname "$0")/.." || exit 2
LC_ALL=C
export LC_ALL

cat <<'END'
digraph includes {
    graph [rankdir=TB, nodesep=0.25, ranksep=0.45];
    node [shape=box, style="rounded", fontname="sans-serif", fontsize=11, height=0.3];
    edge [color="#667788", fontname="sans-serif", fontsize=8, arrowsize=0.6];
END
for folder in lib/*/; do
    name=$(basename "$folder")
    case $name in base | text) continue ;; esac
    printf '    "%s";\n' "$name"
done
grep -rHoE '^[[:space:]]*#[[:space:]]*include "[a-z]+/[^"]*"' lib --include='*.[chS]' | sed 's/[[:space:]]*#[[:space:]]*include//' |
    awk -F'[:"]' '{
        split($1, from, "/")
        split($3, to, "/")
        if (from[2] != to[1] && to[1] != "base" && to[1] != "text" && !seen[$1, to[1]]++) edges[from[2] " " to[1]]++
    }
    END {
        for (e in edges) {
            split(e, w, " ")
            printf "    \"%s\" -> \"%s\" [label=%d%s];\n", w[1], w[2], edges[e], w[1] == "run" ? ", color=\"#c8d0d8\"" : ""
        }
    }' | sort
echo '}'
