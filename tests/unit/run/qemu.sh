#!/bin/sh
# Does `quern run` work under qemu-x86_64, as on an ARM machine whose containers run x86-64 programs?  In a user namespace the kernel starts
# all programs by it (binfmt_misc): quern, its engine, and what the program executes.
#
#   QN_QEMU=full sh tests/unit/run/qemu.sh     thirty programs of the corpus
#   QEMU=PATH sh tests/unit/run/qemu.sh        another version than the installed one
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

emulator=${QEMU:-$(command -v qemu-x86_64)}
[ -x "$emulator" ] || absent_all 'no qemu-x86_64' 24

# The emulator is such a program itself, so the rule asks for zeros in a part of the header that nobody reads, and our copy has a 1 there.
cp "$emulator" qemu && chmod u+w qemu && printf '\001' | dd of=qemu bs=1 seek=15 conv=notrunc 2>/dev/null || bail 'no copy of qemu-x86_64'
zeros='\x00\x00\x00\x00\x00\x00\x00\x00\x00'
rule=":x86:M::\\x7fELF\\x02\\x01\\x01$zeros\\x02\\x00\\x3e\\x00:\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff:$SCRATCH/qemu:POCF"
cat >enter <<END
#!/bin/sh
# in its namespace: the machine itself, or a machine that is emulated
[ "\$1" = machine ] || { mount -t binfmt_misc none /proc/sys/fs/binfmt_misc && printf %s '$rule' >/proc/sys/fs/binfmt_misc/register; } || exit 99
shift
exec "\$@"
END
on="unshare --user --map-current-user --keep-caps --mount sh $SCRATCH/enter"
$on emulator true 2>said || skip_all "no binfmt_misc in user namespaces, which Linux 6.7 has: $(head -n 1 said)" 24
printf '#!/bin/sh\nexec %s emulator %s "$@"\n' "$on" "$QUERN" >quern && chmod +x quern

QEMU_CPU=max # all that it can emulate; what it is by default, below
export QEMU_CPU
options='run -q --cpu=x86-64-v2 --branch-sim=yes --I1=32768,8,64 --D1=32768,8,64 --LL=8388608,16,64'

# both WORDS...: runs quern with these on both, in a folder of the same name; the profile is `profile`, what is printed `said`
# (--default-signal: a program of nohup's sees that SIGHUP is ignored, but not under qemu, which loses that at execve.)
both() {
    for where in machine emulator; do
        rm -rf run "$where" && mkdir run || bail 'no folder'
        (cd run && env -i --default-signal PATH=/usr/bin:/bin HOME=/nowhere LC_ALL=C QEMU_CPU=max PYTHONHASHSEED=0 $on $where "$QUERN" $options --out-file=profile "$@" >said 2>&1 </dev/null
         echo "status $?" >>said)
        mv run $where
    done
}

# counts FILE: all lines of the profile that have counts, and what they belong to
counts() { sed -n '/^events/,$p' "$1/profile"; }

# ---- programs without a C library: each count of each line ----

for guest in loops sieve matmul strings recursion switch x87 sse4 rep fpstate; do
    both "$top_builddir/tests/guest/$guest"
    cat machine/said >wanted && counts machine >>wanted || bail "$guest has no profile"
    cat emulator/said >got && counts emulator >>got
    same_file got wanted "$guest: what it counts, in all lines"
done

# ---- programs of C libraries: what is executed from the first line of theirs ----
#
# Before that, the dynamic linker reads what the kernel tells a program, and qemu says less.  Misses depend on addresses, which are others.

# executed NAME WORDS...: Ir, Dr, Dw and both kinds of branches
executed() {
    name=$1
    shift
    both --toggle='__libc_start_main*' "$@"
    for where in machine emulator; do
        { cat $where/said; sed -n 's/^summary: //p' $where/profile | cut -d ' ' -f 1,4,7,10,12; } >$where.executed
    done
    same_file emulator.executed machine.executed "$name: instructions, references, branches"
}

seq 2000 >numbers
$CC -O1 -g -o numbers_ "$top_srcdir/tests/corpus/programs/numbers.c" -lm || bail 'cannot compile numbers.c'
executed numbers "$SCRATCH/numbers_"
executed sort sort "$SCRATCH/numbers"
executed gzip gzip -kc "$SCRATCH/numbers"
executed sha256sum sha256sum "$SCRATCH/numbers"
executed wc wc "$SCRATCH/numbers"
executed sed sed -n 's/9/&&/gp' "$SCRATCH/numbers"

# ---- real programs: what they print, leave behind and end with, and sums that are right ----

programs='jumps threads mixed signals script'
[ "${QN_QEMU:-}" != full ] || programs="$programs python3_sum numbers places static static_pie no_pie bash_wait bash_traps python3_threads python3_process perl_sum gawk_sum mawk
    sort sort_parallel grep sed find tar diff make_all gzip xz_threads lua bc"
mkdir corpus
for name in $programs; do
    ok "$name: as natively" env QUERN="$SCRATCH/quern" SCRATCH="$SCRATCH/corpus" sh "$top_srcdir/tests/corpus/paired.sh" $name
done

is "$(./quern run -q --cpu=x86-64-v2 --out-file=profile /usr/bin/python3 -S -c 'print(sum(range(1000)))' 2>&1)" 499500 'python3'

# ---- the processor that it emulates by default, which has no xsave ----

unset QEMU_CPU
ok 'by default' ./quern run -q --out-file=profile "$top_builddir/tests/guest/loops"
ok 'with the counts of any processor' grep -q '^summary: [0-9]' profile
done_testing
