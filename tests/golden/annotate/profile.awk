# profile.awk - write one profile, the same for the same numbers, and the sources that it speaks of.
#
#   awk -v seed=3 -v events="Ir Dr" -v files=4 -v functions=6 -v lines=8 -v max=1000 [-v dots=1] [-v short=1]
#       [-v negative=1] [-v ties=1] [-v zero=1] -f profile.awk </dev/null
#
# dots: some counts are "."; short: some lines end early; negative: some counts are; ties: few distinct counts;
# zero: one event is 0 everywhere. Files are called src/fK.c (they exist: classic.sh makes them), sub/gK.h, missing/K.c
# and ???. Every (file, function) pair comes once, lines may come twice.

# A generator of our own, so that every awk gives the same: x = (x * 1103 + 12345) mod 2^22, upper bits.
function random(n) {
    state = (state * 1103 + 12345) % 4194304
    return int(state / 64) % n
}

function file_name(k) {
    if (k % 5 == 4) return "???"
    if (k % 5 == 3) return "missing/m" k ".c"
    if (k % 5 == 2) return "g" k ".h"
    return "src/f" k ".c"
}

function count(i,    c) {
    if (zero && i == zero) return 0
    c = ties ? random(4) : random(max)
    if (!ties && random(6) == 0) c = random(max) * 997
    if (random(3) == 0) c = 0
    return negative && random(4) == 0 ? -c : c
}

BEGIN {
    state = seed * 7919 + 1
    for (i = 0; i < 20; i++) random(2)
    n = split(events, name, " ")
    if (n > 3) print "desc: I1 cache:         32768 B, 64 B, 8-way associative"
    if (n > 3) print "desc: D1 cache:         32768 B, 64 B, 8-way associative"
    if (seed % 3) print "desc: Trigger:          Program termination"
    print "cmd: ./prog" seed " --with \"an argument\" \\n"
    print "events: " events (seed % 2 ? " " : "")
    for (k = 0; k < files; k++) {
        print "fl=" file_name(k)
        for (f = 0; f < functions; f++) {
            if (f % 2 == 1 && seed % 2) print "fl=" file_name(k)
            print "fn=" (f % 4 == 3 ? "ns::op" f "(int, char*) [clone .k" k "]" : "fun" k "_" f)
            at = random(7) == 0 ? 0 : random(10)
            for (l = 0; l < lines; l++) {
                text = at
                for (i = 1; i <= n; i++) {
                    if (short && i > 1 && random(5) == 0) break
                    c = dots && random(4) == 0 ? "." : count(i)
                    text = text " " c
                    if (c != ".") sum[i] += c
                }
                print text (random(9) ? "" : " ")
                at += random(4) ? random(3) : random(60)
            }
            if (random(8) == 0) print ""
            if (random(8) == 0) print "# a remark: fn=nothing"
        }
    }
    text = "summary:"
    for (i = 1; i <= n; i++) text = text " " sum[i] + 0
    print text
}
