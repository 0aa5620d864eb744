#include "engine/usecases/assignees.hpp"

namespace belfry::engine {

Result<model::AssigneeRecord> Assignees::put(const std::string& tenant, model::AssigneeRecord record,
                                             std::optional<std::int64_t> version) {
    const auto stored = store_.assignee(tenant, record.id);
    if (!stored && stored.error().code != ErrorCode::not_found) return stored.error();
    const auto now = store_.now();
    if (!now) return now.error();
    const auto before = stored ? stored->version : 0;
    if (version && *version != before) {
        const auto is = stored ? "it is at version " + std::to_string(before) : std::string("it is not registered");
        return Error{ErrorCode::conflict,
                     "the assignee has changed: " + is + ", not at " + std::to_string(*version) + "; read it again"};
    }
    record.created_at = stored ? stored->created_at : *now;
    record.version = before + 1;
    if (auto put = store_.put_assignee(tenant, record); !put) return put.error();
    return record;
}

Result<model::BudgetDay> Assignees::today(const std::string& tenant, const std::string& id) {
    const auto now = store_.now();
    if (!now) return now.error();
    return store_.budget(tenant, id, model::day_of(*now));
}

}  // namespace belfry::engine
