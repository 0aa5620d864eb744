// The route for callbacks: a system that received a task from a connection reports the status of the task. The caller
// needs the token of the task's message, or the permission `work` in the tenant.
#include <algorithm>

#include "api/handlers.hpp"
#include "api/resources/runs/run_dto.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "engine/usecases/callbacks.hpp"

namespace belfry::api {

namespace {

using engine::Callback;

constexpr const char* kTokenHeader = "belfry-callback-token";

// A token is valid for one task. The error for a wrong one does not reveal which runs exist.
Result<void> check_caller(engine::Callbacks& callbacks, const AccessCheck& gate, const Call& call,
                          const std::string& node) {
    const auto token = call.request.header(kTokenHeader);
    if (!token.empty()) {
        if (callbacks.is_token(token, call.tenant(), call.at("run"), node)) return {};
        return Error{
            ErrorCode::forbidden,
            "the token does not belong to this task; send the token of the task's message, and its node if it has one"};
    }
    if (!gate) return {};
    Route worker;
    worker.permission = model::Permission::work;
    const auto decision = gate(call.request, worker, call.tenant());
    if (decision.refused) return *decision.refused;
    return {};
}

Callback::Status read_status(const std::string& text) {
    if (text == "STARTED") return Callback::Status::started;
    return text == "SUCCESS" ? Callback::Status::success : Callback::Status::failed;
}

Result<Response> report(engine::Callbacks& callbacks, store::StoreReader& reader, const AccessCheck& gate,
                        const Call& call) {
    const Values values(call.body);
    Callback callback{.run_id = call.at("run"), .node = values.text("node").value_or("")};
    if (auto may = check_caller(callbacks, gate, call, callback.node); !may) return may.error();
    callback.status = read_status(*values.text("status"));
    if (const auto attempt = values.integer("attempt")) callback.attempt = static_cast<int>(*attempt);
    callback.end.status = callback.status == Callback::Status::failed ? model::ExecutionStatus::failed
                                                                      : model::ExecutionStatus::succeeded;
    if (const auto* const result = values.any("result")) callback.end.result = *result;
    callback.end.error = cut_error(values.text("error"));
    callback.end.category = values.parsed("category", &model::parse_failure_category);
    return run_response(reader, call.tenant(), callbacks.report(call.tenant(), callback));
}

ShapePtr callback_shape() {
    const auto members = attempt_end_members();
    const auto category = std::ranges::find(members, "category", &Member::name)->shape;
    return record("StatusCallback",
                  {{"status", one_of({"STARTED", "SUCCESS", "FAILED"}), "New status of the task.", Presence::required},
                   node_member(),
                   {"attempt", integer(1, std::numeric_limits<int>::max()),
                    "Attempt that the message named. With it, a late failure cannot end a newer attempt."},
                   {"result", anything(static_cast<std::int64_t>(model::kResultBytesMax)),
                    "Result of a successful task, at most 1 MiB."},
                   {"error", or_null(text()), "Error message of a failed task. Belfry keeps the first 64 KiB."},
                   {"category", category, "Category of the failure. The retry policy can depend on it."}});
}

}  // namespace

void add_callback_routes(Routes& routes, engine::Callbacks& callbacks, store::StoreReader& reader,
                         const AccessCheck& gate) {
    routes.push_back(
        {.method = "POST",
         .pattern = "/api/tenants/{tenant}/runs/{run}/callback",
         .operation = "tellStatus",
         .summary = "Report the status of a task that a connection delivered.",
         .details = "Requires the token of the task's message in the header `Belfry-Callback-Token`, or "
                    "the permission `work`. "
                    "Repeating a report changes nothing. A report that contradicts the end of the task is "
                    "a conflict (409). While the "
                    "task waits for another delivery, the response is 503 with `Retry-After`.",
         .group = "Runs",
         .permission = model::Permission::open,
         .headers = {{"Belfry-Callback-Token", text(), "Token of the task's message."}},
         .body = callback_shape(),
         .answers = {{200, run_shape()}},
         .handler = [&callbacks, &reader, gate](const Call& call) { return report(callbacks, reader, gate, call); }});
}

}  // namespace belfry::api
