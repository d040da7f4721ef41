#!/bin/sh
# Does ./bootstrap install what is missing, only that, and say so where it cannot?  dpkg-query, apt-get, id and sudo are
# stand-ins: $SCRATCH/installed is what is installed, $SCRATCH/calls what apt-get was asked for.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

tree=$SCRATCH/tree
bin=$SCRATCH/bin
mkdir -p "$tree" "$bin"
cp "$top_srcdir/bootstrap" "$tree"
cat >"$tree/packages.debian" <<'END'
# a comment
build     cc
build     make
optional  plot-a|plot-b
test      oracle
END

# stand_in NAME: its body comes on stdin.
stand_in() {
    { echo '#!/bin/sh' && cat; } >"$bin/$1"
    chmod +x "$bin/$1"
}
stand_in dpkg-query <<END
for package; do :; done
grep -qx "\$package" "$SCRATCH/installed" && printf installed
END
stand_in apt-get <<END
echo "\$@" | sed 's/-o [^ ]* *//g; s/-q -y //' >>"$SCRATCH/calls"
[ ! -e "$SCRATCH/offline" ] || exit 100
case " \$* " in *' install '*) for word; do echo "\$word" >>"$SCRATCH/installed"; done ;; esac
END
stand_in id <<END
cat "$SCRATCH/uid"
END
stand_in sudo <<END
[ -e "$SCRATCH/may-sudo" ] || exit 1
[ "\$1" != -n ] || shift
echo sudo >>"$SCRATCH/calls"
exec "\$@"
END

# bootstrap UID INSTALLED...: run `./bootstrap packages` there; status in $status, words in $SCRATCH/output.
bootstrap() {
    echo "$1" >"$SCRATCH/uid"
    shift
    printf '%s\n' "$@" >"$SCRATCH/installed"
    : >"$SCRATCH/calls"
    PATH=$bin:$PATH sh "$tree/bootstrap" packages >"$SCRATCH/output" 2>&1 </dev/null
    status=$?
}

calls() {
    grep -v '^sudo$' "$SCRATCH/calls"
}

bootstrap 0 cc make plot-a oracle
is "$status:$(calls)" '0:' 'all installed: apt-get is left alone'
ok '... and it says so' grep -q 'all packages are installed' "$SCRATCH/output"

bootstrap 0 cc make plot-b oracle
is "$status:$(calls)" '0:' 'an alternative will do'

bootstrap 0 make oracle
is "$status:$(calls)" '0:update
install --no-install-recommends cc plot-a' 'as root: what is missing is installed, after an update'

touch "$SCRATCH/may-sudo"
bootstrap 1000 make oracle plot-a
is "$status:$(calls)" '0:update
install --no-install-recommends cc' 'as a user with sudo: the same'
ok '... through sudo' grep -q sudo "$SCRATCH/calls"
rm "$SCRATCH/may-sudo"

bootstrap 1000 oracle
is "$status:$(calls)" '1:' 'as a user without sudo: status 1'
ok '... and the missing packages are named' grep -q 'please install: cc make$' "$SCRATCH/output"

bootstrap 1000 cc make
is "$status:$(calls)" '0:' 'only optional ones missing: it goes on'
ok '... and says without what' grep -q 'going on without: plot-a oracle$' "$SCRATCH/output"

touch "$SCRATCH/offline"
bootstrap 0 make
is "$status" 1 'apt-get fails: status 1'
ok '... and the missing packages are named then too' grep -q 'please install: cc$' "$SCRATCH/output"

rm "$SCRATCH/offline"

# ---- configure is asked again when it would find something else ----

cat >"$tree/configure" <<END
echo "abs_top_builddir = $tree/build" >Makefile
echo configure >>"$SCRATCH/configured"
END
chmod +x "$tree/configure"
: >"$tree/Makefile.in"
stand_in make </dev/null

# built INSTALLED...: how often configure has run, when ./bootstrap has built once more with these.
built() {
    printf '%s\n' "$@" >"$SCRATCH/installed"
    echo 0 >"$SCRATCH/uid"
    PATH=$bin:$PATH sh "$tree/bootstrap" >"$SCRATCH/output" 2>&1 </dev/null || return 1
    wc -l <"$SCRATCH/configured" | tr -d ' '
}
: >"$SCRATCH/configured"
is "$(built cc make plot-b)" 1 'a first build configures'
is "$(built cc make plot-b)" 1 '... a second one has no need to'
is "$(built cc make plot-b oracle)" 2 '... but when a package has come, the next one asks what there is'
is "$(built cc make plot-b)" 3 '... and when one has gone'

sh "$tree/bootstrap" nonsense >"$SCRATCH/output" 2>&1
is "$?:$(cat "$SCRATCH/output")" '2:usage: ./bootstrap [demo | check | packages]' 'a word that it does not know'

done_testing
