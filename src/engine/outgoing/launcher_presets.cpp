#include "engine/outgoing/launcher_presets.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "base/text/ascii.hpp"
#include "base/text/parse_integer.hpp"
#include "base/text/percent_encode.hpp"

namespace belfry::engine {

namespace {

using boost::json::object;

constexpr std::string_view kDurable = "durable";
constexpr std::string_view kTemporal = "temporal";
constexpr std::size_t kDurableIdMax = 128;                                 // characters
constexpr std::size_t kErrorTextMax = 500;                                 // bytes of an engine's message
constexpr const char* kExecutionTimeoutKey = "execution_timeout_seconds";  // in the metadata of a target

bool fits_durable(std::string_view id) {
    return id.size() <= kDurableIdMax && std::ranges::all_of(id, [](char c) {
               return is_alpha(c) || is_digit(c) || std::string_view("._:-").find(c) != std::string_view::npos;
           });
}

// A list is the arguments; anything else is the only argument.
Json arguments_of(const Json& input) {
    if (input.is_null()) return boost::json::array();
    return input.is_array() ? input : Json(boost::json::array{input});
}

// Arguments that a client of the durable dialect has encoded.
bool is_encoded(const Json& input) {
    const auto* const members = input.if_object();
    return members != nullptr && members->size() == 2 && members->contains("codec") && members->contains("blob");
}

std::optional<std::int64_t> execution_timeout(const model::Task& task) {
    const auto found = task.target.metadata.find(kExecutionTimeoutKey);
    return found == task.target.metadata.end() ? std::nullopt : parse_integer(found->second);
}

std::optional<std::int64_t> run_timeout(const model::Task& task) {
    if (!task.timeout) return std::nullopt;
    return std::chrono::ceil<Seconds>(*task.timeout).count();
}

object memo_of(const model::Task& task) {
    return {{"source", "belfry"},
            {"schedule", task.schedule_name},
            {"scheduled_for", format_instant(task.slot.occurrence)},
            {"idempotency_key", task.idempotency_key}};
}

Url below(const Url& base, const std::string& path) {
    auto url = base;
    while (url.target.ends_with('/')) url.target.pop_back();
    url.target += path;
    return url;
}

PresetCall durable_call(const model::Task& task, const LauncherPlace& place) {
    object body{{"workflow_id", workflow_id_of(task, kDurable)},
                {"workflow_type", task.task_kind},
                {"task_queue", task.queue},
                {"input", is_encoded(task.input) ? task.input : arguments_of(task.input)},
                {"memo", memo_of(task)},
                {"duplicate_policy", "use-existing"}};
    if (const auto seconds = execution_timeout(task)) body["execution_timeout_seconds"] = *seconds;
    if (const auto seconds = run_timeout(task)) body["run_timeout_seconds"] = *seconds;
    return {.url = below(place.url, "/api/workflows"),
            .headers = {{"X-Namespace", place.preset_namespace}, {"X-Durable-Workflow-Control-Plane-Version", "2"}},
            .body = std::move(body)};
}

PresetCall temporal_call(const model::Task& task, const LauncherPlace& place) {
    object body{{"workflowType", object{{"name", task.task_kind}}},
                {"taskQueue", object{{"name", task.queue}}},
                {"input", arguments_of(task.input)},
                {"requestId", task.idempotency_key},
                {"identity", "belfry"},
                {"workflowIdReusePolicy", "WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE"},
                {"memo", object{{"fields", memo_of(task)}}}};
    if (const auto seconds = execution_timeout(task)) body["workflowExecutionTimeout"] = std::to_string(*seconds) + "s";
    if (const auto seconds = run_timeout(task)) body["workflowRunTimeout"] = std::to_string(*seconds) + "s";
    return {.url = below(place.url, "/api/v1/namespaces/" + percent_encode(place.preset_namespace) + "/workflows/" +
                                        percent_encode(workflow_id_of(task, kTemporal))),
            .headers = {},
            .body = std::move(body)};
}

std::string text_at(const Json& json, std::string_view name) {
    const auto* const members = json.if_object();
    const auto* const found = members == nullptr ? nullptr : members->if_contains(name);
    return found != nullptr && found->is_string() ? std::string(std::string_view(found->get_string())) : std::string();
}

// The detail of Temporal's error, by its type.
const Json* already_started(const Json& body) {
    const auto* const members = body.if_object();
    const auto* const details = members == nullptr ? nullptr : members->if_contains("details");
    if (details == nullptr || !details->is_array()) return nullptr;
    const auto& all = details->get_array();
    const auto* const found = std::ranges::find_if(all, [](const Json& each) {
        return text_at(each, "@type").ends_with("WorkflowExecutionAlreadyStartedFailure");
    });
    return found == all.end() ? nullptr : found;
}

}  // namespace

bool has_preset(std::string_view kind) { return kind == kDurable || kind == kTemporal; }
bool is_launcher(std::string_view kind) { return kind == "http" || has_preset(kind); }

std::string workflow_id_of(const model::Task& task, std::string_view kind) {
    auto id = task.node.empty() ? task.instance_id : task.instance_id + ":" + task.node;
    return kind != kDurable || fits_durable(id) ? id : "belfry:" + task.idempotency_key;
}

PresetCall preset_call(const model::Task& task, const Connection& connection) {
    const auto& place = *connection.launcher;
    auto call = connection.kind == kDurable ? durable_call(task, place) : temporal_call(task, place);
    if (!place.token.empty()) call.headers.emplace_back("Authorization", "Bearer " + place.token);
    return call;
}

PresetAnswer read_preset_answer(const HttpAnswer& answer, std::string_view kind) {
    const auto parsed = parse_json(answer.body);
    const auto body = parsed ? *parsed : Json(nullptr);
    PresetAnswer read{.started = answer.status / 100 == 2};
    read.error = text_at(body, "message").substr(0, kErrorTextMax);
    if (kind == kDurable) {
        read.run_id = text_at(body, "run_id");
        // The workflow of an earlier call has already ended.
        read.started = read.started || text_at(body, "outcome") == "rejected_duplicate" ||
                       text_at(body, "reason") == "instance_already_started";
        return read;
    }
    read.run_id = text_at(body, "runId");
    if (const auto* const detail = already_started(body)) {
        read.started = true;
        read.run_id = text_at(*detail, "runId");
    }
    return read;
}

}  // namespace belfry::engine
