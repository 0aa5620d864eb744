// The database of a benchmark: the caller's, or a temporary file that is removed at the end.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

#include "store/open.hpp"
#include "store/sql/sql_store.hpp"

namespace belfry::bench {

inline constexpr std::int64_t kBenchSchedulesMax = 100'000'000;  // more than any benchmark needs

class BenchPlace {
public:
    // An empty address means a temporary SQLite file.
    explicit BenchPlace(std::string address)
        : address_(std::move(address)),
          folder_(std::filesystem::temp_directory_path() / ("belfry-bench-" + std::to_string(::getpid()))) {
        if (is_own()) std::filesystem::create_directories(folder_);
    }
    ~BenchPlace() {
        std::error_code ignored;
        if (is_own()) std::filesystem::remove_all(folder_, ignored);
    }
    BenchPlace(const BenchPlace&) = delete;
    BenchPlace& operator=(const BenchPlace&) = delete;

    // The address of the store.
    [[nodiscard]] std::string address() const {
        return is_own() ? "sqlite:" + (folder_ / "store.db").string() : address_;
    }
    [[nodiscard]] bool is_own() const { return address_.empty(); }

    // Opens the caller's database, or `file` in the temporary folder.
    [[nodiscard]] Result<std::unique_ptr<store::sql::Database>> open(const char* file = "store.db") const {
        return store::open_database(is_own() ? "sqlite:" + (folder_ / file).string() : address_);
    }

    // Opens a store without schedules. Benchmarks on existing data would measure something else and leave their rows
    // behind.
    [[nodiscard]] Result<std::unique_ptr<store::Store>> open_empty_store(const spec::ZoneDatabase& zones) const {
        auto store = open_store(zones);
        if (!store) return store;
        auto upcoming = (*store)->upcoming(0, 1);
        if (!upcoming) return upcoming.error();
        if (!upcoming->empty()) return invalid("the store has schedules: use an empty store");
        return store;
    }
    [[nodiscard]] Result<std::unique_ptr<store::Store>> open_store(const spec::ZoneDatabase& zones) const {
        auto database = open();
        if (!database) return database.error();
        return store::sql::open_store(std::move(*database), zones, nullptr,
                                      {.schedules_per_tenant = kBenchSchedulesMax});
    }

private:
    std::string address_;
    std::filesystem::path folder_;
};

}  // namespace belfry::bench
