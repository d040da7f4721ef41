// grow.cc - blocks that the library allocates for the user's lines.
#include <map>
#include <memory>
#include <vector>

#ifdef __clang__
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noipa))
#endif

namespace geo {
struct point { double x, y, z; int id; };
}

static char far_away[1 << 16];

/* What is used next misses. */
ALONE static void evict()
{
    for (char &c : far_away)
        c++;
}

struct copying {
    char *text;
    ALONE copying();
    ALONE copying(const copying &other);
};

ALONE copying::copying() : text(nullptr) {}
ALONE copying::copying(const copying &other) : text(other.text)
{
    text = new char[2000];
    for (int i = 0; i < 2000; i++)
        text[i] = 1;
}

ALONE static std::vector<geo::point> fill(int n)
{
    std::vector<geo::point> v;
    for (int i = 0; i < n; i++)
        v.push_back(geo::point{1.0 * i, 0, 0, i});
    return v;
}

ALONE static std::map<int, double> tree(int n)
{
    std::map<int, double> m;
    for (int i = 0; i < n; i++)
        m.insert({i, i});
    return m;
}

int main()
{
    std::vector<geo::point> v = fill(3000);
    std::map<int, double> m = tree(3000);
    std::vector<copying> c;
    double sum = 0;

    for (int i = 0; i < 5; i++)
        c.push_back(copying());
    evict();
    for (const geo::point &p : v)
        sum += p.x;
    for (const auto &p : m)
        sum += p.second;
    auto points = std::make_unique<geo::point[]>(500);
    evict();
    for (int i = 0; i < 500; i++)
        sum += points[i].y;
    return sum == c[1].text[7];
}
