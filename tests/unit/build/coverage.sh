#!/bin/sh
# Does build-aux/coverage.sh count lines of lib and of tools, and no others?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

command -v gcov >/dev/null && command -v gcc >/dev/null || absent_all 'not installed: gcc with gcov' 2
cd "$SCRATCH" && mkdir -p src/lib/x src/tools src/tests build || bail 'no scratch directory'
printf 'int f(int a)\n{\n    if (a)\n        return 1;\n    return 2;\n}\n' >src/lib/x/f.c
printf 'int f(int);\nint g(void);\nint main(void)\n{\n    return f(0) - g();\n}\n' >src/tools/main.c
printf 'int g(void)\n{\n    return 2;\n}\n' >src/tests/g.c
cd build && gcc --coverage -O0 -o main "$SCRATCH/src/lib/x/f.c" "$SCRATCH/src/tools/main.c" "$SCRATCH/src/tests/g.c" && ./main || bail 'cannot compile'
is "$(sh "$top_srcdir/build-aux/coverage.sh" . ../src | awk '{ print $1, $2, $4, $6 }')" 'tools 2 2 100.0%
x 3 4 75.0%
all 5 6 83.3%' 'by folder'
is "$(awk '{ print $1, $2, $4 }' coverage.txt)" 'lib/x/f.c 3 4
tools/main.c 2 2' 'by file'
done_testing
