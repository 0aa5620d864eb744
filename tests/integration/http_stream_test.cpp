// Answers without an end, on real sockets.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>

#include "api/http/http_server.hpp"
#include "base/concurrency/mutex.hpp"
#include "support/servers/http_client.hpp"

namespace belfry::api {

namespace {

using namespace std::chrono_literals;
using test::HttpClient;

constexpr Micros kNever = std::chrono::hours{1};  // as a poll: only wake() makes it ask

// What an answer without an end says next: filled by a test, from another thread.
class Feed {
public:
    void say(const std::string& text) {
        const MutexLock lock(mutex_);
        waiting_ += text;
    }
    void end() { ended_ = true; }

    // An answer that says it. `gone` is counted when the server lets go of it.
    Response response() {
        const std::shared_ptr<void> alive(nullptr, [this](void*) { ++gone; });
        Response answer{200, {{"Content-Type", "text/event-stream"}}, {}};
        answer.next_chunk = [this, alive]() -> std::optional<std::string> {
            ++asked;
            const MutexLock lock(mutex_);
            if (waiting_.empty() && ended_) return std::nullopt;
            return std::exchange(waiting_, {});
        };
        return answer;
    }

    std::atomic<int> asked = 0;
    std::atomic<int> gone = 0;

private:
    Mutex mutex_;
    std::string waiting_ BELFRY_GUARDED_BY(mutex_);
    std::atomic<bool> ended_ = false;
};

struct Streaming {
    explicit Streaming(HttpServerOptions options = {})
        : server(
              [this](const Request& request) -> Response {
                  if (request.path == "/feed") return feed.response();
                  return {200, {}, "plain"};
              },
              on_free_port(std::move(options))) {
        const auto started = server.start();
        EXPECT_TRUE(started) << started.error().message;
    }
    static HttpServerOptions on_free_port(HttpServerOptions options) {
        options.listen = "127.0.0.1:0";
        return options;
    }
    Feed feed;
    HttpServer server;
};

// Of the head; the parts are read with read_chunk().
Response open(HttpClient& client) {
    client.send("GET /feed HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return client.read_answer().value_or(Response{.status = 0});
}

template <typename Condition>
void wait_until(Condition condition) {
    while (!condition()) std::this_thread::yield();
}

}  // namespace

TEST(HttpStream, SendsWhatThereIsToSayAsItComes) {
    Streaming streaming({.stream_poll = 20ms});
    streaming.feed.say("first");
    HttpClient client(streaming.server.port());
    const auto head = open(client);
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.header("Transfer-Encoding"), "chunked");
    EXPECT_EQ(head.header("Content-Length"), "");
    EXPECT_EQ(client.read_chunk(), "first");
    streaming.feed.say("second");
    EXPECT_EQ(client.read_chunk(), "second");
    streaming.feed.say(std::string(300'000, 'x'));
    EXPECT_EQ(client.read_chunk(), std::string(300'000, 'x'));
    streaming.feed.end();
    EXPECT_EQ(client.read_chunk(), "");
    EXPECT_TRUE(client.is_closed_by_peer());
    wait_until([&] { return streaming.feed.gone == 1; });
}

TEST(HttpStream, IsAskedAtOnceWhenTheServerIsWoken) {
    Streaming streaming({.stream_poll = kNever});
    HttpClient client(streaming.server.port());
    EXPECT_EQ(open(client).status, 200);
    for (const auto* text : {"one", "two", "three"}) {
        streaming.feed.say(text);
        streaming.server.wake();
        EXPECT_EQ(client.read_chunk(), text);
    }
}

TEST(HttpStream, HoldsNoThreadWhileThereIsNothingToSay) {
    Streaming streaming({.threads = 1, .stream_poll = kNever});
    std::vector<std::unique_ptr<HttpClient>> clients;
    for (int i = 0; i < 20; ++i) {
        clients.push_back(std::make_unique<HttpClient>(streaming.server.port()));
        EXPECT_EQ(open(*clients.back()).status, 200);
    }
    HttpClient other(streaming.server.port());
    EXPECT_EQ(other.request("GET", "/").body, "plain");
}

TEST(HttpStream, OneTooManyIsToldToComeBackAndAPlaceIsFreedByWhoeverLeaves) {
    Streaming streaming({.streams_max = 1, .stream_poll = 5ms});
    auto first = std::make_unique<HttpClient>(streaming.server.port());
    EXPECT_EQ(open(*first).status, 200);
    HttpClient second(streaming.server.port());
    const auto refused = open(second);
    EXPECT_EQ(refused.status, 503);
    EXPECT_NE(refused.body.find("too_many_streams"), std::string::npos);
    EXPECT_EQ(refused.header("Retry-After"), "1");
    EXPECT_EQ(second.request("GET", "/").body, "plain") << "the connection goes on";
    first.reset();
    wait_until([&] { return open(second).status == 200; });
}

TEST(HttpStream, AClientThatGoesAwayIsNoticedThoughThereIsNothingToSay) {
    Streaming streaming({.stream_poll = kNever});
    {
        HttpClient client(streaming.server.port());
        EXPECT_EQ(open(client).status, 200);
        wait_until([&] { return streaming.feed.asked == 1; });
        EXPECT_EQ(streaming.feed.gone, 0);
    }
    wait_until([&] { return streaming.feed.gone == 1; });
}

TEST(HttpStream, AClientThatDoesNotReadIsClosed) {
    Streaming streaming({.write_timeout = 50ms, .stream_poll = 5ms});
    HttpClient client(streaming.server.port());
    EXPECT_EQ(open(client).status, 200);
    // More than all the buffers on the way hold.
    streaming.feed.say(std::string(std::size_t{64} << 20, 'x'));
    wait_until([&] { return streaming.feed.gone == 1; });
}

TEST(HttpStream, ADrainEndsItAtOnce) {
    Streaming streaming({.stream_poll = kNever});
    HttpClient client(streaming.server.port());
    EXPECT_EQ(open(client).status, 200);
    streaming.server.stop(std::chrono::hours{1});  // and does not wait for it
    EXPECT_EQ(streaming.feed.gone, 1);
    EXPECT_TRUE(client.is_closed_by_peer());
}

TEST(HttpStream, AClientOfTheOldVersionReadsUntilTheConnectionEnds) {
    Streaming streaming({.stream_poll = 5ms});
    streaming.feed.say("all of it");
    streaming.feed.end();
    HttpClient client(streaming.server.port());
    client.send("GET /feed HTTP/1.0\r\n\r\n");
    const auto head = client.read_answer();
    ASSERT_TRUE(head);
    EXPECT_EQ(head->header("Transfer-Encoding"), "");
    EXPECT_EQ(head->header("Connection"), "close");
    EXPECT_EQ(client.read_rest(), "all of it");
}

TEST(HttpStream, AHeadHasNoEndlessBody) {
    Streaming streaming({.stream_poll = kNever});
    HttpClient client(streaming.server.port());
    EXPECT_EQ(client.request("HEAD", "/feed").status, 200);
    EXPECT_EQ(client.request("GET", "/").body, "plain");
    EXPECT_EQ(streaming.feed.gone, 1);
}

TEST(HttpStream, WhatThrowsEndsTheAnswerAndNothingElse) {
    HttpServer server(
        [](const Request&) -> Response {
            Response answer;
            answer.next_chunk = []() -> std::optional<std::string> { throw std::runtime_error("oops"); };
            return answer;
        },
        {.listen = "127.0.0.1:0"});
    ASSERT_TRUE(server.start());
    for (int i = 0; i < 2; ++i) {
        HttpClient client(server.port());
        EXPECT_EQ(open(client).status, 200);
        EXPECT_EQ(client.read_chunk(), "");
    }
}

}  // namespace belfry::api
