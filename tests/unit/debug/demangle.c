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
    shows("_RNvMs_NtCs4fqI2P2rA04_5alloc6stringNtB4_6String4push", "<alloc::string::String>::push");
    shows("_RNvXs_CsabcDEF_3fooNtB4_3BarNtB4_3Baz3qux", "<foo::Bar as foo::Baz>::qux");
    shows("_RNCNvC3foo3bar0", "foo::bar::{closure#0}");
    shows("_RNCNvC3foo3bars_0", "foo::bar::{closure#1}");
    shows("_RINvC3foo3barlRhNtC3std3VecE", "foo::bar::<i32, &u8, std::Vec>");
    shows("_RINvC3foo3barAhj10_TlEFKCuEuDNtC3std3AnyEL_E", "foo::bar::<[u8; 16], (i32,), extern \"C\" fn(()), dyn std::Any>");
    shows("_RINvC3foo3barKb1_Kln5_Kc41_E.llvm.123", "foo::bar::<true, -5, 'A'>");
    shows("_RINvC3foo3barFG_RL0_hEuE", "foo::bar::<for<'a> fn(&'a u8)>");
    shows("_RNvNvNtCslNYArtu3iFV_5alloc3fmt6format12format_inner", "alloc::fmt::format::format_inner");
    shows("_RB_", NULL);
    shows("_RNvB_3foo", NULL);
    shows("_RINvC3foo3barTTTTTTTT", NULL);
    shows("_R", NULL);
    if (!dlopen("libstdc++.so.6", RTLD_LAZY)) {
        skip(3, "libstdc++ is not installed");
    } else {
        shows("_ZN3foo3barEi", "foo::bar(int)");
        shows("_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int, std::allocator<int> >::push_back(int&&)");
        shows("_Z3foov.cold", "foo() [clone .cold]");
    }
    return done_testing();
}
