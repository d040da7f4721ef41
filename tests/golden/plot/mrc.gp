# mrc.gp - written by quern plot mrc; draws mrc.csv as mrc.svg.  Change what you like, then: gnuplot mrc.gp
set terminal svg size 1200,747 noenhanced font 'sans,13' fontscale 1.3 background '#FFFFFF'
set output 'mrc.svg'
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

set label 1 'lines of 64 B;  dotted: knees of the working set' at screen 0.5, screen 0.0161 center font ',10'
set title 'Misses by size of a fully associative cache (LRU)'
set bmargin at screen 0.1499
set xlabel 'size (KiB)'
set rmargin 4
set ylabel 'misses per 100 lines touched'
set logscale x 2
set xtics ('1/16' 0.0625, '1/8' 0.125, '1/4' 0.25, '1/2' 0.5, '1' 1, '2' 2, '4' 4)
set xrange [0.0625:4.004]
set yrange [0:*]
set arrow 10 from 0.25, graph 0 to 0.25, graph 1 nohead linecolor rgb '#808080' dashtype 3
set label 10 '256 B' at 0.25, graph 0.96 left offset 0.5,0 font ',11'
set arrow 11 from 2, graph 0 to 2, graph 1 nohead linecolor rgb '#808080' dashtype 3
set label 11 '2 KiB' at 2, graph 0.91 right offset -0.5,0 font ',11'
unset key

plot 'mrc.csv' using (column(1)/1024):2 with linespoints linestyle 1 notitle
