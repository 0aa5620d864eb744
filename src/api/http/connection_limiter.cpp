#include "api/http/connection_limiter.hpp"

#include <cassert>

namespace belfry::api {

namespace {

// Closes the connection that has waited longest. Returns whether there was one.
template <typename Waiting>
bool close_longest(Waiting& waiting) {
    if (waiting.empty()) return false;
    waiting.front().close();
    return true;
}

}  // namespace

ConnectionLimiter::Admission ConnectionLimiter::admit(const std::string& address) {
    const auto found = addresses_.find(address);
    if (found != addresses_.end() && found->second.connections >= limits_.per_address) {
        return close_longest(found->second.waiting) ? Admission::admitted : admit_to_reserve();
    }
    if (connections_ >= limits_.connections_max && !close_longest(waiting_)) return admit_to_reserve();
    return Admission::admitted;
}

ConnectionLimiter::Admission ConnectionLimiter::admit_to_reserve() {
    if (reserved_ >= limits_.probe_reserve && !close_longest(reserved_waiting_)) return Admission::refused;
    return Admission::probes_only;
}

void ConnectionLimiter::add(Connection& connection, const std::string& address, Admission as) {
    assert(as != Admission::refused && connection.admission_ == Admission::refused);
    connection.admission_ = as;
    if (as == Admission::probes_only) {
        reserved_ += 1;
        return;
    }
    connections_ += 1;
    auto& entry = addresses_.try_emplace(address, Address{.name = address}).first->second;
    entry.connections += 1;
    connection.address_ = &entry;
}

void ConnectionLimiter::remove(Connection& connection) {
    if (connection.admission_ == Admission::refused) return;
    begin_work(connection);
    (connection.admission_ == Admission::probes_only ? reserved_ : connections_) -= 1;
    connection.admission_ = Admission::refused;
    auto* const address = connection.address_;
    connection.address_ = nullptr;
    if (address == nullptr || --address->connections > 0) return;
    const auto name = std::move(address->name);
    addresses_.erase(name);
}

void ConnectionLimiter::wait_for_client(Connection& connection) {
    begin_work(connection);
    if (connection.admission_ == Admission::refused) return;
    (connection.address_ == nullptr ? reserved_waiting_ : waiting_).push_back(connection);
    if (connection.address_ != nullptr) connection.address_->waiting.push_back(connection);
}

void ConnectionLimiter::begin_work(Connection& connection) {
    connection.ByAge::unlink();
    connection.ByAddress::unlink();
}

}  // namespace belfry::api
