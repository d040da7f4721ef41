# quern.gdb - a program under quern, in gdb.
#
#   quern run ./prog &
#   gdb -p PID                          the program's own pid, as ps shows it
#   (gdb) source .../quern.gdb          with the engine's symbols: symbol-file .../quern-engine
#   (gdb) symbol-file .../quern-engine
#   (gdb) quern-where                   where in the program is this thread?
#   (gdb) quern-pc 0x60241a30           which of its instructions is this address of the code cache a copy of?
#   (gdb) quern-registers               of the program, where the thread is not in the code cache
#   (gdb) add-symbol-file ./prog        adds the program's names; for libraries and PIE: -o ADDRESS, from info proc mappings
#
# Translated code lies at 0x60000000 to 0x68000000.  Breakpoints cannot be set in the program: its own code is read, not run.

define quern-pc
    set $quern_guest = ((unsigned long (*)(unsigned long)) qn_recover_pc)((unsigned long) ($arg0))
    if $quern_guest
        printf "%#lx is a copy of the program's %#lx:\n", (unsigned long) ($arg0), $quern_guest
        x/i $quern_guest
    else
        printf "%#lx is no copy of an instruction\n", (unsigned long) ($arg0)
    end
end
document quern-pc
quern-pc ADDRESS: the instruction of the program that the code at ADDRESS in the code cache is a copy of.
end

define quern-where
    if (unsigned long) $pc >= 0x60000000 && (unsigned long) $pc < 0x68000000
        quern-pc $pc
    else
        printf "in the engine; "
        if qn_self
            printf "the running thread is at the program's %#lx\n", qn_ctx.rip
        else
            printf "all threads of the program wait or are in system calls\n"
        end
    end
end
document quern-where
quern-where: which instruction of the program this thread is at.
end

define quern-registers
    printf "rax %#lx rcx %#lx rdx %#lx rbx %#lx\n", qn_ctx.gpr[0], qn_ctx.gpr[1], qn_ctx.gpr[2], qn_ctx.gpr[3]
    printf "rsp %#lx rbp %#lx rsi %#lx rdi %#lx\n", qn_ctx.gpr[4], qn_ctx.gpr[5], qn_ctx.gpr[6], qn_ctx.gpr[7]
    printf "r8 %#lx r9 %#lx r10 %#lx r11 %#lx\n", qn_ctx.gpr[8], qn_ctx.gpr[9], qn_ctx.gpr[10], qn_ctx.gpr[11]
    printf "r12 %#lx r13 %#lx r14 %#lx r15 %#lx\n", qn_ctx.gpr[12], qn_ctx.gpr[13], qn_ctx.gpr[14], qn_ctx.gpr[15]
    printf "rip %#lx flags %#lx\n", qn_ctx.rip, qn_ctx.rflags
end
document quern-registers
quern-registers: the program's registers, as they were when its thread left the code cache.
end
