# gawk.awk: fields counted in a table, a pattern; reads a log as input.awk makes it.
{
    for (i = 1; i <= NF; i++) n[$i]++
    size += length($0)
}
/host1.*miss=[0-9]+5/ { matched++ }
END { print length(n), size, matched }
