// Presets of the HTTP launcher for engines that run workflows: where to call, what to send, and which answer means that
// the workflow runs. Pure.
//
//   http       the operator's URL gets the message of engine/outgoing/handover_message.hpp
//   durable    a Durable Workflow server: POST {url}/api/workflows
//   temporal   Temporal's HTTP API: POST {url}/api/v1/namespaces/{namespace}/workflows/{workflowId}
//
// Both engines start a workflow once under an id. The id is that of the occurrence, so a call that is repeated after a
// crash finds the workflow of the first one, and counts as started.
#pragma once

#include "base/net/http_client.hpp"
#include "engine/outgoing/connection.hpp"
#include "model/run/task.hpp"

namespace belfry::engine {

// Whether the kind is a launcher, and not a broker; whether it is one with a preset.
[[nodiscard]] bool is_launcher(std::string_view kind);
[[nodiscard]] bool has_preset(std::string_view kind);

// The id under which the task's workflow starts: that of the occurrence, with the node if there is one. Durable accepts
// 128 letters, digits and `._:-` only, so an id that does not fit becomes `belfry:` and the idempotency key.
[[nodiscard]] std::string workflow_id_of(const model::Task& task, std::string_view kind);

// The request of a preset: URL, body and own headers. REQUIRES: the connection has a launcher with a preset.
struct PresetCall {
    Url url;
    std::vector<HttpHeader> headers = {};
    Json body = nullptr;
};
[[nodiscard]] PresetCall preset_call(const model::Task& task, const Connection& connection);

// What an answer of the engine says. It is the same for the first call and for a repeated one.
struct PresetAnswer {
    bool started = false;
    std::string run_id = {};  // of the engine, if it says so
    std::string error = {};   // why it did not start, if it says so
};
[[nodiscard]] PresetAnswer read_preset_answer(const HttpAnswer& answer, std::string_view kind);

}  // namespace belfry::engine
