// A database in one SQLite file: one connection that writes, some that read, and a thread that passes announcements on.
#include <filesystem>

#include "base/clock.hpp"
#include "base/waiting.hpp"
#include "store/sql/database.hpp"
#include "store/sqlite/announcer.hpp"
#include "store/sqlite/readers.hpp"
#include "store/sqlite/writer.hpp"

namespace belfry::store::sqlite {

namespace {

class SqliteDatabase final : public sql::Database {
public:
    SqliteDatabase(std::unique_ptr<Connection> connection, WriteGate gate, const std::string& path)
        : writer_(std::move(connection), std::move(gate), announcer_), readers_(path) {}
    // A listener may still be reading, so it has to end before the connections do.
    ~SqliteDatabase() override { announcer_.listen({}); }
    SqliteDatabase(const SqliteDatabase&) = delete;
    SqliteDatabase& operator=(const SqliteDatabase&) = delete;

    [[nodiscard]] const sql::Dialect& dialect() const override { return sql::sqlite_dialect(); }
    Result<void> write(const sql::Work& work) override {
        const Waiting waiting;  // for the others of its group and for the disk
        return writer_.write(work);
    }
    Result<void> read(const sql::Work& work) override { return readers_.read(work); }
    Result<Instant> now() override { return SystemClock().now(); }
    void listen(std::function<void(std::string_view)> listener) override { announcer_.listen(std::move(listener)); }

private:
    Announcer announcer_;
    Writer writer_;
    Readers readers_;  // closed before the writer, which then tidies up the log
};

}  // namespace

}  // namespace belfry::store::sqlite

namespace belfry::store::sql {

Result<std::unique_ptr<Database>> open_sqlite(const std::string& path) {
    if (path.empty() || path == ":memory:") return invalid("an SQLite database needs the path of a file");
    // Readers are opened later, perhaps from another working folder.
    std::error_code failed;
    const auto absolute = std::filesystem::absolute(path, failed).string();
    if (failed) return Error{ErrorCode::unavailable, "cannot open " + path + ": " + failed.message()};

    auto connection = sqlite::Connection::open(absolute, sqlite::Access::write);
    if (!connection) return std::move(connection).error();
    auto gate = sqlite::WriteGate::open(absolute);
    if (!gate) return gate.error();
    return std::unique_ptr<Database>(std::make_unique<sqlite::SqliteDatabase>(std::move(*connection), std::move(*gate), absolute));
}

}  // namespace belfry::store::sql
