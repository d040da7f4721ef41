# index.awk - a page of the site for its search: a line for each section.
#
#   awk -v page=run.html -f index.awk run.html     ["run.html#regions", "Title of the page", "Regions", "its text"],
#
# What stands before <main> and below a heading `Source` is left out.
function words(html) {
    gsub(/<[^>]*>/, "", html)
    gsub(/&lt;/, "<", html); gsub(/&gt;/, ">", html); gsub(/&quot;/, "\"", html); gsub(/&[a-z#0-9]*;/, " ", html); gsub(/&amp;/, "\\&", html)
    gsub(/\\/, "\\\\", html); gsub(/"/, "\\\"", html); gsub(/[ \t\r]+/, " ", html)
    return html
}
function put() {
    if (section != "" && section != "Source") printf "[\"%s\", \"%s\", \"%s\", \"%s\"],\n", page (id == "" ? "" : "#" id), words(title), words(section), words(text)
    text = ""
}
match($0, /<title>[^<]*/) { title = substr($0, RSTART + 7, RLENGTH - 7); sub(/ - quern$/, "", title) }
!main { if (index($0, "<main>")) main = 1; else next; sub(/.*<div id="found" hidden><\/div>/, "") }
match($0, /<h[1-6][ >]/) {
    put()
    id = match($0, /<h[1-6][^>]* id="[^"]*"/) ? substr($0, RSTART, RLENGTH) : ""
    sub(/.* id="/, "", id); sub(/"$/, "", id)
    heading = $0
    sub(/.*<h[1-6][^>]*>/, "", heading); sub(/<\/h[1-6]>.*/, "", heading)
    section = heading
    sub(/.*<\/h[1-6]>/, "")
}
{ text = text " " $0 }
END { put() }
