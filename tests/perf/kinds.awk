# kinds.awk - what is each instruction of translated code for?  Reads the disassembly of run --trace=emit.
#
#   in:   emitted for 68025b70: entry2 60200000                      out: 60200000 I1 check
#           hot 60200000-60200057                                         60200008 I1 stamp ...
#             60200000: cmpq   $0x0,0x113403d8(%rip)        # 715403e0
#   -v first, -v second: pages (five digits) of the D1's table; -v ctx: of the registers that are not borrowed
#
# Code outside blocks follows: each stub by the first instruction that calls it.  What a link has put in place of an exit counts as the exit.
function is_table(address) { return substr(address, 1, 5) == first || substr(address, 1, 5) == second }
function put(address, kind) { if (address != "") print address, kind }
function same_register(args) {
    sub(/^[^(]*\(/, "", args)
    return args ~ /^%r..?\),%r/ && substr(args, 1, index(args, ")") - 1) == substr(args, index(args, ",") + 1)
}
/^  (hot|cold)/ {
    put(held, kind)
    held = kind = stamp = call = ""
    hot = $1 == "hot"
    next
}
/^    [0-9a-f]+: / {
    before = kind
    op = $2
    args = $3
    table = is_table($5) || args ~ "0x" first
    if (op == "rorx" && kind == "the program")
        kind = "data check" # the lea before it
    put(held, kind)
    held = substr($1, 1, length($1) - 1)
    kind = hot ? "the program" : "cold code: slow references, entries"
    if (hot && op == "cmpq" && args ~ /^\$0x0,.*\(%rip\)/) {
        kind = "code line: check"
        stamp = $5
    } else if (hot && op == "je" && before == "code line: check")
        kind = before
    else if (hot && op == "mov" && stamp != "" && $5 == stamp) {
        kind = "code line: stamp"
        stamp = ""
    } else if (hot && op == "mov" && table && args ~ /^%/)
        kind = "data stamp"
    else if (hot && (op == "rorx" || table || (before == "data check" && op ~ /^(and|cmp|ja|jne)$/)))
        kind = "data check"
    else if (hot && op == "incq" && $5 != "")
        kind = "executions"
    else if (hot && op == "lea" && args ~ /^-?0x/ && same_register(args))
        kind = "clock"
    else if (op == "lahf" || op == "sahf" || op == "seto")
        kind = "flags"
    else if (!hot && op == "mov" && substr($5, 1, 5) == ctx && args ~ /^%/ && before != "exit")
        kind = before == "call" ? kind : "exit"
    else if (!hot && before == "exit" && op != "push" && op != "call")
        kind = before
    else if (hot && substr($5, 1, 5) == ctx)
        kind = "registers"
    if (call != "")
        stubs[call] = args ~ /^%r/ ? "I1 miss" : "data: second look, miss"
    call = op == "call" ? args : ""
}
END {
    put(held, kind)
    put("60000000", "indirect branches")
    for (stub in stubs)
        put(stub, stubs[stub])
}
