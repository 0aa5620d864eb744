// Processes every request on a handler's thread, around the handler: adds an id, turns exceptions into a 500,
// compresses text, and adds the headers that keep browsers from guessing types and caching. Thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <random>

#include "api/contract/problem.hpp"
#include "api/http/message.hpp"
#include "base/concurrency/grouped_share.hpp"
#include "base/crypto/uuid.hpp"
#include "base/time/instant.hpp"

namespace belfry::api {

// Called once for every response, on the thread that produced it, before it is sent. Must be thread-safe and quick.
using AnswerHook = std::function<void(const Request&, const Response&, Micros took)>;

// Called with every response in the format of problem.hpp. May write it in the format of the clients of the path, which
// is empty for input that never became a request.
using ProblemHook = std::function<void(std::string_view path, Response&)>;

struct ResponsePipelineOptions {
    bool secure = false;  // over TLS: adds Strict-Transport-Security
    // Shared fairly between tenants, and inside a tenant between its callers.
    std::size_t streams_max = 0;
    std::size_t waits_max = 0;
    AnswerHook on_answer = {};
    ProblemHook on_problem = {};
    HeadCheck check_head = {};  // none: the body of every request is read
};

class ResponsePipeline {
public:
    ResponsePipeline(Handler handler, ResponsePipelineOptions options);

    [[nodiscard]] bool checks_heads() const { return static_cast<bool>(options_.check_head); }

    // Returns the response to a request that is rejected by its head. Otherwise returns nothing, and the request
    // carries the result of the check.
    [[nodiscard]] std::optional<Response> check_head(Request& request);

    // Adds an X-Request-Id when the request has none, and drops an invalid traceparent. A stream holds a place until
    // its `next_chunk` is destroyed; without a free place it is rejected. The same holds for a deferred response: the
    // result of its `poll` is completed and reported like any other, with the time that handlers took and without the
    // time that it waited.
    [[nodiscard]] Response answer(Request& request);

    // For input that never became a request. `path` is empty if it is not known.
    [[nodiscard]] Response refuse(const Problem& problem, const std::string& peer, std::string_view path = {});

private:
    [[nodiscard]] Response ask_handler(const Request& request) const;
    void name(Request& request);
    void admit_stream(const Request& request, Response& response);
    void admit_wait(Response& response, Micros took);
    void format_problem(std::string_view path, Response& response) const;
    void complete(const Request& request, Response& response, Micros took) const;
    void add_standard_headers(Response& response, std::string request_id) const;
    [[nodiscard]] std::string new_id();

    Handler handler_;
    ResponsePipelineOptions options_;
    // Request ids need not be hard to guess, and every request needs one.
    UuidMaker ids_{[generator = std::mt19937_64(system_random())]() mutable { return generator(); }};
    GroupedPlaces streams_;
    GroupedPlaces waits_;
};

}  // namespace belfry::api
