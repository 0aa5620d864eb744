// Finds schedules by their names, many at once.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "store/sql/database.hpp"
#include "store/sql/statements/statements_deciding.hpp"

namespace belfry::store::sql {

// The keys of schedules that are not deleted, by tenant and name.
using ScheduleNames = std::map<std::pair<std::string, std::string>, std::int64_t>;

// Each row is the tenant's key and the name.
[[nodiscard]] inline Result<void> read_names(Session& session, const Batch& rows, ScheduleNames& names) {
    if (rows.empty()) return {};
    auto read = session.run(kFindNames, rows, [&names](NamedSchedule found) {
        names.insert_or_assign({std::move(found.tenant), std::move(found.name)}, found.key);
    });
    if (!read) return read.error();
    return {};
}

}  // namespace belfry::store::sql
