// What happens to a delivery after an attempt: it ends, or is retried later. Pure.
//
// The waits grow from seconds to a day, so that a receiver may be down for a weekend and still gets everything. After
// the last attempt, only a client's request sends it again.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "model/tenant/webhook.hpp"

namespace belfry::decide {

// Before each further attempt; 2 days and 22 hours in all.
inline constexpr std::array kDeliveryWaits{
    Seconds{5},         Seconds{30},        Seconds{2 * 60},     Seconds{10 * 60},    Seconds{60 * 60},
    Seconds{3 * 3'600}, Seconds{6 * 3'600}, Seconds{12 * 3'600}, Seconds{24 * 3'600}, Seconds{24 * 3'600}};
inline constexpr int kDeliveryAttemptsMax = static_cast<int>(kDeliveryWaits.size()) + 1;
inline constexpr Seconds kRetryAfterMax{24 * 3'600};   // a receiver may request more time, but not without limit
inline constexpr std::size_t kDeliveryErrorMax = 500;  // bytes that are stored

inline constexpr int kHttpGone = 410;  // the receiver wants no more messages

struct DeliveryAttempt {
    Instant at = {};
    std::optional<int> http_status = {};     // empty without a response
    std::string error = {};                  // if there was no response
    std::optional<Micros> retry_after = {};  // requested by the receiver
    std::optional<Instant> ended = {};       // the next wait starts here, or at the start if it is unknown
    friend bool operator==(const DeliveryAttempt&, const DeliveryAttempt&) = default;
};

[[nodiscard]] bool succeeded(const DeliveryAttempt& attempt);  // any 2xx

// The delivery after the attempt. `random` makes a wait up to a fifth longer, so that deliveries that failed together
// are not retried together.
[[nodiscard]] model::Delivery after_attempt(model::Delivery delivery, const DeliveryAttempt& attempt,
                                            std::uint64_t random);

// Makes the delivery due at once, with all its attempts left.
[[nodiscard]] model::Delivery once_more(model::Delivery delivery, Instant now);

}  // namespace belfry::decide
