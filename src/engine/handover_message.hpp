// A task as it leaves: one JSON object, the same for every kind of connection. docs/guide/hand-over.md describes each member.
//
// Who starts whole workflows finds workflow_id, version, user_id, scheduled_for and idempotency_key at the top, and the same beside the
// source in `meta`, as an executor gets it.
#pragma once

#include "base/sealing.hpp"
#include "brokers/broker.hpp"
#include "engine/connection.hpp"
#include "model/task.hpp"

namespace belfry::engine {

// With callbacks, it says where and with which token the task's status is told. Without a sealer there is no token.
[[nodiscard]] Result<Json> handover_json(const model::Task& task, const Connection& connection, Sealer* sealer);
[[nodiscard]] Result<brokers::Message> handover_message(const model::Task& task, const Connection& connection, Sealer* sealer);

// What the task came to when it was acknowledged: its result, or the beginning of the wait for its receiver.
[[nodiscard]] boost::json::object receipt_json(const Connection& connection, const std::string& message_id);

}  // namespace belfry::engine
