#include "support/servers/private_broker.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>

namespace belfry::test {

namespace {

[[noreturn]] void give_up(const std::string& why) {
    std::fprintf(stderr, "a broker for tests: %s\n", why.c_str());
    std::exit(EXIT_FAILURE);
}

struct Pipe {
    int read = -1;
    int write = -1;
};

Pipe new_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) give_up("no pipe");
    return {ends[0], ends[1]};
}

}  // namespace

// In a session of its own, so that Ctrl-C or whoever ends our group leaves it to see our end and to tidy up.
PrivateBroker::PrivateBroker(brokers::BrokerKind kind, Tls tls) {
    const auto orders = new_pipe();
    const auto answers = new_pipe();
    std::string python = "python3";
    std::string without_caches = "-B";
    std::string script = BELFRY_SOURCE_DIR "/tests/support/servers/brokers.py";
    std::string name(brokers::name_of(kind));
    std::string with_tls = "--tls";
    char* const arguments[] = {
        python.data(), without_caches.data(), script.data(), name.data(), tls == Tls::on ? with_tls.data() : nullptr,
        nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, orders.read, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, answers.write, STDOUT_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    pid_t pid = -1;
    if (posix_spawnp(&pid, "python3", &actions, &attributes, arguments, environ) != 0) give_up("no python3");
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(orders.read);
    close(answers.write);
    to_ = fdopen(orders.write, "w");
    from_ = fdopen(answers.read, "r");
    url_ = line();
    if (tls == Tls::on) authority_ = line();
}

PrivateBroker::~PrivateBroker() {
    std::fclose(to_);
    while (std::fgetc(from_) != EOF) continue;  // it says nothing more, and then it is done
    std::fclose(from_);
}

std::string PrivateBroker::line() {
    std::string text;
    for (int c = std::fgetc(from_); c != '\n'; c = std::fgetc(from_)) {
        if (c == EOF) give_up("it is gone: " + text);
        text += static_cast<char>(c);
    }
    return text;
}

void PrivateBroker::order(const std::string& what) {
    if (std::fputs((what + "\n").c_str(), to_) == EOF || std::fflush(to_) != 0) give_up("it takes no orders");
    if (const auto answer = line(); answer != "ok") give_up(what + ": " + answer);
}

PrivateBroker& shared_broker(brokers::BrokerKind kind) {
    static std::array<std::unique_ptr<PrivateBroker>, 3> all;
    auto& broker = all.at(static_cast<std::size_t>(kind));
    if (!broker) broker = std::make_unique<PrivateBroker>(kind);
    return *broker;
}

}  // namespace belfry::test
