// An exact amount of credits, stored as whole millionths. Each installation defines what a credit is worth. Plain
// data.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "base/text/json.hpp"

namespace belfry::model {

struct Credits {
    std::int64_t micros = 0;
    Credits& operator+=(Credits other) {
        micros += other.micros;
        return *this;
    }
    Credits& operator-=(Credits other) {
        micros -= other.micros;
        return *this;
    }
    friend Credits operator+(Credits a, Credits b) { return a += b; }
    friend Credits operator-(Credits a, Credits b) { return a -= b; }
    friend auto operator<=>(const Credits&, const Credits&) = default;
};

// A billion credits in millionths is less than 2^53, so a JSON number represents every amount exactly.
inline constexpr Credits kCreditsMax{1'000'000'000'000'000};

// `12.5` is 12,500,000 millionths. An error if the value is not a number from 0 to kCreditsMax with at most six
// decimals.
[[nodiscard]] Result<Credits> credits_from_json(const Json& json);
[[nodiscard]] Json to_json(Credits credits);
// `12.5`, without trailing zeros.
[[nodiscard]] std::string format_credits(Credits credits);

}  // namespace belfry::model
