#!/bin/sh
# Are the files right with which labs run elsewhere: container, devcontainer, GitHub Classroom?  (tests/long/course.sh builds the container.)
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

out=$SCRATCH/out err=$SCRATCH/err

# ---- the container's steps ----

ok 'there is a Containerfile' test -s "$top_srcdir/Containerfile"
is "$(sed -n 's/^FROM .*\/\([a-z]*:[0-9]*\)$/\1/p' "$top_srcdir/Containerfile")" debian:12 'it begins with the system that ./bootstrap is made for'
sed -n 's/^RUN //p' "$top_srcdir/Containerfile" >"$SCRATCH/steps"
ok 'its steps are right shell' sh -n "$SCRATCH/steps"
ok 'they build and install' grep -q './bootstrap && make -C build install' "$SCRATCH/steps"

# ---- the devcontainer, and Classroom's workflow ----

if command -v jq >/dev/null; then
    container=$top_srcdir/.devcontainer/devcontainer.json
    is "$(cd "$top_srcdir/.devcontainer" && ls "$(jq -r .build.dockerfile "$container")")" ../Containerfile 'the devcontainer is made by the Containerfile'
    is "$(grep -c "useradd .* $(jq -r .remoteUser "$container")\$" "$top_srcdir/Containerfile")" 1 'its user is there'

    # The step of the workflow, as a runner makes it; results as the reporter adds them up.
    awk '/^ *run: \|/ { on = 1; next } on && /^      - / { exit } on { sub(/^          /, ""); print }' "$top_srcdir/labs/classroom.yml" >"$SCRATCH/step.sh"
    mkdir "$SCRATCH/bin" "$SCRATCH/student"
    printf '#!/bin/sh\nexec %s "$@"\n' "$QUERN" >"$SCRATCH/bin/quern" && chmod +x "$SCRATCH/bin/quern"
    printf '#include <stdio.h>\nint main(void) { puts("hits:9 misses:8 evictions:6"); return 0; }\n' >"$SCRATCH/student/csim.c"
    (cd "$SCRATCH/student" && GITHUB_OUTPUT=$SCRATCH/output LAB=1 PATH=$SCRATCH/bin:$PATH sh -e "$SCRATCH/step.sh") >"$out" 2>"$err"
    is "$?:$(cat "$err")" 0: "the workflow's step with less than full marks" || diag "$(cat "$out")"
    sed -n 's/^result=//p' "$SCRATCH/output" | base64 -d >"$SCRATCH/result.json"
    is "$(jq -r '"\(.max_score) \(.status) \(.tests | length) \([.tests[].score] | add)"' "$SCRATCH/result.json")" '100 fail 11 0' 'points for each test'
    if [ -d "$top_srcdir/labs/solutions" ]; then
        sed "s/op == 'I'/0/" "$top_srcdir/labs/solutions/01-cache/csim.c" >"$SCRATCH/student/csim.c"
        rm "$SCRATCH/output"
        (cd "$SCRATCH/student" && GITHUB_OUTPUT=$SCRATCH/output LAB=1 PATH=$SCRATCH/bin:$PATH sh -e "$SCRATCH/step.sh") >"$out" 2>"$err"
        is "$(sed -n 's/^result=//p' "$SCRATCH/output" | base64 -d | jq -r '"\(.status) \([.tests[].score] | add)"')" 'fail 95' 'a part of them is partial credit'
    else
        skip 'the solutions are not here: this is a release' 1
    fi
    (cd "$SCRATCH/student" && GITHUB_OUTPUT=$SCRATCH/output LAB=99 PATH=$SCRATCH/bin:$PATH sh -e "$SCRATCH/step.sh") >"$out" 2>"$err"
    ok 'a check that cannot be made fails' test $? -ne 0
else
    absent 'jq is not installed' 6
fi

# ---- feedback for Moodle: who gets which file, as Moodle's import finds it: the first part of a path that has four words between lines below, of
# which the second is a number, is the student; the words behind it are the file (mod/assign/feedback/file/importziplib.php) ----

if command -v python3 unzip >/dev/null; then
    class=$SCRATCH/class
    mkdir -p "$SCRATCH/moodle" "$class/Ada Lovelace_1234_assignsubmission_file" "$class/Bo O'Neil_77_assignsubmission_file_" "$class/notes"
    printf '#!/bin/sh\nexec %s "$@"\n' "$QUERN" >"$SCRATCH/moodle/quern" && chmod +x "$SCRATCH/moodle/quern"
    for folder in "$class"/*_file*; do echo 'int main(void) { return 0; }' >"$folder/csim.c"; done
    echo 'a key of this course' >"$SCRATCH/key"
    PATH=$SCRATCH/moodle:$PATH sh "$top_srcdir/labs/moodle.sh" "$SCRATCH/feedback.zip" 1 "$class" --key-file="$SCRATCH/key" --only=direct >"$out" 2>"$err"
    is "$?:$(cat "$out" "$err")" '0:moodle.sh: notes: left out, wanted a folder NAME_NUMBER_assignsubmission_file' 'feedback for Moodle'
    is "$(unzip -Z1 "$SCRATCH/feedback.zip" | awk -F/ '!/\/$/ { n = split($1, part, "_"); if (n >= 4 && part[2] ~ /^[0-9]+$/) print part[2], part[3], part[4], $2 }')" \
        "$(printf '1234 assignsubmission file check.txt\n77 assignsubmission file check.txt')" 'each student has a file'
    is "$(unzip -p "$SCRATCH/feedback.zip" 'Ada*' | grep -c '^not ok\|^# the variant of 1234$')" 2 'with her check, of her variant'
else
    absent 'python3 and unzip are not installed' 3
fi

# ---- what is said of machines ----

for word in WSL2 Intel AMD ARM; do ok "README tells of $word" grep -q "$word" "$top_srcdir/README.md"; done
ok 'README has at most 90 lines' test "$(wc -l <"$top_srcdir/README.md")" -le 90
done_testing
