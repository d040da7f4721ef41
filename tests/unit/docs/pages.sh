#!/bin/sh
# README.md, HACKING, labs/README.md and the pages of doc: does every command that they show work (docs.inc)?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/unit/docs/docs.inc"

cd "$top_srcdir" && set -- README.md HACKING labs/README.md doc/*.md doc/examples/README.md && cd "$SCRATCH" || bail 'no documents'
documents ${DOCUMENTS:-"$@"}
done_testing
