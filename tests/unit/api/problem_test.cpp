#include "api/contract/problem.hpp"

#include <gtest/gtest.h>

namespace belfry::api {

TEST(Problem, EveryErrorHasItsStatusAndAStableCode) {
    struct Row {
        ErrorCode error;
        int status;
        std::string code;
    };
    const Row rows[] = {
        {ErrorCode::invalid_argument, 422, "invalid_argument"},
        {ErrorCode::not_found, 404, "not_found"},
        {ErrorCode::already_exists, 409, "already_exists"},
        {ErrorCode::conflict, 409, "conflict"},
        {ErrorCode::unavailable, 503, "unavailable"},
        {ErrorCode::unknown, 503, "outcome_unknown"},
        {ErrorCode::corrupt, 500, "corrupt"},
    };
    for (const auto& row : rows) {
        const auto response = problem_response(Error{row.error, "why"});
        EXPECT_EQ(response.status, row.status);
        EXPECT_NE(response.body.find("\"code\":\"" + row.code + "\""), std::string::npos) << response.body;
        EXPECT_EQ(response.header("Content-Type"), "application/problem+json");
        EXPECT_EQ(response.header("Retry-After"), row.status == 503 ? "1" : "") << row.code;
        EXPECT_FALSE(reason_phrase(row.status).empty());
    }
}

TEST(Problem, NeverShowsTheDatabasesWords) {
    for (const auto code : {ErrorCode::invalid_argument, ErrorCode::conflict, ErrorCode::unavailable,
                            ErrorCode::unknown, ErrorCode::corrupt}) {
        const auto response =
            problem_response(from_database(code, "insert run event: UNIQUE constraint failed: run_events.sequence"));
        EXPECT_EQ(response.status, problem_response(Error{code, "why"}).status);
        EXPECT_EQ(response.body.find("run_events"), std::string::npos) << response.body;
        EXPECT_EQ(response.body.find("UNIQUE"), std::string::npos) << response.body;
    }
    EXPECT_EQ(public_message(Error{ErrorCode::conflict, "run 7 has ended"}), "run 7 has ended");
}

TEST(Problem, ReadsLikeRfc9457AndPointsAtTheMember) {
    EXPECT_EQ(to_text(to_json(problem_of({ErrorCode::invalid_argument, "no such zone", "/spec/timezone"}))),
              R"({"type":"about:blank","title":"Unprocessable Content","status":422,"code":"invalid_argument",)"
              R"("detail":"no such zone","errors":[{"pointer":"/spec/timezone","detail":"no such zone"}]})");
}

TEST(Problem, NamesAQueryParameterAsSuch) {
    EXPECT_EQ(to_text(to_json(Problem{422, "invalid_argument", "too many", "?limit"}).at("errors")),
              R"([{"parameter":"limit","detail":"too many"}])");
}

TEST(Problem, HasNoErrorsListedWhenNoPlaceIsKnown) {
    EXPECT_EQ(to_text(to_json(problem_of({ErrorCode::conflict, "later"})).at("errors")), "[]");
}

}  // namespace belfry::api
