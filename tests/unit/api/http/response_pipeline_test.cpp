#include "api/http/response_pipeline.hpp"

#include <gtest/gtest.h>

#include "api/http/request_id.hpp"

namespace belfry::api {

namespace {

constexpr const char* kTrace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

Response endless(const Request&) {
    Response response;
    response.next_chunk = [] { return std::optional<std::string>("more"); };
    return response;
}

// Answers with "here" when it is asked for the last time.
Response patient(const Request&) {
    Response response;
    response.deferred = std::make_shared<DeferredResponse>(
        DeferredResponse{.poll = [](const Request&, bool last) -> std::optional<Response> {
            if (!last) return std::nullopt;
            return Response{200, {}, "here"};
        }});
    return response;
}

// The traceparent that a handler sees.
std::string kept_trace(std::vector<Header> headers) {
    std::string seen;
    ResponsePipeline pipeline([&](const Request& request) { return seen = request.header("traceparent"), Response{}; },
                              {});
    Request request{.headers = std::move(headers)};
    EXPECT_EQ(pipeline.answer(request).header("traceparent"), "") << "nobody asked to hear it again";
    return seen;
}

}  // namespace

TEST(ResponsePipeline, WhatTheHandlerThrowsIsAnInternalError) {
    ResponsePipeline pipeline([](const Request&) -> Response { throw std::runtime_error("oops"); }, {});
    Request request;
    EXPECT_EQ(pipeline.answer(request).status, 500);
}

TEST(ResponsePipeline, ABodyThatMayWaitForItsClientKeepsNoSpareMemory) {
    constexpr std::size_t kSize = 3'000'000;
    ResponsePipeline pipeline(
        [](const Request&) {
            Response response;
            response.body.reserve(2 * kSize);
            response.body.assign(kSize, 'x');
            return response;
        },
        {});
    Request request;
    const auto response = pipeline.answer(request);
    EXPECT_EQ(response.body.size(), kSize);
    EXPECT_LT(response.body.capacity(), kSize + kSize / 10);
}

TEST(ResponsePipeline, NoPageOfAnotherOriginMayEmbedAnAnswer) {
    const auto dressed = [](std::vector<Header> headers) {
        ResponsePipeline pipeline([&](const Request&) { return Response{200, headers, {}}; }, {});
        Request request;
        return pipeline.answer(request);
    };
    const auto plain = dressed({});
    EXPECT_EQ(plain.header("Cross-Origin-Resource-Policy"), "same-origin");
    EXPECT_EQ(plain.header("X-Frame-Options"), "DENY");
    EXPECT_EQ(plain.header("Content-Security-Policy"), "frame-ancestors 'none'");
    EXPECT_EQ(dressed({{"Content-Security-Policy", "default-src 'none'"}}).header("Content-Security-Policy"),
              "default-src 'none'; frame-ancestors 'none'");
    EXPECT_EQ(dressed({{"Access-Control-Allow-Origin", "https://app.example"}}).header("Cross-Origin-Resource-Policy"),
              "cross-origin");
    ResponsePipeline pipeline({}, {});
    EXPECT_EQ(pipeline.refuse({400, "malformed_request"}, "").header("X-Frame-Options"), "DENY");
}

TEST(ResponsePipeline, AnIdThatIsNoneIsReplaced) {
    ResponsePipeline pipeline([](const Request&) { return Response{}; }, {});
    Request request{.headers = {{"X-Request-Id", ""}}};
    const auto id = std::string(pipeline.answer(request).header("X-Request-Id"));
    EXPECT_EQ(id.size(), 36U);
    EXPECT_EQ(request.header("X-Request-Id"), id);
    Request hostile{.headers = {{"X-Request-Id", "a\r\nb"}}};
    EXPECT_EQ(pipeline.answer(hostile).header("X-Request-Id").find_first_of("\r\n"), std::string_view::npos);
}

TEST(ResponsePipeline, ATraceIsKeptWhenItIsOne) {
    EXPECT_EQ(kept_trace({{"traceparent", kTrace}}), kTrace);
    EXPECT_EQ(kept_trace({{"traceparent", "nonsense"}}), "");
    EXPECT_EQ(kept_trace({{"traceparent", kTrace}, {"Traceparent", kTrace}}), "") << "two of them";
    EXPECT_TRUE(is_traceparent("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more"));
    for (const auto* wrong : {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
                              "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                              "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                              "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                              "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                              "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", ""}) {
        EXPECT_FALSE(is_traceparent(wrong)) << wrong;
    }
}

TEST(ResponsePipeline, APlaceForAnEndlessAnswerIsFreeAgainWhenItIsDestroyed) {
    ResponsePipeline pipeline(endless, {.streams_max = 1});
    Request request;
    {
        const auto first = pipeline.answer(request);
        ASSERT_TRUE(first.next_chunk);
        EXPECT_EQ(first.next_chunk(), "more");
        const auto second = pipeline.answer(request);
        EXPECT_EQ(second.status, 503);
        EXPECT_FALSE(second.next_chunk);
    }
    EXPECT_EQ(pipeline.answer(request).status, 200);
}

TEST(ResponsePipeline, EndlessAnswersAndWaitsAreSharedBetweenTenantsAndTheirCallers) {
    // The path says who asks: /tenant/caller.
    const auto by_path = [](const Request& request, Response response) {
        const auto slash = request.path.rfind('/');
        response.tenant = request.path.substr(1, slash - 1);
        response.principal = request.path.substr(slash + 1);
        return response;
    };
    for (const auto& handler : {Handler([&](const Request& request) { return by_path(request, endless(request)); }),
                                Handler([&](const Request& request) { return by_path(request, patient(request)); })}) {
        ResponsePipeline pipeline(handler, {.streams_max = 16, .waits_max = 16});
        std::vector<Response> held;
        const auto take = [&](const std::string& path) {
            Request request{.path = path};
            held.push_back(pipeline.answer(request));
            return held.back();
        };
        const auto take_all = [&](const std::string& path) {
            int taken = 0;
            while (take(path).status == 200) ++taken;
            return taken;
        };
        EXPECT_EQ(take_all("/t/viewer"), 9);
        EXPECT_NE(held.back().body.find("you hold"), std::string::npos) << held.back().body;
        EXPECT_EQ(held.back().header("Retry-After"), "1");
        EXPECT_EQ(take("/t/other").status, 200) << "of the same tenant";
        for (int i = 0; i < 16; ++i) take("/t/" + std::to_string(i));
        EXPECT_EQ(held.back().status, 503);
        EXPECT_NE(held.back().body.find("your tenant holds"), std::string::npos) << held.back().body;
        EXPECT_EQ(take("/u/viewer").status, 200) << "of another tenant";
    }
}

TEST(ResponsePipeline, AnAnswerMayOutliveIt) {
    auto pipeline = std::make_unique<ResponsePipeline>(endless, ResponsePipelineOptions{.streams_max = 1});
    Request request;
    auto response = pipeline->answer(request);
    pipeline.reset();
    EXPECT_EQ(response.next_chunk(), "more");
}

TEST(ResponsePipeline, AnAnswerThatComesLaterIsDressedAndToldAboutWhenItIsThere) {
    int told = 0;
    ResponsePipeline pipeline(patient,
                              {.waits_max = 1, .on_answer = [&](const Request&, const Response& response, Micros) {
                                   ++told;
                                   EXPECT_EQ(response.body, "here");
                               }});
    Request request;
    const auto response = pipeline.answer(request);
    ASSERT_TRUE(response.deferred);
    EXPECT_FALSE(response.deferred->poll(request, false));
    EXPECT_EQ(told, 0);
    const auto answer = response.deferred->poll(request, true);
    ASSERT_TRUE(answer);
    EXPECT_EQ(told, 1);
    EXPECT_EQ(answer->header("X-Request-Id"), request.header("X-Request-Id"));
    EXPECT_EQ(answer->header("Cache-Control"), "no-store");
}

TEST(ResponsePipeline, APlaceForAnAnswerThatComesLaterIsFreeAgainWhenItIsDestroyed) {
    ResponsePipeline pipeline(patient, {.waits_max = 1});
    Request request;
    {
        const auto first = pipeline.answer(request);
        EXPECT_TRUE(first.deferred);
        const auto second = pipeline.answer(request);
        EXPECT_EQ(second.status, 503);
        EXPECT_FALSE(second.deferred);
    }
    EXPECT_TRUE(pipeline.answer(request).deferred);
}

TEST(ResponsePipeline, AnAnswerThatComesLaterIsAnErrorWhenItThrowsOrHasNothingToSayAtTheEnd) {
    for (const bool throws : {true, false}) {
        ResponsePipeline pipeline(
            [throws](const Request&) {
                Response response;
                response.deferred = std::make_shared<DeferredResponse>(
                    DeferredResponse{.poll = [throws](const Request&, bool) -> std::optional<Response> {
                        if (throws) throw std::runtime_error("oops");
                        return std::nullopt;
                    }});
                return response;
            },
            {.waits_max = 1});
        Request request;
        EXPECT_EQ(pipeline.answer(request).deferred->poll(request, true).value_or(Response{}).status, 500);
    }
}

}  // namespace belfry::api
