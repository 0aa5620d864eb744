// Schedules, their lives and their plans as readable lines, for tests of the decision layer.
//
// A plan reads like this, one line per row and a last line with the state that it leaves:
//
//   tick 2026-06-01T10:00:00Z dispatched #1 {"audience":"tech"}
//   tick 2026-06-01T11:00:00Z skipped calendar (us-federal-holidays-2026)
//   active, next 2026-06-01T12:00:00Z
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "decide/explain/preview.hpp"
#include "decide/explain/simulate.hpp"
#include "decide/facts.hpp"
#include "decide/plan.hpp"
#include "decide/schedule/backfill.hpp"
#include "decide/schedule/lifecycle.hpp"
#include "decide/schedule/trigger.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::test {

using Lines = std::vector<std::string>;
using Edit = std::function<void(model::Schedule&)>;

// REQUIRES: valid text.
[[nodiscard]] Json json(std::string_view text);

// "report" of the tenant "default": every hour in UTC with every policy at its default, then as `edit` has it. Knows
// the calendars that ship and "june-2nd", which skips that day of 2026 in UTC.
[[nodiscard]] model::Schedule definition(const Edit& edit = {});
[[nodiscard]] decide::CompiledPtr compiled(const model::Schedule& definition);

// Created at `at`.
[[nodiscard]] decide::Facts facts_at(const std::string& at, const Edit& edit = {});

// With that many runs in flight, started by ticks at the hours before `facts.state.next_occurrence`.
[[nodiscard]] decide::Facts with_in_flight(decide::Facts facts, int count);

// The facts once the plan is applied. A changed definition is compiled again.
[[nodiscard]] decide::Facts after(decide::Facts facts, const decide::Plan& plan);

[[nodiscard]] Lines lines_of(const decide::Facts& before, const decide::Plan& plan);
[[nodiscard]] Lines lines_of(const std::vector<decide::PreviewRow>& rows);
[[nodiscard]] Lines lines_of(const std::vector<decide::SimulatedRun>& rows);

// `1 ScheduleCreated {…}`: the audit stream of a plan.
[[nodiscard]] Lines events_of(const decide::Plan& plan);

// What holds of every plan, whatever it decides: payloads are in the registry, sequences have no gap, counters agree
// with rows, rows are named after their slots and no slot is taken twice. Reports each breach as a test failure.
void expect_sound(const decide::Facts& before, const decide::Plan& plan);

// A schedule in memory. Every verb decides, checks the plan with expect_sound, applies it and tells it as lines; a
// refused request is the one line "refused: …" and changes nothing.
class Life {
public:
    explicit Life(const std::string& created_at, const Edit& edit = {}, const model::CommandContext& context = {});

    Lines tick(const std::string& at, const decide::Limits& limits = {});
    Lines trigger(const std::string& at, const decide::TriggerRequest& request = {},
                  const model::CommandContext& context = {});
    // A page that is not the last ends with "next page from …".
    Lines backfill(const std::string& at, const std::string& from, const std::string& to,
                   std::optional<model::OverlapPolicy> overlap = {}, int page = 100);
    // One that waits for a run to end ends with "waits at …".
    Lines backfill(const std::string& at, const decide::BackfillRequest& request, int page = 100);
    // Ends the oldest run in flight. REQUIRES: there is one.
    Lines finish(const std::string& at, model::ExecutionStatus status = model::ExecutionStatus::succeeded,
                 Json result = nullptr, const std::string& error = {});
    Lines pause(const std::string& at, const decide::PauseRequest& request = {},
                const model::CommandContext& context = {});
    Lines resume(const std::string& at, const model::CommandContext& context = {});
    Lines update(const std::string& at, const Edit& edit, const model::CommandContext& context = {});
    Lines remove(const std::string& at, const std::string& reason = "asked", const model::CommandContext& context = {});

    // Ticks whenever the schedule is due, until `until`; all lines but those that say what comes next.
    Lines play(const std::string& until, const decide::Limits& limits = {});

    [[nodiscard]] const model::ScheduleState& state() const { return facts.state; }

    decide::Facts facts;
    decide::Plan plan;  // the last one that was applied

private:
    Lines take(Result<decide::Plan> decided);
    Lines take(decide::Plan decided);
};

}  // namespace belfry::test
