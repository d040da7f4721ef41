#!/bin/sh
# A command that is interrupted leaves nothing behind but what it had finished.  Each is stopped at a moment that it reaches for sure: a
# compiler, a gnuplot, a program or an input of ours says that it is there, and goes no further.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/tap.sh"

real_cc=$CC
LC_ALL=C
TMPDIR=$SCRATCH/tmp XDG_CACHE_HOME=$SCRATCH/kept PATH=$SCRATCH/bin:$PATH
export LC_ALL TMPDIR XDG_CACHE_HOME PATH SCRATCH
mkdir "$SCRATCH/work" "$SCRATCH/bin" "$TMPDIR" "$XDG_CACHE_HOME" || bail 'no scratch'
mkfifo "$SCRATCH/there" "$SCRATCH/never" || bail 'no pipes'
cd "$SCRATCH/work" || bail 'no scratch'

# Says that it is there, and waits for what never comes.
cat >"$SCRATCH/bin/waits" <<'END'
#!/bin/sh
echo here >"$SCRATCH/there"
read -r nothing <"$SCRATCH/never"
END
chmod +x "$SCRATCH/bin/waits"
cp "$SCRATCH/bin/waits" "$SCRATCH/bin/gnuplot"
cat >prog.c <<'END'
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char byte;
    int fd = open(argv[1], O_WRONLY);

    if (fd < 0 || write(fd, "here\n", 5) != 5 || close(fd))
        return 1;
    fd = open(argv[2], O_RDONLY);
    return argc > 9 || read(fd, &byte, 1) < 0;
}
END
$real_cc -o prog prog.c || bail 'cannot compile'
printf 'int mine;\n' >mine.c
"$QUERN" run -q --out-file=p true || bail 'cannot run'
"$QUERN" lab start 1 lab >lab.out 2>&1 || bail "no lab: $(cat lab.out)"
mkfifo input

# stopped SIGNAL COMMAND...: what it says first is read from the pipe; then it gets the signal
stopped() {
    signal=$1
    shift
    ls -A . "$TMPDIR" >"$SCRATCH/before"
    find "$XDG_CACHE_HOME" -mindepth 3 >>"$SCRATCH/before"
    env --default-signal=INT "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" &
    command=$!
    $reached
    kill -s "$signal" $command
    wait $command
    status=$?
    ls -A . "$TMPDIR" >"$SCRATCH/after"
    find "$XDG_CACHE_HOME" -mindepth 3 >>"$SCRATCH/after"
    [ $status -gt 128 ] || { echo "status $status: $(cat "$SCRATCH/err")"; return 1; }
    cmp "$SCRATCH/before" "$SCRATCH/after" || { diff "$SCRATCH/before" "$SCRATCH/after"; return 1; }
}
says() { read -r _ <"$SCRATCH/there"; }
opens() { exec 7>input; }
# What is handed in runs confined and can tell nobody: the folder in which it is checked has to do.
appears() {
    until [ -d "$(echo "$TMPDIR"/quern-lab.*/build)" ]; do
        kill -0 $command || return
    done
}
# each WHAT COMMAND...
each() {
    what=$1
    shift
    for signal in INT TERM HUP; do
        ok "$what, SIG$signal" stopped $signal "$@"
    done
}
reached=says
each 'a simulator that is built' env CC=waits "$QUERN" sim build -o sim --D1=fifo
each 'a simulator that is built for a run' env CC=waits "$QUERN" run -q --sim=AN=3c --check --sim=D1="$PWD/mine.c" --out-file=q true
each 'a simulator that is built for a replay' env CC=waits "$QUERN" replay trace
each 'a report' "$QUERN" report -q -o page ./prog "$SCRATCH/there" "$SCRATCH/never"
reached=appears
each 'a lab that is checked' "$QUERN" lab check 1 lab
reached=says
each 'a sweep' "$QUERN" sweep -q -o s.csv -- ./prog "$SCRATCH/there" "$SCRATCH/never"
each 'a picture' "$QUERN" plot -o top.svg top p
reached=opens
each 'a conversion' "$QUERN" csv -o p.csv input
done_testing
