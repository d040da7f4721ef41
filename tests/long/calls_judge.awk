# tests/long/calls_judge.awk - compares the edges of quern with those of Callgrind.
#
#   awk -F'\t' -v OFS='\t' -f calls_judge.awk objects q.all c.all
#
# objects: FUNCTION FILE, of Callgrind; q.all, c.all: CALLER CALLEE CALLS INSTRUCTIONS, of quern and of Callgrind.
#
# Left out are edges from and to functions of the dynamic linker's file, and (below main), which is several functions in Callgrind.  All other edges
# between functions with names are compared; and, by callee, the sums over all callers, those without a name included.  Prints what is not equal:
#
#   end      CALLER CALLEE     it is open when the process ends, and quern counts two instructions more
#   unnamed  CALLER CALLEE     for calls.sh to decide: may control leave the caller for code without a name?
#   loop     FUNCTION FUNCTION the same, does it jump to its own first instruction?  Without these calls the sums are equal
#   callee   all FUNCTION      the sums differ; does what lies before the function run on into it?
#   count    EDGES EQUAL CALLEES
function plain(f) { return f ~ /^(\?\?\?|0x0)/ ? "???" : f ~ /^(_start$|__libc_start_main)/ ? "(below main)" : f }
FILENAME == "objects" { object[plain($1)] = $2; if ($2 ~ /\/ld-linux/ && plain($1) != "???") linker[plain($1)] = 1; next }
{ a = plain($1); b = plain($2); which = FILENAME == "q.all" ? 1 : 2
  key = a OFS b; keys[key] = 1; from[key] = a; to[key] = b; calls[which, key] += $3; cost[which, key] += $4 }
function is_left_out(key) { return from[key] in linker || to[key] in linker || from[key] == "(below main)" || to[key] == "(below main)" }
function same(key) { return calls[1, key] + 0 == calls[2, key] + 0 && cost[1, key] + 0 == cost[2, key] + 0 }
function both(key) { return (calls[1, key] + 0) " " (cost[1, key] + 0) OFS (calls[2, key] + 0) " " (cost[2, key] + 0) }
function ends(c1, c2, i1, i2) { return c1 == 1 && c2 == 1 && i1 - i2 == 2 }
END {
    do { # functions that only one of both runs, for its processor: all that call them are the linker
        changed = 0
        for (key in keys) if (!(to[key] in object) && to[key] != "???") { outside[to[key]] += 0; if (!(from[key] in linker)) outside[to[key]]++ }
        for (f in outside) { if (!outside[f] && !(f in linker)) { linker[f] = 1; changed = 1 } delete outside[f] }
    } while (changed)
    do { # frames that are open at the end
        changed = 0
        for (key in keys) if ((to[key] == "_Exit" || to[key] in open) && !(key in final) && ends(calls[1, key], calls[2, key], cost[1, key], cost[2, key])) {
            final[key] = open[from[key]] = changed = 1
        }
    } while (changed)
    for (key in keys) {
        if (is_left_out(key)) continue
        own = from[key] == to[key] && !same(key)
        for (w = 1; w <= 2; w++) {
            n[w, to[key]] += calls[w, key]; sum[w, to[key]] += cost[w, key]
            if (own) { own_calls[w, to[key]] = calls[w, key]; own_cost[w, to[key]] = cost[w, key] }
        }
        named[to[key]] = 1
        if (from[key] == "???" || to[key] == "???" || own) continue
        compared++
        if (same(key)) equal++
        else if (key in final) print "end", key, both(key)
        else print "unnamed", key, both(key)
    }
    delete named["???"]
    for (f in named) {
        callees++
        if (n[1, f] - own_calls[1, f] == n[2, f] - own_calls[2, f] && sum[1, f] - own_cost[1, f] == sum[2, f] - own_cost[2, f]) {
            if (n[1, f] != n[2, f]) print "loop", f, f, own_calls[1, f] + 0 " " own_cost[1, f] + 0, own_calls[2, f] + 0 " " own_cost[2, f] + 0
            continue
        }
        if (n[1, f] == n[2, f] && sum[1, f] == sum[2, f] || (f == "_Exit" || f in open) && ends(n[1, f], n[2, f], sum[1, f], sum[2, f])) continue
        print "callee", "all", f, n[1, f] " " sum[1, f], n[2, f] " " sum[2, f]
    }
    print "count", compared + 0, equal + 0, callees + 0
}
