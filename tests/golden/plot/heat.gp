# heat.gp - written by quern plot heat; draws heat.csv as heat.svg.  Change what you like, then: gnuplot heat.gp
set terminal svg size 1200,747 noenhanced font 'sans,13' fontscale 1.3 background '#FFFFFF'
set output 'heat.svg'
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

set label 1 'intervals of 20000 instructions;  white: no misses' at screen 0.5, screen 0.0161 center font ',10'
set title 'Misses of the D1 by set and time'
set bmargin at screen 0.1499
set xlabel 'instructions'
set ylabel 'set of the D1'
set cblabel 'D1 misses' offset 1.5
set palette defined (0 '#D3EAF8', 0.3 '#56B4E9', 0.6 '#0072B2', 1 '#001D33')
unset grid
set tics out
unset key
set rmargin 12
set xrange [0:45000]
set yrange [-0.5:3.5]
set ytics 0,1
set cbrange [0:100]

plot 'heat.csv' using (column(5) > 0 ? 0 : NaN):(0):1:2:(column(3)-0.5):(column(3)+column(4)-0.5):5 with boxxyerror linecolor palette fillstyle solid border
