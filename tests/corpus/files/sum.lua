-- sum.lua - numbers, strings, tables, closures, coroutines, errors; the same in Lua and LuaJIT.
local x, t, words = 1, {}, {}
local function rnd(n) x = x * 16807 % 2147483647; return x % n end
for i = 1, 60000 do local k = rnd(1009); t[k] = (t[k] or 0) + i % 7 end
local sum = 0
for k = 0, 1008 do sum = sum + (t[k] or 0) * k end
print(string.format("%.0f", sum))
for i = 1, 400 do words[i] = string.char(97 + rnd(26), 97 + rnd(26), 97 + rnd(26)) end
table.sort(words)
print(words[1], words[200], words[400], (table.concat(words):gsub("[aeiou]", "")):sub(1, 40))
local co = coroutine.wrap(function() for i = 1, 1000 do coroutine.yield(i * i) end end)
local c = 0
for i = 1, 1000 do c = c + co() end
print(string.format("%.0f", c), select("#", pcall(error, { 1 })), (pcall(function() local n; return n.x end)))
local m = {}
for i = 1, 40 do m[i] = {} for j = 1, 40 do m[i][j] = (i * j) % 11 end end
local trace = 0
for i = 1, 40 do for j = 1, 40 do local s = 0 for k = 1, 40 do s = s + m[i][k] * m[k][j] end if i == j then trace = trace + s end end end
print(string.format("%.0f %.10f", trace, math.sin(1) + math.sqrt(2)))
io.stderr:write("done\n")
os.exit(4)
