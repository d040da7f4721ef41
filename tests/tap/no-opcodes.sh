#!/bin/sh
# Runs in place of the tests that compare the decoder with libopcodes where binutils-dev is not installed.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/tap.sh"
absent_all 'binutils-dev (2.39 or later) is not installed: no libopcodes to compare the decoder with' 17
