# quern.bash - completion of quern's commands and options for bash.
#
# Nothing is listed here: commands come from `quern --help`, options from `quern COMMAND --help`.

declare -A _quern_known # options by command: some help texts take a second to make

# _quern_options COMMAND: into _quern_known.
_quern_options() {
    [[ -n ${_quern_known[$1]-} ]] ||
        _quern_known[$1]=$(quern "$1" --help 2>/dev/null | grep -o -- '--[a-zA-Z][a-zA-Z0-9-]*=\{0,1\}' | sort -u)
}

_quern() {
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words=

    COMPREPLY=()
    if [[ $COMP_CWORD -eq 1 ]]; then
        words="$(quern --help 2>/dev/null | sed -n 's/^  \([a-z]*\)  .*/\1/p') --help --version"
    elif [[ $word == -* ]]; then
        _quern_options "$command"
        words=${_quern_known[$command]}
    else
        case $command:$COMP_CWORD:${COMP_WORDS[2]} in
        sim:2:*) words='build list' ;;
        lab:2:*) words='list start check box' ;;
        lab:3:start | lab:3:check) words=$(quern lab list 2>/dev/null | sed 's/^ *\([0-9]*\) .*/\1/') ;;
        plot:2:*) words=$(quern plot --help 2>/dev/null | sed -n 's/^  \([a-z0-9]*\)  .*/\1/p') ;;
        esac
    fi
    [[ -n $words ]] || return 0 # files
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
    return 0
}

complete -o default -F _quern quern
