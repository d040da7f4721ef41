# finish.awk - HTML of cmark-gfm as a page of the site has it.
#
#   awk -v folder=doc -v pages=LIST -f finish.awk     folder: where the Markdown lies; LIST: lines of `doc/run.md run.html`
#
# Headings get the names that GitHub gives them; a link to a document, or its name in a code span, leads to its page; pictures lie in
# pictures/; a table may be wider than its page.
BEGIN { while ((getline line <pages) > 0) { split(line, word, " "); page[word[1]] = word[2] } }

function slug(text) {
    gsub(/<[^>]*>|&[a-z]*;/, "", text)
    text = tolower(text)
    gsub(/[^a-z0-9_ -]/, "", text)
    gsub(/ /, "-", text)
    return text
}
function page_of(path) {
    return path in page ? page[path] : folder "/" path in page ? page[folder "/" path] : ""
}
{
    if (match($0, /^<h[1-6]>/)) $0 = substr($0, 1, 3) " id=\"" slug($0) "\"" substr($0, 4)
    gsub(/<table>/, "<div class=\"wide\"><table>")
    gsub(/<\/table>/, "</table></div>")
    line = ""
    while (match($0, /(<code>[^< ]*<\/code>|href="[^":]*"|src="[^":]*")/)) {
        line = line substr($0, 1, RSTART - 1)
        found = substr($0, RSTART, RLENGTH)
        $0 = substr($0, RSTART + RLENGTH)
        if (found ~ /^src/) {
            sub(/^src="([^"]*\/)?/, "src=\"pictures/", found)
        } else if (found ~ /^href/) {
            path = substr(found, 7, length(found) - 7)
            part = ""
            if (match(path, /#.*/)) { part = substr(path, RSTART); path = substr(path, 1, RSTART - 1) }
            if (page_of(path) != "") found = "href=\"" page_of(path) part "\""
        } else {
            path = substr(found, 7, length(found) - 13)
            if (page_of(path) != "") found = "<a href=\"" page_of(path) "\">" found "</a>"
        }
        line = line found
    }
    print line $0
}
