// What happened, or will happen, at one moment, and why: the sentence that a person asks a scheduler for. Pure.
//
// What is on record comes first (the row of the occurrence, then the audit events, which outlive it), then what the schedule
// was at that moment (not yet there, paused, over, deleted), then what its times say.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decide/facts.hpp"
#include "decide/preview.hpp"
#include "model/event.hpp"

namespace belfry::decide {

enum class Verdict : std::uint8_t {
    dispatched,         // a run was started
    skipped,            // it was decided that none is
    buffered,           // it waits for an earlier run to end
    due,                // its time has come, and nobody has decided it yet
    will_dispatch,      // it lies ahead
    will_skip,          // it lies ahead, and as things are now it would be skipped
    paused,             // the schedule was or will be paused then
    not_an_occurrence,  // nothing was ever planned for that moment
    not_created,        // the schedule did not exist yet
    completed,          // none of its occurrences was left
    deleted,            // it was deleted by then
    forgotten,          // no record is left
};
[[nodiscard]] std::string_view name_of(Verdict verdict);
[[nodiscard]] std::vector<std::string> verdict_names();

// What the audit says about the schedule at that moment: the newest event before it that tells.
struct ScheduleThen {
    model::ScheduleStatus status = model::ScheduleStatus::active;
    std::optional<Instant> since = {};
    std::string reason = {};
    std::string by = {};                      // whoever asked
    std::optional<spec::SpecText> spec = {};  // when it is not the present one
    friend bool operator==(const ScheduleThen&, const ScheduleThen&) = default;
};

struct WhyQuestion {
    const Facts& facts;
    const spec::ZoneDatabase& zones;
    Instant at = {};
    Instant now = {};
    std::optional<model::Run> run = {};           // the row of that moment, or the record of many that covers it
    std::vector<model::Approval> approvals = {};  // of that run
    std::span<const model::Event> events = {};    // about it, oldest first
    std::optional<ScheduleThen> then = {};        // of a moment that has passed
    std::optional<PreviewRow> row = {};           // of a moment ahead
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
    friend bool operator==(const Why&, const Why&) = default;
};

[[nodiscard]] Why answer_why(const WhyQuestion& question);

// "the calendar us-federal-holidays-2026 does not allow that date"
[[nodiscard]] std::string reason_in_words(model::SkipReason reason, const std::string& detail);

// What an event tells about the state of its schedule from then on; nothing when it tells nothing about it.
[[nodiscard]] std::optional<ScheduleThen> status_told_by(const model::Event& event);
// The spec that it carries.
[[nodiscard]] std::optional<spec::SpecText> spec_told_by(const model::Event& event);
// Whether it is about that occurrence, on its own or as one of a range.
[[nodiscard]] bool tells_about(const model::Event& event, Instant occurrence);

}  // namespace belfry::decide
