# Steps through memory
# ask: 64 KiB are read with steps of 4, 16, 64 and 256 bytes, 65,536 reads each. Lines have 64 bytes, the cache has 32 KiB. How many reads of each loop miss?
# tell: One in 16, one in 4, then each: from 64 bytes on every read is on another line, and 64 KiB do not fit. Steps of 256 bytes use 256 lines only, 16 KiB; but these are in 16 of the 64 sets, which have room for 128.
cc -O1 -g -o stride stride.c
quern run -q --D1=32768,8,64 --out-file=stride.out ./stride
quern annotate --show=Dr,D1mr --no-show-percs stride.out | grep '% INTS'
