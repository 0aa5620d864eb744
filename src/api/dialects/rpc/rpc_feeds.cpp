// The feeds: the dispatched runs of the workspace, or of one assignee.
#include <algorithm>
#include <boost/json/object.hpp>

#include "api/dialects/rpc/run_search.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "model/identity.hpp"
#include "store/listing.hpp"

namespace belfry::api::rpc {

namespace {

using boost::json::object;

constexpr std::int64_t kAgentFeedRows = 100;
constexpr std::int64_t kAgentFeedRowsMax = 250;
constexpr std::int64_t kFeedOffsetMax = 100'000;
constexpr const char* kDispatch = "schedule_dispatch";

// Returns the cursor after the run of the last item.
Result<std::string> cursor_after(const store::RunFilter& filter, const Values& arguments) {
    const auto after = arguments.text("p_after").value_or("");
    if (after.empty()) return std::string();
    const auto key = model::parse_run_id(after);
    if (!key)
        return in_field(invalid("is not the `id` of an item; send the id of the last item that you have"), "/p_after");
    return store::run_cursor(filter, *key);
}

Result<void> feed(store::StoreReader& reader, const Call& call, RowSink& sink) {
    const Values arguments(call.body);
    RunSearch search{.filter = {.tenant = call.tenant()}, .limit = read_limit(arguments, kRunRows, kRunRowsMax)};
    auto after = cursor_after(search.filter, arguments);
    if (!after) return after.error();
    search.after = std::move(*after);
    return add_runs(reader, search, sink, [](const Json& run, const model::Schedule&) {
        auto item = run_row(run, {{"id", "id"},
                                  {"created_at", "decidedAt"},
                                  {"schedule_id", "scheduleId"},
                                  {"schedule_name", "scheduleName"},
                                  {"workflow_run_id", "id"},
                                  {"scheduled_at", "scheduledAt"},
                                  {"status", "status"},
                                  {"approval_status", "approvalStatus"},
                                  {"trigger", "cause"}});
        item["kind"] = kDispatch;
        return item;
    });
}

Result<void> agent_feed(store::StoreReader& reader, const Call& call, RowSink& sink) {
    const Values arguments(call.body);
    const auto offset = std::clamp<std::int64_t>(arguments.integer("p_offset").value_or(0), 0, kFeedOffsetMax);
    const RunSearch search{.filter = {.tenant = call.tenant()},
                           .assignee = arguments.text("p_ai_lenser_id").value_or(""),
                           .offset = static_cast<std::size_t>(offset),
                           .limit = read_limit(arguments, kAgentFeedRows, kAgentFeedRowsMax)};
    if (search.assignee.empty()) return {};
    return add_runs(reader, search, sink, [](const Json& run, const model::Schedule& definition) {
        auto item = run_row(run, {{"id", "id"},
                                  {"occurred_at", "decidedAt"},
                                  {"result", "status"},
                                  {"run_id", "id"},
                                  {"schedule_id", "scheduleId"}});
        item["kind"] = kDispatch;
        item["title"] = definition.name;
        item["workflow_id"] = definition.target.kind;
        item["workflow_title"] = definition.target.kind;
        item["action_type"] = "dispatch_schedule";
        item["event_type"] = nullptr;
        item["payload"] = run_row(run, {{"status", "status"},
                                        {"scheduled_at", "scheduledAt"},
                                        {"approval_status", "approvalStatus"},
                                        {"trigger", "cause"},
                                        {"cost", "cost"}});
        return item;
    });
}

ShapePtr agent_feed_shape() {
    return answer_record("AgentFeedItem",
                         {{"id", text(), "Unique identifier of the run."},
                          {"kind", one_of({kDispatch}), "Kind of the item."},
                          {"occurred_at", instant(), "Time at which the run was dispatched."},
                          {"title", text(), "Name of the schedule."},
                          {"result", member_of_run("status"), "Current state of the run, or how it ended."},
                          {"workflow_id", text(), "Name of the workflow, or kind of the task, that the run started."},
                          {"workflow_title", text(), "The same name."},
                          {"run_id", text(), "Unique identifier of the run."},
                          {"schedule_id", uuid(), "Unique identifier of the schedule."},
                          {"action_type", one_of({"dispatch_schedule"}), "Type of the action."},
                          {"event_type", or_null(text()), "Always null."},
                          {"payload", map_of(anything()), "Details: status, occurrence, approvals, cause and cost."}});
}

ShapePtr feed_shape() {
    return answer_record(
        "AgentAutomationFeedItem",
        {{"id", text(), "Identifier of the item. Send it as `p_after` to get the items after it."},
         {"kind", one_of({kDispatch}), "Kind of the item."},
         {"created_at", instant(), "Time at which the run was dispatched."},
         {"schedule_id", uuid(), "Unique identifier of the schedule."},
         {"schedule_name", text(), "Name of the schedule."},
         {"workflow_run_id", text(), "Unique identifier of the run."},
         {"scheduled_at", instant(), "Time of the occurrence."},
         {"status", member_of_run("status"), "Current state of the run, or how it ended."},
         {"approval_status", member_of_run("approvalStatus"), "Combined status of the run's approvals."},
         {"trigger", member_of_run("cause"), "What started the run."}});
}

}  // namespace

void add_feed_functions(std::vector<Function>& functions, store::StoreReader& reader) {
    functions.push_back(run_function(
        reader, "fn_get_automation_feed", "List the dispatched runs of the workspace.",
        record("GetAutomationFeed",
               {limit_argument(kRunRows, kRunRowsMax),
                {"p_after", text(), "`id` of the last item that the client has. Null starts from the newest."}}),
        feed_shape(), &feed));
    functions.push_back(run_function(
        reader, "fn_get_agent_automation_feed", "List the dispatched runs of an assignee.",
        record("GetAgentAutomationFeed",
               {{"p_ai_lenser_id", text(), "Identifier of the assignee.", Presence::required},
                limit_argument(kAgentFeedRows, kAgentFeedRowsMax),
                {"p_offset", integer(std::numeric_limits<std::int64_t>::min()), "Number of items to skip."}}),
        agent_feed_shape(), &agent_feed));
}

}  // namespace belfry::api::rpc
