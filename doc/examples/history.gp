# history.gp - written by quern plot curve; draws history.csv as history.svg.  Change what you like, then: gnuplot history.gp
set terminal svg size 1200,747 noenhanced font 'sans,13' fontscale 1.3 background '#FFFFFF'
set output 'history.svg'
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

set label 1 'I1: 32 KiB, 8 ways, lines of 64 B;  D1: 32 KiB, 8 ways, lines of 64 B;  LL: 1 MiB, 16 ways, lines of 64 B;  simulator: gshare;  counting: exact;' . "\n" . 'quern 0.1' at screen 0.5, screen 0.0361 center font ',10'
set multiplot layout 2,2 margins 0.075,0.97,0.1700,0.8728 spacing 0.09,0.1406 title 'How much history gshare needs'
set tics font ',10'
set xtics 2
set xrange [0:16]
unset key

set title 'nested-4'
set ylabel 'mispredicts per 100 cond. branches' font ',11'
set xlabel 'history' font ',11' offset 0,0.5
set yrange [0:*]
plot 'history.csv' using 1:2 with linespoints linestyle 1 notitle
unset label 1
unset key

set title 'nested-10'
set ylabel 'mispredicts per 100 cond. branches' font ',11'
set xlabel 'history' font ',11' offset 0,0.5
set yrange [0:*]
plot 'history.csv' using 1:3 with linespoints linestyle 1 notitle

set title 'gzip'
set ylabel 'mispredicts per 100 cond. branches' font ',11'
set xlabel 'history' font ',11' offset 0,0.5
set yrange [0:*]
plot 'history.csv' using 1:4 with linespoints linestyle 1 notitle

set title 'sqlite3'
set ylabel 'mispredicts per 100 cond. branches' font ',11'
set xlabel 'history' font ',11' offset 0,0.5
set yrange [0:*]
plot 'history.csv' using 1:5 with linespoints linestyle 1 notitle
unset multiplot
