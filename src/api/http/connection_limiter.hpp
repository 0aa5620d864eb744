// Limits the number of open connections. Not thread-safe: one thread accepts and closes them.
//
//   - At most `connections_max` in all, and at most `per_address` from one client address.
//   - At a limit, the server closes the connection that has waited longest for its client, with no request in progress.
//     At the limit of an address, it closes one of that address.
//   - If none can be closed, the server accepts a few more for probes only, so that it still reports its health.
//     Among those, it closes connections in the same manner.
//
// So idle connections keep no client out. Every operation takes constant time.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <string>
#include <unordered_map>

namespace belfry::api {

class ConnectionLimiter {
    struct Address;
    using ByAge = boost::intrusive::list_base_hook<boost::intrusive::tag<struct ByAgeTag>,
                                                   boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
    using ByAddress = boost::intrusive::list_base_hook<boost::intrusive::tag<struct ByAddressTag>,
                                                       boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

public:
    struct Limits {
        std::size_t connections_max = 1'000;
        std::size_t per_address = 500;
        std::size_t probe_reserve = 16;
    };
    enum class Admission : std::uint8_t { admitted, probes_only, refused };

    class Connection : public ByAge, public ByAddress {
    public:
        virtual ~Connection() = default;
        // Must remove the connection from the limiter.
        virtual void close() = 0;

    private:
        friend class ConnectionLimiter;
        Admission admission_ = Admission::refused;  // until it is added, and after it is removed
        Address* address_ = nullptr;
    };

    explicit ConnectionLimiter(Limits limits) : limits_(limits) {}

    // Decides how to admit a new connection from that address. May close another one.
    [[nodiscard]] Admission admit(const std::string& address);

    // REQUIRES: the connection was admitted as this, and is removed before it is destroyed.
    void add(Connection& connection, const std::string& address, Admission as);
    void remove(Connection& connection);  // repeated calls have no effect

    // The connection now waits for its client: it may be closed, after all that already wait.
    void wait_for_client(Connection& connection);
    // The connection is in use and may not be closed.
    void begin_work(Connection& connection);

private:
    using Ages = boost::intrusive::list<Connection, boost::intrusive::base_hook<ByAge>,
                                        boost::intrusive::constant_time_size<false>>;
    using AddressAges = boost::intrusive::list<Connection, boost::intrusive::base_hook<ByAddress>,
                                               boost::intrusive::constant_time_size<false>>;
    struct Address {
        std::string name;
        std::size_t connections = 0;
        AddressAges waiting = {};  // the longest first
    };

    [[nodiscard]] Admission admit_to_reserve();

    const Limits limits_;
    std::size_t connections_ = 0;
    std::size_t reserved_ = 0;
    Ages waiting_;           // the longest first
    Ages reserved_waiting_;  // of those for probes only
    std::unordered_map<std::string, Address> addresses_;
};

}  // namespace belfry::api
