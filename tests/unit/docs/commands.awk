# commands.awk - the commands of a document, and what it says that they print.
#
#   awk -v out=FOLDER/NAME -f commands.awk DOCUMENT         writes FOLDER/NAME.list: N|LINE|COMMAND, and for each "$ " command that is followed by
#                                                       lines of output FOLDER/NAME.N.shown
#
# A command is an indented line that begins with "$ ", or with a word of `commands` (and variables before it).  What stands behind two
# blanks is a remark; one that begins with "or: " is a command, too.  A command that ends in \ goes on in the next line.  Of a man page
# only EXAMPLES counts.  A block behind `<!-- file F -->` is that file: FOLDER/NAME.F.file, and file|LINE|F in the list.
#
#     quern run ./prog         a profile          -> quern run ./prog
#     $ quern dis --hex 90                        -> quern dis --hex 90
#     nop                                            which prints "nop"
BEGIN {
    list = out ".list"
    printf "" >list
    commands = "^([A-Z_]+=[^ ]* )*(quern|quern-valgrind|build/quern|sh|bash|make|gcc|cc|cp|sed|mkdir|git|patch|gdb|prove|podman|(\\.|\\.\\.)/(bootstrap|configure))( |$)"
}

# without_remark(TEXT): up to two blanks that are in no quotes; what follows them is left in `remark`
function without_remark(text,    i, c, quote) {
    remark = ""
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (quote != "") {
            if (c == quote)
                quote = ""
        } else if (c == "'" || c == "\"")
            quote = c
        else if (c == " " && substr(text, i + 1, 1) == " ") {
            remark = substr(text, i)
            sub(/^ +/, "", remark)
            return substr(text, 1, i - 1)
        }
    }
    return text
}

function command(text, prompt) {
    text = without_remark(text)
    print ++n "|" FNR "|" text >list
    shown = prompt ? out "." n ".shown" : ""
    kept = ""
    while (sub(/^or: /, "", remark) && remark ~ commands) {
        text = without_remark(remark)
        print ++n "|" FNR "|" text >list
    }
}

FILENAME ~ /\.1$/ {
    if (/^\.SH/)
        examples = /EXAMPLES/
    if (!examples || /^\./)
        next
    gsub(/\\-/, "-")
    gsub(/\\e/, "\\")
    $0 = "    " $0
    block = 1
}

/^<!-- file .* -->$/ { file = $3; print "file|" FNR "|" file >list; file = out "." file ".file"; printf "" >file; next }
file != "" && /^    / { print substr($0, 5) >file; next }
file != "" && /^$/ { print >file; next }
file != "" { close(file); file = "" }

# A block begins behind an empty line, and ends before a line that is neither empty nor indented.
/^$/ { empty = 1; if (shown != "") kept = kept "\n"; next }
!/^    / { block = 0; empty = 0; shown = ""; next }
empty || FNR == 1 { block = 1 }
{ empty = 0 }
!block { next }

{ text = $0; indent = match(text, /[^ ]/) - 1; sub(/^ +/, "", text) }
goes_on { goes_on = sub(/\\$/, "", text); joined = joined text; if (!goes_on) command(joined, 1); next }
text ~ /^\$ / && text ~ /\\$/ { joined = substr(text, 3); goes_on = sub(/\\$/, "", joined); next }
text ~ /^\$ / { depth = indent; command(substr(text, 3), 1); next }
shown != "" { printf "%s%s\n", kept, substr($0, depth + 1) >shown; kept = ""; next }
text ~ commands && indent < 10 { command(text, 0) }
