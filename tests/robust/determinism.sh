#!/bin/sh
# Does the same run give the same profile, byte for byte?
#
#   sh tests/robust/determinism.sh              3 runs each
#   QN_RUNS=20 sh tests/robust/determinism.sh   20 runs, as the manual promises
#
# Addresses are fixed by default (no --aslr), the predictors and caches start empty, and nothing in a profile
# tells one run from another.  Programs that ask the kernel for random numbers or the time are not deterministic
# and not asked to be.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/tap.sh"

runs=${QN_RUNS:-3}
LC_ALL=C
PYTHONHASHSEED=0
PERL_HASH_SEED=0
export LC_ALL PYTHONHASHSEED PERL_HASH_SEED
[ -x "$QUERN" ] || bail "there is no $QUERN"

# Programs list the folders that they read from, so what is written goes elsewhere.
mkdir -p "$SCRATCH/read" "$SCRATCH/written"
cd "$SCRATCH/read" || bail "no $SCRATCH/read"
cat >python3.py <<'END'
import json, re
words = {}
for i in range(3000):
    words.setdefault("w%d" % (i * i % 97), []).append(i)
text = json.dumps(words, sort_keys=True)
print(len(text), len(re.findall(r"\[(\d+), (\d+)", text)), sum(map(len, json.loads(text).values())))
END
cat >sqlite3.sql <<'END'
create table a (id integer primary key, k integer, t text);
begin;
with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
insert into a select i, (i * 7919) % 1009, 'row ' || i from n;
commit;
create index a_k on a (k);
select count(*), sum(length(t)), max(k) from a where k in (select k from a where id % 7 = 0);
END

# same OPTIONS PROGRAM ARGUMENTS...: run it $runs times; its input is the file in.  Which run differs from the
# first, and where.
same() {
    options=$1
    shift
    for run in $(seq "$runs"); do
        # shellcheck disable=SC2086 # options are words
        "$QUERN" run -q --branch-sim=yes $options --out-file="$SCRATCH/written/profile.$run" -- "$@" \
            <in >"$SCRATCH/written/output.$run" 2>&1 || { echo "run $run: status $?"; return 1; }
        cmp "$SCRATCH/written/output.$run" "$SCRATCH/written/output.1" || return 1
        cmp -s "$SCRATCH/written/profile.$run" "$SCRATCH/written/profile.1" || {
            echo "the profile of run $run is not that of run 1:"
            diff -u "$SCRATCH/written/profile.1" "$SCRATCH/written/profile.$run" | head -n 20
            return 1
        }
    done
}

# case_of PROGRAM ARGUMENTS...: with and without caches; the second takes other paths through the engine.
case_of() {
    command -v "$1" >/dev/null || { skip "$1 is not installed" 2; return; }
    name=${1##*/}
    "$@" <in >/dev/null 2>&1 # natively: what is read for the first time gets a new access time, and Python computes with it
    ok "$runs runs of $name give the same profile" same '' "$@"
    ok "$runs runs of $name give the same profile with a small code cache" same --tcache-size=1M "$@"
}

: >in
case_of /usr/bin/python3 python3.py
cp sqlite3.sql in
case_of sqlite3 :memory:
: >in
case_of perl -e 'my %h; $h{$_ * 7 % 101} .= $_ for 1 .. 3000; print scalar(keys %h), "\n"'
case_of ls -lR /usr/share/doc/bash
done_testing
