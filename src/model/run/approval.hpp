// An approval: a person's decision that a run or a node may start. Plain data.
//
// A run as a whole may wait for an approval, and so may each of its nodes. The server writes a record when it
// requests the approval. The record changes once: when an approver decides, when it expires, or when the run ends
// first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time/instant.hpp"

namespace belfry::model {

// Why an approval is needed. The numbers are stored.
enum class ApprovalWhy : std::uint8_t {
    run,               // the policy requires approval for every run
    every_node,        // the policy requires approval for every node
    sensitive_action,  // the node's action is sensitive
    gate,              // the node's action is a gate
    blocked,           // the node failed for good; an approver may allow another attempt
};

// The numbers are stored.
enum class ApprovalStatus : std::uint8_t {
    pending,
    approved,
    rejected,
    expired,  // no decision arrived in time
    voided,   // the run ended first
};

[[nodiscard]] std::string_view name_of(ApprovalWhy why);
[[nodiscard]] std::string_view name_of(ApprovalStatus status);  // `voided` is "void"
[[nodiscard]] Result<ApprovalStatus> parse_approval_status(std::string_view text);

struct Approval {
    std::string run_id;
    std::string node = {};    // empty: the run
    int attempts = 0;         // of the node before this request: 0 before its start, more each time it is blocked
    std::string action = {};  // of the node, from its workflow
    ApprovalWhy why = ApprovalWhy::run;
    ApprovalStatus status = ApprovalStatus::pending;
    Instant requested_at = {};
    Instant expires_at = {};
    std::optional<Instant> decided_at = {};
    std::string decided_by = {};
    std::string comment = {};
    std::optional<std::int64_t> workflow_version = {};  // if a workflow run waits as a whole: its version
    friend bool operator==(const Approval&, const Approval&) = default;
};

}  // namespace belfry::model
