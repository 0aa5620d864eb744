// One SQL text, rendered for both databases.
#include <gtest/gtest.h>

#include "store/notification.hpp"
#include "store/sql/statement.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::store {
namespace {

using sql::postgres_dialect;
using sql::render;
using sql::sqlite_dialect;
using sql::Type;

TEST(Statement, ParametersAreNumberedByTheirFirstAppearance) {
    const auto* const text = "SELECT a FROM t WHERE a = :first AND b = :second::text AND c > :first";
    const auto sqlite = render(text, sqlite_dialect());
    EXPECT_EQ(sqlite.text, "SELECT a FROM t WHERE a = ?1 AND b = ?2 AND c > ?1");
    EXPECT_EQ(sqlite.parameters, (std::vector{Type::integer, Type::text}));
    EXPECT_FALSE(sqlite.batched);
    EXPECT_EQ(render(text, postgres_dialect()).text,
              "SELECT a FROM t WHERE a = $1::bigint AND b = $2::text AND c > $1::bigint");
}

TEST(Statement, ABatchIsManyExecutionsOnSqliteAndOneTableOfArraysOnPostgres) {
    const auto* const text = "INSERT INTO t (a, b, c) {values} :a, :b::text, :c::bytea {end values, rows}";
    EXPECT_EQ(render(text, sqlite_dialect()).text, "INSERT INTO t (a, b, c) VALUES ( ?1, ?2, ?3 )");
    EXPECT_EQ(render(text, postgres_dialect()).text,
              "INSERT INTO t (a, b, c) SELECT r.a_, r.b_, r.c_ FROM unnest($1::bigint[], $2::text[], $3::bytea[]) AS "
              "r(a_, b_, c_)");
    EXPECT_TRUE(render(text, sqlite_dialect()).batched);
    EXPECT_EQ(render(text, postgres_dialect()).parameters, (std::vector{Type::integer, Type::text, Type::bytes}));
}

TEST(Statement, RowsCanBeReadJoinedOrUsedToDelete) {
    EXPECT_EQ(render("UPDATE t SET a = :a {rows} WHERE t.k = :k", sqlite_dialect()).text,
              "UPDATE t SET a = ?1  WHERE t.k = ?2");
    EXPECT_EQ(render("UPDATE t SET a = :a {rows} WHERE t.k = :k", postgres_dialect()).text,
              "UPDATE t SET a = r.a_ FROM unnest($1::bigint[], $2::bigint[]) AS r(a_, k_) WHERE t.k = r.k_");
    EXPECT_EQ(render("SELECT s.a FROM t s {, rows} WHERE s.k = :k {for update}", postgres_dialect()).text,
              "SELECT s.a FROM t s CROSS JOIN unnest($1::bigint[]) AS r(k_) WHERE s.k = r.k_ FOR UPDATE OF s");
    EXPECT_EQ(render("DELETE FROM t {using rows} WHERE t.k = :k", postgres_dialect()).text,
              "DELETE FROM t USING unnest($1::bigint[]) AS r(k_) WHERE t.k = r.k_");
    EXPECT_EQ(render("DELETE FROM t {using rows} WHERE t.k = :k", sqlite_dialect()).text,
              "DELETE FROM t  WHERE t.k = ?1");
}

TEST(Statement, EachRowCanHaveALookupOfItsOwn) {
    const auto* const text = "SELECT f.a {each of rows} SELECT s.a FROM t s WHERE s.k = :k LIMIT 1) f";
    EXPECT_EQ(render(text, sqlite_dialect()).text, "SELECT f.a FROM ( SELECT s.a FROM t s WHERE s.k = ?1 LIMIT 1) f");
    EXPECT_EQ(render(text, postgres_dialect()).text,
              "SELECT f.a FROM unnest($1::bigint[]) AS r(k_) CROSS JOIN LATERAL ( SELECT s.a FROM t s WHERE s.k = r.k_ "
              "LIMIT 1) f");
    EXPECT_TRUE(render(text, postgres_dialect()).batched);
}

// A join of the rows with a table that was empty when it was planned may begin with the table: then this says what to
// read of it.
TEST(Statement, ForPostgresTheValuesOfAllRowsCanBeSaidOnceMore) {
    const auto* const text = "DELETE FROM t {using rows} WHERE t.k = :k AND t.n = :n::text {any t.n = :n}";
    EXPECT_EQ(render(text, postgres_dialect()).text,
              "DELETE FROM t USING unnest($1::bigint[], $2::text[]) AS r(k_, n_) WHERE t.k = r.k_ AND t.n = r.n_ AND "
              "t.n = ANY ($2::text[])");
    EXPECT_EQ(render(text, sqlite_dialect()).text, "DELETE FROM t  WHERE t.k = ?1 AND t.n = ?2 ");
}

TEST(Statement, OnPostgresWhatAllRowsShareNeedsNoArray) {
    const auto* const insert = "INSERT INTO t (a, b, c) {values} :a, :b::text, :c::bytea {end values, rows}";
    EXPECT_EQ(render(insert, postgres_dialect(), 0b110).text,
              "INSERT INTO t (a, b, c) SELECT r.a_, $2::text, $3::bytea FROM unnest($1::bigint[]) AS r(a_)");
    sql::Batch batch;
    batch.add_row(std::int64_t{1}, std::string("x"), std::monostate());
    const auto rendered = render(insert, postgres_dialect());
    EXPECT_EQ(shared_by_rows(rendered, batch), 0b110U) << "one array has the number of rows";
    batch.add_row(std::int64_t{1}, std::string("y"), std::monostate());
    EXPECT_EQ(shared_by_rows(rendered, batch), 0b101U);
}

// Otherwise the database could begin with all rows of the table that have this value.
TEST(Statement, WhatACompareUsesAlwaysHasAnArray) {
    for (const auto* const text : {"UPDATE t SET a = :a, b = :b {rows} WHERE t.k = :k AND t.b < :b",
                                   "UPDATE t SET a = :a, b = :b {rows} WHERE t.b < :b AND t.k = :k"}) {
        const auto rendered = render(text, postgres_dialect());
        EXPECT_EQ(rendered.sharable, 0b001U);
        EXPECT_EQ(shared_by_rows(rendered, {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}}), 0b001U);
    }
    for (const auto* const text : {"DELETE FROM t {using rows} WHERE t.k = :k",
                                   "SELECT :a FROM t s {, rows} WHERE s.k = :k", "UPDATE t SET a = :a WHERE k = :k"})
        EXPECT_EQ(render(text, postgres_dialect()).sharable, 0U) << text;
}

TEST(Statement, BothDialectsKnowTheSameWords) {
    for (const auto& [word, spelling] : sqlite_dialect().words) {
        const auto text = "{" + std::string(word) + "}";
        EXPECT_EQ(render(text, sqlite_dialect()).text, spelling);
        EXPECT_NE(render(text, postgres_dialect()).text, text);
    }
    EXPECT_EQ(sqlite_dialect().words.size(), postgres_dialect().words.size());
}

TEST(Batch, KeepsItsRowsInOrder) {
    sql::Batch batch;
    EXPECT_TRUE(batch.empty());
    batch.reserve(2);
    batch.add_row(std::int64_t{1}, std::string("one"));
    batch.add_row(std::int64_t{2}, std::monostate());
    EXPECT_EQ(batch.rows(), 2U);
    EXPECT_EQ(batch.width(), 2U);
    EXPECT_EQ(batch.at(0, 1), sql::Value("one"));
    EXPECT_EQ(batch.at(1, 0), sql::Value(std::int64_t{2}));
    EXPECT_EQ(batch.at(1, 1), sql::Value());
}

TEST(Notification, IsALineOfTextThatReadsBack) {
    for (const auto& notification :
         {Notification(Resync{}), Notification(ScheduleMoved{-5, std::nullopt}),
          Notification(ScheduleMoved{7, Instant{Micros{1'780'308'000'000'001}}}),
          Notification(ScheduleMoved{7, std::nullopt, 42}), Notification(ScheduleMoved{7, Instant{Micros{5}}, 42}),
          Notification(TasksReady{"acme", "high"}), Notification(TasksReady{"acme", "with a space"}),
          Notification(FeedGrown{"acme"})}) {
        EXPECT_EQ(parse_notification(format_notification(notification)), notification);
    }
}

TEST(Notification, OfAnOlderProgramNamesNoTenant) {
    EXPECT_EQ(parse_notification("schedule 7 5"), Notification(ScheduleMoved{7, Instant{Micros{5}}, 0}));
    EXPECT_EQ(parse_notification("schedule 7 -"), Notification(ScheduleMoved{7, std::nullopt, 0}));
}

TEST(Notification, WhatCannotBeReadMeansToLookAgain) {
    for (const auto* text : {"", "schedule", "schedule x 5", "schedule 5", "schedule 5 tomorrow", "schedule 5 6 acme",
                             "schedule 5 6 7 8", "something else", "feed"}) {
        EXPECT_EQ(parse_notification(text), Notification(Resync{})) << text;
    }
}

}  // namespace
}  // namespace belfry::store
