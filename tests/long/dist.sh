#!/bin/sh
# dist.sh - is a release the same byte for byte, whoever packs it, where and when?
#
#   sh tests/long/dist.sh [COMMIT]      two clones of this repository in folders of different length, by users with another umask, locale and
#                                       time zone: five minutes
#
# out: a line; status 1 if the two differ.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
commit=$(git -C "$top" rev-parse "${1:-HEAD}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# pack FOLDER UMASK: quern-VERSION.tar.gz of a clone there
pack() (
    umask "$2"
    git clone -q "$top" "$1"
    cd "$1"
    git checkout -q "$commit"
    { ./bootstrap && make -C build dist; } >log 2>&1 || { tail -n 20 log >&2; exit 1; }
)
LC_ALL=C TZ=UTC pack "$work/a" 022
LC_ALL=C.UTF-8 TZ=Asia/Tokyo pack "$work/another-folder" 077
for made in "$work"/a/build/quern-*.tar.gz; do
    cmp "$made" "$work/another-folder/build/${made##*/}"
    echo "${made##*/} is the same twice: $(sha256sum <"$made" | cut -c 1-64)"
done
