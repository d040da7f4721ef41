# offered.zsh - what zsh offers for a line when TAB is pressed behind it: in a terminal of its own, with the real completion system.
#
#   zsh -f offered.zsh DIRECTORY-OF-_quern SCRATCH 'quern run --D'     a word per line, then the line as it is afterwards: > LINE
zmodload zsh/zpty || exit 77
scripts=$1 out=$2/offered
: >$out
zpty shell zsh -f -i
zpty -w shell "
fpath=(${(q)scripts} \$fpath)
autoload -U compinit && compinit -D -u
compadd() {
    local -a offered
    [[ \"\$*\" == *-[OAD]\ * ]] && { builtin compadd \"\$@\"; return }
    builtin compadd -O offered \"\$@\"
    print -rl -- \$offered >>${(q)out}
    builtin compadd \"\$@\"
}
press() { zle complete-word; print -r -- \"> \$BUFFER\" >>${(q)out}; exit }
zle -N press
bindkey '^I' press
"
zpty -w -n shell "$3"$'\t'
while zpty -r shell ignored; do :; done
grep . $out
