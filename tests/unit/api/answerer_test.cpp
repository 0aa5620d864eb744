#include "api/answerer.hpp"

#include <gtest/gtest.h>

#include "api/request_id.hpp"

namespace belfry::api {

namespace {

constexpr const char* kTrace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

Response endless(const Request&) {
    Response response;
    response.more = [] { return std::optional<std::string>("more"); };
    return response;
}

// Answers with "here" when it is asked for the last time.
Response patient(const Request&) {
    Response response;
    response.later = std::make_shared<Later>(Later{.again = [](const Request&, bool last) -> std::optional<Response> {
        if (!last) return std::nullopt;
        return Response{200, {}, "here"};
    }});
    return response;
}

// The traceparent that a handler sees.
std::string kept_trace(std::vector<Header> headers) {
    std::string seen;
    Answerer answerer([&](const Request& request) { return seen = request.header("traceparent"), Response{}; }, {});
    Request request{.headers = std::move(headers)};
    EXPECT_EQ(answerer.answer(request).header("traceparent"), "") << "nobody asked to hear it again";
    return seen;
}

}  // namespace

TEST(Answerer, WhatTheHandlerThrowsIsAnInternalError) {
    Answerer answerer([](const Request&) -> Response { throw std::runtime_error("oops"); }, {});
    Request request;
    EXPECT_EQ(answerer.answer(request).status, 500);
}

TEST(Answerer, AnIdThatIsNoneIsReplaced) {
    Answerer answerer([](const Request&) { return Response{}; }, {});
    Request request{.headers = {{"X-Request-Id", ""}}};
    const auto id = std::string(answerer.answer(request).header("X-Request-Id"));
    EXPECT_EQ(id.size(), 36U);
    EXPECT_EQ(request.header("X-Request-Id"), id);
    Request hostile{.headers = {{"X-Request-Id", "a\r\nb"}}};
    EXPECT_EQ(answerer.answer(hostile).header("X-Request-Id").find_first_of("\r\n"), std::string_view::npos);
}

TEST(Answerer, ATraceIsKeptWhenItIsOne) {
    EXPECT_EQ(kept_trace({{"traceparent", kTrace}}), kTrace);
    EXPECT_EQ(kept_trace({{"traceparent", "nonsense"}}), "");
    EXPECT_EQ(kept_trace({{"traceparent", kTrace}, {"Traceparent", kTrace}}), "") << "two of them";
    EXPECT_TRUE(is_traceparent("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more"));
    for (const auto* wrong :
         {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
          "00-00000000000000000000000000000000-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
          "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", ""}) {
        EXPECT_FALSE(is_traceparent(wrong)) << wrong;
    }
}

TEST(Answerer, APlaceForAnEndlessAnswerIsFreeAgainWhenItIsDestroyed) {
    Answerer answerer(endless, {.streams_max = 1});
    Request request;
    {
        const auto first = answerer.answer(request);
        ASSERT_TRUE(first.more);
        EXPECT_EQ(first.more(), "more");
        const auto second = answerer.answer(request);
        EXPECT_EQ(second.status, 503);
        EXPECT_FALSE(second.more);
    }
    EXPECT_EQ(answerer.answer(request).status, 200);
}

TEST(Answerer, AnAnswerMayOutliveIt) {
    auto answerer = std::make_unique<Answerer>(endless, AnswererOptions{.streams_max = 1});
    Request request;
    auto response = answerer->answer(request);
    answerer.reset();
    EXPECT_EQ(response.more(), "more");
}

TEST(Answerer, AnAnswerThatComesLaterIsDressedAndToldAboutWhenItIsThere) {
    int told = 0;
    Answerer answerer(patient, {.waits_max = 1, .on_answer = [&](const Request&, const Response& response, Micros) {
                                    ++told;
                                    EXPECT_EQ(response.body, "here");
                                }});
    Request request;
    const auto response = answerer.answer(request);
    ASSERT_TRUE(response.later);
    EXPECT_FALSE(response.later->again(request, false));
    EXPECT_EQ(told, 0);
    const auto answer = response.later->again(request, true);
    ASSERT_TRUE(answer);
    EXPECT_EQ(told, 1);
    EXPECT_EQ(answer->header("X-Request-Id"), request.header("X-Request-Id"));
    EXPECT_EQ(answer->header("Cache-Control"), "no-store");
}

TEST(Answerer, APlaceForAnAnswerThatComesLaterIsFreeAgainWhenItIsDestroyed) {
    Answerer answerer(patient, {.waits_max = 1});
    Request request;
    {
        const auto first = answerer.answer(request);
        EXPECT_TRUE(first.later);
        const auto second = answerer.answer(request);
        EXPECT_EQ(second.status, 503);
        EXPECT_FALSE(second.later);
    }
    EXPECT_TRUE(answerer.answer(request).later);
}

TEST(Answerer, AnAnswerThatComesLaterIsAnErrorWhenItThrowsOrHasNothingToSayAtTheEnd) {
    for (const bool throws : {true, false}) {
        Answerer answerer(
            [throws](const Request&) {
                Response response;
                response.later = std::make_shared<Later>(Later{.again = [throws](const Request&, bool) -> std::optional<Response> {
                    if (throws) throw std::runtime_error("oops");
                    return std::nullopt;
                }});
                return response;
            },
            {.waits_max = 1});
        Request request;
        EXPECT_EQ(answerer.answer(request).later->again(request, true).value_or(Response{}).status, 500);
    }
}

}  // namespace belfry::api
