# gallery.awk - doc/examples/README.md with its pictures: below a heading `## NAME: ...` what was made by `doc/examples/run.sh NAME`.
#
#   awk -v pictures=FOLDER -v path=doc/examples/README.md -f gallery.awk doc/examples/README.md
#
# Other documents pass as they are.
function have(file) { return system("test -f '" pictures "/" file "'") == 0 }
{ print }
path != "doc/examples/README.md" { next }
/^## [a-z]*: / {
    name = substr($2, 1, length($2) - 1)
    print "\n`sh doc/examples/run.sh " name "`"
    if (have(name ".html")) print "\n[" name ".html](pictures/" name ".html)"
    if (have(name ".svg") && name != "loops" && name != "machines") print "\n![" name "](" name ".svg)"
}
/^## The page of a program/ {
    print "\n`sh doc/examples/screens.sh`"
    if (have("demo.html")) print "\n[demo.html](pictures/demo.html)"
    list = "cd '" pictures "' && ls *.png 2>/dev/null"
    while ((list | getline file) > 0) print "\n![" substr(file, 1, length(file) - 4) "](" file ")"
}
