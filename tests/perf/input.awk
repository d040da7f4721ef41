# input.awk - a file for the compressors, the sort and the awk workload: awk -v lines=N -f input.awk >FILE
#
# Looks like a log: a counter, a host, words, a number, some noise.  Compresses about four times.
BEGIN {
    count = split("read write open close flush lookup insert remove update commit retry timeout cache line set way " \
        "tag miss", word, " ")
    seed = 42
    for (i = 1; i <= lines; i++) {
        line = sprintf("%08d host%02d", i, random(40))
        for (j = random(6); j >= 0; j--) line = line " " word[random(count) + 1] "=" random(1000)
        print line, sprintf("%x", random(2147483647))
    }
}
function random(below) {
    seed = (seed * 16807) % 2147483647
    return seed % below
}
