/* tests/unit/plot/words.c - what numbers, caches and columns are called in a picture. */
#include "plot/words.h"

#include "tap.h"

static void short_names(struct qn_text_memory *m)
{
    static const char *const names[][2] = {
        { "void std::__introsort_loop<int*, long, cmp>(int*, int*, long, cmp)", "void std::__introsort_loop<>()" },
        { "std::map<int, std::string>::operator[](int const&)", "std::map<>::operator[]()" },
        { "std::ostream& operator<< <char>(std::ostream&, char const*)", "std::ostream& operator<< <>()" },
        { "main::{lambda(std::vector<int>&, int)#1}::operator()(int) const", "{lambda()#1}::operator()() const" },
        { "<alloc::vec::Vec<T, A> as core::ops::drop::Drop>::drop", "drop" },
        { "core::slice::sort::unstable::quicksort::quicksort", "unstable::quicksort::quicksort" },
        { "a_plain_name_of_c_that_is_too_long_for_it", "a_plain_name_of_...too_long_for_it" },
        { "f(int)", "f(int)" },
        { "(anonymous namespace)::walk<std::less<long> >(int)", "(anonymous namespace)::walk<>()" },
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is_str(qn_plot_shorten_name(m, names[i][0], 34), names[i][1], "%s", names[i][0]);
    is_str(qn_plot_shorten_name(m, names[0][0], 26), "std::__introsort_loop<>()", "less room: the type goes");
    is_str(qn_plot_shorten_name(m, names[2][0], 18), "operator<< <>()", "... before an operator, too");
    is_str(qn_plot_shorten_name(m, names[0][0], 22), "__introsort_loop<>()", "... then the namespace");
    is_str(qn_plot_shorten_name(m, "_dl_new_hash (inlined in _dl_lookup_symbol_x)", 40), "_dl_new_hash (in _dl_lookup_symbol_x)", "an inlined function keeps both names");
    is_str(qn_plot_shorten_name(m, "f<int>(int, int) (inlined in main)", 40), "f<int>(int, int) (inlined in main)", "... whole where there is room");
}

int main(void)
{
    struct qn_text_memory m = { 0 };

    is_str(qn_plot_say_bytes(&m, 64), "64 B", "bytes");
    is_str(qn_plot_say_bytes(&m, 1024), "1 KiB", "1024 bytes");
    is_str(qn_plot_say_bytes(&m, 49152), "48 KiB", "48 KiB");
    is_str(qn_plot_say_bytes(&m, 1536 * 1024), "1536 KiB", "no fractions");
    is_str(qn_plot_say_bytes(&m, 3.0 * 1024 * 1024 * 1024), "3 GiB", "GiB");
    is_str(qn_plot_say_cache(&m, 32768, 8, 64), "32 KiB, 8 ways, lines of 64 B", "a cache");
    is_str(qn_plot_say_cache(&m, 0, 1, 64), "1 way, lines of 64 B", "whose size varies");
    is_str(qn_plot_say_cache(&m, 0, 0, 0), "", "of which nothing is known");

    is_str(qn_plot_say_count(&m, 0, true), "0", "no difference has no sign");
    is_str(qn_plot_say_count(&m, 999, true), "+999", "+999");
    is_str(qn_plot_say_count(&m, -1000, true), "-1.00 k", "three digits");
    is_str(qn_plot_say_count(&m, 32768, true), "+32.8 k", "+32.8 k");
    is_str(qn_plot_say_count(&m, 999600, false), "1.00 M", "rounded into the next unit");
    is_str(qn_plot_say_count(&m, 0.256, false), "0.26", "a rate");

    is_str(qn_plot_say_column(&m, "D1_miss_percent"), "D1 misses per 100 references", "a rate of a sweep");
    is_str(qn_plot_say_column(&m, "LL_mpki"), "LL misses per 1000 instructions", "per 1000 instructions");
    is_str(qn_plot_say_column(&m, "Bc_mpki"), "conditional mispredicts per 1000 instructions", "of branches");
    is_str(qn_plot_say_column(&m, "I1_ways"), "ways of the I1", "a geometry");
    is_str(qn_plot_say_column(&m, "D1_line"), "line of the D1 (bytes)", "with its unit");
    is_str(qn_plot_say_column(&m, "n"), "n", "a parameter");
    is_str(qn_plot_say_column(&m, "my_size"), "size of the my (bytes)", "a parameter that is called like a geometry");
    is_str(qn_plot_say_column(&m, "longer_size"), "longer_size", "... unless it is longer");

    is_str(qn_plot_say_value(&m, "sim", "srrip"), "srrip", "a simulator");
    is_str(qn_plot_say_value(&m, "D1_ways", "1"), "1 way", "a way of the D1");
    is_str(qn_plot_say_value(&m, "LL_size", "1048576"), "LL: 1 MiB", "of another level");
    is_str(qn_plot_say_value(&m, "D1_line", "32"), "lines of 32 B", "lines");
    is_str(qn_plot_say_value(&m, "n", "8"), "n 8", "a number");
    is_str(qn_plot_say_value(&m, "order", "ijk"), "ijk", "a word");
    is_str(qn_plot_say_value(&m, "options", ""), "none", "nothing");

    is_str(qn_plot_shorten(&m, "short", 10), "short", "short enough");
    is_str(qn_plot_shorten(&m, "0123456789", 10), "0123456789", "just");
    is_str(qn_plot_shorten(&m, "0123456789a", 10), "0123...89a", "one too many: the middle goes");
    is_str(qn_plot_shorten(&m, "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 10), "\xc3\xa4\xc3\xa4...\xc3\xa4", "characters stay whole");
    short_names(&m);
    qn_text_free_memory(&m);
    return done_testing();
}
