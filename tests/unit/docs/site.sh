#!/bin/sh
# The site of `make site`: has each document its page, does each link lead somewhere, does the search work from a file, is every page
# legible in both themes, on a telephone and on a desk?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/tap/browser.sh"

absent=
for tool in cmark-gfm makeinfo groff; do command -v $tool >/dev/null || absent="$absent $tool"; done
[ -z "$absent" ] || absent_all "not installed:$absent" 18
cd "$SCRATCH" || bail 'no scratch directory'
ok 'the site is made' sh "$top_srcdir/build-aux/site/site.sh" "$top_builddir" site

# dangling FOLDER: relative links of its pages that lead to no file, or to a name that their page has not
dangling() {
    (cd "$1" && find . -type f ! -path './pictures/*.html' | sed 's|^\./||' | sort >../files && grep '\.html$' ../files | xargs awk '
        BEGIN { while ((getline file <"../files") > 0) there[file] = 1 }
        {
            folder = FILENAME ~ /\// ? substr(FILENAME, 1, match(FILENAME, /[^\/]*$/) - 1) : ""
            while (match($0, / (id|name|href|src)="[^"]*"/)) {
                what = substr($0, RSTART + 1, index(substr($0, RSTART), "=") - 2)
                value = substr($0, RSTART + length(what) + 3, RLENGTH - length(what) - 4)
                $0 = substr($0, RSTART + RLENGTH)
                if (what == "id" || what == "name") named[FILENAME "#" value] = 1
                else if (value !~ /:/ && value !~ /^pictures\/.*html$/) link[FILENAME " " value] = value ~ /^#/ ? FILENAME value : folder value
            }
        }
        END {
            for (l in link) {
                while (match(link[l], /[^\/]*\/\.\.\//)) link[l] = substr(link[l], 1, RSTART - 1) substr(link[l], RSTART + RLENGTH)
                file = link[l]
                sub(/#.*/, "", file)
                if (!(file in there)) print l ": no file"
                else if (link[l] ~ /#./ && !(link[l] in named)) print l ": no such name"
            }
        }' | sort)
}
is "$(dangling site)" '' 'each link leads to a file and a name in it'
cp -r site broken && printf '<a href="none.html">x</a><a href="run.html#none">y</a><img src="pictures/no.svg">\n' >>broken/index.html
is "$(dangling broken | wc -l)" 3 '... and those that do not are found'

is "$(for file in "$top_srcdir"/doc/*.md; do [ -f "site/$(basename "$file" .md).html" ] || echo "$file"; done)" '' 'each page of doc is there'
is "$(find site -name 'lab-*.html' | wc -l)" "$(find "$top_srcdir"/labs/[0-9]* -name HANDOUT.md | wc -l)" '... and each lab'
is "$(find site -name 'man-*.html' | wc -l)" "$(find "$top_srcdir/doc/man" -name '*.1' | wc -l)" '... and each command'
is "$("$QUERN" sim list --json | jq -r '.modules[].name' | sort -u | while read -r name; do [ -f "site/module-$name.html" ] || echo "$name"; done)" '' '... and each module'
is "$("$QUERN" machine list | while read -r name rest; do [ -f "site/machine-$name.html" ] || echo "$name: $rest"; done)" '' '... and each machine'
is "$(grep -rlF -e "$top_srcdir" -e "$SCRATCH" site | head -n 3)" '' 'no page names a folder of the machine it was made on'

have_browser || absent_all "$browser_missing" 9
browser_start
open_page site/index.html
js 'const input = document.querySelector("#search"); input.value = "cachegrind misses"; input.dispatchEvent(new Event("input"))' >/dev/null
ok 'a search finds sections' test "$(js 'return document.querySelectorAll("#found h3 a").length')" -gt 2
open_page site/index.html
browser_keys /
browser_keys 'srrip'
is "$(js 'return document.querySelector("#found h3 a").href.replace(/.*\//, "")')" module-srrip.html '... the one that has the word as its heading first; a key leads there'
open_page site/manual/index.html
js 'const input = document.querySelector("#search"); input.value = "glossary"; input.dispatchEvent(new Event("input"))' >/dev/null
open_page "site/manual/$(js 'return [...document.querySelectorAll("#found h3 a")].map(a => a.href).find(h => h.includes("/manual/")).replace(/.*\//, "").replace(/#.*/, "")')"
ok '... in the folder of the manual, too' test "$(js 'return document.title' | grep -ci glossary)" = 1
is "$(browser_messages)" '' 'no errors'
is "$(browser_requests | grep -v '^file:\|^data:\|^about:')" '' 'nothing is asked of the network'
for window in '400 light' '400 dark' '1400 light' '1400 dark'; do
    faults=
    for page in index labs module-list module-srrip man-quern-run manual/Glossary; do
        [ -f "site/$page.html" ] || { faults="$faults $page: no page"; continue; }
        open_page "site/$page.html"
        js 'window.show = () => {}' >/dev/null
        # shellcheck disable=SC2086 # width and theme
        faults="$faults$(page_faults $window "$page")"
    done
    is "$faults" '' "legible at $window"
done
browser_end
trap - EXIT
done_testing
