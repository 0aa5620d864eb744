// Removed rows give their space back to the file system, where the store has a file.
#include "contract/store_contract.hpp"
#include "contract/store_faults.hpp"
#include "store/sql/statements/statements_retention.hpp"

namespace belfry::store {
namespace {

TEST(SqliteShrink, AFileThatIsMostlyUnusedBecomesSmall) {
    const auto place = new_place("sqlite");
    const auto store = open_store_on(*place);
    const auto database = place->open();
    const auto pages = [&] {
        sql::FilePages found;
        must(database->read([&](sql::Session& session) -> Result<void> {
            auto read = session.run(sql::kFilePages, {}, [&found](const sql::FilePages& row) { found = row; });
            if (!read) return read.error();
            return {};
        }),
             "count the pages");
        return found;
    };
    EXPECT_FALSE(store->shrink().value()) << "there is nothing to give back";
    must(database->write([](sql::Session& session) {
        return session.script("CREATE TABLE ballast (body BLOB); INSERT INTO ballast VALUES (zeroblob(20000000));");
    }),
         "fill");
    must(database->write([](sql::Session& session) { return session.script("DROP TABLE ballast;"); }), "empty");
    const auto before = pages();
    ASSERT_TRUE(before.is_wasteful());
    EXPECT_TRUE(store->shrink().value()) << "a step is bounded";
    // A step also frees the pages that listed the freed ones.
    EXPECT_LE(pages().all, before.all - 1'000);
    EXPECT_GE(pages().all, before.all - 1'100);
    int steps = 1;
    while (store->shrink().value() && steps < 100) ++steps;
    EXPECT_LT(steps, 10);
    EXPECT_FALSE(pages().is_wasteful());
    EXPECT_LT(pages().all, before.all / 4);
}

class ShrinkContract : public StoreContract {};
INSTANTIATE_TEST_SUITE_P(Every, ShrinkContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(ShrinkContract, EverythingIsAsBefore) {
    const auto schedule = create();
    tick(kTen);
    const auto before = everything(schedule);
    EXPECT_FALSE(store->shrink().value());
    EXPECT_EQ(everything(schedule), before);
}

}  // namespace
}  // namespace belfry::store
