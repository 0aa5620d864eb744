// One world from one seed: servers, workers and operators in virtual time, faults for a while, then healing, and the
// oracle's verdict. The same seed gives the same world.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulation/fibers/fiber.hpp"
#include "simulation/mutants/mutant.hpp"
#include "simulation/oracle/coverage.hpp"

namespace belfry::sim {

struct Verdict {
    std::vector<std::string> breaches = {};  // "4: …": the invariant and what broke it
    std::uint64_t trace = 0;                 // a hash of everything that happened
    std::vector<std::string> lines = {};     // the last of them, when asked for
    std::uint64_t events = 0;
    Coverage coverage = {};
};

struct WorldSettings {
    std::uint64_t seed = 0;
    Mutant mutant = Mutant::none;
    bool keeps_lines = false;
};

[[nodiscard]] Verdict simulate(Fibers& fibers, const WorldSettings& settings);

}  // namespace belfry::sim
