# quern.bash - completion of quern's commands, options and their values for bash.
#
# Nothing is listed here: commands come from `quern --help`, options and values from `quern COMMAND --help`, modules from `quern sim list`.

declare -A _quern_known # options by command: some help texts take a second to make

# _quern_options COMMAND: into _quern_known.
_quern_options() {
    [[ -n ${_quern_known[$1]-} ]] ||
        _quern_known[$1]=$(quern "$1" --help=all 2>/dev/null | grep -o -- '--[a-zA-Z][a-zA-Z0-9-]*=\{0,1\}' | sort -u)
}

# _quern_values COMMAND OPTION
_quern_values() {
    case $2 in
    --sim | --versus | --analysis)
        quern sim list 2>/dev/null | awk -v only="$([[ $2 != --analysis ]] || echo AN)" \
            '/^[^ ]/ { kind = $1 } /^  / && kind != "slots" && (only == "" || kind == only) { print $1 }' ;;
    *) quern "$1" --help=all 2>/dev/null | sed -n "s/^  \(-., \)\{0,1\}$2=\([a-z0-9-]*|[a-z0-9|-]*\).*/\2/p" | tr '|' '\n' ;;
    esac
}

# _quern_subcommands COMMAND: list, start, ... of `quern lab list`
_quern_subcommands() { quern "$1" --help=all 2>/dev/null | sed -n "s/^.\{6\} quern $1 \([a-z]\{1,\}\).*/\1/p" | sort -u; }

_quern() {
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words= before= at option=

    COMPREPLY=()
    # --sim=D1=srrip,LL is several words: --sim = D1 = srrip,LL
    for ((at = COMP_CWORD; at > 1 && COMP_CWORD - at < 8; at--)); do
        [[ ${COMP_WORDS[at]} != --* ]] || break
    done
    [[ ${COMP_WORDS[at]} == --* && ${COMP_WORDS[at + 1]-} == = ]] && option=${COMP_WORDS[at]}
    [[ $word != = ]] || word=
    if [[ $COMP_CWORD -eq 1 ]]; then
        words="$(quern --help 2>/dev/null | sed -n 's/^  \([a-z]*\)  .*/\1/p') help --help --version"
    elif [[ -n $option && ($at -eq $((COMP_CWORD - 1)) || ${COMP_WORDS[COMP_CWORD]} == = || ${COMP_WORDS[COMP_CWORD - 1]} == =) ]]; then
        words=$(_quern_values "$command" "$option")
        [[ $word != *,* ]] || before=${word%"${word##*,}"}
    elif [[ $word == -* ]]; then
        _quern_options "$command"
        words=${_quern_known[$command]}
    else
        case $command:$COMP_CWORD:${COMP_WORDS[2]} in
        help:2:*) words=$(quern --help 2>/dev/null | sed -n 's/^  \([a-z]*\)  .*/\1/p') ;;
        sim:2:* | lab:2:*) words=$(_quern_subcommands "$command") ;;
        lab:3:start | lab:3:check) words=$(quern lab list 2>/dev/null | sed 's/^ *\([0-9]*\) .*/\1/') ;;
        demo:2:*) words=$(quern demo 2>/dev/null | sed 's/ .*//') ;;
        plot:2:*) words=$(quern plot --help 2>/dev/null | sed -n 's/^  \([a-z0-9]*\)  .*/\1/p') ;;
        esac
    fi
    [[ -n $words ]] || return 0 # files
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$words" -- "${word##*,}")
    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
    return 0
}

complete -o default -F _quern quern
