# printed.awk - does the summary that was printed say what the profile says?  awk -f printed.awk LOG... PROFILE...
#
# in:  ==12== I   refs:      110,477          of every process: LOG
#      summary: 110477 982 ...                PROFILE, whose name is the number of its process: 12
# out: nothing, or a line for each number that differs; status 1 if any does
#
# Counts only: rates are derived.  A log comes before the profiles that it is about.
function number(text) {
    gsub(/,/, "", text)
    return text + 0
}

# keep PROCESS LABEL: "total  (a rd + b wr)" -> printed[process, label 1..3]
function keep(process, label, text,    part, n, i) {
    gsub(/[()+]/, " ", text)
    gsub(/rd|wr|cond|ind/, " ", text)
    n = split(text, part, " ")
    for (i = 1; i <= n; i++) printed[process, label, i] = number(part[i])
}

function expect(label, i, wanted) {
    if (!((pid, label, i) in printed)) return
    compared++
    if (printed[pid, label, i] != wanted) {
        print FILENAME ": printed is " printed[pid, label, i] " in place " i " of " label ", the profile has " wanted
        bad = 1
    }
}

/^==[0-9]+== [A-Z].*:/ && !/rate:/ {
    process = $1
    gsub(/=/, "", process)
    label = $0
    sub(/^==[0-9]+== /, "", label)
    text = label
    sub(/:.*/, "", label)
    sub(/^[^:]*:/, "", text)
    gsub(/ +/, " ", label)
    if (text ~ /^ *[0-9]/) keep(process, label, text)
    next
}

/^events:/ { split("", column); for (i = 2; i <= NF; i++) column[$i] = i }

/^summary:/ {
    pid = FILENAME
    sub(/.*\//, "", pid)
    expect("I refs", 1, value("Ir")); expect("I1 misses", 1, value("I1mr")); expect("LLi misses", 1, value("ILmr"))
    triple("D refs", value("Dr"), value("Dw")); triple("D1 misses", value("D1mr"), value("D1mw"))
    triple("LLd misses", value("DLmr"), value("DLmw"))
    triple("LL refs", value("I1mr") + value("D1mr"), value("D1mw"))
    triple("LL misses", value("ILmr") + value("DLmr"), value("DLmw"))
    triple("Branches", value("Bc"), value("Bi")); triple("Mispredicts", value("Bcm"), value("Bim"))
    if (!compared) { print FILENAME ": no summary was printed for it"; bad = 1 }
    compared = 0
}

function value(event) { return (event in column) ? $(column[event]) + 0 : 0 }

function triple(label, first, second) {
    expect(label, 1, first + second); expect(label, 2, first); expect(label, 3, second)
}

END { exit bad }
