# predictors.gp - written by quern plot budget; draws predictors.csv as predictors.svg.  Change what you like, then: gnuplot predictors.gp
set terminal svg size 1200,560 noenhanced font 'sans,13' fontscale 1.3 background '#FFFFFF'
set output 'predictors.svg'
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

set label 1 'I1: 32 KiB, 8 ways, lines of 64 B;  D1: 32 KiB, 8 ways, lines of 64 B;  LL: 1 MiB, 16 ways, lines of 64 B;  counting: exact;  quern 0.1' at screen 0.5, screen 0.0214 center font ',10'
set multiplot layout 1,2 margins 0.075,0.97,0.2786,0.8304 spacing 0.09,0.1875 title 'What the storage of a predictor buys'
set tics font ',10'
set logscale x 2
set xtics ('16' 16, '64' 64, '256' 256, '1Ki' 1024, '4Ki' 4096, '16Ki' 16384, '64Ki' 65536, '256Ki' 262144)
set xrange [16:820043.224]
set key at screen 0.5, screen 0.0625 center bottom horizontal Left reverse samplen 3 width 2 maxrows 2

set title 'sqlite3'
set ylabel 'conditional mispredicts per 1000 instructions' font ',11'
set xlabel 'storage of the predictor (bits)' font ',11' offset 0,0.5
set yrange [0:*]
plot keyentry with linespoints linestyle 1 title 'onebit', \
     keyentry with linespoints linestyle 2 title 'bimodal', \
     keyentry with linespoints linestyle 3 title 'local', \
     keyentry with linespoints linestyle 4 title 'gshare', \
     keyentry with linespoints linestyle 5 title 'perceptron', \
     keyentry with linespoints linestyle 6 title 'tage', \
     'predictors.csv' using 1:2 with linespoints linestyle 1 notitle, \
     'predictors.csv' using 1:3 with linespoints linestyle 2 notitle, \
     'predictors.csv' using 1:4 with linespoints linestyle 3 notitle, \
     'predictors.csv' using 1:5 with linespoints linestyle 4 notitle, \
     'predictors.csv' using 1:6 with linespoints linestyle 5 notitle, \
     'predictors.csv' using 1:7 with linespoints linestyle 6 notitle
unset label 1
unset key

set title 'python3'
set ylabel 'conditional mispredicts per 1000 instructions' font ',11'
set xlabel 'storage of the predictor (bits)' font ',11' offset 0,0.5
set yrange [0:*]
plot 'predictors.csv' using 1:8 with linespoints linestyle 1 notitle, \
     'predictors.csv' using 1:9 with linespoints linestyle 2 notitle, \
     'predictors.csv' using 1:10 with linespoints linestyle 3 notitle, \
     'predictors.csv' using 1:11 with linespoints linestyle 4 notitle, \
     'predictors.csv' using 1:12 with linespoints linestyle 5 notitle, \
     'predictors.csv' using 1:13 with linespoints linestyle 6 notitle
unset multiplot
