// The current state of every connection: whether it works, and the results of its deliveries. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/concurrency/mutex.hpp"
#include "engine/outgoing/connection.hpp"

namespace belfry::engine {

// The result of a delivery attempt.
enum class HandOver : std::uint8_t { acknowledged, refused, expired, unavailable };
inline constexpr std::array kHandOvers{HandOver::acknowledged, HandOver::refused, HandOver::expired,
                                       HandOver::unavailable};
[[nodiscard]] std::string_view name_of(HandOver outcome);

struct ConnectionReading {
    std::string name;
    std::string kind;
    std::string place;
    bool callbacks = false;
    std::optional<Instant> unavailable_since = {};
    std::string last_error = {};  // of the connection, kept after it recovers
    std::optional<Instant> last_handed_over = {};
    std::int64_t in_flight = 0;  // claimed by this server and not yet acknowledged
    std::map<HandOver, std::int64_t> outcomes = {};
};

class ConnectionStats {
public:
    explicit ConnectionStats(const Connections& connections);

    void count(const std::string& connection, HandOver outcome, std::int64_t tasks = 1);
    void handed_over(const std::string& connection, Instant at, std::int64_t tasks = 1);
    void works(const std::string& connection);
    void fails(const std::string& connection, const std::string& error, Instant at);
    void in_flight(const std::string& connection, std::int64_t tasks);
    void add_in_flight(const std::string& connection, std::int64_t more);

    [[nodiscard]] std::vector<ConnectionReading> read() const;  // by name

private:
    mutable Mutex mutex_;
    std::map<std::string, ConnectionReading> entries_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry::engine
