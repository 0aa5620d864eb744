// What the database itself refuses, whoever asks: a second run of a slot, a gap in the audit stream, a changed event.
#include <gtest/gtest.h>

#include "store/sql/database.hpp"
#include "store/sql/sql_store.hpp"
#include "support/servers/postgres_cluster.hpp"
#include "support/worlds/schedules.hpp"
#include "support/worlds/temp_folder.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::store::sql {
namespace {

class DatabaseGuards : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        auto store = open_store(open(), test::zones());
        ASSERT_TRUE(store) << store.error().message;
        database = open();
        insert_event(1);
    }

    std::unique_ptr<Database> open() {
        if (GetParam() == std::string("postgres")) {
            if (url.empty()) url = test::shared_cluster().new_database();
            return open_postgres({.url = url});
        }
        auto opened = open_sqlite(folder.file("belfry.db"));
        EXPECT_TRUE(opened);
        return opened ? std::move(*opened) : nullptr;
    }

    // The error, or nothing when it was allowed.
    std::optional<Error> attempt(const Statement& statement, const Batch& batch) {
        auto done = database->write([&](Session& session) -> Result<void> {
            auto ran = session.run(statement, batch);
            if (!ran) return ran.error();
            return {};
        });
        return done ? std::nullopt : std::optional(done.error());
    }

    std::optional<Error> insert_event(std::int64_t sequence) {
        static const Statement kInsert(
            "insert",
            "INSERT INTO events (schedule_key, sequence, type, recorded_us, payload, hash) {values} "
            ":key, :sequence, 0, 0, :payload::text, :hash::bytea {end values, rows}");
        return attempt(kInsert, {std::int64_t{7}, sequence, "{}", Bytes{"hash"}});
    }

    test::TempFolder folder;
    std::string url;
    std::unique_ptr<Database> database;
};

TEST_P(DatabaseGuards, TheAuditStreamHasNoGapsAndNoTwins) {
    EXPECT_FALSE(insert_event(2)) << "the next one is fine";
    for (const std::int64_t sequence : {0, 1, 2, 4, -1}) {
        const auto refused = insert_event(sequence);
        ASSERT_TRUE(refused) << sequence;
        EXPECT_EQ(refused->code, ErrorCode::conflict) << refused->message;
    }
    EXPECT_FALSE(insert_event(3));
}

TEST_P(DatabaseGuards, AnEventIsNeverChangedOrRemoved) {
    static const Statement kChange("change", "UPDATE events SET payload = '[]' WHERE schedule_key = :key");
    static const Statement kRemove("remove", "DELETE FROM events WHERE schedule_key = :key");
    EXPECT_TRUE(attempt(kChange, {std::int64_t{7}}));
    EXPECT_TRUE(attempt(kRemove, {std::int64_t{7}}));
    static const Statement kArchive(
        "archive",
        "INSERT INTO removed_schedules (schedule_key, id, tenant_key, name, ended_us) VALUES (:key, '', 1, '', 1)");
    EXPECT_FALSE(attempt(kArchive, {std::int64_t{7}}));
    EXPECT_TRUE(attempt(kChange, {std::int64_t{7}}));
    EXPECT_FALSE(attempt(kRemove, {std::int64_t{7}})) << "unless its schedule was removed before";
}

TEST_P(DatabaseGuards, OnlyWhatACheckpointCoversIsRemoved) {
    static const Statement kCheckpoint(
        "checkpoint",
        "INSERT INTO event_checkpoints (schedule_key, sequence, hash) {values} :key, :sequence, :hash::bytea "
        "{end values, rows}");
    static const Statement kMove("move", "UPDATE event_checkpoints SET sequence = :sequence WHERE schedule_key = :key");
    static const Statement kForget("forget", "DELETE FROM event_checkpoints WHERE schedule_key = :key");
    static const Statement kRemove("remove", "DELETE FROM events WHERE schedule_key = :key AND sequence = :sequence");
    const std::int64_t key = 7;
    for (std::int64_t sequence = 2; sequence <= 4; ++sequence) ASSERT_FALSE(insert_event(sequence));
    EXPECT_TRUE(attempt(kCheckpoint, {key, std::int64_t{2}, Bytes{"another hash"}}));
    EXPECT_TRUE(attempt(kCheckpoint, {key, std::int64_t{5}, Bytes{"hash"}})) << "there is no such event";
    EXPECT_FALSE(attempt(kCheckpoint, {key, std::int64_t{2}, Bytes{"hash"}}));
    EXPECT_TRUE(attempt(kRemove, {key, std::int64_t{3}}));
    EXPECT_FALSE(attempt(kRemove, {key, std::int64_t{1}}));
    EXPECT_TRUE(attempt(kMove, {std::int64_t{1}, key})) << "it never goes back";
    EXPECT_TRUE(attempt(kMove, {std::int64_t{9}, key}));
    EXPECT_TRUE(attempt(kForget, {key}));
    EXPECT_FALSE(attempt(kMove, {std::int64_t{3}, key}));
    EXPECT_FALSE(attempt(kRemove, {key, std::int64_t{3}}));
}

TEST_P(DatabaseGuards, ASlotHasOneRun) {
    static const Statement kInsert(
        "insert",
        "INSERT INTO runs (schedule_key, slot, tenant_key, version, fire_us, decided_us, dispatch, execution, "
        "trigger_number, overlap) VALUES (:key, :slot, 1, 1, 0, 0, 1, 2, 1, 0)");
    EXPECT_FALSE(attempt(kInsert, {std::int64_t{7}, std::int64_t{40}}));
    EXPECT_EQ(attempt(kInsert, {std::int64_t{7}, std::int64_t{40}})->code, ErrorCode::conflict);
    EXPECT_FALSE(attempt(kInsert, {std::int64_t{7}, std::int64_t{41}}));
}

INSTANTIATE_TEST_SUITE_P(Both, DatabaseGuards, testing::Values("sqlite", "postgres"),
                         [](const auto& name) { return std::string(name.param); });

}  // namespace
}  // namespace belfry::store::sql
