// An HTTP client that calls nobody: a test answers, and looks at what was sent. Thread-safe.
#pragma once

#include <functional>
#include <vector>

#include "base/concurrency/mutex.hpp"
#include "base/net/http_client.hpp"

namespace belfry::test {

class FakeHttp final : public HttpClient {
public:
    using Answer = std::function<Result<HttpAnswer>(const HttpCall&)>;
    explicit FakeHttp(Answer answer) : answer_(std::move(answer)) {}
    explicit FakeHttp(int status = 204) : answer_([status](const HttpCall&) { return HttpAnswer{.status = status}; }) {}

    Result<HttpAnswer> send(const HttpCall& call) override {
        Answer answer;
        {
            const MutexLock lock(mutex_);
            calls_.push_back(call);
            answer = answer_;
        }
        return answer(call);
    }
    Result<void> check(const Url& url) const override {
        if (url.address && kind_of(*url.address) != AddressKind::public_)
            return Error{ErrorCode::forbidden, "the address is not public"};
        return {};
    }

    void answer(Answer answer) {
        const MutexLock lock(mutex_);
        answer_ = std::move(answer);
    }
    void answer(int status) {
        answer([status](const HttpCall&) { return HttpAnswer{.status = status}; });
    }
    std::vector<HttpCall> take() {
        const MutexLock lock(mutex_);
        return std::exchange(calls_, {});
    }

private:
    Mutex mutex_;
    Answer answer_ BELFRY_GUARDED_BY(mutex_);
    std::vector<HttpCall> calls_ BELFRY_GUARDED_BY(mutex_);
};

[[nodiscard]] inline std::string header_of(const HttpCall& call, std::string_view name) {
    for (const auto& header : call.own_headers) {
        if (header.first == name) return header.second;
    }
    return "";
}

}  // namespace belfry::test
