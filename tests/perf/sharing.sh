#!/bin/sh
# sharing.sh - what do 16 caches on one execution cost, in runs of one?  CPU time of `quern sweep` with and without sharing.
#
#   sh tests/perf/sharing.sh               gzip, python3, sqlite3 and cc1; about five minutes
#   sh tests/perf/sharing.sh gzip          this workload only
#
# in:   QUERN (else build/quern), CC (else gcc); programs that are not installed are left out.
# out:  for each workload and each set of 16 geometries: seconds of one run (the mean of 16 runs of their own), seconds of
#       all 16 at once, the build of the simulators included, and the ratio.  The two CSV files must be the same.
#
#   usual   4 KiB to 512 KiB, in 2 and in 8 ways
#   small   1 KiB to 128 KiB, from one way on: most references change something in the smallest, so few are filtered
set -u

usual='-P size 4K 512K -L ways=2,8 -L line=64'
small='-L D1=1024,1,64;1024,2,64;1024,4,64;2048,2,64;2048,4,64;4096,2,64;4096,4,64;8192,2,64;8192,4,64;16384,2,64;16384,4,64;32768,2,64;32768,8,64;65536,2,64;65536,8,64;131072,8,64'
. "$(dirname "$0")/begin.inc"
awk -v lines=60000 -f "$folder/input.awk" >log
awk -v functions=8 -f "$folder/source.awk" >source.c
# Not to a temporary file: its name is random, and one run in 16 has a digit less to write.
{ echo 'pragma temp_store = memory;'; sed 's/ROWS/100000/' "$folder/workloads/sqlite3.sql"; } >sqlite3.sql
cp "$folder/workloads/python3.py" .
mkdir out # what sweep writes lies apart: python3 lists the folder of its script

command_of() {
    case $1 in
    gzip) echo gzip -9nc log ;;
    python3) echo /usr/bin/python3 -S python3.py 10 ;;
    sqlite3) echo sqlite3 :memory: -init sqlite3.sql .exit ;;
    cc1) echo "$(${CC:-gcc} -print-prog-name=cc1)" -quiet -O2 source.c -o /dev/null ;;
    esac
}

# seconds OPTIONS...: CPU time of a sweep.
seconds() {
    rm -f record
    ./cpu record "$quern" sweep -q -j 1 --env=PYTHONHASHSEED=0 --I1=32768,8,64 --LL=8388608,16,64 "$@" || echo "failed: $*" >&2
    awk '{ printf "%.2f", $1 / 1e6 }' record
}

printf '%-10s %-8s %10s %10s %8s\n' '' '' 'one run s' '16 at once' 'ratio'
for workload in ${*:-gzip python3 sqlite3 cc1}; do
    command=$(command_of "$workload")
    command -v "${command%% *}" >/dev/null || continue
    for set in usual small; do
        [ $set = usual ] && axes=$usual || axes=$small
        rm -f out/*
        # shellcheck disable=SC2086
        alone=$(seconds --share=no $axes -o out/alone.csv -- $command)
        # shellcheck disable=SC2086
        shared=$(seconds $axes -o out/shared.csv -- $command)
        cmp -s out/alone.csv out/shared.csv || echo "$workload $set: the results differ" >&2
        awk -v w="$workload" -v set=$set -v alone="$alone" -v shared="$shared" 'BEGIN {
            printf "%-10s %-8s %10.2f %10.2f %8.2f\n", w, set, alone / 16, shared, shared / (alone / 16) }'
    done
done
