// A broker for tests: a real server in a temporary folder, on a free port of loopback. It ends with this object or with
// the process, even when that is killed. tests/support/servers/brokers.py is what starts and watches it; what cannot be
// set up ends the program.
#pragma once

#include <cstdio>
#include <string>

#include "brokers/connection_options.hpp"

namespace belfry::test {

enum class Tls : bool { off, on };

class PrivateBroker {
public:
    explicit PrivateBroker(brokers::BrokerKind kind, Tls tls = Tls::off);
    ~PrivateBroker();
    PrivateBroker(const PrivateBroker&) = delete;
    PrivateBroker& operator=(const PrivateBroker&) = delete;

    // With user and password.
    [[nodiscard]] const std::string& url() const { return url_; }

    // With TLS: the PEM file of the authority that says that it is `localhost`.
    [[nodiscard]] const std::string& authority() const { return authority_; }

    void kill() { order("kill"); }    // as a crash does
    void start() { order("start"); }  // again, where it was; it answers when this returns
    void freeze() { order("freeze"); }
    void thaw() { order("thaw"); }
    void starve() { order("starve"); }  // RabbitMQ: short of memory, so that it takes no messages
    void feed() { order("feed"); }

private:
    void order(const std::string& what);
    [[nodiscard]] std::string line();

    FILE* to_ = nullptr;
    FILE* from_ = nullptr;
    std::string url_;
    std::string authority_;
};

// One for the whole process, started when it is asked for the first time. Not thread-safe. Whoever kills or freezes it
// brings it back.
[[nodiscard]] PrivateBroker& shared_broker(brokers::BrokerKind kind);

}  // namespace belfry::test
