# policies.gp - written by quern plot size; draws policies.csv as policies.svg.  Change what you like, then: gnuplot policies.gp
set terminal svg size 1200,747 noenhanced font 'sans,13' fontscale 1.3 background '#FFFFFF'
set output 'policies.svg'
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

set label 1 'I1: 32 KiB, 8 ways, lines of 64 B;  D1: 4 ways, lines of 64 B;  LL: 1 MiB, 16 ways, lines of 64 B;  counting: exact;  quern 0.1' at screen 0.5, screen 0.0161 center font ',10'
set multiplot layout 2,2 margins 0.075,0.97,0.1794,0.8728 spacing 0.09,0.1406 title 'How misses fall with the size of the D1'
set tics font ',10'
set logscale x 2
set xtics ('1' 1, '2' 2, '4' 4, '8' 8, '16' 16, '32' 32, '64' 64, '128' 128)
set xrange [1:128.128]
set key at screen 0.5, screen 0.0469 center bottom horizontal Left reverse samplen 3 width 2 maxrows 1

set title 'gzip'
set ylabel 'D1 misses per 100 references' font ',11'
set xlabel 'size of the D1 (KiB)' font ',11' offset 0,0.5
set yrange [0:*]
plot keyentry with linespoints linestyle 1 title 'lru', \
     keyentry with linespoints linestyle 2 title 'fifo', \
     keyentry with linespoints linestyle 3 title 'random', \
     keyentry with linespoints linestyle 4 title 'srrip', \
     'policies.csv' using (column(1)/1024):2 with linespoints linestyle 1 notitle, \
     'policies.csv' using (column(1)/1024):3 with linespoints linestyle 2 notitle, \
     'policies.csv' using (column(1)/1024):4 with linespoints linestyle 3 notitle, \
     'policies.csv' using (column(1)/1024):5 with linespoints linestyle 4 notitle
unset label 1
unset key

set title 'python3'
set ylabel 'D1 misses per 100 references' font ',11'
set xlabel 'size of the D1 (KiB)' font ',11' offset 0,0.5
set yrange [0:*]
plot 'policies.csv' using (column(1)/1024):6 with linespoints linestyle 1 notitle, \
     'policies.csv' using (column(1)/1024):7 with linespoints linestyle 2 notitle, \
     'policies.csv' using (column(1)/1024):8 with linespoints linestyle 3 notitle, \
     'policies.csv' using (column(1)/1024):9 with linespoints linestyle 4 notitle

set title 'sqlite3'
set ylabel 'D1 misses per 100 references' font ',11'
set xlabel 'size of the D1 (KiB)' font ',11' offset 0,0.5
set yrange [0:*]
plot 'policies.csv' using (column(1)/1024):10 with linespoints linestyle 1 notitle, \
     'policies.csv' using (column(1)/1024):11 with linespoints linestyle 2 notitle, \
     'policies.csv' using (column(1)/1024):12 with linespoints linestyle 3 notitle, \
     'policies.csv' using (column(1)/1024):13 with linespoints linestyle 4 notitle

set title 'gcc'
set ylabel 'D1 misses per 100 references' font ',11'
set xlabel 'size of the D1 (KiB)' font ',11' offset 0,0.5
set yrange [0:*]
plot 'policies.csv' using (column(1)/1024):14 with linespoints linestyle 1 notitle, \
     'policies.csv' using (column(1)/1024):15 with linespoints linestyle 2 notitle, \
     'policies.csv' using (column(1)/1024):16 with linespoints linestyle 3 notitle, \
     'policies.csv' using (column(1)/1024):17 with linespoints linestyle 4 notitle
unset multiplot
