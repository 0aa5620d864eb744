// A request that depends on a call to another machine (base/concurrency/pending.hpp). No thread waits for that call:
// the request becomes a deferred response, and the server handles it again when the call has ended.
#pragma once

#include "api/http/message.hpp"
#include "base/concurrency/pending.hpp"

namespace belfry::api {

// Returns a deferred response: the result of `handle` after the call has ended. If that takes too long, or the server
// shuts down, `handle` runs at once. REQUIRES: everything that `handle` uses outlives the response.
[[nodiscard]] Response handle_when_ready(Pending pending, Handler handle);

}  // namespace belfry::api
