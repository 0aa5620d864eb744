#include "decide/run/delivery.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace belfry::decide::delivery_test {
namespace {

using model::Delivery;
using model::DeliveryStatus;

const Instant kNow = parse_instant("2026-06-01T10:00:00Z").value();

Delivery pending() { return {.webhook_id = "w", .next_try = kNow}; }

DeliveryAttempt answered(int status) { return {.at = kNow, .http_status = status}; }

TEST(Delivery, IsOverAfterAnyAnswerOfSuccess) {
    for (const int status : {200, 201, 202, 204, 299}) {
        const auto after = after_attempt(pending(), answered(status), 0);
        EXPECT_EQ(after.status, DeliveryStatus::delivered);
        EXPECT_EQ(after.attempts, 1);
        EXPECT_EQ(after.last_try, kNow);
        EXPECT_EQ(after.last_http_status, status);
        EXPECT_EQ(after.last_error, "");
        EXPECT_EQ(after.next_try, std::nullopt);
    }
}

TEST(Delivery, IsTriedAgainAfterAnythingElse) {
    for (const int status : {100, 199, 300, 302, 400, 401, 404, 408, 429, 500, 503}) {
        const auto after = after_attempt(pending(), answered(status), 0);
        EXPECT_EQ(after.status, DeliveryStatus::pending) << status;
        EXPECT_EQ(after.next_try, kNow + Seconds{5}) << status;
        EXPECT_NE(after.last_error.find(std::to_string(status)), std::string::npos);
    }
    const auto silent = after_attempt(pending(), {.at = kNow, .error = "nobody accepts connections there"}, 0);
    EXPECT_EQ(silent.status, DeliveryStatus::pending);
    EXPECT_EQ(silent.last_error, "nobody accepts connections there");
    EXPECT_EQ(silent.last_http_status, std::nullopt);
    EXPECT_NE(after_attempt(pending(), answered(302), 0).last_error.find("redirects are not followed"),
              std::string::npos);
}

TEST(Delivery, WaitsLongerEachTimeAndEndsAfterAboutThreeDays) {
    auto delivery = pending();
    auto now = kNow;
    std::vector<std::int64_t> waits;
    while (delivery.status == DeliveryStatus::pending) {
        delivery = after_attempt(delivery, {.at = now, .http_status = 500}, 0);
        if (!delivery.next_try) break;
        waits.push_back(std::chrono::duration_cast<Seconds>(*delivery.next_try - now).count());
        now = *delivery.next_try;
    }
    EXPECT_EQ(waits, (std::vector<std::int64_t>{5, 30, 120, 600, 3600, 10'800, 21'600, 43'200, 86'400, 86'400}));
    EXPECT_EQ(delivery.status, DeliveryStatus::failed);
    EXPECT_EQ(delivery.attempts, kDeliveryAttemptsMax);
    EXPECT_EQ(delivery.last_error, "the receiver responded with 500");
    EXPECT_GT(now - kNow, std::chrono::hours{70});
    EXPECT_LT(now - kNow, std::chrono::hours{72});
}

TEST(Delivery, WhatFailedTogetherDoesNotComeBackTogether) {
    const auto wait = [](std::uint64_t random) {
        return *after_attempt(pending(), answered(500), random).next_try - kNow;
    };
    EXPECT_EQ(wait(0), Seconds{5});
    EXPECT_NE(wait(12'345), wait(54'321));
    for (const std::uint64_t random :
         {std::uint64_t{1}, std::uint64_t{999'999'999}, std::numeric_limits<std::uint64_t>::max()}) {
        EXPECT_GE(wait(random), Seconds{5});
        EXPECT_LE(wait(random), Seconds{6});
    }
}

TEST(Delivery, WaitsAsLongAsTheReceiverAsksWithinBounds) {
    const auto wait = [](Micros asked) {
        return *after_attempt(pending(), {.at = kNow, .http_status = 429, .retry_after = asked}, 0).next_try - kNow;
    };
    EXPECT_EQ(wait(Seconds{90}), Seconds{90});
    EXPECT_EQ(wait(Seconds{1}), Seconds{5}) << "never sooner than the table";
    EXPECT_EQ(wait(std::chrono::days{30}), kRetryAfterMax);
}

TEST(Delivery, IsOverWhenTheReceiverIsGone) {
    const auto after = after_attempt(pending(), answered(410), 0);
    EXPECT_EQ(after.status, DeliveryStatus::failed);
    EXPECT_EQ(after.attempts, 1);
    EXPECT_NE(after.last_error.find("switched off"), std::string::npos);
}

TEST(Delivery, KeepsABoundedAndStorableReason) {
    const auto after =
        after_attempt(pending(), {.at = kNow, .error = std::string("\0", 1) + std::string(10'000, 'x')}, 0);
    EXPECT_LE(after.last_error.size(), kDeliveryErrorMax);
    EXPECT_EQ(after.last_error.find('\0'), std::string::npos);
}

TEST(Delivery, BeginsAnewWhenSomebodyAsks) {
    auto failed = after_attempt(pending(), answered(410), 0);
    failed = once_more(failed, kNow + Seconds{60});
    EXPECT_EQ(failed.status, DeliveryStatus::pending);
    EXPECT_EQ(failed.attempts, 0);
    EXPECT_EQ(failed.next_try, kNow + Seconds{60});
    EXPECT_EQ(failed.last_http_status, 410) << "what came of it before is still to be seen";
}

}  // namespace
}  // namespace belfry::decide::delivery_test
