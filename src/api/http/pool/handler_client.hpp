// The client for whom a request waits in the handler queue. Pure.
#pragma once

#include <string>

#include "api/http/message.hpp"
#include "api/http/pool/handler_queue.hpp"

namespace belfry::api {

// `network` is the client's. A client that invents tenants gets more turns, but only for responses that cost nothing.
[[nodiscard]] HandlerQueue::Client client_of(const std::string& network, const Request& request);

}  // namespace belfry::api
