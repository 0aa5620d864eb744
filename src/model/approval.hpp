// A person's consent: who was asked for what, until when, and what they said. Plain data.
//
// A run as a whole may wait for one, and so may each of its nodes. A record is written when somebody is asked, and changes
// once: when it is decided, when nobody came in time, or when the run ended first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/instant.hpp"
#include "base/result.hpp"

namespace belfry::model {

// What asks. The numbers are stored.
enum class ApprovalWhy : std::uint8_t {
    run,               // the schedule wants every run approved
    every_node,        // and every node
    sensitive_action,  // what the node does is sensitive
    gate,              // what it does is a gate of the schedule
    blocked,           // it failed for good, and may be tried again
};

// The numbers are stored.
enum class ApprovalStatus : std::uint8_t {
    pending,
    approved,
    rejected,
    expired,  // nobody decided in time
    voided,   // the run ended first
};

[[nodiscard]] std::string_view name_of(ApprovalWhy why);
[[nodiscard]] std::string_view name_of(ApprovalStatus status);  // `voided` is "void"
[[nodiscard]] Result<ApprovalStatus> parse_approval_status(std::string_view text);

struct Approval {
    std::string run_id;
    std::string node = {};    // empty: the run
    int attempts = 0;         // of the node before it was asked for: 0 before it begins; it may be blocked several times
    std::string action = {};  // of the node, as its workflow says
    ApprovalWhy why = ApprovalWhy::run;
    ApprovalStatus status = ApprovalStatus::pending;
    Instant requested_at = {};
    Instant expires_at = {};
    std::optional<Instant> decided_at = {};
    std::string decided_by = {};
    std::string comment = {};
    std::optional<std::int64_t> workflow_version = {};  // of the run, when it waits as a whole and is to walk one: it walks this one
    friend bool operator==(const Approval&, const Approval&) = default;
};

}  // namespace belfry::model
