// What whoever got a task from a connection tells about it. Whoever shows the token of the message may, and whoever may work in the tenant.
#include <algorithm>

#include "api/handlers.hpp"
#include "api/run_dto.hpp"
#include "api/run_shapes.hpp"

namespace belfry::api {

namespace {

using engine::Callback;

constexpr const char* kTokenHeader = "belfry-callback-token";

// A token opens one task; a wrong one says nothing about which runs there are.
Result<void> check_caller(engine::Engine& engine, const Gate& gate, const Call& call, const std::string& node) {
    const auto token = call.request.header(kTokenHeader);
    if (!token.empty()) {
        if (engine.is_callback_token(token, call.tenant(), call.at("run"), node)) return {};
        return Error{ErrorCode::forbidden, "the token is not that of this task: send the one of its message, and its node if it has one"};
    }
    if (!gate) return {};
    Route worker;
    worker.permission = model::Permission::work;
    const auto asker = gate(call.request, worker, call.tenant());
    if (asker.refused) return *asker.refused;
    return {};
}

Callback::Status read_status(const std::string& text) {
    if (text == "STARTED") return Callback::Status::started;
    return text == "SUCCESS" ? Callback::Status::success : Callback::Status::failed;
}

Result<Response> tell(engine::Engine& engine, const Gate& gate, const Call& call) {
    const Values values(call.body);
    Callback callback{.run_id = call.at("run"), .node = values.text("node").value_or("")};
    if (auto may = check_caller(engine, gate, call, callback.node); !may) return may.error();
    callback.status = read_status(*values.text("status"));
    if (const auto attempt = values.integer("attempt")) callback.attempt = static_cast<int>(*attempt);
    callback.end.status = callback.status == Callback::Status::failed ? model::ExecutionStatus::failed : model::ExecutionStatus::succeeded;
    if (const auto* const result = values.any("result")) callback.end.result = *result;
    callback.end.error = values.text("error").value_or("");
    callback.end.category = values.parsed("category", &model::parse_failure_category);
    return run_response(engine, call.tenant(), engine.callbacks().tell(call.tenant(), callback));
}

ShapePtr callback_shape() {
    const auto members = attempt_end_members();
    const auto category = std::ranges::find(members, "category", &Member::name)->shape;
    return record("StatusCallback", {{"status", one_of({"STARTED", "SUCCESS", "FAILED"}), "What is to be told.", Presence::required},
                                     node_member(),
                                     {"attempt", integer(1, std::numeric_limits<int>::max()),
                                      "As the message had it: so a failure that comes late does not end a later attempt."},
                                     {"result", anything(), "Of a success."},
                                     {"error", or_null(text()), "Why it failed."},
                                     {"category", category, "What kind of failure; the retry policy may look at it."}});
}

}  // namespace

void add_callback_routes(Routes& routes, engine::Engine& engine, const Gate& gate) {
    routes.push_back(
        {.method = "POST",
         .pattern = "/api/tenants/{tenant}/runs/{run}/callback",
         .operation = "tellStatus",
         .summary = "Tell the status of a task that was handed over to a connection.",
         .details = "Needs the token of the task's message in the header Belfry-Callback-Token, or the permission `work`. Telling the same again "
                    "changes nothing; what contradicts the end of the task is a conflict (409). While the task waits to be handed over again the "
                    "answer is 503 with Retry-After.",
         .group = "Runs",
         .permission = model::Permission::open,
         .headers = {{"Belfry-Callback-Token", text(), "The token of the task's message."}},
         .body = callback_shape(),
         .answers = {{200, run_shape()}},
         .handler = [&engine, gate](const Call& call) { return tell(engine, gate, call); }});
}

}  // namespace belfry::api
