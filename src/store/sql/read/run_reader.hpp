// Runs as users see them: the row, completed from the definition of its version.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/concurrency/lru_cache.hpp"
#include "store/sql/database.hpp"
#include "store/sql/statements/run_columns.hpp"
#include "store/store.hpp"

namespace belfry::store::sql {

using model::DefinitionPtr;

// Definitions by schedule and version. A committed definition never changes, so only sessions that read committed
// data may fill the cache. Thread-safe.
class DefinitionCache {
public:
    [[nodiscard]] DefinitionPtr find(std::int64_t key, std::int64_t version) {
        return definitions_.find({key, version});
    }
    // Parses a stored definition and caches it.
    [[nodiscard]] Result<DefinitionPtr> keep(std::int64_t key, std::int64_t version, std::string_view body);

private:
    // In bytes of text; the parsed values take a few times as much.
    static constexpr std::size_t kBytesMax = std::size_t{32} << 20U;

    using Version = std::pair<std::int64_t, std::int64_t>;
    struct Hash {
        // Keys end in random bits, and a schedule has few versions.
        std::size_t operator()(const Version& version) const {
            return static_cast<std::size_t>(version.first + version.second);
        }
    };
    LruCache<Version, model::Schedule, Hash> definitions_{kBytesMax};
};

// How many definitions are read together for a page: each may have a few hundred kilobytes, and the page may be full
// before the last.
inline constexpr std::size_t kDefinitionsAtOnce = 32;

// Parses a stored definition.
[[nodiscard]] Result<DefinitionPtr> read_definition(std::string_view body);

// By the schedule's key and the version.
using DefinitionVersions = std::map<std::pair<std::int64_t, std::int64_t>, DefinitionPtr>;

struct RunWithDefinition {
    model::Run run;
    DefinitionPtr definition;
    bool unreadable = false;  // no worker can do it: the definition is a stand-in, or the input is null
};

// What a session sees: a reading one only committed data, a writing one also uncommitted data.
enum class Sees : std::uint8_t { committed, anything };

// Fills in the requested definitions. Unreadable ones stay null: one definition must not hide the runs of all others.
[[nodiscard]] Result<void> read_versions(Session& session, DefinitionVersions& definitions, DefinitionCache& cache,
                                         Sees sees);

// Completes rows from cached definitions; empty if one of them is not cached.
[[nodiscard]] std::optional<std::vector<RunWithDefinition>> complete_from_memory(const std::vector<RunRow>& rows,
                                                                                 DefinitionCache& cache);

// The runs that no worker can do, because their definition or input is unreadable. For writing sessions.
[[nodiscard]] Result<std::set<model::RunKey>> unreadable_among(Session& session, const std::vector<RunRow>& rows,
                                                               DefinitionCache& cache);

[[nodiscard]] Result<std::vector<RunWithDefinition>> read_runs_with_definitions(Session& session,
                                                                                const Query<RunRow>& query,
                                                                                const Batch& batch,
                                                                                DefinitionCache& cache, Sees sees);
[[nodiscard]] Result<std::vector<model::Run>> read_runs(Session& session, const Query<RunRow>& query,
                                                        const Batch& batch, DefinitionCache& cache, Sees sees);

// A page of such a list. The query reads one row more than the page has.
struct RunPage {
    std::vector<model::Run> runs = {};
    bool more = false;  // there was a run that did not fit
};
[[nodiscard]] Result<RunPage> read_run_page(Session& session, const Query<RunRow>& query, const Batch& batch,
                                            const Page& page, DefinitionCache& cache);

}  // namespace belfry::store::sql
