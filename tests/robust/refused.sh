#!/bin/sh
# Does `quern run` do its work where a filter refuses system calls, as containers do, or an older kernel does not have them?
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/scratch.sh"

$CC -o refuse "$top_srcdir/tests/robust/refuse.c" || bail 'cannot compile refuse.c'
printf '#include <asm/unistd_64.h>\n' | $CC -E -dM - | sed -n 's/#define __NR_//p' >calls
EPERM=1 ENOSYS=38

# numbers NAME...: of the calls
numbers() { for call in "$@"; do awk -v call="$call" '$1 == call { print $2 }' calls; done; }

# refusing ERRNO 'CALL...' COMMAND...
refusing() {
    error=$1 which=$2
    shift 2
    # shellcheck disable=SC2046,SC2086 # lists
    ./refuse $error $(numbers $which) -- "$@"
}

# work ERRNO 'CALL...': what quern does meanwhile, the counts of a program and its children included
work() {
    rm -rf profiles && mkdir profiles || bail 'no folder'
    refusing "$1" "$2" "$QUERN" run -q --trace-children=yes --D1=32768,8,64 --I1=32768,8,64 --LL=8388608,16,64 --out-file=profiles/%p \
        sh -c "$top_builddir/tests/guest/loops; echo \$?; exit 3" 2>&1
    echo "status $?"
    grep -h -A 99 'guest/loops$' profiles/* | sed -n '/^events/,$p'
    ls profiles | wc -l
}

work 0 '' >wanted
is "$(sed -n '/^status/p; $p' wanted | tr '\n' ' ')" 'status 3 2 ' 'nothing is refused: a program and its child are counted'
for refused in 'memfd_create' 'personality ptrace userfaultfd' 'process_vm_readv process_vm_writev' 'pidfd_open close_range'; do
    for error in $EPERM $ENOSYS; do
        work $error "$refused" >got
        same_file got wanted "$refused: error $error"
    done
done
work $EPERM 'memfd_create personality ptrace userfaultfd process_vm_readv process_vm_writev pidfd_open close_range' >got
same_file got wanted 'all of them'
printf 'int main(int argc, char **argv) { return argc > 9 ? **argv : 0; }\n' >main.c && $CC -g -o main main.c || bail 'cannot compile main.c'
ok 'a packed profile is read without a file in memory' sh -c "\"$QUERN\" run -q --out-file=profile ./main && gzip -f profile"
ok 'by annotate' refusing $EPERM memfd_create "$QUERN" annotate profile.gz
done_testing
