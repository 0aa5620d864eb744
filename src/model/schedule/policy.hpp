// The policies of a schedule: what happens when runs overlap, are missed, fail or need an approval. Plain data.
// policy.cpp has one table of names and aliases for each enum.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time/instant.hpp"

namespace belfry::model {

// What a due occurrence does while earlier runs are in flight.
enum class OverlapPolicy : std::uint8_t { skip, buffer_one, buffer_all, allow_all, cancel_other, terminate_other };

// What happens to occurrences that came due while no server could fire them.
enum class MissedPolicy : std::uint8_t { skip, fire_once, fire_all, spread };

// What happens to a task whose lease expires: the server redelivers it, or the attempt times out.
enum class WorkerLostPolicy : std::uint8_t { redeliver, fail };

enum class FailureMode : std::uint8_t { isolate, halt, fallback };
enum class ApprovalMode : std::uint8_t { every_node, sensitive_actions, on_block };
enum class FailureCategory : std::uint8_t { timeout, provider_error, rate_limit, contract_violated };

[[nodiscard]] std::string_view name_of(OverlapPolicy policy);
[[nodiscard]] std::string_view name_of(MissedPolicy policy);
[[nodiscard]] std::string_view name_of(WorkerLostPolicy policy);
[[nodiscard]] std::string_view name_of(FailureMode mode);
[[nodiscard]] std::string_view name_of(ApprovalMode mode);
[[nodiscard]] std::string_view name_of(FailureCategory category);

[[nodiscard]] Result<OverlapPolicy> parse_overlap_policy(std::string_view text);
[[nodiscard]] Result<MissedPolicy> parse_missed_policy(std::string_view text);
[[nodiscard]] Result<WorkerLostPolicy> parse_worker_lost_policy(std::string_view text);
[[nodiscard]] Result<FailureMode> parse_failure_mode(std::string_view text);
[[nodiscard]] Result<ApprovalMode> parse_approval_mode(std::string_view text);
[[nodiscard]] Result<FailureCategory> parse_failure_category(std::string_view text);

struct RetryPolicy {
    int max_retries = 0;
    std::chrono::milliseconds backoff{1000};     // the first wait; it doubles each time, and the engine adds jitter
    std::vector<FailureCategory> retry_on = {};  // empty: every category
    std::optional<std::chrono::milliseconds> timeout = {};
    friend bool operator==(const RetryPolicy&, const RetryPolicy&) = default;
};

struct FailurePolicy {
    FailureMode mode = FailureMode::isolate;
    std::optional<std::string> fallback_assignee_id = {};
    friend bool operator==(const FailurePolicy&, const FailurePolicy&) = default;
};

// How long an approval waits if its policy sets no expiry.
inline constexpr std::chrono::milliseconds kApprovalExpiry = std::chrono::hours{24};

// `requires_approval` requires one approval for the run. `mode` and `gates` require approvals for nodes of a
// workflow, even if the run was approved.
struct ApprovalPolicy {
    bool requires_approval = false;
    std::optional<ApprovalMode> mode = {};
    std::vector<std::string> gates = {};  // an open set: publish, spend, delete, external_message, …
    std::optional<std::chrono::milliseconds> expires_after = {};
    // In addition to `mode`: the union of two policies may need both. Never stored or read as text.
    bool also_on_block = false;
    friend bool operator==(const ApprovalPolicy&, const ApprovalPolicy&) = default;
};

struct MissedRules {
    MissedPolicy policy = MissedPolicy::skip;
    std::optional<Micros> grace = Seconds{60};  // later is missed; empty: `auto`, computed per occurrence
    int max_backfill = 100;                     // fire_all and spread: how many of the newest occurrences
    bool while_paused = false;                  // occurrences during a pause count as missed when it ends
    [[nodiscard]] bool counts_pauses() const { return while_paused && policy != MissedPolicy::skip; }
    friend bool operator==(const MissedRules&, const MissedRules&) = default;
};

struct OverlapRules {
    OverlapPolicy policy = OverlapPolicy::skip;
    std::optional<int> max_concurrency = {};

    // A run overlaps when this many runs are in flight; empty: never.
    [[nodiscard]] std::optional<int> limit() const {
        if (max_concurrency) return max_concurrency;
        return policy == OverlapPolicy::allow_all ? std::nullopt : std::optional{1};
    }
    [[nodiscard]] bool buffers() const {
        return policy == OverlapPolicy::buffer_one || policy == OverlapPolicy::buffer_all;
    }
    friend bool operator==(const OverlapRules&, const OverlapRules&) = default;
};

}  // namespace belfry::model
