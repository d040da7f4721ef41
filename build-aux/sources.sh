#!/bin/sh
# sources.sh - makes sources.mk, the explicit lists that Automake wants, of what the folders hold.  make and autoreconf run it.
#
#   sh build-aux/sources.sh --update     writes sources.mk, unless it is as it should be
#   sh build-aux/sources.sh --check      say what differs, exit 1 if anything does (a test runs this)
#
# The rules are those of HACKING, "Add a file": the folder decides which program a C file belongs to.
# Sorted bytewise, so that everyone's list is the same.
set -u
LC_ALL=C
export LC_ALL
top=$(cd "$(dirname "$0")/.." && pwd) || exit 2
cd "$top" || exit 2

# list VARIABLE FILE...: one assignment, a file per line; words that are unexpanded patterns are dropped.
list() {
    variable=$1
    shift
    printf '\n%s =' "$variable"
    for file in "$@"; do
        case $file in *'*'*) ;; *) printf ' \\\n\t%s' "$file" ;; esac
    done
    printf '\n'
}

# stems SUFFIX FILE...: the names without the suffix.
stems() {
    suffix=$1
    shift
    for file in "$@"; do
        case $file in *'*'*) ;; *) printf '%s\n' "${file%"$suffix"}" ;; esac
    done
}

# units SLOTS FILE...: SLOT/FOLDER/NAME for each slot that the module fits, of those.
units() {
    slots=$1
    shift
    for file in "$@"; do
        said=$(sed -n 's/^#define [A-Z]*_SLOTS //p' "$file" | sed 's/[A-Z]*_IN_//g' | tr -d '()|')
        name=${file#lib/sim/}
        for slot in $slots; do
            case " ${said:-$slots} " in *" $slot "*) printf '%s\n' "$slot/${name%.c}" ;; esac
        done
    done
}

# What a module of lib/sim fits is said by its folder, and by LEVEL_SLOTS in it.  opt is for replay only: it sees the future.
write_units() {
    for slot in I1 D1 LL; do echo "$slot/cachesim_$slot"; done
    for slot in BC BI; do echo "$slot/branchsim_$slot"; done
    units 'I1 D1 LL' $(ls lib/sim/policy/*.c lib/sim/level/*.c lib/sim/array/*.c | grep -v /opt.c)
    units 'I1 D1 LL' lib/sim/prefetch/*.c
    units D1 lib/sim/coherence/*.c
    units BC $(grep -L branchsim_BI_target lib/sim/bpred/*.c)
    units BI $(grep -l branchsim_BI_target lib/sim/bpred/*.c)
    units AN lib/sim/analysis/*.c
}

write_lists() {
    printf '%s\n' '# Made by build-aux/sources.sh.'
    list hosted_sources $(for folder in base decode text prof out debug cost exp lab plot report page trace json stacks engines collect; do
        printf '%s\n' lib/$folder/*.c lib/$folder/*/*.c
    done)
    # A program of its own: lib/serve/serve.c says why.
    list serve_sources lib/serve/*.c
    list decode_sources lib/decode/*.c
    list tool_sources tools/*.c tools/*/*.c
    list translator_sources lib/guest/*.c lib/block/*.c lib/event/*.c lib/emit/*.c lib/tcache/*.c
    # Modules are included by lib/sim/unit.c, which is compiled for each slot and module.
    list engine_sources lib/base/*.c lib/decode/*.c lib/cost/count.c lib/run/*/*.c lib/run/*/*/*.c lib/run/*/*.S \
        $(printf '%s\n' lib/sim/*.c | grep -v '/\(cachesim_\|branchsim_\|unit\.\)')
    list simulator_units $(write_units)
    list module_sources lib/sim/unit.c lib/sim/cachesim_*.c lib/sim/branchsim_*.c lib/sim/*/*.c
    list headers lib/*/*.h lib/*/*.inc lib/*/*/*.h lib/*/*/*.inc lib/*/*/*/*.h tools/*.h tools/*/*.h
    # In the order of their names: page_files.h has them so.
    list page_files lib/page/scripts/*.css lib/page/scripts/*.js lib/page/scripts/*/*.js
    list unit_programs $(stems .c tests/unit/*/*.c | grep -v '_zydis$\|_opcodes$')
    list zydis_programs $(stems .c tests/unit/*/*_zydis.c)
    list opcodes_programs $(stems .c tests/unit/*/*_opcodes.c)
    list shell_tests tests/unit/*/*.sh tests/golden/*/*.sh tests/robust/*.sh tests/guest/*.sh tests/corpus/paired.sh
    list machine_files machines/*.machine
    list man_pages doc/man/*.1
    list guest_programs $(stems .c tests/guest/*.c) $(stems .S tests/guest/*.S)
}

case ${1-} in
--update)
    lists=$(write_lists)
    printf '%s\n' "$lists" | cmp -s - sources.mk || printf '%s\n' "$lists" >sources.mk
    ;;
--check)
    write_lists | diff sources.mk - && exit 0
    echo 'sources.mk is not what the folders hold; run make' >&2
    exit 1
    ;;
*)
    echo 'usage: sources.sh --update | --check' >&2
    exit 2
    ;;
esac
