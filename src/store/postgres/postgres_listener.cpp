#include "store/postgres/postgres_listener.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <memory>

#include "base/crypto/uuid.hpp"
#include "base/time/backoff.hpp"
#include "store/postgres/postgres_channel.hpp"

namespace belfry::store::postgres {

namespace {

struct FreeNotification {
    void operator()(PGnotify* notification) const { PQfreemem(notification); }
};

constexpr std::chrono::milliseconds kForEver{-1};

// Own notifications that have not come back. More than these were lost with their connections.
constexpr std::size_t kSentMax = 1'000;

}  // namespace

Listener::Listener(Address address, sql::PostgresOptions options, Callback callback)
    : address_(std::move(address)),
      options_(std::move(options)),
      callback_(std::move(callback)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this](const std::stop_token& stop) { listen_until_stopped(stop); }) {
    pthread_setname_np(thread_.native_handle(), "belfry-listen");
    tried_once_.get_future().wait_for(options_.connect_timeout);
}

Listener::~Listener() {
    thread_.request_stop();
    eventfd_write(wake_, 1);
    thread_.join();
    close(wake_);
}

void Listener::listen_until_stopped(const std::stop_token& stop) {
    Backoff backoff(&system_random);
    for (bool first = true; !stop.stop_requested(); first = false) {
        auto connection = Connection::open(address_, options_);
        const auto patience = options_.connect_timeout;
        const bool listens =
            connection && (*connection)->execute("LISTEN " + std::string(kChannel), "listen", patience);
        if (first) tried_once_.set_value();
        if (listens) {
            backoff.reset();
            if (!stop.stop_requested()) callback_({});
            deliver_until_lost(**connection, stop);
        }
        connection = Error{};  // closes it before a wait that may be long
        pause(std::chrono::ceil<std::chrono::milliseconds>(backoff.next()), stop);
    }
}

void Listener::deliver_until_lost(Connection& connection, const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        // First the notifications that came with the response to LISTEN, then new ones.
        while (!stop.stop_requested()) {
            const std::unique_ptr<PGnotify, FreeNotification> notification(PQnotifies(connection.handle()));
            if (!notification) break;
            if (!is_own(*notification)) callback_(notification->extra);
        }
        deliver_own();
        if (stop.stop_requested()) return;  // the wake-up may have been for this
        if (wait(PQsocket(connection.handle()), kForEver) && PQconsumeInput(connection.handle()) == 0) return;
    }
}

// Delivers own notifications meanwhile.
void Listener::pause(std::chrono::milliseconds time, const std::stop_token& stop) {
    const auto until = std::chrono::steady_clock::now() + time;
    for (auto left = time; left.count() > 0;
         left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now())) {
        deliver_own();
        if (stop.stop_requested()) return;
        (void)wait(-1, left);
    }
}

void Listener::deliver(int server_process, const std::vector<std::string>& texts) {
    {
        const MutexLock lock(mutex_);
        if (sent_.size() + texts.size() > kSentMax) sent_.clear();
        for (const auto& text : texts) {
            own_.push_back(text);
            ++sent_[{server_process, text}];
        }
    }
    eventfd_write(wake_, 1);
}

void Listener::deliver_own() {
    eventfd_t woken = 0;
    eventfd_read(wake_, &woken);
    std::vector<std::string> own;
    {
        const MutexLock lock(mutex_);
        own.swap(own_);
    }
    for (const auto& text : own) callback_(text);
}

bool Listener::is_own(const PGnotify& notification) {
    const MutexLock lock(mutex_);
    const auto found = sent_.find({notification.be_pid, notification.extra});
    if (found == sent_.end()) return false;
    if (--found->second == 0) sent_.erase(found);
    return true;
}

bool Listener::wait(int socket, std::chrono::milliseconds time) const {
    pollfd sources[] = {{wake_, POLLIN, 0}, {socket, POLLIN, 0}};  // poll skips a negative one
    return poll(sources, 2, static_cast<int>(time.count())) > 0 && sources[1].revents != 0;
}

}  // namespace belfry::store::postgres
