# large.awk - a large profile: `files` files of 100 functions of 10 lines, nine events.  awk -v files=500 -f large.awk
BEGIN {
    print "desc: I1 cache:         32768 B, 64 B, 8-way associative"
    print "cmd: ./big\nevents: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw"
    for (f = 0; f < files; f++) {
        print "fl=/home/user/project/source/directory" f % 50 "/file" f ".c"
        for (g = 0; g < 100; g++) {
            print "fn=some_function_name_" f "_" g
            for (l = 0; l < 10; l++) {
                s = (s * 1103 + 12345) % 4194304
                a = s % 100000; b = int(s / 3) % 2000; c = int(s / 7) % 5; d = int(b / 2); e = c > 3; h = c == 1
                print g * 30 + l * 2 + 1 " " a " " c " " e " " b " " c " 0 " d " " h " 0"
                ta += a; tb += b; tc += c; td += d; te += e; th += h
            }
        }
    }
    printf "summary: %.0f %.0f %.0f %.0f %.0f 0 %.0f %.0f 0\n", ta, tc, te, tb, tc, td, th
}
