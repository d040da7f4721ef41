# normalise.awk - take chance out of a classic report, so that two reports can be compared byte for byte.
#
#   awk -v sort=Ir,Dr -f normalise.awk REPORT
#
# cg_annotate 3.19 leaves three orders to Perl's hashes: that of functions with equal counts in all sort events, that of
# the annotated files, and that of the files named on the command line. Each such group is put in bytewise order here;
# nothing else is touched, and nothing is dropped.

function order(from, to,    i, k, held) {
    for (i = from + 1; i <= to; i++) {
        held = line[i]
        for (k = i - 1; k >= from && line[k] > held; k--) line[k + 1] = line[k]
        line[k + 1] = held
    }
}

# The counts of the sort events that are shown; the absolute value, and 1 for a dot, as the original compares them.
function key(text,    f, i, n, k) {
    gsub(/\( *-?[0-9.]+%\)/, "", text)
    n = split(text, f, " ")
    k = ""
    for (i = 1; i <= columns; i++)
        if (column[i] in sorts) {
            sub(/^-/, "", f[i])
            k = k " " (f[i] == "." ? "1" : f[i])
        }
    return k
}

# Groups of functions with equal keys, which stand together.
function order_functions(from, to,    i, start) {
    start = from
    for (i = from; i <= to; i++)
        if (i == to || key(line[i + 1]) != key(line[start])) {
            order(start, i)
            start = i + 1
        }
}

function is_frame(i) { return line[i] ~ /^-+$/ && length(line[i]) == 80 }
function is_title(i) { return is_frame(i) && line[i + 1] ~ /^-- (Auto|User)-annotated source: / && is_frame(i + 2) }

{ line[NR] = $0 }

END {
    split(sort, names, ",")
    for (i in names) sorts[names[i]] = 1
    for (i = 1; i <= NR; i++) {
        if (line[i] ~ /^User annotated:   ./) {
            sub(/^User annotated:   /, "                  ", line[i])
            for (k = i; line[k + 1] ~ /^                  /; k++) ;
            order(i, k)
            sub(/^                  /, "User annotated:   ", line[i])
        }
        if (line[i] ~ / file:function$/) {
            columns = split(line[i], column, " ") - 1
            for (k = i + 2; line[k] != ""; k++) ;
            if (k > i + 2) order_functions(i + 2, k - 1)
        }
    }
    # Blocks of annotated files become single texts, which are then ordered.
    for (i = 1; i <= NR; i++) {
        if (!is_title(i)) continue
        if (!first) first = i
        text = line[i]
        for (k = i + 1; k <= NR && (k <= i + 2 || !is_frame(k)); k++) text = text "\n" line[k]
        block[++blocks] = text
        past = k
        i = k - 1
    }
    for (i = 1; i < (first ? first : NR + 1); i++) print line[i]
    for (i = 1; i <= blocks; i++) line[NR + i] = block[i]
    order(NR + 1, NR + blocks)
    for (i = NR + 1; i <= NR + blocks; i++) print line[i]
    if (first) for (i = past; i <= NR; i++) print line[i]
}
