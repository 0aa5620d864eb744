#include "api/http/response_head.hpp"

#include <gtest/gtest.h>

namespace belfry::api {

namespace {

const auto kNoon =
    Instant(std::chrono::sys_days{std::chrono::year{2026} / 11 / 5} + std::chrono::hours{12} + Seconds{7});

std::string head(const Response& response, Framing framing = Framing::length) {
    return response_head(response, framing, kNoon);
}

}  // namespace

TEST(ResponseHead, SaysStatusDateHeadersAndLength) {
    EXPECT_EQ(head({201, {{"Location", "/a"}, {"Set-Cookie", "a"}, {"Set-Cookie", "b"}}, "body"}),
              "HTTP/1.1 201 Created\r\nServer: belfry\r\nDate: Thu, 05 Nov 2026 12:00:07 GMT\r\nLocation: "
              "/a\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n"
              "Content-Length: 4\r\n");
}

TEST(ResponseHead, WhatHasNoBodyHasNoLength) {
    for (const int status : {204, 304}) EXPECT_EQ(head({status}).find("Content-Length"), std::string::npos);
    EXPECT_NE(head({200}).find("Content-Length: 0\r\n"), std::string::npos);
    EXPECT_NE(head({200}, Framing::chunked).find("Transfer-Encoding: chunked\r\n"), std::string::npos);
    EXPECT_EQ(head({200}, Framing::chunked).find("Content-Length"), std::string::npos);
    EXPECT_EQ(head({200}, Framing::until_close).find("Content-Length"), std::string::npos);
}

TEST(ResponseHead, NoHeaderCanBeginAnotherLine) {
    const auto text =
        head({200, {{"A", "b\r\nC: d\n\n\x7f\x01"}, {"E\r\nF", "g"}, {"", "h"}, {"I J", "k"}, {"L", "m\tn"}}, {}});
    EXPECT_NE(text.find("\r\nA: b  C: d    \r\nL: m\tn\r\nContent-Length"), std::string::npos) << text;
}

TEST(ResponseHead, HowItIsSentIsNotForAHandlerToSay) {
    EXPECT_EQ(head({200,
                    {{"content-length", "9"},
                     {"Transfer-Encoding", "gzip"},
                     {"Connection", "close"},
                     {"Date", "x"},
                     {"Server", "y"}},
                    {}}),
              head({200}));
}

TEST(ResponseHead, TheLastLinesSayWhetherTheConnectionGoesOn) {
    EXPECT_EQ(last_lines(true, false), "\r\n");
    EXPECT_EQ(last_lines(true, true), "Connection: keep-alive\r\n\r\n");
    EXPECT_EQ(last_lines(false, true), "Connection: close\r\n\r\n");
}

}  // namespace belfry::api
