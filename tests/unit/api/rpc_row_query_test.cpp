#include <gtest/gtest.h>

#include <boost/json/object.hpp>

#include "api/dialects/rpc/row_sink.hpp"

namespace belfry::api::rpc {

namespace rpc_row_query_test {

using boost::json::object;

const ShapePtr kRow = record("Row", {{"id", integer(), ""},
                                     {"name", or_null(text()), ""},
                                     {"created_at", instant(), ""},
                                     {"policy", map_of(anything()), ""}});

RowQuery parsed(Parameters::Pairs pairs) {
    const Request request;
    auto query = parse_row_query({.request = request, .query = Parameters(std::move(pairs))}, *record("", {}), *kRow);
    const auto* const refusal = std::get_if<Refusal>(&query);
    EXPECT_EQ(refusal, nullptr) << (refusal != nullptr ? refusal->message : "");
    return refusal == nullptr ? std::get<RowQuery>(std::move(query)) : RowQuery{};
}

object row(int id, Json name = nullptr) {
    return {{"id", id},
            {"name", std::move(name)},
            {"created_at", "2026-01-01T00:00:00Z"},
            {"policy", object{{"mode", "serial"}}}};
}

std::string refusal_of(RowSink& sink) {
    const auto result = sink.take();
    const auto* const refusal = std::get_if<Refusal>(&result);
    return refusal == nullptr ? "" : refusal->code;
}

TEST(RpcTimestamp, IsReadInTheSpellingsOfPostgreSql) {
    const auto midnight = parse_instant("2026-05-01T00:00:00Z").value();
    for (const auto* const text :
         {"2026-05-01", "2026-05-01T00:00", "2026-05-01 00:00:00", "2026-05-01 02:00:00+02", "2026-05-01T00:00:00.000Z",
          "2026-04-30T19:00-05:00", " 2026-05-01T00:00:00+00:00 "}) {
        const auto instant = parse_timestamp(text);
        ASSERT_TRUE(instant) << text;
        EXPECT_EQ(*instant, midnight) << text;
    }
    for (const auto* const text : {"", "soon", "2026", "2026-05", "2026-13-01", "2026-05-01T25:00", "2026-05-01+02"})
        EXPECT_FALSE(parse_timestamp(text)) << text;
}

TEST(RpcBoolean, IsReadInTheSpellingsOfPostgreSql) {
    for (const auto* const text : {"t", "tr", "true", "TRUE", " y ", "yes", "on", "1"})
        EXPECT_EQ(parse_boolean(text), true) << text;
    for (const auto* const text : {"f", "false", "n", "No", "of", "off", "0"})
        EXPECT_EQ(parse_boolean(text), false) << text;
    for (const auto* const text : {"", "o", "2", "truth", "nope"}) EXPECT_EQ(parse_boolean(text), std::nullopt) << text;
}

TEST(RpcRowQuery, ARangeIsAPartOfWhatLimitAndOffsetLeave) {
    const Request request{.headers = {{"Range", "2-5"}}};
    const auto query =
        parse_row_query({.request = request, .query = Parameters(Parameters::Pairs{{"limit", "4"}, {"offset", "10"}})},
                        *record("", {}), *kRow);
    EXPECT_EQ(std::get<RowQuery>(query).offset, 12);
    EXPECT_EQ(std::get<RowQuery>(query).limit, 2);
}

TEST(RpcRowQuery, AnArgumentIsNoFilter) {
    const Request request;
    const auto query = parse_row_query({.request = request, .query = Parameters(Parameters::Pairs{{"p_limit", "4"}})},
                                       *record("", {{"p_limit", integer(), ""}}), *kRow);
    EXPECT_TRUE(std::get<RowQuery>(query).filters.empty());
}

TEST(RpcRowSink, StopsWhenTheResponseIsComplete) {
    const auto query = parsed({{"limit", "1"}, {"offset", "1"}});
    RowSink sink(query);
    EXPECT_TRUE(sink.wants_more());
    EXPECT_TRUE(sink.only_counts()) << "the first row is before the window";
    sink.skip();
    EXPECT_FALSE(sink.only_counts());
    sink.add(row(2));
    EXPECT_FALSE(sink.wants_more());
    const auto result = std::get<RowSink::Result>(sink.take());
    ASSERT_EQ(result.rows.size(), 1);
    EXPECT_EQ(result.rows.front().at("id"), 2);
    EXPECT_EQ(result.total, std::nullopt);
}

TEST(RpcRowSink, BuildsNoMoreThanTenThousandRows) {
    const auto query = parsed({{"id", "lt.0"}});
    RowSink sink(query);
    for (int i = 0; i < kRowsMax; ++i) sink.add(row(i));
    EXPECT_TRUE(sink.wants_more());
    sink.add(row(0));
    EXPECT_FALSE(sink.wants_more());
    EXPECT_EQ(refusal_of(sink), "54000");
}

TEST(RpcRowSink, KeepsNoMoreThanAPageOfBytes) {
    const auto all = parsed({});
    const auto names = parsed({{"select", "id"}});
    RowSink large(all);
    RowSink small(names);
    const std::string text(store::kPageBytesMax / 3, 'x');
    for (int i = 0; i < 5; ++i) {
        large.add(row(i, Json(text)));
        small.add(row(i, Json(text)));
    }
    EXPECT_EQ(refusal_of(large), "54000");
    EXPECT_EQ(refusal_of(small), "") << "columns that are not selected do not count";
}

TEST(RpcRowSink, NullsAreSortedAsInPostgreSql) {
    const std::vector<std::pair<std::string, std::vector<int>>> rows{{"name", {2, 3, 1}},
                                                                     {"name.desc", {1, 3, 2}},
                                                                     {"name.nullsfirst", {1, 2, 3}},
                                                                     {"name.desc.nullslast", {3, 2, 1}}};
    for (const auto& [order, ids] : rows) {
        const auto query = parsed({{"order", order}});
        RowSink sink(query);
        sink.add(row(1));
        sink.add(row(2, "a"));
        sink.add(row(3, "b"));
        const auto result = std::get<RowSink::Result>(sink.take());
        std::vector<int> found;
        for (const auto& one : result.rows) found.push_back(one.at("id").to_number<int>());
        EXPECT_EQ(found, ids) << order;
    }
}

TEST(RpcFilter, ALikePatternTakesNoMoreThanItsProductOfSteps) {
    // A pattern on which a backtracking matcher would not end.
    std::string pattern;
    for (int i = 0; i < 200; ++i) pattern += "%a";
    const auto query = parsed({{"name", "like." + pattern + "b"}});
    std::uint64_t work = 0;
    EXPECT_FALSE(query.filters.front().holds(row(1, Json(std::string(5'000, 'a'))), work));
    EXPECT_TRUE(query.filters.front().holds(row(1, Json(std::string(5'000, 'a') + "b")), work));
    EXPECT_GE(work, 2 * 5'000 * pattern.size());
}

TEST(RpcRowSink, RefusesFiltersThatTakeTooLong) {
    const auto query = parsed({{"name", "like." + std::string(10'000, 'a') + "%"}});
    RowSink sink(query);
    const std::string name(4'000, 'b');
    for (int i = 0; i < 100 && sink.wants_more(); ++i) sink.add(row(i, Json(name)));
    EXPECT_EQ(refusal_of(sink), "54000");
}

TEST(RpcRowSink, RefusesARowThatSelectsALargeColumnAgainAndAgain) {
    const auto query = parsed({{"select", "a:name,b:name,c:name,d:name"}});
    RowSink sink(query);
    sink.add(row(1, Json(std::string(store::kPageBytesMax / 3, 'x'))));
    EXPECT_EQ(refusal_of(sink), "54000");
}

TEST(RpcRowSink, CountsTheKeysOfTheOrderAsWell) {
    const auto query = parsed({{"select", "id"}, {"order", "name"}});
    RowSink sink(query);
    const std::string text(store::kPageBytesMax / 3, 'x');
    for (int i = 0; i < 5; ++i) sink.add(row(i, Json(text)));
    EXPECT_EQ(refusal_of(sink), "54000");
}

}  // namespace rpc_row_query_test

}  // namespace belfry::api::rpc
