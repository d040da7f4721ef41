# size.gp - written by quern plot size; draws size.csv as size.svg.  Change what you like, then: gnuplot size.gp
set terminal svg size 1200,560 noenhanced font 'sans,13' fontscale 1.3 background '#FFFFFF'
set output 'size.svg'
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

set label 1 'I1: 32 KiB, 8 ways, lines of 64 B;  D1: 2 ways, lines of 64 B;  LL: 1 MiB, 16 ways, lines of 64 B;  counting: exact;  quern 0.1' at screen 0.5, screen 0.0214 center font ',10'
set multiplot layout 1,2 margins 0.075,0.97,0.2393,0.8304 spacing 0.09,0.1875 title 'How misses fall with the size of the D1'
set tics font ',10'
set logscale x 2
set xtics ('1' 1, '2' 2, '4' 4)
set xrange [1:4.004]
set key at screen 0.5, screen 0.0625 center bottom horizontal Left reverse samplen 3 width 2 maxrows 1

set title 'sort'
set ylabel 'D1 misses per 100 references' font ',11'
set xlabel 'size of the D1 (KiB)' font ',11' offset 0,0.5
set yrange [0:*]
plot keyentry with linespoints linestyle 1 title 'lru', \
     keyentry with linespoints linestyle 2 title 'fifo', \
     'size.csv' using (column(1)/1024):2 with linespoints linestyle 1 notitle, \
     'size.csv' using (column(1)/1024):3 with linespoints linestyle 2 notitle
unset label 1
unset key

set title 'it"s_odd'
set ylabel 'D1 misses per 100 references' font ',11'
set xlabel 'size of the D1 (KiB)' font ',11' offset 0,0.5
set yrange [0:*]
plot 'size.csv' using (column(1)/1024):4 with linespoints linestyle 1 notitle, \
     'size.csv' using (column(1)/1024):5 with linespoints linestyle 2 notitle
unset multiplot
