// A database in one SQLite file: one connection for writing, some for reading, and a thread that delivers
// notifications.
#include <filesystem>

#include "base/concurrency/blocking_scope.hpp"
#include "base/time/clock.hpp"
#include "store/sql/database.hpp"
#include "store/sqlite/notifier.hpp"
#include "store/sqlite/readers.hpp"
#include "store/sqlite/writer.hpp"

namespace belfry::store::sqlite {

namespace {

class SqliteDatabase final : public sql::Database {
public:
    SqliteDatabase(std::unique_ptr<Connection> connection, WriteGate gate, const std::string& path)
        : writer_(std::move(connection), std::move(gate), notifier_), readers_(path) {}
    // A listener may still be reading, so it must end before the connections.
    ~SqliteDatabase() override { notifier_.listen({}); }
    SqliteDatabase(const SqliteDatabase&) = delete;
    SqliteDatabase& operator=(const SqliteDatabase&) = delete;

    [[nodiscard]] const sql::Dialect& dialect() const override { return sql::sqlite_dialect(); }
    Result<void> write(const sql::Work& work) override {
        const BlockingScope waiting;  // for the rest of the group and for the disk
        return writer_.write(work);
    }
    Result<void> read(const sql::Work& work) override { return readers_.read(work); }
    using sql::Database::query;
    Result<void> query(const sql::Statement& statement, const sql::Batch& batch, const sql::RowSink& sink) override {
        return readers_.query(statement, batch, sink);
    }
    Result<Instant> now() override { return SystemClock().now(); }
    void listen(std::function<void(std::string_view)> listener) override { notifier_.listen(std::move(listener)); }

private:
    Notifier notifier_;
    Writer writer_;
    Readers readers_;  // closed before the writer, which then cleans up the log
};

}  // namespace

}  // namespace belfry::store::sqlite

namespace belfry::store::sql {

Result<std::unique_ptr<Database>> open_sqlite(const std::string& path) {
    if (path.empty() || path == ":memory:")
        return invalid("an SQLite database needs the path of a file, as in sqlite:belfry.db");
    // Readers are opened later, perhaps from another working directory.
    std::error_code failed;
    const auto absolute = std::filesystem::absolute(path, failed).string();
    if (failed) return Error{ErrorCode::unavailable, "cannot open " + path + ": " + failed.message()};

    auto connection = sqlite::Connection::open(absolute, sqlite::Access::write);
    if (!connection) return std::move(connection).error();
    auto gate = sqlite::WriteGate::open(absolute);
    if (!gate) return gate.error();
    return std::unique_ptr<Database>(
        std::make_unique<sqlite::SqliteDatabase>(std::move(*connection), std::move(*gate), absolute));
}

}  // namespace belfry::store::sql
