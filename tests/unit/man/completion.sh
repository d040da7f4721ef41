#!/bin/sh
# Does the completion for bash offer every command and every option, and files elsewhere?  Is that for zsh free of errors?
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

if command -v bash >/dev/null; then
    commands=$(quern --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
    is "$(offered quern '')" "$({ echo "$commands" && echo --help && echo --version; } | LC_ALL=C sort | tr '\n' ' ')" \
        'all commands'
    is "$(offered quern an)" 'annotate ' 'those that begin so'
    is "$(offered quern run --D)" '--D1= ' 'an option that has a value'
    is "$(offered quern lab '')" 'box check list start ' 'what quern lab can do'
    is "$(offered quern lab check '')" '1 2 3 4 5 6 7 ' 'the labs'
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
    skip 'bash is not installed' 8
fi

if command -v zsh >/dev/null; then
    ok 'zsh reads the other' zsh -n "$scripts/_quern"
else
    skip 'zsh is not installed'
fi

done_testing
