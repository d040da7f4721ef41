#!/bin/sh
# Does completion, for bash and for zsh, offer every command and every option, and files elsewhere?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

scripts=$top_srcdir/build-aux/completion
mkdir -p "$SCRATCH/bin"
printf '#!/bin/sh\nexec %s "$@"\n' "$QUERN" >"$SCRATCH/bin/quern"
chmod +x "$SCRATCH/bin/quern"
PATH=$SCRATCH/bin:$PATH

# offered WORD...: what is offered for the last word.
offered() {
    bash -c '. "$0" && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _quern && printf "%s\n" "${COMPREPLY[@]}"' \
        "$scripts/quern.bash" "$@" | LC_ALL=C sort | tr '\n' ' '
}

commands=$(quern --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
labs=$(quern lab --help | sed -n 's/.* quern lab \([a-z]*\).*/\1/p' | LC_ALL=C sort -u | tr '\n' ' ')
if command -v bash >/dev/null; then
    is "$(offered quern '')" "$({ echo "$commands" && echo help && echo --help && echo --version; } | LC_ALL=C sort | tr '\n' ' ')" \
        'all commands'
    is "$(offered quern an)" 'annotate ' 'those that begin so'
    is "$(offered quern run --D)" '--D1= ' 'an option that has a value'
    is "$(offered quern lab '')" "$labs" 'what quern lab can do'
    is "$(offered quern sim '')" 'build compare list show test ' 'and quern sim'
    is "$(offered quern help ann)" 'annotate ' 'help: of commands'
    is "$(offered quern run --sim = srr)" 'srrip ' 'a module'
    is "$(offered quern run --sim = D1 = srrip,gsh)" 'srrip,gshare ' '... behind a slot and another'
    is "$(offered quern run --analysis = '3c,s')" '3c,sets 3c,sharing 3c,sizes ' 'analyses'
    is "$(offered quern run --data =)" 'no use yes ' 'values that the help names'
    is "$(offered quern run --data = yes ann)" ' ' '... and behind one: files'
    is "$(offered quern run --out-file = '')" ' ' 'a value that is a file'
    is "$(offered quern lab check '')" '1 10 11 12 13 2 3 4 5 6 7 8 9 ' 'the labs'
    is "$(offered quern demo st)" 'stride ' 'demonstrations'
    is "$(offered quern plot thr)" 'threec ' 'kinds of plots'
    is "$(offered quern annotate '')" ' ' 'elsewhere nothing: files'
    for command in $commands; do
        all=$(offered quern "$command" --)
        missing=$(quern "$command" --help | sed -n 's/^  \(--[a-zA-Z][a-zA-Z0-9-]*\).*/\1/p' | while read -r option; do
            case " $all" in *" $option "* | *" $option= "*) ;; *) echo "$option" ;; esac
        done)
        is "$missing" '' "every option of quern $command"
    done
else
    skip 'bash is not installed' 17
fi

# pressed LINE: what zsh offers when TAB is pressed behind it, and what the line is then
pressed() {
    (cd "$SCRATCH/bin" && zsh -f "$top_srcdir/tests/unit/man/offered.zsh" "$scripts" "$SCRATCH" "$1") | tr '\n' ' '
}

if ! command -v zsh >/dev/null; then
    absent 'zsh is not installed' 14
elif ! zsh -fc 'zmodload zsh/zpty' 2>/dev/null; then
    skip 'this zsh has no zsh/zpty' 14
else
    is "$(pressed 'quern ')" "$(echo $commands) help > quern  " 'zsh: all commands'
    is "$(pressed 'quern an')" 'annotate > quern annotate  ' 'zsh: one that begins so'
    is "$(pressed 'quern run --D')" '--D1= > quern run --D1= ' 'zsh: an option that has a value'
    is "$(pressed 'quern annotate --js')" '--json > quern annotate --json  ' 'zsh: and one that has none'
    is "$(pressed 'quern lab ')" "$labs> quern lab  " 'zsh: what quern lab can do'
    is "$(pressed 'quern help ann')" 'annotate > quern help annotate  ' 'zsh: help of commands'
    is "$(pressed 'quern run --sim=D1=srr')" 'srrip > quern run --sim=D1=srrip  ' 'zsh: a module behind a slot'
    is "$(pressed 'quern run --analysis=3c,cul')" 'culprits > quern run --analysis=3c,culprits  ' 'zsh: analyses'
    is "$(pressed 'quern run --data=u')" 'use > quern run --data=use  ' 'zsh: values that the help names'
    is "$(pressed 'quern lab check ')" '1 2 3 4 5 6 7 8 9 10 11 12 13 > quern lab check  ' 'zsh: the labs'
    is "$(pressed 'quern demo st')" 'stride > quern demo stride  ' 'zsh: demonstrations'
    is "$(pressed 'quern plot thr')" 'threec > quern plot threec  ' 'zsh: kinds of plots'
    is "$(pressed 'quern annotate ')" 'quern > quern annotate quern  ' 'zsh: elsewhere files'
    for command in $commands; do
        all=$(pressed "quern $command --")
        quern "$command" --help | sed -n 's/^  \(--[a-zA-Z][a-zA-Z0-9-]*\).*/\1/p' | while read -r option; do
            case " $all" in *" $option "* | *" $option= "*) ;; *) echo "$command $option" ;; esac
        done
    done >"$SCRATCH/missing"
    is "$(cat "$SCRATCH/missing")" '' 'zsh: every option of every command'
fi

done_testing
