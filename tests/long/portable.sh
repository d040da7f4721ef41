#!/bin/sh
# Does the tarball of `make portable` work where there is nothing but a kernel, and for a user without rights?
#
#   make -C build portable && sh tests/long/portable.sh build [CHROOT...]      root; CHROOT: such as debootstrap makes
#
# Each place is tried as an ordinary user in namespaces of its own: /proc as usual, hidepid, read-only, absent; /tmp on which nothing may be
# executed; a filter that refuses what Docker's refuses.
[ -z "${1:-}" ] || top_builddir=$(cd "$1" && pwd) || exit 99
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/scratch.sh"
[ "$(id -u)" = 0 ] || bail 'root is needed'
tarball=$(ls "$top_builddir"/quern-*-linux-x86_64.tar.xz) || bail 'no tarball: make portable'
[ $# -eq 0 ] || shift
user=65534

# A root with the tarball, a program, and the folders that are mounted to.
mkdir -p empty/proc empty/tmp empty/dev empty/out || bail 'no folder'
$CC -static -o empty/refuse "$top_srcdir/tests/robust/refuse.c" || bail 'cannot compile refuse.c'
[ -x "$top_builddir/tests/guest/loops" ] || bail 'no tests/guest/loops: make guests'

refused='101 319 323 135 310 311 434 436' # ptrace memfd_create userfaultfd personality process_vm_readv _writev pidfd_open close_range

# inside ROOT PROC COMMAND...: as the user, in the root; PROC: options of its mount, or `absent`
inside() {
    root=$1 proc=$2
    shift 2
    cat >inside.sh <<'END'
root=$1 proc=$2 user=$3
shift 3
[ "$proc" = absent ] || mount -t proc -o "$proc" proc "$root/proc" || exit 99
mount -t tmpfs -o noexec,mode=1777 tmpfs "$root/tmp" && mount -t tmpfs -o mode=1777 tmpfs "$root/out" && mount -t tmpfs tmpfs "$root/dev" &&
    mknod -m 666 "$root/dev/null" c 1 3 || exit 99
exec setpriv --reuid="$user" --regid="$user" --clear-groups --no-new-privs chroot --skip-chdir "$root" "$@"
END
    sed -i 's/setpriv \(.*\) chroot --skip-chdir "$root"/chroot --userspec="$user:$user" --groups= "$root"/' inside.sh
    unshare --mount --pid --fork sh inside.sh "$root" "$proc" $user "$@"
}

# a_program ROOT: a program of the distribution's compiler and libraries, as README has it: line by line
a_program() {
    cat >"$1/try.sh" <<'END'
cd /out && gcc -g -O1 -o demo /demo.c && /quern/bin/quern run -q --I1=32768,8,64 --D1=8192,2,64 --LL=1048576,16,64 --out-file=profile ./demo >/dev/null &&
    /quern/bin/quern annotate --show=Dr,D1mr profile
END
    cp "$top_srcdir/doc/examples/demo/demo.c" "$1" && inside "$1" rw /bin/sh /try.sh >said 2>&1
}

# as_natively WHAT ROOT PROC COMMAND...: the program's status, and the counts
as_natively() {
    what=$1 root=$2 proc=$3
    shift 3
    inside "$root" "$proc" "$@" /quern/bin/quern run --out-file=/out/profile --D1=32768,8,64 --I1=32768,8,64 --LL=8388608,16,64 /loops >said 2>&1
    is "$? $(grep -c 'refs: *2,741,432$' said)" '0 1' "$what" || diag "$(tail -n 3 said)"
}

for root in empty "$@"; do
    mkdir -p "$root/out" "$root/quern" && tar -xJf "$tarball" -C "$root/quern" --strip-components=1 && cp "$top_builddir/tests/guest/loops" empty/refuse "$root" 2>/dev/null
    as_natively "$root" "$root" rw
    as_natively "$root, hidepid" "$root" hidepid=2
    as_natively "$root, /proc read-only" "$root" ro
    as_natively "$root, no /proc" "$root" absent
    # shellcheck disable=SC2086 # a list
    as_natively "$root, a filter" "$root" rw /refuse 1 $refused --
    inside "$root" rw /quern/bin/quern sim list >said 2>&1
    ok "$root: the modules" grep -q srrip said
    inside "$root" rw /quern/bin/quern run --sim=D1=srrip --out-file=/out/profile /loops >said 2>&1
    ok "$root: one of them" grep -q 'D1  misses' said
    printf '/* none */\n' >"$root/mine.c" && cat "$top_srcdir/lib/sim/policy/fifo.c" >>"$root/mine.c"
    if [ -e "$root/usr/bin/gcc" ] || [ -e "$root/usr/bin/clang" ]; then
        inside "$root" rw /quern/bin/quern run --sim=D1=/mine.c --out-file=/out/profile /loops >said 2>&1
        ok "$root: a module is compiled" grep -q 'D1  misses' said
        a_program "$root"
        is "$(grep -c '33,554,432.* 16,8[56].,....*sum += a\[i\]\[k\] \* b\[k\]\[j\]' said)" 1 "$root: its own compiler's program, line by line" || diag "$(tail -n 3 said)"
        inside "$root" rw /quern/bin/quern run -q --trace-children=yes --out-file=/out/profile /bin/sh -c 'ls /quern | sort | tail -n 1' >said 2>&1
        is "$(cat said)" share "$root: its own shell and its children" || diag "$(tail -n 3 said)"
        setpriv --reuid=$user --regid=$user --clear-groups unshare --user --map-root-user --mount --pid --fork chroot "$root" /quern/bin/quern run \
            --out-file=/dev/null --D1=32768,8,64 --I1=32768,8,64 --LL=8388608,16,64 /loops >said 2>&1
        is "$? $(grep -c 'refs: *2,741,432$' said)" '0 1' "$root: in a user namespace, without /proc and /dev" || diag "$(tail -n 3 said)"
    else
        inside "$root" rw /quern/bin/quern run --sim=D1=/mine.c --out-file=/out/profile /loops >said 2>&1
        ok "$root: no compiler, in one line" grep -q 'no C compiler' said
    fi
done
done_testing
