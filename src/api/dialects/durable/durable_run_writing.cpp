#include "api/dialects/durable/durable_run_writing.hpp"

#include <array>
#include <boost/json/array.hpp>

#include "api/contract/json_values.hpp"
#include "api/dialects/durable/durable_history.hpp"
#include "api/dialects/durable/durable_texts.hpp"
#include "base/text/parse_integer.hpp"
#include "engine/explain/run_definitions.hpp"
#include "model/identity.hpp"

namespace belfry::api::durable {

namespace {

using boost::json::object;
using model::ExecutionStatus;
using model::RunCause;

Error no_such_run(const std::string& workflow_id) {
    return {ErrorCode::not_found, "there is no run of a workflow " + in_quotes(workflow_id)};
}

struct NamedSlot {
    std::string schedule;
    model::RunSlot slot;
};

// All that a workflow id may mean. A name may contain colons, and milliseconds look like seconds, so there are several.
std::vector<NamedSlot> slots_in(std::string_view text) {
    constexpr std::string_view kPrefix = "schedule:";
    constexpr std::int64_t kSecondsMax = 253'402'300'799;  // 9999-12-31T23:59:59Z
    std::vector<NamedSlot> found;
    if (!text.starts_with(kPrefix)) return found;
    text.remove_prefix(kPrefix.size());
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return found;
    const auto number = parse_integer(text.substr(colon + 1));
    if (!number || *number < 0 || *number > kSecondsMax * 1'000) return found;
    const auto name = text.substr(0, colon);
    const auto at_ms = Instant{std::chrono::milliseconds{*number}};
    const auto before = [&](std::string_view word) -> std::optional<std::string> {
        if (!name.ends_with(word)) return std::nullopt;
        return std::string(name.substr(0, name.size() - word.size()));
    };
    if (const auto schedule = before(":event")) found.push_back({*schedule, {RunCause::event, at_ms}});
    found.push_back({std::string(name), {RunCause::trigger, at_ms}});
    if (*number <= kSecondsMax) {
        const auto at = Instant{Seconds{*number}};
        if (const auto schedule = before(":backfill")) found.push_back({*schedule, {RunCause::backfill, at}});
        found.push_back({std::string(name), {RunCause::tick, at}});
    }
    // A further backfill of the same occurrence: `…:backfill:{seconds}:{rerun}`.
    const auto middle = name.rfind(':');
    const auto seconds = middle == std::string_view::npos ? std::nullopt : parse_integer(name.substr(middle + 1));
    constexpr std::string_view kBackfill = ":backfill";
    if (seconds && *seconds >= 0 && *seconds <= kSecondsMax && *number <= model::kRerunsMax &&
        name.substr(0, middle).ends_with(kBackfill)) {
        found.push_back({std::string(name.substr(0, middle - kBackfill.size())),
                         {RunCause::backfill, Instant{Seconds{*seconds}}, static_cast<int>(*number)}});
    }
    return found;
}

Result<RunView> viewed(store::StoreReader& reader, const std::string& tenant, model::Run run) {
    auto definition = engine::definition_of(reader, tenant, run);
    if (!definition) return definition.error();
    return RunView{std::move(run), std::move(*definition)};
}

Result<RunView> by_workflow_id(store::StoreReader& reader, const std::string& tenant, const std::string& text) {
    for (const auto& each : slots_in(text)) {
        const auto schedule = schedule_called(reader, tenant, each.schedule);
        if (!schedule && schedule.error().code != ErrorCode::not_found) return schedule.error();
        if (!schedule || schedule->definition.name != each.schedule) continue;
        auto run = reader.run(tenant, model::run_id(schedule->definition.id, each.slot));
        if (run) return viewed(reader, tenant, std::move(*run));
        if (run.error().code != ErrorCode::not_found) return run.error();
    }
    return no_such_run(text);
}

Result<RunView> by_run_id(store::StoreReader& reader, const std::string& tenant, const std::string& run_id) {
    auto run = reader.run(tenant, run_id);
    if (!run) return run.error();
    return viewed(reader, tenant, std::move(*run));
}

Json seconds_in(const model::Target& target, const char* key) {
    const auto found = target.metadata.find(key);
    return found == target.metadata.end() ? Json(nullptr) : or_null(parse_integer(found->second));
}

void add_payload(object& out, const std::string& name, const Json& payload) {
    const auto shown = shown_payload(payload);
    // Clients decode an envelope with their own codec.
    out[name + "_envelope"] = is_envelope(shown) ? shown : Json(nullptr);
    out[name] = shown;
}

Json codec_of(const Json& input) { return is_envelope(input) ? input.get_object().at("codec") : Json("json"); }

object actions_of(const model::Run& run) {
    const bool active = model::is_in_flight(run.execution);
    return {{"can_cancel", active}, {"can_terminate", active}, {"can_signal", false}, {"can_query", false},
            {"can_update", false},  {"can_repair", false},     {"can_archive", false}};
}

}  // namespace

Result<RunView> find_run(store::StoreReader& reader, const std::string& tenant, const std::string& workflow_id,
                         const std::optional<std::string>& run_id) {
    auto view = run_id                             ? by_run_id(reader, tenant, *run_id)
                : model::parse_run_id(workflow_id) ? by_run_id(reader, tenant, workflow_id)
                                                   : by_workflow_id(reader, tenant, workflow_id);
    if (!view) return view.error().code == ErrorCode::not_found ? no_such_run(workflow_id) : view.error();
    if (view->run.dispatch != model::DispatchStatus::dispatched) return no_such_run(workflow_id);
    if (run_id && workflow_id != *run_id && workflow_id != workflow_id_of(*view)) return no_such_run(workflow_id);
    return view;
}

std::string workflow_id_of(const RunView& view) { return model::instance_id(view.definition->name, view.run.slot); }

std::string_view status_of(const model::Run& run) {
    switch (run.execution) {
        case ExecutionStatus::awaiting_approval: return "waiting";
        case ExecutionStatus::queued: return "pending";
        case ExecutionStatus::succeeded: return "completed";
        default: return model::name_of(run.execution);
    }
}

std::string_view bucket_of(const model::Run& run) {
    if (!model::is_terminal(run.execution)) return "running";
    return run.execution == ExecutionStatus::succeeded ? "completed" : "failed";
}

object run_item(const RunView& view) {
    const auto& run = view.run;
    const auto& schedule = *view.definition;
    return {{"workflow_id", workflow_id_of(view)},
            {"run_id", run.id},
            {"run_number", 1},
            {"is_current_run", true},
            {"namespace", schedule.tenant},
            {"workflow_type", schedule.target.kind},
            {"schedule_id", schedule.name},
            {"business_key", nullptr},
            {"status", status_of(run)},
            {"status_bucket", bucket_of(run)},
            {"is_terminal", model::is_terminal(run.execution)},
            {"task_queue", schedule.target.queue},
            {"started_at", format_instant(run.started_at.value_or(run.decided_at))},
            {"closed_at", or_null(run.completed_at)},
            {"search_attributes", schedule.search_attributes}};
}

object run_description(const RunView& view) {
    const auto& run = view.run;
    const auto& schedule = *view.definition;
    auto out = run_item(view);
    out["run_count"] = 1;
    out["compatibility"] = nullptr;
    out["payload_codec"] = codec_of(run.input);
    out["execution_timeout_seconds"] = seconds_in(schedule.target, kExecutionTimeoutKey);
    out["run_timeout_seconds"] =
        schedule.retry.timeout ? Json(std::chrono::ceil<Seconds>(*schedule.retry.timeout).count()) : Json(nullptr);
    out["last_progress_at"] = format_instant(run.completed_at.value_or(run.started_at.value_or(run.decided_at)));
    out["closed_reason"] = model::is_terminal(run.execution) ? Json(status_of(run)) : Json(nullptr);
    const bool waits = run.execution == ExecutionStatus::awaiting_approval;
    out["wait_kind"] = waits ? Json("approval") : Json(nullptr);
    out["wait_reason"] = waits ? Json("the run waits for approval") : Json(nullptr);
    out["error"] = or_null(run.error);
    out["memo"] = schedule.memo;
    add_payload(out, "input", run.input);
    add_payload(out, "output", run.result);
    out["actions"] = actions_of(run);
    return out;
}

object with_contract(object body, const char* operation) {
    body["control_plane"] =
        object{{"schema", "durable-workflow.v2.control-plane-response"},
               {"version", 1},
               {"operation", operation},
               {"contract", object{{"schema", "durable-workflow.v2.control-plane-response.contract"},
                                   {"version", 1},
                                   {"legacy_field_policy", "reject_non_canonical"},
                                   {"legacy_fields", object()},
                                   {"required_fields", boost::json::array()},
                                   {"success_fields", boost::json::array()}}}};
    return body;
}

}  // namespace belfry::api::durable
