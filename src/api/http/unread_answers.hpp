// The memory of responses that clients have not read yet. Not thread-safe: one thread writes all responses.
//
// When the limit is reached, the server takes the tenant that holds the most bytes and closes the connection on which
// that tenant's oldest response waits. A client that reads is done within milliseconds, so the oldest response belongs
// to a client that does not read. The server never replaces a response by an error here, because the request may have
// had an effect already.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <string>
#include <unordered_map>
#include <utility>

namespace belfry::api {

class UnreadAnswers {
    struct Unread;
    struct Tenant;

public:
    // Called with the tenant whose connection is closed to make room.
    using OnClose = std::function<void(const std::string& tenant)>;

    explicit UnreadAnswers(std::size_t bytes_max, OnClose on_close = {})
        : bytes_max_(bytes_max), on_close_(std::move(on_close)) {}

    // Counts a response until the hold is destroyed. Must not outlive the counter.
    class Hold {
    public:
        Hold() = default;
        Hold(Hold&& other) noexcept { *this = std::move(other); }
        Hold& operator=(Hold&& other) noexcept;
        ~Hold() { release(); }
        void release();

    private:
        friend class UnreadAnswers;
        UnreadAnswers* counter_ = nullptr;
        Tenant* tenant_ = nullptr;
        std::list<Unread>::iterator place_ = {};
    };

    // May close other connections first. `close` must release the returned hold.
    [[nodiscard]] Hold add(const std::string& tenant, std::size_t bytes, std::function<void()> close);

    [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
    struct Unread {
        std::size_t bytes;
        std::function<void()> close;
    };
    struct Tenant {
        std::string name;
        std::size_t bytes = 0;
        std::list<Unread> oldest_first = {};
    };

    void close_one(const std::string& tenant, std::size_t more);

    const std::size_t bytes_max_;
    const OnClose on_close_;
    std::size_t bytes_ = 0;
    std::unordered_map<std::string, Tenant> tenants_;  // those with unread responses
};

}  // namespace belfry::api
