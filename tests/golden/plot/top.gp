# top.gp - written by quern plot top; draws top.csv as top.svg.  Change what you like, then: gnuplot top.gp
set terminal svg size 1200,373 noenhanced font 'sans,13' fontscale 1.3 background '#FFFFFF'
set output 'top.svg'
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

set label 1 './prog ''it'' a;  I1: 32 KiB, 8 ways, lines of 64 B;  D1: 8 KiB, 1 way, lines of 64 B;  LL: 1 MiB, 16 ways, lines of 64 B;' . "\n" . 'simulator: I1=lru D1=lru LL=lru BC=cachegrind BI=cachegrind AN=3c:0123456789abcdef;  counting: exact;  quern 0.1' at screen 0.5, screen 0.0724 center font ',10'
set title 'Functions with the most D1 misses'
set bmargin at screen 0.3405
set xlabel 'D1 misses'
set lmargin 30
set rmargin 4
set xrange [0:181.35]
set yrange [-2.6:0.6]
set ytics scale 0
set grid noytics xtics
unset key

plot 'top.csv' using (0):(-$0):(0):2:(-$0-0.400):(-$0+0.400):yticlabels(1) with boxxyerror linecolor rgb '#0072B2' fillstyle solid 0.9 border rgb 'black' title 'D1 misses', \
     'top.csv' using 3:(-$0):4 with labels left offset 0.6,0 font ',11' notitle
