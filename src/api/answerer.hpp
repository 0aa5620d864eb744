// What becomes of a request on a handler's thread, whatever the handler is: it gets an id, what the handler throws becomes a 500, a
// text is compressed, and every answer carries what keeps browsers from guessing and storing. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <random>

#include "api/message.hpp"
#include "api/problem.hpp"
#include "base/instant.hpp"
#include "base/uuid.hpp"

namespace belfry::api {

// Told about every answer, on the thread that made it, before it is sent.
using AnswerHook = std::function<void(const Request&, const Response&, Micros took)>;

struct AnswererOptions {
    bool secure = false;  // over TLS: browsers are told to stay with it
    std::size_t streams_max = 0;
    std::size_t waits_max = 0;
    AnswerHook on_answer = {};
};

class Answerer {
public:
    Answerer(Handler handler, AnswererOptions options);

    // The request gets an X-Request-Id when it has none, and loses a traceparent that is none. An answer without an end holds one of the
    // places for such until its `more` is destroyed; when all are taken it is refused. The same holds for one that comes later: what its
    // `again` answers is dressed and told about as any other, with the time that handlers took for it and without the time it waited.
    [[nodiscard]] Response answer(Request& request);

    // For what never became a request.
    [[nodiscard]] Response refuse(const Problem& problem, const std::string& peer);

private:
    [[nodiscard]] Response ask_handler(const Request& request) const;
    void admit_stream(const Request& request, Response& response);
    void admit_wait(Response& response, Micros took);
    void complete(const Request& request, Response& response, Micros took) const;
    void dress(Response& response, std::string request_id) const;
    [[nodiscard]] std::string new_id();

    Handler handler_;
    AnswererOptions options_;
    // Ids of requests need not be hard to guess, and there is one for every request.
    UuidMaker ids_{[generator = std::mt19937_64(system_random())]() mutable { return generator(); }};
    using Places = std::shared_ptr<std::atomic<std::size_t>>;
    Places streams_ = std::make_shared<std::atomic<std::size_t>>(0);
    Places waits_ = std::make_shared<std::atomic<std::size_t>>(0);
};

}  // namespace belfry::api
