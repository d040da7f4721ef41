# installed.awk - a page of documentation as it is installed: `make install` puts doc/run.md to run.md beside README.md.
#
#   awk -v labs=/usr/local/share/quern/labs -f installed.awk README.md
#
# Of README.md, what is about the sources stays out: two sections, and lines that name HACKING or a target of make.
BEGIN { in_sources = "^## (Try it|How fast, how exact)$" }
FILENAME ~ /README\.md$/ && FILENAME !~ /examples/ {
    if (/^## /)
        left_out = $0 ~ in_sources
    if (left_out || /HACKING|make -C build/)
        next
    gsub(/build\/quern/, "quern")
    gsub(/labs\/README\.md/, labs "/README.md")
}
{
    line = ""
    while (match($0, /(^|[^a-zA-Z0-9_\/.-])doc\//)) {
        line = line substr($0, 1, RSTART + RLENGTH - 5)
        $0 = substr($0, RSTART + RLENGTH)
    }
    print line $0
}
