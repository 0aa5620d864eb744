// What every broker can carry: the narrowest of their limits, so that a task fits wherever it is handed over. Pure.
#pragma once

#include "base/result.hpp"
#include "brokers/broker.hpp"

namespace belfry::brokers {

// AMQP's short strings: keys, subjects and content types.
inline constexpr std::size_t kShortTextMax = 255;
// AMQP's names in tables.
inline constexpr std::size_t kHeaderNameMax = 128;
// All headers together: in AMQP they have to fit into one frame, which is 128 KiB.
inline constexpr std::size_t kHeaderBytesMax = 32'768;

// `invalid_argument` for what a broker would refuse, or would read as something else than it was meant.
[[nodiscard]] Result<void> check_message(const Message& message);

}  // namespace belfry::brokers
