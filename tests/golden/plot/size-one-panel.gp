# size-one-panel.gp - written by quern plot size; draws size-one-panel.csv as size-one-panel.svg.  Change what you like, then: gnuplot size-one-panel.gp
set terminal svg size 1200,747 noenhanced font 'sans,13' fontscale 1.3 background '#FFFFFF'
set output 'size-one-panel.svg'
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

set label 1 'I1: 32 KiB, 8 ways, lines of 64 B;  D1: 2 ways, lines of 64 B;  LL: 1 MiB, 16 ways, lines of 64 B;  counting: exact;  quern 0.1' at screen 0.5, screen 0.0161 center font ',10'
set title 'How misses fall with the size of the D1'
set bmargin at screen 0.1499
set xlabel 'size of the D1 (KiB)'
set rmargin 4
set ylabel 'D1 misses per 100 references'
set logscale x 2
set xtics ('1' 1, '2' 2, '4' 4)
set xrange [1:4.004]
set yrange [0:*]
unset rmargin
set key outside right top Left reverse samplen 3 spacing 1.2 width 3

plot 'size-one-panel.csv' using (column(1)/1024):2 with linespoints linestyle 1 title 'sort, lru', \
     'size-one-panel.csv' using (column(1)/1024):3 with linespoints linestyle 2 title 'sort, fifo', \
     'size-one-panel.csv' using (column(1)/1024):4 with linespoints linestyle 3 title 'it"s_odd, lru', \
     'size-one-panel.csv' using (column(1)/1024):5 with linespoints linestyle 4 title 'it"s_odd, fifo'
