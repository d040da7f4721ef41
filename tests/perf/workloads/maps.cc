// maps.cc N: a std::map of strings and a std::unordered_map, N operations on each.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <unordered_map>

int main(int argc, char **argv)
{
    std::map<std::string, long> by_name;
    std::unordered_map<unsigned, std::string> by_number;
    unsigned x = 1, n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100000;
    long sum = 0;

    for (unsigned i = 0; i < n; i++) {
        x = x * 1103515245u + 12345u;
        by_name["name " + std::to_string(x % 20000)] += i;
        by_number[x % 5000] = std::to_string(i);
    }
    for (const auto &entry : by_name)
        sum += entry.second;
    std::printf("%ld %zu\n", sum, by_number.size());
}
