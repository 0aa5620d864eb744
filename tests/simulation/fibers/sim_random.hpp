// The randomness of one simulated world: everything that happens in it follows from its seed, on every machine.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "base/time/instant.hpp"

namespace belfry::sim {

class SimRandom {
public:
    explicit SimRandom(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}

    // SplitMix64: seeding costs nothing, and there is one of these per seed.
    [[nodiscard]] std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15;
        auto bits = state_;
        bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9;
        bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111eb;
        return bits ^ (bits >> 31U);
    }

    // In [least, most].
    [[nodiscard]] std::int64_t between(std::int64_t least, std::int64_t most) {
        return least + static_cast<std::int64_t>(next() % (static_cast<std::uint64_t>(most - least) + 1));
    }
    [[nodiscard]] int number(int least, int most) { return static_cast<int>(between(least, most)); }
    [[nodiscard]] Micros between(Micros least, Micros most) { return Micros{between(least.count(), most.count())}; }
    [[nodiscard]] bool percent(int chance) { return between(0, 99) < chance; }
    [[nodiscard]] bool permille(int chance) { return chance > 0 && between(0, 999) < chance; }

    template <typename T>
    [[nodiscard]] const T& pick(const std::vector<T>& from) {
        return from[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(from.size()) - 1))];
    }
    template <typename T>
    [[nodiscard]] T pick(std::initializer_list<T> from) {
        return *(from.begin() + between(0, static_cast<std::int64_t>(from.size()) - 1));
    }

private:
    std::uint64_t state_;
};

}  // namespace belfry::sim
