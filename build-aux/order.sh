#!/bin/sh
# order.sh - does every #include in lib/ and tools/ keep to lib/ORDER?
#
#   sh build-aux/order.sh [DIR]            DIR: the tree to look at (default: this one)
#   sh build-aux/order.sh --unused [DIR]   edges of lib/ORDER that no #include needs
#
#   lib/prof/read.c:12: prof may not include decode/decode.h (lib/ORDER)
#   lib/run/core/mode.c:12: a hot file may not name qn_calls_ (lib/ORDER)
#
# An include is taken as the compiler takes it: first next to the file itself, then from lib/.  Includes of a macro (the
# simulator slots) and of system headers are nobody's edge.  Status 1 if a line breaks the order, or if a folder
# is not in lib/ORDER.
set -u
unused=0
[ "${1-}" != --unused ] || { unused=1; shift; }
cd "${1:-$(dirname "$0")/..}" || exit 2

find lib tools -name '*.[chS]' -o -name '*.inc' | LC_ALL=C sort | awk -v unused=$unused '
function folder_of(path,    part) {
    split(path, part, "/")
    return part[1] == "lib" ? part[2] : part[1]
}
function there(path,    line, found) {
    found = (getline line <path) >= 0
    close(path)
    return found
}
# The path, below lib/, of what `file` means by "name"; "" if it is not ours.
function resolve(file, name,    dir) {
    dir = file
    sub(/\/[^\/]*$/, "", dir)
    if (there(dir "/" name)) {
        dir = dir "/" name
        while (sub(/[^\/]+\/\.\.\//, "", dir)) continue
        sub(/^lib\//, "", dir)
        return dir
    }
    if (there("lib/" name)) return name
    return ""
}
function may(from, header,    to) {
    to = folder_of("lib/" header)
    needed[from, "*"]
    needed[from, to]
    needed[from, header]
    return to == from || (to == "base" && from != "base") || (from, "*") in edge ||
           (from, to) in edge || (from, header) in edge
}
function complain(text) { print text; bad = 1 }
function check(file,    from, line, number, name, header, i) {
    from = folder_of(file)
    if (!(from in known)) { complain(file ": folder " from " is not in lib/ORDER"); return }
    while ((getline line <file) > 0) {
        number++
        for (i = 1; file in hot && i <= features; i++)
            if (index(line, feature[i])) complain(file ":" number ": a hot file may not name " feature[i] " (lib/ORDER)")
        if (line !~ /^[ \t]*#[ \t]*include[ \t]*"/) continue
        name = line
        sub(/^[^"]*"/, "", name)
        sub(/".*/, "", name)
        header = resolve(file, name)
        needed[substr(file, 5), header]
        if (header != "" && !may(from, header) && !((substr(file, 5), header) in edge) && !unused)
            complain(file ":" number ": " from " may not include " header " (lib/ORDER)")
    }
    close(file)
}
BEGIN {
    while ((getline line <"lib/ORDER") > 0) {
        sub(/#.*/, "", line)
        if (line !~ /:/ || line ~ /^circles:/) continue
        from = line
        sub(/:.*/, "", from)
        sub(/^[^:]*:/, "", line)
        known[from] = 1
        if (from == "features") { features = split(line, feature, " "); continue }
        count = split(line, word, " ")
        for (i = 1; from == "hot" && i <= count; i++) hot["lib/" word[i]]
        if (from == "hot") continue
        for (i = 1; i <= count; i++) edge[from, word[i]] = from ": " word[i]
    }
}
{ check($0) }
END {
    if (unused) for (e in edge) if (!(e in needed)) complain(edge[e] " is needed by no include")
    exit bad
}'
