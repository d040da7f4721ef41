#!/bin/sh
# Is an edit ever ignored because a built tree was copied, moved, linked to, or is a git worktree?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that runs this test
case $top_builddir in "$top_srcdir"/*) ;; *) skip_all 'the build is not below the sources' 6 ;; esac
below=${top_builddir#"$top_srcdir"/}

# What a copy has: makefile, programs, and the sources that these look for.
mkdir -p "copy/$below"
cp -p "$top_builddir/Makefile" "$top_builddir/quern" "$top_builddir/quern-engine" "$top_builddir"/libquern-*.a "copy/$below/"
cp -p "$top_builddir"/*.h "copy/$below/"
cp -r "$top_srcdir/lib" copy/lib
make -C "copy/$below" -n quern >out 2>err
is "$? $(wc -l <err) $(grep -c 'CC\|gcc' out)" '2 1 0' 'make in a copy does nothing, in one line'
ok '... which says what to do' grep -q "this tree was configured in $top_builddir and has been copied or moved since: run ./bootstrap" err
mv copy moved
is "$(make -C "moved/$below" -n quern 2>&1 | grep -c 'has been copied or moved')" 1 'nor in a tree that was moved'
ln -s "$top_srcdir" link
make -C "link/$below" -n sim_slots.h >out 2>err
is "$? $(cat err)" '0 ' 'by a link it is the same tree'

# Simulators are compiled of the sources beside the copy.
cat >>moved/lib/sim/policy/fifo.c <<'END'
static int marked_in_the_copy = nothing;
END
"moved/$below/quern" sim build --D1=fifo -o sim >said 2>&1
is "$? $(grep -c 'moved/lib/sim/policy/fifo.c.*nothing' said)" '1 1' 'the copied quern compiles what is in the copy'

# A worktree has no build of its own until it is given one, and does not take that of the first tree.
if git -C "$top_srcdir" rev-parse HEAD >/dev/null 2>&1 && git -C "$top_srcdir" worktree add -q --detach "$SCRATCH/tree" >/dev/null 2>&1; then
    mkdir -p "tree/$below" && cp "$top_builddir/Makefile" "tree/$below/"
    is "$(make -C "tree/$below" -n quern 2>&1 | grep -c 'has been copied or moved')" 1 'nor in a worktree'
    git -C "$top_srcdir" worktree remove --force "$SCRATCH/tree"
else
    skip 'no git here'
fi
done_testing
