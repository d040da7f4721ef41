/* Which functions of libraries allocate for who calls them? */
#include "tap.h"

#include "cost/data/allocators.h"

static void yes(const char *name, const char *what) { ok(qn_cost_is_grower(name), "%s", what); }
static void no(const char *name, const char *what) { ok(!qn_cost_is_grower(name), "%s", what); }

int main(void)
{
    yes("_ZNSt6vectorI5pointSaIS0_EE17_M_realloc_insertIJS0_EEEvN9__gnu_cxx17__normal_iteratorIPS0_S2_EEDpOT_", "std::vector::_M_realloc_insert");
    yes("_ZNSt15__new_allocatorI5pointE8allocateEmPKv", "an allocator");
    yes("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm", "std::string::_M_create");
    yes("_ZNSt3mapIidSt4lessIiESaISt4pairIKidEEEixEOi", "std::map::operator[]");
    yes("_ZNSt6vectorIiSaIiEEC1EmRKS0_", "a constructor of a vector");
    no("_ZNSt6vectorIiSaIiEE5beginEv", "std::vector::begin is none");
    no("_ZN2my6vectorI5pointE9push_backERKS1_", "a vector of the user's own is none");
    no("_Z4fillSt6vectorI5pointSaIS0_EE", "nor is a function that takes one");
    yes("_RNvMs_NtCslNYArtu3iFV_5alloc7raw_vecNtB4_11RawVecInner11finish_grow", "Rust: RawVecInner::finish_grow");
    yes("_RNvMs2_NtCs1Bc_9hashbrown3rawINtB5_8RawTableTyyEE14reserve_rehash", "hashbrown's RawTable::reserve_rehash");
    no("_RINvCs4fqI2P2rA04_1p4fillNtNtCslNYArtu3iFV_5alloc3vec8IntoIterE", "a function of another crate, for a Vec");
    yes("_ZN5alloc7raw_vec19RawVec$LT$T$C$A$GT$8grow_one17h0123456789abcdefE", "names as they were mangled before");
    yes("_ZN65_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..clone..Clone$GT$5clone17h0123456789abcdefE", "... of traits");
    no("_ZN1p4fill17h0123456789abcdefE", "... and those of another crate are none");
    yes("__rust_alloc", "__rust_alloc");
    no("main", "main is none");
    no("_", "nor is a name that is hardly one");
    return done_testing();
}
