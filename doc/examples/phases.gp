# phases.gp - written by quern plot time; draws phases.csv as phases.svg.  Change what you like, then: gnuplot phases.gp
set terminal svg size 1200,990 noenhanced font 'sans,13' fontscale 1.3 background '#FFFFFF'
set output 'phases.svg'
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

set label 1 './cc1 -quiet -O2 mm.c -o /dev/null;  I1: 32 KiB, 8 ways, lines of 64 B;  D1: 32 KiB, 8 ways, lines of 64 B;  LL: 1 MiB, 16 ways, lines of 64 B;' . "\n" . 'simulator: I1=lru D1=lru LL=lru BC=cachegrind BI=cachegrind;  counting: exact;  quern 0.1;  intervals of 500000 instructions' at screen 0.5, screen 0.0273 center font ',10'
set multiplot layout 3,1 margins 0.110,0.97,0.1283,0.9394 spacing 0.09,0.0556 title 'Phases of gcc: the compiler proper at work on programs/mm.c'
set tics font ',10'
set xrange [0:281.494094]
unset key

set title ''
set ylabel 'D1 misses per 100 references' font ',11'
set xlabel '' font ',11' offset 0,0.5
set yrange [0:*]
plot 'phases.csv' using (column(1)/1000000):2 with lines linestyle 1 notitle
unset label 1
unset key

set title ''
set ylabel 'I1 misses per 100 instructions' font ',11'
set xlabel '' font ',11' offset 0,0.5
set yrange [0:*]
plot 'phases.csv' using (column(1)/1000000):3 with lines linestyle 1 notitle

set title ''
set ylabel 'mispredicts per 100 cond. branches' font ',11'
set xlabel 'instructions (millions)' font ',11' offset 0,0.5
set yrange [0:*]
plot 'phases.csv' using (column(1)/1000000):4 with lines linestyle 1 notitle
unset multiplot
