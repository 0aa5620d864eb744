// The whole engine from one seed: see docs/internals/simulation.md. SEED= is the first seed, SEEDS= how many.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "simulation/sim_world.hpp"

namespace belfry::sim {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr || *text == '\0' ? otherwise : std::strtoull(text, nullptr, 10);
}

std::uint64_t first_seed() { return from_environment("SEED", 1); }
std::uint64_t seeds(std::uint64_t usual) { return from_environment("SEEDS", usual); }

// The world once more, this time with its story.
std::string story_of(Fibers& fibers, WorldSettings settings) {
    settings.keeps_lines = true;
    const auto verdict = simulate(fibers, settings);
    std::string story;
    for (const auto& line : verdict.lines) story += "  " + line + "\n";
    for (const auto& breach : verdict.breaches) story += "  breach of invariant " + breach + "\n";
    return story;
}

std::string reproduce(std::uint64_t seed) {
    return "reproduce: SEED=" + std::to_string(seed) + " SEEDS=1 build/belfry_simulation_tests --gtest_filter=Simulation.HoldsAllInvariants*";
}

TEST(Simulation, HoldsAllInvariantsOver2000Seeds) {
    Fibers fibers;
    const auto first = first_seed();
    const auto count = seeds(2'000);
    Sights all;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const auto verdict = simulate(fibers, {seed});
        all.add(verdict.sights);
        ASSERT_TRUE(verdict.breaches.empty()) << "seed " << seed << "\n" << story_of(fibers, {seed}) << reproduce(seed);
    }
}

}  // namespace
}  // namespace belfry::sim
