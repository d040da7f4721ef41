#!/bin/sh
# Are the guest programs sound by themselves: does each run natively and pass its own checks?
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/tap.sh"

for source in "$top_srcdir"/tests/guest/*.[cS]; do
    name=${source##*/}
    name=${name%.*}
    "$top_builddir/tests/guest/$name"
    status=$?
    case $status in
    0) pass "$name" ;;
    77) skip "$name: this processor lacks what the program is about" ;;
    *)
        fail "$name"
        diag "status $status (a line number of $source, modulo 256, or 128 + a signal)"
        ;;
    esac
done
done_testing
