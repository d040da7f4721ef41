#!/bin/sh
# course.sh - is what a course runs in made by its recipe?
#
#   sh tests/long/course.sh container      the steps of Containerfile, with podman or buildah where they run, else in a new Debian 12 by
#                                          debootstrap (as root); then a lab is started and checked in it.  Half an hour, 5 GB
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/tap.sh"

[ "${1:-container}" = container ] || bail "course.sh: got '$1', wanted container"
source=$top_srcdir
root=$SCRATCH/root

if command -v podman >/dev/null && podman info >/dev/null 2>&1; then
    ok 'podman makes the image' podman build -q -t quern-course "$source"
    inside() { podman run --rm quern-course sh -c "$1"; }
elif [ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null; then
    debootstrap --variant=minbase bookworm "$root" >"$SCRATCH/debootstrap.log" 2>&1 || bail "debootstrap: $(tail -n 1 "$SCRATCH/debootstrap.log")"
    mkdir -p "$root/opt/quern"
    (cd "$source" && git ls-files -z | tar cf - --null -T -) | tar xf - -C "$root/opt/quern"
    mount --bind /proc "$root/proc" || bail 'no /proc'
    trap 'umount "$root/proc"' EXIT
    # RUN steps in their order; WORKDIR is where they run.
    sed -n 's/^RUN //p' "$source/Containerfile" >"$SCRATCH/steps"
    ok "the recipe's steps" chroot "$root" sh -e -c "cd /opt/quern && $(tr '\n' ';' <"$SCRATCH/steps" | sed 's/;$//; s/;/ \&\& /g')"
    inside() { chroot "$root" su student -c "cd && $1"; }
else
    absent_all 'neither podman nor debootstrap as root' 4
fi
inside 'quern lab start 1 lab1' >"$SCRATCH/out" 2>&1
is $? 0 'a student starts a lab in it' || diag "$(cat "$SCRATCH/out")"
inside 'quern lab check 1 lab1' >"$SCRATCH/out" 2>&1
is "$?:$(tail -n 1 "$SCRATCH/out")" '1:# 0 of 100 points' 'and checks it'
inside 'cd lab1 && cc -O1 -g -o work work.c && quern run --out-file=/dev/null ./work >work.trace' >"$SCRATCH/out" 2>&1
is $? 0 'quern runs a program in it' || diag "$(cat "$SCRATCH/out")"
done_testing
