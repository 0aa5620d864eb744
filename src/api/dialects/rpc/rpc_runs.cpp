// The functions that read the ledger: the dispatched runs of a schedule, and those of the workspace as a feed.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/json_values.hpp"
#include "api/dialects/rpc/rpc.hpp"
#include "api/handlers.hpp"
#include "api/resources/runs/run_dto.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "api/resources/tenants/usage_dto.hpp"
#include "model/identity.hpp"
#include "store/listing.hpp"

namespace belfry::api::rpc {

namespace {

using boost::json::object;

constexpr std::int64_t kRunRows = 20;
constexpr std::int64_t kRunRowsMax = 200;
constexpr int kPagesMax = 20;  // of the ledger, searched for dispatched runs in one call

// -- Runs.

// Returns dispatched runs, newest occurrence first. Between two of them there may be any number of skipped ones, so the
// search ends after kPagesMax pages.
Result<std::vector<model::Run>> dispatched_runs(store::StoreReader& reader, const store::RunFilter& filter,
                                                std::string after, std::size_t limit) {
    std::vector<model::Run> runs;
    RowBudget budget;
    for (int i = 0; i < kPagesMax; ++i) {
        auto listing = reader.runs(filter, {.after = std::move(after), .limit = store::kPageMax});
        if (!listing) return listing.error();
        for (auto& run : listing->items) {
            if (run.dispatch != model::DispatchStatus::dispatched) continue;
            if (auto refused = budget.add(run.input)) return *refused;
            run.result = nullptr;  // no function returns it
            runs.push_back(std::move(run));
            if (runs.size() == limit) return runs;
        }
        if (listing->next.empty()) return runs;
        after = std::move(listing->next);
    }
    return runs;
}

// Copies members of the native JSON to columns.
object run_row(const Json& run, std::initializer_list<std::pair<const char*, const char*>> columns) {
    object row;
    for (const auto& [column, member] : columns) row[column] = run.get_object().at(member);
    return row;
}

Result<Response> history(store::StoreReader& reader, const Call& call) {
    const auto record = schedule_of(reader, call, Deleted::shown);
    if (!record) return record.error();
    const store::RunFilter filter{.tenant = call.tenant(), .schedule_id = record->definition.id};
    const auto runs = dispatched_runs(reader, filter, {}, read_limit(Values(call.body), kRunRows, kRunRowsMax));
    if (!runs) return runs.error();
    const auto natives = runs_json(reader, call.tenant(), *runs);
    if (!natives) return natives.error();
    boost::json::array rows;
    for (const auto& run : *natives) {
        rows.push_back(run_row(run, {{"run_id", "id"},
                                     {"scheduled_at", "scheduledAt"},
                                     {"dispatched_at", "decidedAt"},
                                     {"started_at", "startedAt"},
                                     {"completed_at", "completedAt"},
                                     {"status", "status"},
                                     {"cost", "cost"},
                                     {"approval_status", "approvalStatus"},
                                     {"error", "error"},
                                     {"attempts", "attempts"},
                                     {"trigger", "cause"},
                                     {"context_inputs", "input"},
                                     {"rotation_index_used", "rotationIndex"}}));
    }
    return json_response(rows);
}

ShapePtr member_of_run(std::string_view name) {
    return std::ranges::find(run_shape()->members, name, &Member::name)->shape;
}

ShapePtr history_shape() {
    return answer_record(
        "ScheduleHistoryRow",
        {{"run_id", text(), "Unique identifier of the run."},
         {"scheduled_at", instant(), "Time of the occurrence."},
         {"dispatched_at", instant(), "Time at which the run was dispatched."},
         {"started_at", or_null(instant()), "Time at which a worker first claimed the run."},
         {"completed_at", or_null(instant()), "Time at which the run ended."},
         {"status", member_of_run("status"), "Current state of the run, or how it ended."},
         {"cost", member_of_run("cost"), "Usage that the workers of the run reported. Null if they reported none."},
         {"approval_status", member_of_run("approvalStatus"), "Combined status of the run's approvals."},
         {"error", or_null(text()), "Error message of a failed run."},
         {"attempts", integer(), "Number of attempts."},
         {"trigger", member_of_run("cause"), "What started the run."},
         {"context_inputs", anything(), "Input of the run."},
         {"rotation_index_used", or_null(integer()), "Index of the rotation entry that the run used."}});
}

// -- The feed.

// Returns the cursor after the run of the last item.
Result<std::string> cursor_after(const store::RunFilter& filter, const Values& arguments) {
    const auto after = arguments.text("p_after").value_or("");
    if (after.empty()) return std::string();
    const auto key = model::parse_run_id(after);
    if (!key)
        return in_field(invalid("is not the `id` of an item; send the id of the last item that you have"), "/p_after");
    return store::run_cursor(filter, *key);
}

Result<Response> feed(store::StoreReader& reader, const Call& call) {
    const Values arguments(call.body);
    const store::RunFilter filter{.tenant = call.tenant()};
    const auto after = cursor_after(filter, arguments);
    if (!after) return after.error();
    const auto runs = dispatched_runs(reader, filter, *after, read_limit(arguments, kRunRows, kRunRowsMax));
    if (!runs) return runs.error();
    const auto natives = runs_json(reader, call.tenant(), *runs);
    if (!natives) return natives.error();
    boost::json::array items;
    for (const auto& run : *natives) {
        auto item = run_row(run, {{"id", "id"},
                                  {"created_at", "decidedAt"},
                                  {"schedule_id", "scheduleId"},
                                  {"schedule_name", "scheduleName"},
                                  {"workflow_run_id", "id"},
                                  {"scheduled_at", "scheduledAt"},
                                  {"status", "status"},
                                  {"approval_status", "approvalStatus"},
                                  {"trigger", "cause"}});
        item["kind"] = "schedule_dispatch";
        items.push_back(std::move(item));
    }
    return json_response(items);
}

ShapePtr feed_shape() {
    return answer_record(
        "AgentAutomationFeedItem",
        {{"id", text(), "Identifier of the item. Send it as `p_after` to get the items after it."},
         {"kind", one_of({"schedule_dispatch"}), "Kind of the item."},
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

void add_run_functions(std::vector<Function>& functions, store::StoreReader& reader) {
    functions.push_back(
        {.name = "fn_workflow_schedule_history",
         .summary = "List the last dispatched runs of a schedule, with their cost and approvals.",
         .details = "Also works for a deleted schedule.",
         .arguments = record("WorkflowScheduleHistory", {schedule_argument(), limit_argument(kRunRows, kRunRowsMax)}),
         .answer = list_of(history_shape()),
         .says = "The runs, newest occurrence first.",
         .handler = [&reader](const Call& call) { return history(reader, call); }});
    functions.push_back(
        {.name = "fn_get_automation_feed",
         .summary = "List the dispatched runs of the workspace.",
         .details = "One item for each dispatched run, for as long as the run is retained.",
         .arguments =
             record("GetAutomationFeed",
                    {limit_argument(kRunRows, kRunRowsMax),
                     {"p_after", text(), "`id` of the last item that the client has. Null starts from the newest."}}),
         .answer = list_of(feed_shape()),
         .says = "The items, newest occurrence first.",
         .handler = [&reader](const Call& call) { return feed(reader, call); }});
}

}  // namespace belfry::api::rpc
