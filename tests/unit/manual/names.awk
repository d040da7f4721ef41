# names.awk - emitted code with names for what lies in the engine.
#
#   awk -f names.awk SYMBOLS -      SYMBOLS as nm -n prints them
#
#   incq -0xc040031(%rip)   # 54000000      incq 54000000           an address of its own: here a counter
#   mov 0x1001b033(%rip),%rcx # 7005b048    mov qn_ctx+0x8,%rcx
#   jmp 70012175                            jmp qn_dispatch+0x0
#
# Where things lie in the engine changes with its compiler and with every change of it; what they are does not.
function number(hex,    i, value) {
    value = 0
    for (i = 1; i <= length(hex); i++)
        value = value * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
    return value
}

# The symbol before an address, and how far behind it, or the address itself outside of the engine.
function name(hex,    address, low, high, middle) {
    sub(/^0x/, "", hex)
    address = number(hex)
    if (symbols == 0 || address < place[1] || address >= 2013265920)    # 0x78000000
        return hex
    low = 1
    high = symbols
    while (low < high) {
        middle = int((low + high + 1) / 2)
        if (place[middle] <= address)
            low = middle
        else
            high = middle - 1
    }
    return text[low] (address > place[low] ? sprintf("+0x%x", address - place[low]) : "")
}

FNR == NR {
    if ($2 ~ /^[tTrRdDbB]$/) {
        place[++symbols] = number($1)
        text[symbols] = $3
    }
    next
}

match($0, / +# [0-9a-f]+$/) {
    target = substr($0, RSTART, RLENGTH)
    sub(/ +# /, "", target)
    $0 = substr($0, 1, RSTART - 1)
    sub(/-?0x[0-9a-f]+\(%rip\)/, name(target))
}

match($0, /\$0x7[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f],/) {
    $0 = substr($0, 1, RSTART) name(substr($0, RSTART + 1, RLENGTH - 2)) substr($0, RSTART + RLENGTH - 1)
}

match($0, /0x7[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]\(/) {
    $0 = substr($0, 1, RSTART - 1) name(substr($0, RSTART, RLENGTH - 1)) substr($0, RSTART + RLENGTH - 1)
}

match($0, /(call|jmp)    7[0-9a-f]+$|call   7[0-9a-f]+$/) {
    target = $NF
    $0 = substr($0, 1, length($0) - length(target)) name(target)
}

{ print }
