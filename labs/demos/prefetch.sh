# Fetching the next line before it is wanted
# ask: An array is read from begin to end, and a list whose cells lie in no order. Which of the two does it help to fetch the next line at each miss?
# tell: The array has half of its misses left. The list has all of them: its next cell is hardly ever on the next line.
cc -O1 -g -o walk walk.c
quern run -q --D1=8192,2,64 --out-file=plain.out ./walk
quern run -q --sim=D1=nextline --D1=8192,2,64 --out-file=next.out ./walk
quern annotate --show=Dr,D1mr --no-show-percs plain.out | grep 'array\[i\]\|cell->next'
quern annotate --show=Dr,D1mr --no-show-percs next.out | grep 'array\[i\]\|cell->next'
