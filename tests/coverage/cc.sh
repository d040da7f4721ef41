#!/bin/sh
# cc.sh - the compiler of `make coverage` for the tests: a simulator that `quern sim build`, run --versus or a lab makes of lib/sim is
# built with --coverage, too; what else a test compiles is not.
#
#   cc.sh DIRECTORY COMPILER ARGUMENT...
#
# DIRECTORY gets the notes and counters of each simulator, under the number of the process that compiled it.
directory=$1
compiler=$2
shift 2
case " $* " in
*' -MD -MF '*' -c -o '*) exec $compiler --coverage -dumpdir "$directory/$$-" "$@" ;;
*' -nostdlib '*) exec $compiler "$@" ;; # an engine has libgcov by tests/coverage/engine.o
*'/0.o '*) exec $compiler --coverage "$@" ;; # a replay
*/libquern.a' '*) exec $compiler "$@" -lgcov ;;
*) exec $compiler "$@" ;;
esac
