/* Readable names of C++ and Rust functions. */
#include "debug/internal.h"

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
    shows("_RINvC3foo3barKn7b_Kn80000000000000000_Ko12345678901234567890123456789012_Knnfffffffffffffffff_E",
          "foo::bar::<123, 0x80000000000000000, 0x12345678901234567890123456789012, -0xfffffffffffffffff>");
    shows("_RNvC3foou8gdel_5qa", "foo::gödel");
    shows("_RNvC3foo13GLOBAL_LITTLE", "foo::GLOBAL_LITTLE");
    shows("_RINvC3foo3barFG3_RL0_hEuE", "foo::bar::<for<'a, 'b, 'c, 'd, 'e> fn(&'e u8)>");
    shows("_RNvMINvC3foo3barFG0_EuEu3baz", "<()>::baz");
    shows("_RNvMINvC3foo3barFGzzzzzzzzz_EuEu3baz", NULL); /* 10 to the 16 lifetimes, which are not shown */
    shows("_RNvMINvC3foo3barFGzzz_EuEu3baz", NULL);
    shows("_RNvC3foo3bar.cold", "foo::bar");
    shows("_ZN4core3fmt5write17h0123456789abcdefE.cold", "core::fmt::write");
    shows("_RINvC1a1bTuuETB7_B7_ETBb_Bb_EE", "a::b::<((), ()), (((), ()), ((), ())), ((((), ()), ((), ())), (((), ()), ((), ())))>");
    /* The same forty times over: 2 to the 40. */
    shows("_RINvC1a1bTuuETB7_B7_ETBb_Bb_ETBj_Bj_ETBr_Br_ETBz_Bz_ETBH_BH_ETBP_BP_ETBX_BX_ETB15_B15_ETB1d_B1d_ETB"
          "1n_B1n_ETB1x_B1x_ETB1H_B1H_ETB1R_B1R_ETB21_B21_ETB2b_B2b_ETB2l_B2l_ETB2v_B2v_ETB2F_B2F_ETB2P_B2P_ETB"
          "2Z_B2Z_ETB39_B39_ETB3j_B3j_ETB3t_B3t_ETB3D_B3D_ETB3N_B3N_ETB3X_B3X_ETB47_B47_ETB4h_B4h_ETB4r_B4r_ETB"
          "4B_B4B_ETB4L_B4L_ETB4V_B4V_ETB55_B55_ETB5f_B5f_ETB5p_B5p_ETB5z_B5z_ETB5J_B5J_ETB5T_B5T_ETB63_B63_EE", NULL);
    shows("_ZN3foo3barEi", "foo::bar(int)");
    shows("_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int, std::allocator<int> >::push_back(int&&)");
    shows("_Z3foov.cold", "foo() [clone .cold]");
    return done_testing();
}
