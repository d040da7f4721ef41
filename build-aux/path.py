# build-aux/path.py - for gdb, by path.sh: a breakpoint on each function of the program that is attached to, or run; it goes when it is reached.
#
# In:  symbols, a file of `nm`; out, a file
# Out: the names of the source files whose functions were reached, sorted, a line each
import re

import gdb


class Once(gdb.Breakpoint):
    def __init__(self, address, source):
        super().__init__('*%#x' % address, internal=True)
        self.source = source

    def stop(self):
        reached.add(self.source)
        self.enabled = False
        return False


reached = set()
for setting in ('set pagination off', 'set confirm off',
                'handle SIGALRM SIGCHLD SIGUSR1 SIGUSR2 SIGSEGV SIGPIPE SIGSTOP SIGCONT nostop noprint pass'):
    gdb.execute(setting)
for name in open(symbols).read().split():
    function = gdb.lookup_global_symbol(name) or gdb.lookup_static_symbol(name)
    found = function and function.symtab and re.search(r'/((lib|tools)/.*)', function.symtab.filename)
    if found and function.is_function:
        Once(int(function.value().address), found.group(1))
try:
    gdb.execute('continue' if gdb.selected_inferior().pid else 'run')
except gdb.error:
    pass
with open(out, 'w') as f:
    f.write(''.join(source + '\n' for source in sorted(reached)))
