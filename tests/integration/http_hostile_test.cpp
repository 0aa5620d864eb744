// What nobody honest sends, and what it is answered with: a table of bytes. Whatever it was, the server goes on.
#include <gtest/gtest.h>

#include <thread>

#include "api/http/http_server.hpp"
#include "support/servers/http_client.hpp"
#include "support/servers/running_server.hpp"

namespace belfry::api {

namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using test::echo;
using test::HttpClient;
using test::Running;

struct Case {
    const char* what;
    std::string bytes;
    int status;
};

std::vector<Case> cases() {
    const std::string post = "POST /a HTTP/1.1\r\nHost: x\r\n";
    return {
        {"a whole request", "GET /a HTTP/1.1\r\nHost: x\r\n\r\n", 200},
        {"two lengths that differ", post + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400},
        {"a list of lengths that differ", post + "Content-Length: 1, 2\r\n\r\nab", 400},
        {"a length twice", post + "Content-Length: 1\r\nContent-Length: 1\r\n\r\na", 400},
        {"a length twice in HTTP/1.0", "POST /a HTTP/1.0\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na", 400},
        {"a list of one length", post + "Content-Length: 1, 1\r\n\r\na", 400},
        {"a header on two lines", "GET /a HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n", 400},
        {"a header on two lines in HTTP/1.0", "GET /a HTTP/1.0\r\nA: b\r\n\tc\r\n\r\n", 400},
        {"a header that begins on the second line", "GET /a HTTP/1.1\r\nHost: x\r\nA:\r\n b\r\n\r\n", 400},
        {"a header with a blank second line", "GET /a HTTP/1.1\r\nHost: x\r\nA: b\r\n \r\n\r\n", 400},
        {"a Host on two lines", "GET /a HTTP/1.1\r\nHost: x\r\n .y\r\n\r\n", 400},
        {"a length on two lines", post + "Content-Length:\r\n 1\r\n\r\na", 400},
        {"a first line that is a second one", "GET /a HTTP/1.1\r\n Host: x\r\n\r\n", 400},
        {"a trailer on two lines", post + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nA: b\r\n c\r\n\r\n", 400},
        {"a header without a value", "GET /a HTTP/1.1\r\nHost: x\r\nA:\r\nB: \r\n\r\n", 200},
        {"two tenants", "GET /a HTTP/1.1\r\nHost: x\r\nX-Namespace: a\r\nx-namespace: b\r\n\r\n", 400},
        {"a tenant twice", "GET /a HTTP/1.1\r\nHost: x\r\nX-Namespace: a\r\nX-Namespace: a\r\n\r\n", 400},
        {"two tenants in HTTP/1.0", "GET /a HTTP/1.0\r\nX-Namespace: a\r\nX-Namespace: b\r\n\r\n", 400},
        {"one tenant", "GET /a HTTP/1.1\r\nHost: x\r\nX-Namespace: a\r\n\r\n", 200},
        {"a length and chunks", post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
        {"chunks and a length", post + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n", 400},
        {"an encoding that hides the end", post + "Transfer-Encoding: gzip\r\n\r\n", 400},
        {"chunks that are not last", post + "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n", 400},
        {"a second encoding", post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400},
        {"chunks twice", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
        {"an encoding that is nearly chunks", post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 400},
        {"chunks in HTTP/1.0", "POST /a HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
        {"a length with a sign", post + "Content-Length: +1\r\n\r\na", 400},
        {"a length in hexadecimal", post + "Content-Length: 0x1\r\n\r\na", 400},
        {"a length beyond all numbers", post + "Content-Length: 99999999999999999999999999\r\n\r\n", 400},
        {"a length beyond the limit", post + "Content-Length: 999999999999\r\n\r\n", 413},
        {"a chunk beyond the limit", post + "Transfer-Encoding: chunked\r\n\r\nFFFFFFF\r\n", 413},
        {"a chunk beyond all numbers", post + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\n", 400},
        {"a chunk without a size", post + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400},
        {"a chunk longer than it says", post + "Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n", 400},
        {"no Host", "GET /a HTTP/1.1\r\n\r\n", 400},
        {"two Hosts", "GET /a HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400},
        {"no Host in HTTP/1.0", "GET /a HTTP/1.0\r\n\r\n", 200},
        {"a blank before the colon", "GET /a HTTP/1.1\r\nHost : x\r\n\r\n", 400},
        {"a name with a blank", "GET /a HTTP/1.1\r\nHost: x\r\nA B: c\r\n\r\n", 400},
        {"a header without a name", "GET /a HTTP/1.1\r\nHost: x\r\n: c\r\n\r\n", 400},
        {"a line feed alone", "GET /a HTTP/1.1\nHost: x\n\n\r\n\r\n", 400},
        {"a carriage return alone in a value", "GET /a HTTP/1.1\r\nHost: x\r\nA: b\rc\r\n\r\n", 400},
        {"a NUL in a value", "GET /a HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n"s, 400},
        {"a NUL in the target", "GET /a\0b HTTP/1.1\r\nHost: x\r\n\r\n"s, 400},
        {"a blank in the target", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", 400},
        {"no target", "GET  HTTP/1.1\r\nHost: x\r\n\r\n", 400},
        {"no version", "GET /a\r\nHost: x\r\n\r\n", 400},
        {"a version in small letters", "GET /a http/1.1\r\nHost: x\r\n\r\n", 400},
        {"version 2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400},
        {"a method with a bracket", "G[T /a HTTP/1.1\r\nHost: x\r\n\r\n", 400},
        {"an unknown method", "BREW /a HTTP/1.1\r\nHost: x\r\n\r\n", 200},  // the routes know which there are
        {"headers beyond the limit", "GET /a HTTP/1.1\r\nHost: x\r\nA: " + std::string(20'000, 'x') + "\r\n\r\n", 431},
        {"a target beyond the limit", "GET /" + std::string(20'000, 'x') + " HTTP/1.1\r\nHost: x\r\n\r\n", 431},
        {"very many headers",
         "GET /a HTTP/1.1\r\nHost: x\r\n" +
             [] {
                 std::string all;
                 for (int i = 0; i < 5'000; ++i) all += "a:b\r\n";
                 return all;
             }() +
             "\r\n",
         431},
        {"a body in another encoding", post + "Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\na", 415},
        {"a body as it is", post + "Content-Encoding: identity\r\nContent-Length: 1\r\n\r\na", 200},
    };
}

}  // namespace

TEST(HttpHostile, EachIsAnsweredAsItShouldBeAndTheServerGoesOn) {
    const Running running;
    for (const auto& [what, bytes, status] : cases()) {
        HttpClient client(running.server.port());
        client.send(bytes);
        const auto answer = client.read_answer();
        ASSERT_TRUE(answer) << what;
        EXPECT_EQ(answer->status, status) << what << "\n" << answer->body;
        EXPECT_EQ(answer->header("X-Content-Type-Options"), "nosniff") << what;
        EXPECT_FALSE(answer->header("X-Request-Id").empty()) << what;
        if (status == 200 || status == 415) continue;
        EXPECT_EQ(answer->header("Connection"), "close") << what;
        EXPECT_TRUE(client.is_closed_by_peer()) << what;
    }
    EXPECT_EQ(HttpClient(running.server.port()).request("GET", "/").status, 200);
}

TEST(HttpHostile, HeadersThatDripInLineByLineReachTheLimitToo) {
    const Running running;
    HttpClient client(running.server.port());
    client.send("GET / HTTP/1.1\r\nHost: x\r\n");
    for (int i = 0; i < 100; ++i) client.send("A" + std::to_string(i) + ": " + std::string(1'000, 'x') + "\r\n");
    const auto answer = client.read_answer();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 431);
}

TEST(HttpHostile, ABodyThatIsChunkedInSmallPiecesReachesTheLimitToo) {
    const Running running(echo, {.body_max = 1'000});
    HttpClient client(running.server.port());
    client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 200; ++i) client.send("a\r\n0123456789\r\n");
    const auto answer = client.read_answer();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 413);
}

TEST(HttpHostile, LinesBetweenChunksHaveALimit) {
    const Running running;
    HttpClient client(running.server.port());
    client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(100'000, 'x'));
    const auto answer = client.read_answer();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 400);
}

TEST(HttpHostile, WhatStandsBehindAChunkedBodyIsNoHeader) {
    const Running running([](const Request& request) -> Response {
        return {200, {}, std::string(request.header("Authorization"))};
    });
    HttpClient client(running.server.port());
    client.send(
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nAuthorization: Bearer "
        "stolen\r\n\r\n");
    const auto answer = client.read_answer();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "");
    EXPECT_EQ(answer->status, 200);
}

TEST(HttpHostile, AByteNowAndThenProlongsNothing) {
    constexpr std::size_t kOutOfReach = std::size_t{64} << 20;  // only the time ends it
    const Running running(
        echo, {.body_max = kOutOfReach, .header_max = kOutOfReach, .header_timeout = 50ms, .body_timeout = 50ms});
    for (const auto* start :
         {"GET / HTTP/1.1\r\nA: ", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 60000000\r\n\r\n"}) {
        HttpClient client(running.server.port());
        client.send(start);
        while (client.send("x")) {
        }
        EXPECT_FALSE(client.read_answer()) << start;
    }
}

TEST(HttpHostile, AHandlersHeaderCannotBeginAnotherOne) {
    const Running running([](const Request&) -> Response {
        return {200,
                {{"X-A", "b\r\nSet-Cookie: c=d\r\n\r\n<html>"},
                 {"X-Bad Name\r\n", "e"},
                 {"Content-Length", "1"},
                 {"Connection", "close"}},
                "body"};
    });
    HttpClient client(running.server.port());
    const auto answer = client.request("GET", "/");
    EXPECT_EQ(answer.header("Set-Cookie"), "");
    EXPECT_EQ(answer.header("X-A"), "b  Set-Cookie: c=d    <html>");
    EXPECT_EQ(answer.header("Content-Length"), "4");
    EXPECT_EQ(answer.body, "body");
    EXPECT_EQ(client.request("GET", "/").status, 200);
}

TEST(HttpHostile, AnAnswerThatHasNoBodySendsNone) {
    const Running running([](const Request&) -> Response { return {204, {}, "HTTP/1.1 200 OK\r\n\r\n"}; });
    HttpClient client(running.server.port());
    for (int i = 0; i < 2; ++i) EXPECT_EQ(client.request("GET", "/").status, 204);
}

TEST(HttpHostile, AnAnswerThatNobodyReadsEndsTheConnection) {
    const Running running(
        [&](const Request& request) -> Response {
            // More than all the buffers on the way hold.
            return {200, {}, request.path == "/large" ? std::string(std::size_t{64} << 20, 'x') : "small"};
        },
        {.connections_max = 1, .write_timeout = 50ms});
    HttpClient client(running.server.port());
    client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
    while (HttpClient(running.server.port()).request("GET", "/").status != 200) std::this_thread::yield();
}

}  // namespace belfry::api
