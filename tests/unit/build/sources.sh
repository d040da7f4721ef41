#!/bin/sh
# Is every C file, header and test in the lists that the makefile reads?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

plan 1
ok 'sources.mk lists what the folders hold' sh "$top_srcdir/build-aux/sources.sh" --check
done_testing
