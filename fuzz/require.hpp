// What a fuzz target insists on, in every kind of build: assert() is gone from the optimised ones.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace belfry::fuzz {

inline void require(bool holds, const char* what, const std::string& about = {}) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n%s\n", what, about.c_str());
    std::abort();
}

}  // namespace belfry::fuzz
