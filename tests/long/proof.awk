# proof.awk - numbers of documents beside those that measurements printed: the second half of tests/long/proof.sh.
#
#   awk -v names=' demo bench ' -v out=FOLDER -f tests/long/proof.awk tests/long/proof.table       in the folder of the sources

# The numbers of a line, into number[1...]; returns how many.
function numbers(line, number,    word, n, i, count) {
    gsub(/[][|`]/, " ", line)
    n = split(line, word, /[ \t]+/)
    for (i = 1; i <= n; i++) {
        gsub(/^[x(]+|[),;:%.]+$/, "", word[i])
        if (word[i] ~ /^[0-9][0-9,]*(\.[0-9]+)?$/) number[++count] = word[i]
    }
    return count + 0
}
function first_word(line) {
    gsub(/[|]/, " ", line)
    split(line, parts, " ")
    sub(/:$/, "", parts[1])
    return parts[1]
}
# The first line of a file that matches, or has the first word; "" if none
function line_of(file, pattern, word,    line, found) {
    while (found == "" && (getline line <file) > 0)
        if (pattern == "=" ? first_word(line) == word : line ~ pattern) found = line
    close(file)
    return found
}
function complain(what) { print what; failed = 1 }

# One line of a document beside one of a measurement.
function compare(document, at, text, name, made_line, map,    n, m, i, pair, pairs, as_number, decimals, made_value, same) {
    n = numbers(text, written)
    m = numbers(made_line, made)
    if (map == "all") for (i = 1; i <= n; i++) pairs[i] = i "=" i
    else n = split(map, pairs, " ")
    for (i = 1; i <= n; i++) {
        split(pairs[i], pair, "=")
        if (!(pair[1] in written) || pair[2] > m) { complain(document ":" at ": " name " printed no number " pair[2] ": " made_line); continue }
        as_number = written[pair[1]]
        gsub(/,/, "", as_number)
        decimals = index(as_number, ".") ? length(as_number) - index(as_number, ".") : 0
        made_value = made[pair[2]]
        gsub(/,/, "", made_value)
        same = sprintf("%." decimals "f", made_value) == as_number
        printf "%-34s %-10s %14s %14s %8s%s\n", document ":" at, name, written[pair[1]], made[pair[2]], as_number == 0 ? "-" : sprintf("%.3f", made_value / as_number),
            kind[name] == "count" && !same ? "  DIFFERS" : ""
        if (kind[name] == "count" && !same) failed = 1
        compared[document]++
    }
    delete written
    delete made
}

BEGIN { printf "%-34s %-10s %14s %14s %8s\n", "where", "measured", "written", "made", "ratio" }
/^#/ || NF == 0 { next }
/^[a-z]+ = [a-z]+: / { kind[$1] = substr($3, 1, length($3) - 1); next }
{
    # A bar between blanks parts the columns; one that is preceded by a backslash belongs to a pattern.
    row = $0
    gsub(/\\[|]/, "\001", row)
    n = split(row, column, / [|] /)
    for (i = 1; i <= n; i++) gsub(/\001/, "[|]", column[i])
    if (n != 5 || !(column[3] in kind)) { complain(FILENAME ":" FNR ": want DOCUMENT | LINE | NAME | LINE | N=M"); next }
    found = at = 0
    while ((getline text <column[1]) > 0) {
        at++
        if (text !~ column[2]) continue
        found++
        if (!index(names, " " column[3] " ")) continue
        line = line_of(out "/" column[3] ".out", column[4], first_word(text))
        if (line == "") complain(column[1] ":" at ": " column[3] " printed no such line")
        else compare(column[1], at, text, column[3], line, column[5])
    }
    close(column[1])
    if (!found) complain(FILENAME ":" FNR ": " column[1] " has no such line")
    documents[column[1]]
}
END {
    for (document in documents) {
        all = 0
        while ((getline text <document) > 0) if (text ~ /^([|]|    )/) all += numbers(text, written)
        delete written
        print document ": " compared[document] + 0 " numbers made anew; its tables and blocks have " all
    }
    exit failed
}
