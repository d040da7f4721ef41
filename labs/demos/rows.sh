# The same matrix, by rows and by columns
# ask: Both loops read the same 262,144 numbers. A line of 64 bytes holds eight of them. How many of the reads of each loop miss a cache of 32 KiB?
# tell: By rows one read in eight misses, the first of each line. By columns each read misses: the numbers of a column lie 4,096 bytes apart, all in one set of the cache, which has room for eight of their 512 lines.
cc -O1 -g -o rows rows.c
quern run -q --D1=32768,8,64 --out-file=rows.out ./rows
quern annotate --show=Dr,D1mr --no-show-percs rows.out | grep ' += a'
