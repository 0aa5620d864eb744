#include "api/http/gzip.hpp"

#include <gtest/gtest.h>

#include "base/text/gzip.hpp"

namespace belfry::api {

namespace {

Response long_answer(const std::string& type = "application/json", std::size_t size = 5'000) {
    std::string body;
    while (body.size() < size) body += "{\"name\": \"every-second\", \"n\": " + std::to_string(body.size()) + "}";
    body.resize(size);
    return {200, {{"Content-Type", type}, {"ETag", "\"3\""}}, body};
}

Request asking(const std::string& accept) { return {.headers = {{"accept-encoding", accept}}}; }

std::string unpacked(const std::string& packed) { return gunzipped(packed, 1'000'000).value_or("not gzip"); }

}  // namespace

TEST(Gzip, ALongTextBecomesShorterAndComesBackTheSame) {
    for (const std::size_t size : {kCompressMin, std::size_t{5'000}, std::size_t{500'000}}) {
        const auto original = long_answer("application/json", size);
        auto response = original;
        compress(asking("gzip"), response);
        EXPECT_EQ(response.header("Content-Encoding"), "gzip");
        EXPECT_EQ(response.header("Vary"), "Accept-Encoding");
        EXPECT_EQ(response.header("ETag"), "W/\"3\"") << "the bytes differ";
        EXPECT_LT(response.body.size(), size / 2);
        EXPECT_EQ(unpacked(response.body), original.body);
    }
}

TEST(Gzip, WhatIsNotWorthItOrNotOursToChangeStaysAsItIs) {
    auto shorter = long_answer("application/json", kCompressMin - 1);
    auto image = long_answer("image/png");
    auto encoded = long_answer();
    encoded.headers.emplace_back("Content-Encoding", "br");
    auto endless = long_answer("text/event-stream");
    endless.next_chunk = [] { return std::optional<std::string>(); };
    for (auto* const response : {&shorter, &image, &encoded, &endless}) {
        const auto before = response->body;
        const auto headers = response->headers;
        compress(asking("gzip"), *response);
        EXPECT_EQ(response->body, before);
        EXPECT_EQ(response->headers, headers);
    }
}

TEST(Gzip, CachesAreToldThatTheAnswerDependsOnWhoAsks) {
    auto response = long_answer("text/html; charset=utf-8");
    response.headers.emplace_back("Vary", "Origin");
    compress({}, response);
    EXPECT_EQ(response.header("Vary"), "Origin, Accept-Encoding");
    EXPECT_EQ(response.header("Content-Encoding"), "");
    EXPECT_EQ(response.header("ETag"), "\"3\"");
}

TEST(Gzip, TextsOfEveryKindAreCompressed) {
    for (const auto* type : {"text/plain", "TEXT/HTML; charset=utf-8", "application/json", "application/problem+json",
                             "application/javascript", "image/svg+xml", "application/openmetrics-text; version=1.0.0",
                             "application/yaml"}) {
        auto response = long_answer(type);
        compress(asking("gzip"), response);
        EXPECT_EQ(response.header("Content-Encoding"), "gzip") << type;
    }
}

TEST(Gzip, OnlyWhoeverAllowsItGetsIt) {
    struct Case {
        const char* accept;
        bool allowed;
    };
    for (const auto& [accept, allowed] : {Case{"", false},
                                          {"gzip", true},
                                          {"GZIP", true},
                                          {"x-gzip", true},
                                          {"gzip, deflate, br", true},
                                          {"br;q=1.0, gzip;q=0.8, *;q=0.1", true},
                                          {"deflate", false},
                                          {"identity", false},
                                          {"*", true},
                                          {"*;q=0", false},
                                          {"gzip;q=0", false},
                                          {"gzip;q=0.0", false},
                                          {"gzip;q=0.000", false},
                                          {"gzip;q=0.001", true},
                                          {"gzip ; q=1", true},
                                          {"gzip;Q=0", false},
                                          {"gzip;q=0, *", false},
                                          {"*;q=0, gzip", true},
                                          {"gzip;q=", false},
                                          {"gzip;q=high", false},
                                          {"gzip;q=2", false},
                                          {"gzip;q=1.5", false},
                                          {"gzip;q=-1", false},
                                          {"notgzip", false},
                                          {",,gzip,,", true},
                                          {";q=1", false}}) {
        EXPECT_EQ(accepts_gzip(accept), allowed) << accept;
    }
}

TEST(Gzip, ABodyThatIsEncodedIsRefused) {
    EXPECT_FALSE(refuse_encoded_body({.headers = {{"Content-Encoding", "identity"}}, .body = "a"}));
    EXPECT_FALSE(refuse_encoded_body({.body = "a"}));
    EXPECT_FALSE(refuse_encoded_body({.headers = {{"Content-Encoding", "gzip"}}})) << "there is nothing to read";
    const auto problem = refuse_encoded_body({.headers = {{"Content-Encoding", "gzip"}}, .body = "a"});
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->status, 415);
    EXPECT_EQ(problem->code, "unsupported_encoding");
}

TEST(Gzip, DecompressionRefusesDamagedAndTooLongData) {
    const std::string text(200'000, 'x');
    const auto packed = gzipped(text, 9).value();
    EXPECT_EQ(gunzipped(packed, text.size()), text);
    EXPECT_EQ(gunzipped(packed, text.size() - 1), std::nullopt);
    EXPECT_EQ(gunzipped(packed.substr(0, packed.size() - 1), text.size()), std::nullopt);
    EXPECT_EQ(gunzipped(packed + "x", text.size()), std::nullopt);
    EXPECT_EQ(gunzipped("not gzip", text.size()), std::nullopt);
    EXPECT_EQ(gunzipped("", text.size()), std::nullopt);
}

}  // namespace belfry::api
