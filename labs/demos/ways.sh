# One way, or two
# ask: Two arrays lie 8 KiB apart, and a[i] and b[i] are read in turn. The cache has 8 KiB. How many reads miss with one way, how many with two?
# tell: With one way a[i] and b[i] have the same place, and each read evicts what the next one needs. With two ways each line misses once.
cc -O1 -g -o pair pair.c
quern run -q --D1=8192,1,64 --out-file=one.out ./pair
quern run -q --D1=8192,2,64 --out-file=two.out ./pair
quern annotate --show=Dr,D1mr --no-show-percs one.out | grep 'sum +='
quern annotate --show=Dr,D1mr --no-show-percs two.out | grep 'sum +='
