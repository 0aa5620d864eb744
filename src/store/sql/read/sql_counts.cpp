// Counts: schedules by status, tasks by queue, pending approvals.
#include <algorithm>
#include <map>
#include <set>

#include "base/text/parse_integer.hpp"
#include "store/listing.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements_approvals.hpp"
#include "store/sql/statements/statements_lists.hpp"
#include "store/sql/statements/statements_reading.hpp"
#include "store/sql/statements/statements_tasks.hpp"
#include "store/sql/statements/statements_tenants.hpp"

namespace belfry::store::sql {

namespace {

struct Sample {
    model::RunKey run;
    std::string node = {};
    QueueDepth depth = {};
};

// `schedule:slot:node`: the sample task that kQueueDepths returns for each queue.
std::optional<Sample> parse_sample(std::string_view text) {
    const auto colon = text.find(':');
    const auto second = colon == std::string_view::npos ? colon : text.find(':', colon + 1);
    if (second == std::string_view::npos) return std::nullopt;
    const auto schedule = parse_integer(text.substr(0, colon));
    const auto slot = parse_integer(text.substr(colon + 1, second - colon - 1));
    if (!schedule || !slot) return std::nullopt;
    return Sample{{*schedule, *slot}, std::string(text.substr(second + 1))};
}

std::int64_t tasks_in(const QueueDepth& depth) { return depth.ready + depth.delayed + depth.leased; }

// The task tables know a queue only by its key. Its name is in the definition that decided one of its runs, or in the
// node. The queues of all assignees are counted as one here.
Result<std::vector<QueueDepth>> read_depths(Session& session, Instant now, StoreMemory& memory) {
    std::vector<Sample> samples;
    auto read =
        session.run(kQueueDepths, {epoch_us(now), static_cast<std::int64_t>(kCountsMax)}, [&](const QueueSample& row) {
            if (auto sample = parse_sample(row.sample)) {
                sample->depth = {"", "", row.ready, row.delayed, row.leased};
                samples.push_back(std::move(*sample));
            }
        });
    if (!read) return read.error();
    if (samples.empty()) return std::vector<QueueDepth>();
    Batch keys;
    std::vector<model::RunKey> walking;
    for (const auto& sample : samples) {
        keys.add_row(sample.run.schedule, sample.run.slot);
        if (!sample.node.empty()) walking.push_back(sample.run);
    }
    auto runs = read_runs_with_definitions(session, kRunsByKey, keys, memory.definitions, Sees::committed);
    if (!runs) return runs.error();
    std::map<model::RunKey, DefinitionPtr> definitions;
    for (const auto& each : *runs) definitions[*model::parse_run_id(each.run.id)] = each.definition;
    auto walks = read_readable_walks(session, walking, memory.workflows);
    if (!walks) return walks.error();
    std::map<std::pair<std::string, std::string>, QueueDepth> by_name;
    for (const auto& [run, node, depth] : samples) {
        const auto definition = definitions.find(run);
        if (definition == definitions.end()) continue;
        auto queue = model::queue_for({.target = definition->second->target}, memory.default_connection);
        if (const auto workflow_run = walks->find(run); workflow_run != walks->end()) {
            if (const auto* const row = workflow_run->second.workflow_run.find(node)) queue = row->queue;
        }
        auto& sum = by_name[{definition->second->tenant, queue}];
        sum.tenant = definition->second->tenant;
        sum.queue = queue;
        sum.ready += depth.ready;
        sum.delayed += depth.delayed;
        sum.leased += depth.leased;
    }
    std::vector<QueueDepth> depths;
    for (auto& [name, depth] : by_name) depths.push_back(std::move(depth));
    std::ranges::stable_sort(depths, std::ranges::greater{}, tasks_in);
    return depths;
}

}  // namespace

Result<Counts> SqlStore::counts(Instant now) {
    Counts counts{.at = now};
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto schedules = read_all(session, kScheduleCounts, {static_cast<std::int64_t>(kCountsMax)});
        if (!schedules) return schedules.error();
        counts.schedules = std::move(*schedules);
        auto approvals = read_all(session, kApprovalCounts, {static_cast<std::int64_t>(kCountsMax)});
        if (!approvals) return approvals.error();
        counts.approvals = std::move(*approvals);
        auto depths = read_depths(session, now, memory_);
        if (!depths) return depths.error();
        counts.queues = std::move(*depths);
        return {};
    });
    if (!done) return done.error();
    return counts;
}

// The keys of a queue follow from its names, so one index lookup finds whether it has tasks, however many other
// queues there are.
Result<Listing<QueueLine>> SqlStore::waiting_lines(std::span<const std::string> queues, const Page& page) {
    Listing<QueueLine> lines;
    const auto limit = page_limit(page);
    auto done = database_->read([&](Session& session) -> Result<void> {
        const auto tenants = read_all(session, kTenantsAfter, {page.after, static_cast<std::int64_t>(limit)});
        if (!tenants) return tenants.error();
        if (tenants->size() == limit) lines.next = tenants->back();
        std::map<std::int64_t, QueueLine> known;
        Batch keys;
        for (const auto& tenant : *tenants) {
            for (const auto& queue : queues) {
                const auto [first, last] = queue_keys(tenant, queue);
                known[first] = {tenant, queue};
                keys.add_row(first, last);
            }
        }
        auto read =
            session.run(kWaitingLines, keys, [&](std::int64_t queue) { lines.items.push_back(known.at(queue)); });
        if (!read) return read.error();
        return {};
    });
    if (!done) return done.error();
    std::ranges::sort(lines.items);
    return lines;
}

Result<std::vector<std::string>> SqlStore::receiver_queues(const ReceiverQueues& wanted) {
    const auto [first, last] = queue_keys(wanted.tenant, model::kHttpQueue);
    const auto start = wanted.after.empty() ? first : queue_key(wanted.tenant, wanted.after, {}) + 1;
    const auto limit = static_cast<std::int64_t>(wanted.limit);
    std::vector<std::string> queues;
    auto done = database_->read([&](Session& session) -> Result<void> {
        queues.clear();
        for (const auto& [from, to] : {KeyRange{start, last}, KeyRange{first, start - 1}}) {
            std::set<std::int64_t> found;
            const auto add = [&found](std::int64_t key) { found.insert(key); };
            auto read = session.run(kReadyQueues, {from, to, limit}, add);
            if (!read) return read.error();
            read = session.run(kDueQueues, {from, to, epoch_us(wanted.now), limit}, add);
            if (!read) return read.error();
            for (const auto key : found) queues.push_back(model::receiver_queue(key - first));
            if (queues.size() >= wanted.limit) break;
        }
        return {};
    });
    if (!done) return done.error();
    if (queues.size() > wanted.limit) queues.resize(wanted.limit);
    return queues;
}

}  // namespace belfry::store::sql
