// Runs: read, end, cancel, approve, reject.
#include "api/handlers.hpp"
#include "api/run_dto.hpp"

namespace belfry::api {

namespace {

constexpr Bounds kAttempts{1, std::numeric_limits<int>::max()};

Result<Response> get(engine::Engine& engine, const Call& call) {
    return run_response(engine, call.at("tenant"), engine.store().run(call.at("tenant"), call.at("run")));
}

Result<Response> complete(engine::Engine& engine, const Call& call) {
    Fields fields(call.body);
    const auto end = read_attempt_end(fields);
    const auto number = fields.integer("attempt", kAttempts);
    if (auto error = fields.finish()) return *error;
    const auto attempt = number ? std::optional(static_cast<int>(*number)) : std::nullopt;
    return run_response(engine, call.at("tenant"), engine.runs().finish(call.at("tenant"), call.at("run"), attempt, end));
}

Result<Response> cancel(engine::Engine& engine, const Call& call) {
    Fields fields(call.body);
    const auto reason = fields.text("reason").value_or("");
    if (auto error = fields.finish()) return *error;
    return run_response(engine, call.at("tenant"), engine.runs().cancel(call.at("tenant"), call.at("run"), reason));
}

Result<Response> decide_approval(engine::Engine& engine, const Call& call, bool approved) {
    Fields fields(call.body);
    const decide::ApprovalDecision decision{.approved = approved, .reason = fields.text("reason").value_or("")};
    if (auto error = fields.finish()) return *error;
    auto context = call.context();
    context.reason = decision.reason;
    return run_response(engine, call.at("tenant"), engine.runs().approve(call.at("tenant"), call.at("run"), decision, context));
}

}  // namespace

void add_run_routes(Routes& routes, engine::Engine& engine) {
    const std::string one = "/api/tenants/{tenant}/runs/{run}";
    routes.push_back({"GET", one, "getRun", "Read a run.", Body::none, [&](const Call& call) { return get(engine, call); }});
    routes.push_back({"POST", one + "/complete", "completeRun", "Tell how a run ended that no worker of Belfry holds.", Body::required,
                      [&](const Call& call) { return complete(engine, call); }});
    routes.push_back({"POST", one + "/cancel", "cancelRun", "Cancel a run, whoever is at it.", Body::optional,
                      [&](const Call& call) { return cancel(engine, call); }});
    routes.push_back({"POST", one + "/approve", "approveRun", "Let a run begin that waits for approval.", Body::optional,
                      [&](const Call& call) { return decide_approval(engine, call, true); }});
    routes.push_back({"POST", one + "/reject", "rejectRun", "Refuse a run that waits for approval.", Body::optional,
                      [&](const Call& call) { return decide_approval(engine, call, false); }});
}

}  // namespace belfry::api
