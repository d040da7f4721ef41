# intro.sh - how a case is written.  These files are read by paired.sh, in the order of their names.
#
#   entry xz 'fast full' 'xz' 'compress and restore'     name, sets, commands it needs, what the test point says
#
#   xz_prepare() { ... }      optional: makes input files in $DATA, the working directory; native, run once
#   xz_run() { ... }          the case; works in an empty directory; `under COMMAND` is what runs under quern,
#                             `under_all COMMAND` with --trace-children=yes; reads $DATA, never writes there
#
# Functions end with the status that is compared.  Files left in the working directory are compared too.
# `size FAST FULL` gives the amount of work; `text_file`, `number_file` and `byte_file` below make inputs that are
# the same everywhere.

# text_file NAME LINES: words in sentences.
text_file() {
    [ -f "$1" ] || awk -v lines="$2" 'BEGIN {
        count = split("the cache line that was read last is kept set way tag miss write through block counts", word, " ")
        seed = 1
        for (i = 1; i <= lines; i++) {
            line = i
            for (j = 0; j < 9; j++) { seed = (seed * 16807) % 2147483647; line = line " " word[seed % count + 1] }
            print line
        }
    }' >"$1"
}

# number_file NAME LINES: numbers in no order.
number_file() {
    [ -f "$1" ] || awk -v lines="$2" 'BEGIN {
        seed = 7
        for (i = 0; i < lines; i++) { seed = (seed * 16807) % 2147483647; print seed }
    }' >"$1"
}

# byte_file NAME MEGABYTES: half text, half noise.
byte_file() {
    [ -f "$1" ] || awk -v lines="$(($2 * 10000))" 'BEGIN {
        seed = 3
        for (i = 0; i < lines; i++) {
            line = "record " i " of the file "
            while (length(line) < 103) { seed = (seed * 16807) % 2147483647; line = line sprintf("%c", 33 + seed % 90) }
            print line
        }
    }' >"$1"
}
