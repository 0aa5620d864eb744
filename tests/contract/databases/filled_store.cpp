#include "contract/databases/filled_store.hpp"

#include "decide/schedule/lifecycle.hpp"

namespace belfry::store {

namespace {

namespace filled_store {

constexpr int kCopies = 60;  // of the schedules of the world, in each tenant: 2,880 in all
constexpr int kBusyHours = 2;

std::string numbered_id(int number) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "01970000-%04x-7000-8000-000000000000", static_cast<unsigned>(number));
    return text.data();
}

std::string webhook_id(const std::string& tenant) { return tenant == "default" ? "takes" : "takes-of-" + tenant; }

void define_tenant(Store& store, const std::string& name) {
    if (name != "default") {
        model::Tenant tenant;
        tenant.name = name;
        tenant.created_at = kNine;
        must(store.put_tenant(tenant), "put a tenant");
    }
    must(store.registry().follow(name, kNow + 24h), "follow");
    must(store.registry().put_webhook(name, webhook_of(webhook_id(name), true, 1)), "put a webhook");
    must(store.put_calendar(name, calendar_of("june-2nd", "2026-06-02", 1)), "put a calendar");
    must(store.put_assignee(name, assignee_of("bo", 1)), "put an assignee");
    auto workflow = workflow_named("steps", 1);
    workflow.tenant = name;
    must(store.put_workflow(workflow), "put a workflow");
}

// Creates the copies; each creation has a request key. Returns the keys of the schedules.
std::vector<std::int64_t> create_copies(Store& store, const std::string& tenant, int& number) {
    std::vector<std::int64_t> keys;
    for (int copy = 0; copy < kCopies; ++copy) {
        std::vector<decide::Plan> plans;
        for (auto schedule : schedules_of_world()) {
            schedule.id = numbered_id(++number);
            schedule.name += " " + std::to_string(copy);
            schedule.tenant = tenant;
            schedule.labels["team"] = copy % 2 == 0 ? "a" : "b";
            schedule.spec.events = {{"arrival"}};
            if (schedule.name.starts_with("spreads")) schedule.assignee = model::Assignee{"team", "red"};
            keys.push_back(model::key_of(schedule.id));
            plans.push_back(must(decide::plan_create(test::compiled(schedule), kNine), "plan"));
            plans.back().request = model::RequestKey{schedule.id, "f"};
        }
        must(store.create(plans), "create");
        auto backfill = backfill_of("backfill", "fills");
        backfill.id = numbered_id(++number);
        backfill.schedule_id = plans.front().schedule_id;
        must(store.create_backfill(tenant, backfill), "create a backfill");
    }
    return keys;
}

// Of each queue a worker completes most tasks, some of them as failures, and keeps the others.
void work(Store& store, const std::string& tenant, Instant now) {
    for (const auto* queue : {"work", "default", "slow", "past", "nodes", "gated nodes"}) {
        auto tasks =
            must(store.claim({.tenant = tenant, .queue = queue, .worker = "w", .limit = 600, .now = now}), "claim");
        std::vector<AttemptReport> reports;
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            if (i % 3 == 0) continue;
            reports.push_back({test::lease_of(tasks[i]), i % 3 == 1 ? test::succeeded() : test::failed()});
        }
        for (const auto& each : must(test::complete(store, reports, now + 1s), "complete")) (void)must(each, "one");
    }
}

}  // namespace filled_store

}  // namespace

const std::vector<std::string>& growing_tables() {
    static const std::vector<std::string> tables{
        "approvals",    "backfills",           "dead_letters",   "definitions", "delayed_tasks", "deliveries",
        "events",       "event_subscriptions", "feed",           "leases",      "ready_tasks",   "requests",
        "run_events",   "run_nodes",           "runs",           "schedules",   "team_runs",     "schedule_labels",
        "reservations", "schedule_calendars",  "schedule_state", "target_ends", "walks",         "watched_targets"};
    return tables;
}

void fill_store(Store& store) {
    int number = 0;
    for (const std::string tenant : {"default", "globex"}) {
        filled_store::define_tenant(store, tenant);
        const auto keys = filled_store::create_copies(store, tenant, number);
        for (int hour = 1; hour <= filled_store::kBusyHours; ++hour) {
            for (std::size_t at = 0; at < keys.size(); at += kTickBatchMax) {
                const auto end = std::min(keys.size(), at + kTickBatchMax);
                must(test::tick(store, kNine + hour * 1h,
                                {keys.begin() + static_cast<std::ptrdiff_t>(at),
                                 keys.begin() + static_cast<std::ptrdiff_t>(end)}),
                     "tick");
            }
            filled_store::work(store, tenant, kNine + hour * 1h + 1min);
        }
        must(store.registry().take_deliveries(tenant, filled_store::webhook_id(tenant), kNow, kFeedPageMax), "take");
    }
}

}  // namespace belfry::store
