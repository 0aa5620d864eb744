// Creates schedules.
#include <map>
#include <set>

#include "store/errors.hpp"
#include "store/rules/plan_checks.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements_deciding.hpp"
#include "store/sql/statements/statements_requests.hpp"
#include "store/sql/statements/statements_tenants.hpp"

namespace belfry::store::sql {

namespace {

// New schedules of one call, which are created together or not at all.
class Creation {
public:
    explicit Creation(std::span<const decide::Plan> plans) : plans_(plans), writer_(plans.size()) {}

    // Checks the plans on their own, before the transaction.
    std::optional<Error> prepare() {
        std::set<std::pair<std::string, std::string>> names;
        std::set<std::int64_t> keys;
        for (const auto& plan : plans_) {
            if (auto error = writer_.add_new(plan)) return error;
            const auto& definition = *plan.definition;
            if (takes_name(plan) && !names.emplace(definition.tenant, definition.name).second)
                return name_taken(definition.name);
            const auto key = model::key_of(plan.schedule_id);
            if (!keys.insert(key).second) return id_taken(plan.schedule_id);
            tenants_.insert(definition.tenant);
            notifications_.emplace_back(ScheduleMoved{key, plan.state.next_fire, model::tenant_key(definition.tenant)});
        }
        return std::nullopt;
    }

    Result<void> write(Session& session, StoreMemory& memory, std::int64_t schedules_max) {
        for (const auto& plan : plans_) {
            if (auto free = check_free(session, plan); !free) return free;
        }
        // Their limits must stay until the commit.
        if (auto locked = lock_tenants(session, kShareTenant); !locked) return locked;
        tell_followers();
        if (auto written = writer_.write(session, memory); !written) {
            // Another transaction created a schedule of the same name between the check and the write.
            const bool name_is_taken = written.error().code == ErrorCode::conflict && plans_.size() == 1;
            return name_is_taken ? Result<void>(name_taken(plans_.front().definition->name)) : written;
        }
        if (auto full = check_limits(schedules_max)) return *full;
        return notify(session, notifications_);
    }

    Result<void> lock_tenants(Session& session, const Query<TenantRow>& query) {
        for (const auto& name : tenants_) {
            auto tenant = read_one(session, query, tenant_place(name));
            if (!tenant) return tenant.error();
            if (!*tenant) return tenant_not_found(name);
            owners_.insert_or_assign(model::tenant_key(name), std::move(**tenant));
        }
        return {};
    }

    [[nodiscard]] const std::vector<CommitEvidence>& traces() const { return writer_.traces(); }

private:
    // Whether its request key, its id and its name can be used.
    static Result<void> check_free(Session& session, const decide::Plan& plan) {
        const auto& definition = *plan.definition;
        const auto tenant = model::tenant_key(definition.tenant);
        bool taken = false;
        const auto note = [&taken](const Row&) { taken = true; };
        if (plan.request) {
            auto read = session.run(kRequest, {tenant, plan.request->key}, note);
            if (!read) return read.error();
            if (taken) return request_taken();
        }
        auto read = session.run(kStateExists, {model::key_of(plan.schedule_id)}, note);
        if (!read) return read.error();
        if (taken) return id_taken(plan.schedule_id);
        if (!takes_name(plan)) return {};
        read = session.run(kFindByName, {tenant, definition.name, definition.tenant}, note);
        if (!read) return read.error();
        if (taken) return name_taken(definition.name);
        return {};
    }

    void tell_followers() {
        const auto is_followed = [this](const TenantRow& owner) {
            return owner.followed.at(plans_.front().decided_at);
        };
        for (const auto& plan : plans_) {
            const auto& definition = *plan.definition;
            if (is_followed(owners_.at(model::tenant_key(definition.tenant)))) writer_.tell(plan, definition);
        }
        for (const auto& [key, owner] : owners_) {
            if (is_followed(owner)) notifications_.emplace_back(FeedGrown{owner.tenant.name});
        }
    }

    [[nodiscard]] std::optional<Error> check_limits(std::int64_t schedules_max) const {
        for (const auto& [key, count] : writer_.counts()) {
            const auto& owner = owners_.at(key).tenant;
            const auto most = owner.schedules_max.value_or(schedules_max);
            if (count > most) return tenant_full(owner.name, most);
        }
        return std::nullopt;
    }

    std::span<const decide::Plan> plans_;
    PlanWriter writer_;
    std::set<std::string> tenants_ = {};
    std::map<std::int64_t, TenantRow> owners_ = {};
    std::vector<Notification> notifications_ = {};
};

}  // namespace

Result<void> SqlStore::create(std::span<const decide::Plan> plans) {
    Creation creation(plans);
    if (auto error = creation.prepare()) return *error;
    const auto work = [&](Session& session) { return creation.write(session, memory_, limits_.schedules_per_tenant); };
    return commit(work, [&](Session& session) -> Result<CommitOutcome> {
        // There may be no row yet to wait for, so the tenants' rows serve as the lock.
        if (auto locked = creation.lock_tenants(session, kLockTenant); !locked) return locked.error();
        return look_for(session, creation.traces());
    });
}

}  // namespace belfry::store::sql
