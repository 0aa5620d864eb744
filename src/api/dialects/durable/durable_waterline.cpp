// Routes for Waterline, the console of the durable-workflow server. Its lists have `data` and pages by number, its
// errors `error`.
#include <algorithm>
#include <boost/json/array.hpp>

#include "api/contract/json_values.hpp"
#include "api/dialects/durable/durable.hpp"
#include "api/dialects/durable/durable_shapes.hpp"
#include "api/dialects/durable/durable_texts.hpp"
#include "api/dialects/durable/durable_writing.hpp"
#include "base/time/duration.hpp"

namespace belfry::api::durable {

namespace {

using boost::json::object;
using model::Permission;

constexpr std::size_t kConsoleRows = 50;       // of a page
constexpr std::int64_t kConsolePageMax = 200;  // pages by number are read from the first on

using Handler = std::function<Result<Response>(const Call&)>;

object scope_of(const Call& call) { return {{"namespace", call.tenant()}}; }

// The console reads the message of an error from `error`.
Response with_error(Response response) {
    if (response.status < 400) return response;
    auto body = parse_json(response.body);
    if (!body || !body->is_object() || body->get_object().contains("error")) return response;
    if (const auto* const message = body->get_object().if_contains("message")) {
        body->get_object()["error"] = Json(*message);
        response.body = to_text(*body);
    }
    return response;
}

// The first expression, and the first interval in seconds: the console shows one of them.
void add_times(object& row, const spec::SpecText& spec) {
    auto& said = row["spec"].get_object();
    said["cron"] = spec.cron.empty() ? Json(nullptr) : Json(spec.cron.front());
    const auto every =
        spec.intervals.empty() ? Result<Micros>(Micros{0}) : parse_duration(spec.intervals.front().every);
    const bool known = every && *every > Micros{0};
    said["interval"] = known ? Json(std::chrono::ceil<Seconds>(*every).count()) : Json(nullptr);
}

// What the console reads beyond a schedule's own members. It puts `id` into the paths of its next requests, where only
// a deleted schedule needs more than its name.
object row_of(object row, const store::ScheduleRecord& record) {
    const auto& schedule = record.definition;
    const bool deleted = record.state.status == model::ScheduleStatus::deleted;
    row["id"] = deleted ? schedule.id : schedule.name;
    const auto found = schedule.target.metadata.find(kWorkflowClassKey);
    row["workflow_class"] = found == schedule.target.metadata.end() ? Json(nullptr) : Json(found->second);
    row["last_fire_at"] = or_null(record.state.last_fired_at);
    row["last_fire_result"] = record.state.last_fired_at ? Json("started") : Json(nullptr);
    add_times(row, schedule.spec);
    return row;
}

Result<Response> console_detail(store::StoreReader& reader, const store::ScheduleRecord& record, const Call& call) {
    auto description = described(reader, record);
    if (!description) return description.error();
    auto row = row_of(std::move(*description), record);
    row["operator_scope"] = scope_of(call);
    return json_response(row);
}

// -- The list.

struct NumberedPage {
    store::Listing<store::ScheduleRecord> listing = {};
    std::int64_t last = 1;   // this page, the next if there is one, or the last that exists
    std::int64_t total = 0;  // up to this page, and one more if there is a next
};

// A store has cursors, so the pages before are read, too. A page beyond the last is empty.
Result<NumberedPage> read_page(store::StoreReader& reader, const store::ScheduleFilter& filter, std::int64_t number) {
    NumberedPage read;
    store::Page page{.limit = kConsoleRows};
    for (std::int64_t current = 1; current <= number; ++current) {
        auto listing = reader.schedules(filter, page);
        if (!listing) return listing.error();
        const bool more = !listing->next.empty();
        read.total += static_cast<std::int64_t>(listing->items.size());
        read.last = more ? current + 1 : current;
        page.after = listing->next;
        if (current == number) {
            read.total += more ? 1 : 0;
            read.listing = std::move(*listing);
        }
        if (!more) break;
    }
    return read;
}

Result<Response> console_list(const DurableServices& services, const Call& call) {
    if (auto tenant = services.tenants.get(call.tenant()); !tenant) return tenant.error();
    store::ScheduleFilter filter{.tenant = call.tenant()};
    filter.newest_first = true;
    filter.status = call.query.parsed("status", &model::parse_schedule_status);
    const auto number = call.query.integer("page").value_or(1);
    const auto page = read_page(services.reader, filter, number);
    if (!page) return page.error();
    boost::json::array rows;
    for (const auto& record : page->listing.items) rows.push_back(row_of(list_item(record), record));
    return json_response(object{{"data", std::move(rows)},
                                {"current_page", number},
                                {"last_page", page->last},
                                {"per_page", kConsoleRows},
                                {"total", page->total},
                                {"operator_scope", scope_of(call)}});
}

// -- Actions.

Result<Response> console_trigger(const DurableServices& services, const Call& call) {
    auto outcome = triggered(services.schedules, services.reader, call);
    if (!outcome) return outcome.error();
    const auto* const instance = outcome->if_contains("workflow_id");
    auto out = *outcome;
    out["instance_id"] = instance == nullptr ? Json(nullptr) : *instance;
    out["triggered"] = instance != nullptr;
    out["operator_scope"] = scope_of(call);
    return json_response(out);
}

// -- Health and numbers.

Json sum_of(const std::vector<store::QueueDepth>& queues, const std::string& tenant,
            std::int64_t store::QueueDepth::*number) {
    std::int64_t sum = 0;
    for (const auto& queue : queues) sum += queue.tenant == tenant ? queue.*number : 0;
    return sum;
}

object counts_json(const std::optional<store::Counts>& counts, const std::string& tenant) {
    object schedules{{"active", 0}, {"paused", 0}, {"completed", 0}};
    boost::json::array queues;
    if (!counts) return {{"schedules", std::move(schedules)}, {"task_queues", std::move(queues)}};
    for (const auto& each : counts->schedules) {
        if (each.tenant == tenant) schedules[model::name_of(each.status)] = each.count;
    }
    for (const auto& each : counts->queues) {
        if (each.tenant != tenant || each.queue.starts_with(model::kOwnQueueMark)) continue;
        queues.push_back(
            object{{"name", each.queue}, {"ready", each.ready}, {"delayed", each.delayed}, {"leased", each.leased}});
    }
    return {{"schedules", std::move(schedules)},
            {"runs", object{{"pending", sum_of(counts->queues, tenant, &store::QueueDepth::ready)},
                            {"delayed", sum_of(counts->queues, tenant, &store::QueueDepth::delayed)},
                            {"running", sum_of(counts->queues, tenant, &store::QueueDepth::leased)}}},
            {"task_queues", std::move(queues)}};
}

std::optional<store::Counts> counts_of(const DurableServices& services) {
    return services.counts ? services.counts() : std::nullopt;
}

Result<Response> console_health(const DurableServices& services, const Call& call) {
    const auto health = read_health(services);
    boost::json::array checks;
    for (const auto& check : health.checks) {
        checks.push_back(object{{"name", check.name},
                                {"status", check.ok ? "ok" : "error"},
                                {"message", check.ok ? "The check passed." : "The check failed."}});
    }
    const auto metrics = counts_json(counts_of(services), call.tenant());
    return json_response(object{{"namespace", call.tenant()},
                                {"generated_at", or_null(health.at)},
                                {"status", health.ok ? "ok" : "error"},
                                {"healthy", health.ok},
                                {"checks", std::move(checks)},
                                {"operator_metrics", metrics},
                                {"queue_visibility", object{{"available", metrics.contains("runs")},
                                                            {"namespace", call.tenant()},
                                                            {"task_queues", metrics.at("task_queues")}}},
                                {"operator_scope", scope_of(call)}},
                         health.ok ? 200 : 503);
}

Result<Response> console_stats(const DurableServices& services, const Call& call) {
    const auto usage = services.tenants.usage(call.tenant());
    if (!usage) return usage.error();
    return json_response(object{
        {"flows", usage->runs_today},
        {"schedules", usage->schedules},
        {"operator_metrics", counts_json(counts_of(services), call.tenant())},
        {"needs_attention", object{{"total_alerts", 0}, {"has_critical", false}, {"alerts", boost::json::array()}}},
        {"operator_scope", scope_of(call)}});
}

// -- Shapes.

std::vector<Member> row_members() {
    return all_required({{"workflow_class", or_null(text()), "Class of the workflow, if set."},
                         {"last_fire_at", or_null(instant()), "Alias of `last_fired_at`."},
                         {"last_fire_result", or_null(text()), "`started` after the first run."}});
}

// The console's spec also has `cron` and `interval`, and its `id` names the schedule.
ShapePtr console_shape(const std::string& name, std::vector<Member> members, std::vector<Member> more) {
    std::erase_if(members, [](const Member& member) { return member.name == "spec" || member.name == "id"; });
    auto own = all_required({{"id", text(), "What the console puts into the paths of its requests."},
                             {"spec", map_of(anything()), "Times, with the first of them as `cron` or `interval`."}});
    return record(name, both(both(std::move(members), std::move(own)), both(row_members(), std::move(more))));
}

Member scope_member() {
    return {"operator_scope", map_of(anything()), "Tenant that the console works in.", Presence::required};
}

ShapePtr console_list_shape() {
    static const auto shape = record(
        "WaterlineScheduleList",
        all_required(
            {{"data", list_of(console_shape("WaterlineScheduleItem", item_members(), {})), "Schedules, newest first."},
             {"current_page", integer(), "Number of this page."},
             {"last_page", integer(), "This page, the next if there is one, or the last that exists."},
             {"per_page", integer(), "Size of a page."},
             {"total", integer(), "Number of schedules up to this page, and one more if there is one."},
             scope_member()}));
    return shape;
}
ShapePtr console_detail_shape() {
    static const auto shape = console_shape("WaterlineSchedule", description_members(), {scope_member()});
    return shape;
}
ShapePtr console_trigger_shape() {
    static const auto shape =
        record("WaterlineTriggerOutcome",
               both(trigger_outcome_shape()->members,
                    all_required({{"instance_id", or_null(text()), "Workflow instance, if the schedule was triggered."},
                                  {"triggered", boolean(), "Whether a run has started."},
                                  scope_member()})));
    return shape;
}
ShapePtr console_backfill_shape() {
    static const auto shape = record(
        "WaterlineBackfill", {{"from", moment(), "First occurrence of the range, inclusive.", Presence::required},
                              {"to", moment(), "End of the range, exclusive.", Presence::required},
                              {"overlap_policy", policies(), "Overlap policy of the runs."}});
    return shape;
}

class ConsoleRoutes {
public:
    ConsoleRoutes(Routes& routes, const DialectOptions& options)
        : routes_(routes),
          dialect_(make_dialect(options, [](const Problem& problem) { return with_error(refused(problem)); })) {}

    Route& add(std::string method, std::string pattern, const char* operation, std::string summary, ShapePtr answer,
               const Handler& handler) {
        const bool reads = method == "GET";
        const auto permission = reads ? Permission::read : method == "POST" ? Permission::operate : Permission::write;
        routes_.push_back({.method = std::move(method),
                           .pattern = std::move(pattern),
                           .operation = operation,
                           .summary = std::move(summary),
                           .permission = permission,
                           .answers = {{200, std::move(answer)}},
                           .handler = [handler](const Call& call) -> Result<Response> {
                               auto response = handler(call);
                               if (!response) return response;
                               return with_error(std::move(*response));
                           },
                           .dialect = dialect_});
        return routes_.back();
    }

private:
    Routes& routes_;
    DialectPtr dialect_;
};

void add_console_actions(ConsoleRoutes& console, const DurableServices& services, const std::string& one) {
    auto& schedules = services.schedules;
    auto& reader = services.reader;
    const auto detail = [&reader](const Call& call) -> Written {
        return [&reader, &call](const store::ScheduleRecord& record) { return console_detail(reader, record, call); };
    };
    const auto takes = [](Route& route, ShapePtr body, const char* refusal) {
        route.body = std::move(body);
        route.body_presence = Presence::optional;
        route.answers.push_back({422, refusal_shape(), refusal});
    };
    takes(console.add("POST", one + "/pause", "durableWaterlinePauseSchedule", "Pause a schedule from the console.",
                      console_detail_shape(),
                      [&schedules, &reader, detail](const Call& call) {
                          return pause_schedule(schedules, reader, call, detail(call));
                      }),
          note_shape(), "The schedule never fires again.");
    takes(console.add("POST", one + "/resume", "durableWaterlineResumeSchedule", "Resume a schedule from the console.",
                      console_detail_shape(),
                      [&schedules, &reader, detail](const Call& call) {
                          return resume_schedule(schedules, reader, call, detail(call));
                      }),
          note_shape(), "The schedule is not paused.");
    takes(console.add("POST", one + "/trigger", "durableWaterlineTriggerSchedule",
                      "Start a run of a schedule from the console.", console_trigger_shape(),
                      [services](const Call& call) { return console_trigger(services, call); }),
          trigger_shape(), "The overlap policy is unknown.");
    auto& backfill = console.add(
        "POST", one + "/backfill", "durableWaterlineBackfillSchedule",
        "Run the past occurrences of a range from the console.", backfill_outcome_shape(),
        [services](const Call& call) { return backfill_schedule(services, call, {.start = "from", .end = "to"}); });
    takes(backfill, console_backfill_shape(), "The range is invalid, or the schedule is not active.");
    backfill.body_presence = Presence::required;
    console.add("DELETE", one, "durableWaterlineDeleteSchedule", "Delete a schedule from the console.",
                console_detail_shape(), [&schedules, &reader](const Call& call) -> Result<Response> {
                    const auto removed = remove_schedule(schedules, reader, call);
                    if (!removed) return removed.error();
                    return console_detail(reader, *removed, call);
                });
}

}  // namespace

void add_waterline_routes(Routes& routes, const DurableServices& services, const DialectOptions& options) {
    const std::string base = "/waterline/api";
    const std::string all = base + "/v2/schedules";
    const std::string one = all + "/{schedule_id}";
    auto& reader = services.reader;
    ConsoleRoutes console(routes, options);
    auto& list =
        console.add("GET", all, "durableWaterlineListSchedules", "List schedules for the console, newest first.",
                    console_list_shape(), [services](const Call& call) { return console_list(services, call); });
    list.query = {{"page", integer(1, kConsolePageMax), "Number of the page. Defaults to 1."},
                  {"status", one_of({"active", "paused", "completed", "deleted"}),
                   "Return only schedules with this status. By default, all but deleted ones."}};
    list.answers.push_back({422, refusal_shape(), "A filter is invalid."});
    console.add("GET", one, "durableWaterlineDescribeSchedule",
                "Describe a schedule for the console. Also works for a deleted schedule.", console_detail_shape(),
                [&reader](const Call& call) -> Result<Response> {
                    const auto record = schedule_asked_for(reader, call);
                    if (!record) return record.error();
                    return console_detail(reader, *record, call);
                });
    console
        .add("GET", one + "/history", "durableWaterlineGetScheduleHistory",
             "List the audit events of a schedule for the console, oldest first.", history_shape(),
             [&reader](const Call& call) { return schedule_history(reader, call); })
        .query = history_parameters();
    add_console_actions(console, services, one);
    const auto anything_named = map_of(anything());
    auto& health = console.add("GET", base + "/v2/health", "durableWaterlineGetHealth",
                               "Check the health of the server for the console.", anything_named,
                               [services](const Call& call) { return console_health(services, call); });
    health.answers.push_back({503, anything_named, "A check failed."});
    console.add("GET", base + "/stats", "durableWaterlineGetStats", "Count schedules and runs for the console.",
                anything_named, [services](const Call& call) { return console_stats(services, call); });
}

}  // namespace belfry::api::durable
