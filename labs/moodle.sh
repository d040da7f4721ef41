#!/bin/sh
# moodle.sh - checks a class for Moodle: a zip file with feedback for each student.
#
#   sh moodle.sh feedback.zip LAB CLASS [--key-file=KEY ...]        and other options of quern lab check
#
# CLASS is what "Download all submissions" of Moodle gives, with a folder for each student, as Ada Lovelace_1234_assignsubmission_file. The zip file is
# for "Upload multiple feedback files in a zip": Moodle finds students by their numbers. With a key, the number is the name that variants are
# drawn from (quern lab start --student=1234).
set -u
[ $# -ge 3 ] || { sed -n '4s/^# *//p' "$0" >&2; exit 2; }
zip=$1 lab=$2 class=$3
shift 3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
for folder in "$class"/*/; do
    name=$(basename "$folder")
    number=$(printf '%s\n' "$name" | sed -n 's/^[^_]*_\([0-9][0-9]*\)_assignsubmission_file_*$/\1/p')
    if [ -z "$number" ]; then
        echo "moodle.sh: $name: left out, wanted a folder NAME_NUMBER_assignsubmission_file" >&2
        continue
    fi
    mkdir "$work/$name"
    case " $* " in
    *' --key-file'*) quern lab check --student="$number" "$@" "$lab" "$folder" ;;
    *) quern lab check "$@" "$lab" "$folder" ;;
    esac >"$work/$name/check.txt" 2>&1
    [ $? -le 1 ] || { echo "moodle.sh: $name: $(tail -n 1 "$work/$name/check.txt")" >&2; exit 1; }
done
(cd "$work" && set -- * && [ -e "$1" ] && python3 -m zipfile -c "$work/.zip" "$@") && mv "$work/.zip" "$zip"
