# words.awk - a text of made-up words, the short ones more often: the same everywhere.  awk -f words.awk -v lines=2000
function random() { # the generator of ANSI C's rand, 15 bits
    seed = (seed * 1103515245 + 12345) % 2147483648
    return int(seed / 65536) % 32768
}
function word(   text, n) {
    text = ""
    for (n = 1 + random() % 3; n > 0; n--)
        text = text substr("bcdfglmnprstvz", 1 + random() % 14, 1) substr("aeiou", 1 + random() % 5, 1)
    return text
}
BEGIN {
    seed = 1
    for (i = 0; i < 400; i++)
        known[i] = word()
    for (i = 0; i < lines; i++) {
        line = ""
        for (n = 0; n < 8; n++)
            line = line known[int(random() * random() / 32768 / 32768 * 400)] " "
        print line
    }
}
