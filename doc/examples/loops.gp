# loops.gp - written by quern plot curve; draws loops.csv as loops.svg.  Change what you like, then: gnuplot loops.gp
set terminal svg size 1200,747 noenhanced font 'sans,13' fontscale 1.3 background '#FFFFFF'
set output 'loops.svg'
set encoding utf8
set datafile separator comma
set datafile columnheaders
set datafile missing ''
set datafile commentschars ''

set style line 1 linecolor rgb '#0072B2' dashtype 1 pointtype 7 linewidth 2 pointsize 0.8
set style line 2 linecolor rgb '#D55E00' dashtype (12,5) pointtype 5 linewidth 2 pointsize 0.8
set style line 3 linecolor rgb '#009E73' dashtype (3,4) pointtype 9 linewidth 2 pointsize 0.8
set style line 4 linecolor rgb '#CC79A7' dashtype (12,4,3,4) pointtype 13 linewidth 2 pointsize 0.8
set style line 5 linecolor rgb '#000000' dashtype (6,3) pointtype 4 linewidth 2 pointsize 0.8
set style line 6 linecolor rgb '#E69F00' dashtype (16,4,3,4,3,4) pointtype 6 linewidth 2 pointsize 0.8
set style line 7 linecolor rgb '#56B4E9' dashtype (2,2) pointtype 8 linewidth 2 pointsize 0.8
set border 3
set tics nomirror
set grid ytics linecolor rgb '#D0D0D0' linewidth 1 dashtype 1

set label 1 'program: mm;  I1: 32 KiB, 8 ways, lines of 64 B;  D1: 8 KiB, 8 ways, lines of 64 B;  LL: 1 MiB, 16 ways, lines of 64 B;  simulator: default;' . "\n" . 'counting: exact;  quern 0.1' at screen 0.5, screen 0.0361 center font ',10'
set title 'Matrix multiply in its loop orders'
set bmargin at screen 0.1700
set xlabel 'n'
set rmargin 4
set ylabel 'D1 misses per 100 references'
set xrange [20:200]
set yrange [0:*]
unset rmargin
set key outside right top Left reverse samplen 3 spacing 1.2 width 1

plot 'loops.csv' using 1:2 with linespoints linestyle 1 title 'ijk', \
     'loops.csv' using 1:3 with linespoints linestyle 2 title 'jik', \
     'loops.csv' using 1:4 with linespoints linestyle 3 title 'jki', \
     'loops.csv' using 1:5 with linespoints linestyle 4 title 'kji', \
     'loops.csv' using 1:6 with linespoints linestyle 5 title 'kij', \
     'loops.csv' using 1:7 with linespoints linestyle 6 title 'ikj'
