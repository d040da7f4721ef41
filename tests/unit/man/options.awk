# options.awk - the list of options of a manual page, out of what the command's --help prints.
#
#   quern diff --help | awk -f options.awk     "  -o OUT   text" becomes .TP, .B \-o OUT, text
/^  -/ {
    head = substr($0, 3)
    text = ""
    if (match(head, /  +/)) {
        text = substr(head, RSTART + RLENGTH)
        head = substr(head, 1, RSTART - 1)
    }
    put()
    last_head = head
    last_text = text
    next
}
last_head != "" && /^      / { sub(/^ +/, ""); last_text = last_text (last_text == "" ? "" : " ") $0; next }
{ put() }
END { put() }

function shown(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return text
}

function put() {
    if (last_head != "")
        printf ".TP\n.B %s\n%s\n", shown(last_head), last_text ~ /^[.']/ ? "\\&" shown(last_text) : shown(last_text)
    last_head = ""
}
