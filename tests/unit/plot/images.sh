#!/bin/sh
# Is there something in the pictures?  Each kind is drawn in each format.  Of PNG all pixels are counted (gnuplot itself reads them
# back): the colour of each curve must be there.  Of SVG the points of each curve are looked at: as many as the data has, and
# all within the picture.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

command -v gnuplot >/dev/null || absent_all 'gnuplot is not installed' 144
LC_ALL=C
export LC_ALL
cd "$top_srcdir/tests/golden/plot" || bail 'no goldens'

# colours FILE.png: "COUNT RED GREEN BLUE" of each
colours() {
    gnuplot -e "set table '$SCRATCH/pixels'; plot '$1' binary filetype=png with rgbimage" &&
        awk '!/^#/ && NF > 4 { n[$3 " " $4 " " $5]++ } END { for (c in n) print n[c], c }' "$SCRATCH/pixels"
}

# A white picture has one.  This one was looked at, too: it says so.
printf "set terminal pngcairo size 100,100\nset output '%s/white.png'\nunset border\nunset tics\nset yrange [0:1]\nplot 2 notitle\n" "$SCRATCH" |
    gnuplot 2>/dev/null
is "$(colours "$SCRATCH/white.png" | sort -rn | head -n 1)" '10000 255 255 255' 'a blank picture would be seen'

# has_colour FILE RED GREEN BLUE: of fifty pixels at least; also mixed with up to 70% white, as at the edges of lines and in hatches
has_colour() {
    colours "$1" | awk -v r="$2" -v g="$3" -v b="$4" '
        function off(x, y) { return x > y ? x - y : y - x }
        BEGIN { dr = 255 - r; dg = 255 - g; db = 255 - b; all = dr + dg + db }
        { t = (765 - $2 - $3 - $4) / all }
        t > 0.3 && off($2, 255 - t * dr) < 20 && off($3, 255 - t * dg) < 20 && off($4, 255 - t * db) < 20 { n += $1 }
        END { print n + 0; exit n < 50 }'
}
is "$(has_colour "$SCRATCH/white.png" 0 114 178)" 0 'and has no blue'

# curves NAME: how many colours it has
curves() {
    case $1 in
    size | size-one-panel | budget | curve | compare) echo 2 ;;
    threec*) echo 3 ;;
    *) echo 1 ;;
    esac
}

draw() { # draw NAME FORMAT
    # shellcheck disable=SC2046
    "$QUERN" plot $(cat "$1.kind") -o "$SCRATCH/$1.$2" 2>"$SCRATCH/err" || { cat "$SCRATCH/err"; return 1; }
    grep -v 'runs that failed' "$SCRATCH/err" && return 1
    test -s "$SCRATCH/$1.$2"
}

for command in *.kind; do
    name=${command%.kind}
    ok "$name: png" draw "$name" png
    n=$(curves "$name")
    ok '... blue is there' has_colour "$SCRATCH/$name.png" 0 114 178
    [ "$n" -lt 2 ] || ok '... and vermilion' has_colour "$SCRATCH/$name.png" 213 94 0
    [ "$n" -lt 3 ] || ok '... and green' has_colour "$SCRATCH/$name.png" 0 158 115
    ok '... and black text' has_colour "$SCRATCH/$name.png" 0 0 0
    ok "$name: pdf" draw "$name" pdf
    is "$(head -c 5 "$SCRATCH/$name.pdf")$(tail -c 6 "$SCRATCH/$name.pdf")" '%PDF-%%EOF' '... from its beginning to its end'
    ok "$name: svg" draw "$name" svg
done

# points FILE RED GREEN BLUE: of paths in this colour: how many points there are, and how many outside
points() {
    awk -v colour="rgb($2,$3,$4)" '
        /viewBox=/ { match($0, /viewBox="[^"]*"/); split(substr($0, RSTART + 9, RLENGTH - 10), box, " ") }
        /<path/ { text = ""; inside = 1 }
        inside { text = text " " $0 } # a long one has several lines
        inside && /\/>/ {
            inside = 0
            match(text, / d=\047[^\047]*/)
            count = split(substr(text, RSTART + 4, RLENGTH - 4), words, /[ML \t]+/)
            gsub(/ /, "", text)
            if (!index(text, "<pathstroke=\047" colour "\047"))
                next
            for (i = 1; i <= count; i++)
                if (split(words[i], xy, ",") == 2) {
                    n++
                    outside += xy[1] < 0 || xy[2] < 0 || xy[1] > box[3] || xy[2] > box[4]
                }
        }
        END { print n + 0, outside + 0 }' "$1"
}
is "$(points "$SCRATCH/mrc.svg" 0 114 178)" '7 0' 'svg: seven sizes, seven points, none outside'
is "$(points "$SCRATCH/size-where.svg" 0 114 178)" '3 0' 'three sizes'
is "$(points "$SCRATCH/time-one.svg" 0 114 178)" '3 0' 'three intervals'
is "$(points "$SCRATCH/sets.svg" 0 114 178)" '21 0' 'sixteen sets with a foot each, five with a top'
is "$(points "$SCRATCH/size.svg" 213 94 0)" '7 0' 'fifo in two panels: two sizes and three, and a sample of two ends in the legend'
for kind in *.kind; do
    file=$SCRATCH/${kind%.kind}.svg
    ok "${kind%.kind}: no text outside" awk '
        /viewBox=/ { match($0, /viewBox="[^"]*"/); split(substr($0, RSTART + 9, RLENGTH - 10), box, " ") }
        match($0, /translate\([^)]*\)/) { n++; split(substr($0, RSTART + 10, RLENGTH - 11), xy, ",")
            if (xy[1] < 0 || xy[2] < 0 || xy[1] > box[3] || xy[2] > box[4]) { print; bad = 1 } }
        END { exit bad || n < 5 }' "$file"
done

# The script beside a picture draws it again, wherever the folder is.
mkdir "$SCRATCH/moved"
# ... but for the title, which gnuplot leaves at its own name.
is "$(sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p' "$SCRATCH/mrc.svg" | head -n 1)" 'Misses by size of a fully associative cache (LRU)' \
    'the picture has a name of its own'
sed '0,/<title>.*<\/title>/s//<title>Gnuplot<\/title>/' "$SCRATCH/mrc.svg" >"$SCRATCH/mrc.first"
mv "$SCRATCH"/mrc.csv "$SCRATCH"/mrc.gp "$SCRATCH/moved"
ok 'the script runs by itself' sh -c "cd '$SCRATCH/moved' && gnuplot -d mrc.gp"
same_file "$SCRATCH/moved/mrc.svg" "$SCRATCH/mrc.first" '... and draws the same'
is "$(cd "$SCRATCH" && for f in *.svg.*; do echo "$f"; done)" '*.svg.*' 'no folder stays behind'

# A name with everything that might mean something to gnuplot
sed "s/^fn=hot/fn=a'b\`id\`\$(id)@{x}_^\\&\\\\n\"%s/" in/a.prof >"$SCRATCH/odd.prof"
"$QUERN" plot top "$SCRATCH/odd.prof" --title="it's \`id\` @{x}_^ %s" -o "$SCRATCH/odd.svg" 2>"$SCRATCH/err"
is "$?$(cat "$SCRATCH/err")" 0 'names with signs'
ok '... stand there as they are' grep -qF "a'b\`id\`\$(id)@{x}_^&amp;" "$SCRATCH/odd.svg"
ok '... and in the title' grep -qF "it's \`id\` @{x}_^ %s" "$SCRATCH/odd.svg"

ln -s elsewhere.svg "$SCRATCH/link.svg"
"$QUERN" plot size in/sweep.csv -o "$SCRATCH/link.svg"
"$QUERN" plot size in/sweep.csv -o "$SCRATCH/name.svg"
is "$? $(readlink "$SCRATCH/link.svg")" '0 elsewhere.svg' 'a link stays one'
same_file "$SCRATCH/elsewhere.svg" "$SCRATCH/name.svg" '... and leads to the picture'
done_testing
