#include "support/worlds/seed.hpp"

#include <cstdio>
#include <cstdlib>

namespace belfry::test {
namespace {

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr || *text == '\0' ? otherwise : std::strtoull(text, nullptr, 10);
}

std::uint64_t choose_seed() {
    const auto chosen = number_from_environment("SEED", std::random_device{}());
    std::printf("SEED=%llu\n", static_cast<unsigned long long>(chosen));
    std::fflush(stdout);
    return chosen;
}

}  // namespace

std::uint64_t seed() {
    static const std::uint64_t chosen = choose_seed();
    return chosen;
}

std::size_t case_count(std::size_t usual) { return number_from_environment("CASES", usual); }

}  // namespace belfry::test
