# ctypes_.py - closures (code made at run time in memory mapped twice), callbacks from C.
import ctypes
libc = ctypes.CDLL(None)
kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
values = (ctypes.c_int * 200)(*[(i * 7919) % 1009 for i in range(200)])
libc.qsort(values, 200, 4, kind(lambda a, b: a[0] - b[0]))
print(list(values)[:10], list(values) == sorted(values))
kinds = [ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_int)(lambda x, n, k=k: x * k + n) for k in range(300)]
print(sum(f(1.5, i) for i, f in enumerate(kinds)))
class Pair(ctypes.Structure):
    _fields_ = [("a", ctypes.c_byte), ("b", ctypes.c_double)]
print(ctypes.sizeof(Pair), libc.abs(-5), ctypes.string_at(b"text", 3))
libc.raise_ = libc["raise"]
libc.raise_(15)
