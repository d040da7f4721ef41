#!/bin/sh
# Runs in place of the tests that compare the decoder with Zydis where libzydis is not installed.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/tap.sh"
absent_all 'libzydis is not installed: nothing to compare the decoder with' 10
