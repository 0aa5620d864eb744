#include "store/sql/shared/change_round.hpp"

#include <algorithm>

#include "store/errors.hpp"
#include "store/rules/plan_notifications.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/read/unreadable.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements_deciding.hpp"

namespace belfry::store::sql {

namespace {

Error name_has_moved(const std::string& name) {
    return {ErrorCode::conflict, "schedule " + name + " was changed by another request: try again"};
}

}  // namespace

ChangeRound::ChangeRound(std::span<const ChangeRequest* const> requests, StoreMemory& memory,
                         const spec::ZoneDatabase& zones, Locked locked)
    : requests_(requests), memory_(memory), zones_(zones), locked_(locked), answers_(requests.size()) {
    for (const auto* const request : requests_) now_ = std::max(now_, request->needs.now);
}

Result<void> ChangeRound::decide(Session& session) {
    const auto keys = find(session);
    if (!keys) return keys.error();
    for (auto& wave : waves_by(*keys, [](const std::optional<std::int64_t>& key) { return key; })) {
        if (auto decided = decide_wave(session, std::move(wave)); !decided) return decided;
    }
    return notify(session, notifications_);
}

std::vector<CommitEvidence> ChangeRound::traces() const {
    for (const auto& writer : writers_) {
        if (!writer.traces().empty()) return writer.traces();
    }
    return {};
}

// An id is the key. Whether it belongs to the tenant shows when the schedule is locked.
Result<ChangeRound::Keys> ChangeRound::find(Session& session) {
    Batch names;
    for (const auto* const request : requests_) {
        const auto& ref = request->schedule;
        if (ref.id.empty()) names.add_row(model::tenant_key(ref.tenant), ref.name);
    }
    if (auto read = read_names(session, names, names_); !read) return read.error();
    Keys keys;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
        const auto& ref = requests_[i]->schedule;
        const auto named = names_.find({ref.tenant, ref.name});
        if (!ref.id.empty()) {
            keys.emplace_back(model::key_of(ref.id));
        } else if (named != names_.end()) {
            keys.emplace_back(named->second);
        } else {
            keys.emplace_back(std::nullopt);
            answers_[i] = schedule_not_found(ref);
        }
    }
    return keys;
}

Result<void> ChangeRound::decide_wave(Session& session, Wave wave) {
    // The changes of one schedule stay in order: if one does not take part, neither do the next ones.
    std::erase_if(wave, [this](const auto& each) { return held_.contains(each.first); });
    TenantGuard tenants(session, memory_.usage, now_);
    if (auto asked = tenants.ask_for(tenants_of(wave)); !asked) return asked;
    auto rows = lock(session, wave);
    if (!rows) return rows.error();
    FactsReader reader(session, memory_, zones_);
    auto subjects = reader.subjects(std::move(*rows), Unreadable::stands_in);
    if (!subjects) return subjects.error();
    if (auto checked = check(session, wave, *subjects); !checked) return checked;
    if (auto gathered = reader.gather(*subjects, {.now = now_}, Purpose::change); !gathered) return gathered;
    if (auto loaded = tenants.load(*subjects); !loaded) return loaded;
    auto& writer = writers_.emplace_back(subjects->size());
    for (auto& subject : *subjects) {
        const auto index = wave.at(subject.row.key);
        answers_[index] = subject.broken ? Result<decide::Plan>(*subject.broken)
                                         : decide_one(session, subject, requests_[index]->planner, tenants, writer);
    }
    if (auto written = writer.write(session, memory_); !written) return written;
    return tenants.write();
}

std::set<std::int64_t> ChangeRound::tenants_of(const Wave& wave) const {
    std::set<std::int64_t> tenants;
    for (const auto& [key, index] : wave) tenants.insert(model::tenant_key(requests_[index]->schedule.tenant));
    return tenants;
}

// While this waited for a lock, another schedule may have taken the name, so names are read again behind the lock.
// From then on they stay.
Result<std::vector<StateRow>> ChangeRound::lock(Session& session, const Wave& wave) {
    Batch keys;
    Batch names;
    for (const auto& [key, index] : wave) {
        keys.add_row(key);
        const auto& ref = requests_[index]->schedule;
        if (ref.id.empty()) names.add_row(model::tenant_key(ref.tenant), ref.name);
    }
    std::vector<StateRow> rows;
    const auto take = [&rows](StateRow row) { rows.push_back(std::move(row)); };
    const auto& statement = locked_ == Locked::wait ? kLockStatesWait : kLockStates;
    if (names.empty()) {
        if (auto locked = session.run(statement, keys, take); !locked) return locked.error();
    } else {
        if (auto locked = session.later(statement, keys, take); !locked) return locked.error();
        names_.clear();
        if (auto read = read_names(session, names, names_); !read) return read.error();
    }
    std::set<std::int64_t> missing;
    for (const auto& [key, index] : wave) missing.insert(key);
    for (const auto& row : rows) missing.erase(row.key);
    for (const auto key : missing) {
        const auto index = wave.at(key);
        if (locked_ == Locked::wait) {
            answers_[index] = schedule_not_found(requests_[index]->schedule);
        } else {
            held_.insert(key);
        }
    }
    return rows;
}

Result<void> ChangeRound::check(Session& session, const Wave& wave, std::vector<Subject>& subjects) {
    for (auto& subject : subjects) {
        const auto& request = *requests_[wave.at(subject.row.key)];
        const auto& ref = request.schedule;
        subject.needs = &request.needs;
        if (subject.unreadable && !request.needs.stand_in) subject.broken = subject.unreadable;
        if (ref.id.empty()) {
            const auto named = names_.find({ref.tenant, ref.name});
            if (named == names_.end()) {
                subject.broken = schedule_not_found(ref);
            } else if (named->second != subject.row.key) {
                subject.broken = name_has_moved(ref.name);
            }
            continue;
        }
        auto owner = subject.schedule ? subject.schedule->compiled->definition.tenant : std::string();
        if (!subject.schedule) {
            const auto known = read_known(session, {subject.row.key});
            if (!known) return known.error();
            if (const auto found = known->find(subject.row.key); found != known->end()) owner = found->second->tenant;
        }
        // The error must not reveal the schedule to another tenant.
        if (owner != ref.tenant || subject.id != ref.id) subject.broken = schedule_not_found(ref);
    }
    return {};
}

Result<decide::Plan> ChangeRound::decide_one(Session& session, Subject& subject, const Planner& planner,
                                             TenantGuard& tenants, PlanWriter& writer) {
    tenants.tell(subject);
    auto plan = planner(subject.facts);
    if (!plan || plan->empty()) return plan;
    const auto& before = subject.schedule->compiled->definition;
    if (plan->definition && plan->definition->name != before.name) {
        const auto other =
            read_one(session, kFindByName, {subject.schedule->tenant_key, plan->definition->name, before.tenant});
        if (!other) return other.error();
        if (*other) return name_taken(plan->definition->name);
    }
    const bool followed = tenants.follow(subject);
    if (auto error = writer.add(*subject.schedule, subject.row, subject.facts, *plan, {followed})) return *error;
    tenants.count(subject, *plan);
    const NewsOf news{is_moved(*plan, subject.row.state.next_fire), followed, memory_.default_connection,
                      subject.facts.run_definition};
    std::ranges::move(notifications_of(*plan, before, news), std::back_inserter(notifications_));
    return plan;
}

}  // namespace belfry::store::sql
