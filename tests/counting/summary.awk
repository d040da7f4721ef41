# summary.awk - the lines of two profiles that differ, with the instructions that stand there.
#
#   diff CACHEGRIND SUBJECT | awk -v list=LIST -f summary.awk
#
#   < list forms 12 10 0 0 40 ...        roundps $0x1,(%rbx),%xmm1	aligned, 10 times
#   > list forms 12 10 0 0 10 ...   ->     Cachegrind  10 0 0 40 0 0 0 0 0 0 0 0 0
#                                          quern       10 0 0 10 0 0 0 0 0 0 0 0 0
#
# Counts are in the order of the events line.  around: what surrounds an instruction sees what it left in the caches.
BEGIN { while ((getline text <list) > 0) instruction[++n] = text }
!/^[<>]/ { next }
{
    side = $1
    where = $2 == "list" ? instruction[$4] : $2 == "driver" && $4 > 500000 ? "around " instruction[$4 - 500000] : $2
    if (where != last) print where
    last = where
    if ($2 == "summary") $2 = ""; else $2 = $3 = $4 = ""
    $1 = ""
    sub(/^ +/, "")
    print (side == "<" ? "  Cachegrind  " : "  quern       ") $0
}
