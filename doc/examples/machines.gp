# machines.gp - written by quern plot curve; draws machines.csv as machines.svg.  Change what you like, then: gnuplot machines.gp
set terminal svg size 1200,614 noenhanced font 'sans,13' fontscale 1.3 background '#FFFFFF'
set output 'machines.svg'
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

set label 1 'program: mm;  counting: exact;  quern 0.1' at screen 0.5, screen 0.0195 center font ',10'
set multiplot layout 1,2 margins 0.075,0.97,0.3062,0.8453 spacing 0.09,0.2590 title 'Thirty years of machines: matrix multiply in three loop orders, n x n'
set tics font ',10'
set xtics rotate by -40 left font ',11' scale 0
set xrange [-0.5:13.5]
set key at screen 0.5, screen 0.0570 center bottom horizontal Left reverse samplen 3 width 2 maxrows 1

set title 'n 120'
set ylabel 'estimated cycles per instruction' font ',11'
set xlabel '' font ',11' offset 0,0.5
set logscale y
set yrange [*:*]
plot keyentry with linespoints linestyle 1 title 'jki', \
     keyentry with linespoints linestyle 2 title 'ijk', \
     keyentry with linespoints linestyle 3 title 'kij', \
     'machines.csv' using 0:2:xticlabels(1) with linespoints linestyle 1 notitle, \
     'machines.csv' using 0:3:xticlabels(1) with linespoints linestyle 2 notitle, \
     'machines.csv' using 0:4:xticlabels(1) with linespoints linestyle 3 notitle
unset label 1
unset key

set title 'n 128'
set ylabel 'estimated cycles per instruction' font ',11'
set xlabel '' font ',11' offset 0,0.5
set logscale y
set yrange [*:*]
plot 'machines.csv' using 0:5:xticlabels(1) with linespoints linestyle 1 notitle, \
     'machines.csv' using 0:6:xticlabels(1) with linespoints linestyle 2 notitle, \
     'machines.csv' using 0:7:xticlabels(1) with linespoints linestyle 3 notitle
unset multiplot
