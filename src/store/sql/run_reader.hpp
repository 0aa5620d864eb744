// Runs as people see them: the row, completed by what the definition of its version says.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "store/sql/database.hpp"
#include "store/sql/rows.hpp"

namespace belfry::store::sql {

using DefinitionPtr = std::shared_ptr<const model::Schedule>;

// Definitions by schedule and version. They never change once they are committed, so only sessions that read what is
// committed may fill it. Thread-safe.
class DefinitionCache {
public:
    [[nodiscard]] DefinitionPtr find(std::int64_t key, std::int64_t version) const;
    void keep(std::int64_t key, std::int64_t version, DefinitionPtr definition);

private:
    static constexpr std::size_t kMax = 100'000;

    mutable Mutex mutex_;
    std::map<std::pair<std::int64_t, std::int64_t>, DefinitionPtr> entries_ BELFRY_GUARDED_BY(mutex_);
};

struct RunWithDefinition {
    model::Run run;
    DefinitionPtr definition;
};

// What a session sees: a reading one only what is committed, a writing one also what may never be.
enum class Sees : std::uint8_t { committed, anything };

// Runs a statement that answers kRunColumns.
[[nodiscard]] Result<std::vector<RunWithDefinition>> read_runs_with_definitions(Session& session, const Statement& statement, const Batch& batch,
                                                                                DefinitionCache& cache, Sees sees);
[[nodiscard]] Result<std::vector<model::Run>> read_runs(Session& session, const Statement& statement, const Batch& batch, DefinitionCache& cache,
                                                        Sees sees);

}  // namespace belfry::store::sql
