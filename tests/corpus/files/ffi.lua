-- ffi.lua - LuaJIT's foreign functions: callbacks from C into compiled code, structures, qsort.
local ffi = require("ffi")
ffi.cdef [[ void qsort(void *, size_t, size_t, int (*)(const int *, const int *)); int abs(int); typedef struct { int a; double b; } pair; ]]
local n, v, x = 500, ffi.new("int[500]"), 7
for i = 0, n - 1 do x = x * 16807 % 2147483647; v[i] = x % 100000 end
local compare = ffi.cast("int (*)(const int *, const int *)", function(a, b) return a[0] - b[0] end)
ffi.C.qsort(v, n, 4, compare)
local sum = 0
for i = 0, n - 1 do sum = sum + v[i] * i + ffi.C.abs(-i) end
local p = ffi.new("pair[100]")
for i = 0, 99 do p[i].a = i; p[i].b = i / 4 end
local s = 0
for k = 1, 200 do for i = 0, 99 do s = s + p[i].a * p[i].b end end
print(v[0], v[250], v[499], string.format("%.0f %.2f", sum, s))
