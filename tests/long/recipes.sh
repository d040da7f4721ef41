#!/bin/sh
# Do the recipes in packaging/ make packages, of a release, and does what they hold work?  By the tools of Fedora and Arch that Debian has: packages rpm,
# rpmlint, makepkg, pacman-package-manager, libarchive-tools and fakeroot.
#
#   make -C build dist && sh tests/long/recipes.sh build
[ -z "${1:-}" ] || top_builddir=$(cd "$1" && pwd) || exit 99
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/scratch.sh"
packaging=$top_srcdir/packaging
version=$(sed -n 's/^AC_INIT(\[quern\], \[\([^]]*\)\].*/\1/p' "$top_srcdir/configure.ac")
tarball=$top_builddir/quern-$version.tar.gz
[ -f "$tarball" ] || bail 'no release: make dist'
for tool in rpmbuild rpmlint makepkg pacman bsdtar fakeroot; do command -v $tool >/dev/null || bail "no $tool"; done

rpmlint "$packaging/quern.spec" >rpmlint.log 2>&1
is "$(grep -v 'no-buildroot-tag\|invalid-url Source0' rpmlint.log | grep -c ': [EW]: ')" 0 'rpmlint says of the spec only that it has no BuildRoot, which is obsolete, and no address of its source' || diag "$(grep ': [EW]: ' rpmlint.log)"
mkdir -p rpm/SOURCES && cp "$tarball" rpm/SOURCES
rpmbuild --define "_topdir $SCRATCH/rpm" --nodeps -ba "$packaging/quern.spec" >rpmbuild.log 2>&1
is "$?" 0 'rpmbuild makes packages, and their tests pass' || diag "$(tail -n 5 rpmbuild.log)"
is "$(find rpm/RPMS rpm/SRPMS -name '*.rpm' | sed 's/.*\///; s/-[0-9].*//' | sort | tr '\n' ' ')" 'quern quern quern-devel quern-doc quern-labs ' '... all of them'
# Static programs, scripts that `sh` runs, and what Fedora's own rpm has no use for: tags of vendors, scripts that tell of pages in Info.
meant='statically-linked-binary\|non-executable-script\|no-group-tag\|no-packager-tag\|no-signature\|info-files-without-install-info\|no-dependency-on'
rpmlint rpm/RPMS/*/*.rpm >packages.log 2>&1
is "$(grep ': E: ' packages.log | grep -v "$meant")" '' 'rpmlint finds no error in them but what is meant' || diag "$(tail -n 3 packages.log)"
mkdir root && for file in rpm/RPMS/*/*.rpm; do rpm2cpio "$file" | (cd root && cpio -idm --quiet); done
printf 'int main(void) { return 0; }\n' >prog.c && cc -g -o prog prog.c
ok 'the program in them counts' root/usr/bin/quern run -q --out-file=profile ./prog
ok '... which it says' grep -q '^summary: [1-9]' profile

mkdir arch && cp "$packaging/PKGBUILD" "$tarball" arch && chmod -R a+rwX arch
[ "$(id -u)" != 0 ] || chown -R nobody arch
as_user() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --clear-groups env HOME="$SCRATCH/arch" "$@"; else "$@"; fi; }
(cd arch && as_user makepkg --nodeps --noconfirm) >makepkg.log 2>&1
is "$?" 0 'makepkg makes a package, and its tests pass' || diag "$(tail -n 5 makepkg.log)"
ok '... with a program' sh -c 'tar -tf arch/*.pkg.tar* | grep -qx usr/bin/quern'
done_testing
