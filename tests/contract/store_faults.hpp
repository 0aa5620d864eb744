// Places for the fault tests: a SQLite file or a PostgreSQL database that can be opened again and again, photographed
// row by row, and put back to what it was.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "store/sql/sql_store.hpp"
#include "support/fakes/faulty_database.hpp"
#include "support/oracles/store_invariants.hpp"
#include "support/servers/postgres_cluster.hpp"
#include "support/worlds/temp_folder.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::store {

using DatabasePtr = std::unique_ptr<sql::Database>;

// What a set-up needs to go on. An error ends the program: there is nothing to test then.
template <typename T>
T must(Result<T> result, const char* what) {
    if (!result) {
        std::fprintf(stderr, "%s: %s\n", what, result.error().message.c_str());
        std::abort();
    }
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

class Place {
public:
    virtual ~Place() = default;
    // A handle of its own, like that of another program.
    [[nodiscard]] virtual DatabasePtr open() const = 0;
};

class SqlitePlace final : public Place {
public:
    [[nodiscard]] DatabasePtr open() const override { return must(sql::open_sqlite(path()), "open"); }
    [[nodiscard]] std::string path() const { return folder_.file("belfry.db"); }

private:
    test::TempFolder folder_;
};

class PostgresPlace final : public Place {
public:
    explicit PostgresPlace(std::string url = test::shared_cluster().new_database()) : url_(std::move(url)) {}
    [[nodiscard]] DatabasePtr open() const override { return sql::open_postgres({.url = url_}); }
    [[nodiscard]] const std::string& url() const { return url_; }

private:
    std::string url_;
};

// "sqlite" or "postgres".
inline std::unique_ptr<Place> new_place(const std::string& kind) {
    if (kind == "sqlite") return std::make_unique<SqlitePlace>();
    return std::make_unique<PostgresPlace>();
}

inline std::unique_ptr<Store> open_store_on(const Place& place) {
    return must(sql::open_store(place.open(), test::zones()), "open the store");
}

// A store of its own, with nothing in memory, on a database that outlives it.
inline std::unique_ptr<Store> store_on(sql::Database& database) {
    return std::make_unique<sql::SqlStore>(std::make_unique<test::BorrowedDatabase>(database), test::zones());
}

inline void expect_sound_tables(sql::Database& database, const test::InvariantOptions& options = {}) {
    for (const auto& breach : test::breaches_of_invariants(database, options)) ADD_FAILURE() << breach;
}

// Every row of every table, sorted: two that are equal hold the same, in whatever order the database likes.
using Picture = std::vector<std::string>;

// What is in one and not in the other, in words.
[[nodiscard]] inline std::string difference_of(const Picture& one, const Picture& other) {
    std::string words;
    const auto tell = [&words](const char* sign, const Picture& from, const Picture& without) {
        std::vector<std::string> only;
        std::ranges::set_difference(from, without, std::back_inserter(only));
        for (const auto& row : only) words += std::string("\n  ") + sign + " " + row;
    };
    tell("-", one, other);
    tell("+", other, one);
    return words;
}

// Photographs all tables of a store, and puts them back. Whatever table a migration adds is in it by itself.
class Camera {
public:
    // Keeps what the tables hold now. REQUIRES: the schema is there. From then on events may be changed: the triggers
    // that forbid it go, so that the camera can put them back.
    explicit Camera(sql::Database& database) : database_(database) {
        find_tables();
        const bool on_sqlite = &database.dialect() == &sql::sqlite_dialect();
        std::string keep = on_sqlite ? "DROP TRIGGER events_are_never_changed; DROP TRIGGER events_are_never_removed; "
                                       "DROP TRIGGER checkpoints_are_followed; DROP TRIGGER checkpoints_stay;"
                                     : "DROP TRIGGER events_are_never_changed ON events; "
                                       "DROP TRIGGER checkpoints_are_followed ON event_checkpoints;";
        for (const auto& table : tables_) {
            keep += "CREATE TABLE kept_" + table.name + " AS SELECT * FROM " + table.name + ";";
        }
        must(database_.write([&](sql::Session& session) { return session.script(keep); }), "keep the tables");
        kept_ = take();
    }

    // The stamps are random: all that counts is whether they are the ones that were kept. The positions of the feed
    // count what was rolled back, too.
    [[nodiscard]] Picture take() const {
        Picture picture;
        const auto done = database_.read([&](sql::Session& session) -> Result<void> {
            for (const auto& table : tables_) {
                auto read =
                    session.run(*table.all, {}, [&](const sql::Row& row) { picture.push_back(text_of(table, row)); });
                if (!read) return read.error();
            }
            auto read = session.run(kNewStamps, {}, [&](const sql::Row& row) {
                picture.push_back("schedule_state " + std::to_string(row.integer(0)) + " has a new stamp");
            });
            if (!read) return read.error();
            return {};
        });
        must(done, "take a picture");
        std::ranges::sort(picture);
        return picture;
    }

    // Back to what was kept, table by table where anything differs: whole tables again and again would bloat
    // PostgreSQL's.
    void put_back() const {
        const auto now = take();
        if (now == kept_) return;
        std::vector<std::string> differing;
        std::ranges::set_symmetric_difference(now, kept_, std::back_inserter(differing));
        std::string script;
        for (const auto& table : tables_) {
            const bool differs = std::ranges::any_of(
                differing, [&](const std::string& row) { return row.starts_with(table.name + " "); });
            if (differs)
                script += "DELETE FROM " + table.name + "; INSERT INTO " + table.name + " SELECT * FROM kept_" +
                          table.name + ";";
        }
        must(database_.write([&](sql::Session& session) { return session.script(script); }), "put the tables back");
    }

private:
    struct Table {
        std::string name;
        std::vector<std::string> columns;
        std::unique_ptr<sql::Statement> all = {};
    };

    void find_tables() {
        const bool on_sqlite = &database_.dialect() == &sql::sqlite_dialect();
        must(database_.read([&](sql::Session& session) -> Result<void> {
            auto read = session.run(on_sqlite ? kColumnsInSqlite : kColumnsInPostgres, {}, [&](const sql::Row& row) {
                if (tables_.empty() || tables_.back().name != row.text(0))
                    tables_.push_back({std::string(row.text(0)), {}});
                tables_.back().columns.emplace_back(row.text(1));
            });
            if (!read) return read.error();
            return {};
        }),
             "find the tables");
        for (auto& table : tables_)
            table.all = std::make_unique<sql::Statement>("picture", "SELECT * FROM " + table.name);
    }

    // Hashes are bytes.
    static std::string printable(std::string_view bytes) {
        std::string text;
        for (const char c : bytes) {
            const auto byte = static_cast<unsigned char>(c);
            if (byte >= 0x20 && byte < 0x7f) {
                text += c;
            } else {
                text += "\\" + std::to_string(byte);
            }
        }
        return text;
    }

    static std::string text_of(const Table& table, const sql::Row& row) {
        auto text = table.name;
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            const auto column = static_cast<int>(i);
            if (table.columns[i] == "stamp" || (table.name == "feed" && table.columns[i] == "position")) continue;
            text += " " + table.columns[i] + "=";
            if (row.is_null(column)) {
                text += "null";
            } else if (const auto number = row.integer(column); number != 0) {
                text += std::to_string(number);
            } else {
                text += "'" + printable(row.text(column)) + "'";
            }
        }
        return text;
    }

    inline static const sql::Statement kColumnsInSqlite{
        "columns",
        "SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c "
        "WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' AND t.name <> 'schema_migrations' "
        "ORDER BY t.name, c.cid"};
    inline static const sql::Statement kColumnsInPostgres{
        "columns",
        "SELECT CAST(table_name AS text), CAST(column_name AS text) FROM information_schema.columns "
        "WHERE table_schema = current_schema() AND table_name <> 'schema_migrations' "
        "ORDER BY table_name, ordinal_position"};
    inline static const sql::Statement kNewStamps{
        "new stamps",
        "SELECT s.schedule_key FROM schedule_state s JOIN kept_schedule_state k "
        "ON k.schedule_key = s.schedule_key WHERE s.stamp <> k.stamp"};

    sql::Database& database_;  // last to go: it knows the statements
    std::vector<Table> tables_;
    Picture kept_;
};

}  // namespace belfry::store
