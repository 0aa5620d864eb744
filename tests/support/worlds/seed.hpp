// The one source of randomness of a random test: a failure can be run again with SEED=, and CASES= asks for more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

namespace belfry::test {

// From SEED=, else a fresh one. Printed once, so that it is in the log whatever happens later.
[[nodiscard]] std::uint64_t seed();

// From CASES=, else `usual`.
[[nodiscard]] std::size_t case_count(std::size_t usual);

// Draws that are the same on every standard library, unlike the standard distributions.
class Random {
public:
    // `stream` keeps the tests of one program from repeating each other's draws.
    explicit Random(std::uint64_t stream = 0) : engine_(seed() + stream * 0x9e3779b97f4a7c15) {}

    // In [least, most].
    [[nodiscard]] std::int64_t between(std::int64_t least, std::int64_t most) {
        return least + static_cast<std::int64_t>(engine_() % (static_cast<std::uint64_t>(most - least) + 1));
    }
    [[nodiscard]] int number(int least, int most) { return static_cast<int>(between(least, most)); }
    [[nodiscard]] bool percent(int chance) { return between(0, 99) < chance; }

    template <typename T>
    [[nodiscard]] const T& pick(const std::vector<T>& from) {
        return from[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(from.size()) - 1))];
    }
    [[nodiscard]] std::string pick(std::initializer_list<const char*> from) {
        return *(from.begin() + between(0, static_cast<std::int64_t>(from.size()) - 1));
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace belfry::test
