// Creates schedules. Many clients create one schedule each, so their calls share transactions.
#include <algorithm>
#include <map>
#include <set>

#include "store/errors.hpp"
#include "store/rules/plan_checks.hpp"
#include "store/rules/plan_notifications.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/read/schedule_names.hpp"
#include "store/sql/shared/shared_calls.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements_deciding.hpp"
#include "store/sql/statements/statements_requests.hpp"
#include "store/sql/statements/statements_tenants.hpp"

namespace belfry::store::sql {

namespace {

using TenantName = std::pair<std::string, std::string>;  // a tenant, and a name or a request key in it

// What new schedules take, each for itself.
struct Taken {
    std::set<std::int64_t> ids = {};
    std::set<TenantName> names = {};
    std::set<TenantName> requests = {};

    // What the plan cannot have.
    [[nodiscard]] std::optional<Error> refuse(const decide::Plan& plan) const {
        const auto& definition = *plan.definition;
        if (plan.request && requests.contains({definition.tenant, plan.request->key})) return request_taken();
        if (ids.contains(model::key_of(plan.schedule_id))) return id_taken(plan.schedule_id);
        if (takes_name(plan) && names.contains({definition.tenant, definition.name}))
            return name_taken(definition.name);
        return std::nullopt;
    }
    void add(const decide::Plan& plan) {
        const auto& definition = *plan.definition;
        if (plan.request) requests.emplace(definition.tenant, plan.request->key);
        ids.insert(model::key_of(plan.schedule_id));
        if (takes_name(plan)) names.emplace(definition.tenant, definition.name);
    }
};

// Why the schedules cannot be created together, whatever is stored.
std::optional<Error> check_group(const NewGroup& group) {
    Taken taken;
    for (const auto& each : group) {
        if (auto error = check_new(*each.plan)) return error;
        if (auto error = taken.refuse(*each.plan)) return error;
        taken.add(*each.plan);
    }
    return std::nullopt;
}

// Groups of new schedules in one transaction. Each group is created completely or not at all, whatever happens to the
// others.
class Creation {
public:
    explicit Creation(std::span<const NewGroup> groups) : groups_(groups), answers_(groups.size()) {}

    // Checks the groups on their own, before the transaction. A group that needs the same as an earlier one does not
    // take part, because it depends on what becomes of that one. Returns the number of those that do.
    std::size_t prepare() {
        Taken all;
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            if (auto error = check_group(groups_[i])) {
                answers_[i] = *error;
                continue;
            }
            const bool repeats = std::ranges::any_of(
                groups_[i], [&all](const NewPlan& each) { return all.refuse(*each.plan).has_value(); });
            if (repeats) continue;
            for (const auto& each : groups_[i]) all.add(*each.plan);
            asked_.push_back(i);
        }
        return asked_.size();
    }

    Result<void> write(Session& session, StoreMemory& memory, const spec::ZoneDatabase& zones,
                       std::int64_t schedules_max) {
        if (auto looked = look(session); !looked) return looked;
        auto& writer = writer_.emplace(asked_.size());
        for (const auto index : asked_) {
            if (auto error = refuse(groups_[index], schedules_max)) {
                answers_[index] = *error;
                continue;
            }
            answers_[index] = std::optional<decide::Plan>();
            for (const auto& each : groups_[index]) add(index, each, memory);
        }
        TenantGuard tenants(session, memory.usage, now_);
        if (auto decided = decide(session, memory, zones, tenants); !decided) return decided;
        if (auto written = writer.write(session, memory); !written) return written;
        if (auto counted = tenants.write(); !counted) return counted;
        for (const auto& [key, count] : writer.counts()) {
            if (auto full = check_limit(key, count, schedules_max)) return *full;
        }
        return notify(session, notifications_);
    }

    // There may be no row yet to wait for, so the tenants' rows serve as the lock.
    Result<CommitOutcome> lock_tenants(Session& session) const {
        for (const auto& [key, owner] : owners_) {
            auto locked = read_one(session, kLockTenant, tenant_place(owner.tenant.name));
            if (!locked) return locked.error();
        }
        return CommitOutcome::yes;
    }

    [[nodiscard]] const std::vector<CommitEvidence>& traces() const { return writer_->traces(); }
    [[nodiscard]] std::vector<CreateAnswer> take_answers() { return std::move(answers_); }

private:
    // What is already taken, and the tenants, whose limits must stay until the commit.
    Result<void> look(Session& session) {
        Batch ids;
        Batch names;
        Batch requests;
        std::map<std::int64_t, std::string> tenants;
        for (const auto index : asked_) {
            for (const auto& each : groups_[index]) {
                const auto& plan = *each.plan;
                const auto& definition = *plan.definition;
                const auto tenant = model::tenant_key(definition.tenant);
                tenants.emplace(tenant, definition.tenant);
                ids.add_row(model::key_of(plan.schedule_id));
                if (takes_name(plan)) names.add_row(tenant, definition.name);
                if (plan.request) requests.add_row(tenant, plan.request->key);
            }
        }
        Batch keys;
        for (const auto& [key, name] : tenants) {
            keys.add_row(key);
            auto shared = session.later(kShareTenant, tenant_place(name),
                                        [this, key](TenantRow row) { owners_.insert_or_assign(key, std::move(row)); });
            if (!shared) return shared;
        }
        const auto later = [&](const auto& query, const Batch& rows, const auto& sink) {
            return rows.empty() ? Result<void>() : session.later(query, rows, sink);
        };
        if (auto sent = later(
                kTakenRequests, requests,
                [&, this](const RequestPlace& place) { taken_.requests.emplace(tenants.at(place.tenant), place.key); });
            !sent)
            return sent;
        if (auto sent = later(kUsedKeys, ids, [this](std::int64_t key) { taken_.ids.insert(key); }); !sent) return sent;
        if (auto sent = later(kFindNames, names,
                              [this](const NamedSchedule& found) { taken_.names.emplace(found.tenant, found.name); });
            !sent)
            return sent;
        auto counted = session.run(kScheduleTotals, keys,
                                   [this](const ScheduleTotal& total) { totals_[total.tenant] = total.schedules; });
        if (!counted) return counted.error();
        return {};
    }

    // Why the group cannot be created. If it can, it counts for the later ones.
    std::optional<Error> refuse(const NewGroup& group, std::int64_t schedules_max) {
        std::map<std::int64_t, std::int64_t> more;
        for (const auto& each : group) {
            const auto& plan = *each.plan;
            if (auto error = taken_.refuse(plan)) return error;
            const auto key = model::tenant_key(plan.definition->tenant);
            if (!owners_.contains(key)) return tenant_not_found(plan.definition->tenant);
            if (!takes_name(plan)) continue;
            if (auto full = check_limit(key, totals_[key] + ++more[key], schedules_max)) return full;
        }
        for (const auto& [key, count] : more) totals_[key] += count;
        return std::nullopt;
    }

    [[nodiscard]] std::optional<Error> check_limit(std::int64_t tenant, std::int64_t count,
                                                   std::int64_t schedules_max) const {
        const auto& owner = owners_.at(tenant).tenant;
        const auto most = owner.schedules_max.value_or(schedules_max);
        return count > most ? std::optional(tenant_full(owner.name, most)) : std::nullopt;
    }

    void add(std::size_t index, const NewPlan& each, const StoreMemory& memory) {
        const auto& plan = *each.plan;
        const auto& definition = *plan.definition;
        const auto tenant = model::tenant_key(definition.tenant);
        auto row = writer_->add_new(plan);
        const auto& owner = owners_.at(tenant);
        if (owner.followed.at(plan.decided_at)) {
            writer_->tell(plan, definition);
            notifications_.emplace_back(FeedGrown{owner.tenant.name});
        }
        if (each.decided == nullptr) {
            notifications_.emplace_back(ScheduleMoved{row.key, plan.state.next_fire, tenant});
            return;
        }
        now_ = std::max(now_, plan.decided_at);
        Subject subject{.row = std::move(row), .id = plan.schedule_id};
        subject.schedule =
            with_keys(subject.row.key, subject.row.stamp, each.decided->compiled, memory.default_connection);
        subject.facts.schedule = each.decided->compiled;
        subject.facts.state = plan.state;
        subject.facts.default_connection = memory.default_connection;
        subject.facts.caps = memory.caps;
        subjects_.push_back(std::move(subject));
        decided_.push_back({index, each.decided});
    }

    // The first decisions of new schedules. One that cannot be decided waits for a tick.
    Result<void> decide(Session& session, StoreMemory& memory, const spec::ZoneDatabase& zones, TenantGuard& tenants) {
        if (subjects_.empty()) return {};
        FactsReader reader(session, memory, zones);
        if (auto gathered = reader.gather(subjects_, {.now = now_}, Purpose::tick); !gathered) return gathered;
        if (auto loaded = tenants.load(subjects_); !loaded) return loaded;
        for (std::size_t i = 0; i < subjects_.size(); ++i) {
            auto& subject = subjects_[i];
            const auto& definition = subject.schedule->compiled->definition;
            tenants.tell(subject);
            auto plan = decided_[i].second->first(subject.facts);
            const bool followed = tenants.follow(subject);
            const bool added = plan && !plan->empty() &&
                               !writer_->add(*subject.schedule, subject.row, subject.facts, *plan, {followed});
            const auto next_fire = added ? plan->state.next_fire : subject.row.state.next_fire;
            if (next_fire)
                notifications_.emplace_back(ScheduleMoved{subject.row.key, next_fire, subject.schedule->tenant_key});
            if (!added) continue;
            tenants.count(subject, *plan);
            std::ranges::move(notifications_of(*plan, definition, {false, followed, memory.default_connection}),
                              std::back_inserter(notifications_));
            answers_[decided_[i].first] = std::optional(std::move(*plan));
        }
        return {};
    }

    std::span<const NewGroup> groups_;
    std::vector<CreateAnswer> answers_;
    std::vector<std::size_t> asked_ = {};  // the groups that take part
    Taken taken_ = {};
    std::map<std::int64_t, TenantRow> owners_ = {};
    std::map<std::int64_t, std::int64_t> totals_ = {};  // schedules, by tenant
    std::optional<PlanWriter> writer_ = {};
    Instant now_ = {};
    std::vector<Subject> subjects_ = {};                                    // to decide at once
    std::vector<std::pair<std::size_t, const NewSchedule*>> decided_ = {};  // their groups
    std::vector<Notification> notifications_ = {};
};

}  // namespace

SqlStore::CreateAnswers SqlStore::create_all(std::span<const NewGroup> groups) {
    Creation creation(groups);
    if (creation.prepare() == 0) return creation.take_answers();
    const auto work = [&](Session& session) {
        return creation.write(session, memory_, zones_, limits_.schedules_per_tenant);
    };
    auto done = commit(work, [&](Session& session) -> Result<CommitOutcome> {
        if (auto locked = creation.lock_tenants(session); !locked) return locked;
        return look_for(session, creation.traces());
    });
    if (done) return creation.take_answers();
    if (!may_be_own(done.error())) return done.error();
    // If there is more than one, each is tried alone.
    std::vector<CreateAnswer> answers(groups.size());
    if (groups.size() > 1) return answers;
    // Another transaction created a schedule of the same name between the check and the write.
    const bool name_is_taken = done.error().code == ErrorCode::conflict && groups.front().size() == 1;
    answers.front() = name_is_taken ? name_taken(groups.front().front().plan->definition->name) : done.error();
    return answers;
}

std::vector<SqlStore::CreateAnswers> SqlStore::create_round(const std::vector<std::span<const NewGroup>>& calls) {
    std::vector<NewGroup> all;
    for (const auto& call : calls) all.insert(all.end(), call.begin(), call.end());
    return split(create_all(all), calls);
}

Result<std::vector<ScheduleStore::Created>> SqlStore::create_groups(std::span<const NewGroup> groups) {
    std::size_t weight = 0;
    for (const auto& group : groups) weight += group.size();
    auto answers = creations_.ask(0, weight, groups);
    if (!answers) return answers.error();
    std::vector<Created> created;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        auto& answer = (*answers)[i];
        if (!answer) {
            auto alone = create_all(groups.subspan(i, 1));
            answer = alone ? std::move(alone->front()) : CreateAnswer(alone.error());
        }
        created.push_back(std::move(*answer));
    }
    return created;
}

Result<void> SqlStore::create(std::span<const decide::Plan> plans) {
    std::vector<NewPlan> all;
    for (const auto& plan : plans) all.push_back({&plan});
    const NewGroup group(all);
    auto created = create_groups({&group, 1});
    if (!created) return created.error();
    if (!created->front()) return created->front().error();
    return {};
}

Result<std::vector<ScheduleStore::Created>> SqlStore::create_each(std::span<const NewSchedule> schedules) {
    std::vector<NewPlan> all;
    all.reserve(schedules.size());
    std::vector<NewGroup> groups;
    for (const auto& each : schedules) {
        const auto& plan = all.emplace_back(NewPlan{&each.plan, each.first ? &each : nullptr});
        groups.emplace_back(&plan, 1);
    }
    return create_groups(groups);
}

}  // namespace belfry::store::sql
