#!/bin/sh
# Does manual.sh notice an example that is wrong?  A manual of one chapter, with right and wrong ones.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

command -v gcc >/dev/null || skip_all 'there is no gcc' 6
mkdir -p "$SCRATCH/manual" "$SCRATCH/inner"
cat >"$SCRATCH/manual/quern.texi" <<'END'
@set GCC 0
@include chapter.texi
END
cat >"$SCRATCH/manual/chapter.texi" <<'END'
@c file numbers
@verbatim
12
34
@end verbatim
@c run
@verbatim
$ cat numbers
12
34
@end verbatim
@c run
@verbatim
$ cat numbers
12
35
@end verbatim
@c run
@verbatim
$ cat numbers
12
@end verbatim
@c run | tail -n 1
@verbatim
$ cat numbers
34
$ echo "$PWD"
/home/me
@end verbatim
@c needs no-such-command
@c run
@verbatim
$ cat numbers
@end verbatim
@c run-c
@verbatim
$ cat numbers
@end verbatim
@verbatim
$ cat numbers
not an example
@end verbatim
@c run
@verbatim
$ cat no-such-file
@end verbatim
END
cp "$SCRATCH/manual/chapter.texi" "$SCRATCH/before"

manual() {
    QUERN_MANUAL=$SCRATCH/manual SCRATCH=$SCRATCH/inner \
        sh "$top_srcdir/tests/unit/manual/manual.sh" "$@" >"$SCRATCH/log" 2>&1
}

# Of each example: its number, and what became of it.
results() {
    grep '^\(not \)*ok.*chapter.texi:' "$SCRATCH/log" |
        sed 's/^\(not ok\|ok\) \([0-9]*\).*# SKIP.*/\2 skipped/; s/^\(not ok\|ok\) \([0-9]*\) .*/\2 \1/'
}

manual
is $? 1 'a manual with wrong examples fails'
is "$(results)" '1 ok
2 ok
3 not ok
4 not ok
5 ok
6 skipped
7 skipped
8 not ok' 'namely those that are wrong'
same_file "$SCRATCH/manual/chapter.texi" "$SCRATCH/before" 'which stay as they are'

manual --update
ok '--update writes what came' grep -q '^cat: no-such-file' "$SCRATCH/manual/chapter.texi"
is "$(diff "$SCRATCH/before" "$SCRATCH/manual/chapter.texi" | grep -c '^[<>]')" 4 'and changes nothing else'
manual
is "$(grep -c '^not ok.*chapter.texi' "$SCRATCH/log")" 0 'then all examples are right'
done_testing
