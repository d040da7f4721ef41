# scratch.sh - tap.sh for a test that runs in its scratch folder.  Source it in place of tap.sh.

if [ -z "${top_srcdir:-}" ]; then
    top_srcdir=$(cd "$(dirname "$0")" && while [ ! -f configure.ac ] && [ "$PWD" != / ]; do cd ..; done && pwd)
fi
. "$top_srcdir/tests/tap/tap.sh"
cd "$SCRATCH" || bail "no folder $SCRATCH"
