#!/bin/sh
# lint.sh - what cppcheck and clang-tidy say about quern; nothing is wanted.
#
#   sh build-aux/lint.sh BUILD                     everything; `make lint` runs this
#   sh build-aux/lint.sh BUILD lib/prof tools/sim        these folders and files
#
# In:  build-aux/cppcheck.suppressions, .clang-tidy: what they are asked, what is passed over and why
# Out: file:line: severity: message [check]; status 1 if there is any, or if one of the two is not installed
#
# clang-tidy compiles each file as its program does: tools and hosted folders with config.h, the engine's with
# QN_ENGINE.  Modules in simulator slots are compiled by way of the units that include them.
set -u
build=$(cd "${1:?usage: lint.sh BUILD [FILE...]}" && pwd) || exit 2
shift
cd "$(dirname "$0")/.." || exit 2
[ $# -gt 0 ] || set -- lib tools include
status=0

for tool in cppcheck clang-tidy; do
    command -v $tool >/dev/null || { echo "lint.sh: $tool is not installed" >&2; exit 1; }
done

cppcheck -q --std=c11 --platform=unix64 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
    --suppressions-list=build-aux/cppcheck.suppressions -I lib -I "$build" -I . -DHAVE_CONFIG_H=1 \
    --template='{file}:{line}: {severity}: {message} [{id}]' "$@" || status=1

# tidy FLAGS... <files
tidy() {
    while read -r file; do
        clang-tidy --quiet --config-file=.clang-tidy "$file" -- -std=gnu11 -I lib -I "$build" "$@" 2>/dev/null || echo "$file" >>"$build/lint.failed"
    done | sed "s,$PWD/,,"
}

rm -f "$build/lint.failed"
files=$(find "$@" -name '*.c' | LC_ALL=C sort)
engine='^lib/\(run\|sim\|block\|event\|emit\|tcache\|guest\)/[^/]*\.c$'
echo "$files" | grep -v '^lib/sim/' | grep -v "$engine" | tidy -DHAVE_CONFIG_H=1
echo "$files" | grep "$engine" | grep -v '/\(cachesim\|branchsim\)_' | tidy -DQN_ENGINE=1 -I . -ffreestanding -mgeneral-regs-only -include "$build/sim_slots.h"
if [ -e "$build/lint.failed" ]; then
    rm -f "$build/lint.failed"
    status=1
fi
exit $status
