#!/bin/sh
# Calls in listings and tables: annotate --by=calls (one profile, sums, differences, thresholds), csv --by=call and --by=inclusive.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

tab=$(printf '\t')
# The events of calls are another choice, in another order, than those of the profile.
cat >p <<END
desc: D1 cache:         1024 B
cmd: ./demo
events: Ir Dr D1mr
fl=/src/demo.c
fn=main
17 300 40 4
fn=f
3 1200 60 8
fn=g
30 1 0 0
summary: 1501 100 12
#calls: 3 5 0
#call-events: D1mr Ir
#ob: /src/demo
#fn: /src/demo.c${tab}main
#inclusive: 1 12 1501
#fn: /src/demo.c${tab}f
#inclusive: 3000 8 1201
#ob: ???
#fn: ???${tab}g
#inclusive: 1 0 1
#edge: 0 17 1 2 6 800
#edge: 0 18 2 1 0 0
#edge: 1 3 1 2997 2 700
#call-file: /src/demo.h
#edge: 0 4 1 1 2 401
#edge: 1 5 2 1 0 1
#calls-lost: edges 7
END
"$QUERN" annotate --by=calls p | sed '1,/PROGRAM TOTALS/d' >got
cat >wanted <<'END'

--------------------------------------------------------------------------------
-- Inclusive function summary
--------------------------------------------------------------------------------
Ir____________ Dr D1mr_______ called file:function

1,501 (100.0%)  0 12 (100.0%)      1 /src/demo.c:main
1,201  (80.0%)  0  8  (66.7%)  3,000 /src/demo.c:f

--------------------------------------------------------------------------------
-- Callers (<) and callees (>)
--------------------------------------------------------------------------------
  Ir____________ Dr D1mr_______  calls file:function

* 1,501 (100.0%)  0 12 (100.0%)      1 /src/demo.c:main
>   800  (53.3%)  0  6  (50.0%)      2 /src/demo.c:f, line 17
>   401  (26.7%)  0  2  (16.7%)      1 /src/demo.c:f, /src/demo.h:4
> 1 of less cost

<   800  (53.3%)  0  6  (50.0%)      2 /src/demo.c:main, line 17
<   700  (46.6%)  0  2  (16.7%)  2,997 /src/demo.c:f, line 3
<   401  (26.7%)  0  2  (16.7%)      1 /src/demo.c:main, /src/demo.h:4
* 1,201  (80.0%)  0  8  (66.7%)  3,000 /src/demo.c:f
>   700  (46.6%)  0  2  (16.7%)  2,997 /src/demo.c:f, line 3
> 1 of less cost

There was no room for all calls: edges 7
END
same_file got wanted 'inclusive costs, callers and callees; what is below the threshold is told'
"$QUERN" annotate --by=calls --threshold=0 --show=D1mr --sort=D1mr --no-show-percs p | sed -n '/^-- Inc/,/^-- Call/p' | grep : >got
is "$(cat got)" 'D1mr called file:function
  12      1 /src/demo.c:main
   8  3,000 /src/demo.c:f
   0      1 ???:g' 'columns and order as asked for, all functions'
"$QUERN" annotate --by=calls --no-show-percs p p | grep ':f, line 17' >got
is "$(cat got)" '> 1,600  0   12      4 /src/demo.c:f, line 17' 'two are added'
"$QUERN" annotate --by=calls --mod-funcname='s/^f$/main/' --no-show-percs p | grep '^\* ' >got
is "$(cat got)" '* 2,702  0   20  3,001 /src/demo.c:main' 'names are changed'
sed 's/^#edge: 0 17 1 2 6 800/#edge: 0 17 1 1 5 300/; s/^#inclusive: 3000 8 1201/#inclusive: 2999 7 701/; s/^3 1200/3 700/; s/^summary: 1501/summary: 1001/;
    s/^#inclusive: 1 12 1501/#inclusive: 1 11 1001/' p >q
"$QUERN" annotate --diff --by=calls --no-show-percs p q | grep '^[<*>]' >got
cat >wanted <<'END'
< -500  0   -1     -1 /src/demo.c:main, line 17
< 2 of less cost
* -500  0   -1     -1 /src/demo.c:f
> 2 of less cost
* -500  0   -1      0 /src/demo.c:main
> -500  0   -1     -1 /src/demo.c:f, line 17
> 2 of less cost
END
same_file got wanted 'a difference'
sed '/^#calls/,$d' p >none
"$QUERN" annotate --by=calls none >out 2>err
is "$? $(cat err)" '1 quern annotate: error: none: calls are not known; `quern run --calls=yes` writes them into the profile' 'a profile without calls'
"$QUERN" annotate --by=calls p none >out 2>err
is "$? $(cat err)" '1 quern annotate: error: none: calls are not known; `quern run --calls=yes` writes them into the profile' 'one of two without calls'
sed 's/^#edge: 0 17/#edge: 7 17/' p >bad
"$QUERN" annotate --by=calls bad >out 2>err
is "$? $(cat err)" '1 quern annotate: error: bad:22: malformed edge, got `7 17 1 2 6 800`, wanted CALLER LINE CALLEE CALLS COUNTS, functions by number' 'damage'

# ---- CSV ----

"$QUERN" csv --by=inclusive --crlf=no p 2>err >got
status=$?
cat >wanted <<'END'
profile,command,D1 cache,events,summary,object,file,function,called,Ir,Dr,D1mr,D1mr%
p,./demo,1024 B,Ir Dr D1mr,1501 100 12,/src/demo,/src/demo.c,main,1,1501,0,12,
p,./demo,1024 B,Ir Dr D1mr,1501 100 12,/src/demo,/src/demo.c,f,3000,1201,0,8,
p,./demo,1024 B,Ir Dr D1mr,1501 100 12,???,???,g,1,1,0,0,
END
"$QUERN" csv --by=inclusive --crlf=no --show=Ir,Dr,D1mr p | sed '1s/$/,D1mr%/; 2,$s/$/,/' >got
same_file got wanted 'csv: functions with inclusive costs'
"$QUERN" csv --by=call --metadata=no --crlf=no --show=Ir,D1mr p none q 2>err >out
is "$? $(cat err)" '1 quern csv: none: calls are not known; `quern run --calls=yes` writes them into the profile' 'csv: a profile without calls'
"$QUERN" csv --by=call --metadata=no --crlf=no --show=Ir,D1mr p q >got
cat >wanted <<'END'
profile,object,file,function,line,line_file,callee_object,callee_file,callee,calls,Ir,D1mr
p,/src/demo,/src/demo.c,main,17,/src/demo.c,/src/demo,/src/demo.c,f,2,800,6
p,/src/demo,/src/demo.c,main,18,/src/demo.c,???,???,g,1,0,0
p,/src/demo,/src/demo.c,f,3,/src/demo.c,/src/demo,/src/demo.c,f,2997,700,2
p,/src/demo,/src/demo.c,main,4,/src/demo.h,/src/demo,/src/demo.c,f,1,401,2
p,/src/demo,/src/demo.c,f,5,/src/demo.h,???,???,g,1,1,0
q,/src/demo,/src/demo.c,main,17,/src/demo.c,/src/demo,/src/demo.c,f,1,300,5
q,/src/demo,/src/demo.c,main,18,/src/demo.c,???,???,g,1,0,0
q,/src/demo,/src/demo.c,f,3,/src/demo.c,/src/demo,/src/demo.c,f,2997,700,2
q,/src/demo,/src/demo.c,main,4,/src/demo.h,/src/demo,/src/demo.c,f,1,401,2
q,/src/demo,/src/demo.c,f,5,/src/demo.h,???,???,g,1,1,0
END
same_file got wanted 'csv: calls, of two profiles'
is "$status" 0 'csv: all columns'
done_testing
