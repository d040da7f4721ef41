# lines.awk - a profile as one record per line of source, for comparing two profiles number for number.
#
#   fl=/x/a.c                       /x/a.c f 12 3 1 1 0 0 0 0 0 0 1 0 0 0
#   fn=f                       ->   summary 3 1 1 0 0 0 0 0 0 1 0 0 0
#   12 3 1 1 0 0 0 0 0 0 1 0 0 0
#   summary: 3 1 1 ...
#
# Only what comes after `events:` is looked at.  Several entries of the same file, function and line are added up; lines
# whose counts are all zero are the same as none and are left out.  Pipe the output through sort.
#
# -v source=/x/a.c: lines of that file with the word "quirk:" in them are left out, and their counts are taken off the
# summary: there Cachegrind counts artefacts of its own, and the manual has a row about it.  (%.0f: the %d of some awks ends
# at 2^31.)
function base(path) { sub(/.*\//, "", path); return path }

BEGIN {
    while (source != "" && (getline text <source) > 0) {
        number++
        if (text ~ /quirk:/) quirk[base(source), number] = 1
    }
}
/^events: / { events = NF - 1; next }
!events { next }
/^(fl|fi|fe)=/ { file = substr($0, 4); next }
/^fn=/ { name = substr($0, 4); next }
/^summary: / { for (i = 1; i <= events; i++) total[i] += $(i + 1); has_summary = 1; next }
/^[0-9]/ && (base(file), $1) in quirk { for (i = 1; i <= events; i++) total[i] -= $(i + 1); next }
/^[0-9]/ {
    key = file " " name " " $1
    seen[key] = 1
    for (i = 1; i <= events; i++) sum[key, i] += $(i + 1)
}
END {
    for (key in seen) {
        counts = ""
        nonzero = 0
        for (i = 1; i <= events; i++) {
            counts = counts " " sprintf("%.0f", sum[key, i])
            if (sum[key, i] != 0) nonzero = 1
        }
        if (nonzero) print key counts
    }
    if (!has_summary) exit
    counts = ""
    for (i = 1; i <= events; i++) counts = counts " " sprintf("%.0f", total[i])
    print "summary" counts
}
