#!/bin/sh
# curve.sh STREAM: what your list says of the value 1, with 1 to 64 places, as CSV for `quern plot curve`.
echo places,estimate
for k in 1 2 3 4 6 8 12 16 24 32 48 64; do
    echo "$k,$(./profile values -k $k -t "$1" | awk -F, '$1 == 1 { print $2; found = 1 } END { if (!found) print 0 }')"
done
