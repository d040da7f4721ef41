#!/bin/sh
# Does the comparison with Cachegrind notice a single count that is off by one?  A stand-in for quern asks Valgrind and then
# changes what it was told.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

command -v valgrind >/dev/null || absent_all 'valgrind is not installed' 6

cat >"$SCRATCH/quern" <<'END'
#!/bin/sh
options=
while [ "$1" != -- ]; do
    case $1 in
    --cachegrind-out-file=*) profile=${1#*=} ;;
    --I1=* | --D1=* | --LL=* | --branch-sim=*) options="$options $1" ;;
    esac
    shift
done
shift
valgrind -q --tool=cachegrind --vex-guest-chase=no --vex-iropt-level=0 $options \
    --cachegrind-out-file="$profile" "$@" 2>/dev/null
awk -v change="$CHANGE" '
change == "count" && /^[0-9]/ && !done { $13++; done = 1 }
change == "line" && /^[0-9]/ && !done { $1++; done = 1 }
change == "function" && /^fn=/ && !done { $0 = $0 "_"; done = 1 }
change == "file" && /^fl=/ && !done { $0 = $0 "_"; done = 1 }
change == "summary" && /^summary/ { $2++ }
{ print }' "$profile" >"$profile.new" && mv "$profile.new" "$profile"
END
chmod +x "$SCRATCH/quern"
mkdir "$SCRATCH/inner"

# oracle CHANGE: the first point of the comparison of one small program.
oracle() {
    QUERN=$SCRATCH/quern SCRATCH=$SCRATCH/inner CHANGE=$1 sh "$top_srcdir/tests/guest/oracle.sh" stack | grep -v '^#' | sed 1q
}

first='1 - stack, --I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64'
is "$(oracle nothing)" "ok $first" 'nothing changed'
for change in count line function file summary; do
    is "$(oracle $change)" "not ok $first" "a different $change"
done
done_testing
