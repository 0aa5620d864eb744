// Every store does the same: random walks of everything that an engine asks of a store, on all of them side by side.
// After each step the answers are equal; every few steps everything that can be read is equal, and a ledger checks what
// must hold of it whatever was decided. Each place is open twice, as by two servers, and any step may go to either.
#include <gtest/gtest.h>

#include <thread>

#include "decide/schedule/tick.hpp"
#include "store/registry.hpp"
#include "support/oracles/store_answers.hpp"
#include "support/oracles/store_snapshot.hpp"
#include "support/oracles/stores.hpp"
#include "support/worlds/seed.hpp"

namespace belfry::store {
namespace {

using namespace std::chrono_literals;
using decide::Facts;
using decide::Plan;
using model::BackfillStatus;
using model::ExecutionStatus;
using model::OverlapPolicy;
using model::ScheduleStatus;
using test::instant;
using test::Random;

template <typename T>
std::optional<ErrorCode> code_of(const Result<T>& result) {
    return result ? std::nullopt : std::optional{result.error().code};
}

// One kind of store, open twice.
struct Side {
    std::string name;
    std::unique_ptr<test::StoreWorld> world;
    std::array<test::StorePtr, 2> handles;
};

std::vector<Side> open_sides() {
    std::vector<Side> sides;
    for (const auto& kind : test::stores_under_test()) {
        Side side{kind.name, kind.make(), {}};
        for (auto& handle : side.handles) handle = side.world->open();
        sides.push_back(std::move(side));
    }
    return sides;
}

// --- Random definitions
// -----------------------------------------------------------------------------------------------

spec::SpecText random_spec(Random& random, Instant now) {
    spec::SpecText spec;
    spec.timezone = random.pick({"UTC", "America/New_York"});
    switch (random.number(0, 7)) {
        case 0:
            for (int i = random.number(1, 4); i > 0; --i)
                spec.at.push_back(format_instant(now + random.number(0, 600) * 1min));
            break;
        case 1: spec.intervals = {{"PT" + std::to_string(random.number(10, 200)) + "M", "PT3M"}}; break;
        default: spec.cron = {random.pick({"*/10 * * * *", "*/15 * * * *", "0 * * * *", "30 */3 * * *"})};
    }
    if (random.percent(15)) spec.end_at = format_instant(now + random.number(5, 60) * 1h);
    if (random.percent(30)) spec.jitter = {"PT" + std::to_string(random.number(0, 5)) + "M", "PT4M"};
    return spec;
}

model::OverlapRules random_overlap(Random& random) {
    model::OverlapRules rules{static_cast<OverlapPolicy>(random.number(0, 5)), {}};
    if (random.percent(40)) rules.max_concurrency = random.number(1, 3);
    return rules;
}

Json random_json(Random& random) {
    return test::json(random.pick({"null", "1", R"({"a":[1.5,"é"]})", "\"x\"", "{}", "[]", R"({"ok":true})"}));
}

// Of these one is deployed from the start, and one now and then.
void walk_a_workflow(Random& random, model::Schedule& schedule) {
    schedule.target.type = model::TargetType::workflow;
    schedule.target.kind = random.pick({"steps", "steps", "other"});
    if (random.percent(90)) schedule.target.input = test::json(R"({"audience":"all"})");
    if (random.percent(10)) schedule.target.version = random.number(1, 3);
}

model::Workflow random_workflow(Random& random, const std::string& tenant, const std::string& name) {
    auto workflow = test::diamond();
    workflow.tenant = tenant;
    workflow.name = name;
    workflow.version = 0;
    workflow.nodes.resize(static_cast<std::size_t>(random.number(1, 4)));
    if (random.percent(30)) workflow.queue = "slow";
    if (random.percent(30)) workflow.timeout = random.number(1, 600) * 60'000ms;
    if (random.percent(15)) workflow.approval.requires_approval = true;
    if (random.percent(15)) workflow.approval.mode = static_cast<model::ApprovalMode>(random.number(0, 2));
    for (auto& node : workflow.nodes) {
        if (node.id == "b" && random.percent(80)) node.input = nullptr;  // what it refers to is seldom there
        if (random.percent(20)) node.assignee = random.pick({"one", "two"});
        if (random.percent(20)) node.timeout = random.number(1, 3000) * 1000ms;
        if (random.percent(20)) node.retry = model::RetryPolicy{random.number(0, 2), 1000ms, {}, {}};
        if (random.percent(10)) node.depends_on.clear();
    }
    return workflow;
}

model::Schedule random_schedule(Random& random, const std::string& tenant, Instant now) {
    return test::task_schedule([&](model::Schedule& schedule) {
        schedule.tenant = tenant;
        schedule.name = random.pick({"a", "b", "c", "d", "B", "ä", "a_b"});
        schedule.spec = random_spec(random, now);
        schedule.target.queue = random.pick({"default", "default", "slow"});
        schedule.target.priority = random.number(-1, 1);
        schedule.target.input = random_json(random);
        schedule.overlap = random_overlap(random);
        schedule.missed = {static_cast<model::MissedPolicy>(random.number(0, 3)), random.number(0, 600) * 1s,
                           random.number(1, 12)};
        schedule.retry = {random.number(0, 2), 1000ms, {}, {}};
        if (random.percent(30)) schedule.retry.timeout = random.number(1, 3000) * 1000ms;
        if (random.percent(30)) schedule.assignee = model::Assignee{"team", random.pick({"one", "two"})};
        schedule.failure.mode = static_cast<model::FailureMode>(random.number(0, 2));
        schedule.failure.fallback_assignee_id = "two";
        if (random.percent(35)) walk_a_workflow(random, schedule);
        if (random.percent(25)) schedule.max_runs = random.number(1, 12);
        if (random.percent(30)) schedule.calendars = {random.pick({"weekends-only", "mine", "other"})};
        if (random.percent(40) && schedule.target.type == model::TargetType::task) {
            schedule.condition = test::json(
                random.pick({R"({"/last_24h_stats/failed":{"lt":2}})", R"({"/prior_run_result/ok":{"neq":true}})",
                             R"({"/last_24h_stats/total":{"lt":6}})", R"({"/last_24h_stats/succeeded":{"gt":0}})"}));
            // What another schedule decides in the same tick may be known or not.
            schedule.target.kind = "own-" + schedule.name;
        }
        if (random.percent(20)) schedule.breaker_failures = random.number(1, 3);
        if (schedule.breaker_failures && random.percent(50))
            schedule.breaker_retry_after = random.number(1, 120) * 1min;
        if (random.percent(20)) schedule.missed.grace.reset();
        schedule.missed.while_paused = random.percent(30);
        if (random.percent(30)) schedule.inputs_rotation = {random_json(random), test::json("2"), random_json(random)};
        if (random.percent(20)) schedule.inputs_template = random_json(random);
        if (random.percent(20)) schedule.approval.requires_approval = true;
        if (random.percent(25)) schedule.approval.mode = static_cast<model::ApprovalMode>(random.number(0, 2));
        if (random.percent(20)) schedule.approval.gates = {"publish"};
        if (random.percent(30)) schedule.approval.expires_after = random.number(1, 600) * 60'000ms;
        if (random.percent(50)) schedule.labels["team"] = random.pick({"x", "y"});
    });
}

// --- The walk
// -----------------------------------------------------------------------------------------------------------

class Walk {
public:
    Walk(Random& random, std::vector<Side>& sides, std::size_t number)
        : random_(random), sides_(sides), now_(instant("2026-06-01T00:00:00Z")) {
        now_ += Micros{random_.between(0, 5LL * 86400 * 1'000'000)};
        began_ = now_;
        servers_now_ = instant("2026-06-01T00:00:00Z") + static_cast<std::int64_t>(number) * 24h * 90;
        for (const char* const name : {"x", "y"}) tenants_.push_back("walk" + std::to_string(number) + name);
        with_budgets_ = random_.percent(30);
        limits_.catchup_per_tick = random_.percent(50) ? 100 : random_.number(1, 4);
    }

    void run(std::size_t steps) {
        for (const auto& tenant : tenants_) put_tenant(tenant);
        // Somebody follows one of the two.
        everywhere("follow", [&](Store& store) { return store.registry().follow(tenants_[0], kInstantMax); });
        for (int i = 0; i < 3; ++i) put_assignee();
        for (const auto& tenant : tenants_) deploy(tenant, "steps");
        for (int i = 0; i < 3; ++i) create();
        for (std::size_t i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
            pass_time();
            step();
            if (random_.percent(10)) come_or_go();
            if (i % 8 == 7) compare_everything();
        }
        if (!testing::Test::HasFailure()) compare_everything();
        if (!testing::Test::HasFailure()) clean_up();
        if (testing::Test::HasFailure()) tell();
    }

private:
    // The same on every side; the answers are equal. The first one's is returned.
    template <typename Verb>
    auto ask(const std::string& what, const Verb& verb) {
        const auto handle = static_cast<std::size_t>(random_.number(0, 1));
        auto first = verb(*sides_[0].handles[handle]);
        trace_.push_back(format_instant(now_) + " " + what + ": " + test::Answers::text(first));
        for (std::size_t i = 1; i < sides_.size(); ++i) {
            const auto other = verb(*sides_[i].handles[handle]);
            if (!test::Answers::same(first, other))
                ADD_FAILURE() << what << "\n  " << sides_[0].name << ": " << test::Answers::text(first) << "\n  "
                              << sides_[i].name << ": " << test::Answers::text(other);
        }
        return first;
    }

    // When it only matters that they are equal.
    template <typename Verb>
    void everywhere(const std::string& what, const Verb& verb) {
        [[maybe_unused]] const auto answer = ask(what, verb);
    }

    void compare_everything() {
        const auto handle = static_cast<std::size_t>(random_.number(0, 1));
        const auto first = test::read_everything(*sides_[0].handles[handle], tenants_);
        for (std::size_t i = 1; i < sides_.size(); ++i) {
            wait_for_feed(*sides_[i].handles[handle], first.feed.size());
            const auto told = test::difference(first, test::read_everything(*sides_[i].handles[handle], tenants_));
            EXPECT_EQ(told, "") << sides_[0].name << " against " << sides_[i].name;
        }
        ledger_.check(first);
        seen_ = first;
    }

    // Others' transactions may keep PostgreSQL's newest items from being settled for a while.
    void wait_for_feed(Store& store, std::size_t items) {
        const auto settled = [&] {
            return store.registry().feed(tenants_[0], 0, kFeedPageMax).value().size() >= items;
        };
        for (int i = 0; i < 10'000 && !settled(); ++i) std::this_thread::yield();
    }

    void pass_time() {
        const int most_s = random_.percent(60) ? 600 : random_.percent(90) ? 3 * 3600 : 2 * 86400;
        now_ += Micros{random_.between(0, most_s * 1'000'000LL)};
    }

    void step() {
        const int roll = random_.number(0, 99);
        if (roll < 25) return tick();
        if (roll < 40) return claim();
        if (roll < 55) return complete();
        if (roll < 58) return heartbeat();
        if (roll < 62) return reap();
        if (roll < 67) return create();
        if (roll < 73) return trigger();
        if (roll < 77) return pause_or_resume();
        if (roll < 81) return update();
        if (roll < 84) return judge_or_cancel();
        if (roll < 90) return backfill();
        if (roll < 91) return random_.percent(50) ? put_calendar() : put_assignee();
        if (roll < 93) return change_workflow();
        if (roll < 94) return put_tenant(random_.pick(tenants_));
        if (roll < 96) return list();
        if (roll < 98) return random_.percent(60) ? forget() : random_.percent(50) ? sweep() : remove_for_good();
        if (roll < 99) return apply_twice();
        remove();
    }

    // One of the schedules that were there when everything was read last; now and then one of nobody's.
    ScheduleRef some_schedule() {
        if (seen_.schedules.empty() || random_.percent(2)) return {.tenant = tenants_[0], .id = "nobody"};
        const auto& schedule = random_.pick(seen_.schedules).definition;
        if (random_.percent(3))
            return {.tenant = schedule.tenant == tenants_[0] ? tenants_[1] : tenants_[0], .id = schedule.id};
        if (random_.percent(20)) return {.tenant = schedule.tenant, .name = schedule.name};
        return test::ref_of(schedule);
    }
    std::vector<std::int64_t> keys() const {
        std::vector<std::int64_t> all;
        for (const auto& schedule : seen_.schedules) all.push_back(model::key_of(schedule.definition.id));
        return all;
    }

    void create() {
        std::vector<model::Schedule> wanted;
        for (int i = random_.percent(80) ? 1 : 3; i > 0; --i) {
            auto schedule = random_schedule(random_, random_.pick(tenants_), now_);
            if (decide::plan_create(test::compiled(schedule), now_)) wanted.push_back(std::move(schedule));
        }
        const auto created = ask("create", [&](Store& store) {
            auto result = test::create(store, wanted, now_);
            // With two reasons to refuse, either may be given.
            if (!result && result.error().code == ErrorCode::exhausted && wanted.size() > 1) {
                return Result<void>(Error{ErrorCode::already_exists, "refused"});
            }
            if (!result && result.error().code == ErrorCode::conflict)
                return Result<void>(Error{ErrorCode::already_exists, "refused"});
            if (!result && result.error().code == ErrorCode::already_exists)
                return Result<void>(Error{ErrorCode::already_exists, "refused"});
            return result;
        });
        if (!created) return;
        for (const auto& schedule : wanted) ledger_.created(schedule, now_);
        compare_everything();
    }

    // Which schedule gets the last of a budget is for each store to say, so that under one they are decided one by one.
    void tick() {
        auto where = keys();
        if (!with_budgets_) {
            if (random_.percent(50)) where.clear();
            std::erase_if(where, [&](auto) { return random_.percent(30); });
            if (!where.empty()) where.push_back(7);  // nobody's
            return tick(where);
        }
        for (const auto key : where) tick({key});
    }

    void tick(const std::vector<std::int64_t>& where) {
        const bool poison = random_.percent(5);
        const auto outcome = ask("tick", [&](Store& store) {
            auto answer = store.tick({.now = now_, .keys = where}, [&](const Facts& facts) -> Result<Plan> {
                if (poison && facts.schedule->definition.name == "a") return Error{ErrorCode::corrupt, "poison"};
                return decide::plan_tick(facts, now_, limits_);
            });
            if (!answer) return answer;
            std::ranges::sort(answer->plans, {}, &Plan::schedule_id);
            std::ranges::sort(answer->upcoming, {}, &Upcoming::key);
            std::ranges::sort(answer->poisoned, {}, &Poisoned::key);
            return answer;
        });
        EXPECT_TRUE(outcome && (poison || outcome->poisoned.empty())) << "what was not poisoned must be decided";
    }

    // All that is ready: which of two equals comes first is for each store to say.
    void claim() {
        ClaimRequest request{random_.pick(tenants_),
                             random_.pick({"default", "slow"}),
                             "w" + std::to_string(random_.number(0, 9)),
                             kClaimMax,
                             now_,
                             random_.number(10, 4000) * 1s};
        request.assignee = random_.pick({"", "", "one", "two"});
        const auto tasks = ask("claim", [&](Store& store) {
            auto claimed = store.claim(request);
            if (claimed)
                std::ranges::sort(*claimed, {}, [](const auto& task) { return std::pair(task.run_id, task.node); });
            return claimed;
        });
        if (!tasks) return;
        for (const auto& task : *tasks) {
            EXPECT_EQ(std::ranges::count(leases_, test::lease_of(task)), 0) << "9: a token is given once";
            EXPECT_LE(sides_[0].handles[0]->run(task.tenant, task.run_id).value().fire_at, now_)
                << "3: claimed before its fire time";
            leases_.push_back(test::lease_of(task));
        }
    }

    // Held or lost long ago.
    std::vector<model::LeaseRef> some_leases(int most) {
        std::vector<model::LeaseRef> some;
        for (int i = random_.number(1, most); i > 0 && !leases_.empty(); --i) {
            some.push_back(
                random_.percent(80)
                    ? leases_[leases_.size() - 1 -
                              static_cast<std::size_t>(random_.between(
                                  0, std::min<std::int64_t>(5, static_cast<std::int64_t>(leases_.size()) - 1)))]
                    : random_.pick(leases_));
        }
        return some;
    }

    void complete() {
        std::vector<AttemptReport> endings;
        // Which of several that end leaves the last of a budget to a buffered run is for each store to say.
        for (const auto& lease : some_leases(with_budgets_ ? 1 : 4)) {
            decide::AttemptEnd end{.status = ExecutionStatus::succeeded, .result = random_json(random_)};
            if (random_.percent(40)) end = test::failed("broken " + std::to_string(random_.number(0, 9)));
            if (random_.percent(10)) end.status = ExecutionStatus::cancelled;
            if (random_.percent(40)) end.usage = random_usage();
            endings.push_back({lease, end});
        }
        if (endings.empty()) return;
        if (random_.percent(10)) {
            std::vector<store::UsageReport> reports;
            for (const auto& ending : endings) reports.push_back({ending.lease, random_usage()});
            everywhere("report_usage", [&](Store& store) { return test::report_usage(store, reports, now_); });
            return;
        }
        everywhere("complete", [&](Store& store) { return test::complete(store, endings, now_); });
    }

    model::Usage random_usage() {
        model::Usage usage{model::Credits{random_.between(0, 3'000'000)}, random_.number(0, 100), random_.number(0, 5)};
        for (int i = random_.number(0, 2); i > 0; --i) usage.tools.insert(random_.pick({"search", "browse", "shell"}));
        return usage;
    }

    void heartbeat() {
        const auto leases = some_leases(6);
        const auto until = now_ + random_.number(1, 7200) * 1s;
        everywhere("heartbeat", [&](Store& store) {
            auto held = store.heartbeat(leases, now_, until);
            if (held)
                std::ranges::sort(*held, {}, [](const auto& lease) { return std::pair(lease.run_id, lease.node); });
            return held;
        });
    }

    void reap() {
        const auto expired = ask("expired", [&](Store& store) {
            auto found = store.expired(now_, kPageMax);
            if (found)
                std::erase_if(
                    *found, [&](const auto& lease) { return std::ranges::find(leases_, lease.ref) == leases_.end(); });
            if (found)
                std::ranges::sort(*found, {},
                                  [](const auto& lease) { return std::pair(lease.ref.run_id, lease.ref.node); });
            return found;
        });
        if (!expired) return;
        std::vector<AttemptReport> endings;
        for (const auto& lease : *expired)
            endings.push_back(test::reaped(lease.ref, random_.percent(80) ? now_ : lease.until - 1s));
        everywhere("reap", [&](Store& store) { return test::complete(store, endings, now_); });
    }

    void deploy(const std::string& tenant, const std::string& name) {
        const auto workflow = random_workflow(random_, tenant, name);
        everywhere("deploy", [&](Store& store) { return store.put_workflow(workflow); });
    }

    void change_workflow() {
        const auto tenant = random_.pick(tenants_);
        const std::string name = random_.pick({"steps", "steps", "other"});
        if (random_.percent(70)) return deploy(tenant, name);
        everywhere("remove workflow", [&](Store& store) { return store.remove_workflow(tenant, name, now_); });
    }

    void settle_a_dead_letter() {
        if (seen_.dead_letters.empty()) return;
        const auto letter = random_.pick(seen_.dead_letters);
        const auto run = std::ranges::find(seen_.runs, letter, &model::Run::id);
        if (random_.percent(50)) {
            const auto tenant = random_.pick(tenants_);
            return everywhere("dismiss", [&](Store& store) { return store.dismiss(tenant, letter); });
        }
        const auto found =
            std::ranges::find(seen_.schedules, run->schedule_id, [](const auto& each) { return each.definition.id; });
        everywhere("replay",
                   [&](Store& store) { return test::replay(store, test::ref_of(found->definition), letter, now_); });
    }

    void trigger() {
        if (random_.percent(20)) return settle_a_dead_letter();
        decide::TriggerRequest request;
        if (random_.percent(30)) request.overlap = static_cast<OverlapPolicy>(random_.number(0, 5));
        if (random_.percent(40)) request.input = random_json(random_);
        const auto schedule = some_schedule();
        everywhere("trigger", [&](Store& store) { return test::trigger(store, schedule, now_, request); });
    }

    void pause_or_resume() {
        const auto schedule = some_schedule();
        decide::PauseRequest request{"walk", {}};
        if (random_.percent(50)) request.until = now_ + random_.number(1, 300) * 1min;
        const auto paused =
            random_.percent(50)
                ? ask("pause", [&](Store& store) { return test::pause(store, schedule, now_, request); })
                : ask("resume", [&](Store& store) { return test::resume(store, schedule, now_); });
        if (paused) ledger_.interrupted(paused->schedule_id);
    }

    void update() {
        const auto schedule = some_schedule();
        const auto overlap = random_overlap(random_);
        const auto spec = random_spec(random_, now_);
        const auto input = random_json(random_);
        const auto name = random_.pick({"a", "e", "f"});
        const auto mode = static_cast<model::ApprovalMode>(random_.number(0, 2));
        const int roll = random_.number(0, 6);
        const auto changed = ask("update", [&](Store& store) {
            return test::update(store, schedule, now_, [&](auto& s) {
                if (roll == 0) s.overlap = overlap;
                if (roll == 1) s.spec = spec;
                if (roll == 2) s.target.input = input;
                if (roll == 3) s.name = name;
                if (roll == 4) {
                    s.target.type = s.target.type == model::TargetType::task ? model::TargetType::workflow
                                                                             : model::TargetType::task;
                    s.target.kind = "steps";
                    s.target.input = test::json(R"({"audience":"all"})");
                }
                if (roll == 6)
                    s.approval = s.approval == model::ApprovalPolicy{} ? model::ApprovalPolicy{.mode = mode}
                                                                       : model::ApprovalPolicy{};
                if (roll == 5)
                    s.failure.mode = s.failure.mode == model::FailureMode::fallback ? model::FailureMode::halt
                                                                                    : model::FailureMode::fallback;
            });
        });
        if (changed) ledger_.interrupted(changed->schedule_id);
    }

    // Of a node, or of the whole run; sometimes nobody came in time.
    void judge_pending() {
        if (seen_.pending_approvals.empty()) return;
        const auto& [tenant, approval] = random_.pick(seen_.pending_approvals);
        const auto run = std::ranges::find(seen_.runs, approval.run_id, &model::Run::id);
        if (run == seen_.runs.end()) return;
        const ScheduleRef ref{tenant, run->schedule_id};
        if (random_.percent(25)) {
            everywhere("expire", [&, run_id = approval.run_id, node = approval.node](Store& store) {
                return test::expire_approval(store, ref, run_id, node, now_);
            });
            return;
        }
        const decide::ApprovalDecision decision{random_.percent(70), "because", approval.node};
        everywhere("judge", [&, run_id = approval.run_id](Store& store) {
            return test::judge(store, ref, run_id, decision, now_);
        });
    }

    void judge_or_cancel() {
        if (random_.percent(50)) return judge_pending();
        if (seen_.runs.empty()) return;
        std::vector<model::Run> open;
        for (const auto& run : seen_.runs) {
            if (run.execution == ExecutionStatus::awaiting_approval ||
                (random_.percent(20) && is_in_flight(run.execution)))
                open.push_back(run);
        }
        const auto& run = open.empty() ? seen_.runs.front() : random_.pick(open);
        const auto found =
            std::ranges::find(seen_.schedules, run.schedule_id, [](const auto& each) { return each.definition.id; });
        const auto ref = random_.percent(95) ? test::ref_of(found->definition) : some_schedule();
        const decide::ApprovalDecision decision{random_.percent(60), "because"};
        if (random_.percent(80)) {
            everywhere("judge", [&](Store& store) { return test::judge(store, ref, run.id, decision, now_); });
        } else {
            everywhere("cancel", [&](Store& store) { return test::cancel(store, ref, run.id, now_); });
        }
    }

    void backfill() {
        std::vector<model::Backfill> open;
        for (const auto& each : seen_.backfills) {
            if (!is_over(each.status)) open.push_back(each);
        }
        if (!seen_.schedules.empty() && (open.empty() || random_.percent(30))) {
            const auto& schedule = random_.pick(seen_.schedules).definition;
            auto wanted = test::new_backfill(schedule, now_ - random_.number(1, 1000) * 1min,
                                             now_ - random_.number(0, 10) * 1min, now_);
            if (random_.percent(40)) wanted.overlap = static_cast<OverlapPolicy>(random_.number(0, 5));
            if (!wanted.overlap && random_.percent(50)) wanted.concurrency = random_.number(1, 4);
            if (random_.percent(25)) wanted.rerun = static_cast<model::BackfillRerun>(random_.number(0, 2));
            if (wanted.rerun != model::BackfillRerun::missing) ledger_.reruns(schedule.id);
            std::optional<model::RequestKey> request;
            if (random_.percent(50))
                request = model::RequestKey{"key " + std::to_string(random_.number(1, 5)), "print " + wanted.id};
            everywhere("create backfill",
                       [&](Store& store) { return store.create_backfill(schedule.tenant, wanted, request); });
            if (random_.percent(20))
                everywhere("prune requests", [&](Store& store) { return store.prune_requests(now_ - 6h, 100); });
            return compare_everything();
        }
        if (open.empty()) return;
        const auto& chosen = random_.pick(open);
        const auto found =
            std::ranges::find(seen_.schedules, chosen.schedule_id, [](const auto& each) { return each.definition.id; });
        const auto tenant = found->definition.tenant;
        if (random_.percent(75)) {
            const int page = random_.number(1, 12);
            everywhere("step", [&](Store& store) { return test::step(store, tenant, chosen, now_, page); });
        } else {
            const auto status = random_.pick(std::vector{BackfillStatus::paused, BackfillStatus::running,
                                                         BackfillStatus::running, BackfillStatus::cancelled});
            everywhere("set status",
                       [&](Store& store) { return test::set_status(store, tenant, chosen.id, status, now_); });
        }
    }

    void put_calendar() {
        const auto tenant = random_.pick(tenants_);
        const std::string name = random_.pick({"mine", "other"});
        if (random_.percent(30)) {
            const auto removed =
                ask("remove calendar", [&](Store& store) { return store.remove_calendar(tenant, name); });
            if (removed) calendars_.erase(tenant + name);
            return;
        }
        CalendarRecord record{{.name = name}, calendars_[tenant + name] + (random_.percent(90) ? 1 : 2)};
        for (int i = random_.number(0, 4); i > 0; --i)
            record.calendar.dates.push_back(format_instant(now_ + random_.number(0, 4) * 24h).substr(0, 10));
        if (ask("put calendar", [&](Store& store) { return store.put_calendar(tenant, record); }))
            calendars_[tenant + name] = record.version;
    }

    void put_assignee() {
        const auto tenant = random_.pick(tenants_);
        const std::string id = random_.pick({"one", "two"});
        if (random_.percent(20)) {
            const auto removed =
                ask("remove assignee", [&](Store& store) { return store.remove_assignee(tenant, id); });
            if (removed) assignees_.erase(tenant + id);
            return;
        }
        model::AssigneeRecord record{
            .id = id, .created_at = instant("2026-01-01T00:00:00Z"), .version = assignees_[tenant + id] + 1};
        auto& policies = record.policies;
        if (random_.percent(70)) policies.spending_limit = model::Credits{random_.between(0, 4'000'000)};
        if (random_.percent(30)) policies.max_tokens = random_.number(0, 150);
        if (random_.percent(30)) policies.allow_tools = {{"search", "browse"}};
        if (with_budgets_ && random_.percent(70))
            policies.credits_per_day = model::Credits{random_.between(0, 15'000'000)};
        if (with_budgets_ && random_.percent(40)) policies.max_runs_per_day = random_.number(0, 8);
        if (ask("put assignee", [&](Store& store) { return store.put_assignee(tenant, record); }))
            assignees_[tenant + id] = record.version;
    }

    void put_tenant(const std::string& name) {
        model::Tenant tenant{.name = name,
                             .created_at = instant("2026-01-01T00:00:00Z"),
                             .version = versions_[name] + (random_.percent(90) || versions_[name] == 0 ? 1 : 2)};
        tenant.dispatch_enabled = random_.percent(85);
        if (random_.percent(40)) tenant.schedules_max = random_.number(1, 6);
        if (with_budgets_ && random_.percent(70)) tenant.runs_per_day = random_.number(1, 8);
        if (ask("put tenant", [&](Store& store) { return store.put_tenant(tenant); })) versions_[name] = tenant.version;
    }

    void list() {
        const auto tenant = random_.pick(tenants_);
        const auto page = static_cast<std::size_t>(random_.number(1, 7));
        ScheduleFilter schedules{.tenant = tenant, .name_prefix = random_.pick({"", "a", "a_", "B"})};
        if (random_.percent(50)) schedules.status = static_cast<ScheduleStatus>(random_.number(0, 3));
        if (random_.percent(30)) schedules.label = {"team", "x"};
        if (random_.percent(30))
            schedules.target_type = random_.percent(50) ? model::TargetType::task : model::TargetType::workflow;
        if (random_.percent(20)) schedules.contains = random_.pick({"A", "b", "_"});
        if (random_.percent(20)) schedules.next_to = now_ + random_.number(0, 120) * 1min;
        schedules.descending = random_.percent(40);
        everywhere("request", [&](Store& store) { return store.request(tenant, "key 1"); });
        everywhere("counts", [&](Store& store) -> Result<std::vector<ScheduleCount>> {
            auto counts = store.counts(now_);
            if (!counts) return counts.error();
            return counts->schedules;
        });
        everywhere("list schedules", [&](Store& store) { return test::all_schedules(store, schedules, page); });
        RunFilter runs{.tenant = tenant};
        if (!seen_.schedules.empty() && random_.percent(50)) {
            const auto& schedule = random_.pick(seen_.schedules).definition;
            runs.schedule_id = schedule.id;
            everywhere("list runs of any tenant's", [&](Store& store) { return code_of(store.runs(runs, {})); });
            runs.tenant = schedule.tenant;
        }
        if (random_.percent(60)) runs.state = static_cast<RunState>(random_.number(0, 9));
        if (random_.percent(40)) runs.from = now_ - random_.number(0, 3000) * 1min;
        if (random_.percent(40)) runs.to = now_ - random_.number(0, 3000) * 1min;
        everywhere("list runs", [&](Store& store) { return test::all_runs(store, runs, page); });
    }

    void forget() {
        const auto schedule = some_schedule();
        const auto limit = static_cast<std::size_t>(random_.number(1, 10));
        Retention retention;
        if (random_.percent(60)) retention.occurred_before = now_ - random_.number(0, 600) * 1min;
        if (random_.percent(60)) retention.keep_newest = random_.number(0, 10);
        if (random_.percent(40)) retention.keep_letters_since = now_ - random_.number(0, 600) * 1min;
        const auto removed = random_.percent(40)
                                 ? ask("purge", [&](Store& store) { return store.purge(schedule, limit); })
                                 : ask("prune", [&](Store& store) { return store.prune(schedule, retention, limit); });
        if (!removed || *removed == 0) return;
        if (const auto found = sides_[0].handles[0]->schedule(schedule)) ledger_.forgot_runs(found->definition.id);
    }

    // The schedules of walks before this one are swept, too.
    void sweep() {
        PruneRequest request{.schedules = static_cast<std::size_t>(random_.number(1, 10)),
                             .limit = static_cast<std::size_t>(random_.number(1, 10))};
        if (random_.percent(60)) request.retention.occurred_before = now_ - random_.number(0, 600) * 1min;
        if (random_.percent(60)) request.retention.keep_newest = random_.number(0, 10);
        if (random_.percent(40)) request.retention.keep_letters_since = now_ - random_.number(0, 600) * 1min;
        if (!seen_.schedules.empty() && random_.percent(80))
            request.after_key = model::key_of(random_.pick(seen_.schedules).definition.id) - 1;
        const auto swept = ask("sweep", [&](Store& store) { return store.prune_some(request); });
        if (!swept || swept->removed == 0) return;
        for (const auto& schedule : seen_.schedules) ledger_.forgot_runs(schedule.definition.id);
    }

    // All events that are old enough, or those of the first schedules.
    void archive_events(Instant before) {
        compare_everything();  // the ledger sees what will be gone
        const ArchiveRequest request{.before = before,
                                     .schedules = static_cast<std::size_t>(random_.number(1, 30)),
                                     .limit = static_cast<std::size_t>(random_.number(1, 100))};
        const auto page = ask("archivable", [&](Store& store) { return store.archivable(request); });
        if (!page) return;
        std::vector<ArchivedUpTo> ends;
        for (const auto& part : page->parts)
            ends.push_back({part.schedule_id, {part.events.back().sequence, part.events.back().hash}});
        everywhere("remove archived", [&](Store& store) { return store.remove_archived(ends); });
        for (const auto& schedule : seen_.schedules) {
            const auto ref = test::ref_of(schedule.definition);
            everywhere("its chain", [&](Store& store) { return store.audit_chain(ref, 0, kPageMax); });
        }
    }

    // What is over goes in full, its history stays, and what only has an age goes, too.
    void remove_for_good() {
        RemovalRequest request{.ended_before = now_ - random_.number(0, 600) * 1min,
                               .schedules = static_cast<std::size_t>(random_.number(1, 10)),
                               .limit = static_cast<std::size_t>(random_.number(1, 30))};
        if (random_.percent(40)) request.keep_letters_since = now_ - random_.number(0, 600) * 1min;
        const auto removed = ask("remove ended", [&](Store& store) { return store.remove_ended(request); });
        if (removed && removed->runs > 0) {
            for (const auto& schedule : seen_.schedules) ledger_.forgot_runs(schedule.definition.id);
        }
        for (const auto& schedule : seen_.schedules) {
            const auto ref = test::ref_of(schedule.definition);
            everywhere("schedule that may be gone", [&](Store& store) { return code_of(store.schedule(ref)); });
            everywhere("its history", [&](Store& store) { return store.events(ref, 0, kPageMax); });
        }
        const auto before = now_ - random_.number(0, 600) * 1min;
        if (random_.percent(50)) archive_events(before);
        if (random_.percent(30))
            everywhere("prune letters", [&](Store& store) { return store.prune_letters(before, 1'000); });
        if (random_.percent(30))
            everywhere("prune backfills", [&](Store& store) { return store.prune_backfills(before, 1'000); });
        // A database locks a day by a row that counts nothing, so the numbers differ.
        if (random_.percent(30))
            everywhere("prune days",
                       [&](Store& store) { return code_of(store.prune_budgets(model::day_of(before), 1'000)); });
        if (random_.percent(30))
            everywhere("prune workflows", [&](Store& store) { return store.prune_workflows(0, 2, 1'000); });
        compare_everything();
    }

    // Servers have a time line of their own that goes on from walk to walk, with clocks that are now and then behind.
    void come_or_go() {
        const auto server = "s" + std::to_string(random_.number(0, 3));
        const MembershipRequest request{server, servers_now_ + (now_ - began_) - random_.number(0, 3) * 30s,
                                        random_.number(1, 7200) * 1s};
        if (random_.percent(20)) {
            everywhere("leave", [&](Store& store) { return store.leave(server); });
        } else {
            everywhere("renew_membership", [&](Store& store) { return store.renew_membership(request); });
        }
        const auto where = keys();
        everywhere("look", [&](Store& store) { return store.peek_next_fires(where); });
    }

    // A plan made before; in between, perhaps, somebody else decides.
    void apply_twice() {
        const auto schedule = some_schedule();
        std::optional<Plan> plan;
        everywhere("look", [&](Store& store) {
            return store.change(schedule, {.now = now_, .in_flight = true, .slots = std::pair{now_ - 1s, now_}},
                                [&](const Facts& facts) -> Result<Plan> {
                                    if (auto planned = decide::plan_trigger(facts, {}, now_)) plan = *planned;
                                    return Error{ErrorCode::conflict, "only looking"};
                                });
        });
        if (!plan) return;
        if (random_.percent(30)) trigger();
        everywhere("apply", [&](Store& store) { return store.apply(std::vector{*plan, *plan}); });
    }

    void remove() {
        const auto schedule = some_schedule();
        everywhere("delete", [&](Store& store) { return test::remove(store, schedule, now_); });
    }

    // Nothing of this walk is due in the next.
    void clean_up() {
        for (const auto& schedule : seen_.schedules) {
            if (schedule.state.status == ScheduleStatus::deleted) continue;
            const auto ref = test::ref_of(schedule.definition);
            everywhere("delete", [&](Store& store) { return test::remove(store, ref, now_); });
        }
        compare_everything();
    }

    void tell() const {
        constexpr std::size_t kTold = 25;
        std::string story = "the last steps, as " + sides_[0].name + " answered:\n";
        for (std::size_t i = trace_.size() > kTold ? trace_.size() - kTold : 0; i < trace_.size(); ++i)
            story += "  " + trace_[i] + "\n";
        ADD_FAILURE() << story;
    }

    Random& random_;
    std::vector<Side>& sides_;
    Instant now_;
    Instant began_;
    Instant servers_now_;
    bool with_budgets_ = false;
    decide::Limits limits_;
    std::vector<std::string> tenants_;
    std::map<std::string, std::int64_t> versions_;        // of tenants
    std::map<std::string, std::int64_t> calendars_;       // and of calendars
    std::map<std::string, std::int64_t> assignees_ = {};  // versions, by tenant and id
    std::vector<model::LeaseRef> leases_;                 // every one that was ever given
    test::Snapshot seen_;
    test::StoreLedger ledger_;
    std::vector<std::string> trace_;
};

TEST(StoreProperty, EveryStoreAnswersTheSameOnARandomWalkAndTheInvariantsHold) {
    constexpr std::size_t kSteps = 60;          // of one walk; CASES counts steps
    constexpr std::size_t kWalksPerPlace = 10;  // a fresh database costs as much as a walk
    Random random(71);
    std::vector<Side> sides;
    const auto walks = std::max<std::size_t>(1, test::case_count(600) / kSteps);
    for (std::size_t i = 0; i < walks; ++i) {
        if (i % kWalksPerPlace == 0) sides = open_sides();
        Walk(random, sides, i).run(kSteps);
        ASSERT_FALSE(HasFailure()) << "walk " << i;
    }
}

}  // namespace
}  // namespace belfry::store
