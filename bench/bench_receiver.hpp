// A webhook receiver on loopback for benchmarks. It responds 204 to every request and keeps connections open.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <thread>

#include "base/concurrency/mutex.hpp"
#include "base/process/descriptor.hpp"
#include "base/result.hpp"

namespace belfry::bench {

class BenchReceiver {
public:
    BenchReceiver() = default;
    ~BenchReceiver();
    BenchReceiver(const BenchReceiver&) = delete;
    BenchReceiver& operator=(const BenchReceiver&) = delete;

    [[nodiscard]] Result<void> listen();
    [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

private:
    struct Link {
        Descriptor socket;
        std::jthread thread;
    };
    void accept_all();
    static void answer_all(int socket);

    Descriptor listener_;
    std::uint16_t port_ = 0;
    Mutex mutex_;
    std::list<Link> links_ BELFRY_GUARDED_BY(mutex_);
    std::jthread thread_;  // last, because it uses all other members
};

}  // namespace belfry::bench
