#!/bin/sh
# page-files.sh - the style and scripts of lib/page as strings of C.
#
#   sh build-aux/page-files.sh OUT FILE...
#
#   lib/page/scripts/style.css, common_dom.js, explore_main.js, watch_main.js
#   ->  static const char page_style[] = "body {...}\n" ...; page_common, page_explore, page_watch, page_serve, page_desk
#
# A file belongs to the array that its name begins with.  One that could end the element it will stand in is refused.
set -u
out=$1
shift
if grep -in '</script\|</style\|<!--' "$@"; then
    echo 'page-files.sh: this would end the element of the page that it stands in' >&2
    exit 1
fi

# array NAME FILE...: those whose name begins with NAME.
array() {
    begins=$1
    shift
    printf 'static const char page_%s[] =\n' "$begins"
    for file in "$@"; do
        case ${file##*/} in "$begins"*) sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/    "&\\n"/' "$file" ;; esac
    done
    printf '    "";\n'
}

{
    echo '/* Written by build-aux/page-files.sh from lib/page. */'
    for name in style common explore watch serve desk; do array "$name" "$@"; done
} >"$out.new" && mv "$out.new" "$out"
