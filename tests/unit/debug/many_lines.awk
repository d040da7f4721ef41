# many_lines.awk - a C source whose line table is as long as one likes, and a main that calls one function of it.
#
#   awk -v functions=100 -f many_lines.awk >many.c       100 functions of 200 lines, 119 KB of .debug_line
BEGIN {
    for (f = 0; f < functions; f++) {
        print "int f" f "(int a)\n{\n    int x = a;"
        for (i = 3; i < 200; i++)
            print "    x ^= a * " i ";\n"
        print "    return x;\n}"
    }
    print "int main(int argc, char **argv)\n{\n    return f0(argc) == 1 && argv == 0;\n}"
}
