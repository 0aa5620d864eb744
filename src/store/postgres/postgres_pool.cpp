#include "store/postgres/postgres_pool.hpp"

namespace belfry::store::postgres {

Lease::~Lease() {
    if (connection_) pool_->give_back(std::move(connection_));
}

Result<Lease> Pool::take() {
    if (!address_) return address_.error();
    const auto deadline = Clock::now() + options_.connect_timeout;
    while (true) {
        std::unique_ptr<Connection> found;
        {
            const MutexLock lock(mutex_);
            while (idle_.empty() && count_ >= options_.connections_max) {
                if (freed_.wait_until(mutex_, deadline) == std::cv_status::timeout && idle_.empty() && count_ >= options_.connections_max) {
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
        }
        // What follows talks to the network and needs no lock: the place is ours already.
        if (!found) return open();
        if (found->reusable()) return Lease(*this, std::move(found), true);
        found.reset();
        one_less();
    }
}

Result<Lease> Pool::open() {
    const auto began = Clock::now();
    auto opened = Connection::open(*address_, options_);
    if (opened) {
        const MutexLock lock(mutex_);
        backoff_.reset();
        retry_at_ = {};
        return Lease(*this, std::move(*opened), false);
    }
    {
        const MutexLock lock(mutex_);
        // Several threads that failed together are one failure.
        if (began >= failed_at_) retry_at_ = Clock::now() + backoff_.next();
        failed_at_ = Clock::now();
        last_failure_ = opened.error();
    }
    one_less();
    return opened.error();
}

void Pool::give_back(std::unique_ptr<Connection> connection) {
    if (!connection->reusable()) {
        connection.reset();
        return one_less();
    }
    {
        const MutexLock lock(mutex_);
        idle_.push_back(std::move(connection));
    }
    freed_.notify_one();
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

void Pool::one_less() {
    {
        const MutexLock lock(mutex_);
        --count_;
    }
    freed_.notify_one();
}

}  // namespace belfry::store::postgres
