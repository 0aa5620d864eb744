// What stores answer, as two of them must agree on it and as a person reads it.
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "model/tenant/access.hpp"
#include "support/oracles/store_snapshot.hpp"

namespace belfry::test {

// Members of one struct, so that each may call all others.
struct Answers {
    // Errors agree when their codes and fields do; their texts may name things differently.
    static bool same(const Error& a, const Error& b) { return a.code == b.code && a.field == b.field; }
    static bool same(const std::optional<Error>& a, const std::optional<Error>& b) {
        return a.has_value() == b.has_value() && (!a || same(*a, *b));
    }
    static bool same(const store::BackfillStep& a, const store::BackfillStep& b) {
        return a.plan == b.plan && a.backfill == b.backfill;
    }
    static bool same(const store::TickOutcome& a, const store::TickOutcome& b) {
        return a.plans == b.plans && a.upcoming == b.upcoming && same(a.poisoned, b.poisoned);
    }
    // A store need not know the id.
    static bool same(const store::Poisoned& a, const store::Poisoned& b) {
        return a.key == b.key && (a.id == b.id || a.id.empty() || b.id.empty()) && same(a.error, b.error);
    }
    // Each store reads the workflow of a claimed node by itself.
    static bool same(const model::Task& a, const model::Task& b) {
        const bool agree = a.workflow && b.workflow ? *a.workflow == *b.workflow : a.workflow == b.workflow;
        auto other = b;
        other.workflow = a.workflow;
        return agree && a == other;
    }
    template <typename T>
    static bool same(const std::vector<T>& a, const std::vector<T>& b) {
        return std::ranges::equal(a, b, [](const T& x, const T& y) { return same(x, y); });
    }
    template <typename T>
    static bool same(const Result<T>& a, const Result<T>& b) {
        if (a.has_value() != b.has_value()) return false;
        if (!a) return same(a.error(), b.error());
        if constexpr (std::is_void_v<T>) {
            return true;
        } else {
            return same(*a, *b);
        }
    }
    template <typename T>
    static bool same(const T& a, const T& b) {
        return a == b;
    }

    static std::string text(const Error& error) {
        return "error " + std::to_string(static_cast<int>(error.code)) + " " + error.message;
    }
    static std::string text(const std::optional<Error>& error) { return error ? text(*error) : "done"; }
    static std::string text(const std::optional<ErrorCode>& code) {
        return code ? "error " + std::to_string(static_cast<int>(*code)) : "done";
    }
    static std::string text(std::int64_t number) { return std::to_string(number); }
    static std::string text(const decide::Plan& plan) { return text_of(plan); }
    static std::string text(const decide::AttemptPlan& plan) {
        if (const auto* const retry = std::get_if<decide::Retry>(&plan))
            return "retry at " + format_instant(retry->ready_at);
        return text_of(std::get<decide::Plan>(plan));
    }
    static std::string text(const store::BackfillStep& step) {
        return text_of(step.plan) + " backfill " + std::string(name_of(step.backfill.status)) + " version " +
               std::to_string(step.backfill.version);
    }
    static std::string text(const model::Task& task) {
        return task.run_id + " " + task.node + " attempt " + std::to_string(task.attempt) + " of " + task.target.kind +
               " input " + to_text(task.input) + " until " + format_instant(task.lease_until);
    }
    static std::string text(const model::LeaseRef& lease) {
        return lease.run_id + " " + lease.node + " attempt " + std::to_string(lease.attempt);
    }
    static std::string text(const model::Lease& lease) {
        return text(lease.ref) + " of " + lease.worker + " until " + format_instant(lease.until);
    }
    static std::string text(const model::Run& run) { return text_of(run); }
    static std::string text(const store::ScheduleRecord& record) {
        return record.definition.name + " " + text_of(record.state);
    }
    static std::string text(const store::Upcoming& each) {
        return std::to_string(each.key) + (each.next_fire ? " " + format_instant(*each.next_fire) : " never") + " of " +
               std::to_string(each.tenant);
    }
    static std::string text(const store::ClusterView& view) {
        auto words = view.leader + " leads in term " + std::to_string(view.term) + ", here are";
        for (const auto& server : view.servers) words += " " + server;
        return words;
    }
    static std::string text(const store::RequestRecord& record) {
        return record.fingerprint + " of " + record.schedule_id + " run " + record.run_id + " backfill " +
               record.backfill_id + " at " + format_instant(record.at);
    }
    static std::string text(const store::ScheduleCount& count) {
        return std::to_string(count.count) + " " + std::string(name_of(count.status)) + " of " + count.tenant;
    }
    static std::string text(const model::ApiKey& key) {
        return key.id + " " + key.name + (key.revoked_at ? " revoked " + format_instant(*key.revoked_at) : "");
    }
    static std::string text(const store::PruneOutcome& outcome) {
        return std::to_string(outcome.removed) + " removed, next after " +
               (outcome.next_after ? std::to_string(*outcome.next_after) : "the end") + ", versions " +
               std::to_string(outcome.definitions);
    }
    static std::string text(const store::RemovalOutcome& outcome) {
        const auto& next = outcome.next_after;
        return std::to_string(outcome.schedules) + " schedules and " + std::to_string(outcome.runs) +
               " runs removed, next after " +
               (next ? format_instant(next->ended) + " " + std::to_string(next->key) : "the end");
    }
    static std::string text(const store::EventRecord& record) {
        return std::to_string(record.event.sequence) + " " + record.hash;
    }
    static std::string text(const model::ChainedEvent& event) {
        return std::to_string(event.sequence) + " at " + format_instant(event.recorded_at) + " " + event.payload;
    }
    static std::string text(const store::AuditChain& chain) {
        return chain.schedule_id + " from " + std::to_string(chain.archived.sequence) + " to " +
               std::to_string(chain.end ? chain.end->sequence : -1) + " " + text(chain.events);
    }
    static std::string text(const store::ArchivablePart& part) {
        return part.schedule_id + " after " + std::to_string(part.after.sequence) + " " + text(part.events);
    }
    static std::string text(const store::ArchivablePage& page) {
        return text(page.parts) + " next " + (page.next ? std::to_string(page.next->key) : "none") + " left " +
               (page.oldest_left ? format_instant(*page.oldest_left) : "none");
    }
    static std::string text(const store::TickOutcome& outcome) {
        return "plans " + text(outcome.plans) + "\n    upcoming " + text(outcome.upcoming) + "\n    poisoned " +
               text(outcome.poisoned);
    }
    static std::string text(const store::Poisoned& poisoned) {
        return std::to_string(poisoned.key) + " " + poisoned.id + " " + text(poisoned.error);
    }
    template <typename T>
    static std::string text(const std::vector<T>& all) {
        std::string joined = std::to_string(all.size()) + ":";
        for (const auto& each : all) joined += "\n      " + text(each);
        return joined;
    }
    template <typename T>
    static std::string text(const Result<T>& result) {
        if (!result) return text(result.error());
        if constexpr (std::is_void_v<T>) {
            return "done";
        } else {
            return text(*result);
        }
    }
};

}  // namespace belfry::test
