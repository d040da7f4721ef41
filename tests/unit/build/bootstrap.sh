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
optional  plot-a|plot-b  pictures
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

unset QUERN_CONFIGURE # of the ./bootstrap that runs this test

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
ok '... and the command for an administrator is there' grep -q ': apt-get install --no-install-recommends cc make plot-a$' "$SCRATCH/output"
ok '... and what of it is needed' grep -q 'cannot be built: cc make$' "$SCRATCH/output"

bootstrap 1000 cc make
is "$status:$(calls)" '0:' 'only optional ones missing: it goes on'
is "$(sed -n '/going on without/,$p' "$SCRATCH/output")" 'bootstrap: going on without:
bootstrap:   plot-a: pictures
bootstrap:   some tests are skipped without: oracle' '... and says without what, and what is off then'

touch "$SCRATCH/offline"
bootstrap 0 make
is "$status" 1 'apt-get fails: status 1'
ok '... and the missing packages are named then too' grep -q 'cannot be built: cc$' "$SCRATCH/output"

rm "$SCRATCH/offline"

# ---- configure is asked again when it would find something else ----

cat >"$tree/configure" <<END
echo "abs_top_builddir = $tree/build" >Makefile
echo "configure \$*" >>"$SCRATCH/configured"
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
QUERN_CONFIGURE='--enable-werror'
export QUERN_CONFIGURE
is "$(built cc make plot-b) $(tail -n 1 "$SCRATCH/configured")" '4 configure -q --enable-werror' '... or with other words for configure'
unset QUERN_CONFIGURE

# ---- what is printed ----

stand_in make <<'END'
echo '  CC       one.o'
[ ! -e broken ] || { echo 'one.c:1: error: no' >&2; exit 2; }
END
built cc make plot-b >/dev/null
is "$(cat "$SCRATCH/output")" "bootstrap: all packages are installed
bootstrap: building in build/ with $(nproc) jobs
bootstrap: built: build/quern" 'what make prints is not on the screen'
ok '... but in the log' grep -q 'CC       one.o' "$tree/build/bootstrap.log"
touch "$tree/build/broken"
built cc make plot-b
is "$? $(grep -c 'one.c:1: error: no' "$SCRATCH/output") $(grep -c 'make.*bootstrap.log$' "$SCRATCH/output")" '1 1 1' 'of a build that fails, its end is'

# ---- folders that make cannot work in ----

for name in 'two words' 'tab	tab' 'a:b' 'a#b' 'a$b' "a'b" 'a[b' 'a]b' 'a\b' 'a~'; do
    mkdir -p "$SCRATCH/$name" && cp "$tree/bootstrap" "$tree/packages.debian" "$SCRATCH/$name"
    : >"$SCRATCH/installed"
    : >"$SCRATCH/calls"
    PATH=$bin:$PATH sh "$SCRATCH/$name/bootstrap" >"$SCRATCH/output" 2>&1 </dev/null
    is "$?:$(calls):$(wc -l <"$SCRATCH/output"):$(grep -cF "in its path: $SCRATCH/$name;" "$SCRATCH/output")" 1::1:1 \
        "a folder called $name: one line, and nothing is installed"
done
rm "$tree/build/broken"
mkdir "$SCRATCH/bäume=1,@2+^-_." && cp -r "$tree/." "$SCRATCH/bäume=1,@2+^-_."
PATH=$bin:$PATH sh "$SCRATCH/bäume=1,@2+^-_./bootstrap" >"$SCRATCH/output" 2>&1 </dev/null
is "$?" 0 'other characters are taken'

sh "$tree/bootstrap" nonsense >"$SCRATCH/output" 2>&1
is "$?:$(cat "$SCRATCH/output")" '2:usage: ./bootstrap [demo | check | packages]' 'a word that it does not know'

done_testing
