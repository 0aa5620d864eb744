// A small world with something of everything, made the same way every time, and every verb that writes to it. Ids,
// times and workers are fixed, so that two worlds are equal row by row.
#pragma once

#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "decide/schedule/tick.hpp"
#include "store/registry.hpp"
#include "store_faults.hpp"
#include "support/oracles/store_answers.hpp"
#include "support/oracles/store_snapshot.hpp"
#include "support/oracles/store_verbs.hpp"

namespace belfry::store {

using namespace std::chrono_literals;
using model::ExecutionStatus;
using model::OverlapPolicy;

inline const Instant kNine = test::instant("2026-06-01T09:00:00Z");
inline const Instant kNow = kNine + 2h + 30s;  // when the verbs are called

// --- names

// Made from the name, and in the shape that the store likes: a UUID of version 7.
inline std::string id_of(const std::string& name) {
    std::uint32_t hash = 2'166'136'261;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619;
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "01970000-%04x-7%03x-8000-000000000000", hash >> 16U, hash & 0xfffU);
    return text.data();
}

inline ScheduleRef ref_to(const std::string& schedule) { return {.tenant = "default", .id = id_of(schedule)}; }
inline std::int64_t key_to(const std::string& schedule) { return model::key_of(id_of(schedule)); }

// Of the run that a tick decided, so long after nine.
inline std::string run_of(const std::string& schedule, Micros since_nine) {
    return model::run_id(id_of(schedule), {model::RunCause::tick, kNine + since_nine});
}
inline model::LeaseRef first_lease(const std::string& schedule, Micros since_nine) {
    return {run_of(schedule, since_nine), 1};
}

inline model::LeaseRef node_lease(const std::string& schedule, const std::string& node) {
    return {run_of(schedule, 1h), 1, node};
}

inline model::Schedule schedule_named(const std::string& name, const test::Edit& edit = {}) {
    return test::task_schedule([&](model::Schedule& schedule) {
        schedule.id = id_of(name);
        schedule.name = name;
        if (edit) edit(schedule);
    });
}

inline CalendarRecord calendar_of(const std::string& name, const std::string& date, std::int64_t version) {
    return {{name, spec::CalendarKind::skip_dates, "UTC", {date}}, version};
}

inline model::Tenant tenant_acme(std::int64_t version, const std::string& description) {
    model::Tenant tenant;
    tenant.name = "acme";
    tenant.description = description;
    tenant.schedules_max = 10;
    tenant.runs_per_day = 100;
    tenant.created_at = kNine;
    tenant.version = version;
    return tenant;
}

inline model::Workflow workflow_named(const std::string& name, std::int64_t version,
                                      const std::string& description = {}) {
    auto workflow = test::diamond();
    workflow.nodes[1].action = "publish";
    workflow.name = name;
    workflow.version = version;
    workflow.description = description;
    return workflow;
}

inline model::Backfill backfill_of(const std::string& name, const std::string& schedule) {
    auto backfill = test::new_backfill(schedule_named(schedule), kNine - 20h, kNine - 16h, kNine);
    backfill.id = id_of(name);
    backfill.overlap = OverlapPolicy::allow_all;
    return backfill;
}

inline model::ApiKey key_of_id(const std::string& id, const std::string& name) {
    return {.id = id,
            .name = name,
            .hash = std::string(64, 'a'),
            .roles = {{"*", {model::Role::admin}}},
            .created_at = kNine};
}

inline model::Webhook webhook_of(const std::string& id, bool enabled, std::int64_t version) {
    return {.id = id,
            .url = "https://example.com/" + id,
            .secrets = {"sealed"},
            .enabled = enabled,
            .created_at = kNine,
            .version = version};
}

inline model::WorkflowAssignment assignment_of(const std::string& id, std::int64_t version) {
    return {.id = id, .workflow = "steps", .assignee = {"agent", "bo"}, .created_at = kNow, .version = version};
}

inline model::AssigneeRecord assignee_of(const std::string& id, std::int64_t version) {
    return {.id = id,
            .policies = {.spending_limit = model::Credits{3'000'000},
                         .credits_per_day = model::Credits{100'000'000},
                         .max_tokens = 100},
            .created_at = kNine,
            .version = version};
}

// --- the world

inline std::vector<model::Schedule> schedules_of_world() {
    const auto works = [](auto& s) { s.target.queue = "work"; };
    const auto walks = [](auto& s) {
        s.target.type = model::TargetType::workflow;
        s.target.kind = "steps";
        s.target.input = test::json(R"({"audience":"all"})");
    };
    const auto every = [](const char* cron) { return [cron](auto& s) { s.spec.cron = {cron}; }; };
    const auto late = [](model::MissedPolicy policy) {
        return [policy](auto& s) {
            s.spec.cron = {"*/10 * * * *"};
            s.missed = {policy, 60s, 3};
            s.overlap.policy = OverlapPolicy::allow_all;
        };
    };
    return {
        schedule_named("plain",
                       [&](auto& s) {
                           works(s), s.labels = {{"team", "a"}, {"kind", "b"}};
                       }),
        schedule_named("cancels", [&](auto& s) { works(s), s.overlap.policy = OverlapPolicy::cancel_other; }),
        schedule_named(
            "buffers",
            [&](auto& s) { works(s), every("*/30 * * * *")(s), s.overlap.policy = OverlapPolicy::buffer_all; }),
        schedule_named("retries", [&](auto& s) { works(s), s.retry.max_retries = 2; }),
        schedule_named("waits",
                       [](auto& s) {
                           s.target.queue = "slow", s.retry = {2, 600'000ms, {}, {}};
                       }),
        schedule_named("ready", [](auto& s) { s.target.priority = 3; }),
        schedule_named("stale"),
        schedule_named("lapses", late(model::MissedPolicy::skip)),
        schedule_named("catches up", late(model::MissedPolicy::fire_all)),
        schedule_named("spreads", late(model::MissedPolicy::spread)),
        schedule_named(
            "approves",
            [](auto& s) { s.approval.requires_approval = true, s.overlap.policy = OverlapPolicy::allow_all; }),
        schedule_named("sleeps"),
        schedule_named("naps"),
        schedule_named("fills"),
        schedule_named("counts",
                       [](auto& s) {
                           s.max_runs = 5;
                           s.calendars = {"june-2nd"};
                           s.condition = test::json(R"({"/last_24h_stats/failed":{"lt":3}})");
                           s.inputs_rotation = {test::json("1"), test::json("2")};
                           s.overlap.policy = OverlapPolicy::terminate_other;
                       }),
        schedule_named("history", [&](auto& s) { s.target.queue = "past", every("*/10 * * * *")(s); }),
        schedule_named("old", [&](auto& s) { s.target.queue = "past", every("*/10 * * * *")(s); }),
        schedule_named("metered", [](auto& s) { s.tenant = "acme"; }),
        schedule_named("walks", [&](auto& s) { walks(s), s.target.queue = "nodes"; }),
        schedule_named("begins", [&](auto& s) { walks(s), s.target.queue = "first nodes"; }),
        schedule_named("gated",
                       [&](auto& s) { walks(s), s.target.queue = "gated nodes", s.approval.gates = {"publish"}; }),
        schedule_named("blocks",
                       [&](auto& s) {
                           walks(s), s.target.queue = "blocked nodes",
                                     s.approval = {.mode = model::ApprovalMode::on_block, .expires_after = 60'000ms};
                       }),
        schedule_named("spends",
                       [&](auto& s) {
                           works(s), s.assignee = model::Assignee{"agent", "bo"}, s.retry.max_retries = 1;
                       }),
        schedule_named("hands over",
                       [&](auto& s) {
                           works(s), s.failure = {model::FailureMode::fallback, "somebody else"};
                       }),
    };
}

inline std::vector<model::Task> claim_from(Store& store, const std::string& queue, Instant now) {
    return must(
        store.claim({.tenant = "default", .queue = queue, .worker = "w1", .limit = 10, .now = now, .lease = 2h}),
        "claim");
}

// Four runs each that are over: three succeeded and one failed. Then one schedule is deleted and the other one paused.
inline void build_past(Store& store) {
    for (int i = 1; i <= 4; ++i) {
        const auto at = kNine + i * 10min;
        must(test::tick(store, at, {key_to("history"), key_to("old")}), "tick");
        for (const auto& task : claim_from(store, "past", at + 1s)) {
            const auto end = i == 2 ? test::failed("no luck") : test::succeeded(test::json(R"({"ok":true})"));
            must(test::complete(store, {test::lease_of(task), end}, at + 2s), "complete");
        }
    }
    must(test::remove(store, ref_to("old"), kNine + 41min), "remove");
    must(test::pause(store, ref_to("history"), kNine + 41min), "pause");
}

// a is over; b and c are in the hands of a worker.
inline void build_walk(Store& store) {
    const auto at = kNine + 1h + 1min;
    const auto a = claim_from(store, "nodes", at).front();
    must(test::complete(store, {test::lease_of(a), test::succeeded(test::json(R"({"rows":[1,2]})"))}, at + 1s),
         "complete");
    claim_from(store, "nodes", at + 2s);
}

// Of one run b waits to be approved and a worker has c; of the other, a has failed for good and waits, too.
inline void build_gates(Store& store) {
    const auto at = kNine + 1h + 1min;
    const auto a = claim_from(store, "gated nodes", at).front();
    must(test::complete(store, {test::lease_of(a), test::succeeded(test::json(R"({"rows":[1,2]})"))}, at + 1s),
         "complete");
    claim_from(store, "gated nodes", at + 2s);
    const auto blocked = claim_from(store, "blocked nodes", at).front();
    must(test::complete(store, {test::lease_of(blocked), test::failed()}, at + 1s), "complete");
}

// Waits until all that happened is settled: the last of it was the backfill's.
inline void wait_for_feed(Store& store) {
    const auto is_settled = [&] {
        const auto items = must(store.registry().feed("default", 0, kFeedPageMax), "read the feed");
        return !items.empty() && items.back().schedule_id == id_of("fills");
    };
    while (!is_settled()) std::this_thread::yield();
}

// Keys, and webhooks: one that has taken some items and sent one of them, and one that is disabled.
inline void build_registry(Store& store) {
    auto& registry = store.registry();
    must(registry.add_key(key_of_id("k1", "one")), "add a key");
    must(registry.add_key(key_of_id("k2", "two")), "add a key");
    must(registry.revoke_key("k2", kNine), "revoke a key");
    must(registry.put_webhook("default", webhook_of("disabled", false, 1)), "put a webhook");
    wait_for_feed(store);
    must(registry.take_deliveries("default", "takes", kNow, 5), "take");
    for (auto delivery : must(registry.deliveries("default", "takes", 0, 2), "read deliveries").items) {
        delivery.status = model::DeliveryStatus::delivered;
        delivery.next_try.reset();
        must(registry.put_delivery("default", delivery), "put a delivery");
    }
}

inline void build_world(Store& store) {
    must(store.registry().follow("default", kNow + 24h), "follow");
    must(store.registry().put_webhook("default", webhook_of("takes", true, 1)), "put a webhook");
    must(store.put_tenant(tenant_acme(1, "")), "put the tenant");
    must(store.put_calendar("default", calendar_of("june-2nd", "2026-06-02", 1)), "put a calendar");
    must(store.put_calendar("default", calendar_of("spare", "2026-06-03", 1)), "put a calendar");
    must(store.put_assignment("default", assignment_of("spare", 1)), "put an assignment");
    must(store.put_assignee("default", assignee_of("bo", 1)), "put an assignee");
    must(store.put_assignee("default", assignee_of("spare", 1)), "put an assignee");
    must(store.put_workflow(workflow_named("steps", 1)), "put a workflow");
    must(store.put_workflow(workflow_named("spare", 1)), "put a workflow");
    must(test::create(store, schedules_of_world(), kNine), "create");
    build_past(store);
    must(test::pause(store, ref_to("sleeps"), kNine + 20min), "pause");
    must(test::pause(store, ref_to("naps"), kNine + 20min, {"a while", kNine + 3h}), "pause");

    must(test::tick(store, kNine + 30min, {key_to("buffers")}), "tick");
    const auto dropped = must(test::trigger(store, ref_to("stale"), kNine + 50min), "trigger");
    must(test::cancel(store, ref_to("stale"), dropped.runs.front().id, kNine + 51min), "cancel");
    std::vector<std::int64_t> at_ten;
    for (const auto* name : {"plain", "cancels", "buffers", "retries", "waits", "ready", "approves", "fills", "counts",
                             "metered", "walks", "begins", "gated", "blocks", "hands over", "spends"}) {
        at_ten.push_back(key_to(name));
    }
    must(test::tick(store, kNine + 1h, at_ten), "tick");
    claim_from(store, "work", kNine + 1h + 1min);  // plain, cancels, retries, hands over, and the first of buffers
    must(store.claim({.tenant = "default",
                      .queue = "work",
                      .worker = "w1",
                      .now = kNine + 1h + 1min,
                      .lease = 2h,
                      .assignee = "bo"}),
         "claim");
    build_walk(store);
    build_gates(store);
    const auto failing = claim_from(store, "slow", kNine + 1h + 2min).front();
    must(test::complete(store, {test::lease_of(failing), test::failed()}, kNine + 1h + 3min), "complete");
    must(test::tick(store, kNine + 90min, {key_to("buffers")}), "tick");
    must(store.create_backfill("default", backfill_of("backfill", "fills"), model::RequestKey{"old", "f"}),
         "create a backfill");
    must(test::step(store, "default", backfill_of("backfill", "fills"), kNine + 100min, 2), "step");
    must(store.renew_membership({"gone", kNow - kServerForgottenAfter - 12s, 10s}),
         "renew_membership");  // forgotten by whoever attends from now on
    must(store.renew_membership({"s1", kNow - 5s, 10s}), "renew_membership");
    must(store.renew_membership({"s2", kNow - 5s, 10s}), "renew_membership");
    build_registry(store);
}

// Whatever its tenants are.
inline test::Snapshot everything_in(Store& store) {
    std::vector<std::string> names;
    for (const auto& tenant : must(store.tenants(), "read the tenants")) names.push_back(tenant.name);
    return test::read_everything(store, names);
}

// A world that is put back to what it was before every test: making one takes longer than a test.
class World {
public:
    explicit World(const std::string& kind) : place(new_place(kind)) {
        build_world(*open_store_on(*place));
        near = place->open();
        far = place->open();
        camera = std::make_unique<Camera>(*near);
    }

    static World& again(const std::string& kind) {
        static std::map<std::string, std::unique_ptr<World>> worlds;
        auto& world = worlds[kind];
        if (!world) world = std::make_unique<World>(kind);
        world->camera->put_back();
        // Rows that were put back again and again leave dead ones behind, which make everything slower.
        const bool tidy = ++world->uses_ % kUsesBetweenVacuums == 0;
        const auto* const postgres = dynamic_cast<const PostgresPlace*>(world->place.get());
        if (tidy && postgres) test::run_sql(postgres->url(), "VACUUM");
        return *world;
    }

    std::unique_ptr<Place> place;
    std::unique_ptr<Camera> camera;  // outlives the connections, which know its statements by their addresses
    DatabasePtr near;                // for looking and putting back
    DatabasePtr far;                 // for the store under test

private:
    static constexpr int kUsesBetweenVacuums = 8;
    int uses_ = 0;
};

// --- the verbs

// What a verb answered: nothing or its error, and all of it as text.
struct Answer {
    std::optional<ErrorCode> refused = {};
    std::vector<ErrorCode> refused_parts = {};  // of an answer in parts
    std::string text = {};
};

template <typename T>
Answer answer_of(const Result<T>& result) {
    Answer answer{.text = test::Answers::text(result)};
    if (!result) {
        answer.refused = result.error().code;
    } else if constexpr (std::is_same_v<T, std::vector<std::optional<Error>>>) {
        for (const auto& part : *result) {
            if (part) answer.refused_parts.push_back(part->code);
        }
    } else if constexpr (std::is_same_v<T, std::vector<Result<decide::AttemptPlan>>>) {
        for (const auto& part : *result) {
            if (!part) answer.refused_parts.push_back(part.error().code);
        }
    }
    return answer;
}

struct Verb {
    std::string name;
    std::function<Answer(Store&)> call;
    friend std::ostream& operator<<(std::ostream& out, const Verb& verb) { return out << verb.name; }
};

// A verb from a function that answers a Result.
template <typename Function>
Verb verb(std::string name, Function function) {
    return {std::move(name), [function](Store& store) { return answer_of(function(store)); }};
}

// A plan that was made before: the trigger of a schedule, decided on the world and not applied.
inline decide::Plan planned_trigger(Store& store, const std::string& schedule) {
    std::optional<decide::Plan> planned;
    const FactsRequest needs{.now = kNow, .in_flight = true, .slots = std::pair{kNow, kNow}};
    must(store.change(ref_to(schedule), needs,
                      [&](const decide::Facts& facts) -> Result<decide::Plan> {
                          planned =
                              must(decide::plan_trigger(facts, {.overlap = OverlapPolicy::allow_all}, kNow), "plan");
                          decide::Plan nothing;
                          nothing.schedule_id = facts.schedule->definition.id;
                          nothing.revision = facts.state.revision;
                          nothing.state = facts.state;
                          return nothing;
                      }),
         "plan");
    return *planned;
}

inline std::vector<Verb> verbs_on_schedules() {
    return {
        verb("create_one",
             [](Store& s) {
                 return test::create(s, {schedule_named("new", [](auto& n) { n.labels = {{"team", "a"}}; })}, kNow);
             }),
        verb("create_three",
             [](Store& s) {
                 const auto theirs = schedule_named("third", [](auto& n) { n.tenant = "acme"; });
                 const auto dated = schedule_named("second", [](auto& n) { n.calendars = {"june-2nd"}; });
                 return test::create(s, {schedule_named("first"), dated, theirs}, kNow);
             }),
        verb("create_and_decide",
             [](Store& s) -> Result<void> {
                 const auto once = schedule_named("once", [](auto& n) {
                     n.spec = {.at = {format_instant(kNow)}};
                     n.max_runs = 1;
                 });
                 const auto compiled = test::compiled(once);
                 const NewSchedule wanted{decide::plan_create(compiled, kNow).value(),
                                          [](const decide::Facts& facts) -> Result<decide::Plan> {
                                              return decide::plan_tick(facts, kNow, {});
                                          },
                                          compiled};
                 const auto done = s.create_each({&wanted, 1});
                 if (!done) return done.error();
                 if (!done->front()) return done->front().error();
                 return {};
             }),
        verb("trigger", [](Store& s) { return test::trigger(s, ref_to("lapses"), kNow); }),
        verb("trigger_by_name", [](Store& s) { return test::trigger(s, {.tenant = "acme", .name = "metered"}, kNow); }),
        verb("trigger_that_ends_others",
             [](Store& s) {
                 return test::trigger(s, ref_to("plain"), kNow, {.overlap = OverlapPolicy::terminate_other});
             }),
        verb("pause", [](Store& s) { return test::pause(s, ref_to("plain"), kNow); }),
        verb("pause_until",
             [](Store& s) {
                 return test::pause(s, ref_to("ready"), kNow, {"lunch", kNow + 1h});
             }),
        verb("resume", [](Store& s) { return test::resume(s, ref_to("sleeps"), kNow); }),
        verb("update",
             [](Store& s) {
                 return test::update(s, ref_to("counts"), kNow,
                                     [](auto& n) { n.spec.cron = {"15 * * * *"}, n.calendars = {}; });
             }),
        verb("rename",
             [](Store& s) {
                 return test::update(s, {.tenant = "default", .name = "plain"}, kNow,
                                     [](auto& n) { n.name = "plainer"; });
             }),
        verb("remove", [](Store& s) { return test::remove(s, ref_to("buffers"), kNow); }),
        verb("approve",
             [](Store& s) {
                 return test::judge(s, ref_to("approves"), run_of("approves", 1h), {true, "fine"}, kNow);
             }),
        verb("refuse",
             [](Store& s) {
                 return test::judge(s, ref_to("approves"), run_of("approves", 1h), {false, "no"}, kNow);
             }),
        verb("approve_a_node",
             [](Store& s) {
                 return test::judge(s, ref_to("gated"), run_of("gated", 1h), {true, "fine", "b"}, kNow);
             }),
        verb("refuse_a_node",
             [](Store& s) {
                 return test::judge(s, ref_to("gated"), run_of("gated", 1h), {false, "no", "b"}, kNow);
             }),
        verb("cancel_waiting", [](Store& s) { return test::cancel(s, ref_to("gated"), run_of("gated", 1h), kNow); }),
        verb("expire_a_node",
             [](Store& s) { return test::expire_approval(s, ref_to("blocks"), run_of("blocks", 1h), "a", kNow); }),
        verb("record_a_bypass",
             [](Store& s) {
                 return s.change(
                     ref_to("gated"), {.now = kNow}, [](const decide::Facts& facts) -> Result<decide::Plan> {
                         return decide::plan_bypass_record(facts, {run_of("gated", 1h), "b", "decided_without_role"},
                                                           kNow, {.principal = "key:w"});
                     });
             }),
        verb("cancel_running", [](Store& s) { return test::cancel(s, ref_to("plain"), run_of("plain", 1h), kNow); }),
        verb("cancel_that_settles",
             [](Store& s) { return test::cancel(s, ref_to("spends"), run_of("spends", 1h), kNow); }),
        verb("trigger_that_reserves",
             [](Store& s) {
                 return test::trigger(s, ref_to("spends"), kNow, {.overlap = OverlapPolicy::terminate_other});
             }),
        verb("cancel_queued", [](Store& s) { return test::cancel(s, ref_to("ready"), run_of("ready", 1h), kNow); }),
        verb("tick", [](Store& s) { return test::tick(s, kNow); }),
        verb("tick_some",
             [](Store& s) {
                 return test::tick(s, kNow, {key_to("spreads"), key_to("cancels"), key_to("naps")});
             }),
        verb("tick_that_wakes",
             [](Store& s) {
                 return test::tick(s, kNow + 1h, {key_to("naps"), key_to("buffers")});
             }),
        verb("create_under_a_key",
             [](Store& s) {
                 auto plan = decide::plan_create(test::compiled(schedule_named("keyed")), kNow).value();
                 plan.request = model::RequestKey{"fresh", "f"};
                 return s.create(std::vector{plan});
             }),
        verb("trigger_under_a_key",
             [](Store& s) {
                 return s.change(ref_to("plain"), {.now = kNow, .in_flight = true}, [](const decide::Facts& facts) {
                     auto plan = decide::plan_trigger(facts, {}, kNow);
                     if (plan) plan->request = model::RequestKey{"fresh", "f"};
                     return plan;
                 });
             }),
        verb("cancel_walking", [](Store& s) { return test::cancel(s, ref_to("walks"), run_of("walks", 1h), kNow); }),
        verb("replay", [](Store& s) { return test::replay(s, ref_to("history"), run_of("history", 20min), kNow); }),
        verb("purge", [](Store& s) { return s.purge(ref_to("old"), 3); }),
        verb("prune", [](Store& s) { return s.prune(ref_to("history"), {.keep_newest = 1}, 10); }),
        verb("prune_some", [](Store& s) { return s.prune_some({.retention = {.keep_newest = 1}}); }),
        verb("remove_ended", [](Store& s) { return s.remove_ended({.ended_before = kNow + 1h}); }),
        verb("remove_ended_to_the_limit",
             [](Store& s) { return s.remove_ended({.ended_before = kNow + 1h, .limit = 2}); }),
        verb("prune_some_to_the_limit",
             [](Store& s) { return s.prune_some({.retention = {.occurred_before = kNow}, .limit = 4}); }),
    };
}

inline decide::AttemptEnd spent(ExecutionStatus status, std::int64_t credits) {
    decide::AttemptEnd end{.status = status};
    end.usage = model::Usage{.credits = {credits * 1'000'000}, .tokens = 7, .tools = {"search"}};
    return end;
}

inline std::vector<Verb> verbs_on_tasks() {
    const auto complete = [](std::vector<AttemptReport> endings) {
        return [endings](Store& s) { return test::complete(s, endings, kNow); };
    };
    const auto report = [](std::int64_t credits) {
        return [credits](Store& s) {
            const auto usage = *spent(ExecutionStatus::succeeded, credits).usage;
            return test::report_usage(s, {{first_lease("spends", 1h), usage}}, kNow);
        };
    };
    const AttemptReport success{first_lease("plain", 1h), test::succeeded(test::json("7"))};
    const AttemptReport failure{first_lease("cancels", 1h), test::failed()};
    const AttemptReport retry{first_lease("retries", 1h), test::failed()};
    const AttemptReport release{first_lease("buffers", 30min), test::succeeded()};
    auto second_lease = first_lease("plain", 1h);
    second_lease.attempt = 2;
    const AttemptReport stranger{second_lease, test::succeeded()};
    return {
        verb("claim",
             [](Store& s) {
                 return s.claim({.tenant = "default", .worker = "w2", .limit = 3, .now = kNow, .lease = 30s});
             }),
        verb("claim_delayed",
             [](Store& s) {
                 return s.claim({.tenant = "default", .queue = "slow", .worker = "w2", .limit = 3, .now = kNow});
             }),
        verb("heartbeat",
             [](Store& s) {
                 const std::vector<model::LeaseRef> leases{first_lease("plain", 1h), first_lease("ready", 1h),
                                                           first_lease("cancels", 1h)};
                 return s.heartbeat(leases, kNow, kNow + 5h);
             }),
        verb("redate",
             [](Store& s) -> Result<void> {
                 auto leases = s.expired(kInstantMax, kPageMax);
                 if (!leases) return leases.error();
                 std::vector<Redated> redated;
                 for (auto& lease : *leases) redated.push_back({std::move(lease), -1h});
                 return s.redate(redated, kNow);
             }),
        verb("transfer_lease",
             [](Store& s) {
                 const auto passed = [](const model::LeaseRef& lease) {
                     return LeaseTransfer{
                         .lease = lease, .worker = "connection:x", .until = kNow + 5h, .event = "node.handed_over"};
                 };
                 const std::vector leases{passed(first_lease("plain", 1h)), passed(node_lease("walks", "b")),
                                          passed(first_lease("ready", 1h))};
                 return s.transfer_lease(leases, kNow);
             }),
        verb("complete_that_puts_back",
             complete({{first_lease("plain", 1h), {.status = model::ExecutionStatus::failed, .put_back = true}},
                       {node_lease("walks", "b"), {.status = model::ExecutionStatus::failed, .put_back = true}}})),
        verb("complete_success", complete({success})),
        verb("complete_failure", complete({failure})),
        verb("complete_retry", complete({retry})),
        verb("complete_that_releases", complete({release})),
        verb("complete_of_a_lost_lease", complete({stranger})),
        verb("complete_several", complete({retry, stranger, success, release, failure})),
        verb("claim_a_first_node",
             [](Store& s) {
                 return s.claim({.tenant = "default", .queue = "first nodes", .worker = "w2", .now = kNow});
             }),
        verb("complete_a_node", complete({{node_lease("walks", "b"), test::succeeded(test::json("7"))}})),
        verb("complete_a_node_that_failed", complete({{node_lease("walks", "b"), test::failed()}})),
        verb("complete_the_last_nodes",
             complete(
                 {{node_lease("walks", "b"), test::failed()}, {node_lease("walks", "c"), test::succeeded()}, success})),
        verb("complete_beside_a_node_that_waits", complete({{node_lease("gated", "c"), test::succeeded()}})),
        verb("complete_that_hands_over", complete({{first_lease("hands over", 1h), test::failed()}})),
        verb("report", report(2)),
        verb("report_too_much", report(4)),
        verb("complete_that_settles", complete({{first_lease("spends", 1h), spent(ExecutionStatus::succeeded, 2)}})),
        verb("complete_retry_with_usage",
             complete({{first_lease("spends", 1h), spent(ExecutionStatus::failed, 2)}, retry})),
        verb("reap_a_node",
             [](Store& s) {
                 return test::complete(s, std::vector{test::reaped(node_lease("walks", "b"), kNow + 9h)}, kNow + 9h);
             }),
        verb("reap",
             [](Store& s) {
                 return test::complete(s, std::vector{test::reaped(first_lease("plain", 1h), kNow + 9h)}, kNow + 9h);
             }),
    };
}

// How many were forgotten is not known after a commit of unknown outcome; that they were is.
inline Result<void> code_of_pruning(const Result<std::int64_t>& removed) {
    if (!removed) return removed.error();
    return {};
}

inline std::vector<Verb> verbs_on_things() {
    return {
        verb("renew_membership",
             [](Store& s) {
                 return s.renew_membership({"s3", kNow, 10s});
             }),
        verb("attend_as_leader",
             [](Store& s) {
                 return s.renew_membership({"s1", kNow, 10s});
             }),
        verb("attend_and_lead",
             [](Store& s) {
                 return s.renew_membership({"s2", kNow + 5s, 10s});
             }),
        verb("leave", [](Store& s) { return s.leave("s2"); }),
        verb("leave_as_leader", [](Store& s) { return s.leave("s1"); }),
        verb("put_tenant",
             [](Store& s) {
                 model::Tenant tenant;
                 tenant.name = "globex";
                 tenant.created_at = kNow;
                 return s.put_tenant(tenant);
             }),
        verb("put_tenant_again", [](Store& s) { return s.put_tenant(tenant_acme(2, "changed")); }),
        verb("put_calendar",
             [](Store& s) { return s.put_calendar("default", calendar_of("another", "2026-06-04", 1)); }),
        verb("put_calendar_again",
             [](Store& s) { return s.put_calendar("default", calendar_of("june-2nd", "2026-06-05", 2)); }),
        verb("remove_calendar", [](Store& s) { return s.remove_calendar("default", "spare"); }),
        verb("put_assignment", [](Store& s) { return s.put_assignment("default", assignment_of("another", 1)); }),
        verb("put_assignment_again", [](Store& s) { return s.put_assignment("default", assignment_of("spare", 2)); }),
        verb("remove_assignment", [](Store& s) { return s.remove_assignment("default", "spare"); }),
        verb("put_assignee", [](Store& s) { return s.put_assignee("default", assignee_of("another", 1)); }),
        verb("put_assignee_again", [](Store& s) { return s.put_assignee("default", assignee_of("spare", 2)); }),
        verb("remove_assignee", [](Store& s) { return s.remove_assignee("default", "spare"); }),
        verb("prune_budgets",
             [](Store& s) { return code_of_pruning(s.prune_budgets(model::day_of(kNow) + std::chrono::days{1}, 10)); }),
        verb("put_workflow", [](Store& s) { return s.put_workflow(workflow_named("another", 0)); }),
        verb("put_workflow_again", [](Store& s) { return s.put_workflow(workflow_named("steps", 2, "changed")); }),
        verb("remove_workflow", [](Store& s) { return s.remove_workflow("default", "spare", kNow); }),
        verb("dismiss", [](Store& s) { return s.dismiss("default", run_of("history", 20min)); }),
        verb("create_backfill",
             [](Store& s) { return s.create_backfill("default", backfill_of("another backfill", "plain")); }),
        verb("create_backfill_under_a_key",
             [](Store& s) {
                 return s.create_backfill("default", backfill_of("another backfill", "plain"),
                                          model::RequestKey{"fresh", "f"});
             }),
        verb("remove_archived",
             [](Store& s) {
                 const auto page = s.archivable({.before = kNow});
                 if (!page) return code_of_pruning(Result<std::int64_t>(page.error()));
                 std::vector<ArchivedUpTo> ends;
                 for (const auto& part : page->parts) {
                     ends.push_back({part.schedule_id, {part.events.back().sequence, part.events.back().hash}});
                 }
                 return code_of_pruning(s.remove_archived(ends));
             }),
        verb("prune_letters", [](Store& s) { return code_of_pruning(s.prune_letters(kNow + 1h, 100)); }),
        verb("prune_requests", [](Store& s) { return code_of_pruning(s.prune_requests(kNow, 1)); }),
        verb("step_backfill",
             [](Store& s) { return test::step(s, "default", backfill_of("backfill", "fills"), kNow, 2); }),
        verb("pause_backfill",
             [](Store& s) {
                 return test::set_status(s, "default", id_of("backfill"), model::BackfillStatus::paused, kNow);
             }),
    };
}

inline std::vector<Verb> verbs_on_registry() {
    return {
        verb("add_key", [](Store& s) { return s.registry().add_key(key_of_id("k3", "two")); }),
        verb("revoke_key", [](Store& s) { return s.registry().revoke_key("k1", kNow); }),
        verb("put_webhook", [](Store& s) { return s.registry().put_webhook("default", webhook_of("new", true, 1)); }),
        verb("put_webhook_again",
             [](Store& s) {
                 auto webhook = webhook_of("takes", true, 2);
                 webhook.events = {"run.*"};
                 return s.registry().put_webhook("default", webhook);
             }),
        verb("enable_webhook",
             [](Store& s) { return s.registry().put_webhook("default", webhook_of("disabled", true, 2)); }),
        verb("remove_webhook", [](Store& s) { return s.registry().remove_webhook("default", "takes"); }),
        verb("follow", [](Store& s) { return s.registry().follow("acme", kNow + 48h); }),
        verb("take_deliveries", [](Store& s) { return s.registry().take_deliveries("default", "takes", kNow, 10); }),
        verb("prune_feed_to",
             [](Store& s) { return s.registry().prune_feed_to(model::tenant_key("default"), 1'000, 2); }),
        verb("prune_feed", [](Store& s) { return s.registry().prune_feed(kNow, 3); }),
        verb("prune_deliveries", [](Store& s) { return s.registry().prune_deliveries(kNow, 1); }),
    };
}

// Applies plans that were decided on the world as it is: for these the world is asked first.
inline Verb apply_verb(Store& world) {
    const std::vector plans{planned_trigger(world, "lapses"), planned_trigger(world, "cancels")};
    return verb("apply", [plans](Store& s) { return s.apply(plans); });
}

// How it went with one of the deliveries that wait.
inline Verb put_delivery_verb(Store& world) {
    auto delivery = must(world.registry().due_deliveries("default", "takes", kNow, 1), "read deliveries").front();
    delivery.attempts = 1;
    delivery.next_try = kNow + 1h;
    delivery.last_http_status = 503;
    return verb("put_delivery", [delivery](Store& s) { return s.registry().put_delivery("default", delivery); });
}

inline Verb put_deliveries_verb(Store& world) {
    std::vector<OwnedDelivery> all;
    for (auto& delivery : must(world.registry().due_deliveries("default", "takes", kNow, 2), "read deliveries")) {
        delivery.status = model::DeliveryStatus::delivered;
        delivery.next_try.reset();
        all.emplace_back("default", std::move(delivery));
    }
    return verb("put_deliveries", [all](Store& s) { return s.registry().put_deliveries(all); });
}

inline std::vector<std::string> names_of_verbs() {
    std::vector<std::string> names{"apply", "put_delivery", "put_deliveries"};
    for (const auto& verbs : {verbs_on_schedules(), verbs_on_tasks(), verbs_on_things(), verbs_on_registry()}) {
        for (const auto& each : verbs) names.push_back(each.name);
    }
    return names;
}

inline Verb verb_named(const std::string& name, Store& world) {
    if (name == "apply") return apply_verb(world);
    if (name == "put_delivery") return put_delivery_verb(world);
    if (name == "put_deliveries") return put_deliveries_verb(world);
    for (auto& verbs : {verbs_on_schedules(), verbs_on_tasks(), verbs_on_things(), verbs_on_registry()}) {
        for (const auto& each : verbs) {
            if (each.name == name) return each;
        }
    }
    std::abort();
}

}  // namespace belfry::store
