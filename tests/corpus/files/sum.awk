# sum.awk - for every awk.
BEGIN {
    x = 1
    for (i = 0; i < 20000; i++) { x = (x * 16807) % 2147483647; n[x % 1009]++ }
    for (k = 0; k < 1009; k++) sum += k * n[k]
    s = "the cache line"; gsub(/[aeiou]/, "<&>", s)
    printf "%d %s %.10f %s\n", sum, s, sin(1), toupper(substr(s, 3, 5))
    while (("echo a b c" | getline line) > 0) print split(line, part), part[2]
    exit 3
}
