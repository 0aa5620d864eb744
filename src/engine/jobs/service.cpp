#include "engine/jobs/service.hpp"

#include <pthread.h>

#include <string>

namespace belfry::engine {

namespace {

constexpr std::size_t kThreadNameMax = 15;  // Linux's limit

}  // namespace

void Service::start() {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Service::stop() {
    ask();
    if (thread_.joinable()) thread_.join();
}

void Service::run(const std::stop_token& stop) {
    const auto name = std::string(worker_.name()).substr(0, kThreadNameMax);
    pthread_setname_np(pthread_self(), name.c_str());
    while (!stop.stop_requested()) {
        const auto wait = worker_.step();
        if (wait > Micros{0}) wakeup_.wait(wait, stop);
    }
}

}  // namespace belfry::engine
