# blocks.awk - the examples of one chapter of the manual, a file each: OUT.N, its mark OUT.N.mark (kind|argument|needed
# command|line), the filter OUT.N.filter, and OUT.list, the numbers.  manual.sh has the marks.
BEGIN { list = out ".list"; printf "" > list }

/^@c needs / { needs = substr($0, 10) }

/^@c (file|run|run-c)( |$)/ {
    kind = $2
    argument = kind == "file" ? $3 : ""
    filter = ""
    if (kind != "file" && NF > 2) {
        filter = $0
        sub(/^@c [a-z-]+ \| /, "", filter)
    }
    line = NR
}

/^@verbatim$/ {
    inside = kind != ""
    if (inside) {
        file = out "." ++n
        print n > list
        print kind "|" argument "|" needs "|" line > (file ".mark")
        print filter > (file ".filter")
        printf "" > file
    }
    next
}

/^@end verbatim$/ {
    if (inside) {
        close(file)
        close(file ".mark")
        close(file ".filter")
    }
    inside = 0
    kind = needs = ""
    next
}

inside { print > file }

END { if (inside || kind != "") { print "example without its block or its end" > "/dev/stderr"; exit 1 } }
