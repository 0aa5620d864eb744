#include "app/store_opening.hpp"

#include <sys/stat.h>

#include <filesystem>

#include "app/data_folder.hpp"
#include "model/task.hpp"
#include "store/open.hpp"
#include "store/sql/sql_store.hpp"

namespace belfry::app {

namespace {

constexpr std::string_view kSqlite = "sqlite:";

// Only the data folder is made: a path that somebody typed may be a mistake.
Result<void> make_folder_of(const Settings& settings) {
    const std::filesystem::path file = settings.store.substr(kSqlite.size());
    if (file.parent_path() != std::filesystem::path(settings.data_dir)) return {};
    return make_data_folder(settings.data_dir);
}

Result<std::unique_ptr<store::sql::Database>> open_database(const Settings& settings) {
    if (is_remote(settings)) return store::sql::open_postgres({.url = settings.store, .connections_max = settings.postgres_connections});
    if (auto made = make_folder_of(settings); !made) return made.error();
    ::umask(0077);  // inputs may be secrets: the file and those beside it are their owner's, whatever folder they are in
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
    return store::sql::open_store(std::move(*database), zones, nullptr,
                                  {.schedules_per_tenant = settings.schedules_per_tenant,
                                   .default_connection = settings.default_connection == model::kBuiltIn ? "" : settings.default_connection,
                                   .run = {settings.run_timeout, settings.run_tokens_max, settings.run_tool_calls_max, settings.task_timeout}});
}

}  // namespace belfry::app
