#!/bin/sh
# circles.sh - which C files of one folder of lib/ need each other, directly or through others?
#
#   sh build-aux/circles.sh BUILD          after make: what each object file defines and wants is asked of nm
#
#   prof: read.c write.c                   read.c calls a function of write.c, which calls one of read.c
#
# A circle is printed as a line, its files in the order of their names.  Files of two folders are lib/ORDER's matter.
set -u
LC_ALL=C
export LC_ALL
build=$1
cd "$(dirname "$0")/.." || exit 2

sed -n 's/^\t\(lib\/[^ ]*\)\.c\( .*\)*$/\1/p' sources.mk | sort -u | while read -r stem; do
    for object in "$build/$stem.o" "$build/${stem%/*}/quern_engine-${stem##*/}.o"; do
        [ -f "$object" ] && echo "$object" && break
    done
done | xargs nm | awk -v build="$build/" '
/^[^ ].*:$/ {
    file = substr($0, length(build) + 1, length($0) - length(build) - 3)
    sub(/quern_engine-/, "", file)
    split(file, part, "/")
    folder[file] = part[2]
    files[++count] = file
    next
}
NF == 2 && $1 == "U" { wants[file] = wants[file] " " $2; next }
NF == 3 && $2 ~ /^[A-TV-Z]$/ { where[folder[file], $3] = file }
function visit(from, at,    list, n, i, to) {
    n = split(wants[at], list, " ")
    for (i = 1; i <= n; i++) {
        to = where[folder[at], list[i]]
        if (to != "" && to != at && !((from, to) in reached)) {
            reached[from, to]
            visit(from, to)
        }
    }
}
END {
    for (i = 1; i <= count; i++) visit(files[i], files[i])
    for (i = 1; i <= count; i++) {
        if (!((files[i], files[i]) in reached) || told[files[i]]) continue
        line = folder[files[i]] ":"
        for (k = i; k <= count; k++)
            if (files[k] == files[i] || ((files[i], files[k]) in reached && (files[k], files[i]) in reached)) {
                told[files[k]] = 1
                name = files[k]
                sub(/.*\//, "", name)
                line = line " " name ".c"
            }
        print line
    }
}'
