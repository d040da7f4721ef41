// throw.cc - C++ exceptions through many frames, out of threads, with destructors; thread-locals, futures, regular expressions.
#include <atomic>
#include <future>
#include <iostream>
#include <map>
#include <mutex>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::atomic<int> destroyed;
static std::mutex mutex;
static thread_local int mine = 3;

struct Guard { ~Guard() { destroyed++; } };

static int deep(int n)
{
    Guard g;
    if (n == 0)
        throw std::out_of_range("bottom");
    return deep(n - 1) + 1;
}

static int work(int id)
{
    int caught = 0;
    for (int i = 0; i < 40; i++)
        try {
            deep(i % 20);
        } catch (const std::exception &e) {
            std::lock_guard<std::mutex> lock(mutex);
            caught += (int)std::string(e.what()).size() + mine;
        }
    mine += id;
    return caught + mine;
}

int main()
{
    std::vector<std::thread> threads;
    std::vector<int> result(4);
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&result, i] { result[i] = work(i); });
    for (auto &t : threads)
        t.join();
    auto f = std::async(std::launch::async, [] { throw 42; return 1; });
    try {
        f.get();
    } catch (int v) {
        std::cout << v << "\n";
    }
    std::map<std::string, int> count;
    std::string text = "the cache line that was read last is the line that is kept";
    std::regex word("[a-z]+");
    for (std::sregex_iterator i(text.begin(), text.end(), word), end; i != end; ++i)
        count[i->str()]++;
    std::cout << result[0] << " " << result[3] << " " << destroyed << " " << count.size() << " " << count["line"] << " " << mine << "\n";
    throw std::runtime_error("uncaught");
}
