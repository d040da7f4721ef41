#!/bin/sh
# What if there is no gnuplot, or if it fails?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

in=$top_srcdir/tests/golden/plot/in
grep -q '^#define QN_GNUPLOT "gnuplot"' "$top_builddir/config.h" || skip_all 'configured with another gnuplot' 8
cd "$SCRATCH" || bail 'no scratch'
mkdir nothing broken

PATH=$SCRATCH/nothing "$QUERN" plot top "$in/a.prof" -o a.svg 2>err
is "$?: $(cat err)" '1: quern plot: there is no gnuplot here, so only a.csv and a.gp were written; `gnuplot a.gp` draws them' \
    'no gnuplot: no picture, and one line says so'
is "$(echo a.*)" 'a.csv a.gp' 'data and script are there'
echo old >b.svg
PATH=$SCRATCH/nothing "$QUERN" plot top "$in/a.prof" -o b.svg 2>err
is "$(cat b.svg)" old 'a picture of before stays'

# One that writes half a picture and ends with an error.
cat >broken/gnuplot <<'END_OF_SCRIPT'
#!/bin/sh
echo half >c.svg
printf '\n\n"c.gp" line 20: out of ink\n\n' >&2
exit 3
END_OF_SCRIPT
chmod +x broken/gnuplot
PATH=$SCRATCH/broken:$PATH "$QUERN" plot top "$in/a.prof" -o c.svg 2>err
is "$?: $(cat err)" '1: quern plot: gnuplot c.gp: "c.gp" line 20: out of ink' 'gnuplot fails: its message'
is "$(echo c.*)" 'c.csv c.gp' 'and no half picture'

# A folder that cannot be written.
if [ "$(id -u)" -ne 0 ]; then
    mkdir closed
    chmod 555 closed
    "$QUERN" plot top "$in/a.prof" -o closed/d.svg 2>err
    is "$?: $(cat err)" '1: quern plot: closed/d.svg: Permission denied' 'a folder that is closed'
else
    skip 'root may write everywhere'
fi
# A disk that is full: /dev/full cannot be a folder, so a limit of file size does it.
(ulimit -f 0; trap '' XFSZ; "$QUERN" plot top "$in/a.prof" -o e.svg 2>err.e || exit 1)
is "$?" 1 'no room: exit 1'
is "$(echo e.*)" 'e.*' 'and nothing half-written'
done_testing
