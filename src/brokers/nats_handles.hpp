// Owning handles for the objects of the NATS library, and functions to connect and to ensure that the stream exists.
#pragma once

#include <nats/nats.h>

#include <memory>

#include "base/result.hpp"
#include "brokers/connection_options.hpp"
#include "brokers/deadline.hpp"

namespace belfry::brokers {

template <typename T, void (*destroy)(T*)>
struct DestroyWith {
    void operator()(T* each) const { destroy(each); }
};

using NatsConnection = std::unique_ptr<natsConnection, DestroyWith<natsConnection, natsConnection_Destroy>>;
using NatsSubscription = std::unique_ptr<natsSubscription, DestroyWith<natsSubscription, natsSubscription_Destroy>>;
using NatsMessage = std::unique_ptr<natsMsg, DestroyWith<natsMsg, natsMsg_Destroy>>;
using JetStream = std::unique_ptr<jsCtx, DestroyWith<jsCtx, jsCtx_Destroy>>;

[[nodiscard]] Error nats_failure(natsStatus status);
[[nodiscard]] Result<NatsConnection> connect_nats(const ConnectionOptions& options, const Deadline& deadline);
// Looks up the stream, and creates it if it is missing and `create` is set.
[[nodiscard]] Result<void> ensure_stream(natsConnection* connection, const NatsOptions& options,
                                         const Deadline& deadline);

}  // namespace belfry::brokers
