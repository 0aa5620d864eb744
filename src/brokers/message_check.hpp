// Limits that every broker accepts: the strictest of all brokers, so that a task fits any connection. Pure.
#pragma once

#include "base/result.hpp"
#include "brokers/broker.hpp"

namespace belfry::brokers {

// The length limit of AMQP's short strings: keys, subjects and content types.
inline constexpr std::size_t kShortTextMax = 255;
// The length limit of names in AMQP tables.
inline constexpr std::size_t kHeaderNameMax = 128;
// All headers together: AMQP puts them into one frame of 128 KiB.
inline constexpr std::size_t kHeaderBytesMax = 32'768;

// `invalid_argument` for a message that a broker would reject or misinterpret.
[[nodiscard]] Result<void> check_message(const Message& message);

}  // namespace belfry::brokers
