// The kinds of read_all.
#pragma once

#include "brokers/reading.hpp"

namespace belfry::test {

[[nodiscard]] std::vector<Arrived> read_redis(const brokers::ConnectionOptions& options, const std::string& subject);
[[nodiscard]] std::vector<Arrived> read_rabbitmq(const brokers::ConnectionOptions& options, const std::string& subject);
[[nodiscard]] std::vector<Arrived> read_nats(const brokers::ConnectionOptions& options, const std::string& subject);

}  // namespace belfry::test
