// Writers of one file pass together; who checkpoints is alone.
#include "store/sqlite/write_gate.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "store/sql/database.hpp"
#include "support/worlds/temp_folder.hpp"

namespace belfry::store::sqlite {
namespace {

using namespace std::chrono_literals;

TEST(WriteGate, LetsWritersPassTogetherAndACheckpointAlone) {
    const test::TempFolder folder;
    const auto first = WriteGate::open(folder.file("belfry.db"));
    std::optional<WriteGate> second(*WriteGate::open(folder.file("belfry.db")));
    ASSERT_TRUE(first->enter_as_writer(0ms));
    EXPECT_TRUE(second->enter_as_writer(0ms));
    second->leave();
    EXPECT_FALSE(second->try_enter_alone()) << "somebody writes";
    first->leave();
    ASSERT_TRUE(second->try_enter_alone());
    EXPECT_FALSE(first->enter_as_writer(0ms)) << "somebody checkpoints";
    second.reset();
    EXPECT_TRUE(first->enter_as_writer(0ms)) << "who is gone holds nothing";
}

TEST(WriteGate, SaysWhichFileItCannotOpen) {
    const test::TempFolder folder;
    const auto gate = WriteGate::open(folder.file("missing/belfry.db"));
    ASSERT_FALSE(gate);
    EXPECT_NE(gate.error().message.find("missing/belfry.db-lock"), std::string::npos) << gate.error().message;
}

TEST(WriteGate, AWriteWaitsForTheCheckpointOfAnotherProcess) {
    const test::TempFolder folder;
    const auto path = folder.file("belfry.db");
    const auto database = sql::open_sqlite(path);
    ASSERT_TRUE(database);
    const auto other = WriteGate::open(path);
    ASSERT_TRUE(other->try_enter_alone());
    std::thread checkpoint([&other] { other->leave(); });
    const auto written = (*database)->write([](sql::Session& session) { return session.script("CREATE TABLE t (a)"); });
    checkpoint.join();
    EXPECT_TRUE(written);
}

}  // namespace
}  // namespace belfry::store::sqlite
