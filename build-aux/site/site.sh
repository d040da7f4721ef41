#!/bin/sh
# site.sh - the documentation as a folder of HTML pages, for a web server or a file: manager.
#
#   site.sh BUILD OUT [PICTURES]     `make site`: OUT is build/site, PICTURES what doc/examples/run.sh and screens.sh made
#
# in:  README.md, HACKING, NEWS, doc/*.md, the manual's chapters, man pages, handouts of labs, heads of modules (quern sim show), machine files
# out: OUT/index.html, a page for each, OUT/index.js (the sections of all pages, which site.js searches), OUT/pictures
#
# cmark-gfm makes HTML of Markdown, makeinfo of the manual.  Each page names its files relative to itself: OUT may be opened from a disk.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
here=$top/build-aux/site
: "${QUERN:=$1/quern}"
rm -rf "$2" && mkdir -p "$2/pictures" && out=$(cd "$2" && pwd)
for tool in cmark-gfm makeinfo groff; do
    command -v $tool >/dev/null || { echo "site.sh: $tool is missing (Debian: cmark-gfm, texinfo, groff)" >&2; exit 1; }
done
cp "$top/lib/page/scripts/style.css" "$here/site.css" "$here/site.js" "$out"
cp "$top"/doc/examples/*.svg "$out/pictures"
[ -z "${3:-}" ] || (cd "$3" && for file in *.svg *.html screens/*.png; do [ ! -f "$file" ] || cp "$file" "$out/pictures"; done)

escaped() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'; }

# head ROOT, title TITLE: what a page begins with
styles() { printf '<link rel="stylesheet" href="%sstyle.css"><link rel="stylesheet" href="%ssite.css"><script defer src="%sindex.js"></script><script defer src="%ssite.js"></script>' "$1" "$1" "$1" "$1"; }
head() {
    printf '<div id="head"><div class="bar"><nav aria-label="site"><a href="%sindex.html">quern</a><a href="%smanual/index.html">Manual</a><a href="%scommands.html">Commands</a>' "$1" "$1" "$1"
    printf '<a href="%smodule-list.html">Modules</a><a href="%smachines.html">Machines</a><a href="%slabs.html">Labs</a><a href="%sexamples.html">Gallery</a></nav>' "$1" "$1" "$1" "$1"
    printf '<input type="search" id="search" aria-label="search" placeholder="search (press /)"></div></div><main><div id="found" hidden></div>'
}
# page NAME TITLE: stdin is its content
page() {
    {
        printf '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>%s - quern</title>' "$2"
        styles '' && printf '</head><body>' && head '' && echo && cat && printf '</main></body></html>\n'
    } >"$out/$1.html"
}
# of FILE.md: its first heading
title() { sed -n 's/^# *//p' "$1" | sed 1q | escaped; }

# Which page a document becomes.
for file in README.md labs/README.md doc/examples/README.md doc/*.md labs/*/HANDOUT.md; do
    for path in "$top"/$file; do
        path=${path#"$top/"}
        case $path in
        README.md) page=index ;;
        labs/README.md) page=labs ;;
        doc/examples/README.md) page=examples ;;
        labs/*) page=lab-$(basename "$(dirname "$path")") ;;
        *) page=$(basename "$path" .md) ;;
        esac
        echo "$path $page.html"
    done
done >"$out/pages"
printf '%s\n' 'HACKING hacking.html' 'NEWS news.html' >>"$out/pages"

while read -r path page; do
    folder=$(dirname "$path")
    case $path in
    HACKING | NEWS) { printf '<h1>%s</h1><pre>' "$path" && escaped <"$top/$path" && echo '</pre>'; } | page "${page%.html}" "$path" && continue ;;
    esac
    awk -v pictures="$out/pictures" -v path="$path" -f "$here/gallery.awk" "$top/$path" |
        cmark-gfm --extension table --extension autolink | awk -v folder="$folder" -v pages="$out/pages" -f "$here/finish.awk" |
        page "${page%.html}" "$(title "$top/$path")"
done <"$out/pages"
# Handouts are reached from the page of the labs.
for path in "$top"/labs/*/HANDOUT.md; do
    printf '<li><a href="lab-%s.html">%s</a></li>\n' "$(basename "$(dirname "$path")")" "$(title "$path")"
done >"$out/list"
sed -i -e '/<\/h1>/{r '"$out/list"'
a </ul>
}' -e 's|</h1>|</h1><ul>|' "$out/labs.html"

# Modules and machines: a list in which each name is a link, and a page for each.
list() { # PREFIX: links the first word of indented lines, or of each line
    escaped | awk -v prefix="$1" 'prefix == "module" ? $2 ~ /^[12][0-9][0-9][0-9]$/ : NF {
        match($0, /[^ ]+/)
        $0 = substr($0, 1, RSTART - 1) "<a href=\"" prefix "-" $1 ".html\">" $1 "</a>" substr($0, RSTART + RLENGTH) } { print }' | sed '1i <pre>
$a </pre>'
}
{ echo '<h1>Modules that ship</h1><p>Each is a C file. How to write one: <a href="modules.html">modules</a>.</p>' && "$QUERN" sim list | list module; } | page module-list Modules
{ echo '<h1>Machines that ship</h1><p>For <code>quern run --machine=NAME</code>.</p>' && "$QUERN" machine list | list machine; } | page machines Machines
sed -n 's/^ .*href="module-\([^"]*\)\.html".*/\1/p' "$out/module-list.html" | sort -u | while read -r name; do
    {
        printf '<h1>%s</h1><pre>' "$name" && "$QUERN" sim show "$name" | sed "s|$top/||" | escaped && echo '</pre><h2>Source</h2>'
        "$QUERN" sim show "$name" | sed -n 's|^\(/.*\.c\)  [^ ]*$|\1|p' | while read -r file; do echo '<pre>' && escaped <"$file" && echo '</pre>'; done
    } | page "module-$name" "$name"
done
sed -n 's/^<a href="machine-\([^"]*\)\.html".*/\1/p' "$out/machines.html" | while read -r name; do
    { printf '<h1>%s</h1><pre>' "$name" && "$QUERN" machine show "$name" | sed "s,$top/,," | escaped && echo '</pre>'; } | page "machine-$name" "$name"
done

# Man pages as a terminal shows them.
for file in "$top"/doc/man/*.1; do
    name=$(basename "$file" .1)
    { printf '<h1>%s</h1><pre>' "$name" && groff -mandoc -Tutf8 -rLL=100n -P-c -P-b -P-u "$file" | escaped && echo '</pre>'; } | page "man-$name" "$name"
    printf '<li><a href="man-%s.html">%s</a>\n' "$name" "$(sed -n '/^\.SH NAME/{n;p;}' "$file" | sed 's/\\//g' | escaped)"
done | { echo '<h1>Commands</h1><ul>' && cat && echo '</ul>'; } | page commands Commands

makeinfo --html --css-ref=../style.css -c EXTRA_HEAD="<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">$(styles ../)" \
    -c AFTER_BODY_OPEN="$(head ../)" -c PRE_BODY_CLOSE='</main>' -o "$out/manual" "$top/doc/manual/quern.texi"

rm "$out/pages" "$out/list"
(cd "$out" && for file in *.html manual/*.html; do awk -v page="$file" -f "$here/index.awk" "$file"; done | sed '1i const sections = [
$a ];') >"$out/index.js"
