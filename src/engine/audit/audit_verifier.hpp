// Verifies audit chains, page by page: every event's hash, no gaps, and that each chain ends where its schedule's state
// says. Thread-safe.
#pragma once

#include "store/store_reader.hpp"

namespace belfry::engine {

inline constexpr std::int64_t kAuditEventsMax = 10'000;  // verified in one call
inline constexpr std::size_t kAuditSchedulesMax = 500;   // examined in one call

// How far a verification has come.
struct AuditPlace {
    std::string schedule_id = {};     // empty: at the beginning
    bool finished = false;            // continue with the next schedule
    model::ChainPoint verified = {};  // otherwise, after this event
    friend bool operator==(const AuditPlace&, const AuditPlace&) = default;
};
[[nodiscard]] std::string format_audit_place(const AuditPlace& place);
[[nodiscard]] Result<AuditPlace> parse_audit_place(std::string_view text);

struct AuditRequest {
    std::string tenant;
    std::optional<store::ScheduleRef> schedule = {};  // empty: all schedules of the tenant, also removed ones
    AuditPlace from = {};
    std::int64_t events = kAuditEventsMax;  // the maximum number
};
struct AuditedPoint {
    std::string schedule_id;
    model::ChainPoint point;
};
struct AuditAnswer {
    std::int64_t events = 0;                     // verified in this call
    std::int64_t schedules = 0;                  // whose chains were verified to their end in this call
    std::vector<AuditedPoint> checkpoints = {};  // of the chains that begin after archived events
    std::optional<std::pair<std::string, model::ChainBreak>> broken = {};  // the first break, with its schedule
    std::optional<AuditPlace> next = {};                                   // where to continue
};
[[nodiscard]] Result<AuditAnswer> verify_audit(store::StoreReader& reader, const AuditRequest& request);

}  // namespace belfry::engine
