// A receiver of webhooks on loopback that answers 204 to everything and keeps connections open, for measurements.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <thread>

#include "base/descriptor.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"

namespace belfry::app {

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
    std::jthread thread_;  // last: it uses all the others
};

}  // namespace belfry::app
