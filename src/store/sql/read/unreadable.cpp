#include "store/sql/read/unreadable.hpp"

#include "store/sql/statements/statements.hpp"

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
    auto read = session.run(kKnownOfSchedules, keys, [&known](const Row& row) {
        model::Schedule definition;
        definition.id = text_at(row, 1);
        definition.tenant = text_at(row, 2);
        definition.name = text_at(row, 3);
        definition.version = row.integer(4);
        definition.target.type = static_cast<model::TargetType>(row.integer(5));
        definition.target.kind = text_at(row, 6);
        definition.approval = {.requires_approval = true, .mode = model::ApprovalMode::every_node};
        known[row.integer(0)] = std::make_shared<const model::Schedule>(std::move(definition));
    });
    if (!read) return read.error();
    return known;
}

}  // namespace belfry::store::sql
