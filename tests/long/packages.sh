#!/bin/sh
# Are Debian's packages built where nothing else is, without a complaint of lintian, and do they leave nothing behind?
#
#   debootstrap bookworm CHROOT && sh tests/long/packages.sh CHROOT      root; CHROOT has the host's lists of packages afterwards
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/scratch.sh"
[ "$(id -u)" = 0 ] && [ -x "${1:-}/usr/bin/dpkg" ] || bail 'root, and a root that debootstrap has made, are needed'
root=$(cd "$1" && pwd)

cp /etc/resolv.conf "$root/etc/" && rm -rf "$root/etc/apt/sources.list"* "$root/etc/apt/apt.conf.d" && cp -rL /etc/apt/sources.list* /etc/apt/apt.conf.d "$root/etc/apt/" || bail 'no lists'
rm -rf "$root/src" && mkdir -p "$root/src/quern-0.1" || bail 'no folder'
(cd "$top_srcdir" && git ls-files -co --exclude-standard -z | tar --null -T - -c) | tar x -C "$root/src/quern-0.1" || bail 'no copy of the sources'
cat >"$root/src/inside.sh" <<'END'
set -e
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
cd /src/quern-0.1
case $1 in
prepare) apt-get -qq update && apt-get -qq install -y build-essential debhelper lintian && apt-get -qq build-dep -y ./ && chown -R nobody /src ;;
build) HOME=/src setpriv --reuid=65534 --clear-groups dpkg-buildpackage -us -uc -b ;;
lintian) setpriv --reuid=65534 --clear-groups lintian --fail-on error,warning ../*.deb ;;
list) find / -xdev ! -path '/var/*' ! -path '/src/*' ! -path '/proc/*' ! -path '/etc/ld.so.cache' | sort ;;
install) apt-get -qq install -y --no-install-recommends ../quern_*.deb ../quern-labs_*.deb ../libquern-dev_*.deb ../quern-doc_*.deb ;;
try) rm -rf /src/tmp && install -d -o nobody /src/tmp && setpriv --reuid=65534 --clear-groups env HOME=/src AUTOPKGTEST_TMP=/src/tmp sh debian/tests/counts ;;
upgrade) sed -i '1s/(0.1)/(0.1+1)/' debian/changelog && rm ../*.deb && dpkg-buildpackage -us -uc -b -nc >/dev/null 2>&1 && bash "$0" install ;;
remove) apt-get -qq remove -y quern quern-labs libquern-dev quern-doc ;;
purge) dpkg --purge quern quern-labs libquern-dev quern-doc ;;
esac
END
mount -t proc proc "$root/proc" && trap 'umount "$root/proc"' EXIT || bail 'no /proc'
inside() { chroot "$root" bash /src/inside.sh "$1" >"$1.log" 2>&1; }

inside prepare || bail "what it is built with: $(tail -n 3 prepare.log)"
ok 'they are built by an ordinary user' inside build || diag "$(tail -n 5 build.log)"
ok 'lintian says neither error nor warning' inside lintian || diag "$(head -n 9 lintian.log)"
inside list && cp list.log before
ok 'they are installed' inside install || diag "$(tail -n 5 install.log)"
ok 'they work' inside try || diag "$(tail -n 5 try.log)"
ok 'a later version takes their place' inside upgrade || diag "$(tail -n 5 upgrade.log)"
ok '... and works' inside try || diag "$(tail -n 5 try.log)"
ok 'they are removed' inside remove || diag "$(tail -n 5 remove.log)"
ok '... for good' inside purge || diag "$(tail -n 5 purge.log)"
inside list
dependencies=$(chroot "$root" dpkg-query -W -f '${Package}\n' | wc -l)
diag "$dependencies packages are there now"
is "$(comm -13 before list.log | grep quern)" '' '... and nothing of theirs is left'
done_testing
