# totals.awk - is a profile the sum of its parts?  awk -f totals.awk PROFILE...
#
# in:  events: Ir I1mr ILmr ...    fn=main    12 3 0 0 ...    summary: 3 0 0 ...
# out: nothing, or a line for each thing that cannot be; status 1 if there is one
#
# Holds: each line of the body has as many numbers as there are events; the summary is their sum; no misses without
# references, no misses in LL without misses in L1.  Sums stay below 2^53, where awk's numbers are exact.
function finish(    i) {
    if (profile == "") return
    if (!have_summary) { wrong("no summary line"); return }
    for (i = 1; i <= events; i++)
        if (sum[i] != summary[i]) wrong(name[i] " sums to " sum[i] ", the summary says " summary[i])
    at_most("I1mr", "Ir"); at_most("ILmr", "I1mr"); at_most("D1mr", "Dr"); at_most("DLmr", "D1mr")
    at_most("D1mw", "Dw"); at_most("DLmw", "D1mw"); at_most("Bcm", "Bc"); at_most("Bim", "Bi")
    if (!(summary[column["Ir"]] > 0)) wrong("not one instruction")
}

function wrong(text) { print profile ": " text; bad = 1 }

function at_most(small, large) {
    if ((small in column) && (large in column) && summary[column[small]] > summary[column[large]])
        wrong(small " " summary[column[small]] " is more than " large " " summary[column[large]])
}

FNR == 1 {
    finish()
    profile = FILENAME
    have_summary = events = 0
    split("", sum); split("", column); split("", summary)
}
/^events:/ { events = NF - 1; for (i = 1; i <= events; i++) { name[i] = $(i + 1); column[$(i + 1)] = i }; next }
/^summary:/ { have_summary = 1; for (i = 1; i <= events; i++) summary[i] = $(i + 1) + 0; next }
/^[0-9]/ {
    if (NF != events + 1) wrong(FNR ": " NF - 1 " numbers, " events " wanted")
    for (i = 1; i <= events; i++) sum[i] += $(i + 1)
}
END { finish(); exit bad }
