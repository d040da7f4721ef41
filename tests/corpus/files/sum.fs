\ sum.fs - Gforth: words compiled to threaded code.
: next ( x -- x ) 16807 * 2147483647 mod ;
: total ( n -- sum ) 0 1 rot 0 do next dup 1009 mod rot + swap loop drop ;
20000 total . cr
: fib ( n -- n ) dup 2 < if exit then dup 1- recurse swap 2 - recurse + ;
18 fib . cr
: risky ( -- ) 1 0 / . ;
' risky catch . cr
create buffer 100 cells allot
: fill-it 100 0 do i i * buffer i cells + ! loop ;
fill-it buffer 99 cells + @ . cr
bye
