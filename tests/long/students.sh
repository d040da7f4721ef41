#!/bin/sh
# students.sh - thirty generated students through all labs: has each the marks, the notes and the copies that were planned?
#
#   make -C build && sh tests/long/students.sh [LAB...]         half an hour on two cores, with GNU parallel
#
# s01 to s06   solve the variant of their handouts                    100
# s07 to s12   hand in the starter                                    0
# s13 to s16   solve it, with a mistake or with a part missing        between 1 and 99
# s17, s18     hand in the standard lab's solution                    0; 100 in labs 5 (no key here) and 6 (boxes)
# s19, s20     cheat: code that passes without the idea               0
# s21          is s01's folder                                        less than 100, but if the rules are the same; and a note
# s22          s01's files, with other names for variables            at least 85% in common with s01
# s23 to s25   solve it; .quern-lab is missing, cut, by another key   100, and a note
# s26          does not compile                                       0
# s27 to s29   hand in nothing, a folder, a link to s01's files       0
# s30          is a link to nowhere                                   refused by name
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/scratch.sh"
. "$top_srcdir/tests/unit/labs/variants.inc"

[ -d "$top_srcdir/labs/solutions" ] || skip_all 'the solutions are not here: this is a release' 1
on=here
command -v parallel >said 2>&1 && on=parallel
rm -rf class earlier
echo 'a key of this course' >key
[ $# != 0 ] || set -- 1 2 3 4 5 6 7 8 9 10 11 12 13

# start STUDENT [KEY]: the folder, and whose handout it is.
start() {
    if [ "$lab" = 5 ]; then set -- "$1" --seed="$(printf '%s%s' "$1" "${2:-}" | cksum | cut -d' ' -f1)"; else set -- "$1" --student="$1" --key-file="${2:-key}"; fi
    "$QUERN" lab start "$lab" "class/$1" "$2" ${3:+"$3"} >said 2>&1 || bail "start $lab: $(cat said)"
}

# The rules in a student's handout.
rules() { sed -n '5,/^$/p' "class/$1/HANDOUT.md"; }

# solve STUDENT
solve() {
    case $lab in
    5) cp "$labs"/solutions/05-*/*.c "class/$1" ;;
    6)
        cp "$labs"/solutions/06-*/*.c "class/$1"
        "${CC:-cc}" -O2 -I"$starter" -o probe "class/$1/probe.c" "$starter/box.c" || bail 'no compiler'
        "$QUERN" lab box --seed="$(sed -n 's/^seed //p' "class/$1/.quern-lab")" "class/$1" ./probe >found || bail "no box: $(cat found)"
        sed 's/^after [0-9]* questions: //' found | awk '{ for (i = 1; i < NF; i += 2) print $i, $(i + 1) }' >"class/$1/report.txt" ;;
    *) solve_variant "$lab" "class/$1" ;;
    esac
}

# A mistake of the lab, in a folder with a solution.
spoil() {
    case $lab in
    1) sed -i "s/op == 'I'/0/" "$1/csim.c" ;;
    2) sed -i 's/BLOCK 4/BLOCK 1/' "$1/kernels.c" ;;
    4) sed -i 's/with_distance\[least - 1 < m ? least - 1 : m\]/with_distance[least - 1 < 3 ? least - 1 : m]/' "$1/mrc.c" ;;
    8) sed -i '/^#define/!s/CYCLES_M/(CYCLES_M + 1)/' "$1/profile.c" ;;
    9) sed -i 's/part\[me\].count/part->count/' "$1/share.c" ;;
    11) sed -i 's/n\[BCM\] + n\[BIM\]/n[BCM]/' "$1/timing.c" ;;
    12) sed -i 's/CHILDREN 8/CHILDREN 2/' "$1/layout.c" ;;
    *) rm "$1/$last" ;;
    esac
}

# The cheats of the lab that need no solution, one a line.
cheats() { grep -l "^/\* lab $lab " "$top_srcdir"/tests/unit/labs/cheats/*.c | while read -r code; do sed 1q "$code" | grep -q 'over the solution' || echo "$code"; done; }

labs=$top_srcdir/labs
for lab in "$@"; do
    folder=$(basename "$labs"/"$(printf %02d "$lab")"-*) starter=$labs/$folder/starter
    files=$("$QUERN" lab list | sed -n "s/^ *$lab .*hand in //p")
    last=${files##* }
    rm -rf class && mkdir class
    for i in $(seq -w 29); do start "s$i"; done
    for i in 01 02 03 04 05 06 13 14 15 16 23 24; do solve "s$i"; done
    for i in 13 14 15 16; do spoil "class/s$i"; done
    for i in 17 18; do cp "$labs/solutions/$folder"/*.c "class/s$i"; done
    [ "$lab" != 6 ] || cp class/s01/report.txt class/s17
    cheats | head -n 2 >found
    i=19
    while read -r code; do
        for file in $(sed -n '1s/^[^0-9]* lab [0-9]* \([^:]*\):.*/\1/p' "$code"); do cp "$code" "class/s$i/$file"; done
        i=$((i + 1))
    done <found
    same=$([ "$(rules s21)" = "$(rules s01)" ] && echo 101 || echo 100)
    rm -rf class/s21 && cp -r class/s01 class/s21
    for file in $files; do
        sed 's/\<line\>/row/g; s/\<addr\>/place/g; s/\<i\>/index/g' "class/s01/$file" >"class/s22/$file"
        printf '#error no\n\377\n' >"class/s26/$file"
        rm "class/s27/$file" "class/s28/$file" "class/s29/$file"
        mkdir "class/s28/$file"
        ln -s "../s01/$file" "class/s29/$file"
    done 2>said
    rm class/s23/.quern-lab
    echo "lab $lab" >class/s24/.quern-lab
    echo 'the key of another course' >other
    rm -rf class/s25 && start s25 other && solve s25
    ln -s nowhere class/s30

    keyed=--key-file=key
    [ "$lab" != 5 ] || keyed=
    "$QUERN" lab marks --on=$on $keyed --case-seed=7 -o marks.csv "$lab" class >said 2>&1
    is "$?:$(grep -c 'class/s30: left out: No such file' said):$(grep -c 'left out\|could not' said)" 1:1:1 "lab $lab: who is no student is refused by name" || diag "$(cat said)"
    "$QUERN" json marks.csv >marks.json || bail 'not CSV'
    points() { jq -r --arg s "$1" '.rows[] | select(.student == $s) | .points' marks.json; }
    all() { for i in "$@"; do points "s$i"; done | sort -un | tr '\n' ' ' | sed 's/ $//'; }
    case $lab in 5 | 6) copied=$(all 17) ;; *) copied=0 ;; esac
    is "$(all 01 02 03 04 05 06 23 24)" 100 "lab $lab: solutions by the handout"
    is "$(all 07 08 09 10 11 12)" 0 "lab $lab: starters"
    some=$(all 13 14 15 16)
    ok "lab $lab: mistakes: $some" test -n "$some" -a "${some%% *}" -gt 0 -a "${some##* }" -lt 100
    is "$(all 17 18 | sed 's/ .*//')" "$copied" "lab $lab: the standard lab's solution"
    is "$(all 19 20)" 0 "lab $lab: cheats ($(grep -c . found))"
    is "$(all 26 27 28 29)" 0 "lab $lab: what is broken, missing, a folder, a link"
    is "$(jq -r '.rows[] | select(.note != "" and .note != null) | "\(.student) \(.note)"' marks.json | sed 's/; contest.*//; s/contest.*//; / $/d' |
        grep "^s2[1${keyed:+345}] " | sed 's/; .*//')" "s21 .quern-lab is that of s01${keyed:+
s23 no .quern-lab
s24 .quern-lab is cut or changed
s25 begun with another key or name}" "lab $lab: whose folder it is"
    case $lab in 5 | 6) ;; *) ok "lab $lab: the folder of another student: $(points s21)" test "$(points s21)" -lt "$same" ;; esac
    rm class/s30
    "$QUERN" lab export -o copies "$lab" class >said 2>&1 || diag "$(cat said)"
    pair=$(awk -F, '($1 == "s01" && $2 == "s22") || ($1 == "s22" && $2 == "s01")' copies/similar.csv)
    ok "lab $lab: a copy with other names: $pair" awk -F, -v pair="$pair" 'BEGIN { split(pair, p, ","); for (i in p) most = p[i] + 0 > most ? p[i] + 0 : most; exit !(most >= 85) }'
    diag "lab $lab: $(jq -r '.rows[].points' marks.json | sort -n | uniq -c | awk '{ printf "%s%s x %s", n++ ? ", " : "", $1, $2 }')"
    rm -rf copies
done
done_testing
