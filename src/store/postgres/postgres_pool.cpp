#include "store/postgres/postgres_pool.hpp"

#include "base/concurrency/client_thread.hpp"

namespace belfry::store::postgres {

Lease::~Lease() {
    if (connection_) pool_->give_back(std::move(connection_), for_client_);
}

bool Pool::has_none_for(bool client) const {
    if (client && clients_ >= options_.connections_max - kept_for_engine(options_.connections_max)) return true;
    return idle_.empty() && count_ >= options_.connections_max;
}

Result<Lease> Pool::take() {
    if (!address_) return address_.error();
    const auto deadline = Clock::now() + options_.connect_timeout;
    const bool client = serves_clients;
    while (true) {
        std::unique_ptr<Connection> found;
        {
            const MutexLock lock(mutex_);
            while (has_none_for(client)) {
                if (freed_.wait_until(mutex_, deadline) == std::cv_status::timeout && has_none_for(client)) {
                    return Error{ErrorCode::unavailable, "all connections are in use"};
                }
            }
            if (!idle_.empty()) {
                found = std::move(idle_.back());
                idle_.pop_back();
            } else {
                if (Clock::now() < retry_at_) return last_failure_;
                ++count_;
            }
            clients_ += client ? 1 : 0;
        }
        // Network access from here on, without the lock: the slot is already reserved.
        if (!found) return open(client);
        if (found->reusable()) return Lease(*this, std::move(found), true, client);
        found.reset();
        one_less(client);
    }
}

Result<Lease> Pool::open(bool for_client) {
    const auto began = Clock::now();
    auto opened = Connection::open(*address_, options_);
    if (opened) {
        const MutexLock lock(mutex_);
        backoff_.reset();
        retry_at_ = {};
        return Lease(*this, std::move(*opened), false, for_client);
    }
    {
        const MutexLock lock(mutex_);
        // Several threads that failed at the same time count as one failure.
        if (began >= failed_at_) retry_at_ = Clock::now() + backoff_.next();
        failed_at_ = Clock::now();
        last_failure_ = opened.error();
    }
    one_less(for_client);
    return opened.error();
}

void Pool::give_back(std::unique_ptr<Connection> connection, bool for_client) {
    if (!connection->reusable()) {
        connection.reset();
        return one_less(for_client);
    }
    {
        const MutexLock lock(mutex_);
        idle_.push_back(std::move(connection));
        clients_ -= for_client ? 1 : 0;
    }
    freed_.notify_all();  // a single woken thread might not be allowed to take it
}

void Pool::forget_idle() {
    std::vector<std::unique_ptr<Connection>> forgotten;
    {
        const MutexLock lock(mutex_);
        forgotten.swap(idle_);
        count_ -= static_cast<int>(forgotten.size());
    }
    freed_.notify_all();
}

void Pool::one_less(bool for_client) {
    {
        const MutexLock lock(mutex_);
        --count_;
        clients_ -= for_client ? 1 : 0;
    }
    freed_.notify_all();
}

}  // namespace belfry::store::postgres
