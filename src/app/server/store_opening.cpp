#include "app/server/store_opening.hpp"

#include <sys/stat.h>

#include <filesystem>

#include "app/server/data_folder.hpp"
#include "model/run/task.hpp"
#include "store/open.hpp"
#include "store/sql/sql_store.hpp"

namespace belfry::app {

namespace {

constexpr std::string_view kSqlite = "sqlite:";

// Creates only the data folder: another path may be mistyped.
Result<void> make_folder_of(const Settings& settings) {
    const std::filesystem::path file = settings.store.substr(kSqlite.size());
    if (file.parent_path() != std::filesystem::path(settings.data_dir)) return {};
    return make_data_folder(settings.data_dir);
}

Result<std::unique_ptr<store::sql::Database>> open_database(const Settings& settings) {
    if (is_remote(settings))
        return store::sql::open_postgres({.url = settings.store, .connections_max = settings.postgres_connections});
    if (auto made = make_folder_of(settings); !made) return made.error();
    ::umask(0077);  // inputs may be secrets, so only the owner may read the store's files, in any folder
    return store::open_database(settings.store);
}

}  // namespace

bool is_remote(const Settings& settings) { return !settings.store.starts_with(kSqlite); }

bool exists(const Settings& settings) {
    std::error_code failed;
    return is_remote(settings) || std::filesystem::exists(settings.store.substr(kSqlite.size()), failed);
}

Result<std::unique_ptr<store::Store>> open_store(const Settings& settings, const spec::ZoneDatabase& zones) {
    auto database = open_database(settings);
    if (!database) return database.error();
    return store::sql::open_store(std::move(*database), zones, nullptr, store_limits(settings));
}

store::StoreLimits store_limits(const Settings& settings) {
    return {.schedules_per_tenant = settings.schedules_per_tenant,
            .runs_per_day_per_tenant = settings.runs_per_day_per_tenant,
            .stored_bytes_per_tenant = settings.stored_bytes_per_tenant,
            .default_connection = settings.default_connection == model::kBuiltIn ? "" : settings.default_connection,
            .run = {settings.run_timeout, settings.run_tokens_max, settings.run_tool_calls_max, settings.task_timeout}};
}

}  // namespace belfry::app
