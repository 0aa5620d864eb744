#include "engine/outgoing/connection_stats.hpp"

namespace belfry::engine {

std::string_view name_of(HandOver outcome) {
    switch (outcome) {
        case HandOver::acknowledged: return "acknowledged";
        case HandOver::refused: return "refused";
        case HandOver::expired: return "expired";
        case HandOver::unavailable: return "unavailable";
    }
    return "";
}

ConnectionStats::ConnectionStats(const Connections& connections) {
    const MutexLock lock(mutex_);
    for (const auto& [name, connection] : connections) {
        entries_[name] = {
            .name = name, .kind = connection.kind, .place = connection.place, .callbacks = connection.callbacks};
    }
}

void ConnectionStats::count(const std::string& connection, HandOver outcome, std::int64_t tasks) {
    const MutexLock lock(mutex_);
    entries_[connection].outcomes[outcome] += tasks;
}

void ConnectionStats::handed_over(const std::string& connection, Instant at, std::int64_t tasks) {
    const MutexLock lock(mutex_);
    auto& entry = entries_[connection];
    entry.outcomes[HandOver::acknowledged] += tasks;
    entry.last_handed_over = at;
    entry.unavailable_since.reset();
}

void ConnectionStats::works(const std::string& connection) {
    const MutexLock lock(mutex_);
    entries_[connection].unavailable_since.reset();
}

void ConnectionStats::fails(const std::string& connection, const std::string& error, Instant at) {
    const MutexLock lock(mutex_);
    auto& entry = entries_[connection];
    entry.last_error = error;
    if (!entry.unavailable_since) entry.unavailable_since = at;
}

void ConnectionStats::in_flight(const std::string& connection, std::int64_t tasks) {
    const MutexLock lock(mutex_);
    entries_[connection].in_flight = tasks;
}

void ConnectionStats::add_in_flight(const std::string& connection, std::int64_t more) {
    const MutexLock lock(mutex_);
    entries_[connection].in_flight += more;
}

std::vector<ConnectionReading> ConnectionStats::read() const {
    const MutexLock lock(mutex_);
    std::vector<ConnectionReading> all;
    for (const auto& [name, entry] : entries_) all.push_back(entry);
    return all;
}

}  // namespace belfry::engine
