# update.awk - a chapter with each example replaced by what came when it was run: GOT.N.got.
/^@c (file|run|run-c)( |$)/ { kind = $2 }

/^@verbatim$/ && kind != "" {
    print
    file = got "." ++n ".got"
    while ((getline line < file) > 0)
        print line
    close(file)
    skipping = 1
    next
}

/^@end verbatim$/ { skipping = 0; kind = "" }

!skipping
