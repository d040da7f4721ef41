# freestanding.sh - how programs that start from tests/guest/guest.h are compiled: "$CC" $freestanding -I"$top_srcdir/tests/guest" -o NAME FILE

# shellcheck disable=SC2034 # used by who sources it
freestanding='-std=gnu11 -O1 -g -ffreestanding -fno-builtin -fno-stack-protector -fcf-protection=none -fno-asynchronous-unwind-tables -fno-pic
    -fno-pie -nostdlib -static -no-pie -Wl,-e,guest_start -Wl,--build-id=none -Wl,-z,noexecstack'
