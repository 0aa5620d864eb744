// Routes for workflow runs in the durable dialect: list, describe, history, cancel, terminate. A schedule starts them;
// the id that its trigger returns leads here.
#include <algorithm>
#include <boost/json/array.hpp>

#include "api/dialects/durable/durable.hpp"
#include "api/dialects/durable/durable_history.hpp"
#include "api/dialects/durable/durable_query.hpp"
#include "api/dialects/durable/durable_run_writing.hpp"
#include "engine/explain/run_definitions.hpp"
#include "engine/explain/run_history.hpp"
#include "model/limits.hpp"

namespace belfry::api::durable {

namespace {

using boost::json::object;
using model::Permission;

constexpr std::int64_t kEventRows = 100;
constexpr std::int64_t kEventRowsMax = 1'000;
constexpr int kListRounds = 20;  // pages of the store in one response: most of them may not match the filter

Response refused_run(const Refusal& refusal, const char* operation) {
    return error_response(refusal.problem, with_contract(refusal_body(refusal), operation));
}

Response refused_run(const Problem& problem, const char* operation) {
    auto reason = reason_of(problem);
    if (reason == "schedule_not_found") reason = "instance_not_found";
    if (reason == "conflict") reason = "run_not_active";
    return refused_run(Refusal{problem, reason}, operation);
}

// -- The list.

struct RunQuery {
    ListName list = {};
    std::vector<Predicate> predicates = {};  // all must match
    store::Page page = {};
};

// The value that a predicate compares with; nothing: the run has none.
std::optional<Json> value_of(const RunView& view, const std::string& field) {
    const auto& schedule = *view.definition;
    if (field == "WorkflowId") return Json(workflow_id_of(view));
    if (field == "RunId") return Json(view.run.id);
    if (field == "WorkflowType") return Json(schedule.target.kind);
    if (field == "ScheduleId") return Json(schedule.name);
    if (field == "TaskQueue") return Json(schedule.target.queue);
    if (field == "Status") return Json(status_of(view.run));
    if (field == "StatusBucket") return Json(bucket_of(view.run));
    const auto* const attributes = schedule.search_attributes.if_object();
    const auto* const found = attributes == nullptr ? nullptr : attributes->if_contains(field);
    return found == nullptr ? std::nullopt : std::optional(*found);
}

bool matches_all(const RunView& view, const std::vector<Predicate>& predicates) {
    return std::ranges::all_of(predicates, [&view](const Predicate& each) {
        const auto value = value_of(view, each.field);
        return value && *value == each.literal;
    });
}

std::variant<RunQuery, Refusal> read_run_query(const Call& call) {
    RunQuery query;
    if (const auto text = call.query.text("query")) {
        auto parsed = parse_visibility(*text);
        if (auto* const refusal = std::get_if<Refusal>(&parsed)) {
            refusal->reason = "invalid_workflow_visibility_query";
            return std::move(*refusal);
        }
        query.predicates = std::get<std::vector<Predicate>>(std::move(parsed));
    }
    query.list = {call.tenant(), mark_of(call, query.predicates)};
    if (const auto type = call.query.text("workflow_type")) query.predicates.push_back({"WorkflowType", Json(*type)});
    if (const auto status = call.query.text("status")) query.predicates.push_back({"StatusBucket", Json(*status)});
    query.page.limit = static_cast<std::size_t>(call.query.integer("page_size").value_or(kPageRows));
    if (const auto token = call.query.text("next_page_token")) {
        auto read = read_token(*token, query.list);
        if (auto* const refusal = std::get_if<Refusal>(&read)) return std::move(*refusal);
        query.page.after = std::get<std::string>(std::move(read));
    }
    return query;
}

// Adds the matching runs of one page of the store. Returns the position of the next page.
Result<std::string> add_matching(store::StoreReader& reader, const RunQuery& query, const store::Page& page,
                                 boost::json::array& items) {
    auto listing = reader.runs({.tenant = query.list.tenant}, page);
    if (!listing) return listing.error();
    std::erase_if(listing->items,
                  [](const model::Run& run) { return run.dispatch != model::DispatchStatus::dispatched; });
    const auto definitions = engine::definitions_of(reader, query.list.tenant, listing->items);
    if (!definitions) return definitions.error();
    for (std::size_t i = 0; i < listing->items.size(); ++i) {
        const RunView view{std::move(listing->items[i]), (*definitions)[i]};
        if (view.definition && matches_all(view, query.predicates)) items.push_back(run_item(view));
    }
    return listing->next;
}

Response list_response(boost::json::array items, const RunQuery& query, const std::string& next) {
    const auto count = items.size();
    return json_response(with_contract(
        {{"workflows", std::move(items)}, {"workflow_count", count}, {"next_page_token", page_token(query.list, next)}},
        "list"));
}

// A query for one workflow id needs no search.
Result<Response> list_one(store::StoreReader& reader, const RunQuery& query, const std::string& workflow_id) {
    boost::json::array items;
    const auto view = find_run(reader, query.list.tenant, workflow_id);
    if (!view && view.error().code != ErrorCode::not_found) return view.error();
    if (view && matches_all(*view, query.predicates)) items.push_back(run_item(*view));
    return list_response(std::move(items), query, {});
}

Result<Response> list_runs(const DurableServices& services, const Call& call) {
    const auto read = read_run_query(call);
    if (const auto* const refusal = std::get_if<Refusal>(&read)) return refused_run(*refusal, "list");
    const auto& query = std::get<RunQuery>(read);
    if (auto tenant = services.tenants.get(call.tenant()); !tenant) return tenant.error();
    const auto one = std::ranges::find(query.predicates, "WorkflowId", &Predicate::field);
    if (one != query.predicates.end() && one->literal.is_string())
        return list_one(services.reader, query, std::string(std::string_view(one->literal.get_string())));
    boost::json::array items;
    auto page = query.page;
    for (int round = 0; round < kListRounds; ++round) {
        // Never reads more than still fits, so that the position of the next page is that of the store.
        page.limit = query.page.limit - items.size();
        auto next = add_matching(services.reader, query, page, items);
        if (!next && next.error().code == ErrorCode::invalid_argument) return malformed_token();
        if (!next) return next.error();
        page.after = std::move(*next);
        if (page.after.empty() || items.size() >= query.page.limit) break;
    }
    return list_response(std::move(items), query, page.after);
}

// -- One run.

std::optional<std::string> run_part(const Call& call) {
    const auto part = std::ranges::find(call.path, "run_id", &std::pair<std::string, std::string>::first);
    return part == call.path.end() ? std::nullopt : std::optional(part->second);
}

Result<RunView> run_asked_for(store::StoreReader& reader, const Call& call) {
    return find_run(reader, call.tenant(), call.at("workflow_id"), run_part(call));
}

Result<Response> describe_run(store::StoreReader& reader, const Call& call, const char* operation) {
    const auto view = run_asked_for(reader, call);
    if (!view) return view.error();
    return json_response(with_contract(run_description(*view), operation));
}

Result<Response> runs_of_workflow(store::StoreReader& reader, const Call& call) {
    const auto view = run_asked_for(reader, call);
    if (!view) return view.error();
    return json_response(with_contract({{"workflow_id", workflow_id_of(*view)},
                                        {"namespace", call.tenant()},
                                        {"run_count", 1},
                                        {"runs", boost::json::array{run_item(*view)}}},
                                       "list_runs"));
}

Result<Response> history_of_run(store::StoreReader& reader, const Call& call) {
    const auto view = run_asked_for(reader, call);
    if (!view) return view.error();
    const auto limit = static_cast<std::size_t>(call.query.integer("page_size").value_or(kEventRows));
    const auto after = call.query.integer("next_page_token").value_or(0);
    // Reads one more event to find out whether there is another page.
    auto events = engine::run_history(reader, call.tenant(), view->run.id, after, limit + 1);
    if (!events) return events.error();
    const bool more = events->size() > limit;
    if (more) events->pop_back();
    boost::json::array items;
    for (const auto& event : *events) items.push_back(run_event_item(event, view->run));
    return json_response(
        with_contract({{"workflow_id", workflow_id_of(*view)},
                       {"run_id", view->run.id},
                       {"namespace", call.tenant()},
                       {"events", std::move(items)},
                       {"next_page_token", more ? Json(std::to_string(events->back().sequence)) : Json(nullptr)}},
                      "history"));
}

using Stop = Result<model::Run> (engine::Runs::*)(const std::string&, const std::string&, const std::string&);

Result<Response> stop_run(const DurableServices& services, const Call& call, Stop stop, const char* operation) {
    const auto view = run_asked_for(services.reader, call);
    if (!view) return view.error();
    const auto reason = Values(call.body).text("reason").value_or("");
    if (model::is_terminal(view->run.execution)) {
        return Error{ErrorCode::conflict, "the run has already ended: it is " + std::string(status_of(view->run))};
    }
    const auto run = (services.runs.*stop)(call.tenant(), view->run.id, reason);
    if (!run) return run.error();
    return json_response(with_contract({{"workflow_id", workflow_id_of(*view)},
                                        {"run_id", run->id},
                                        {"namespace", call.tenant()},
                                        {"outcome", status_of(*run)},
                                        {"command_status", "accepted"},
                                        {"status", status_of(*run)},
                                        {"reason", reason.empty() ? Json(nullptr) : Json(reason)}},
                                       operation));
}

// -- Routes.

ShapePtr stop_shape() {
    static const auto shape = record(
        "DurableRunStop", {{"reason", text(static_cast<std::int64_t>(model::kTextBytesMax)), "Stored with the run."},
                           {"request_id", text(), "Accepted and not used: stopping a run twice has no effect."}});
    return shape;
}

class RunRoutes {
public:
    RunRoutes(Routes& routes, const DurableServices& services, const DialectOptions& options)
        : routes_(routes), services_(services), options_(options) {}

    using Handler = std::function<Result<Response>(const Call&)>;

    Route& read(const std::string& pattern, const char* operation, std::string name, std::string summary,
                Handler handler) {
        routes_.push_back({.method = "GET",
                           .pattern = pattern,
                           .operation = std::move(name),
                           .summary = std::move(summary),
                           .permission = Permission::read,
                           .headers = {version_header()},
                           .handler = std::move(handler),
                           .dialect = dialect(operation)});
        return routes_.back();
    }

    // The same action on the workflow and on one of its runs.
    void stops(const char* operation, const std::string& name, const std::string& summary, Stop stop) {
        const std::string one = "/api/workflows/{workflow_id}";
        const auto add = [&](const std::string& pattern, const std::string& suffix) {
            routes_.push_back({.method = "POST",
                               .pattern = pattern + "/" + operation,
                               .operation = name + suffix,
                               .summary = summary,
                               .permission = Permission::operate,
                               .headers = {version_header()},
                               .body = stop_shape(),
                               .body_presence = Presence::optional,
                               .answers = {{200, run_outcome_shape()},
                                           {409, refusal_shape(), "The run has already ended: `run_not_active`."}},
                               .handler = [services = services_, stop, operation](
                                              const Call& call) { return stop_run(services, call, stop, operation); },
                               .dialect = dialect(operation)});
        };
        add(one, "Workflow");
        add(one + "/runs/{run_id}", "Run");
    }

private:
    [[nodiscard]] DialectPtr dialect(const char* operation) const {
        return make_dialect(options_, [operation](const Problem& problem) { return refused_run(problem, operation); });
    }

    Routes& routes_;
    const DurableServices& services_;
    const DialectOptions& options_;
};

std::vector<Member> run_list_parameters() {
    return {{"workflow_type", text(), "Return only runs of this workflow type."},
            {"status", one_of({"running", "completed", "failed"}), "Return only runs of this status bucket."},
            {"query", text(kQueryMax),
             "Filter of the form `Field = literal`, joined by AND, over WorkflowId, RunId, WorkflowType, ScheduleId, "
             "TaskQueue, Status and search attributes."},
            {"page_size", integer(1, kPageRowsMax), "Maximum number of runs to return. Defaults to 50."},
            {"next_page_token", text(kTokenMax), "`next_page_token` of the previous page."}};
}

}  // namespace

void add_run_routes(Routes& routes, const DurableServices& services, const DialectOptions& options) {
    const std::string all = "/api/workflows";
    const std::string one = all + "/{workflow_id}";
    const std::string run = one + "/runs/{run_id}";
    auto& reader = services.reader;
    RunRoutes add(routes, services, options);
    auto& list = add.read(all, "list", "durableListWorkflows", "List the runs that schedules started.",
                          [services](const Call& call) { return list_runs(services, call); });
    list.details = "A page can have fewer items than its size and still have a next page.";
    list.query = run_list_parameters();
    list.dialect = with_strict_query(list.dialect);
    list.answers = {{200, run_list_shape()},
                    {400, refusal_shape(), "The page token is invalid."},
                    {403, refusal_shape(), "The page token belongs to another namespace."},
                    {409, refusal_shape(), "The page token belongs to another filter."},
                    {422, refusal_shape(), "A filter is invalid: `invalid_workflow_visibility_query`."}};
    add.read(one, "describe", "durableDescribeWorkflow", "Describe the run of a workflow.",
             [&reader](const Call& call) { return describe_run(reader, call, "describe"); })
        .answers = {{200, run_description_shape()}};
    add.read(one + "/runs", "list_runs", "durableListWorkflowRuns", "List the runs of a workflow: one.",
             [&reader](const Call& call) { return runs_of_workflow(reader, call); })
        .answers = {{200, runs_of_workflow_shape()}};
    add.read(run, "describe_run", "durableDescribeWorkflowRun", "Describe a run.",
             [&reader](const Call& call) { return describe_run(reader, call, "describe_run"); })
        .answers = {{200, run_description_shape()}};
    auto& history =
        add.read(run + "/history", "history", "durableGetWorkflowHistory", "List the events of a run, oldest first.",
                 [&reader](const Call& call) { return history_of_run(reader, call); });
    history.query = {{"page_size", integer(1, kEventRowsMax), "Maximum number of events to return. Defaults to 100."},
                     {"next_page_token", integer(), "`next_page_token` of the previous page."},
                     {"wait_new_event", one_of({"0", "1", "false", "true"}),
                      "Accepted and not used: the response never waits for a new event."}};
    history.answers = {{200, run_history_shape()}};
    add.stops("cancel", "durableCancel", "Cancel a run, even while a worker executes it.", &engine::Runs::cancel);
    add.stops("terminate", "durableTerminate", "Terminate a run immediately, without waiting for its worker.",
              &engine::Runs::terminate);
}

}  // namespace belfry::api::durable
