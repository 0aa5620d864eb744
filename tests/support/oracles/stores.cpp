#include "support/oracles/stores.hpp"

#include <cstdio>
#include <cstdlib>

#include "store/memory/memory_store.hpp"
#include "support/worlds/zones.hpp"

// The databases join as soon as their store is there.
#if __has_include("store/sql/sql_store.hpp") && !defined(BELFRY_TEST_MEMORY_ONLY)
#define BELFRY_TEST_SQL_STORES 1
#include "store/sql/database.hpp"
#include "store/sql/sql_store.hpp"
#include "support/servers/postgres_cluster.hpp"
#include "support/worlds/temp_folder.hpp"
#endif

namespace belfry::test {

namespace {

class MemoryWorld final : public StoreWorld {
public:
    [[nodiscard]] StorePtr open(const spec::ZoneDatabase& zones, const Clock* clock) override {
        if (!store_) store_ = std::make_shared<store::MemoryStore>(zones, clock, limits);
        return store_;
    }
    bool damage(const std::string& /*statements*/) override { return false; }
    [[nodiscard]] bool announces_across_handles() const override { return true; }

private:
    StorePtr store_;
};

#ifdef BELFRY_TEST_SQL_STORES

template <typename T>
T opened(Result<T> result) {
    if (result) return std::move(*result);
    std::fprintf(stderr, "cannot open the store: %s\n", result.error().message.c_str());
    std::abort();
}

class SqlWorld : public StoreWorld {
public:
    [[nodiscard]] StorePtr open(const spec::ZoneDatabase& zones, const Clock* clock) override {
        return opened(store::sql::open_store(database(), zones, clock, limits));
    }
    bool damage(const std::string& statements) override {
        const auto done = database()->write([&](store::sql::Session& session) { return session.script(statements); });
        if (!done) std::fprintf(stderr, "cannot damage the store: %s\n", done.error().message.c_str());
        return done.has_value();
    }

private:
    [[nodiscard]] virtual std::unique_ptr<store::sql::Database> database() = 0;
};

class SqliteWorld final : public SqlWorld {
public:
    [[nodiscard]] bool announces_across_handles() const override { return false; }

private:
    [[nodiscard]] std::unique_ptr<store::sql::Database> database() override {
        return opened(store::sql::open_sqlite(folder_.file("belfry.db")));
    }

    TempFolder folder_;
};

class PostgresWorld final : public SqlWorld {
public:
    [[nodiscard]] bool announces_across_handles() const override { return true; }

private:
    [[nodiscard]] std::unique_ptr<store::sql::Database> database() override {
        return store::sql::open_postgres({.url = url_});
    }

    std::string url_ = shared_cluster().new_database();
};

#endif

bool is_asked_for(const std::string& name) {
    const char* const asked = std::getenv("STORES");
    return asked == nullptr || ("," + std::string(asked) + ",").find("," + name + ",") != std::string::npos;
}

template <typename World>
StoreUnderTest under_test(std::string name) {
    return {std::move(name), [] { return std::make_unique<World>(); }};
}

}  // namespace

std::vector<StoreUnderTest> stores_under_test() {
    std::vector<StoreUnderTest> all{under_test<MemoryWorld>("memory")};
#ifdef BELFRY_TEST_SQL_STORES
    all.push_back(under_test<SqliteWorld>("sqlite"));
    all.push_back(under_test<PostgresWorld>("postgres"));
#endif
    std::erase_if(all, [](const auto& store) { return !is_asked_for(store.name); });
    return all;
}

}  // namespace belfry::test
