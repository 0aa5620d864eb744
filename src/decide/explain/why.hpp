// What happened, or will happen, at one moment, and why, in one sentence. Pure.
//
// Records come first (the row of the occurrence, then the audit events, which are kept longer), then the schedule's
// status at that moment (not yet created, paused, completed, deleted), then its times.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decide/explain/guard_chain.hpp"
#include "decide/explain/preview.hpp"
#include "decide/facts.hpp"
#include "model/run/event.hpp"

namespace belfry::decide {

enum class Verdict : std::uint8_t {
    dispatched,         // a run was started
    skipped,            // the server decided to start none
    buffered,           // it waits for an earlier run to end
    due,                // its time has come, and no server has decided it yet
    will_dispatch,      // it is in the future
    will_skip,          // it is in the future and would be skipped in the current state
    paused,             // the schedule was or will be paused then
    not_an_occurrence,  // nothing was planned for that moment
    not_created,        // the schedule did not exist yet
    completed,          // no occurrence was left
    deleted,            // it was deleted by then
    forgotten,          // no record is left
};
[[nodiscard]] std::string_view name_of(Verdict verdict);
[[nodiscard]] std::vector<std::string> verdict_names();

// The schedule at that moment, from the newest audit event before it with that information.
struct ScheduleThen {
    model::ScheduleStatus status = model::ScheduleStatus::active;
    std::optional<Instant> since = {};
    std::string reason = {};
    std::string by = {};                      // the caller
    std::optional<spec::SpecText> spec = {};  // if it differs from the current one
    friend bool operator==(const ScheduleThen&, const ScheduleThen&) = default;
};

struct WhyQuestion {
    const Facts& facts;
    const spec::ZoneDatabase& zones;
    Instant at = {};
    Instant now = {};
    std::optional<model::Run> run = {};           // the row of that moment, or the record of many that covers it
    std::vector<model::Approval> approvals = {};  // of that run
    std::span<const model::Event> events = {};    // about the moment, oldest first
    std::optional<ScheduleThen> then = {};        // for a past moment
    std::optional<PreviewRow> row = {};           // for a future moment
};

struct Why {
    Verdict verdict = Verdict::forgotten;
    std::optional<model::SkipReason> reason = {};
    std::string answer = {};       // one sentence: what
    std::string explanation = {};  // why, and what to do about it
    LocalSeconds local = {};
    std::string timezone = {};
    std::optional<Instant> previous_occurrence = {};
    std::optional<Instant> next_occurrence = {};
    GuardChain guards = {};  // empty if no guard judges the moment: there is no occurrence, or the schedule is paused
    friend bool operator==(const Why&, const Why&) = default;
};

[[nodiscard]] Why answer_why(const WhyQuestion& question);

// "the calendar us-federal-holidays-2026 does not allow that date"
[[nodiscard]] std::string reason_in_words(model::SkipReason reason, const std::string& detail);

// The schedule's status after the event; empty if the event has no such information.
[[nodiscard]] std::optional<ScheduleThen> status_told_by(const model::Event& event);
// The spec in the event.
[[nodiscard]] std::optional<spec::SpecText> spec_told_by(const model::Event& event);
// Whether the event is about that occurrence, alone or in a range.
[[nodiscard]] bool tells_about(const model::Event& event, Instant occurrence);

}  // namespace belfry::decide
