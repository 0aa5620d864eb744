#include "decide/run/delivery.hpp"

#include <algorithm>

#include "base/text/ascii.hpp"

namespace belfry::decide {

using model::DeliveryStatus;

namespace {

constexpr std::int64_t kJitterPart = 5;  // a fifth

std::string reason(const DeliveryAttempt& attempt) {
    if (!attempt.http_status) return std::string(whole_characters(storable(attempt.error), kDeliveryErrorMax));
    const int status = *attempt.http_status;
    if (status == kHttpGone) return "the receiver responded with 410 Gone: the webhook is switched off";
    if (status >= 300 && status < 400)
        return "the receiver responded with " + std::to_string(status) + ": redirects are not followed";
    return "the receiver responded with " + std::to_string(status);
}

Micros wait_before(int further_try, const DeliveryAttempt& attempt, std::uint64_t random) {
    const Micros least = kDeliveryWaits[static_cast<std::size_t>(further_try - 1)];
    const auto asked = std::min(attempt.retry_after.value_or(Micros{0}), Micros(kRetryAfterMax));
    const auto wait = std::max(least, asked);
    return wait +
           Micros{static_cast<std::int64_t>(random % static_cast<std::uint64_t>(wait.count() / kJitterPart + 1))};
}

}  // namespace

bool succeeded(const DeliveryAttempt& attempt) {
    return attempt.http_status && *attempt.http_status >= 200 && *attempt.http_status < 300;
}

model::Delivery after_attempt(model::Delivery delivery, const DeliveryAttempt& attempt, std::uint64_t random) {
    delivery.attempts += 1;
    delivery.last_try = attempt.at;
    delivery.last_http_status = attempt.http_status;
    delivery.last_error = succeeded(attempt) ? "" : reason(attempt);
    delivery.next_try.reset();
    if (succeeded(attempt)) {
        delivery.status = DeliveryStatus::delivered;
    } else if (attempt.http_status == kHttpGone || delivery.attempts >= kDeliveryAttemptsMax) {
        delivery.status = DeliveryStatus::failed;
    } else {
        delivery.status = DeliveryStatus::pending;
        delivery.next_try =
            std::max(attempt.at, attempt.ended.value_or(attempt.at)) + wait_before(delivery.attempts, attempt, random);
    }
    return delivery;
}

model::Delivery once_more(model::Delivery delivery, Instant now) {
    delivery.status = DeliveryStatus::pending;
    delivery.attempts = 0;
    delivery.next_try = now;
    return delivery;
}

}  // namespace belfry::decide
