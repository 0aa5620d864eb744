// What the oracle knows of one schedule: its rows as last read, which occurrences have their outcome, and the counts
// that follow from the rows alone.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulation/oracle/oracle_walks.hpp"
#include "spec/spec.hpp"
#include "store/store.hpp"

namespace belfry::sim {

// Triggers that come in the same millisecond take the next ones that are free, so they may be a little ahead of the
// clock.
inline constexpr Micros kTriggersAhead = Seconds{1};

struct Life {
    store::ScheduleRecord record;  // as after the last commit
    std::optional<spec::Spec> spec;
    std::string hash;  // of the newest event, raw
    std::int64_t sequence = 0;
    std::map<model::EventType, std::int64_t> events = {};

    std::map<std::string, model::Run> runs = {};   // by id
    std::set<Instant> triggered = {};              // moments of triggers
    std::set<std::int64_t> forgotten = {};         // epoch seconds of occurrences whose rows were pruned
    std::map<std::int64_t, std::string> ran = {};  // epoch seconds of occurrences that run, ran or wait in the buffer
    std::set<std::string> in_flight = {};
    std::set<std::string> buffered = {};
    std::map<std::string, SeenLease> leases = {};  // of single tasks, by run
    std::int64_t dispatched = 0;
    std::int64_t skipped_rows = 0;
    std::int64_t rotation = 0;
    int failures_in_a_row = 0;
    std::map<std::int64_t, model::Schedule> versions = {};  // of the definition

    // Occurrences after this one, and with no outcome, are owed while the schedule answers.
    Instant covered = {};
    bool answers = false;
    std::set<Instant> decided = {};
    std::vector<std::pair<Instant, Instant>> ranges = {};
    std::optional<Instant> newest = {};  // the latest occurrence that a tick has decided

    // A run keeps what it was decided by.
    [[nodiscard]] const model::Schedule& definition_of(const model::Run& run) const {
        const auto own = versions.find(run.version);
        return own == versions.end() ? record.definition : own->second;
    }

    // The newest occurrence that was decided, when that was by a later time than `at`: the clock was put back.
    [[nodiscard]] Instant decided_ahead(Instant at) const {
        return newest && fire_time(*newest) > at ? *newest : kInstantMin;
    }

    // The first occurrence without an outcome.
    [[nodiscard]] std::optional<Instant> next_owed() const {
        auto next = spec->next(covered);
        while (next) {
            if (const auto last = skipped_with(*next)) {
                next = spec->next(*last);
            } else if (decided.contains(*next)) {
                next = spec->next(*next);
            } else {
                break;
            }
        }
        return next;
    }
    [[nodiscard]] Instant fire_time(Instant occurrence) const {
        return spec->fire_time(record.definition.id, occurrence);
    }

private:
    // The end of the skipped range that the occurrence lies in.
    [[nodiscard]] std::optional<Instant> skipped_with(Instant occurrence) const {
        for (const auto& [first, last] : ranges) {
            if (first <= occurrence && occurrence <= last) return last;
        }
        return std::nullopt;
    }
};

}  // namespace belfry::sim
