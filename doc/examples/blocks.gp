# blocks.gp - written by quern plot curve; draws blocks.csv as blocks.svg.  Change what you like, then: gnuplot blocks.gp
set terminal svg size 1200,747 noenhanced font 'sans,13' fontscale 1.3 background '#FFFFFF'
set output 'blocks.svg'
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

set label 1 'program: blocked;  I1: 32 KiB, 8 ways, lines of 64 B;  D1: 8 ways, lines of 64 B;  LL: 1 MiB, 16 ways, lines of 64 B;  simulator: default;' . "\n" . 'counting: exact;  quern 0.1' at screen 0.5, screen 0.0361 center font ',10'
set title 'Matrix multiply, 128 x 128, in blocks'
set bmargin at screen 0.1700
set xlabel 'block'
set rmargin 4
set ylabel 'D1 misses per 1000 instructions'
set logscale x 2
set xtics ('1' 1, '2' 2, '4' 4, '8' 8, '16' 16, '32' 32, '64' 64, '128' 128)
set xrange [1:128.128]
set yrange [0:*]
unset rmargin
set key outside right top Left reverse samplen 3 spacing 1.2

plot 'blocks.csv' using 1:2 with linespoints linestyle 1 title '2 KiB', \
     'blocks.csv' using 1:3 with linespoints linestyle 2 title '8 KiB', \
     'blocks.csv' using 1:4 with linespoints linestyle 3 title '32 KiB'
