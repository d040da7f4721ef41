/* Readable names of C++ and Rust functions. */
#include "debug/internal.h"

#include <dlfcn.h>

#include "tap.h"

static void shows(const char *name, const char *wanted)
{
    char *shown = qn_debug_demangle(name);

    is_str(shown, wanted, "%s", name);
    free(shown);
}

int main(void)
{
    shows("main", NULL);
    shows("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
    shows("_ZN9hashbrown3raw21RawTable$LT$T$C$A$GT$14reserve_rehash17h72ec4ea2ceba05d7E.llvm.16023386239429248991",
          "hashbrown::raw::RawTable<T,A>::reserve_rehash");
    shows("_ZN58_$LT$std..io..error..Error$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE",
          "<std::io::error::Error as core::fmt::Debug>::fmt");
    shows("_ZN99999999999999999999x", NULL);
    shows("_ZN", NULL);
    if (!dlopen("libstdc++.so.6", RTLD_LAZY)) {
        skip(3, "libstdc++ is not installed");
    } else {
        shows("_ZN3foo3barEi", "foo::bar(int)");
        shows("_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int, std::allocator<int> >::push_back(int&&)");
        shows("_Z3foov.cold", "foo() [clone .cold]");
    }
    return done_testing();
}
