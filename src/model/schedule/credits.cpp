#include "model/schedule/credits.hpp"

#include <cmath>

namespace belfry::model {

namespace {

constexpr std::int64_t kPerCredit = 1'000'000;

Error no_credits() { return invalid("must be a number from 0 to 1000000000 with at most 6 decimal places"); }

}  // namespace

Result<Credits> credits_from_json(const Json& json) {
    boost::json::error_code code;
    if (const auto whole = json.to_number<std::int64_t>(code); !code) {
        if (whole < 0 || whole > kCreditsMax.micros / kPerCredit) return no_credits();
        return Credits{whole * kPerCredit};
    }
    if (!json.is_double()) return no_credits();
    const double number = json.get_double();
    if (!(number >= 0 && number <= static_cast<double>(kCreditsMax.micros / kPerCredit))) return no_credits();
    const Credits credits{std::llround(number * kPerCredit)};
    // A decimal with at most six places survives the conversion to double and back; one with more places does not.
    if (static_cast<double>(credits.micros) / kPerCredit != number) return no_credits();
    return credits;
}

Json to_json(Credits credits) {
    if (credits.micros % kPerCredit == 0) return credits.micros / kPerCredit;
    return static_cast<double>(credits.micros) / kPerCredit;
}

std::string format_credits(Credits credits) {
    const auto magnitude = std::abs(credits.micros);
    auto text = (credits.micros < 0 ? "-" : "") + std::to_string(magnitude / kPerCredit);
    if (magnitude % kPerCredit == 0) return text;
    auto places = std::to_string(magnitude % kPerCredit);
    places.insert(0, 6 - places.size(), '0');
    while (places.back() == '0') places.pop_back();
    return text + "." + places;
}

}  // namespace belfry::model
