-- lua.lua N: recursion, tables, closures, strings.
local n = tonumber(arg[1])
local function fib(k) if k < 2 then return k end return fib(k - 1) + fib(k - 2) end

local total = 0
for round = 1, n do
    total = total + fib(20)
    local t = {}
    for i = 1, 30000 do t[i] = (i * 7919 + round) % 10007 end
    table.sort(t)
    local parts = {}
    for i = 1, 3000 do parts[i] = ("%d:%x"):format(i, t[i]) end
    total = total + #table.concat(parts, " "):gsub("(%d+):", "%1=")
    local add = function(k) return function(v) return v + k end end
    for i = 1, 30000 do total = add(i)(total) % 1000003 end
end
print(total)
