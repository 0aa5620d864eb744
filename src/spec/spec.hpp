// When a schedule fires: the union of cron expressions, intervals and instants inside a window. Pure.
//
// SpecText is the text that a person writes and the store keeps; Spec is its compiled form, immutable and safe to
// share. Every occurrence is a whole second, because it identifies a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/text/json.hpp"
#include "spec/cron/cron_rule.hpp"
#include "spec/interval.hpp"
#include "spec/jitter.hpp"
#include "spec/zone/zone_database.hpp"

namespace belfry::spec {

struct IntervalText {
    std::string every;
    std::string offset = {};  // empty: none
    friend bool operator==(const IntervalText&, const IntervalText&) = default;
};

struct JitterText {
    std::string before = {};  // empty: none
    std::string after = {};
    friend bool operator==(const JitterText&, const JitterText&) = default;
};

// An event that starts a run in addition to the times: one with this name whose payload passes the filter.
struct EventText {
    std::string name;
    Json filter = nullptr;  // a condition on the payload (decide/schedule/condition.hpp); null: every payload
    friend bool operator==(const EventText&, const EventText&) = default;
};

struct SpecText {
    std::vector<std::string> cron = {};
    std::vector<IntervalText> intervals = {};
    std::vector<std::string> at = {};
    std::string timezone = "UTC";
    std::optional<std::string> start_at = {};
    std::optional<std::string> end_at = {};
    DstRules dst = {};
    JitterText jitter = {};
    std::vector<EventText> events = {};
    friend bool operator==(const SpecText&, const SpecText&) = default;
};

// Limits of one spec.
inline constexpr std::size_t kCronPerSpecMax = 100;
inline constexpr std::size_t kIntervalsPerSpecMax = 100;
inline constexpr std::size_t kInstantsPerSpecMax = 1000;
inline constexpr std::size_t kEventsPerSpecMax = 50;
inline constexpr std::size_t kSpacingSamples = 2000;

class Spec {
public:
    // Rejects a spec without times and events, and every malformed part; the error's field is a JSON pointer into the
    // text.
    [[nodiscard]] static Result<Spec> compile(const SpecText& text, const ZoneDatabase& zones);

    // A spec without occurrences, in place of one that does not compile.
    [[nodiscard]] static Spec never();

    // The first occurrence after `after`, or the last before `before`; empty if there is none.
    [[nodiscard]] std::optional<Instant> next(Instant after) const;
    [[nodiscard]] std::optional<Instant> previous(Instant before) const;

    // The first `limit` occurrences in [from, to].
    [[nodiscard]] std::vector<Instant> between(Instant from, Instant to, std::size_t limit) const;

    // The number of occurrences in (after, last], at most `most`. Each member keeps its own position, so a step
    // advances only the members that were due.
    [[nodiscard]] std::int64_t count(Instant after, Instant last, std::int64_t most) const;

    // The occurrence `count` before `from`, but not before `first`, counted in the same way. REQUIRES: both are
    // occurrences.
    [[nodiscard]] Instant back(Instant from, std::int64_t count, Instant first) const;

    // The occurrence plus its stable jitter, inside the window. REQUIRES: `occurrence` came from this spec.
    [[nodiscard]] Instant fire_time(std::string_view schedule_id, Instant occurrence) const;

    // How a clock change affected this occurrence, for the first cron member that yields it.
    [[nodiscard]] std::optional<DstMark> mark(Instant occurrence) const;

    // Has only instants, so it completes after the last one.
    [[nodiscard]] bool one_time() const { return rules_.empty() && intervals_.empty(); }

    // Events start it, too, so it stays active without a next occurrence.
    [[nodiscard]] bool listens() const { return listens_; }

    // The error if it recurs in less than `least`, otherwise empty. Single instants do not recur and may be arbitrarily
    // close. Each member is checked by its wall-clock times, and their union on kSpacingSamples occurrences; a run that
    // a gap shifts may still come closer to its neighbour on that day.
    [[nodiscard]] std::optional<Error> closer_than(Seconds least) const;

    [[nodiscard]] const Zone& zone() const { return *zone_; }

    // The zone in which to show this occurrence: that of the first cron member that yields it, otherwise the spec's.
    [[nodiscard]] const Zone& zone_of(Instant occurrence) const;
    [[nodiscard]] std::optional<Instant> start_at() const { return start_at_; }
    [[nodiscard]] std::optional<Instant> end_at() const { return end_at_; }

private:
    Spec() = default;

    // Members are numbered: rules, then intervals, then all instants together as the last.
    [[nodiscard]] std::size_t members() const { return rules_.size() + intervals_.size() + 1; }
    [[nodiscard]] std::optional<Instant> next_of(std::size_t member, Instant after) const;
    [[nodiscard]] std::optional<Instant> previous_of(std::size_t member, Instant before) const;

    [[nodiscard]] const CronRule* rule_of(Instant occurrence) const;
    [[nodiscard]] std::optional<Instant> next_recurrence(Instant after) const;

    [[nodiscard]] std::optional<Error> add_cron(const SpecText& text, const ZoneDatabase& zones);
    [[nodiscard]] std::optional<Error> add_intervals(const SpecText& text);
    [[nodiscard]] std::optional<Error> add_instants(const SpecText& text);
    [[nodiscard]] std::optional<Error> add_events(const SpecText& text);
    [[nodiscard]] std::optional<Error> add_window(const SpecText& text);

    ZonePtr zone_;
    std::vector<CronRule> rules_;
    std::vector<Interval> intervals_;
    std::vector<Instant> instants_;  // sorted, distinct
    std::optional<Instant> start_at_;
    std::optional<Instant> end_at_;
    Jitter jitter_;
    bool listens_ = false;
};

}  // namespace belfry::spec
