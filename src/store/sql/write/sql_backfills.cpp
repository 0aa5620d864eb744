// Backfills.
#include <algorithm>

#include "base/crypto/uuid.hpp"
#include "model/schedule/schedule_json.hpp"
#include "store/errors.hpp"
#include "store/sql/read/page_reader.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements_backfills.hpp"
#include "store/sql/statements/statements_deciding.hpp"
#include "store/sql/values.hpp"

namespace belfry::store::sql {

namespace {

Result<std::optional<model::Backfill>> find_backfill(Session& session, const std::string& tenant, const std::string& id,
                                                     const Query<model::Backfill>& query) {
    auto found = read_one(session, query, {model::key_of(id), model::tenant_key(tenant)});
    if (found && *found && (*found)->id != id) found->reset();
    return found;
}

}  // namespace

Result<void> SqlStore::create_backfill(const std::string& tenant, const model::Backfill& backfill,
                                       const std::optional<model::RequestKey>& request) {
    const auto work = [&](Session& session) -> Result<void> {
        auto key = find_schedule(session, {tenant, backfill.schedule_id});
        if (!key) return key.error();
        if (auto locked = session.run(kLockStatesWait, {*key}); !locked) return locked.error();
        if (request) {
            auto written = session.run(
                kInsertRequest, {model::tenant_key(tenant), request->key, request->fingerprint, *key, std::monostate(),
                                 model::key_of(backfill.id), epoch_us(backfill.created_at)});
            if (!written) return written.error();
            if (*written == 0) return request_taken();
        }
        const auto other = read_one(session, kBackfillNotOver, {*key});
        if (!other) return other.error();
        if (*other) return backfill_running(**other);
        bool taken = false;
        auto read = session.run(kBackfillExists, {model::key_of(backfill.id)}, [&taken](const Row&) { taken = true; });
        if (!read) return read.error();
        if (taken) return backfill_taken(backfill.id);
        const Value overlap = backfill.overlap ? Value(static_cast<std::int64_t>(*backfill.overlap)) : Value();
        auto done =
            session.run(kInsertBackfill,
                        {model::key_of(backfill.id), backfill.id, *key, epoch_us(backfill.from), epoch_us(backfill.to),
                         overlap, static_cast<std::int64_t>(backfill.status), null_or(backfill.next_from),
                         backfill.dispatched, backfill.skipped, backfill.error, backfill.created_by,
                         epoch_us(backfill.created_at), epoch_us(backfill.updated_at), backfill.version,
                         backfill.concurrency ? Value(std::int64_t{*backfill.concurrency}) : Value(),
                         static_cast<std::int64_t>(backfill.rerun)});
        if (!done) return done.error();
        return {};
    };
    return commit(work, [&](Session& session) -> Result<CommitOutcome> {
        if (auto locked = session.run(kLockStatesWait, {model::key_of(backfill.schedule_id)}); !locked)
            return locked.error();
        auto stored = find_backfill(session, tenant, backfill.id, kBackfill);
        if (!stored) return stored.error();
        return *stored ? CommitOutcome::yes : CommitOutcome::no;
    });
}

Result<model::Backfill> SqlStore::backfill(const std::string& tenant, const std::string& id) {
    std::optional<model::Backfill> backfill;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto found = find_backfill(session, tenant, id, kBackfill);
        if (!found) return found.error();
        backfill = std::move(*found);
        return {};
    });
    if (!done) return done.error();
    if (!backfill) return backfill_not_found(id);
    return *backfill;
}

Result<std::vector<model::Backfill>> SqlStore::backfills(const ScheduleRef& schedule) {
    std::vector<model::Backfill> all;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto key = find_schedule(session, schedule);
        if (!key) return key.error();
        auto read = read_all(session, kBackfillsOfSchedule, {*key});
        if (!read) return read.error();
        all = std::move(*read);
        return {};
    });
    if (!done) return done.error();
    return all;
}

Result<std::vector<std::pair<std::string, model::Backfill>>> SqlStore::running_backfills(std::size_t limit) {
    std::vector<std::pair<std::string, model::Backfill>> all;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto read = session.run(kRunningBackfills, {static_cast<std::int64_t>(limit)}, [&all](RunningBackfill row) {
            all.emplace_back(std::move(row.tenant), std::move(row.backfill));
        });
        if (!read) return read.error();
        return {};
    });
    if (!done) return done.error();
    return all;
}

Result<BackfillStep> SqlStore::step_backfill(const std::string& tenant, const std::string& id,
                                             const FactsRequest& needs, const BackfillPlanner& planner) {
    std::vector<CommitEvidence> traces;
    std::optional<BackfillStep> step;
    const auto work = [&](Session& session) -> Result<void> {
        auto first = find_backfill(session, tenant, id, kBackfill);
        if (!first) return first.error();
        if (!*first) return backfill_not_found(id);
        // Locks the schedule first, as everywhere, and then reads the backfill again: it can no longer change.
        const auto key = model::key_of((*first)->schedule_id);
        if (auto locked = session.run(kLockStatesWait, {key}); !locked) return locked.error();
        auto stored = find_backfill(session, tenant, id, kLockBackfill);
        if (!stored) return stored.error();
        if (!*stored) return backfill_not_found(id);
        std::optional<model::Backfill> changed;
        const ChangeRequest request{
            {tenant, (*first)->schedule_id}, needs, [&](const decide::Facts& facts) -> Result<decide::Plan> {
                auto planned = planner(facts, **stored);
                if (!planned) return planned.error();
                changed = std::move(planned->backfill);
                step = BackfillStep{planned->plan, {}};
                return std::move(planned->plan);
            }};
        const auto* const asked = &request;
        ChangeRound round({&asked, 1}, memory_, zones_, ChangeRound::Locked::wait);
        if (auto decided = round.decide(session); !decided) return decided;
        traces = round.traces();
        const auto plan = *round.take_answers().front();
        if (!plan) return plan.error();
        step->backfill = *changed;
        if (changed->version != (*stored)->version + 1)
            return version_conflict("backfill " + id, (*stored)->version + 1);
        auto done =
            session.run(kUpdateBackfill, {static_cast<std::int64_t>(changed->status), null_or(changed->next_from),
                                          changed->dispatched, changed->skipped, changed->error,
                                          epoch_us(changed->updated_at), changed->version, model::key_of(id)});
        if (!done) return done.error();
        return {};
    };
    auto done = commit(work, [&](Session& session) -> Result<CommitOutcome> {
        if (!traces.empty()) return look_for(session, traces);
        auto stored = find_backfill(session, tenant, id, kLockBackfill);
        if (!stored) return stored.error();
        if (!*stored || (*stored)->version < step->backfill.version) return CommitOutcome::no;
        if ((*stored)->version > step->backfill.version) return CommitOutcome::unclear;
        return **stored == step->backfill ? CommitOutcome::yes : CommitOutcome::no;
    });
    if (!done) return done.error();
    return std::move(*step);
}

}  // namespace belfry::store::sql
