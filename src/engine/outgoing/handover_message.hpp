// A task as a message: one JSON object, the same for every kind of connection. docs/guide/hand-over.md describes each
// member.
//
// A receiver that starts whole workflows finds workflow_id, version, user_id, scheduled_for and idempotency_key at
// the top, and most of them again in `meta`, beside the source, in the form that an executor expects.
#pragma once

#include "base/crypto/sealing.hpp"
#include "brokers/broker.hpp"
#include "engine/outgoing/connection.hpp"
#include "model/run/task.hpp"

namespace belfry::engine {

// With callbacks, the message has the path and the token for status reports. Without a sealer there is no token.
[[nodiscard]] Result<Json> handover_json(const model::Task& task, const Connection& connection, Sealer* sealer);
[[nodiscard]] Result<brokers::Message> handover_message(const model::Task& task, const Connection& connection,
                                                        Sealer* sealer);

// The receipt of an acknowledged task: its result, or the payload of the event that starts the wait for the receiver.
[[nodiscard]] boost::json::object receipt_json(const Connection& connection, const std::string& message_id);

}  // namespace belfry::engine
