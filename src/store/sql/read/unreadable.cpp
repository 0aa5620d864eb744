#include "store/sql/read/unreadable.hpp"

#include "store/sql/statements/statements_deciding.hpp"

namespace belfry::store::sql {

Error unreadable(const std::string& id, const Error& error) {
    // The key alone would mean nothing to a user.
    const auto which =
        id.empty() ? std::string("a schedule of which neither its id nor its name is known") : "schedule " + id;
    return {ErrorCode::corrupt,
            which + " cannot be read: " + (error.field.empty() ? "" : error.field + ": ") + error.message};
}

Result<std::map<std::int64_t, DefinitionPtr>> read_known(Session& session, const Batch& keys) {
    std::map<std::int64_t, DefinitionPtr> known;
    if (keys.empty()) return known;
    auto read = session.run(kKnownOfSchedules, keys, [&known](KnownSchedule row) {
        model::Schedule definition;
        definition.id = std::move(row.id);
        definition.tenant = std::move(row.tenant);
        definition.name = std::move(row.name);
        definition.version = row.version;
        definition.target.type = row.target_type;
        definition.target.kind = std::move(row.target_kind);
        definition.approval = {.requires_approval = true, .mode = model::ApprovalMode::every_node};
        known[row.key] = std::make_shared<const model::Schedule>(std::move(definition));
    });
    if (!read) return read.error();
    return known;
}

}  // namespace belfry::store::sql
