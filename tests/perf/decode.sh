#!/bin/sh
# decode.sh - instructions per second of the decoder, beside those of Zydis and libopcodes.
#
#   sh tests/perf/decode.sh                 the code of cc1 and libcrypto, five rounds
#   sh tests/perf/decode.sh -r 9 FILE...    nine rounds, of other ELF files
#
# in:   build/libquern.a (or that of BUILD), CC (else gcc); Zydis and libopcodes where they are installed.
# out:  a table for each file; of the rounds the fastest.  A measurement, not a test: the status is 0 however slow it was.
set -u
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${BUILD:-$top_srcdir/build}
cc=${CC:-gcc}
rounds=5
if [ "${1:-}" = -r ]; then
    rounds=$2
    shift 2
fi
scratch=$(mktemp -d "${TMPDIR:-/tmp}/quern-decode.XXXXXX") || exit 2
trap 'rm -rf "$scratch"' EXIT

with=
# try MACRO LIBRARIES: adds them if the benchmark compiles with them
try() {
    # shellcheck disable=SC2086 # words
    if $cc -std=gnu11 -O2 -I"$top_srcdir/lib" $with $1 -o "$scratch/decode" "$top_srcdir/tests/perf/decode.c" \
        "$build/libquern.a" $2 $libraries 2>"$scratch/errors"; then
        with="$with $1"
        libraries="$2 $libraries"
    fi
}
libraries=
try -O2 '' && [ -x "$scratch/decode" ] || { cat "$scratch/errors" >&2; exit 2; }
try -DWITH_ZYDIS -lZydis
try -DWITH_OPCODES '-lopcodes -lbfd'
try -O2 '' # with what there is

if [ $# -eq 0 ]; then
    set -- "$($cc -print-prog-name=cc1)" "$(ldconfig -p 2>/dev/null | awk '/libcrypto\.so/ { print $NF; exit }')"
fi
sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1
"$scratch/decode" -r "$rounds" "$@"
