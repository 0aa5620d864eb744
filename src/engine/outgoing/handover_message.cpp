#include "engine/outgoing/handover_message.hpp"

#include <boost/json/object.hpp>

#include "engine/usecases/callback_token.hpp"
#include "model/workflow/workflow_json.hpp"

namespace belfry::engine {

namespace {

using boost::json::object;

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

std::optional<std::int64_t> version_of(const model::Task& task) {
    return task.workflow_version ? task.workflow_version : task.target.version;
}

Result<Json> callback_json(const model::Task& task, const Connection& connection, Sealer* sealer) {
    if (!connection.callbacks) return Json(nullptr);
    object callback{{"path", "/api/tenants/" + task.tenant + "/runs/" + task.run_id + "/callback"}};
    if (sealer == nullptr) return Json(std::move(callback));
    const auto token = callback_token(*sealer, task.tenant, task.run_id, task.node);
    if (!token) return token.error();
    callback["token"] = *token;
    return Json(std::move(callback));
}

// A client that deploys a workflow for another user names that user in the metadata.
Json user_of(const model::Task& task) {
    const auto said = task.target.metadata.find(model::kUserId);
    return or_null(said == task.target.metadata.end() ? task.created_by : said->second);
}

// The nodes of the workflow, for a receiver that has no store of workflows.
Json graph_of(const model::Task& task, const Connection& connection) {
    if (!connection.graph || task.workflow == nullptr) return nullptr;
    auto workflow = model::to_json(*task.workflow);
    return object{{"workflow_id", task.workflow->name},
                  {"version", task.workflow->version},
                  {"nodes", std::move(workflow.get_object()["nodes"])}};
}

// A broker may drop messages with a key that it has seen, and a name can be used again, or in another tenant: the key
// of a message is always made of the schedule's id.
std::string message_key(const model::Task& task) {
    const auto key = model::idempotency_key(task.schedule_id, task.slot);
    return task.node.empty() ? key : key + ":" + task.node;
}

}  // namespace

Result<Json> handover_json(const model::Task& task, const Connection& connection, Sealer* sealer) {
    if (!connection.is_for(task.tenant)) return invalid("tenant " + task.tenant + " may not use this connection");
    auto callback = callback_json(task, connection, sealer);
    if (!callback) return callback.error();
    const auto scheduled_for = format_instant(task.slot.occurrence);
    const auto version = version_of(task);
    const bool is_workflow = task.target.type == model::TargetType::workflow;
    const auto user = user_of(task);
    object metadata;
    for (const auto& [name, value] : task.target.metadata) metadata[name] = value;
    return Json(object{{"workflow_id", is_workflow ? Json(task.target.kind) : Json(nullptr)},
                       {"version", version ? Json(*version) : Json(nullptr)},
                       {"user_id", user},
                       {"scheduled_for", scheduled_for},
                       {"idempotency_key", task.idempotency_key},
                       {"meta", object{{"source", "schedule"},
                                       {"user_id", user},
                                       {"scheduled_for", scheduled_for},
                                       {"idempotency_key", task.idempotency_key}}},
                       {"dag", graph_of(task, connection)},
                       {"tenant", task.tenant},
                       {"runId", task.run_id},
                       {"instance_id", task.instance_id},
                       {"schedule", task.schedule_name},
                       {"node", or_null(task.node)},
                       {"taskKind", task.task_kind},
                       {"action", or_null(task.action)},
                       {"queue", task.queue},
                       {"input", task.input},
                       {"metadata", std::move(metadata)},
                       {"attempt", task.attempt},
                       {"callback", std::move(*callback)}});
}

Result<brokers::Message> handover_message(const model::Task& task, const Connection& connection, Sealer* sealer) {
    const auto body = handover_json(task, connection, sealer);
    if (!body) return body.error();
    return brokers::Message{.key = message_key(task),
                            .subject = task.queue,
                            .body = to_text(*body),
                            .headers = {{"belfry-tenant", task.tenant},
                                        {"belfry-run-id", task.run_id},
                                        {"belfry-attempt", std::to_string(task.attempt)}}};
}

boost::json::object receipt_json(const Connection& connection, const std::string& message_id) {
    return {{"connection", connection.name}, {"messageId", message_id}};
}

}  // namespace belfry::engine
