#!/bin/sh
# Does run --trace=emit say why a reference got no short form, and run -v how each slot is simulated?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

geometry='--I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64'

# why OPTIONS...: the reasons, each once.
why() {
    # shellcheck disable=SC2086 # words
    "$QUERN" run -q --trace=emit $geometry --branch-sim=yes --out-file=profile "$@" /bin/true 2>&1 |
        sed -n 's/^  [0-9a-f]*: \([A-Z][a-z]*\)[ rw0-9]*: /\1: /p' | sort -u
}

# how SLOT OPTIONS...: what -v says of it.
how() {
    slot=$1
    shift
    # shellcheck disable=SC2086 # words
    "$QUERN" run -v $geometry --branch-sim=yes --out-file=profile "$@" /bin/true 2>&1 | sed -n "s/^--[0-9]*-- $slot: *//p"
}

is "$(why | grep -v 'no power of two')" '' 'the default: all have short forms, but sizes that are no power of two'
is "$(why --no-filter | grep '^[DI]:')" 'D: each reference is a call: --no-filter
I: each fetch is a call: --no-filter' '--no-filter'
is "$(why --sim=D1=stride | grep '^D:')" 'D: written down: the module in slot D1 wants to see each reference' 'a prefetcher that sees all'
is "$(why --sim=D1=stride --batch=never | grep '^D:')" \
    'D: each reference is a call: the module in slot D1 says of no line that its hits change nothing' 'the same, not written down'
is "$(why --sim=D1=writeback | grep '^D: a call')" 'D: a call: to the module in slot D1 no write changes nothing' 'writes make dirty'
is "$(why --sim=BC=tage | grep '^Bc: w')" 'Bc: written down: slot BC does not hold the default file as it was proven' 'a predictor'
is "$(why --analysis=interval | grep '^D:')" 'D: each reference is a call: an analysis module sees it' 'an analysis of references'
is "$(why --analysis=sets,3c | grep '^D:')" "$(why | grep '^D:')" 'analyses of misses and lines keep the filter'

ok 'the default is in emitted code' sh -c "echo '$(how D1)' | grep -q 'in emitted code'"
ok 'a policy is behind a filter' sh -c "echo '$(how D1 --sim=D1=srrip)' | grep -q 'behind a filter'"
sed 's/used last/used  last/' "$top_srcdir/lib/sim/cachesim_D1.c" >cachesim_D1.c
ok 'a default file that is changed is not' sh -c "echo '$(how D1 --sim=D1=./cachesim_D1.c)' | grep -q 'cachesim_D1.c is changed'"
done_testing
