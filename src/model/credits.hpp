// An amount of credits, exact: a whole number of millionths. What it is worth is its owner's business. Plain data.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "base/json.hpp"
#include "base/result.hpp"

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

// A billion credits in millionths are fewer than 2^53: a JSON number says every one of them exactly.
inline constexpr Credits kCreditsMax{1'000'000'000'000'000};

// `12.5` is 12,500,000 millionths. An error when it is not a number from 0 to kCreditsMax with at most six decimal places.
[[nodiscard]] Result<Credits> credits_from_json(const Json& json);
[[nodiscard]] Json to_json(Credits credits);
// `12.5`, without zeros at the end.
[[nodiscard]] std::string format_credits(Credits credits);

}  // namespace belfry::model
