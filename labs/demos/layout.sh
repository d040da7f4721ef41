# An array of structs, or a struct of arrays
# ask: Of 10,000 particles of 64 bytes the mass is added up, a double. How much of what is fetched is used, and what if the masses are an array?
# tell: 8 of 64 bytes: each read misses. As an array eight masses share a line, and one read in eight misses.
cc -O1 -g -o layout layout.c
quern run -q --D1=8192,2,64 --out-file=layout.out ./layout
quern annotate --show=Dr,D1mr --no-show-percs layout.out | grep ' += .*mass'
