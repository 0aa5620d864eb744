// The server on its own: what HTTP asks of it, whatever the routes are.
#include "api/http/http_server.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <future>
#include <latch>
#include <stdexcept>
#include <thread>

#include "support/servers/http_client.hpp"
#include "support/servers/running_server.hpp"

namespace belfry::api {

namespace {

using namespace std::chrono_literals;
using test::echo;
using test::HttpClient;
using test::Running;

}  // namespace

TEST(HttpServer, AConnectionServesManyRequests) {
    const Running running;
    HttpClient client(running.server.port());
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(client.request("POST", "/a?b=c", "x" + std::to_string(i)).body, "POST /a x" + std::to_string(i));
}

TEST(HttpServer, AConnectionServesThousandsOfRequests) {
    const Running running;
    HttpClient client(running.server.port());
    for (int i = 0; i < 5'000; ++i)
        ASSERT_EQ(client.request("POST", "/", std::to_string(i)).body, "POST / " + std::to_string(i));
}

TEST(HttpServer, AClientOfTheOldVersionMayKeepItsConnection) {
    const Running running;
    HttpClient client(running.server.port());
    for (int i = 0; i < 2; ++i) {
        client.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        const auto answer = client.read_answer();
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->header("Connection"), "keep-alive");
    }
    client.send("GET /a HTTP/1.0\r\n\r\n");
    EXPECT_EQ(client.read_answer()->header("Connection"), "close");
    EXPECT_TRUE(client.is_closed_by_peer());
}

TEST(HttpServer, EveryAnswerHasAnIdAndIsNeitherStoredNorGuessed) {
    const Running running([](const Request& request) -> Response {
        if (request.path == "/kept") return {200, {{"Cache-Control", "max-age=60"}}, {}};
        return {200, {}, std::string(request.header("X-Request-Id"))};
    });
    HttpClient client(running.server.port());
    const auto named = client.request("GET", "/", {}, {{"X-Request-Id", "mine"}});
    EXPECT_EQ(named.header("X-Request-Id"), "mine");
    EXPECT_EQ(named.header("Cache-Control"), "no-store");
    EXPECT_EQ(named.header("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(named.header("Strict-Transport-Security"), "");
    const auto unnamed = client.request("GET", "/");
    EXPECT_EQ(unnamed.header("X-Request-Id").size(), 36U);
    EXPECT_EQ(unnamed.header("X-Request-Id"), unnamed.body) << "the handler knows it, too";
    EXPECT_NE(client.request("GET", "/").header("X-Request-Id"), unnamed.header("X-Request-Id"));
    EXPECT_EQ(client.request("GET", "/kept").header("Cache-Control"), "max-age=60");
}

TEST(HttpServer, TheHandlerHearsWhereARequestCameFrom) {
    const Running running([](const Request& request) -> Response { return {200, {}, request.peer}; });
    EXPECT_EQ(HttpClient(running.server.port()).request("GET", "/").body, "127.0.0.1");
}

TEST(HttpServer, WhoeverListensIsToldOfEveryAnswer) {
    std::promise<std::string> told;
    std::atomic<bool> first = true;
    const Running running(echo, {.on_answer = [&](const Request& request, const Response& response, Micros took) {
                              if (first.exchange(false))
                                  told.set_value(request.method + request.path + std::to_string(response.status) +
                                                 (took >= 0us ? "" : "?"));
                          }});
    EXPECT_EQ(HttpClient(running.server.port()).request("GET", "/a?b=c").status, 200);
    EXPECT_EQ(told.get_future().get(), "GET/a200");
}

TEST(HttpServer, ALongTextIsCompressedForWhoeverAsks) {
    const Running running([](const Request&) -> Response {
        return {200, {{"Content-Type", "application/json"}}, std::string(10'000, ' ')};
    });
    HttpClient client(running.server.port());
    const auto packed = client.request("GET", "/", {}, {{"Accept-Encoding", "gzip"}});
    EXPECT_EQ(packed.header("Content-Encoding"), "gzip");
    EXPECT_LT(packed.body.size(), 1'000U);
    EXPECT_EQ(client.request("GET", "/").body.size(), 10'000U);
}

TEST(HttpServer, RequestsThatAreSentAheadAreAnsweredInTheirOrder) {
    const Running running;
    HttpClient client(running.server.port());
    std::string all;
    for (int i = 0; i < 20; ++i) all += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n";
    client.send(all);
    for (int i = 0; i < 20; ++i) {
        const auto answer = client.read_answer();
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->body, "GET /" + std::to_string(i) + " ");
    }
}

TEST(HttpServer, AHeadAnswersWithoutItsBodyAndTheConnectionGoesOn) {
    const Running running;
    HttpClient client(running.server.port());
    const auto head = client.request("HEAD", "/a");
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.header("Content-Length"), "8");
    EXPECT_EQ(client.request("GET", "/b").body, "GET /b ");
}

TEST(HttpServer, AClientThatAsksToCloseIsClosed) {
    const Running running;
    HttpClient client(running.server.port());
    EXPECT_EQ(client.request("GET", "/", {}, {{"Connection", "close"}}).header("Connection"), "close");
    EXPECT_TRUE(client.is_closed_by_peer());
}

TEST(HttpServer, ACarefulClientIsToldToContinue) {
    const Running running;
    HttpClient client(running.server.port());
    client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_EQ(client.read_answer()->status, 100);
    client.send("hello");
    EXPECT_EQ(client.read_answer()->body, "POST /a hello");
}

TEST(HttpServer, AChunkedBodyIsReadAsOne) {
    const Running running;
    HttpClient client(running.server.port());
    client.send("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n");
    EXPECT_EQ(client.read_answer()->body, "POST /a abcde");
}

TEST(HttpServer, WhatIsTooLargeIsRefusedAndTheConnectionEnds) {
    const Running running(echo, {.body_max = 1'000, .header_max = 2'000});
    HttpClient body(running.server.port());
    const auto too_large = body.request("POST", "/", std::string(100'000, 'x'));
    EXPECT_EQ(too_large.status, 413);
    EXPECT_NE(too_large.body.find("body_too_large"), std::string::npos);
    EXPECT_EQ(too_large.header("Connection"), "close");

    HttpClient chunked(running.server.port());
    chunked.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n" + std::string(0x1000, 'x') +
                 "\r\n0\r\n\r\n");
    EXPECT_EQ(chunked.read_answer()->status, 413);

    HttpClient headers(running.server.port());
    EXPECT_EQ(headers.request("GET", "/", {}, {{"X-Long", std::string(10'000, 'x')}}).status, 431);
    EXPECT_EQ(HttpClient(running.server.port()).request("POST", "/", std::string(1'000, 'x')).status, 200)
        << "the bound itself is fine";
}

TEST(HttpServer, WhatIsNoHttpIsRefusedAndTheConnectionEnds) {
    const Running running;
    for (const auto* bytes : {"GARBAGE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\nbroken header\r\n\r\n",
                              "POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n", "\x16\x03\x01\x02\x01\x01\r\n\r\n"}) {
        HttpClient client(running.server.port());
        client.send(bytes);
        const auto answer = client.read_answer();
        ASSERT_TRUE(answer) << bytes;
        EXPECT_EQ(answer->status, 400) << bytes;
        EXPECT_TRUE(client.is_closed_by_peer()) << bytes;
    }
}

TEST(HttpServer, AClientThatIsTooSlowIsClosed) {
    const Running running(echo, {.idle_timeout = 50ms, .header_timeout = 50ms, .body_timeout = 50ms});
    for (const auto* bytes : {"", "GET / HT", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf"}) {
        HttpClient client(running.server.port());
        client.send(bytes);
        EXPECT_TRUE(client.is_closed_by_peer()) << bytes;
    }
}

TEST(HttpServer, AHandlerThatThrowsIsAnInternalError) {
    const Running running([](const Request&) -> Response { throw std::runtime_error("oops"); });
    HttpClient client(running.server.port());
    EXPECT_EQ(client.request("GET", "/").status, 500);
    EXPECT_EQ(client.request("GET", "/").status, 500) << "the connection goes on";
}

TEST(HttpServer, HandlersRunBesideEachOther) {
    std::barrier both(2);  // passed only when two are inside at once
    const Running running(
        [&](const Request&) -> Response {
            both.arrive_and_wait();
            return {};
        },
        {.threads = 2});
    auto first =
        std::async(std::launch::async, [&] { return HttpClient(running.server.port()).request("GET", "/").status; });
    EXPECT_EQ(HttpClient(running.server.port()).request("GET", "/").status, 200);
    EXPECT_EQ(first.get(), 200);
}

TEST(HttpServer, TheProbeAnswersWhileEveryHandlerIsBusy) {
    std::latch begun(1);
    std::latch go_on(1);
    const Running running(
        [&](const Request& request) -> Response {
            if (request.path == "/health") return {200, {}, "fine"};
            begun.count_down();
            go_on.wait();
            return {};
        },
        {.threads = 1});
    HttpClient busy(running.server.port());
    busy.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    begun.wait();
    EXPECT_EQ(HttpClient(running.server.port()).request("GET", "/health").body, "fine");
    go_on.count_down();
    EXPECT_EQ(busy.read_answer()->status, 200);
}

TEST(HttpServer, AnAddressAsAProxyWritesItIsReadAsAPath) {
    const Running running;
    HttpClient client(running.server.port());
    EXPECT_EQ(client.request("GET", "http://somewhere:80/a/b?c").body, "GET /a/b ");
    EXPECT_EQ(client.request("GET", "/a?u=http://x/y").body, "GET /a ");
    EXPECT_EQ(client.request("OPTIONS", "*").body, "OPTIONS * ");
}

TEST(HttpServer, AnAddressThatIsTakenOrWrongIsNamed) {
    const Running running;
    const auto address = "127.0.0.1:" + std::to_string(running.server.port());
    const auto refusal = [](const std::string& listen) {
        const auto started = HttpServer(echo, {.listen = listen}).start();
        return started ? std::string("started") : started.error().message;
    };
    EXPECT_EQ(refusal(address),
              "cannot listen on " + address + ": the address is in use; stop the other program or choose another port");
    for (const auto* wrong : {"nonsense", "127.0.0.1:", "::1:80", "127.0.0.1:http", "127.0.0.1:99999", "[::1"}) {
        EXPECT_NE(refusal(wrong).find(std::string("cannot listen on ") + wrong), std::string::npos) << refusal(wrong);
    }
}

TEST(HttpServer, StoppingLetsARequestFinishAndAcceptsNobodyElse) {
    std::latch begun(1);
    std::latch go_on(1);
    Running running([&](const Request&) -> Response {
        begun.count_down();
        go_on.wait();
        return {200, {}, "done"};
    });
    const auto port = running.server.port();
    HttpClient idle(port);
    HttpClient busy(port);
    busy.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    begun.wait();
    auto stopped = std::async(std::launch::async, [&] { running.server.stop(60s); });
    EXPECT_TRUE(idle.is_closed_by_peer());
    EXPECT_FALSE(test::accepts_connections(port));
    go_on.count_down();
    const auto answer = busy.read_answer();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "done");
    EXPECT_EQ(answer->header("Connection"), "close");
    stopped.get();
    running.server.stop(0s);  // again is fine
}

TEST(HttpServer, StoppingWithoutADrainClosesTheConnectionAndWaitsForTheHandler) {
    std::latch begun(1);
    std::latch go_on(1);
    std::atomic<bool> finished = false;
    Running running([&](const Request&) -> Response {
        begun.count_down();
        go_on.wait();
        finished = true;
        return {};
    });
    HttpClient busy(running.server.port());
    busy.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    begun.wait();
    auto stopped = std::async(std::launch::async, [&] { running.server.stop(0s); });
    EXPECT_TRUE(busy.is_closed_by_peer());
    go_on.count_down();
    stopped.get();
    EXPECT_TRUE(finished);
}

TEST(HttpServer, OneThatWasNeverStartedCanBeStopped) {
    HttpServer server(echo);
    EXPECT_EQ(server.port(), 0);
    server.stop(1s);
}

}  // namespace belfry::api
