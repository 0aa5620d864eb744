// Random schedules on a random walk of ticks, completions, triggers, backfills, pauses and updates. After each step a
// ledger checks what must hold whatever was decided. It knows the definition, the spec's occurrences and the rows of
// the plans, and nothing of how they are made; the numbers are those of docs/internals/invariants.md.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "decide/apply.hpp"
#include "decide/run/completion.hpp"
#include "decide/schedule/tick.hpp"
#include "model/schedule/schedule_json.hpp"
#include "support/worlds/schedules.hpp"
#include "support/worlds/seed.hpp"

namespace belfry::decide {
namespace {

using namespace std::chrono_literals;
using model::DispatchStatus;
using model::ExecutionStatus;
using model::OverlapPolicy;
using model::RunCause;
using model::RunSlot;
using model::ScheduleStatus;
using test::instant;
using test::Random;

constexpr Micros kInstant{1};

bool is_acting(OverlapPolicy policy) {
    return policy == OverlapPolicy::cancel_other || policy == OverlapPolicy::terminate_other;
}

class Ledger {
public:
    // The schedule answers for the occurrences after `after`: it was created, resumed or given a new spec then.
    void answers_from(Instant after) { covered_ = after; }

    // Everything that is checked after a step.
    void check(const Facts& before, const Plan& plan, std::string_view verb) {
        test::expect_sound(before, plan);
        schedule_ = before.schedule.get();
        plan_ = &plan;
        check_ends(before);
        for (const auto& run : plan.releases) check_release(before, run);
        for (const auto& run : plan.runs) check_row(before, run);
        check_overlap();
        check_limits(before);
        check_cursor(before);
        check_counters(before, verb);
    }

    // 2: what is due has its outcome, once the ticks have caught up.
    void check_nothing_is_owed(const Facts& facts, Instant now) {
        if (facts.state.status == ScheduleStatus::deleted || facts.state.status == ScheduleStatus::paused) return;
        schedule_ = facts.schedule.get();
        const auto owed = next_undecided();
        if (facts.state.status == ScheduleStatus::completed) {
            EXPECT_FALSE(owed) << "completed without an outcome for " << format_instant(*owed);
        } else if (owed) {
            EXPECT_GT(fire_time(*owed), now) << format_instant(*owed) << " is due and has no outcome";
        }
    }

    [[nodiscard]] const std::set<std::string>& ended() const { return ended_; }

private:
    [[nodiscard]] const model::Schedule& definition() const { return schedule_->definition; }
    [[nodiscard]] Instant fire_time(Instant occurrence) const {
        return schedule_->spec.fire_time(definition().id, occurrence);
    }

    [[nodiscard]] std::optional<Instant> next_undecided() const {
        auto next = schedule_->spec.next(covered_);
        while (next && decided_.contains(*next)) next = schedule_->spec.next(*next);
        return next;
    }

    // 10: a run ends once.
    void check_ends(const Facts& before) {
        const bool by_overlap = plan_->ends.size() > 1 || !plan_->runs.empty();
        for (const auto& end : plan_->ends) {
            EXPECT_TRUE(is_terminal(end.status));
            EXPECT_EQ(in_flight_.erase(end.run_id), 1U) << "a run that was not in flight ended";
            EXPECT_TRUE(ended_.insert(end.run_id).second) << "a run ended twice";
        }
        if (!by_overlap || plan_->ends.empty()) return;
        const bool started = std::ranges::any_of(
            plan_->runs, [](const auto& run) { return run.dispatch == DispatchStatus::dispatched; });
        EXPECT_TRUE(started) << "a tick that starts nothing puts an end to nothing";
        EXPECT_TRUE(is_acting(plan_->runs.front().overlap)) << before.schedule->definition.name;
    }

    void check_release(const Facts& before, const PlannedRun& run) {
        EXPECT_EQ(buffered_.erase(run.slot), 1U) << "a run was released that was not buffered";
        EXPECT_NE(before.state.status, ScheduleStatus::deleted);
        if (run.dispatch == DispatchStatus::dispatched) {
            note_dispatch(run);
        } else {
            running_occurrences_.erase(run.slot.occurrence);
        }
    }

    void check_row(const Facts& before, const PlannedRun& run) {
        EXPECT_EQ(slots_.insert(run.slot).second, !run.replaces) << "1: a slot was used twice";
        const auto occurrence = run.slot.occurrence;
        if (run.slot.cause == RunCause::tick) {
            cover(occurrence, run.range ? run.range->last : occurrence, run);
        } else if (run.slot.cause == RunCause::backfill) {
            EXPECT_EQ(schedule_->spec.next(occurrence - kInstant), occurrence) << "3: the spec does not yield it";
            EXPECT_LT(occurrence,
                      before.state.next_occurrence.value_or(before.state.paused_until.value_or(kInstantMax)))
                << "it belongs to the ticks";
        } else {
            EXPECT_EQ(occurrence, std::chrono::floor<std::chrono::milliseconds>(plan_->decided_at));
        }
        if (run.dispatch == DispatchStatus::skipped) return;
        const bool paused = before.state.status == ScheduleStatus::paused && run.slot.cause == RunCause::backfill;
        EXPECT_TRUE(paused || before.state.status == ScheduleStatus::active)
            << "6: nothing fires while paused, completed or deleted";
        if (run.slot.cause != RunCause::trigger) {
            EXPECT_TRUE(running_occurrences_.insert(occurrence).second) << "1: an occurrence ran twice";
            check_gates(occurrence);
        }
        if (run.dispatch == DispatchStatus::dispatched) note_dispatch(run);
        if (run.dispatch == DispatchStatus::buffered) buffered_.insert(run.slot);
    }

    // 2 and 3: the rows of ticks are the occurrences of the spec, one after the other, none before its fire time.
    void cover(Instant first, Instant last, const PlannedRun& run) {
        std::int64_t count = 0;
        ASSERT_EQ(next_undecided(), first) << "2: not the next occurrence without an outcome";
        for (auto at = next_undecided(); at && *at <= last; at = next_undecided()) {
            ASSERT_LE(fire_time(*at), plan_->decided_at) << "3: decided before its fire time";
            decided_.insert(*at);
            covered_ = *at;
            ++count;
        }
        if (run.range && !run.range->at_least) {
            EXPECT_EQ(run.range->count, count);
        }
    }

    // 6, and the calendar as a person reads it.
    void check_gates(Instant occurrence) const {
        const auto& spec = definition().spec;
        if (spec.start_at) {
            EXPECT_GE(occurrence, instant(*spec.start_at)) << "6: before the window";
        }
        if (spec.end_at) {
            EXPECT_LE(occurrence, instant(*spec.end_at)) << "6: after the window";
        }
        if (!definition().calendars.empty()) {
            EXPECT_FALSE(format_instant(occurrence).starts_with("2026-06-02")) << "on a day that the calendar skips";
        }
    }

    void note_dispatch(const PlannedRun& run) {
        ++dispatched_;
        EXPECT_FALSE(in_flight_.contains(run.id) || ended_.contains(run.id)) << "1: a run was started twice";
        if (is_in_flight(run.execution)) {
            in_flight_.insert(run.id);
        } else {
            ended_.insert(run.id);
        }
    }

    // 4: whatever was started fits under the limit of the policy that started it.
    void check_overlap() const {
        for (const auto* rows : {&plan_->releases, &plan_->runs}) {
            for (const auto& run : *rows) {
                if (!is_in_flight(run.execution)) continue;
                const auto limit = model::OverlapRules{run.overlap, definition().overlap.max_concurrency}.limit();
                if (limit) {
                    EXPECT_LE(in_flight_.size(), static_cast<std::size_t>(*limit)) << "4: " << name_of(run.overlap);
                }
            }
        }
    }

    // 5, and switches that are off start nothing.
    void check_limits(const Facts& before) const {
        const auto started = plan_->state.runs - before.state.runs;
        if (started == 0) return;
        EXPECT_TRUE(before.switches.all());
        if (definition().max_runs) {
            EXPECT_LE(dispatched_, *definition().max_runs) << "5: more runs than maxRuns";
            EXPECT_EQ(plan_->state.status == ScheduleStatus::deleted, dispatched_ == *definition().max_runs)
                << "the last run deletes the schedule";
        }
    }

    // 7: the cursor only moves forward.
    void check_cursor(const Facts& before) const {
        if (plan_->definition || before.state.status != ScheduleStatus::active || !plan_->state.next_occurrence) return;
        EXPECT_GE(*plan_->state.next_occurrence, *before.state.next_occurrence) << "7: the cursor moved back";
    }

    void check_counters(const Facts& before, std::string_view verb) const {
        const auto& state = plan_->state;
        EXPECT_EQ(state.runs, dispatched_);
        EXPECT_EQ(static_cast<std::size_t>(state.in_flight), in_flight_.size());
        EXPECT_EQ(static_cast<std::size_t>(state.buffered), buffered_.size());
        // No run of it ends any more, and what somebody asks for otherwise releases nothing.
        const bool may_release = verb == "tick" || verb == "complete" || verb == "resume";
        const bool releases =
            may_release && plan_->releases.empty();  // a tick releases a bounded number, and the next one goes on
        const bool over =
            state.status == ScheduleStatus::completed && state.in_flight == 0 && before.switches.all() && releases;
        if (state.status == ScheduleStatus::deleted || over) {
            EXPECT_EQ(state.buffered, 0) << "stranded in the buffer of a schedule that is " << name_of(state.status);
        }
    }

    const CompiledSchedule* schedule_ = nullptr;
    const Plan* plan_ = nullptr;
    Instant covered_ = {};
    std::set<Instant> decided_;              // occurrences with a tick row or inside a skipped range
    std::set<Instant> running_occurrences_;  // those that run or wait in the buffer, by tick or backfill
    std::set<RunSlot> slots_;
    std::set<RunSlot> buffered_;
    std::set<std::string> in_flight_;
    std::set<std::string> ended_;
    std::int64_t dispatched_ = 0;
};

// --- Random schedules -----------------------------------------------------------------------------------------------

std::string minutes_text(Random& random, int most) { return "PT" + std::to_string(random.number(0, most)) + "M"; }

spec::SpecText random_spec(Random& random, Instant now) {
    spec::SpecText spec;
    spec.timezone = random.pick({"UTC", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"});
    const auto soon = [&](int most_hours) { return format_instant(now + random.number(0, most_hours * 60) * 1min); };
    switch (random.number(0, 9)) {
        case 0:
            for (int i = random.number(1, 5); i > 0; --i) spec.at.push_back(soon(48));
            break;
        case 1: spec.intervals = {{"PT" + std::to_string(random.number(4, 200)) + "M", "PT3M"}}; break;
        case 2: spec.intervals = {{"PT1H", ""}}, spec.cron = {"0 */2 * * *", "7 3 * * *"}; break;
        default:
            spec.cron = {random.pick(
                {"* * * * *", "*/5 * * * *", "*/7 * * * *", "0 * * * *", "30 */3 * * *", "0 9 * * 1-5", "30 2 * * *"})};
    }
    if (random.percent(20)) spec.start_at = soon(10);
    if (random.percent(30)) spec.end_at = format_instant(now + 10h + random.number(0, 100) * 30min);
    if (random.percent(35)) spec.jitter = {minutes_text(random, 10), minutes_text(random, 10)};
    return spec;
}

model::OverlapRules random_overlap(Random& random) {
    model::OverlapRules rules{static_cast<OverlapPolicy>(random.number(0, 5)), {}};
    if (random.percent(40)) rules.max_concurrency = random.number(1, 3);
    return rules;
}

model::Schedule random_schedule(Random& random, Instant now) {
    return test::definition([&](model::Schedule& schedule) {
        schedule.spec = random_spec(random, now);
        schedule.overlap = random_overlap(random);
        schedule.missed = {static_cast<model::MissedPolicy>(random.number(0, 3)), random.number(0, 600) * 1s,
                           random.number(1, 30)};
        if (random.percent(25)) schedule.max_runs = random.number(1, 40);
        if (random.percent(25)) schedule.calendars = {"june-2nd"};
        if (random.percent(20)) schedule.condition = test::json(R"({"/last_24h_stats/failed":{"lt":3}})");
        if (random.percent(20)) schedule.breaker_failures = random.number(1, 4);
        if (random.percent(30)) schedule.inputs_rotation = {test::json("1"), test::json("2"), test::json("3")};
        if (random.percent(10)) schedule.approval.requires_approval = true;
    });
}

Instant random_beginning(Random& random) {
    const auto day = instant(
        random.pick({"2026-06-01T00:00:00Z", "2026-03-07T12:00:00Z", "2026-10-31T12:00:00Z", "2026-04-04T00:00:00Z"}));
    return day + Micros{random.between(0, 20LL * 3600 * 1'000'000)};
}

// --- The walk -------------------------------------------------------------------------------------------------------

class Walk {
public:
    Walk(Random& random, Instant now) : random_(random), now_(now) {}

    void run(int steps) {
        if (!create()) return;
        for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
            pass_time();
            step();
        }
        if (!testing::Test::HasFailure()) heal();
        if (testing::Test::HasFailure()) tell();
    }

private:
    bool create() {
        const auto schedule = test::compiled(random_schedule(random_, now_));
        const auto plan = plan_create(schedule, now_);
        if (!plan) return false;  // a window or instants that are over before they begin
        facts_.schedule = schedule;
        facts_.state.revision = 0;
        limits_.catchup_per_tick = random_.percent(50) ? 100 : random_.number(1, 10);
        ledger_.answers_from(schedule->spec.one_time() ? now_ - kOneTimeGrace : now_);
        take("create", *plan);
        return true;
    }

    void pass_time() {
        const auto next = facts_.state.next_fire;
        if (next && *next > now_ && *next < now_ + 72h && random_.percent(40)) {
            now_ = *next;
            return;
        }
        const int most_s = random_.percent(60) ? 200 : random_.percent(85) ? 3 * 3600 : 3 * 86400;
        now_ += Micros{random_.between(0, most_s * 1'000'000LL)};
    }

    void step() {
        const int roll = random_.number(0, 99);
        if (roll < 45) return tick();
        if (roll < 70) return complete();
        if (roll < 78) return trigger();
        if (roll < 83) return backfill();
        if (roll < 88) return facts_.state.status == ScheduleStatus::paused ? resume() : pause();
        if (roll < 92) return update();
        if (roll < 96) return flip_a_switch();
        if (roll < 97) return remove();
        complete_again();
    }

    void tick() {
        const bool paused = facts_.state.status == ScheduleStatus::paused;
        const auto until = facts_.state.paused_until;
        const bool was_due = facts_.state.next_fire && *facts_.state.next_fire <= now_;
        if (paused && until && *until <= now_) ledger_.answers_from(after_newest(*until - kInstant));
        const auto plan = plan_tick(facts_, now_, limits_);
        EXPECT_EQ(plan, plan_tick(facts_, now_, limits_)) << "the same facts and the same now give the same plan";
        EXPECT_FALSE(was_due && plan.empty()) << "due, and yet nothing was decided";
        EXPECT_LE(plan.runs.size(), static_cast<std::size_t>(limits_.catchup_per_tick) + 1)
            << "16: more than a tick may do";
        take("tick", plan);
        const bool spreads = facts_.state.spread_until.has_value();  // what is missed has times of its own then
        if (!spreads && (!facts_.state.next_fire || *facts_.state.next_fire > now_))
            ledger_.check_nothing_is_owed(facts_, now_);
    }

    // What is due is decided before anything else changes, as the engine does.
    void catch_up() {
        while (facts_.state.next_fire && *facts_.state.next_fire <= now_ && !testing::Test::HasFailure()) tick();
    }

    void complete() {
        if (facts_.in_flight.empty()) return;
        using enum ExecutionStatus;
        const auto status =
            random_.pick(std::vector{succeeded, succeeded, succeeded, failed, failed, cancelled, timed_out});
        complete(
            facts_.in_flight[static_cast<std::size_t>(random_.number(0, static_cast<int>(facts_.in_flight.size()) - 1))]
                .id,
            status);
    }

    void complete(const std::string& run, ExecutionStatus status) {
        facts_.last_24h.total += 1;
        if (status == ExecutionStatus::failed) facts_.last_24h.failed = random_.number(0, 4);
        take("complete", plan_completion(facts_, {run, ExecutionStatus::running, status, test::json("1"), "e"}, now_));
    }

    // 10: what has ended stays as it ended.
    void complete_again() {
        for (const auto& run : ledger_.ended()) {
            EXPECT_FALSE(plan_completion(facts_, {run, ExecutionStatus::cancelled, ExecutionStatus::succeeded}, now_));
            return;
        }
    }

    void trigger() {
        TriggerRequest request;
        if (random_.percent(30)) request.overlap = static_cast<OverlapPolicy>(random_.number(0, 5));
        if (random_.percent(30)) request.input = test::json(R"({"mine":1})");
        take("trigger", plan_trigger(facts_, request, now_));
    }

    void backfill() {
        BackfillRequest request{now_ - random_.number(0, 600) * 1min, now_, {}};
        if (random_.percent(40)) request.overlap = static_cast<OverlapPolicy>(random_.number(0, 5));
        if (!request.overlap && random_.percent(50)) request.concurrency = random_.number(1, 3);
        auto page = plan_backfill(facts_, request, now_, random_.number(1, 20));
        if (!page) return;
        if (page->next_from) {
            EXPECT_LE(*page->next_from, request.to);
        }
        take("backfill", page->plan);
    }

    void pause() {
        catch_up();
        PauseRequest request{"walk", {}};
        if (random_.percent(50)) request.until = now_ + random_.number(1, 300) * 1min;
        take("pause", plan_pause(facts_, request, now_));
    }

    void resume() {
        const auto until = facts_.state.paused_until;
        ledger_.answers_from(after_newest(until && *until <= now_ ? *until - kInstant : now_));
        take("resume", plan_resume(facts_, now_));
    }

    void update() {
        catch_up();
        auto changed = facts_.schedule->definition;
        if (random_.percent(50)) changed.overlap = random_overlap(random_);
        const bool new_spec = random_.percent(40);
        if (new_spec) changed.spec = random_spec(random_, now_);
        if (random_.percent(20) && changed.max_runs) changed.max_runs = *changed.max_runs + 5;
        const bool recomputes =
            !(changed.spec == facts_.schedule->definition.spec) && facts_.state.status != ScheduleStatus::paused;
        auto plan = plan_update(facts_, test::compiled(changed), now_);
        if (!plan) return;
        take("update", *plan);
        // What was decided before its occurrence may have been so by other times: then it goes on after that.
        const bool ahead = facts_.state.next_occurrence > facts_.state.newest_decided;
        if (recomputes) ledger_.answers_from(ahead ? after_newest(now_) : now_);
    }

    // What was decided before its occurrence is not decided again.
    [[nodiscard]] Instant after_newest(Instant after) const {
        return std::max(after, facts_.state.newest_decided.value_or(after));
    }

    void flip_a_switch() { facts_.switches.queue = !facts_.switches.queue; }

    void remove() {
        catch_up();
        take("delete", plan_delete(facts_, "walk", now_));
    }

    // 15: when everything works again, whatever waits gets its turn.
    void heal() {
        facts_.switches = {};
        facts_.last_24h = {};
        facts_.state.consecutive_failures = 0;
        if (facts_.state.status == ScheduleStatus::paused) resume();
        for (int round = 0; round < 1000 && !testing::Test::HasFailure(); ++round) {
            catch_up();
            if (!facts_.in_flight.empty()) {
                complete(facts_.in_flight.front().id, ExecutionStatus::succeeded);
            } else if (waits_for_release(facts_.state)) {
                tick();
            } else {
                break;
            }
        }
        EXPECT_EQ(facts_.state.buffered, 0) << "15: something waits for ever";
        EXPECT_EQ(facts_.state.in_flight, 0);
    }

    void take(const char* verb, const Result<Plan>& plan) {
        if (plan) take(verb, *plan);
    }

    void take(const char* verb, const Plan& plan) {
        ledger_.check(facts_, plan, verb);
        for (const auto& line : test::lines_of(facts_, plan))
            trace_.push_back(format_instant(now_) + " " + verb + ": " + line);
        facts_ = test::after(std::move(facts_), plan);
        EXPECT_EQ(facts_.in_flight.size(), static_cast<std::size_t>(facts_.state.in_flight));
    }

    void tell() const {
        const auto& schedule = facts_.schedule->definition;
        std::string story = to_text(model::to_json(schedule.spec)) + "\n  overlap " +
                            std::string(name_of(schedule.overlap.policy)) + ", maxConcurrency " +
                            std::to_string(schedule.overlap.max_concurrency.value_or(0)) + ", missed " +
                            std::string(name_of(schedule.missed.policy)) + ", maxRuns " +
                            std::to_string(schedule.max_runs.value_or(0)) + ", catch-up " +
                            std::to_string(limits_.catchup_per_tick) + "\n";
        constexpr std::size_t kLinesTold = 40;
        for (std::size_t i = trace_.size() > kLinesTold ? trace_.size() - kLinesTold : 0; i < trace_.size(); ++i)
            story += "  " + trace_[i] + "\n";
        ADD_FAILURE() << story;
    }

    Random& random_;
    Instant now_;
    Limits limits_;
    Facts facts_;
    Ledger ledger_;
    std::vector<std::string> trace_;
};

TEST(DecideProperty, EveryOccurrenceHasOneOutcomeAndEveryPolicyHoldsOnARandomWalk) {
    Random random(31);
    for (std::size_t i = 0; i < test::case_count(3'000); ++i) {
        Walk(random, random_beginning(random)).run(60);
        ASSERT_FALSE(HasFailure()) << "walk " << i;
    }
}

// The same life lived twice, once through ticks that come on time and once by one that comes after all of it: when
// nothing is dropped as missed and nothing overlaps, both decide the same occurrences.
TEST(DecideProperty, CatchingUpDecidesTheSameOccurrencesAsTickingOnTime) {
    Random random(32);
    for (std::size_t i = 0; i < test::case_count(600); ++i) {
        const auto now = random_beginning(random);
        auto definition = random_schedule(random, now);
        definition.overlap = {OverlapPolicy::allow_all, {}};
        definition.missed = {model::MissedPolicy::fire_all, 60s, kMaxBackfillMax};
        const auto schedule = test::compiled(definition);
        const auto created = plan_create(schedule, now);
        if (!created) continue;
        Facts fresh;
        fresh.schedule = schedule;
        fresh.state.revision = 0;
        fresh = test::after(fresh, *created);

        const auto end = now + 12h;
        const auto live = [&](bool on_time) {
            auto facts = fresh;
            std::vector<std::string> rows;
            while (facts.state.next_fire && *facts.state.next_fire <= end) {
                const auto plan = plan_tick(facts, on_time ? *facts.state.next_fire : end, {.catchup_per_tick = 50});
                for (const auto& run : plan.runs) {
                    rows.push_back(run.id + std::string(name_of(run.dispatch)) + to_text(run.input) +
                                   std::to_string(run.trigger_number));
                }
                facts = test::after(std::move(facts), plan);
            }
            return rows;
        };
        ASSERT_EQ(live(true), live(false)) << to_text(model::to_json(definition.spec));
    }
}

}  // namespace
}  // namespace belfry::decide
