#!/bin/sh
# Does every example of a man page work (docs.inc)?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/unit/docs/docs.inc"

cd "$top_srcdir" && set -- doc/man/*.1 && cd "$SCRATCH" || bail 'no pages'
documents ${DOCUMENTS:-"$@"}
done_testing
