# sum.tcl - bytecode, strings, dictionaries, events, a child.
set x 1
for {set i 0} {$i < 10000} {incr i} { set x [expr {$x * 16807 % 2147483647}]; incr n([expr {$x % 101}]) }
puts "[array size n] $n(17) [regsub -all {[aeiou]} {the cache line} {<&>}]"
dict set d a b 3
puts [dict get $d a b]
puts [exec echo from a child]
after 5 {set done 1}
vwait done
puts [catch {expr {1 / 0}} message]$message
exit 3
