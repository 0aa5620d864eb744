// What becomes of a delivery after an attempt: it is over, or tried again later. Pure.
//
// The waits grow from seconds to a day, so that a receiver may be away for a weekend and gets everything; then nobody tries
// again until somebody asks for it.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "model/webhook.hpp"

namespace belfry::decide {

// Before each further try; 2 days and 22 hours in all.
inline constexpr std::array kDeliveryWaits{Seconds{5},         Seconds{30},        Seconds{2 * 60},     Seconds{10 * 60},    Seconds{60 * 60},
                                           Seconds{3 * 3'600}, Seconds{6 * 3'600}, Seconds{12 * 3'600}, Seconds{24 * 3'600}, Seconds{24 * 3'600}};
inline constexpr int kDeliveryAttemptsMax = static_cast<int>(kDeliveryWaits.size()) + 1;
inline constexpr Seconds kRetryAfterMax{24 * 3'600};   // a receiver may ask for more time, but not for ever
inline constexpr std::size_t kDeliveryErrorMax = 500;  // bytes of what is kept

inline constexpr int kHttpGone = 410;  // the receiver never wants anything again

struct DeliveryAttempt {
    Instant at = {};
    std::optional<int> http_status = {};     // nothing when nobody answered
    std::string error = {};                  // then: why
    std::optional<Micros> retry_after = {};  // what the receiver asked for
    std::optional<Instant> ended = {};       // the next try counts from here; from the start when it is not known
    friend bool operator==(const DeliveryAttempt&, const DeliveryAttempt&) = default;
};

[[nodiscard]] bool succeeded(const DeliveryAttempt& attempt);  // any 2xx

// The delivery after the attempt. A wait is made up to a fifth longer by `random`, so that what failed together does not come back together.
[[nodiscard]] model::Delivery after_attempt(model::Delivery delivery, const DeliveryAttempt& attempt, std::uint64_t random);

// As new: due at once, with all its tries before it.
[[nodiscard]] model::Delivery once_more(model::Delivery delivery, Instant now);

}  // namespace belfry::decide
